import type { Bench } from './bench.ts'
import { promiseGrowth } from './core-growth.ts'
import { promiseRates } from './core-rates.ts'
import { promiseTimers } from './core-timers.ts'

/** How much is measured, and for how long. A size that a promise names is printed in its line. */
export type CoreSizes = {
  readonly rounds: number
  /** Meters to which the commands of the rates go in turn. */
  readonly meters: number
  readonly outstanding: number
  readonly floorMs: number
  readonly oursMs: number
  readonly peerMs: number
  readonly timers: number
  /** Actors of the large history, ten transitions each, and of the small one. */
  readonly actors: number
  readonly fewActors: number
  /** The cost of a command is the median of this many batches. */
  readonly batches: number
}

// The numbers of callers divide the number of meters, so that no two callers ever use the same meter.
const whole: CoreSizes = {
  rounds: 3,
  meters: 20_480,
  outstanding: 5_120,
  floorMs: 1_000,
  oursMs: 3_000,
  peerMs: 4_000,
  timers: 100_000,
  actors: 100_000,
  fewActors: 1_000,
  batches: 30,
}

const quick: CoreSizes = {
  ...whole,
  rounds: 1,
  floorMs: 300,
  oursMs: 1_000,
  peerMs: 2_000,
  timers: 10_000,
  actors: 5_000,
}

/** The promises of the durable-actor core, compared with bare round trips and with a peer. */
export const core = (bench: Bench): Promise<void> => measureCore(bench, bench.quick ? quick : whole)

export const measureCore = async (bench: Bench, sizes: CoreSizes): Promise<void> => {
  bench.print(
    Object.entries(sizes)
      .map(([what, size]) => `${what} ${size}`)
      .join(', '),
  )
  await promiseRates(bench, sizes)
  await promiseTimers(bench, sizes)
  await promiseGrowth(bench, sizes)
}
