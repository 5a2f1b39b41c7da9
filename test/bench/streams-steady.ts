import { setTimeout as sleep } from 'node:timers/promises'
import { hasBrowser } from '../harness/browser.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { milliseconds, percentile, perSecond, thousands, times } from './promises.ts'
import type { StreamSizes } from './streams.ts'
import { openStreamPage, type PageCounts, type PageSize, type StreamPage } from './streams-browser.ts'
import type { Comparison } from './streams-compare.ts'
import { type StreamReader, startReader } from './streams-reader.ts'
import { allDelivered, positionOf, settle } from './streams-settle.ts'
import type { Memory, StreamShop } from './streams-shop.ts'
import { startWriter } from './streams-writer.ts'

/** What is measured once a minute. */
type Sample = {
  readonly atMs: number
  readonly messages: number
  readonly server: Memory
  readonly reader: Memory
  readonly page: PageSize | undefined
}

/** A client process and a page of the dashboard read the stream of a merchant with many changes. */
export const promiseSteadyStream = async (bench: Bench, shop: StreamShop, sizes: StreamSizes): Promise<void> => {
  const { print, report } = bench
  await using reader = await startReader(shop)
  await using page = hasBrowser ? await openStreamPage(shop, sizes.rows) : undefined
  const after = await positionOf(shop)
  await reader.open()
  const samples: Sample[] = []
  {
    await using _writer = await startWriter(shop, {
      perSecond: sizes.perSecond,
      changes: Number.MAX_SAFE_INTEGER,
      first: 1_000,
    })
    const began = performance.now()
    for (let n = 1; n <= sizes.samples; n++) {
      await sleep(began + n * sizes.sampleMs - performance.now())
      samples.push(await sample(shop, reader, page))
      print(`sample ${n} of ${sizes.samples}: ${format(samples.at(-1))}`)
    }
  }
  await allDelivered(shop)
  const comparison = await settle(shop, reader, after)
  const { lastId } = await reader.counts()
  if (page) await until(async () => (await page.counts()).lastId === lastId, { everyMs: 100, what: 'the last message' })
  const seen = await page?.counts()
  judge(report, { sizes, comparison, seen, samples, changesOfRows: await changesOfRows(shop, after) })
}

/** How often the payments on the page have changed. */
const changesOfRows = async ({ sql, paid }: StreamShop, after: string): Promise<number> => {
  const [era = '', xid = '', seq = ''] = after.split('.')
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from transitions
    where actor = any(${[...paid]}::uuid[]) and (era, xid, seq) > (${era}::integer, ${xid}::text::xid8, ${seq}::bigint)`
  return row?.count ?? Number.NaN
}

const sample = async (shop: StreamShop, reader: StreamReader, page: StreamPage | undefined): Promise<Sample> => ({
  atMs: performance.now(),
  messages: (await reader.counts()).messages,
  server: await shop.memory(),
  reader: await reader.memory(),
  page: await page?.size(),
})

const mib = (figure: number) => `${figure.toFixed(1)} MiB`

const format = (taken: Sample | undefined): string => {
  if (!taken) return ''
  const { messages, server, reader, page } = taken
  const browser = page ? `; page: heap ${mib(page.heap)}, ${page.nodes} nodes, ${page.listeners} listeners` : ''
  return `${thousands(messages)} messages; server: ${mib(server.rss)}, heap ${mib(server.heap)}; client: ${mib(reader.rss)}, heap ${mib(reader.heap)}${browser}`
}

type Run = {
  readonly sizes: StreamSizes
  readonly comparison: Comparison
  readonly seen: PageCounts | undefined
  readonly changesOfRows: number
  readonly samples: readonly Sample[]
}

const judge = (report: Bench['report'], { sizes, comparison, seen, samples, changesOfRows }: Run): void => {
  const { perSecond: rate, rows } = sizes
  const promise = `the stream of a merchant with ${thousands(rate)} changes a second`
  const { messages, expected, missing, doubled, wrong, faults, lags } = comparison
  const [first, last] = [samples[0], samples.at(-1)]
  const tookMs = (last?.atMs ?? 0) - (first?.atMs ?? 0)
  const sent = (last?.messages ?? 0) - (first?.messages ?? 0)
  const duration = `${Math.round(tookMs / 1_000)} s`
  report.atLeast(`${promise}, messages`, (sent / tookMs) * 1_000, rate * 0.95, { as: perSecond, from: duration })
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map(share => percentile([...lags], share))
  const from = `p50 ${milliseconds(p50 ?? Number.NaN)}, p95 ${milliseconds(p95 ?? Number.NaN)}`
  report.atMost(`${promise}, p99 from a change to its message`, p99 ?? Number.NaN, 500, { as: milliseconds, from })
  report.judge(
    `${promise}, compared with the tables`,
    missing + doubled + wrong === 0 && messages === expected,
    `${thousands(messages)} messages, ${missing} missing, ${doubled} doubled, ${wrong} wrong ${faults.join('; ')}`.trim(),
    'none missing, doubled or wrong',
  )
  const flat = (what: string, of: (sample: Sample) => number, since = 1) => {
    const [second, last] = [samples[since], samples.at(-1)].map(sample => (sample ? of(sample) : Number.NaN)) as [
      number,
      number,
    ]
    const inWords = `${second.toFixed(1)} to ${last.toFixed(1)}`
    report.atMost(`${promise}, ${what} at the end against sample ${since + 1}`, last / second, 1.1, {
      as: times,
      from: inWords,
    })
  }
  // The allocator keeps what it once had, and takes more in steps.
  const middle = Math.floor(samples.length / 2)
  flat('memory of the server', ({ server }) => server.rss, middle)
  flat('heap of the server', ({ server }) => server.heap)
  flat('memory of the client', ({ reader }) => reader.rss, middle)
  flat('heap of the client', ({ reader }) => reader.heap)
  const shown = `a list of ${rows} payments in a browser at this rate`
  if (!seen) {
    report.skip(shown, 'no Chromium is installed')
    return
  }
  report.judge(
    `${shown}, messages`,
    seen.messages === messages,
    `${thousands(seen.messages)} of ${thousands(messages)}`,
    'all',
  )
  report.atMost(`${shown}, its requests against the changes of its rows`, seen.requests / changesOfRows, 0.5, {
    as: times,
    from: `${thousands(seen.requests)} against ${thousands(changesOfRows)}`,
  })
  flat(`heap of ${shown}`, ({ page }) => page?.heap ?? Number.NaN)
  flat(`DOM nodes of ${shown}`, ({ page }) => page?.nodes ?? Number.NaN)
}
