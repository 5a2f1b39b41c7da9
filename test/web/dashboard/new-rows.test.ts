import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(() => shop?.[Symbol.asyncDispose]())

describe.skipIf(!hasBrowser)('a payment that the event stream reports before the list is read', () => {
  test('is offered until the list has it', async () => {
    const { page, go, pay } = shop
    const { heading, click } = onPage(page)
    const notice = page.getByRole('button', { name: '1 new payment – show' })
    await pay()
    const stream = page.waitForResponse(/\/stream\?/)
    await go('keys')
    await heading('API keys')
    await stream
    const held = Promise.withResolvers<void>()
    await page.route('**/payments?**', async route => {
      await held.promise
      await route.continue()
    })
    await click('Payments', 'link')
    await heading('Payments')
    await pay()
    await notice.waitFor()
    held.resolve()
    await until(async () => (await page.locator('a.open').count()) === 2)
    expect(await notice.count()).toBe(0)
    // The next one is offered again.
    await pay()
    await notice.waitFor()
    expect(await page.locator('a.open').count()).toBe(2)
    await page.keyboard.press('.')
    await until(async () => (await page.locator('a.open').count()) === 3)
    expect(await notice.count()).toBe(0)
  })
})
