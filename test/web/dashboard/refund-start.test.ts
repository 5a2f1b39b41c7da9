import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { axeFaults, faultsOf } from '../pay/gates.ts'
import { awaitState } from './refunds-server.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

const ada = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let shop: SandboxShop
beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(() => shop?.[Symbol.asyncDispose]())

const dialog = () => shop.page.getByRole('dialog', { name: 'Refund' })
const submit = (amount: string) =>
  dialog()
    .getByRole('button', { name: `Start refund of ${amount}` })
    .click()

describe.skipIf(!hasBrowser)('a payment is refunded', () => {
  test('in part, to an address that the customer enters; the rest remains', async () => {
    const { page, go } = shop
    const id = await shop.pay()
    await go(`payments/${id}`)
    await page.locator('.head .badge', { hasText: 'Paid' }).waitFor({ timeout: 30_000 })
    await page.getByRole('button', { name: 'Refund', exact: true }).click()
    await dialog().getByText('At most $10.00.').waitFor()
    expect([await axeFaults(page), await faultsOf(page)]).toEqual([[], []])
    const amount = dialog().getByLabel('Amount in USD')
    await amount.fill('10.01')
    await submit('$10.01')
    await dialog().getByText('At most $10.00 can be refunded. Enter a smaller amount.').waitFor()
    await amount.fill('2,50')
    await dialog().getByText('2.50 TUSD on').waitFor()
    await submit('$2.50')
    await page.getByRole('heading', { name: 'Refund of $2.50' }).waitFor()
    await awaitState(page, 'Needs address')
    expect(await page.locator('.share code').textContent()).toMatch(/\/claims\//)
    await page.locator('.facts a[href*="/payments/"]').click()
    await page.getByText('$7.50 can still be refunded').waitFor()
    await page.getByRole('row', { name: /Needs address.*Requested by customer/ }).waitFor()
    expect([await axeFaults(page), await faultsOf(page)]).toEqual([[], []])
  })

  test('to a known address; the sandbox signs it, and the page shows it without a reload', async () => {
    const { page, go } = shop
    const id = await shop.pay()
    await go(`payments/${id}`)
    await page.getByRole('button', { name: 'Refund', exact: true }).click({ timeout: 30_000 })
    await dialog().getByLabel('I know the address').check()
    await dialog().getByLabel('Address', { exact: true }).fill('0x12')
    await submit('$10.00')
    await dialog().getByText('Enter an address: 0x and 40 characters').waitFor()
    // The token itself would keep the money.
    await dialog()
      .getByLabel('Address', { exact: true })
      .fill(`${ada.slice(0, -1)}9`)
    await submit('$10.00')
    await dialog().getByText('Money at this address would be lost, or its checksum is wrong.').waitFor()
    await dialog().getByLabel('Address', { exact: true }).fill(ada)
    await submit('$10.00')
    await awaitState(page, 'Refunded')
    await page.locator('.facts a[href*="/payments/"]').click()
    await page.getByText('$0.00 can still be refunded').waitFor()
    expect(await page.getByRole('button', { name: 'Refund', exact: true }).count()).toBe(0)
  })

  test('no more than remains, when another refund was faster', async () => {
    const { page, go, merchant } = shop
    const id = await shop.pay()
    await go(`payments/${id}`)
    await page.getByRole('button', { name: 'Refund', exact: true }).click({ timeout: 30_000 })
    await dialog().getByLabel('Amount in USD').fill('8')
    // The page does not see it before it asks.
    await page.route('**/refunds?*', route => route.abort())
    const { status } = await shop.served.server.call('POST', `/v1/merchants/${merchant}/payments/${id}/refunds`, {
      bearer: shop.bearer,
      json: { amountMinor: 500 },
      headers: { 'idempotency-key': crypto.randomUUID() },
    })
    expect(status).toBe(201)
    await submit('$8.00')
    await dialog().getByText('At most $5.00 can be refunded. Enter a smaller amount.').waitFor()
    await page.unroute('**/refunds?*')
    await dialog().getByLabel('Amount in USD').fill('5')
    await submit('$5.00')
    await page.getByRole('heading', { name: 'Refund of $5.00' }).waitFor()
  })
})
