import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from '../dashboard/harness.ts'
import { type SandboxShop, sandboxShop } from '../dashboard/sandbox-shop.ts'
import { focused, tabToPart, walkPage } from '../dashboard/tab-walk.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  await shop.served.server.sql`update accounts set operator = true`
}, 120_000)
afterAll(() => shop?.[Symbol.asyncDispose]())

/** The sections in the order of the navigation: the link is the heading. */
const sections = ['Machines', 'Tail', 'Stuck', 'Chains', 'Queues', 'Workers', 'Audit']

const content = () => shop.page.locator('main [aria-busy=true], main .skeleton').first().waitFor({ state: 'detached' })

/** Pages read again every five seconds, and parts that appear meanwhile would count as missed. */
const walk = async () => {
  await content()
  await walkPage(shop.page)
}

describe.skipIf(!hasBrowser)('with the keyboard alone', () => {
  test('every page for operators is opened from the navigation, and everything on it is reached and seen', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    await page.goto(`${served.server.url}/ops`)
    await heading('Health')
    await walk()
    for (const section of sections) {
      await tabToPart(page, section)
      await page.keyboard.press('Enter')
      await heading(section)
      expect(await page.evaluate<string>('document.activeElement?.tagName')).toBe('H1')
      await walk()
    }
  })

  test('an actor is found by /, and a revision of its history is opened with Enter', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    const id = await shop.pay()
    await page.goto(`${served.server.url}/ops`)
    await heading('Health')
    await content()
    await page.keyboard.press('/')
    await page.keyboard.type(id)
    await page.keyboard.press('Enter')
    await heading(id)
    await walk()
    await tabToPart(page, /create$/)
    await page.keyboard.press('Enter')
    await until(() => new URL(page.url()).searchParams.get('rev') === '1')
    await walk()
  })

  test('a state of a machine is chosen with Enter, and again to close it', async () => {
    const { page, served } = shop
    const { heading } = onPage(page)
    await page.goto(`${served.server.url}/ops/machines/payment`)
    await heading('Machines')
    await page.locator('.chart__state').first().waitFor()
    await tabToPart(page, /^pending/)
    await page.keyboard.press('Enter')
    await until(() => new URL(page.url()).searchParams.get('state') === 'pending')
    expect((await focused(page))?.isSeen).toBe(true)
    await walk()
  })
})
