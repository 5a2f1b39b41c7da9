import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart, walkDialog } from './tab-walk.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const on = onPage(() => shop.page)
const path = (...parts: readonly string[]) => ['/v1/merchants', shop.merchant, ...parts].join('/')
const lines = (unitAmountMinor: number) => [{ description: 'Lamp', unitAmountMinor, taxRateBps: 0 }]
const make = async (section: string, fields: object) => {
  const made = await shop.call('POST', `${path(section)}?livemode=false`, fields)
  expect(made.id).toEqual(expect.any(String))
  return made
}
const monthly = { currency: 'EUR', interval: 'month', lines: lines(999) }
/** A customer whose time is that of a clock. */
const newCustomer = async () => {
  const clock = await shop.call('POST', path('test-clocks'), {})
  const email = `${crypto.randomUUID()}@example.com`
  return { clock, customer: await make('customers', { email, testClockId: clock.id }) }
}
const subscribe = async (fields: object = {}) => {
  const { clock, customer } = await newCustomer()
  return {
    clock,
    ...(await make('subscriptions', { customerId: customer.id, ...monthly, activation: 'immediate', ...fields })),
  }
}
const read = (id: string) => shop.call('GET', path('subscriptions', id))
const step = (text: RegExp) => shop.page.locator('.next-step b').filter({ hasText: text }).waitFor({ timeout: 30_000 })

/** Opens a dialog of the menu by keys alone. */
const open = async (name: string) => {
  const { keyboard } = shop.page
  await tabToPart(shop.page, 'More actions')
  await keyboard.press('Enter')
  await until(async () => {
    if ((await focused(shop.page))?.name === name) return true
    await keyboard.press('ArrowDown')
    return false
  })
  await keyboard.press('Enter')
  await shop.page.locator('dialog:modal').waitFor()
}
/** Walks through the dialog, opens it again and leads to a part of it. */
const walkAndGoTo = async (name: string, part: string | RegExp) => {
  await open(name)
  await shop.page.locator('dialog:modal .quiet', { hasText: /^Test clock: It is / }).waitFor()
  await walkDialog(shop.page, 'More actions')
  await shop.page.evaluate('document.activeElement.blur()')
  await open(name)
  await tabToPart(shop.page, part)
}

describe.skipIf(!hasBrowser)('the dialogs of a subscription, by keyboard alone', () => {
  test('pause, resume, change the price, edit, advance the clock, and cancel', async () => {
    const { page, go } = shop
    const { keyboard } = page
    await make('plans', { ...monthly, name: 'Lamp of the week', lines: lines(1_999) })
    const { id, clock } = await subscribe()
    await go(`subscriptions/${id}`)
    await step(/^Renews on /)

    await walkAndGoTo('Pause', 'Pause')
    await keyboard.press('Enter')
    await on.toast('The subscription will be paused')
    await step(/^Is paused on /)
    await tabToPart(page, 'Withdraw the pause')
    await keyboard.press('Enter')
    await walkDialog(page, 'Withdraw the pause')
    await keyboard.press('Enter')
    await page.locator('dialog:modal').waitFor()
    await tabToPart(page, 'Withdraw the pause')
    await keyboard.press('Enter')
    await step(/^Renews on /)

    await walkAndGoTo('Change price', /^Plan/)
    await keyboard.type('lamp of the')
    await page.getByRole('option').waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await tabToPart(page, 'Change to €19.99')
    await keyboard.press('Enter')
    await on.toast('The price is changed')
    await step(/^Renews on .* for €19.99$/)

    await open('Edit settings')
    await walkDialog(page, 'More actions')
    await open('Edit settings')
    await tabToPart(page, /^Grace, in days/)
    await keyboard.type('3')
    await keyboard.press('Enter')
    await on.toast('Settings saved')
    expect(await read(id)).toMatchObject({ graceDays: 3 })

    await tabToPart(page, 'To a day', 'Shift+Tab')
    await keyboard.press('Enter')
    await page.locator('dialog:modal', { hasText: /It is / }).waitFor()
    await walkDialog(page, 'To a day')
    await tabToPart(page, 'Advance by 1 day', 'Shift+Tab')
    await keyboard.press('Enter')
    await page.locator('.clock').getByText('Nothing has happened').waitFor({ timeout: 30_000 })
    expect(Date.parse((await shop.call('GET', path('test-clocks', clock.id))).now)).toBe(
      Date.parse(clock.now) + 86_400_000,
    )

    await walkAndGoTo('Cancel subscription', 'Cancel at the end')
    await keyboard.press('Enter')
    await step(/^Ends on /)
  }, 120_000)

  test('one that is past due is canceled immediately at the end of the period, and the dialog says so', async () => {
    const { page, go } = shop
    const { id, clock } = await subscribe({ leadDays: 0, graceDays: 20 })
    const { openInvoiceId } = await read(id)
    await shop.call('POST', `${path('credit-notes')}?livemode=false`, {
      invoiceId: openInvoiceId,
      reason: 'other',
      whole: true,
    })
    const to = new Date(Date.parse(clock.now) + 32 * 86_400_000).toISOString()
    await shop.call('POST', path('test-clocks', clock.id, 'advance'), { to })
    await until(async () => (await read(id)).status === 'past_due')
    await go(`subscriptions/${id}`)
    await open('Cancel subscription')
    await page.getByRole('radio', { name: /^Now, unless it is being paid/ }).waitFor()
    await on.expectSound()
    await on.dialog('Cancel this subscription?').getByRole('button', { name: 'Cancel now' }).click()
    await on.toast('The subscription is canceled')
    expect(await read(id)).toMatchObject({ status: 'canceled', endReason: 'requested' })
  })
})

describe.skipIf(!hasBrowser)('many records', () => {
  test('a plan is found by the beginning of its name among more than a page of them', async () => {
    const { page, go } = shop
    const plan = await make('plans', { ...monthly, name: 'Zeppelin lamp', lines: lines(4_321) })
    for (let n = 0; n < 100; n++) await make('plans', { ...monthly, name: `Bulb ${n}` })
    const { customer } = await newCustomer()
    await go(`subscriptions/new?customer=${customer.id}`)
    await page.getByRole('combobox', { name: 'Plan', exact: true }).fill('zepp')
    await page.getByRole('option', { name: 'Zeppelin lamp €43.21 per month' }).click()
    await on.expectSound()
    await on.click('Subscribe for €43.21 per month')
    await on.toast('Subscription created')
    await page.goBack()
    await go('subscriptions')
    await page.getByRole('combobox', { name: 'Filter by plan' }).fill('zeppelin')
    await page.getByRole('option', { name: /^Zeppelin lamp/ }).click()
    await page.getByRole('button', { name: 'Plan: Zeppelin lamp' }).waitFor()
    expect(new URL(page.url()).searchParams.get('plan')).toBe(plan.id)
    expect(await page.getByRole('row').count()).toBe(2)
    await go('plans?q=zEPP')
    await page.getByRole('row', { name: /Zeppelin lamp/ }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
  })

  test('a customer that exists gets no test clock, which is said at the field', async () => {
    const { page, go } = shop
    const plan = await make('plans', { ...monthly, name: 'Candle' })
    const customer = await make('customers', { email: `${crypto.randomUUID()}@example.com` })
    await go(`subscriptions/new?plan=${plan.id}`)
    await page.getByText('New customer', { exact: true }).click()
    await on.fill('E-mail', customer.email)
    await page.getByRole('checkbox', { name: /^Give the new customer a test clock/ }).check()
    await on.click('Subscribe for €9.99 per month')
    await page.locator('.error', { hasText: 'A customer with this e-mail address exists already' }).waitFor()
    expect(await page.locator('.note--bad').count()).toBe(0)
    await on.expectSound()
    await page.getByRole('checkbox', { name: /^Give the new customer a test clock/ }).uncheck()
    await on.click('Subscribe for €9.99 per month')
    await on.toast('Subscription created')
  })

  test('the timeline shows older periods on request, down to the first', async () => {
    const { page, go } = shop
    const { clock, customer } = await newCustomer()
    const credit = { currency: 'EUR', amountMinor: 999 * 200, note: 'Prepaid' }
    await shop.call('POST', path('customers', customer.id, 'credit'), credit)
    const { id } = await make('subscriptions', { customerId: customer.id, ...monthly, interval: 'day' })
    const to = new Date(Date.parse(clock.now) + 110 * 86_400_000).toISOString()
    await shop.call('POST', path('test-clocks', clock.id, 'advance'), { to })
    await until(async () => (await read(id)).periodIndex === 110)
    await go(`subscriptions/${id}`)
    await page.getByRole('button', { name: /^Show all 10\d periods$/ }).click()
    await page.locator('.timeline li', { hasText: 'Period 111' }).waitFor()
    const first = page.locator('.timeline b').filter({ hasText: /^Period 1(?!\d)/ })
    expect(await first.count()).toBe(0)
    await page.getByRole('button', { name: 'Show older periods' }).click()
    await first.waitFor()
    expect(await page.getByRole('button', { name: 'Show older periods' }).count()).toBe(0)
    await on.expectSound()
  }, 120_000)

  test('the subscriptions of a customer fit with the largest prices', async () => {
    const { page, go } = shop
    const { customerId } = await subscribe({ lines: lines(Number.MAX_SAFE_INTEGER) })
    await go(`customers/${customerId}`)
    await page
      .getByRole('row', { name: /€90,071,992,547,409.91/ })
      .first()
      .waitFor()
    await on.expectSound()
  })
})
