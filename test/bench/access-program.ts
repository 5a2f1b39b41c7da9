import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { parseEnv } from '../../src/env.ts'
import { type Api, openApi } from '../../src/http/api.ts'
import { app } from '../../src/http/app.ts'
import { forAnybody, forKeys } from '../../src/http/route.ts'
import { serve } from '../../src/http/serve.ts'
import { openKeyring } from '../../src/keyring.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { noChainOptions } from '../harness/no-chains.ts'

/** A process that serves the same handler with and without a key check: `bun access-program.ts <database url>`. Prints its port. */
const [DATABASE_URL = ''] = process.argv.slice(2)

const handle = async ({ sql }: Api) => {
  const [row] = await sql`select 1 as one`
  return { status: 200 as const, body: row }
}
const routes = [
  forAnybody('GET', { path: '/bare', handle }),
  forKeys('GET', { scope: 'payments:read' }, { path: '/checked', handle }),
]

const SECRET_KEY = 'a secret key for benches and for nothing else'
// The rate limit counts as in production, but is never reached.
const env = parseEnv({ DATABASE_URL, SECRET_KEY, API_RATE_LIMIT_TEST: '1000000' })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const outside = { sql: connect(DATABASE_URL), clock: databaseClock(), random, log: openLog('silent') }
const actors = await openActors(outside, [])
const api = openApi({ ...outside, actors }, { env, keyring: openKeyring(SECRET_KEY), ...noChainOptions(outside) })
const server = app(routes, api)
await serve(server, { host: '127.0.0.1', port: 0 })
console.log(server.server?.port)
