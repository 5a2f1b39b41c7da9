import { Elysia } from 'elysia'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { createPaymentLink } from '../../src/commands/payment-links.ts'
import { parseEnv } from '../../src/env.ts'
import { openApi } from '../../src/http/api.ts'
import { app } from '../../src/http/app.ts'
import { routes } from '../../src/http/routes.ts'
import { serve } from '../../src/http/serve.ts'
import { decodeId } from '../../src/ids.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { paymentLinkRecord } from '../../src/kinds/payment-link.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { shownColumns } from '../../src/queries/payments.ts'
import { noChainOptions } from '../harness/no-chains.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'

/**
 * The API as it is served, and on another port a minimal handler that reads a payment or creates a link:
 * `bun api-program.ts <database url> <merchant>`. Prints both ports.
 */
const [DATABASE_URL = '', merchantId = ''] = process.argv.slice(2)

const SECRET_KEY = 'a secret key for benches and for nothing else'
// The rate limit counts as in production, but is never reached.
const env = parseEnv({ DATABASE_URL, SECRET_KEY, API_RATE_LIMIT_TEST: '1000000' })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const sql = connect(DATABASE_URL)
const outside = { sql, clock: databaseClock(), random, log: openLog('info') }
// A pool of its own, like the server.
const actors = await openActors({ ...outside, sql: connect(DATABASE_URL, { max: 8, byKey: true }) }, kinds)
const api = openApi({ ...outside, actors }, { env, keyring: openKeyring(SECRET_KEY), ...noChainOptions(outside) })
const served = app(routes, api)
await serve(served, { host: '127.0.0.1', port: 0 })

/** The defaults that the API adds. */
const OPENING = { ...paymentLinkOpening, livemode: false, assets: null, maxPayments: null, expiresAt: null }

const bare = new Elysia()
  .get('/payments/:id', async ({ params }) => {
    const id = decodeId('pay', params.id) ?? ''
    const [row] = await sql`
      select ${shownColumns(sql)} from payments as r
      where id = ${id} and merchant_id = ${merchantId} and livemode = coalesce(${false}, livemode)`
    return row
  })
  // With the record, which every implementation needs.
  .post('/payment-links', async ({ body, set }) => {
    const opening = { ...OPENING, ...Object(body), merchantId }
    const made = await createPaymentLink({ ...outside, actors }, opening, { cause: 'bench', responseRows: () => [] })
    set.status = 201
    return paymentLinkRecord.render(made, env)
  })
  .listen({ hostname: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ ours: served.server?.port, bare: bare.server?.port }))
