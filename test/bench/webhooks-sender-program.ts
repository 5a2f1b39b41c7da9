import { randomUUID } from 'node:crypto'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { openListener } from '../../src/webhooks/listener.ts'
import { openPoster } from '../../src/webhooks/post.ts'
import { openSender, type Sender } from '../../src/webhooks/sender.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { cert } from './webhooks-certificate.ts'
import { clockMs } from './webhooks-clock.ts'
import { SECRET_KEY } from './webhooks-instance.ts'

/**
 * The webhook services of a server process: `bun webhooks-sender-program.ts <database url> <options as JSON>`.
 * Prints its control port.
 */
const [url = '', options = '{}'] = process.argv.slice(2)
const { withoutWakeUps, aheadMs } = {
  withoutWakeUps: false,
  aheadMs: 0,
  ...(JSON.parse(options) as SenderProgramOptions),
}

/** `withoutWakeUps`: nothing wakes it, as if every wake-up were lost. `aheadMs`: its clock is ahead, as if time had passed. */
export type SenderProgramOptions = { readonly withoutWakeUps?: boolean; readonly aheadMs?: number }

const right = databaseClock()
const clock = { ...right, now: () => new Date(right.now().getTime() + aheadMs) }
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const sql = connect(url, { max: 8, byKey: true })
const outside = { sql, clock, random, log: openLog('error') }
let sender: Sender | undefined
const actors = await openActors(outside, kinds, { onPublished: () => (withoutWakeUps ? undefined : sender?.wake()) })
const world = { ...outside, actors }
const rules = { allow: [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' as const }], ports: [443] }
const poster = openPoster({ rules, ca: cert, resolve: async () => ['127.0.0.1'], now: () => clock.now() })
const own = openSender(world, { keyring: openKeyring(SECRET_KEY), poster })
sender = own
if (!withoutWakeUps) openListener({ databaseUrl: url, onNotify: own.wake, log: outside.log })

const control = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  routes: {
    // Commits an event; returns when that was known.
    '/commit': async request => {
      const merchantId = new URL(request.url).searchParams.get('merchant') ?? ''
      const create = { ...paymentOpening, windowMinutes: 30, merchantId }
      const outcome = await actors.dispatch({ kind: 'payment', actor: randomUUID(), create })
      return Response.json({ ok: outcome.ok, at: clockMs() })
    },
    '/counts': () => Response.json({ open: own.counts().open, ended: [...own.counts().ended] }),
    '/cpu': () => Response.json(process.cpuUsage()),
    '/stop': async () => {
      await own.stop()
      return new Response()
    },
  },
})
console.log(JSON.stringify({ control: control.port, pid: process.pid }))
