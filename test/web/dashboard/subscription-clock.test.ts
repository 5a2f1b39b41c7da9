import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { invoicesOf } from './invoice-shop.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { walkPage } from './tab-walk.ts'

let shop: SandboxShop
let invoices: ReturnType<typeof invoicesOf>

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  invoices = invoicesOf(shop)
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const on = onPage(() => shop.page)
const path = (...parts: readonly string[]) => ['/v1/merchants', shop.merchant, ...parts].join('/')
const badge = (word: string) => shop.page.locator('.head .badge', { hasText: word }).waitFor({ timeout: 30_000 })
const step = (text: string | RegExp) =>
  shop.page.locator('.next-step b').filter({ hasText: text }).waitFor({ timeout: 30_000 })
const choose = async (name: string) => {
  await on.click('More actions')
  await shop.page.getByRole('menuitem', { name, exact: true }).click()
}
const confirm = (button: string) => shop.page.getByRole('dialog').getByRole('button', { name: button }).click()

/** The subscription of the open page, as the server has it. */
const read = () => shop.call('GET', path('subscriptions', new URL(shop.page.url()).pathname.split('/').at(-1) ?? ''))

/** Pays what is open. */
const pay = async () => {
  const { openInvoiceId } = await read()
  await invoices.pay(await invoices.read(openInvoiceId))
  await invoices.shows(openInvoiceId, { status: 'paid' })
}

/** Advances the clock by a button, and waits for the result. */
const advance = async (button: string | RegExp) => {
  const { page } = shop
  await page.locator('.clock').getByRole('button', { name: button }).click()
  await page
    .locator('.clock')
    .getByText(/event(s have| has) happened|Nothing has happened/)
    .waitFor({ timeout: 30_000 })
}

describe.skipIf(!hasBrowser)('a subscription with a test clock', () => {
  test('goes through three periods, a pause, a change of price, and is canceled', async () => {
    const { page, go, call } = shop
    const make = (name: string, unitAmountMinor: number) =>
      call('POST', `${path('plans')}?livemode=false`, {
        ...{ name, currency: 'EUR', interval: 'month' },
        lines: [{ description: name, unitAmountMinor, taxRateBps: 0 }],
      })
    const plan = await make('Lamp of the month', 999)
    await make('Lamp of the week', 1_999)
    await go(`subscriptions/new?plan=${plan.id}`)
    await page.getByText('New customer', { exact: true }).click()
    await on.fill('E-mail', 'grace@example.com')
    await page.getByRole('checkbox', { name: /^Give the new customer a test clock/ }).check()
    await on.expectSound()
    await on.click('Subscribe for €9.99 per month')
    await on.toast('Subscription created')
    await badge('Not paid yet')
    await page
      .locator('.clock')
      .getByText(/^It is/)
      .waitFor()
    await pay()
    await badge('Active')
    await step(/^Renews on .* for €9.99$/)
    await page.getByRole('heading', { name: 'Next invoice' }).waitFor()
    await page.getByText(/^Issued on .*, due on /).waitFor()
    await on.expectSound()
    await walkPage(page)

    // The invoice of a period is issued before it begins. Paid, the period begins; not paid, it is owed.
    for (const period of [1, 2, 3]) {
      await advance('Advance by 1 month')
      await badge('Past due')
      await page.getByText('€9.99 is not paid').waitFor()
      await pay()
      await badge('Active')
      await until(async () => (await read()).periodIndex === period)
      await page
        .locator('.timeline li', { hasText: `Period ${period + 1}` })
        .getByText('Now')
        .waitFor()
    }
    await page.locator('.clock').getByRole('link', { name: 'subscription.past_due' }).waitFor()
    await on.expectSound()

    await choose('Pause')
    await page.getByText(/^The customer keeps access until .*, the end of what is paid\./).waitFor()
    await on.expectSound()
    await confirm('Pause')
    await on.toast('The subscription will be paused')
    await step(/^Is paused on /)
    await on.click('Withdraw the pause')
    await page.getByText(/^It goes on without a break, and renews on .* for €9.99\.$/).waitFor()
    await confirm('Withdraw the pause')
    await step(/^Renews on /)
    await choose('Pause')
    await confirm('Pause')
    await step(/^Is paused on /)
    await advance(/^To the next boundary/)
    await badge('Paused')
    await step('Rests until it is resumed')
    await on.click('Resume')
    await page.getByText(/^It goes on with the next period, on .*, for €9.99\./).waitFor()
    await confirm('Resume')
    await step('Resumes with the next period')
    await advance('Advance by 1 month')
    await badge('Past due')
    await pay()
    await badge('Active')

    await choose('Change price')
    await page.getByRole('dialog').getByRole('combobox').fill('lamp of the W')
    await page.getByRole('option', { name: 'Lamp of the week €19.99 per month' }).click()
    await page.getByText(/^From the period that begins on .*, a period costs €19.99 instead of €9.99\./).waitFor()
    await on.expectSound()
    await confirm('Change to €19.99')
    await on.toast('The price is changed')
    await step(/^Renews on .* for €19.99$/)

    await choose('Edit settings')
    await page.getByRole('dialog').getByLabel('Grace, in days').fill('28')
    await confirm('Save')
    await page.locator('.error', { hasText: 'Enter a whole number from 0 to 27.' }).waitFor()
    await page.getByRole('dialog').getByLabel('Grace, in days').fill('3')
    await confirm('Save')
    await on.toast('Settings saved')
    expect((await read()).graceDays).toBe(3)

    await choose('Cancel subscription')
    await confirm('Cancel at the end')
    await step(/^Ends on /)
    await on.click('Withdraw the cancellation')
    await confirm('Withdraw the cancellation')
    await step(/^Renews on .* for €19.99$/)
    await choose('Cancel subscription')
    await page.getByRole('radio', { name: /^Now/ }).check()
    await confirm('Cancel now')
    await badge('Canceled')
    expect(await read()).toMatchObject({ status: 'canceled', endReason: 'requested' })
    await on.expectSound()

    await go(`customers/${(await read()).customerId}`)
    await page.locator('.clock').getByRole('button', { name: 'Advance by 1 day' }).waitFor()
  }, 180_000)

  test('a clock is not turned back, and a viewer only reads its time', async () => {
    const { page, go, call, served } = shop
    const clock = await call('POST', path('test-clocks'), {})
    expect(clock.object).toBe('test_clock')
    const made = await call('POST', `${path('subscriptions')}?livemode=false`, {
      ...{ customer: { email: 'alan@example.com' }, testClockId: clock.id, currency: 'EUR', interval: 'week' },
      ...{ lines: [{ description: 'Lamp', unitAmountMinor: 999, taxRateBps: 0 }], activation: 'immediate' },
    })
    await go(`subscriptions/${made.id}`)
    await page.locator('.clock').getByRole('button', { name: 'To a day' }).click()
    await page.getByRole('dialog').getByLabel('Day').fill('2020-01-01')
    await confirm('Advance')
    await page.locator('.error', { hasText: 'The day must be later' }).waitFor()
    await on.expectSound()
    await page.keyboard.press('Escape')
    expect((await call('GET', path('test-clocks', clock.id))).now).toBe(clock.now)
    await served.server.sql`update members set role = 'viewer'`
    try {
      await page.reload()
      await page
        .locator('.clock')
        .getByText(/^It is/)
        .waitFor()
      expect(await page.locator('.clock').getByRole('button').count()).toBe(0)
      expect(await page.locator('.head .buttons').getByRole('button').count()).toBe(0)
    } finally {
      await served.server.sql`update members set role = 'owner'`
    }
  })
})
