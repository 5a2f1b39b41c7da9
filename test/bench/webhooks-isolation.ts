import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { median, milliseconds, percentile, perSecond, times } from './promises.ts'
import type { WebhookSizes } from './webhooks.ts'
import { clockMs } from './webhooks-clock.ts'
import { commitBacklog, commitEvents, type Instance, openInstance, type Shop } from './webhooks-instance.ts'
import { type Receiver, watchCount } from './webhooks-receiver.ts'
import { startSender } from './webhooks-sender.ts'

/** How much endpoints that respond are slowed by as many that never do. */
export const promiseIsolation = async (bench: Bench, sizes: WebhookSizes, receiver: Receiver): Promise<void> => {
  const { server, print, report } = bench
  const { crowd, perSecond: rate, fromMs, aloneMs, besideMs } = sizes
  await using instance = await openInstance(server, { healthy: crowd, silent: crowd, port: receiver.port })
  const healthy = instance.shops.filter(({ silent }) => !silent)
  const silent = instance.shops.filter(shop => shop.silent)
  const beside = `${crowd} endpoints beside ${crowd} silent ones`

  const rounds: { readonly alone: number; readonly crowded: number }[] = []
  for (let round = 1; round <= sizes.rounds; round++) {
    const alone = await latencies(instance, receiver, { healthy, silent: [], rate, fromMs, forMs: aloneMs })
    const crowded = await latencies(instance, receiver, { healthy, silent, rate, fromMs, forMs: besideMs })
    print(
      `round ${round} of ${sizes.rounds}: ${rate} events a second to ${crowd} endpoints: alone ${format(alone)}, ` +
        `with as many silent ones ${format(crowded)}`,
    )
    rounds.push({ alone: percentile(alone, 0.95), crowded: percentile(crowded, 0.95) })
  }
  const p95 = median(rounds.map(({ alone }) => alone))
  report.atMost(
    `${beside}, ${rate} events a second to each kind, p95`,
    median(rounds.map(({ crowded }) => crowded)),
    Math.max(2 * p95, 25),
    { as: milliseconds, from: `alone ${milliseconds(p95)}, from ${fromMs / 1_000} s to ${besideMs / 1_000} s` },
  )

  await commitBacklog(instance.sql, healthy, sizes.crowdBacklog)
  const quick = await drained(instance, receiver, sizes.crowdBacklog, aloneMs)
  await commitBacklog(instance.sql, silent, sizes.silentBacklogOfCrowd)
  const slow = await drained(instance, receiver, sizes.crowdBacklog, besideMs)
  print(`a backlog of ${crowd} endpoints: alone ${perSecond(quick)}, beside silent ones ${perSecond(slow)}`)
  report.atLeast(`${beside}, throughput from the third second against alone`, slow / quick, 0.8, {
    as: times,
    from: `${perSecond(slow)} against ${perSecond(quick)}`,
  })
}

type Flow = {
  readonly healthy: readonly Shop[]
  readonly silent: readonly Shop[]
  /** Events per second to each of the two kinds. */
  readonly rate: number
  readonly fromMs: number
  readonly forMs: number
}

/** One commit at this interval, whether or not the previous ones have finished. */
const EVERY_MS = 10

/** From commit to the first byte, for the endpoints that respond. */
const latencies = async (
  instance: Instance,
  receiver: Receiver,
  { healthy, silent, rate, fromMs, forMs }: Flow,
): Promise<readonly number[]> => {
  await using copy = await instance.copy()
  // Earlier measurements have left gigabytes to write, and every commit would wait for the disk.
  await copy.sql`checkpoint`
  await receiver.reset()
  await using _ = await startSender(copy.url)
  const committed = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  const began = clockMs()
  const commit = async (shops: readonly Shop[]) => {
    const ids = await commitEvents(copy.sql, shops)
    const at = clockMs()
    for (const [n, id] of ids.entries()) if (!shops[n]?.silent && at - began >= fromMs) committed.set(id, at)
  }
  const turn = (shops: readonly Shop[], from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => shops[(from + n) % shops.length]).filter(shop => shop !== undefined)
  let sent = 0
  for (let now = began; now - began < forMs; now = clockMs()) {
    const wanted = Math.floor(((now - began) * rate) / 1_000)
    const shops = [...turn(healthy, sent, wanted), ...turn(silent, sent, wanted)]
    sent = wanted
    if (shops.length > 0) {
      const committing = commit(shops).finally(() => underWay.delete(committing))
      underWay.add(committing)
    }
    await sleep(EVERY_MS)
  }
  await Promise.all(underWay)
  // What has not arrived a second later counts as infinite.
  for (let n = 0; n < 50 && (await receiver.counts()).distinct < sent; n++) await sleep(20)
  const arrived = await receiver.times()
  return [...committed].map(([id, at]) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - at)
}

/** Answered requests per second from the third second until the time is over or nine tenths are sent. */
const drained = async (instance: Instance, receiver: Receiver, backlog: number, forMs: number): Promise<number> => {
  await using copy = await instance.copy()
  await copy.sql`vacuum analyze events, deliveries`
  await receiver.reset()
  await using _ = await startSender(copy.url)
  const marks = await watchCount(receiver, { until: 0.9 * backlog, forMs })
  const began = marks.findLast(({ count }) => count === 0)?.at ?? Number.NaN
  const from = marks.find(({ at }) => at >= began + 2_000)
  const to = marks.at(-1)
  return from && to ? ((to.count - from.count) / (to.at - from.at)) * 1_000 : Number.NaN
}

const format = (figures: readonly number[]): string =>
  `p95 ${milliseconds(percentile(figures, 0.95))}, p99 ${milliseconds(percentile(figures, 0.99))}`
