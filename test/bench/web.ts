import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { hasBrowser, openBrowser } from '../harness/browser.ts'
import { until } from '../harness/until.ts'
import { type Bench, printSizes } from './bench.ts'
import { parentOf, processorTime, processorTimeOfTree } from './processor-time.ts'
import { median, milliseconds } from './promises.ts'
import { type Observed, visit } from './web-load.ts'
import { memoryOf, openWebShop, type WebShop } from './web-shop.ts'

export type WebSizes = {
  /** How often each page is loaded; the median counts. */
  readonly loads: number
  /** How often a payment is paid from the sandbox wallet. */
  readonly payments: number
  /** Pages that are open while nothing happens, and for how long. */
  readonly openPages: number
  readonly idleMs: number
}

const whole: WebSizes = { loads: 7, payments: 5, openPages: 1_000, idleMs: 20_000 }
const quick: WebSizes = { loads: 3, payments: 1, openPages: 100, idleMs: 3_000 }

/** How quickly the checkout appears and follows its payment, and what open pages cost. */
export const web = (bench: Bench): Promise<void> => measureWeb(bench, bench.quick ? quick : whole)

export const measureWeb = async (bench: Bench, sizes: WebSizes): Promise<void> => {
  printSizes(bench, sizes)
  await using shop = await openWebShop(bench.server)
  await promiseOpenPages(bench, shop, sizes)
  if (!hasBrowser) {
    for (const promise of [...LOADED, ...PAID]) bench.report.skip(promise, 'no Chromium is installed')
    return
  }
  const browser = await openBrowser()
  try {
    await promiseLoads(bench, { shop, browser }, sizes)
    await promisePayments(bench, { shop, browser }, sizes)
  } finally {
    await browser.close()
  }
}

type Scene = { readonly shop: WebShop; readonly browser: Browser }

const LOADED = [
  'the largest contentful paint of the checkout on slow 4G',
  'the delay of the slowest interaction with the checkout',
  'the layout shift of the checkout',
] as const

const PAID = [
  'from a click on "Pay with sandbox wallet" to "Paid"',
  'from a change of a payment to the changed page',
] as const

const promiseLoads = async ({ print, report }: Bench, { shop, browser }: Scene, { loads }: WebSizes) => {
  using bare = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response('<!doctype html><html lang="en"><title>Bare</title><h1>Brass desk lamp</h1><p>$49.00</p></html>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  })
  const ours: Observed[] = []
  const others: Observed[] = []
  for (let n = 0; n < loads; n++) {
    others.push(await visit(browser, `http://127.0.0.1:${bare.port}/`, async () => {}))
    ours.push(await visit(browser, shop.linkUrl, interact))
  }
  const [paint, shift, interaction] = [
    median(ours.map(each => each.paint)),
    Math.max(...ours.map(each => each.shift)),
    median(ours.map(each => each.interaction)),
  ]
  const barePaint = median(others.map(each => each.paint))
  print(
    `paint ${ours.map(each => Math.round(each.paint))} ms; of a bare page ${others.map(each => Math.round(each.paint))} ms`,
  )
  const from = `${milliseconds(barePaint)} of a bare page`
  report.atMost(LOADED[0], paint, 1_000, { as: milliseconds, from })
  report.atMost(LOADED[1], interaction, 100, { as: milliseconds })
  report.atMost(LOADED[2], shift, 0, { as: String })
}

const interact = async (page: Page): Promise<void> => {
  await page.getByTestId('email').click()
  await page.keyboard.type('ada@example.com')
  await page.locator('[data-testid=asset] input').first().check()
}

/** Every status that the page shows, with the time. */
const watchStatus = `(() => {
  const shown = globalThis.shown = []
  const look = () => {
    const status = document.querySelector('[data-testid=status]')?.dataset.status
    if (status && shown.at(-1)?.status !== status) shown.push({ status, at: Date.now() })
  }
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true })
  look()
})()`

type Shown = { readonly status: string; readonly at: number }

const promisePayments = async ({ print, report }: Bench, { shop, browser }: Scene, { payments }: WebSizes) => {
  const untilPaid: number[] = []
  const untilShown: number[] = []
  for (let n = 0; n < payments; n++) {
    const context = await browser.newContext({ locale: 'en-US' })
    const page = await context.newPage()
    await page.goto(shop.linkUrl)
    await page.getByTestId('email').fill('ada@example.com')
    await page.locator('[data-testid=asset][data-asset=TUSD] input').check()
    await page.getByTestId('continue').click()
    await page.waitForURL(/\/pay_/)
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
    await page.evaluate(watchStatus)
    const clicked = Date.now()
    await page.getByTestId('sandbox-pay').click()
    await page.locator('[data-testid=status][data-status=paid]').waitFor({ timeout: 30_000 })
    const shown = await page.evaluate<Shown[]>('globalThis.shown')
    await context.close()
    const timeOf = (status: string) => shown.find(each => each.status === status)?.at ?? Number.NaN
    untilPaid.push(timeOf('paid') - clicked)
    // Of the latest payment. Its time is read at the beginning of the transaction, before the commit.
    const changes = await shop.sql<{ state: string; at: Date }[]>`
      select to_state as state, at from transitions
      where actor = (select id from payments order by created_at desc limit 1) and to_state in ('processing', 'success')
        and from_state <> to_state`
    for (const { state, at } of changes) {
      const late = timeOf(state === 'success' ? 'paid' : 'seen') - at.getTime()
      // A status that was replaced before it was shown has no time.
      if (!Number.isNaN(late)) untilShown.push(late)
    }
  }
  print(`paid after ${untilPaid} ms, changes shown after ${untilShown} ms`)
  report.atMost(PAID[0], Math.max(...untilPaid), 6_000, { as: milliseconds })
  report.atMost(PAID[1], Math.max(...untilShown), 300, { as: milliseconds, from: `median ${median(untilShown)} ms` })
}

const promiseOpenPages = async ({ print, report }: Bench, shop: WebShop, { openPages, idleMs }: WebSizes) => {
  const [backend] = await shop.sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  // Undefined where Postgres runs on another machine.
  const postmaster = backend && parentOf(backend.pid, 'postgres')
  const spent = () => processorTime(shop.pid) + (postmaster === undefined ? 0 : processorTimeOfTree(postmaster))
  const idle = async () => {
    await sleep(idleMs / 4)
    const before = spent()
    await sleep(idleMs)
    return { memory: memoryOf(shop.pid), share: (spent() - before) / 1_000 / idleMs }
  }
  const streams: IncomingMessage[] = []
  const openStreams = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const { streamPath, headers } = await shop.open(n)
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      get(`${shop.url}${streamPath}`, { headers, agent: false }, resolve).on('error', reject)
      const stream = await promise
      if (stream.statusCode !== 200) throw new Error(`a stream answered ${stream.statusCode}`)
      stream.resume()
      streams.push(stream)
    }
  }
  // Until the code is compiled; these stay open.
  await openStreams(0, openPages / 10)
  const before = await idle()
  await openStreams(openPages / 10, openPages + openPages / 10)
  await until(() => streams.every(stream => !stream.destroyed))
  const after = await idle()
  for (const stream of streams) stream.destroy()
  const what = `${openPages.toLocaleString('en')} open pages while nothing happens`
  print(
    `${memoryText(before.memory)} and ${percent(before.share)} before, ${memoryText(after.memory)} and ${percent(after.share)} with them`,
  )
  report.atMost(`${what}: memory`, after.memory - before.memory, 150, { as: memoryText })
  report.atMost(`${what}: of a processor, with Postgres`, after.share - before.share, 0.1, { as: percent })
}

const memoryText = (mib: number): string => `${mib.toFixed(0)} MiB`
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
