import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hasBrowser, openBrowser } from '../harness/browser.ts'
import { type Bench, printSizes } from './bench.ts'
import { promiseLists } from './dashboard-lists.ts'
import { median, milliseconds, times } from './promises.ts'
import { askForRows, type Observed, observe, visit } from './web-load.ts'
import { OWNER, openWebShop, type WebShop } from './web-shop.ts'

export type DashboardSizes = {
  /** How often each page is loaded; the median counts. */
  readonly loads: number
  /** Payments on the page of the list, which shows at most 100. */
  readonly rows: number
  /** How many payments are canceled under an open list. */
  readonly changes: number
  /** Of each kind, of the two merchants whose lists are compared. */
  readonly records: number
  readonly fewRecords: number
  /** How often each list is read; the median counts. */
  readonly turns: number
}

const whole: DashboardSizes = {
  ...{ loads: 7, rows: 100, changes: 20 },
  ...{ records: 100_000, fewRecords: 1_000, turns: 15 },
}
const quick: DashboardSizes = {
  ...{ loads: 3, rows: 20, changes: 3 },
  ...{ records: 20_000, fewRecords: 1_000, turns: 9 },
}

/** How quickly the dashboard appears, how soon it shows a change, and whether long lists are as quick as short ones. */
export const dashboard = (bench: Bench): Promise<void> => measureDashboard(bench, bench.quick ? quick : whole)

const PROMISES = {
  paint: 'the largest contentful paint of the sign-in on slow 4G',
  rows: (count: number) => `a list of ${count} payments against a bare page with the same table`,
  interaction: 'the delay of the slowest interaction with the list',
  shift: 'the layout shift of the list',
  change: 'from a change of a payment to the changed row',
} as const

export const measureDashboard = async (bench: Bench, sizes: DashboardSizes): Promise<void> => {
  printSizes(bench, sizes)
  await promiseLists(bench, sizes)
  const { report } = bench
  if (!hasBrowser) {
    for (const promise of Object.values(PROMISES))
      report.skip(typeof promise === 'string' ? promise : promise(sizes.rows), 'no Chromium is installed')
    return
  }
  await using shop = await openWebShop(bench.server)
  for (let n = 0; n < sizes.rows; n++) await shop.open(n)
  const browser = await openBrowser()
  try {
    await promisePaint(bench, { shop, browser }, sizes)
    const context = await signedIn(browser, shop)
    await context.addInitScript(askForRows(sizes.rows))
    await promiseRows(bench, { shop, context }, sizes)
    await promiseChanges(bench, { shop, context }, sizes)
  } finally {
    await browser.close()
  }
}

const promisePaint = async (
  { print, report }: Bench,
  { shop, browser }: { readonly shop: WebShop; readonly browser: Browser },
  { loads }: DashboardSizes,
) => {
  const paints: number[] = []
  for (let n = 0; n < loads; n++)
    paints.push((await visit(browser, `${shop.url}/dashboard/sign-in`, async () => {})).paint)
  print(`paint of the sign-in ${paints.map(Math.round)} ms`)
  report.atMost(PROMISES.paint, median(paints), 1_800, { as: milliseconds })
}

const signedIn = async (browser: Browser, shop: WebShop): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US' })
  await context.addInitScript(observe)
  const page = await context.newPage()
  await page.goto(`${shop.url}/dashboard/sign-in`)
  await page.getByLabel('E-mail', { exact: true }).fill(OWNER.email)
  await page.getByLabel('Password', { exact: true }).fill(OWNER.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/mer_\w+\//)
  await page.close()
  return context
}

type SignedIn = { readonly shop: WebShop; readonly context: BrowserContext }

/** Runs in the page: the time from the start of the navigation until this many rows are drawn. */
const untilRows = (count: number) => `new Promise(resolve => {
  const look = () => {
    if (document.querySelectorAll('tbody tr').length < ${count}) return requestAnimationFrame(look)
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
  }
  look()
})`

const promiseRows = async ({ print, report }: Bench, { shop, context }: SignedIn, { loads, rows }: DashboardSizes) => {
  const page = await context.newPage()
  const url = `${shop.url}/dashboard`
  await page.goto(url)
  await page.waitForURL(/\/test\//)
  const list = `${page.url().split('/').slice(0, 6).join('/')}/payments`
  const load = async (address: string): Promise<number> => {
    await page.goto(address, { waitUntil: 'commit' })
    return page.evaluate<number>(untilRows(rows))
  }
  await load(list)
  const bare = await bareTable(page)
  const ours: number[] = []
  const others: number[] = []
  const seen: Observed[] = []
  for (let n = 0; n < loads; n++) {
    others.push(await load(bare.url))
    ours.push(await load(list))
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.getByLabel('Search payments').click()
    await page.keyboard.type('customer1')
    await page.waitForTimeout(1_500)
    seen.push(await page.evaluate<Observed>('globalThis.seen'))
  }
  bare.stop()
  await page.close()
  print(`${rows} rows after ${ours.map(Math.round)} ms; on a bare page ${others.map(Math.round)} ms`)
  const from = `${milliseconds(median(ours))} against ${milliseconds(median(others))}`
  report.atMost(PROMISES.rows(rows), median(ours) / median(others), 2, { as: times, from })
  report.atMost(PROMISES.interaction, median(seen.map(({ interaction }) => interaction)), 150, { as: milliseconds })
  report.atMost(PROMISES.shift, Math.max(...seen.map(({ shift }) => shift)), 0.02, { as: String })
}

/** The markup of the list with its style sheet, as a page without scripts. */
const bareTable = async (page: Page) => {
  const [style, shell] = await page.evaluate<[string, string]>(
    `(async () => [await (await fetch(document.querySelector('link[rel=stylesheet]').href)).text(), document.querySelector('#app').innerHTML])()`,
  )
  const html = `<!doctype html><html lang="en"><title>Bare</title><link rel="stylesheet" href="/style.css"><div id="app">${shell}</div></html>`
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      url.endsWith('.css')
        ? new Response(style, { headers: { 'content-type': 'text/css' } })
        : new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  })
  return { url: `http://127.0.0.1:${server.port}/`, stop: () => void server.stop(true) }
}

/** Records when a row shows that its payment is canceled, by the customer in it. */
const watchRows = `(() => {
  const shown = globalThis.shown = {}
  new MutationObserver(() => {
    for (const row of document.querySelectorAll('tbody tr'))
      if (row.textContent.includes('Canceled')) shown[/customer\\d+@/.exec(row.textContent)?.[0] ?? ''] ??= Date.now()
  }).observe(document, { subtree: true, childList: true, characterData: true })
})()`

const promiseChanges = async ({ print, report }: Bench, { shop, context }: SignedIn, { changes }: DashboardSizes) => {
  const page = await context.newPage()
  await page.goto(`${shop.url}/dashboard`)
  await page.waitForURL(/\/test\//)
  await page.goto(`${page.url().split('/').slice(0, 6).join('/')}/payments`)
  await page.getByRole('row').nth(changes).waitFor()
  // Until the stream is open.
  await page.waitForTimeout(1_000)
  await page.evaluate(watchRows)
  const payments = await shop.sql<{ id: string; email: string }[]>`
    select id, customer_email as email from payments where state = 'pending' order by created_at desc limit ${changes}`
  for (const { id } of payments) {
    await shop.cancel(id)
    await page.waitForTimeout(150)
  }
  await page.waitForTimeout(2_000)
  const shown = await page.evaluate<Record<string, number>>('globalThis.shown')
  const changed = await shop.sql<{ email: string; at: Date }[]>`
    select p.customer_email as email, t.at from transitions t join payments p on p.id = t.actor
    where t.to_state = 'canceled' and t.from_state <> t.to_state`
  await page.close()
  const late = changed.map(({ email, at }) => (shown[`${email.split('@')[0]}@`] ?? Number.NaN) - at.getTime())
  print(`changes shown after ${late} ms`)
  report.atMost(PROMISES.change, Math.max(...late), 500, { as: milliseconds, from: `median ${median(late)} ms` })
}
