import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart, walkDialog, walkPage } from './tab-walk.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const on = onPage(() => shop.page)
const path = (...parts: readonly string[]) => ['/v1/merchants', shop.merchant, 'plans', ...parts].join('/')
const make = async (more: object = {}) => {
  const plan = await shop.call('POST', `${path()}?livemode=false`, {
    ...{ name: 'Lamp of the month', currency: 'EUR', interval: 'month' },
    lines: [{ description: 'Lamp', unitAmountMinor: 999, taxRateBps: 0 }],
    ...more,
  })
  expect(plan.object).toBe('plan')
  return plan
}
const plans = async () => (await shop.call('GET', `${path()}?livemode=false&limit=100`)).data
const focusOn = (name: string) => until(async () => (await focused(shop.page))?.name === name)
const error = (text: string) => shop.page.locator('.error', { hasText: text }).waitFor()

describe.skipIf(!hasBrowser)('plans', () => {
  test('are explained as long as there are none', async () => {
    const { page, go } = shop
    await go('plans')
    await page.getByRole('heading', { name: 'No plans yet' }).waitFor()
    await page.getByText('A plan is a price that repeats').waitFor()
    await on.expectSound()
    await page.locator('.empty').getByRole('link', { name: 'New plan' }).click()
    await on.heading('New plan')
  })

  test('are created from a form that says what is wrong at its field, once although the response is lost', async () => {
    const { page, go } = shop
    await go('plans/new')
    await on.click('Create plan')
    for (const text of ['Enter a name.', 'Describe what is charged.', 'Enter an amount such as 49.00'])
      await error(text)
    await focusOn('Name')
    await on.fill('Name', 'Lamp of the month')
    await page.getByLabel('Description', { exact: true }).fill('Lamp')
    await on.fill('Unit price', '9.99')
    await on.fill('Tax %', '0')
    // The bound of the grace is that of the interval.
    await on.fill('Grace, in days', '7')
    await page.getByLabel('Unit', { exact: true }).selectOption('week')
    await on.click('Create plan for €9.99 per week')
    await error('Enter a whole number from 0 to 6.')
    await focusOn('Grace, in days')
    await page.getByLabel('Unit', { exact: true }).selectOption('month')
    await on.fill('Free trial, in days', '14')
    await page.locator('.preview').getByText('The first 14 days are free.').waitFor()
    await on.expectSound()
    await page.route(
      '**/plans?*',
      async route => {
        await route.fetch()
        await route.abort('connectionfailed')
      },
      { times: 1 },
    )
    await on.click('Create plan for €9.99 per month')
    await page.getByText('The server does not answer.').waitFor()
    await on.click('Create plan for €9.99 per month')
    await on.toast('Plan created')
    await on.heading('Lamp of the month')
    const all = await plans()
    expect(all).toHaveLength(1)
    expect(all[0]).toMatchObject({
      ...{ name: 'Lamp of the month', amountMinor: 999, interval: 'month', intervalCount: 1, trialDays: 14 },
      ...{ leadDays: 7, graceDays: 7, maxPeriods: null, activation: 'on_payment', afterGrace: 'cancel' },
    })
  })

  test('a reference that another plan has is refused at its field, which is folded away before', async () => {
    const { page, go } = shop
    const first = await make({ reference: 'lotm' })
    await go('plans/new')
    await on.fill('Name', 'Lamp of the year')
    await page.getByLabel('Description', { exact: true }).fill('Lamp')
    await on.fill('Unit price', '99')
    await page.locator('.more summary').click()
    await page.locator('[name=reference]').fill('lotm')
    await page.locator('.more summary').click()
    await on.click(/^Create plan for/)
    await error('lotm is used by another plan.')
    expect(await page.getByRole('link', { name: 'Open that plan' }).getAttribute('href')).toBe(
      `/dashboard/${shop.merchant}/test/plans/${first.id}`,
    )
    await focusOn('Reference (optional)')
  })

  test('show their terms in sentences, and share their page', async () => {
    const { page, go } = shop
    const plan = await make({ graceDays: 0, afterGrace: 'pause', maxPeriods: 12, activation: 'immediate', leadDays: 1 })
    await go(`plans/${plan.id}`)
    await on.heading('Lamp of the month')
    const terms = page.locator('.terms')
    for (const sentence of [
      'The customer pays €9.99 per month.',
      'It begins immediately. The first invoice is due as the billing settings say.',
      'The invoice of a period is issued 1 day before the period begins, and is due when it begins.',
      'If it is not paid then, the subscription is paused immediately and the invoice is voided.',
      'It ends after 12 periods.',
    ])
      await terms.getByText(sentence, { exact: true }).waitFor()
    await page.locator(`code[data-value="${plan.url}"]`).waitFor()
    await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
    await on.expectSound()
    await walkPage(page)
  })

  test('change their texts only, and are archived after a question that names its consequences', async () => {
    const { page, go } = shop
    const plan = await make({ description: 'Before' })
    await go(`plans/${plan.id}`)
    await tabToPart(page, 'Edit')
    await page.keyboard.press('Enter')
    await walkDialog(page, 'Edit')
    await on.click('Edit')
    const dialog = on.dialog('Edit plan')
    await dialog.getByLabel('Name').fill(' ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await error('Enter a name.')
    await dialog.getByLabel('Name').fill('Lamp of the season')
    await dialog.getByLabel('Description').fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await on.toast('Plan saved')
    await on.heading('Lamp of the season')
    expect(await shop.call('GET', path(plan.id))).toMatchObject({ name: 'Lamp of the season', description: null })
    await on.click('Archive')
    await page.getByText('Its page closes, and no new customer can subscribe. This cannot be undone.').waitFor()
    await on.expectSound()
    await on.dialog('Archive this plan?').getByRole('button', { name: 'Archive' }).click()
    await on.toast('The plan is archived')
    await page.locator('.head .badge', { hasText: 'Archived' }).waitFor()
    expect((await shop.call('GET', path(plan.id))).status).toBe('archived')
    expect(await page.getByRole('button', { name: 'Archive', exact: true }).count()).toBe(0)
    await go('plans?status=archived')
    await page.getByRole('row', { name: /Archived.*Lamp of the season/ }).waitFor()
    expect(await page.getByRole('row', { name: /Active/ }).count()).toBe(0)
  })

  test('with hostile names are text, and stay in the window', async () => {
    const { page, go } = shop
    const name = `<img src=x onerror=alert(1)>${'x'.repeat(150)}`
    const { id } = await make({ name, description: `</script>${'y '.repeat(400)}`, reference: '"><svg onload=1>' })
    await go('plans')
    await page.getByRole('link', { name: /^<img src=x/ }).waitFor()
    await on.expectSound()
    await go(`plans/${id}`)
    await on.heading(/^<img src=x/)
    await on.expectSound()
    expect(await page.locator('img[src=x], svg[onload]').count()).toBe(0)
  })

  test('a viewer reads them, and finds no action', async () => {
    const { page, go, served } = shop
    const { id } = await make()
    const role = (to: string) => served.server.sql`update members set role = ${to} where merchant_id is not null`
    await role('viewer')
    try {
      await go(`plans/${id}`)
      await on.heading('Lamp of the month')
      await until(async () => (await page.locator('.head button').count()) === 1)
      for (const name of ['Edit', 'Archive'])
        expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
      await go('plans/new')
      await on.heading('New plan')
      expect(await page.locator('form input[name=name]').count()).toBe(0)
      await go('plans')
      await page
        .getByRole('row', { name: /Lamp of the month/ })
        .first()
        .waitFor()
      expect(await page.getByRole('link', { name: 'New plan' }).count()).toBe(0)
    } finally {
      await role('owner')
    }
  })
})
