import { type Bench, printSizes } from './bench.ts'
import { openStreamPage } from './streams-browser.ts'
import { changesHistory } from './streams-compare.ts'
import { promiseStreamCost } from './streams-cost.ts'
import { promiseKilledStreams } from './streams-kills.ts'
import { CHANGES_OF_PAYMENT } from './streams-payments.ts'
import { openStreamShop, type StreamShop } from './streams-shop.ts'
import type { KilledSizes, SteadySizes } from './streams-sizes.ts'
import { promiseSteadyStream } from './streams-steady.ts'
import type { WatchedStream } from './streams-watched.ts'

export type StreamSizes = SteadySizes &
  KilledSizes & {
    /** Payments on the page in the browser. Some of the changes are theirs. */
    readonly rows: number
    /** Slices with and without the stream. */
    readonly pairs: number
    readonly sliceMs: number
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
  const watched = streamOf(shop, sizes.rows)
  await promiseSteadyStream(bench, shop, { sizes, watched })
  await promiseStreamCost(bench, shop, { sizes, watched })
  await promiseKilledStreams(bench, shop, { sizes, watched })
}

const streamOf = (shop: StreamShop, rows: number): WatchedStream => ({
  name: 'the stream of a merchant',
  path: `/v1/merchants/${shop.merchant}/stream?livemode=false`,
  changesOfPayment: CHANGES_OF_PAYMENT,
  history: changesHistory,
  page: {
    name: `a list of ${rows} payments`,
    open: () => openStreamPage(shop, rows),
    changesAfter: after => changesOfRows(shop, after),
  },
})

/** How often the payments on the page have changed. */
const changesOfRows = async ({ sql, paid }: StreamShop, after: string): Promise<number> => {
  const [era = '', xid = '', seq = ''] = after.split('.')
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from transitions
    where actor = any(${[...paid]}::uuid[]) and (era, xid, seq) > (${era}::integer, ${xid}::text::xid8, ${seq}::bigint)`
  return row?.count ?? Number.NaN
}
