import '../harness/end-with-parent.ts'
import process from 'node:process'
import { type Actors, openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { parseEnv } from '../../src/env.ts'
import { openApi } from '../../src/http/api.ts'
import { app } from '../../src/http/app.ts'
import { paymentLinkRoutes } from '../../src/http/payment-links.ts'
import { serve } from '../../src/http/serve.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { noChainOptions } from '../harness/no-chains.ts'

/** A server that prints its address and exits before or after the commit of its first command. */
const [, , when] = process.argv
const env = parseEnv(process.env)
const outside = {
  sql: connect(env.databaseUrl ?? ''),
  clock: databaseClock(),
  random: crypto.getRandomValues.bind(crypto),
  log: openLog('silent'),
}
const actors = await openActors(outside, kinds)
const dispatch: Actors['dispatch'] = async command => {
  if (when === 'after') await actors.dispatch(command)
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
const keyring = openKeyring(env.secretKey ?? '')
const api = openApi({ ...outside, actors: { ...actors, dispatch } }, { env, keyring, ...noChainOptions(outside) })
const server = app(paymentLinkRoutes, api)
await serve(server, { host: '127.0.0.1', port: 0 })
console.log(`http://127.0.0.1:${server.server?.port}`)
