import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { routes } from '../../src/http/routes.ts'
import { pageRoutes } from '../../src/server/page-routes.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { hasBrowser, openBrowser } from '../harness/browser.ts'
import { until } from '../harness/until.ts'
import { makeLink } from '../http/links.ts'
import { shop } from '../http/people.ts'

// What a page runs is told as texts: the program itself knows no page.
const faintTexts = await Bun.file(new URL('./contrast.js', import.meta.url)).text()
const openAll = 'for (const each of document.querySelectorAll("details")) each.open = true'
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

let to: ApiServer
let browser: Browser
let payPath: string

beforeAll(async () => {
  if (!hasBrowser) return
  to = await apiServer({ routes: [...routes, ...pageRoutes(routes)] })
  browser = await openBrowser()
  const { merchantId } = await shop(to.api)
  payPath = `/pay/${(await makeLink(to.api, { merchantId, livemode: false }, { title: 'L'.repeat(200) })).id}`
})
afterAll(async () => {
  await browser?.close()
  await to?.[Symbol.asyncDispose]()
})

type Look = { readonly width: number; readonly colorScheme: 'light' | 'dark' }

/** Opens a page, and tells what it asked for and complained of. */
const open = async (path: string, look: Look): Promise<{ page: Page; asked: string[]; complaints: string[] }> => {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 800 },
    colorScheme: look.colorScheme,
  })
  const page = await context.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', request => asked.push(request.url()))
  page.on('console', message => complaints.push(message.text()))
  await page.goto(to.url + path)
  return { page, asked, complaints }
}

const looks = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const

describe
  .skipIf(!hasBrowser)
  .each([['/docs'], ['/docs/refunds'], ['/docs/objects'], ['/pay/:linkId'], ['/pay/nowhere'], ['/nowhere']])(
  '%s',
  pattern => {
    test.each(looks)('fits a window of %o, and is easy to read', async look => {
      const path = pattern.replace(/.*:linkId/, payPath)
      const { page, asked, complaints } = await open(path, look)
      await page.evaluate(openAll)
      expect(await page.evaluate(overflow)).toBe(0)
      expect(await page.evaluate(faintTexts)).toEqual([])
      expect(asked).toEqual([to.url + path])
      expect(complaints.filter(each => !each.includes('404'))).toEqual([])
      await page.context().close()
    })
  },
)

/** Where each character of the title stands, from the left. */
const places = `(() => {
  const text = document.createTreeWalker(document.querySelector('h1'), NodeFilter.SHOW_TEXT).nextNode()
  return Array.from(text.nodeValue, (_, at) => {
    const range = document.createRange()
    range.setStart(text, at)
    range.setEnd(text, at + 1)
    return range.getBoundingClientRect().left
  })
})()`

test.skipIf(!hasBrowser)('a title from right to left ends at its left', async () => {
  const { merchantId } = await shop(to.api)
  const { id } = await makeLink(to.api, { merchantId, livemode: false }, { title: 'מנורה!' })
  const { page } = await open(`/pay/${id}`, looks[0])
  const lefts = (await page.evaluate(places)) as number[]
  expect(lefts).toEqual(lefts.toSorted((a, b) => b - a))
  await page.context().close()
})

test.skipIf(!hasBrowser)('a phone lays out the documentation as far as it is looked at', async () => {
  const { page } = await open('/docs', looks[2])
  const laidOut = () =>
    page.evaluate(
      `[...document.querySelectorAll('main h2')].map(each => each.checkVisibility({ contentVisibilityAuto: true }))`,
    )
  const first = (await laidOut()) as boolean[]
  expect([first[0], first.at(-1)]).toEqual([true, false])
  await page.locator('main h2').last().scrollIntoViewIfNeeded()
  await until(async () => ((await laidOut()) as boolean[]).at(-1))
  await page.context().close()
})

test.skipIf(!hasBrowser)('Lighthouse can read robots.txt from the documentation', async () => {
  const { page } = await open('/docs', looks[0])
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { resource } = await session.send('Network.loadNetworkResource', {
    frameId: frameTree.frame.id,
    url: `${to.url}/robots.txt`,
    options: { disableCache: true, includeCredentials: true },
  })
  expect(resource.httpStatusCode).toBe(404)
  await page.context().close()
})

describe.skipIf(!hasBrowser)('by keyboard', () => {
  test('one goes to the content at once, and opens an operation', async () => {
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
