import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { axeFaults, faultsOf } from '../pay/gates.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

let shop: SandboxShop
beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(() => shop?.[Symbol.asyncDispose]())

const button = (name: string) => shop.page.getByRole('button', { name, exact: true })
const dialog = (name: string) => shop.page.getByRole('dialog', { name })
const state = (word: string) => shop.page.locator('.head .badge', { hasText: word }).waitFor({ timeout: 15_000 })
const expectSound = async () => expect([await axeFaults(shop.page), await faultsOf(shop.page)]).toEqual([[], []])

/** Opens a dispute of a new payment by its page. */
const openDispute = async () => {
  const id = await shop.pay()
  await shop.go(`payments/${id}`)
  await button('Open a dispute').click({ timeout: 30_000 })
  await dialog('Open a dispute').getByLabel('Amount in USD').fill('4')
  await dialog('Open a dispute').getByRole('button', { name: 'Open dispute' }).click()
  await shop.page.getByRole('heading', { name: 'Dispute over $4.00' }).waitFor()
  return { paymentId: id, disputeId: new URL(shop.page.url()).pathname.split('/').at(-1) ?? '' }
}

describe.skipIf(!hasBrowser)('disputes', () => {
  test('do not exist in live mode, which the page explains', async () => {
    await shop.go('disputes', 'live')
    await shop.page.getByRole('heading', { name: 'There are no disputes in live mode' }).waitFor()
    await expectSound()
    await shop.page.getByRole('link', { name: 'Disputes in test mode' }).click()
    await shop.page.getByRole('heading', { name: 'No disputes yet' }).waitFor()
    await expectSound()
  })

  test('are opened by the page of a payment, once at a time, and answered with evidence', async () => {
    const { page, call, merchant } = shop
    const { paymentId, disputeId } = await openDispute()
    await state('Needs evidence')
    await expectSound()
    const read = () => call('GET', `/v1/merchants/${merchant}/disputes/${disputeId}`)
    await page.getByLabel('Tracking number').fill('1Z 999')
    await page.getByText('6 of 2,000 characters.').or(page.getByText('6 of 2000 characters.')).waitFor()
    await button('Save').click()
    await page.locator('.toast', { hasText: 'Evidence saved' }).waitFor()
    expect(await read()).toMatchObject({ status: 'needs_response', evidence: { shippingTrackingNumber: '1Z 999' } })
    await page.getByLabel('Statement').fill('x'.repeat(2_001))
    await page.getByText('Use at most 2000 characters.').waitFor()
    expect(await button('Submit evidence').getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel('Statement').fill('It was delivered.')
    await button('Submit evidence').click()
    await dialog('Submit this evidence?').getByRole('button', { name: 'Submit evidence' }).click()
    await state('Under review')
    expect(await read()).toMatchObject({ evidence: { uncategorizedText: 'It was delivered.' } })
    await shop.go(`payments/${paymentId}`)
    await button('Open a dispute').click()
    await dialog('Open a dispute').getByRole('button', { name: 'Open dispute' }).click()
    await dialog('Open a dispute').getByText('There is already an open dispute of this payment.').waitFor()
    await dialog('Open a dispute').getByRole('link', { name: 'Show the open dispute' }).click()
    await button('Decide: lost').click()
    await state('Lost')
    await page.getByText('This dispute is lost').waitFor()
    await expectSound()
  })

  test('with winning evidence are won after three seconds, which the page shows by itself', async () => {
    const { page } = shop
    await openDispute()
    await button('Submit winning evidence').click()
    await state('Won')
    await page.getByRole('listitem').filter({ hasText: 'Decided by the evidence' }).waitFor()
    await page.locator('.crumb').click()
    await page.getByLabel('Status').selectOption('won')
    await page.waitForURL(/status=won/)
    await page.getByRole('row', { name: /Won.*Product not received/ }).waitFor()
    await until(async () => (await page.locator('a.open').count()) === 1)
    await expectSound()
  })
})
