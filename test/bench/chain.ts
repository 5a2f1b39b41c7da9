import { type Bench, printSizes } from './bench.ts'
import { promiseBurst } from './chain-burst.ts'
import { promiseCatchUp } from './chain-catch-up.ts'
import { promiseGas } from './chain-gas.ts'
import { openChainInstance } from './chain-instance.ts'
import { promiseLatency } from './chain-latency.ts'
import { openBenchNode } from './chain-node.ts'
import { promiseWaiting } from './chain-waiting.ts'

export type ChainSizes = {
  readonly rounds: number
  /** Rounds in which the peer is measured too; it takes some seconds to start. */
  readonly peerRounds: number
  /** The blocks of the chain that is read, and the transfers in them. */
  readonly blocks: number
  readonly transfers: number
  readonly coins: number
  /** Payments that wait while blocks are read, and their number in the comparison. */
  readonly waiting: number
  readonly fewWaiting: number
  /** Blocks with this many transfers to unknown addresses in each. */
  readonly watchedBlocks: number
  readonly strangers: number
  /** Payments in one block. */
  readonly burst: number
  /** Payments one after the other, and the same for the floor. */
  readonly single: number
  readonly singleFloor: number
  readonly pollMs: number
  /** Addresses collected in one transaction. */
  readonly collected: number
}

const whole: ChainSizes = {
  rounds: 3,
  peerRounds: 2,
  blocks: 20_000,
  transfers: 2_000,
  coins: 500,
  waiting: 100_000,
  fewWaiting: 10,
  watchedBlocks: 200,
  strangers: 150,
  burst: 5_000,
  single: 200,
  singleFloor: 60,
  pollMs: 250,
  collected: 200,
}

const quick: ChainSizes = {
  ...whole,
  rounds: 1,
  peerRounds: 1,
  blocks: 3_000,
  transfers: 300,
  coins: 75,
  watchedBlocks: 40,
  single: 30,
  singleFloor: 15,
}

/** How fast a chain is read, how soon payments on it are known, and the gas for collecting them. */
export const chain = (bench: Bench): Promise<void> => measureChain(bench, bench.quick ? quick : whole)

export const measureChain = async (bench: Bench, sizes: ChainSizes): Promise<void> => {
  printSizes(bench, sizes)
  await promiseGas(bench, sizes)
  await promiseCatchUp(bench, sizes)
  await promiseWaiting(bench, sizes)
  await using node = await openBenchNode()
  await using instance = await openChainInstance(bench.server, node, 3)
  // In this order, so that a single payment does not wait for thousands to become final.
  await promiseLatency(bench, sizes, { node, instance })
  await promiseBurst(bench, sizes, { node, instance })
}
