import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { decodeId, encodeId } from '../../../src/ids.ts'
import { INVOICE_PURPOSE } from '../../../src/sealed-columns.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { makeInvoice } from '../../http/invoices.ts'
import { axeFaults, faultsOf, shiftsWhileLoading } from './gates.ts'
import { tabTo } from './keyboard.ts'
import { awaitStatus, type PayServer, payServer } from './pay-server.ts'

let to: PayServer

beforeAll(async () => {
  if (hasBrowser) to = await payServer()
})
afterAll(() => to?.[Symbol.asyncDispose]())

/** An invoice over ten dollars. */
const issue = async () => {
  const { api, url } = to.server
  const owner = { merchantId: to.shop.merchantId, livemode: false }
  const lines = [{ description: 'A lamp', unitAmountMinor: 1000 }]
  const { invoice } = await makeInvoice(api, owner, { currency: 'USD', lines, finalize: true })
  const token = api.keyring.open(INVOICE_PURPOSE, invoice.id, invoice.context.sealedToken ?? '')
  return { actor: invoice.id, token, url: `${url}/invoices/${token}` }
}
type Issued = Awaited<ReturnType<typeof issue>>

const paymentsOf = ({ actor }: Issued) => to.server.sql`select from payments where invoice_id = ${actor}`
const invoiceStatusOn = (page: Page) => page.getByTestId('invoice-status').getAttribute('data-status')

/** Opens a payment in test dollars on the page of the invoice. */
const begin = async (page: Page) => {
  await page.locator('[data-testid=asset][data-asset=TUSD] input').check()
  await page.getByTestId('pay-invoice').click()
  await page.waitForURL(/\/pay_/)
  const address = (await page.getByTestId('deposit-address').getAttribute('data-value')) ?? ''
  const due = BigInt((await page.getByTestId('amount-due').getAttribute('data-value')) ?? '')
  return { address, due, id: new URL(page.url()).pathname.split('/').at(-1) ?? '' }
}

describe.skipIf(!hasBrowser)('the page of an invoice', () => {
  test('is paid whole, and a second tab follows without a reload and opens no second payment', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    await using other = await to.visit()
    for (const { page } of [visit, other]) {
      await page.goto(invoice.url)
      await awaitStatus(page, 'open')
    }
    expect([...(await faultsOf(visit.page)), ...(await axeFaults(visit.page))]).toEqual([])
    let loads = 0
    other.page.on('load', () => loads++)
    const { address, due } = await begin(visit.page)
    expect(due).toBe(10_000_000n)
    await to.sendDollars(address, due)
    await awaitStatus(other.page, 'seen')
    expect(await other.page.getByTestId('pay-invoice').count()).toBe(0)
    expect(await other.page.getByRole('heading', { level: 1 }).textContent()).toBe('Your payment is on its way')
    await awaitStatus(visit.page, 'paid')
    await awaitStatus(other.page, 'paid')
    expect([loads, await invoiceStatusOn(other.page)]).toEqual([0, 'paid'])
    await visit.page.getByTestId('back-to-invoice').click()
    await awaitStatus(visit.page, 'paid')
    expect(await axeFaults(visit.page)).toEqual([])
    await visit.page.getByTestId('receipt').click()
    await visit.page.getByRole('heading', { name: 'Test receipt' }).waitFor()
    expect(await visit.page.content()).toContain('Invoice <bdi>TEST-INV-')
    expect(await visit.page.content()).not.toContain(invoice.token)
    expect(await paymentsOf(invoice)).toHaveLength(1)
    for (const { complaints } of [visit, other]) expect(complaints).toEqual([])
  }, 60_000)

  test('is paid in parts: an exchange sends less, the payment ends, and the rest is a fresh payment', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    const { page } = visit
    await page.goto(invoice.url)
    const first = await begin(page)
    await to.sendDollars(first.address, 6_000_000n)
    await awaitStatus(page, 'underpaid')
    await page.getByTestId('back-to-invoice').click()
    await page.getByText('−$6.00').waitFor({ timeout: 30_000 })
    expect(await page.getByTestId('pay-invoice').textContent()).toBe('Continue the payment')
    const event = { type: 'end_window' }
    const ended = { kind: 'payment', actor: decodeId('pay', first.id) ?? '', event }
    expect((await to.server.api.actors.dispatch(ended)).ok).toBe(true)
    await page.goto(`${invoice.url}/${first.id}`)
    await awaitStatus(page, 'failed')
    expect(await page.getByTestId('start-again').textContent()).toBe('Pay the rest')
    await page.getByTestId('start-again').click()
    await awaitStatus(page, 'pay')
    expect(await page.getByTestId('amount-due').getAttribute('data-value')).toBe('4000000')
    const address = (await page.getByTestId('deposit-address').getAttribute('data-value')) ?? ''
    // A dollar too much.
    await to.sendDollars(address, 5_000_000n)
    await awaitStatus(page, 'overpaid')
    await page.getByTestId('back-to-invoice').click()
    await awaitStatus(page, 'overpaid')
    await page.getByText('$1.00 is your credit with').waitFor()
    expect(await invoiceStatusOn(page)).toBe('paid')
    expect(await page.getByTestId('payments').locator('li').count()).toBe(2)
  }, 90_000)

  test('says that it is void while it is open in the browser', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    await using paying = await to.visit()
    await visit.page.goto(invoice.url)
    await paying.page.goto(invoice.url)
    await begin(paying.page)
    // The event stream reports it, no timer.
    expect(await paying.page.locator('body').getAttribute('data-poll')).toBeNull()
    const { status } = await to.server.call('POST', `${to.shop.path}/invoices/${idOf(invoice)}/void`, {
      ...{ bearer: to.shop.owner.bearer, json: {} },
    })
    expect(status).toBe(200)
    await awaitStatus(visit.page, 'closed')
    expect(await visit.page.getByTestId('pay-invoice').count()).toBe(0)
    await awaitStatus(paying.page, 'closed')
    expect(await paying.page.getByTestId('deposit-address').count()).toBe(0)
    expect((await visit.page.reload())?.status()).toBe(410)
  }, 60_000)

  test('asks on the page of a payment for no money while another payment pays it, and again after that', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    const { page } = visit
    await page.goto(invoice.url)
    await begin(page)
    let loads = 0
    page.on('load', () => loads++)
    const send = async (type: string) => {
      const event = { type, amountMinor: 1000 }
      expect((await to.server.api.actors.dispatch({ kind: 'invoice', actor: invoice.actor, event })).ok).toBe(true)
    }
    await send('payment_processing')
    await awaitStatus(page, 'closed')
    expect(await page.getByTestId('deposit-address').count()).toBe(0)
    await send('payment_reverted')
    await awaitStatus(page, 'pay')
    expect(loads).toBe(0)
  }, 60_000)

  test('says that the connection is lost, and shows what has happened meanwhile when it is back', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    const { page } = visit
    await page.goto(invoice.url)
    await awaitStatus(page, 'open')
    let isLost = true
    // An open stream is not affected by the route: the page leaves it, and connects again.
    await page.route('**/*', route => (isLost ? route.abort('internetdisconnected') : route.continue()))
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    const banner = page.locator('[data-banner]')
    await banner.getByText('No connection since').waitFor({ timeout: 20_000 })
    expect(await invoiceStatusOn(page)).toBe('open')
    expect([...(await faultsOf(page)), ...(await axeFaults(page))]).toEqual([])
    const { status } = await to.server.call('POST', `${to.shop.path}/invoices/${idOf(invoice)}/void`, {
      ...{ bearer: to.shop.owner.bearer, json: { reason: 'Ordered twice' } },
    })
    expect(status).toBe(200)
    isLost = false
    await awaitStatus(page, 'closed', 60_000)
    expect(await banner.isHidden()).toBe(true)
    expect(await page.getByTestId('void-reason').textContent()).toBe('Ordered twice')
    expect(await axeFaults(page)).toEqual([])
  }, 90_000)

  test('is unknown at its old address, also where it is open', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    await visit.page.goto(invoice.url)
    await awaitStatus(visit.page, 'open')
    const { status } = await to.server.call('POST', `${to.shop.path}/invoices/${idOf(invoice)}/rotate-url`, {
      ...{ bearer: to.shop.owner.bearer, json: {} },
    })
    expect(status).toBe(200)
    await awaitStatus(visit.page, 'not_found')
    expect(await visit.page.getByText('A lamp').count()).toBe(0)
  }, 60_000)

  test('is paid with the keyboard alone', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    const { page } = visit
    await page.goto(invoice.url)
    await tabTo(page, 'asset')
    await tabTo(page, 'pay-invoice')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/pay_/)
    await tabTo(page, 'sandbox-pay')
    await page.keyboard.press('Enter')
    await awaitStatus(page, 'paid')
    await tabTo(page, 'back-to-invoice')
    await page.keyboard.press('Enter')
    await page.waitForURL(invoice.url)
    await awaitStatus(page, 'paid')
  }, 60_000)

  test('that is void has its documents within reach of the keyboard', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    const { page } = visit
    const { status } = await to.server.call('POST', `${to.shop.path}/invoices/${idOf(invoice)}/void`, {
      ...{ bearer: to.shop.owner.bearer, json: {} },
    })
    expect(status).toBe(200)
    await page.goto(invoice.url)
    await tabTo(page, 'credit-note')
    await tabTo(page, 'document')
    expect([...(await faultsOf(page)), ...(await axeFaults(page))]).toEqual([])
  }, 60_000)

  test('is paid without JavaScript', async () => {
    const invoice = await issue()
    await using visit = await to.visit({ javaScriptEnabled: false })
    const { page } = visit
    await page.goto(`${invoice.url}?lang=de`)
    const { address, due } = await begin(page)
    await to.sendDollars(address, due)
    // The page reloads itself.
    await awaitStatus(page, 'paid', 60_000)
    await page.getByTestId('back-to-invoice').click()
    await awaitStatus(page, 'paid')
    expect([await page.locator('html').getAttribute('lang'), await invoiceStatusOn(page)]).toEqual(['de', 'paid'])
  }, 120_000)

  test.each([360, 1280])('does not move while it loads, %i px wide', async width => {
    const invoice = await issue()
    await using visit = await to.visit({ viewport: { width, height: 800 } })
    expect(await shiftsWhileLoading(visit.page, invoice.url)).toBe(0)
    expect(await faultsOf(visit.page)).toEqual([])
  })

  test('sends its address to no other page', async () => {
    const invoice = await issue()
    await using visit = await to.visit()
    const referrers: (string | undefined)[] = []
    visit.page.on('request', request => referrers.push(request.headers().referer))
    await visit.page.goto(invoice.url)
    await begin(visit.page)
    expect(referrers.length).toBeGreaterThan(4)
    expect(referrers.filter(referrer => referrer?.includes(invoice.token))).toEqual([])
  })
})

const idOf = ({ actor }: Issued) => encodeId('inv', actor)
