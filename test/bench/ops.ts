import { type Bench, printSizes } from './bench.ts'
import { promiseWatchingCost } from './ops-cost.ts'
import { promiseFreshCounts } from './ops-fresh.ts'
import { transitionsHistory } from './ops-history.ts'
import { promiseMachines } from './ops-machines.ts'
import { openTailPage } from './streams-browser.ts'
import { promiseKilledStreams } from './streams-kills.ts'
import { TRANSITIONS_OF_PAYMENT } from './streams-payments.ts'
import { openStreamShop, type StreamShop } from './streams-shop.ts'
import type { KilledSizes, SteadySizes } from './streams-sizes.ts'
import { promiseSteadyStream } from './streams-steady.ts'
import type { WatchedStream } from './streams-watched.ts'

export type OpsSizes = SteadySizes &
  KilledSizes & {
    /** Slices with and without the tail and the counts. */
    readonly pairs: number
    readonly sliceMs: number
    readonly callers: number
    /** Actors when the machines are read, and how often. */
    readonly actors: number
    readonly reads: number
    /** Of which the sums of machines are filled. */
    readonly days: number
    /** Commits until whose counts are shown. */
    readonly commits: number
  }

const whole: OpsSizes = {
  ...{ perSecond: 1_000, samples: 10, sampleMs: 60_000 },
  ...{ kills: 3, killedMessages: 100_000, killedPerSecond: 1_500 },
  // Counts are added every half second: short slices would end before half of their work.
  ...{ pairs: 15, sliceMs: 3_000, callers: 256 },
  ...{ actors: 10_000_000, reads: 30, days: 31, commits: 30 },
}

const quick: OpsSizes = {
  ...{ perSecond: 1_000, samples: 4, sampleMs: 5_000 },
  ...{ kills: 3, killedMessages: 10_000, killedPerSecond: 1_500 },
  ...{ pairs: 8, sliceMs: 500, callers: 256 },
  ...{ actors: 100_000, reads: 10, days: 31, commits: 10 },
}

/** What operators see of all machines: whether it keeps up, what it costs, and that it is complete. */
export const ops = (bench: Bench): Promise<void> => measureOps(bench, bench.quick ? quick : whole)

const LINKS = 100
const PAID = 100

export const measureOps = async (bench: Bench, sizes: OpsSizes): Promise<void> => {
  printSizes(bench, sizes)
  {
    await using shop = await openStreamShop(bench.server, { links: LINKS, rows: PAID })
    await promiseFreshCounts(bench, shop, sizes)
    const watched = tailOf(shop)
    await promiseSteadyStream(bench, shop, { sizes, watched })
    await promiseKilledStreams(bench, shop, { sizes, watched })
  }
  await promiseWatchingCost(bench, sizes)
  await promiseMachines(bench, sizes)
}

const tailOf = (shop: StreamShop): WatchedStream => ({
  name: 'the tail of all transitions',
  path: '/v1/ops/transitions/stream',
  changesOfPayment: TRANSITIONS_OF_PAYMENT,
  history: transitionsHistory,
  page: { name: 'the page of the tail', open: () => openTailPage(shop) },
})
