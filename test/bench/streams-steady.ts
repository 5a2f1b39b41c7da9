import { setTimeout as sleep } from 'node:timers/promises'
import { hasBrowser } from '../harness/browser.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { median, milliseconds, percentile, perSecond, thousands, times } from './promises.ts'
import type { PageCounts, PageSize, StreamPage } from './streams-browser.ts'
import type { Comparison } from './streams-compare.ts'
import { type StreamReader, startReader } from './streams-reader.ts'
import { allDelivered, positionOf, settle } from './streams-settle.ts'
import type { Memory, StreamShop } from './streams-shop.ts'
import type { SteadySizes } from './streams-sizes.ts'
import type { WatchedStream } from './streams-watched.ts'
import { startWriter } from './streams-writer.ts'

/** What is measured once a minute. */
type Sample = {
  readonly atMs: number
  readonly messages: number
  readonly server: Memory
  readonly reader: Memory
  readonly page: PageSize | undefined
}

type SteadyTask = { readonly sizes: SteadySizes; readonly watched: WatchedStream }

/** A client process and a page read a stream with many changes. */
export const promiseSteadyStream = async (
  bench: Bench,
  shop: StreamShop,
  { sizes, watched }: SteadyTask,
): Promise<void> => {
  const { print, report } = bench
  await using reader = await startReader(shop, watched.path)
  await using page = hasBrowser ? await watched.page.open() : undefined
  const after = await positionOf(shop)
  await reader.open()
  const samples: Sample[] = []
  {
    await using _writer = await startWriter(shop, {
      perSecond: sizes.perSecond,
      changesOfPayment: watched.changesOfPayment,
      changes: Number.MAX_SAFE_INTEGER,
      first: 1_000,
    })
    const began = performance.now()
    for (let n = 1; n <= sizes.samples; n++) {
      await sleep(Math.max(0, began + n * sizes.sampleMs - performance.now()))
      samples.push(await sample(shop, reader, page))
      print(`sample ${n} of ${sizes.samples}: ${format(samples.at(-1))}`)
    }
  }
  await allDelivered(shop)
  const comparison = await settle(shop, reader, { after, history: watched.history })
  const { messages } = comparison
  if (page)
    await until(async () => (await page.counts()).messages >= messages, {
      everyMs: 100,
      what: 'the last message',
    }).catch(error => print(String(error)))
  const seen = await page?.counts()
  judge(report, { sizes, watched, comparison, seen, samples, changes: await watched.page.changesAfter?.(after) })
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
  readonly sizes: SteadySizes
  readonly watched: WatchedStream
  readonly comparison: Comparison
  readonly seen: PageCounts | undefined
  readonly changes: number | undefined
  readonly samples: readonly Sample[]
}

const judge = (report: Bench['report'], { sizes, watched, comparison, seen, samples, changes }: Run): void => {
  const { perSecond: rate } = sizes
  const promise = `${watched.name} with ${thousands(rate)} changes a second`
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
  // A heap after a collection varies by a tenth from one sample to the next.
  const flat = (what: string, of: (sample: Sample) => number, since = 1) => {
    const early = median(samples.slice(since, since + 3).map(of))
    const late = median(samples.slice(-3).map(of))
    report.atMost(`${promise}, ${what} in the last samples against those from ${since + 1} on`, late / early, 1.1, {
      as: times,
      from: `${early.toFixed(1)} to ${late.toFixed(1)}`,
    })
  }
  // The allocator keeps what it once had, and takes more in steps.
  const middle = Math.floor(samples.length / 2)
  flat('memory of the server', ({ server }) => server.rss, middle)
  flat('heap of the server', ({ server }) => server.heap)
  flat('memory of the client', ({ reader }) => reader.rss, middle)
  flat('heap of the client', ({ reader }) => reader.heap)
  const shown = `${watched.page.name} in a browser at this rate`
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
  if (changes !== undefined)
    report.atMost(`${shown}, its requests against the changes of its rows`, seen.requests / changes, 0.5, {
      as: times,
      from: `${thousands(seen.requests)} against ${thousands(changes)}`,
    })
  if (seen.slowestMs !== undefined)
    report.atMost(`${shown}, slowest interaction`, seen.slowestMs, 200, { as: milliseconds })
  flat(`heap of ${shown}`, ({ page }) => page?.heap ?? Number.NaN)
  flat(`DOM nodes of ${shown}`, ({ page }) => page?.nodes ?? Number.NaN)
}
