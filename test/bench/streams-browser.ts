import type { Page } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import type { StreamShop } from './streams-shop.ts'
import { askForRows } from './web-load.ts'
import { OWNER } from './web-shop.ts'

/** MiB of the page's JavaScript heap after a garbage collection, and the number of its DOM nodes and listeners. */
export type PageSize = { readonly heap: number; readonly nodes: number; readonly listeners: number }

export type PageCounts = {
  readonly messages: number
  /** Requests of the page for data. */
  readonly requests: number
  /** Milliseconds from a key to the picture that shows its effect. Undefined where no key was pressed. */
  readonly slowestMs?: number
}

/** A page in a browser that shows an event stream. */
export type StreamPage = AsyncDisposable & {
  counts(): Promise<PageCounts>
  size(): Promise<PageSize>
}

/** What the leading tab sends to the others, which is every message of the stream. */
const listen = (merchant: string) => `(() => {
  const heard = globalThis.heard = { messages: 0 }
  const tabs = globalThis.tabs = new BroadcastChannel('paymachine stream ${merchant} false')
  tabs.onmessage = ({ data }) => {
    if (data.kind === 'change') heard.messages++
  }
})()`

/** The list of payments, which shows this many. */
export const openStreamPage = ({ url, merchant }: StreamShop, rows: number): Promise<StreamPage> =>
  openSignedIn(url, askForRows(rows), async page => {
    const streaming = page.waitForResponse(response => response.url().includes('/stream?'))
    await page.goto(`${url}/dashboard/${merchant}/test/payments`)
    await streaming
    await page.getByRole('row').nth(rows).waitFor()
    await page.evaluate(listen(merchant))
    return {
      counts: () => page.evaluate<PageCounts>('({ ...globalThis.heard, requests: globalThis.requests })'),
    }
  })

const slowestKey = `
  globalThis.slowestMs = 0
  new PerformanceObserver(list => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) globalThis.slowestMs = Math.max(globalThis.slowestMs, duration)
  }).observe({ type: 'event', durationThreshold: 16 })`

/** The tail of all transitions. It is paused while its size is measured. */
export const openTailPage = ({ url }: StreamShop): Promise<StreamPage> =>
  openSignedIn(url, slowestKey, async page => {
    const streaming = page.waitForResponse(response => response.url().includes('/transitions/stream'))
    await page.goto(`${url}/ops/tail`)
    await streaming
    const received = page.locator('[data-received]')
    await received.waitFor()
    return {
      counts: async () => {
        const messages = Number(await received.getAttribute('data-received'))
        return { messages, requests: 0, slowestMs: await page.evaluate<number>('globalThis.slowestMs') }
      },
      // While rows are exchanged, the old ones are still counted.
      pause: async () => {
        await page.keyboard.press('p')
        await page.getByRole('button', { name: 'Resume' }).waitFor()
        return () => page.keyboard.press('p')
      },
    }
  })

type Measured = {
  readonly counts: () => Promise<PageCounts>
  /** Before its size is measured. Returns what undoes it. */
  readonly pause?: () => Promise<() => Promise<void>>
}

const openSignedIn = async (
  url: string,
  initScript: string,
  open: (page: Page) => Promise<Measured>,
): Promise<StreamPage> => {
  const browser = await openBrowser()
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US' })
    await context.addInitScript(initScript)
    const page = await context.newPage()
    await page.goto(`${url}/dashboard/sign-in`)
    await page.getByLabel('E-mail', { exact: true }).fill(OWNER.email)
    await page.getByLabel('Password', { exact: true }).fill(OWNER.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/mer_\w+\//)
    const { counts, pause } = await open(page)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Performance.enable')
    await devtools.send('HeapProfiler.enable')
    return {
      counts,
      size: async () => {
        const resume = await pause?.()
        await devtools.send('HeapProfiler.collectGarbage')
        const { metrics } = await devtools.send('Performance.getMetrics')
        await resume?.()
        const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
        return { heap: of('JSHeapUsedSize') / 2 ** 20, nodes: of('Nodes'), listeners: of('JSEventListeners') }
      },
      [Symbol.asyncDispose]: () => browser.close(),
    }
  } catch (error) {
    await browser.close()
    throw error
  }
}
