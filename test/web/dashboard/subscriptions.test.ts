import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { invoicesOf } from './invoice-shop.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart, walkDialog, walkPage } from './tab-walk.ts'

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
const makePlan = async (more: object = {}) => {
  const plan = await shop.call('POST', `${path('plans')}?livemode=false`, {
    ...{ name: 'Lamp of the month', currency: 'EUR', interval: 'month' },
    lines: [{ description: 'Lamp', unitAmountMinor: 999, taxRateBps: 0 }],
    ...more,
  })
  expect(plan.object).toBe('plan')
  return plan
}
const make = async (more: object = {}) => {
  const made = await shop.call('POST', `${path('subscriptions')}?livemode=false`, {
    ...{ customer: { email: 'ada@example.com', name: 'Ada Example' }, currency: 'EUR', interval: 'month' },
    ...{ lines: [{ description: 'Lamp', unitAmountMinor: 999, taxRateBps: 0 }], activation: 'immediate', ...more },
  })
  expect(made.object).toBe('subscription')
  return made
}
const read = (id: string) => shop.call('GET', path('subscriptions', id))
const error = (text: string) => shop.page.locator('.error', { hasText: text }).waitFor()
const badge = (word: string) => shop.page.locator('.head .badge', { hasText: word }).waitFor({ timeout: 30_000 })
const step = (text: string | RegExp) => shop.page.locator('.next-step b').filter({ hasText: text }).waitFor()
const choose = async (name: string) => {
  await on.click('More actions')
  await shop.page.getByRole('menuitem', { name, exact: true }).click()
}
const focusOn = (name: string) => until(async () => (await focused(shop.page))?.name === name)

describe.skipIf(!hasBrowser)('subscriptions', () => {
  test('are explained as long as there are none', async () => {
    const { page, go } = shop
    await go('subscriptions')
    await page.getByRole('heading', { name: 'No subscriptions yet' }).waitFor()
    await on.expectSound()
  })

  test('are created for a new customer from the page of a plan, begin with the first payment, and are linked', async () => {
    const { page, go } = shop
    const plan = await makePlan()
    await go(`plans/${plan.id}`)
    await page.getByText('No subscriptions yet.').waitFor()
    await page.getByRole('link', { name: 'New subscription' }).click()
    await on.heading('New subscription')
    await on.click('Subscribe for €9.99 per month')
    await error('Choose a customer from the list')
    await page.getByText('New customer', { exact: true }).click()
    await on.fill('E-mail', 'grace@example.com')
    await page.locator('.preview').getByText('It begins when the first invoice is paid.').waitFor()
    await on.expectSound()
    await page.route(
      '**/subscriptions?*',
      async route => {
        await route.fetch()
        await route.abort('connectionfailed')
      },
      { times: 1 },
    )
    await on.click('Subscribe for €9.99 per month')
    await page.getByText('no second subscription is made').waitFor()
    await on.click('Subscribe for €9.99 per month')
    await on.toast('Subscription created')
    await badge('Not paid yet')
    await step('Begins when its first invoice is paid')
    await page.getByText('The first invoice over €9.99 is not paid yet').waitFor()
    await on.expectSound()
    const { data } = await shop.call('GET', `${path('subscriptions')}?livemode=false`)
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({ planId: plan.id, status: 'incomplete', trialEndsAt: null })

    // The page follows what happens.
    const first = await invoices.read(data[0].openInvoiceId)
    await invoices.pay(first)
    await badge('Active')
    await step(/^Renews on .* for €9.99$/)
    await page.locator('.timeline li', { hasText: 'Period 1' }).getByText('Paid').waitFor()
    await page.locator('.timeline li', { hasText: 'Period 2' }).getByText('The invoice is issued on').waitFor()
    await on.expectSound()
    await walkPage(page)

    await page
      .locator('.timeline')
      .getByRole('link', { name: String(first.number) })
      .click()
    await on.heading(/^Invoice TEST-INV-/)
    await page.getByRole('link', { name: 'Period 1' }).click()
    await page.getByRole('link', { name: 'All invoices of this subscription' }).click()
    await page.getByRole('button', { name: 'One subscription' }).waitFor()
    await page.getByRole('row').nth(1).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await go(`customers/${data[0].customerId}`)
    await page.getByRole('row', { name: /Active.*Lamp of the month/ }).waitFor()
    const { data: events } = await shop.call('GET', `${path('events')}?livemode=false&objectId=${data[0].id}`)
    await go(`events/${events[0].id}`)
    await page.getByRole('link', { name: data[0].id }).click()
    await badge('Active')
    await go(`plans/${plan.id}`)
    await page.getByRole('row', { name: /grace@example.com/ }).waitFor()
  })

  test('start on a day, with own terms, and what is wrong is said at its field', async () => {
    const { page, go } = shop
    const { customerId } = await make()
    await go(`subscriptions/new?customer=${customerId}`)
    await page.getByRole('radio', { name: /^Own terms/ }).check()
    await page.getByRole('radio', { name: /^On a day/ }).check()
    await on.click('Create subscription')
    await error('Enter a day.')
    await focusOn('Description')
    await page.getByLabel('Description', { exact: true }).fill('Lamp')
    await on.fill('Unit price', '12,50')
    await on.fill('Tax %', '0')
    await page.getByLabel('Unit', { exact: true }).selectOption('year')
    await on.fill('First day', '2020-01-01')
    await on.click('Subscribe for €12.50 per year')
    await error('The day must be in the future')
    await focusOn('First day')
    const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
    await on.fill('First day', day)
    await on.expectSound()
    await on.click('Subscribe for €12.50 per year')
    await on.toast('Subscription created')
    const { data } = await shop.call('GET', `${path('subscriptions')}?livemode=false&customerId=${customerId}&limit=1`)
    expect(data[0]).toMatchObject({
      ...{ planId: null, amountMinor: 1_250, interval: 'year', anchorAt: `${day}T00:00:00.000Z`, leadDays: 7 },
    })
  })

  test('are filtered by status, plan and customer', async () => {
    const { page, go } = shop
    const plan = await makePlan({ name: 'Candles', trialDays: 14 })
    const { data: customers } = await shop.call('GET', `${path('customers')}?livemode=false&q=ada`)
    const { id } = await shop.call('POST', `${path('subscriptions')}?livemode=false`, {
      ...{ customerId: customers[0].id, planId: plan.id, reference: 'contract 7' },
    })
    await go(`subscriptions?status=trialing&plan=${plan.id}&customer=${customers[0].id}`)
    await page.getByRole('button', { name: 'Plan: Candles' }).waitFor()
    await page.getByRole('row', { name: /Trial.*Ada Example.*Candles.*contract 7.*Trial until/ }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await on.expectSound()
    await tabToPart(page, 'Ada Example')
    await page.keyboard.press('Enter')
    await step(/^The trial ends on .*, then €9.99$/)
    expect(page.url()).toEndWith(id)
  })

  test('are canceled at the end of the period or now, after a dialog that says until when there is access', async () => {
    const { page, go } = shop
    const { id } = await make({ activation: 'immediate' })
    await go(`subscriptions/${id}`)
    await badge('Active')
    await tabToPart(page, 'More actions')
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByText(/^The customer keeps access until .* No further invoice is issued\.$/).waitFor()
    await page.getByText('The unpaid invoice over €9.99 is voided.').waitFor()
    await on.expectSound()
    await walkDialog(page, 'More actions')
    await choose('Cancel subscription')
    await on.dialog('Cancel this subscription?').getByRole('button', { name: 'Cancel at the end' }).click()
    await on.toast('The subscription will be canceled')
    await step(/^Ends on /)
    expect(await read(id)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await choose('Cancel subscription')
    await page.getByRole('dialog').getByText('The customer loses access immediately.').waitFor()
    await on.dialog('Cancel this subscription?').getByRole('button', { name: 'Cancel now' }).click()
    await on.toast('The subscription is canceled')
    await badge('Canceled')
    await page.getByText('It was canceled by you. The customer has no access.').waitFor()
    expect(await read(id)).toMatchObject({ status: 'canceled', endReason: 'requested' })
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0)
  })

  test('of a customer with a hostile name are text', async () => {
    const { page, go } = shop
    const name = `<img src=x onerror=alert(1)>${'x'.repeat(150)}`
    const { id } = await make({
      ...{ customer: { email: 'mallory@example.com', name }, reference: '"><svg onload=alert(1)>' },
      lines: [{ description: `<b>${'y'.repeat(250)}`, unitAmountMinor: 1 }],
    })
    await go('subscriptions')
    await page.getByRole('link', { name: /^<img src=x/ }).waitFor()
    await on.expectSound()
    await go(`subscriptions/${id}`)
    await badge('Active')
    await page.getByText('"><svg onload=alert(1)>', { exact: true }).first().waitFor()
    await on.expectSound()
    expect(await page.locator('img[src=x], svg[onload]').count()).toBe(0)
  })

  test('a viewer reads them, and finds no action', async () => {
    const { page, go, served } = shop
    const { id } = await make()
    const role = (to: string) => served.server.sql`update members set role = ${to}`
    await role('viewer')
    try {
      await go(`subscriptions/${id}`)
      await badge('Active')
      expect(await page.locator('.head .buttons').getByRole('button').count()).toBe(0)
      await go('subscriptions/new')
      await on.heading('New subscription')
      expect(await page.locator('form input[name=start]').count()).toBe(0)
      await go('subscriptions')
      await page
        .getByRole('row', { name: /Ada Example/ })
        .first()
        .waitFor()
      expect(await page.getByRole('link', { name: 'New subscription' }).count()).toBe(0)
    } finally {
      await role('owner')
    }
  })
})
