import type { Bench } from './bench.ts'
import { perSecond, times } from './promises.ts'
import type { WebhookSizes } from './webhooks.ts'
import type { Bullmq } from './webhooks-bullmq.ts'
import { commitBacklog, openInstance } from './webhooks-instance.ts'
import { type Receiver, watchCount } from './webhooks-receiver.ts'
import { startSender } from './webhooks-sender.ts'

const ENDPOINTS = 20

/** As long as a receiver is given. Until then the peer answers for what it did before its last place was taken. */
const ROUND_MS = 15_000

/** What is left of the speed when one of the endpoints, and with it one in twenty deliveries, never gets an answer. */
export const promiseSilent = async (
  { server, say, report }: Bench,
  sizes: WebhookSizes,
  { receiver, peer }: { readonly receiver: Receiver; readonly peer: Bullmq | string },
): Promise<void> => {
  const promise = `one delivery in ${ENDPOINTS} to somebody silent against BullMQ`
  if (typeof peer === 'string') return report.skip(promise, peer)
  const { silentMs, silentBacklog } = sizes
  await using instance = await openInstance(server, { healthy: ENDPOINTS - 1, silent: 1, port: receiver.port })
  await commitBacklog(instance.sql, instance.shops, silentBacklog)
  await instance.sql`vacuum analyze events, deliveries`
  await receiver.reset()
  const ours = await (async () => {
    await using _ = await startSender(instance.url)
    const answering = silentBacklog - Math.floor(silentBacklog / ENDPOINTS)
    const marks = await watchCount(receiver, { until: answering, forMs: silentMs })
    // From the first request on; the peer is not asked to start within its time either.
    const began = marks.findLast(({ count }) => count === 0)
    const ended = marks.at(-1)
    return began && ended ? (ended.count / (ended.at - began.at)) * 1_000 : Number.NaN
  })()
  const theirs = await peer.perSecond(receiver, {
    ...{ jobs: sizes.peerJobs, concurrency: 64, endpoints: ENDPOINTS - 1, everySilent: ENDPOINTS, forMs: silentMs },
  })
  say(`one of ${ENDPOINTS} endpoints silent: ${perSecond(ours)}, BullMQ ${perSecond(theirs)}`)
  if (silentMs < ROUND_MS)
    return report.skip(promise, `${silentMs / 1_000} s say nothing, it takes ${ROUND_MS / 1_000} s`)
  report.atLeast(promise, ours / theirs, 20, {
    as: times,
    from: `${perSecond(ours)} against ${perSecond(theirs)}, ${silentMs / 1_000} s`,
  })
}
