import { type Bench, printSizes } from './bench.ts'
import { promiseStreamCost } from './streams-cost.ts'
import { promiseKilledStreams } from './streams-kills.ts'
import { openStreamShop } from './streams-shop.ts'
import { promiseSteadyStream } from './streams-steady.ts'

export type StreamSizes = {
  /** Changes that are committed. */
  readonly perSecond: number
  /** How often memory is measured, and how long between. */
  readonly samples: number
  readonly sampleMs: number
  /** Payments on the page in the browser. Some of the changes are theirs. */
  readonly rows: number
  /** Slices with and without the stream. */
  readonly pairs: number
  readonly sliceMs: number
  /** The process is killed while at least as many messages are sent. */
  readonly kills: number
  readonly killedMessages: number
  readonly killedPerSecond: number
}

const whole: StreamSizes = {
  ...{ perSecond: 1_000, samples: 10, sampleMs: 60_000, rows: 100 },
  ...{ pairs: 30, sliceMs: 1_000 },
  ...{ kills: 3, killedMessages: 600_000, killedPerSecond: 4_000 },
}

const quick: StreamSizes = {
  ...{ perSecond: 1_000, samples: 4, sampleMs: 5_000, rows: 20 },
  ...{ pairs: 8, sliceMs: 500 },
  ...{ kills: 3, killedMessages: 40_000, killedPerSecond: 4_000 },
}

/** The event stream of a merchant: whether it keeps up, what it costs, and that nothing is lost. */
export const streams = (bench: Bench): Promise<void> => measureStreams(bench, bench.quick ? quick : whole)

const LINKS = 100

export const measureStreams = async (bench: Bench, sizes: StreamSizes): Promise<void> => {
  printSizes(bench, sizes)
  await using shop = await openStreamShop(bench.server, { links: LINKS, rows: sizes.rows })
  await promiseSteadyStream(bench, shop, sizes)
  await promiseStreamCost(bench, shop, sizes)
  await promiseKilledStreams(bench, shop, sizes)
}
