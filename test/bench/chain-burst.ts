import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import type { ChainSizes } from './chain.ts'
import type { ChainInstance, Paid } from './chain-instance.ts'
import { addressOf, type BenchNode } from './chain-node.ts'
import { DUE, makeLinks, openOn } from './chain-payments.ts'
import { startPoller } from './chain-poller.ts'
import { startWatcher } from './chain-watch.ts'
import { milliseconds, thousands } from './promises.ts'

/** Milliseconds from the block to the last of its payments. */
type Round = { readonly bare: number; readonly spread: number; readonly onOne: number }

/** How soon all payments of one block are known to be paid. */
export const promiseBurst = async (
  { print, report }: Bench,
  sizes: ChainSizes,
  { node, instance }: Paid,
): Promise<void> => {
  const rounds: Round[] = []
  for (let n = 1; n <= sizes.rounds; n++) {
    const round = {
      bare: await measureFloor(node, instance, sizes),
      spread: await measureOurs(node, instance, await makeLinks(instance, sizes.burst), sizes),
      onOne: await measureOurs(node, instance, await onOneLink(instance, sizes.burst), sizes),
    }
    print(`burst, round ${n} of ${sizes.rounds}: ${format(round)}`)
    rounds.push(round)
  }
  await instance.check()
  const least = (of: (round: Round) => number) => Math.min(...rounds.map(of))
  const from = `${milliseconds(least(({ bare }) => bare))} for a bare poll with a bare insert`
  const promise = `${thousands(sizes.burst)} payments in one block, until all are processing`
  const formatting = { as: milliseconds, from }
  report.atMost(
    promise,
    least(({ spread }) => spread),
    1_500,
    formatting,
  )
  report.atMost(
    `${promise}, all on one link`,
    least(({ onOne }) => onOne),
    1_500,
    formatting,
  )
}

const onOneLink = async (instance: ChainInstance, count: number): Promise<readonly string[]> => {
  const links = await makeLinks(instance, 1)
  return Array.from({ length: count }, (_, n) => links[n % links.length] ?? '')
}

const format = ({ bare, spread, onOne }: Round): string =>
  `${milliseconds(spread)}, on one link ${milliseconds(onOne)}, bare ${milliseconds(bare)}`

const measureOurs = async (
  node: BenchNode,
  instance: ChainInstance,
  links: readonly string[],
  { pollMs }: ChainSizes,
): Promise<number> => {
  const payments = await openOn(instance, links)
  await using watcher = startWatcher(instance, pollMs)
  // Earlier payments are final by now and have been updated.
  await node.mine(instance.chain.confirmations)
  await watcher.idle()
  const mined = await payAll(
    node,
    payments.map(({ address }) => address),
    pollMs,
  )
  return (await watcher.processing(payments)) - mined
}

const measureFloor = async (
  node: BenchNode,
  instance: ChainInstance,
  { burst, pollMs }: ChainSizes,
): Promise<number> => {
  await using poller = await startPoller(node, instance, pollMs)
  const addresses = Array.from({ length: burst }, (_, n) => addressOf('bare', n))
  const mined = await payAll(node, addresses, pollMs)
  return (await poller.inserted(burst)) - mined
}

/** In one block, at a moment independent of the poll. Returns the time when it was mined. */
const payAll = async (node: BenchNode, addresses: readonly string[], pollMs: number): Promise<number> => {
  await node.pay(addresses, DUE)
  // Garbage of earlier measurements in this process is not the worker's.
  Bun.gc(true)
  await sleep(Math.random() * pollMs)
  return node.mine()
}
