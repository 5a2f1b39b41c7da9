import type { Browser } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import type { StreamShop } from './streams-shop.ts'
import { askForRows } from './web-load.ts'
import { OWNER } from './web-shop.ts'

/** MiB of the page's JavaScript heap after a garbage collection, and the number of its DOM nodes and listeners. */
export type PageSize = { readonly heap: number; readonly nodes: number; readonly listeners: number }

export type PageCounts = {
  readonly messages: number
  readonly lastId: string
  /** Requests of the page for data. */
  readonly requests: number
}

/** The list of payments in a browser, which shows this many, with its event stream. */
export type StreamPage = AsyncDisposable & {
  counts(): Promise<PageCounts>
  size(): Promise<PageSize>
}

/** What the leading tab sends to the others, which is every message of the stream. */
const listen = (merchant: string) => `(() => {
  const heard = globalThis.heard = { messages: 0, lastId: '' }
  const tabs = globalThis.tabs = new BroadcastChannel('paymachine stream ${merchant} false')
  tabs.onmessage = ({ data }) => {
    if (data.kind !== 'change') return
    heard.messages++
    heard.lastId = data.id
  }
})()`

export const openStreamPage = async ({ url, merchant }: StreamShop, rows: number): Promise<StreamPage> => {
  const browser = await openBrowser()
  try {
    return await openPage(browser, { url, merchant, rows })
  } catch (error) {
    await browser.close()
    throw error
  }
}

type PageOptions = Pick<StreamShop, 'url' | 'merchant'> & { readonly rows: number }

const openPage = async (browser: Browser, { url, merchant, rows }: PageOptions): Promise<StreamPage> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US' })
  await context.addInitScript(askForRows(rows))
  const page = await context.newPage()
  await page.goto(`${url}/dashboard/sign-in`)
  await page.getByLabel('E-mail', { exact: true }).fill(OWNER.email)
  await page.getByLabel('Password', { exact: true }).fill(OWNER.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/mer_\w+\//)
  const streaming = page.waitForResponse(response => response.url().includes('/stream?'))
  await page.goto(`${url}/dashboard/${merchant}/test/payments`)
  await streaming
  await page.getByRole('row').nth(rows).waitFor()
  await page.evaluate(listen(merchant))
  const devtools = await context.newCDPSession(page)
  await devtools.send('Performance.enable')
  await devtools.send('HeapProfiler.enable')
  return {
    counts: () => page.evaluate<PageCounts>('({ ...globalThis.heard, requests: globalThis.requests })'),
    size: async () => {
      await devtools.send('HeapProfiler.collectGarbage')
      const { metrics } = await devtools.send('Performance.getMetrics')
      const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
      return { heap: of('JSHeapUsedSize') / 2 ** 20, nodes: of('Nodes'), listeners: of('JSEventListeners') }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}
