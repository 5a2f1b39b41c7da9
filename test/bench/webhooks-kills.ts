import { setTimeout as sleep } from 'node:timers/promises'
import { countBreaches } from '../../src/audit/audit.ts'
import { auditWebhooks } from '../../src/audit/webhooks.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { thousands } from './promises.ts'
import type { WebhookSizes } from './webhooks.ts'
import { commitBacklog, commitEvents, type Instance, openInstance } from './webhooks-instance.ts'
import type { Receiver } from './webhooks-receiver.ts'
import { type SenderProcess, startSender } from './webhooks-sender.ts'

const ENDPOINTS = 20
const WORKERS = 3

/** Deliveries while the processes that send them are killed. */
export const promiseKills = async (
  { server, print, report }: Bench,
  { kills, killEveryMs, killBacklog, waitsForLease }: WebhookSizes,
  receiver: Receiver,
): Promise<void> => {
  await using instance = await openInstance(server, { healthy: ENDPOINTS, port: receiver.port })
  await commitBacklog(instance.sql, instance.shops, killBacklog)
  await receiver.reset()
  await using workers = new AsyncDisposableStack()
  const alive: SenderProcess[] = []
  const start = async (aheadMs = 0) => alive.push(workers.use(await startSender(instance.url, { aheadMs })))
  await Promise.all(Array.from({ length: WORKERS }, () => start()))
  {
    await using _ = commitContinuously(instance)
    for (let n = 0; n < kills; n++) {
      const { answered } = await receiver.counts()
      await sleep(killEveryMs)
      await until(async () => (await receiver.counts()).answered > answered, { what: 'requests between two kills' })
      await alive.shift()?.kill()
      await start()
    }
  }
  if (!waitsForLease) {
    // Moves the clock past the lease and the retry delay instead of waiting.
    for (const worker of alive) await worker.stop()
    await start(25_000)
    await until(async () => (await open(instance)).sending === 0, { what: 'attempts that are known to be lost' })
    await start(50_000)
  }
  await until(async () => (await open(instance)).count === 0, {
    timeoutMs: 120_000,
    everyMs: 100,
    what: 'all deliveries',
  })
  for (const worker of alive) await worker.stop()
  await judge({ print, report }, instance, receiver, kills)
}

const judge = async (
  { print, report }: Pick<Bench, 'print' | 'report'>,
  { sql }: Instance,
  receiver: Receiver,
  kills: number,
): Promise<void> => {
  const { answered, distinct } = await receiver.counts()
  const [row] = await sql<Record<'events' | 'delivered' | 'deliveries' | 'attempts' | 'lost' | 'most', number>[]>`
    select (select count(*)::integer from events) as events,
      (select count(*)::integer from deliveries) as deliveries,
      (select count(*)::integer from deliveries where state = 'delivered') as delivered,
      (select count(*)::integer from delivery_attempts) as attempts,
      (select count(*)::integer from delivery_attempts where outcome = 'lost') as lost,
      (select max(number) from delivery_attempts) as most`
  const { events = 0, deliveries = 0, delivered = 0, attempts = 0, lost = 0, most = 0 } = row ?? {}
  await sql`analyze`
  const counted = await Promise.all(auditWebhooks.map(check => countBreaches(sql, check)))
  const breaches = counted.reduce((sum, { count }) => sum + count, 0)
  print(`${kills} kills: ${thousands(attempts)} attempts, ${thousands(lost)} of them lost with a process`)
  const promise = `${WORKERS} workers and ${kills} kills under load`
  report.judge(
    `${promise}, every event delivered`,
    delivered === events && deliveries === events && distinct === events && breaches === 0,
    `${thousands(delivered)} delivered and ${thousands(distinct)} received of ${thousands(events)}, breaches ${breaches}`,
    'all',
  )
  report.atMost(`${promise}, the highest number of an attempt`, most, 5, { as: thousands })
  report.atMost(`${promise}, requests against recorded attempts`, answered, attempts, { as: thousands })
}

const open = async ({ sql }: Instance): Promise<{ count: number; sending: number }> => {
  const [row] = await sql<{ count: number; sending: number }[]>`
    select count(*)::integer as count, (count(*) filter (where state = 'sending'))::integer as sending
    from deliveries where state in ('pending', 'sending')`
  return row ?? { count: 0, sending: 0 }
}

/** Events to every endpoint, continuously, so that every kill interrupts something. */
const commitContinuously = ({ sql, shops }: Instance): AsyncDisposable => {
  let stopping = false
  const committing = (async () => {
    while (!stopping) {
      await commitEvents(sql, shops)
      await sleep(20)
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      stopping = true
      await committing
    },
  }
}
