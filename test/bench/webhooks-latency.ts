import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { milliseconds, percentile } from './promises.ts'
import type { WebhookSizes } from './webhooks.ts'
import { clockMs } from './webhooks-clock.ts'
import { commitEvents, type Instance, openInstance, type Shop } from './webhooks-instance.ts'
import type { Receiver } from './webhooks-receiver.ts'
import { startSender } from './webhooks-sender.ts'

/** Commits one event and returns when that was known. */
type Commit = (shop: Shop) => Promise<number>

/** How soon an event is at its receiver when nothing else happens: one after the other, at irregular times. */
export const promiseLatency = async (
  { server, print, report }: Bench,
  { single, singleLost }: WebhookSizes,
  receiver: Receiver,
): Promise<void> => {
  await using instance = await openInstance(server, { healthy: Math.min(20, single), port: receiver.port })
  const byOther: Commit = async shop => {
    await commitEvents(instance.sql, [shop])
    return clockMs()
  }
  const formatting = { as: milliseconds }
  {
    await using sender = await startSender(instance.url)
    const ways = {
      'by the process that sends': ({ merchantId }: Shop) => sender.commitEvent(merchantId),
      'by another process': byOther,
    }
    for (const [way, commit] of Object.entries(ways)) {
      const figures = await measure(instance, receiver, commit, single)
      print(`idle, committed ${way}: ${format(figures)}`)
      const promise = `commit to first byte, idle, ${single} events committed ${way}`
      report.atMost(`${promise}, p50`, percentile(figures, 0.5), 15, formatting)
      report.atMost(`${promise}, p99`, percentile(figures, 0.99), 50, formatting)
    }
  }
  await using _ = await startSender(instance.url, { withoutWakeUps: true })
  const figures = await measure(instance, receiver, byOther, singleLost, true)
  print(`idle, wake-up lost: ${format(figures)}`)
  report.atMost(`commit to first byte, idle, wake-up lost, ${singleLost} events`, Math.max(...figures), 300, formatting)
}

const measure = async (
  { shops }: Instance,
  receiver: Receiver,
  commit: Commit,
  count: number,
  lost = false,
): Promise<readonly number[]> => {
  const figures: number[] = []
  // Each endpoint once before measuring: the sender reads the endpoints and connects.
  for (let n = -shops.length; n < count; n++) {
    const shop = shops[(n + shops.length) % shops.length]
    if (!shop) throw new Error('there is no endpoint')
    // The poll for missed wake-ups comes every quarter of a second.
    await sleep(lost ? Math.random() * 250 : 10 + Math.random() * 30)
    await receiver.reset()
    const committed = await commit(shop)
    const [arrived = Number.NaN] = (await receiver.times()).values()
    if (n >= 0) figures.push(arrived - committed)
  }
  return figures
}

const format = (figures: readonly number[]): string =>
  `p50 ${milliseconds(percentile(figures, 0.5))}, p99 ${milliseconds(percentile(figures, 0.99))}, most ${milliseconds(Math.max(...figures))}`
