import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart } from './tab-walk.ts'

let shop: SandboxShop
beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(() => shop?.[Symbol.asyncDispose]())

type Payment = { readonly customerId: string; readonly customerEmail: string }

describe.skipIf(!hasBrowser)('the dialog that erases a customer', () => {
  test('names the open refunds before it asks for a proof of identity, and no refund of a similar address', async () => {
    const { page, call, merchant } = shop
    const open = async (customerEmail: string) => {
      const id = await shop.payAndWait(customerEmail)
      const { customerId } = (await call('GET', `/v1/merchants/${merchant}/payments/${id}`)) as Payment
      const { json } = await shop.served.server.call('POST', `/v1/merchants/${merchant}/payments/${id}/refunds`, {
        ...{ bearer: shop.bearer, headers: { 'idempotency-key': customerEmail } },
        json: { amountMinor: 700 },
      })
      return { customerId, refundId: String(Object(json).id) }
    }
    const { customerId, refundId } = await open('kay@example.co')
    const other = await open('kay@example.com')
    let asked = 0
    await page.route('**/erase', route => {
      asked++
      return route.abort()
    })
    await shop.go(`customers/${customerId}`)
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const refund = dialog.getByRole('link', { name: 'Refund of $7.00' })
    await refund.waitFor()
    expect(await refund.evaluateAll(all => all.map(each => each.getAttribute('href')?.split('/').at(-1)))).toEqual([
      refundId,
    ])
    expect(await dialog.getByRole('button', { name: 'Erase personal data' }).count()).toBe(0)
    await call('POST', `/v1/merchants/${merchant}/refunds/${refundId}/cancel`)
    await page.reload()
    await tabToPart(page, 'Erase')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Erase personal data' }).waitFor()
    expect([asked, other.customerId === customerId]).toEqual([0, false])
    await page.unrouteAll()
    // With the keyboard alone.
    await tabToPart(page, 'Erase personal data')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Erased customer', level: 1 }).waitFor()
    await until(async () => (await focused(page))?.name === 'Erased customer')
  })
})

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
