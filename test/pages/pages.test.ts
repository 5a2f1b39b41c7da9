import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { routes } from '../../src/http/routes.ts'
import { pageRoutes } from '../../src/server/page-routes.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { hasBrowser, openBrowser } from '../harness/browser.ts'
import { until } from '../harness/until.ts'

// Scripts for the page are strings, because the types of this program have no DOM.
const faintTexts = await Bun.file(new URL('./contrast.js', import.meta.url)).text()
const openAll = 'for (const each of document.querySelectorAll("details")) each.open = true'
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

let server: ApiServer
let browser: Browser

beforeAll(async () => {
  if (!hasBrowser) return
  server = await apiServer({ routes: [...routes, ...pageRoutes(routes)] })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

type Look = { readonly width: number; readonly colorScheme: 'light' | 'dark' }

/** Opens a page, and records its requests and console messages. */
const open = async (
  path: string,
  look: Look,
): Promise<{ page: Page; requests: string[]; consoleMessages: string[] }> => {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 800 },
    colorScheme: look.colorScheme,
  })
  const page = await context.newPage()
  const requests: string[] = []
  const consoleMessages: string[] = []
  page.on('request', request => requests.push(request.url()))
  page.on('console', message => consoleMessages.push(message.text()))
  await page.goto(server.url + path)
  return { page, requests, consoleMessages }
}

const looks = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const

describe.skipIf(!hasBrowser).each([['/docs'], ['/docs/refunds'], ['/docs/objects-i-to-o'], ['/nowhere']])(
  '%s',
  path => {
    test.each(looks)('fits a window of %o and is readable', async look => {
      const { page, requests, consoleMessages } = await open(path, look)
      await page.evaluate(openAll)
      expect(await page.evaluate(overflow)).toBe(0)
      expect(await page.evaluate(faintTexts)).toEqual([])
      expect(requests).toEqual([server.url + path])
      expect(consoleMessages.filter(each => !each.includes('404'))).toEqual([])
      await page.context().close()
    })
  },
)

test.skipIf(!hasBrowser)('a phone lays out only the visible part of the documentation', async () => {
  const { page } = await open('/docs', looks[2])
  const laidOut = () =>
    page.evaluate<boolean[]>(
      `[...document.querySelectorAll('main h2')].map(each => each.checkVisibility({ contentVisibilityAuto: true }))`,
    )
  // The first frame may be painted after the page has loaded.
  await until(async () => (await laidOut())[0])
  expect((await laidOut()).at(-1)).toBe(false)
  await page.locator('main h2').last().scrollIntoViewIfNeeded()
  await until(async () => (await laidOut()).at(-1))
  await page.context().close()
})

test.skipIf(!hasBrowser)('Lighthouse can read robots.txt from the documentation', async () => {
  const { page } = await open('/docs', looks[0])
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { resource } = await session.send('Network.loadNetworkResource', {
    frameId: frameTree.frame.id,
    url: `${server.url}/robots.txt`,
    options: { disableCache: true, includeCredentials: true },
  })
  expect(resource.httpStatusCode).toBe(404)
  await page.context().close()
})

describe.skipIf(!hasBrowser)('by keyboard', () => {
  test('the first link leads to the content, and an operation opens', async () => {
    const { page } = await open('/docs/refunds', looks[0])
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#content')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.querySelectorAll("details[open]").length')).toBe(1)
    await page.context().close()
  })

  test('a link to an operation opens it', async () => {
    const { page } = await open('/docs/refunds#startRefund', looks[2])
    await page.waitForFunction('document.querySelector("details[open] > #startRefund") !== null')
    await page.context().close()
  })
})
