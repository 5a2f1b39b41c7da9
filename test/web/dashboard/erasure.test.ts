import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

let shop: SandboxShop
beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(() => shop?.[Symbol.asyncDispose]())

type Payment = { readonly customerId: string; readonly customerEmail: string }

describe.skipIf(!hasBrowser)('open pages, when a customer is erased,', () => {
  test.each([
    ['the page of a payment', (id: string) => `payments/${id}`],
    ['the list of payments', () => 'payments'],
  ])('show the erased record without a reload: %s', async (_, path) => {
    const { page, call, merchant } = shop
    const id = await shop.payAndWait()
    const read = async () => (await call('GET', `/v1/merchants/${merchant}/payments/${id}`)) as Payment
    const { customerId, customerEmail } = await read()
    const following = page.waitForResponse(response => response.url().includes('/stream?'))
    await shop.go(path(id))
    await following
    await page.getByText(customerEmail).first().waitFor()
    await call('POST', `/v1/merchants/${merchant}/customers/${customerId}/erase`)
    await page.getByText(customerEmail).first().waitFor({ state: 'detached', timeout: 5_000 })
    await page.getByText('Erased customer').first().waitFor()
    expect(await page.getByText('erased.invalid').filter({ visible: true }).count()).toBe(0)
  })
})
