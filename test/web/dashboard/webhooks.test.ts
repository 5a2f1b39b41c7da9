import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

let shop: SandboxShop
let inbox: string

/** The pages read deliveries again every 15 seconds: what is there before was reported by the event stream. */
const BEFORE_POLL = { timeout: 10_000 }

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  inbox = await newEndpoint({ inbox: true })
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const newEndpoint = async (more: object): Promise<string> => {
  const body = { eventTypes: ['payment.succeeded'], ...more }
  return (await shop.call('POST', `/v1/merchants/${shop.merchant}/webhook-endpoints?livemode=false`, body)).id
}
const testEvent = async (endpoint: string): Promise<string> =>
  (await shop.call('POST', `/v1/merchants/${shop.merchant}/webhook-endpoints/${endpoint}/test`)).id
const awaitAttempt = (delivery: string) =>
  until(async () => {
    const { attempts } = await shop.call('GET', `/v1/merchants/${shop.merchant}/deliveries/${delivery}`)
    return attempts.some((each: { readonly outcome: string | null }) => each.outcome !== null)
  })
/** The stream is open, and pages read rarely. */
const awaitStream = () => shop.page.waitForRequest(/\/stream\?/)

describe.skipIf(!hasBrowser)('webhooks', () => {
  test('an attempt that was asked for is shown as soon as it has ended', async () => {
    const { page, go } = shop
    const { click, heading } = onPage(page)
    const delivery = await testEvent(inbox)
    await awaitAttempt(delivery)
    await Promise.all([awaitStream(), go(`deliveries/${delivery}`)])
    await heading('Delivery of webhook_endpoint.test')
    await click('Send again now')
    const second = page.locator('.attempt', { hasText: 'Attempt 2' })
    await second.getByText('Answered with success').waitFor(BEFORE_POLL)
    // Another member sends one: the list of this page shows it as well.
    await go('deliveries')
    await page.getByRole('row').nth(1).waitFor()
    const rows = await page.getByRole('row').count()
    const other = await testEvent(inbox)
    await page.locator(`a[href$="/deliveries/${other}"]`).waitFor(BEFORE_POLL)
    expect(await page.getByRole('row').count()).toBe(rows + 1)
    await page.getByRole('row').nth(1).getByText('Delivered').waitFor(BEFORE_POLL)
  })

  test('so is one without the event stream', async () => {
    const { page, go } = shop
    const { click, heading } = onPage(page)
    const delivery = await testEvent(inbox)
    await awaitAttempt(delivery)
    await page.route('**/stream?*', route => route.abort())
    await go(`deliveries/${delivery}`)
    await heading('Delivery of webhook_endpoint.test')
    await click('Send again now')
    const second = page.locator('.attempt', { hasText: 'Attempt 2' })
    await second.getByText('Answered with success').waitFor(BEFORE_POLL)
    await page.unroute('**/stream?*')
  })

  test('a test event shows its result on the page of its endpoint, and in the list of endpoints', async () => {
    const { page, go } = shop
    const { click } = onPage(page)
    await go(`webhooks/${inbox}`)
    await click('Send test event')
    await page.getByText('The test event arrived.').waitFor(BEFORE_POLL)
    await go('webhooks')
    await click(/^Actions for/)
    await click('Send test event', 'menuitem')
    await onPage(page).toast('The test event arrived.')
  })

  test('an endpoint that fails says since when and why, in the list, on its page and on the first page', async () => {
    const { page, go } = shop
    const { heading, expectSound } = onPage(page)
    // Its event is not one of the new endpoint.
    await shop.payAndWait()
    const failing = await newEndpoint({ url: 'https://shop.invalid/hooks' })
    await awaitAttempt(await testEvent(failing))
    await go('webhooks')
    await page
      .getByRole('row', { name: /shop\.invalid\/hooks\s*Since .*\. The host name has no address Retrying/ })
      .waitFor({ timeout: 20_000 })
    await expectSound()
    await go(`webhooks/${failing}`)
    await page.getByText(/^Since .*\. The host name has no address$/).waitFor()
    await go('home')
    await heading('Home')
    await page.getByText('1 webhook delivery is being retried').waitFor()
    await page.getByText(/Your server has not accepted them since .*\. The host name has no address\./).waitFor()
    await page.getByRole('link', { name: 'Open: 1 webhook delivery is being retried' }).click()
    await page.getByRole('row', { name: /webhook_endpoint\.test Retrying/ }).waitFor()
  })

  test('deliveries that fail now are found from the filter of those that have failed', async () => {
    const { page } = shop
    const { expectSound } = onPage(page)
    await page.getByLabel('Status').selectOption({ label: 'Failed' })
    await page.getByText('1 delivery is being retried').waitFor()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await expectSound()
    await page.getByRole('link', { name: 'Show', exact: true }).click()
    await page.getByRole('row', { name: /webhook_endpoint\.test Retrying/ }).waitFor()
    expect(await page.getByLabel('Status').inputValue()).toBe('pending')
  })
})
