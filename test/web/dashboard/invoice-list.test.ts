import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

let shop: SandboxShop
/** Customers and invoices by a name. */
const ids: Record<string, string> = {}

const base = () => `/v1/merchants/${shop.merchant}`
const create = async (name: string, customer: string, more: object = {}): Promise<void> => {
  const lines = [{ description: name, unitAmountMinor: 4_900 }]
  const json = { customerId: ids[customer], currency: 'EUR', lines, ...more }
  ids[name] = String((await shop.call('POST', `${base()}/invoices`, json)).id)
}

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  for (const name of ['ada', 'bo'])
    ids[name] = String((await shop.call('POST', `${base()}/customers`, { email: `${name}@example.com` })).id)
  await create('draft', 'ada', { reference: 'order 7' })
  await create('early', 'ada', { finalize: true, dueDate: '2100-01-10', reference: 'order 8' })
  await create('late', 'bo', { finalize: true, dueDate: '2100-03-10' })
  await create('free', 'bo', { finalize: true, lines: [{ description: 'Gift', unitAmountMinor: 0 }] })
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const on = onPage(() => shop.page)
const links = () => shop.page.locator('.table a.open')
/** The list has these invoices and no others. */
const expectListed = async (...names: readonly string[]): Promise<void> => {
  const wanted = names.map(name => ids[name])
  await until(async () => {
    const hrefs = await links().evaluateAll(all => all.map(each => each.getAttribute('href') ?? ''))
    return JSON.stringify(hrefs.map(href => href.split('/').at(-1))) === JSON.stringify(wanted)
  })
}

// One shop: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('the list of invoices', () => {
  test('shows number, customer, state and what is due, of drafts as well', async () => {
    const { page } = shop
    await shop.go('invoices')
    await expectListed('free', 'late', 'early', 'draft')
    await page.getByRole('row', { name: /Draft.*Draft.*ada@example\.com.*order 7.*€49\.00/ }).waitFor()
    await page
      .getByRole('row', { name: /Open.*TEST-INV-\d{4}-0001.*ada@example\.com.*Jan 10, 2100.*€49\.00/ })
      .waitFor()
    await page.getByRole('row', { name: /Paid.*TEST-INV-\d{4}-0003.*bo@example\.com.*€0\.00/ }).waitFor()
    await on.expectSound()
  })

  test('warns as long as a reminder is planned and no endpoint receives it', async () => {
    const { page } = shop
    const warning = page.getByText('No endpoint receives invoice.reminder')
    await warning.waitFor()
    await page.getByRole('link', { name: 'Add an endpoint' }).waitFor()
    await on.expectSound()
    await shop.go(`customers/${ids.bo}`)
    await warning.waitFor()
    await on.expectSound()
    await shop.call('POST', `${base()}/webhook-endpoints?livemode=false`, {
      ...{ inbox: true, eventTypes: ['invoice.reminder'] },
    })
    await shop.go('invoices')
    await links().first().waitFor()
    expect(await warning.count()).toBe(0)
  })

  test('does not warn about drafts and paid invoices', async () => {
    const { page } = shop
    const endpoints = (await shop.call('GET', `${base()}/webhook-endpoints?livemode=false`)).data
    await shop.call('DELETE', `${base()}/webhook-endpoints/${endpoints[0].id}`)
    await page.reload()
    const warning = page.getByText('No endpoint receives invoice.reminder')
    await warning.waitFor()
    for (const status of ['draft', 'paid']) {
      await shop.go(`invoices?status=${status}`)
      await links().first().waitFor()
      expect(await warning.count()).toBe(0)
    }
    await shop.go('invoices')
  })

  test('is filtered by status, due date, number, reference and customer, in the address', async () => {
    const { page } = shop
    await page.getByLabel('Status', { exact: true }).selectOption('open')
    await expectListed('late', 'early')
    await page.getByLabel('Due before').fill('2100-03-10')
    await expectListed('early')
    await page.getByLabel('Due before').fill('2100-03-11')
    await expectListed('late', 'early')
    await page.reload()
    await expectListed('late', 'early')
    await on.expectSound()
    await on.click('Overdue')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    expect(new URL(page.url()).searchParams.get('overdue')).toBe('true')
    await on.click('Remove the filters', 'link')
    await expectListed('free', 'late', 'early', 'draft')
    const number = String((await shop.call('GET', `${base()}/invoices/${ids.late}`)).number)
    await on.fill('Search invoices', number)
    await expectListed('late')
    await on.fill('Search invoices', 'order 7')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByLabel('Search in', { exact: true }).selectOption('reference')
    await expectListed('draft')
    await shop.go('invoices')
    await page.getByRole('combobox', { name: 'Filter by customer' }).fill('bo@example')
    await page.getByRole('option', { name: /bo@example\.com/ }).click()
    await expectListed('free', 'late')
    await on.expectSound()
    await on.click('Customer: bo@example.com')
    await expectListed('free', 'late', 'early', 'draft')
    await shop.go('invoices?by=reference&q=order+7')
    await expectListed('draft')
  })

  test('moves by j and k, and Enter opens an invoice', async () => {
    const { page } = shop
    await shop.go('invoices')
    await expectListed('free', 'late', 'early', 'draft')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await until(() => page.url().endsWith(ids.late ?? '-'))
  })

  test('changes in place, and offers new invoices above the rows', async () => {
    const { page } = shop
    await shop.go('invoices')
    await expectListed('free', 'late', 'early', 'draft')
    await shop.call('POST', `${base()}/invoices/${ids.late}/uncollectible`)
    await page.getByRole('row', { name: /Uncollectible/ }).waitFor()
    await create('newer', 'ada')
    await page.getByRole('button', { name: /1 new invoice – show/ }).waitFor()
    await page.keyboard.press('.')
    await expectListed('newer', 'free', 'late', 'early', 'draft')
    await shop.call('DELETE', `${base()}/invoices/${ids.newer}`)
    await expectListed('free', 'late', 'early', 'draft')
  })

  test('a customer has its invoices on its page, which leads to all of them and to a new one', async () => {
    const { page } = shop
    await shop.go(`customers/${ids.ada}`)
    const section = page.getByRole('region', { name: 'Invoices' })
    await section.getByRole('row', { name: /Draft.*€49\.00/ }).waitFor()
    expect(await section.locator('a.open').count()).toBe(2)
    await section.getByRole('link', { name: 'All invoices' }).click()
    await expectListed('early', 'draft')
    await page.getByRole('button', { name: 'Customer: ada@example.com', pressed: true }).waitFor()
    await page.goBack()
    await section.getByRole('link', { name: 'New invoice' }).click()
    await on.heading('New invoice')
    await page.locator(`[data-customer="${ids.ada}"]`, { hasText: 'ada@example.com' }).waitFor()
  })

  test('Ctrl K finds an invoice by its number, and leads to a new one', async () => {
    const { page } = shop
    const number = String((await shop.call('GET', `${base()}/invoices/${ids.early}`)).number)
    await page.keyboard.press('Control+k')
    await page.locator('.palette input').fill(number)
    await page.getByRole('option', { name: new RegExp(`${number}.*ada@example.com`) }).click()
    await until(() => page.url().endsWith(ids.early ?? '-'))
    await page.keyboard.press('Control+k')
    await page.locator('.palette input').fill('New inv')
    await page.getByRole('option', { name: 'New invoice', exact: true }).click()
    await on.heading('New invoice')
  })

  test('the largest amount does not touch the longest state in a narrow window', async () => {
    const { page } = shop
    await create('largest', 'bo', {
      finalize: true,
      lines: [{ description: 'Fleet', unitAmountMinor: Number.MAX_SAFE_INTEGER }],
    })
    await shop.call('POST', `${base()}/invoices/${ids.largest}/uncollectible`)
    await page.setViewportSize({ width: 360, height: 800 })
    await shop.go('invoices')
    const row = page.getByRole('row', { name: /€90,071,992,547,409\.91/ })
    const boxOf = async (selector: string) => {
      const box = await row.locator(selector).first().boundingBox()
      if (!box) throw new Error(`there is no ${selector}`)
      return box
    }
    const [amount, badge] = [await boxOf('.money'), await boxOf('.badge')]
    expect(badge.x >= amount.x + amount.width || badge.y >= amount.y + amount.height).toBe(true)
    await on.expectSound()
  })
})
