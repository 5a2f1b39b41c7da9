import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'

/** As Lighthouse simulates slow 4G, without its slower processor: these machines are slow. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }

/** Collects what the browser measures, from before the first paint. */
export const observe = `(() => {
  const seen = globalThis.seen = { paint: 0, shift: 0, interaction: 0 }
  const on = (type, take, more = {}) =>
    new PerformanceObserver(list => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more })
  on('largest-contentful-paint', entry => { seen.paint = entry.startTime })
  on('layout-shift', entry => { if (!entry.hadRecentInput) seen.shift += entry.value })
  // Only events with a number are interactions: the pointer that arrives over an element is none.
  on('event', entry => { if (entry.interactionId) seen.interaction = Math.max(seen.interaction, entry.duration) }, { durationThreshold: 16 })
})()`

/** Lists of the dashboard ask for 25 rows: with this they ask for as many. Also counts the requests of the page. */
export const askForRows = (rows: number) => `(() => {
  const real = globalThis.fetch
  globalThis.requests = 0
  globalThis.fetch = (url, init) => {
    globalThis.requests++
    return real(String(url).replace('limit=25', 'limit=${rows}'), init)
  }
})()`

export type Observed = { readonly paint: number; readonly shift: number; readonly interaction: number }

/** One load by a browser that has cached nothing. */
export const visit = async (browser: Browser, url: string, use: (page: Page) => Promise<void>): Promise<Observed> => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'en-US' })
  const page = await context.newPage()
  await (await context.newCDPSession(page)).send('Network.emulateNetworkConditions', SLOW_4G)
  await context.addInitScript(observe)
  await page.goto(url, { waitUntil: 'networkidle' })
  await use(page)
  await sleep(200)
  const seen = await page.evaluate<Observed>('globalThis.seen')
  await context.close()
  return seen
}
