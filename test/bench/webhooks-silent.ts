import type { Bench } from './bench.ts'
import { perSecond, times } from './promises.ts'
import type { WebhookSizes } from './webhooks.ts'
import type { Bullmq } from './webhooks-bullmq.ts'
import { commitBacklog, openInstance } from './webhooks-instance.ts'
import { type Receiver, watchCount } from './webhooks-receiver.ts'
import { startSender } from './webhooks-sender.ts'

const ENDPOINTS = 20

/** The timeout of a receiver. Before it, the peer's rate includes what it did before its last slot was taken. */
const ROUND_MS = 15_000

/** The remaining rate when one of the endpoints, and with it one in twenty deliveries, never responds. */
export const promiseSilent = async (
  { server, print, report }: Bench,
  sizes: WebhookSizes,
  { receiver, peer }: { readonly receiver: Receiver; readonly peer: Bullmq | string },
): Promise<void> => {
  const promise = `one delivery in ${ENDPOINTS} to a silent endpoint against BullMQ`
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
    // From the first request on; the start of the peer does not count either.
    const began = marks.findLast(({ count }) => count === 0)
    const ended = marks.at(-1)
    return began && ended ? (ended.count / (ended.at - began.at)) * 1_000 : Number.NaN
  })()
  const theirs = await peer.perSecond(receiver, {
    ...{ jobs: sizes.peerJobs, concurrency: 64, endpoints: ENDPOINTS - 1, everySilent: ENDPOINTS, forMs: silentMs },
  })
  print(`one of ${ENDPOINTS} endpoints silent: ${perSecond(ours)}, BullMQ ${perSecond(theirs)}`)
  if (silentMs < ROUND_MS)
    return report.skip(promise, `${silentMs / 1_000} s are too short, it needs ${ROUND_MS / 1_000} s`)
  report.atLeast(promise, ours / theirs, 20, {
    as: times,
    from: `${perSecond(ours)} against ${perSecond(theirs)}, ${silentMs / 1_000} s`,
  })
}
