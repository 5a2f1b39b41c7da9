import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import type { ChainSizes } from './chain.ts'
import type { ChainInstance, Paid } from './chain-instance.ts'
import { addressOf, type BenchNode } from './chain-node.ts'
import { DUE, makeLinks, openOn } from './chain-payments.ts'
import { startPoller } from './chain-poller.ts'
import { startWatcher } from './chain-watch.ts'
import { milliseconds, percentile } from './promises.ts'

/** How long after its block a payment is known, one by one, each at a moment independent of the poll. */
export const promiseLatency = async (
  { print, report }: Bench,
  { single, singleFloor, pollMs }: ChainSizes,
  { node, instance }: Paid,
): Promise<void> => {
  const floor = await measureFloor(node, instance, singleFloor, pollMs)
  print(`single payments, a bare poll with a bare insert: ${format(floor)}`)
  const ours = await measureOurs(node, instance, single, pollMs)
  await instance.check()
  print(`single payments, polled every ${pollMs} ms: ${format(ours)}`)
  const from = `bare ${milliseconds(percentile(floor, 0.5))} and ${milliseconds(percentile(floor, 0.99))}`
  const promise = `mined to committed, ${single} payments, a poll every ${pollMs} ms`
  report.atMost(`${promise}, p50`, percentile(ours, 0.5), pollMs / 2 + 100, { as: milliseconds, from })
  report.atMost(`${promise}, p99`, percentile(ours, 0.99), pollMs + 150, { as: milliseconds, from })
}

const format = (figures: readonly number[]): string =>
  `p50 ${milliseconds(percentile(figures, 0.5))}, p99 ${milliseconds(percentile(figures, 0.99))}, most ${milliseconds(Math.max(...figures))}`

const measureOurs = async (
  node: BenchNode,
  instance: ChainInstance,
  count: number,
  pollMs: number,
): Promise<readonly number[]> => {
  const payments = await openOn(instance, await makeLinks(instance, count))
  await using watcher = startWatcher(instance, pollMs)
  await node.mine(instance.chain.confirmations)
  await watcher.idle()
  const figures: number[] = []
  for (const payment of payments) {
    const mined = await payAndMine(node, payment.address, pollMs)
    figures.push((await watcher.processing([payment])) - mined)
  }
  return figures
}

const measureFloor = async (
  node: BenchNode,
  instance: ChainInstance,
  count: number,
  pollMs: number,
): Promise<readonly number[]> => {
  await using poller = await startPoller(node, instance, pollMs)
  const figures: number[] = []
  for (let n = 0; n < count; n++) {
    const address = addressOf('bare', n)
    const mined = await payAndMine(node, address, pollMs)
    figures.push((await poller.inserted(1)) - mined)
  }
  return figures
}

/** Returns the time when it was mined. */
const payAndMine = async (node: BenchNode, address: string, pollMs: number): Promise<number> => {
  await sleep(Math.random() * pollMs)
  await node.pay([address], DUE)
  return node.mine()
}
