import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

describe.skipIf(!hasBrowser)('the first page of a new shop', () => {
  test('leads owners to the tab of the settings that has the receiving address', async () => {
    await shop.go('home', 'live')
    const link = shop.page.getByRole('link', { name: 'Open settings' })
    expect(await link.getAttribute('href')).toBe(`/dashboard/${shop.merchant}/live/settings?part=receiving`)
  })

  test('shows its first payment without a click', async () => {
    const { page } = shop
    const { heading } = onPage(page)
    await shop.go('home')
    await heading('Take your first test payment')
    // The event stream is open by then, and the list is no longer read every 15 seconds.
    await page.waitForTimeout(3_000)
    await shop.pay()
    await heading('Home')
    await page.getByRole('row', { name: /ada@example\.com/ }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Done: Pay it with test money' }).waitFor({ timeout: 20_000 })
  })

  test('lists the sums that wait in the order of their currencies', async () => {
    const { call, merchant, page, served } = shop
    for (const currency of ['EUR', 'USD']) {
      const link = await call('POST', `/v1/merchants/${merchant}/payment-links`, { amountMinor: 700, currency })
      const json = { customerEmail: 'ada@example.com' }
      await served.server.call('POST', `/v1/checkout/links/${link.id}/payments`, { json })
    }
    await shop.go('home')
    const sums = page.locator('.figures > div').filter({ hasText: 'Waiting for customers' }).locator('dd span')
    await sums.nth(1).waitFor()
    expect(await sums.allInnerTexts()).toEqual(['€7.00', '$7.00'])
  })
})
