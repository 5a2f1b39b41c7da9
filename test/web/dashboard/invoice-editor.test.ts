import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart, walkDialog } from './tab-walk.ts'

let shop: SandboxShop
let ada: string

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  ada = String((await shop.call('POST', `${base()}/customers`, { email: 'ada@example.com', name: 'Ada Example' })).id)
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const on = onPage(() => shop.page)
const base = () => `/v1/merchants/${shop.merchant}`
const path = (...parts: readonly string[]) => [base(), 'invoices', ...parts].join('/')
const read = (id: string) => shop.call('GET', path(id))
const listed = async (): Promise<readonly Record<string, unknown>[]> =>
  (await shop.call('GET', `${path()}?limit=100`)).data
const create = async (more: object = {}): Promise<string> => {
  const lines = [{ description: 'Lantern', quantity: '2', unitAmountMinor: 4_900 }]
  return String((await shop.call('POST', path(), { customerId: ada, currency: 'EUR', lines, ...more })).id)
}
const idInAddress = () => /inv_\w+/.exec(shop.page.url())?.[0] ?? ''
/** The fields of the line with this number. */
const line = (n: number): Locator => shop.page.getByRole('group', { name: `Line ${n}`, exact: true })
const field = (n: number, label: string): Locator => line(n).getByLabel(label, { exact: true })
const note = (title: string | RegExp): Locator => shop.page.locator('.note', { hasText: title })
/** Below the lines of the form. */
const sums = (): Promise<readonly string[]> => shop.page.locator('.editor__form .sums dd').allTextContents()
const money = (minor: unknown, currency = 'EUR'): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(minor) / 100).replace('-', '−')
const sumsOf = ({ subtotalMinor, taxes, totalMinor }: Record<string, unknown>): readonly string[] => [
  money(subtotalMinor),
  ...(taxes as { taxMinor: number }[]).map(({ taxMinor }) => money(taxMinor)),
  money(totalMinor),
]

/** A hundred lines of four rates and two categories, with quantities and prices that do not come out even. */
const hundredLines = Array.from({ length: 100 }, (_, n) => ({
  description: `Lantern ${n + 1}`,
  quantity: ['1', '0.333333', '7', '2.5', '1000'][n % 5],
  unitAmountMinor: n % 17 === 16 ? -333 : 1_999 + 7 * n,
  ...(n % 11 === 5
    ? { taxCategory: 'reverse_charge', taxNote: 'Article 196' }
    : { taxRateBps: [1_900, 700, 0, 1_055][n % 4] }),
}))

// One shop: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('the editor of invoices', () => {
  test('an empty list leads to a new invoice, whose faults are said at their fields', async () => {
    const { page } = shop
    await shop.go('invoices')
    await page.getByRole('heading', { name: 'No invoices yet' }).waitFor()
    await on.expectSound()
    await on.click('New invoice', 'link')
    await on.heading('New invoice')
    await page.locator('.line').waitFor()
    await field(1, 'Quantity').fill('1,000')
    await field(1, 'Tax %').fill('101')
    await page.getByRole('radio', { name: 'Days after the issue', exact: true }).check()
    await on.fill('Days', '366')
    await on.click('Save draft')
    for (const text of [
      ...[
        'Choose a customer from the list, or choose',
        'Describe what is charged.',
        'Enter a number above 0, such as 1.5',
      ],
      ...['Enter an amount such as 49.00.', 'Enter a number from 0 to 100.', 'Enter a whole number from 0 to 365.'],
      '6 fields need a correction.',
    ])
      await page.getByText(text).waitFor()
    expect((await focused(page))?.name).toBe('Find a customer')
    await on.expectSound()
    await line(1).getByText('Tax category and period').click()
    await field(1, 'Tax category').selectOption('exempt')
    await page.getByText('Enter the reason: this category needs one.').waitFor()
    await page.getByLabel('New customer').check()
    await on.fill('E-mail', 'bo')
    await page.getByText('Enter an e-mail address, such as ada@example.com.').waitFor()
    await on.expectSound()
    expect(await listed()).toEqual([])
  })

  test('a draft is written by keyboard alone: customer, lines, their order, and a new line by Enter', async () => {
    const { page } = shop
    await shop.go('invoices/new')
    await page.locator('.line').waitFor()
    await tabToPart(page, 'Find a customer')
    await page.keyboard.type('ada')
    await page.getByRole('option', { name: /Ada Example/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator(`[data-customer="${ada}"]`, { hasText: 'ada@example.com' }).waitFor()
    expect((await focused(page))?.name).toBe('Change customer')
    await page.keyboard.press('Enter')
    await until(async () => (await focused(page))?.name === 'Find a customer')
    await page.keyboard.type('ada')
    await page.getByRole('option', { name: /Ada Example/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator(`[data-customer="${ada}"]`, { hasText: 'ada@example.com' }).waitFor()
    await tabToPart(page, 'Description')
    await page.keyboard.type('Lantern')
    await tabToPart(page, 'Unit price')
    await page.keyboard.type('49.00')
    await page.keyboard.press('Enter')
    await line(2).waitFor()
    expect((await focused(page))?.name).toBe('Description')
    await page.keyboard.type('Discount')
    await tabToPart(page, 'Unit price')
    await page.keyboard.type('-9,00')
    expect(await sums()).toEqual(['€40.00', '€0.00', '€40.00'])
    await page.keyboard.press('Alt+ArrowUp')
    await page.getByText('Line 2 is now line 1.').waitFor()
    expect(await field(1, 'Description').inputValue()).toBe('Discount')
    // The focus has moved with the line.
    await page.keyboard.press('End')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('5')
    expect(await field(1, 'Unit price').inputValue()).toBe('-9,05')
    await page.keyboard.press('Enter')
    expect(await field(2, 'Description').evaluate(each => each === document.activeElement)).toBe(true)
    await tabToPart(page, 'Remove line 2')
    await page.keyboard.press('Space')
    await until(async () => (await page.locator('.line').count()) === 1)
    expect((await focused(page))?.name).toBe('Description')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Lantern')
    await tabToPart(page, 'Unit price')
    await page.keyboard.type('49')
    await tabToPart(page, 'Save draft')
    await page.keyboard.press('Enter')
    await on.toast('Draft saved')
    await until(() => idInAddress() !== '')
    const invoice = await read(idInAddress())
    expect(invoice).toMatchObject({ status: 'draft', customerId: ada, totalMinor: 3_995, number: null })
    expect(invoice.lines.map(({ description }: { description: string }) => description)).toEqual([
      'Discount',
      'Lantern',
    ])
  })

  test.each(['exclusive', 'inclusive'] as const)(
    'the sums of a hundred lines with prices %p of tax are exactly those of the server',
    async taxBehavior => {
      const { page } = shop
      const id = await create({ lines: hundredLines, taxBehavior })
      await shop.go(`invoices/${id}/edit`)
      await line(100).waitFor()
      const before = await read(id)
      expect(await sums()).toEqual(sumsOf(before))
      for (const n of [1, 2, 17, 50, 100])
        expect(await line(n).getByRole('status', { name: 'Amount' }).textContent()).toBe(
          money(before.lines[n - 1].amountMinor),
        )
      await page.getByText('There can be at most 100 lines.').waitFor()
      await field(50, 'Unit price').fill('12345.67')
      await field(3, 'Quantity').fill('0,142857')
      const shown = await sums()
      expect(shown).not.toEqual(sumsOf(before))
      await on.click('Save draft')
      await on.toast('Draft saved')
      const after = await read(id)
      expect(after.lines[49].unitAmountMinor).toBe(1_234_567)
      expect(after.lines[2].quantity).toBe('0.142857')
      expect(shown).toEqual(sumsOf(after))
    },
    60_000,
  )

  test('the preview has the words and sums of the PDF, behind a tab in a narrow window', async () => {
    const { page } = shop
    const id = await create({ notes: 'Thank you.', taxBehavior: 'inclusive' })
    await shop.go(`invoices/${id}/edit`)
    const paper = page.locator('.paper__sheet')
    await paper.getByText('This is a draft. It has no number and is not an invoice.').waitFor()
    await field(1, 'Tax %').fill('19')
    for (const text of ['Ada Example', '€98.00', 'Tax 19% on €82.35', '€15.65', 'Prices include tax.', 'Thank you.'])
      await paper.getByText(text, { exact: true }).first().waitFor()
    await page.setViewportSize({ width: 1_000, height: 800 })
    expect(await paper.isVisible()).toBe(false)
    await page.getByRole('tab', { name: 'Preview' }).click()
    await paper.waitFor()
    expect(await page.locator('.line').isVisible()).toBe(false)
    await on.expectSound()
    await field(1, 'Description').waitFor()
  })

  test('what the server refuses is shown at the field of its line', async () => {
    const { page } = shop
    const id = await create({ lines: hundredLines.slice(0, 4) })
    await shop.go(`invoices/${id}/edit`)
    await field(4, 'Description').fill('Lantern \u202e 4')
    await on.click('Save draft')
    await line(4).getByText('The server does not accept this value.').waitFor()
    expect(await field(4, 'Description').getAttribute('aria-invalid')).toBe('true')
    await until(async () => (await focused(page))?.name === 'Description')
    expect(await page.locator('.note[role=alert]').count()).toBe(0)
    await field(4, 'Description').fill('Lantern 4')
    await page.getByLabel('On a day').check()
    await on.fill('Due date', '2020-01-01')
    await on.click('Save draft')
    await page.getByText('The due date must not be before today.').waitFor()
    await page.getByRole('group', { name: 'Due' }).getByLabel('As in the settings').check()
    await on.click('Save draft')
    await on.toast('Draft saved')
    expect((await read(id)).lines[3].description).toBe('Lantern 4')
  })

  test('a total out of range and a draft that is too large are explained and not sent', async () => {
    await shop.go(`invoices/new?customer=${ada}`)
    await field(1, 'Description').fill('Discount')
    await field(1, 'Unit price').fill('-0.01')
    await note('The total is out of range').waitFor()
    await on.click('Save draft')
    await field(1, 'Unit price').fill('90071992547409.91')
    expect(await sums()).toEqual(['€90,071,992,547,409.91', '€0.00', '€90,071,992,547,409.91'])
    await field(1, 'Quantity').fill('2')
    await note('The total is out of range').waitFor()
    const before = (await listed()).length
    const text = 'é'.repeat(300)
    const id = await create({ lines: hundredLines.map(each => ({ ...each, description: 'é'.repeat(220) })) })
    await leaveAnyway(`invoices/${id}/edit`)
    await line(100).waitFor()
    for (let n = 1; n <= 40; n++) await field(n, 'Description').fill(text)
    await note(/The draft is too large: \d+ KiB of 64 KiB/).waitFor()
    const updatedAt = (await read(id)).updatedAt
    await on.click('Save draft')
    expect((await read(id)).updatedAt).toBe(updatedAt)
    expect((await listed()).length).toBe(before + 1)
    await on.expectSound()
  }, 60_000)

  test('a connection that is lost while a draft is saved makes no second draft, also when more is typed meanwhile', async () => {
    const { page } = shop
    const before = (await listed()).length
    await leaveAnyway(`invoices/new?customer=${ada}`)
    await field(1, 'Description').fill('Lantern')
    await field(1, 'Unit price').fill('49.00')
    let lost = 0
    await page.route('**/invoices?livemode=false', async route => {
      if (route.request().method() !== 'POST' || ++lost > 2) return route.fallback()
      // The server has received it, its response is lost.
      await route.fetch()
      await route.abort('connectionreset')
    })
    await on.click('Save draft')
    await page.getByText('It is not known whether the server received the draft.').waitFor()
    expect((await listed()).length).toBe(before + 1)
    await on.click('Save draft')
    await until(() => lost === 2)
    await page.getByText('It is not known whether the server received the draft.').waitFor()
    await field(1, 'Quantity').fill('3')
    await on.click('Save draft')
    await on.toast('Draft saved')
    await page.unroute('**/invoices?livemode=false')
    expect((await listed()).length).toBe(before + 1)
    expect(await read(idInAddress())).toMatchObject({ totalMinor: 14_700, lines: [{ quantity: '3' }] })
  })

  test('leaving with unsaved changes asks first, by a link, the palette and the back button', async () => {
    const { page } = shop
    const before = (await listed()).length
    await shop.go('invoices')
    await on.click('New invoice', 'link')
    // Nothing was typed yet.
    await field(1, 'Description').waitFor()
    await page.goBack()
    await on.heading('Invoices')
    await page.goForward()
    await field(1, 'Description').fill('Paper lantern')
    const asked = on.dialog('Leave without saving?')
    const stay = async () => {
      await asked.waitFor()
      await asked.getByRole('button', { name: 'Stay' }).click()
      expect(await field(1, 'Description').inputValue()).toBe('Paper lantern')
      expect(new URL(page.url()).pathname).toEndWith('/invoices/new')
    }
    await on.click('Payments', 'link')
    await stay()
    await page.keyboard.press('Control+k')
    await page.locator('.palette input').fill('Webhooks')
    await page.getByRole('option', { name: 'Webhooks', exact: true }).click()
    await stay()
    await page.goBack()
    await stay()
    await page.goBack()
    await stay()
    let unloads = 0
    page.once('dialog', dialog => {
      unloads++
      void dialog.dismiss()
    })
    await page.reload({ timeout: 3_000 }).catch(() => {})
    expect(unloads).toBe(1)
    expect(await field(1, 'Description').inputValue()).toBe('Paper lantern')
    await on.click('Cancel', 'link')
    await asked.getByRole('button', { name: 'Leave and discard' }).click()
    await on.heading('Invoices')
    expect((await listed()).length).toBe(before)
  })

  test('a draft that was saved in another tab is noticed, and nothing is replaced without a decision', async () => {
    const { page } = shop
    const id = await create({ reference: 'order 7' })
    await shop.go(`invoices/${id}/edit`)
    await field(1, 'Description').fill('Mine')
    await shop.call('PATCH', path(id), {
      ...{ notes: 'Theirs', lines: [{ description: 'Theirs', unitAmountMinor: 100 }] },
    })
    await note('This draft was changed elsewhere').waitFor()
    await page.getByText('yours replace these: lines.').waitFor()
    await on.expectSound()
    await on.click('Save draft')
    await until(async () => (await page.locator('button[type=submit][aria-disabled=false]').count()) === 1)
    expect((await read(id)).lines[0].description).toBe('Theirs')
    await on.click('Continue with mine')
    await on.click('Save draft')
    await on.toast('Draft saved')
    expect(await read(id)).toMatchObject({ notes: 'Theirs', reference: 'order 7', lines: [{ description: 'Mine' }] })
    await shop.go(`invoices/${id}/edit`)
    await field(1, 'Description').fill('Mine again')
    await shop.call('POST', path(id, 'finalize'))
    await note('This invoice is no longer a draft').waitFor()
  })

  test('Enter takes the only customer that fits, and what was searched for begins a new one', async () => {
    const { page } = shop
    await shop.go('invoices/new')
    await page.getByRole('combobox', { name: 'Find a customer' }).fill('ada@ex')
    // Before the options of this text have arrived.
    await page.keyboard.press('Enter')
    await page.locator(`[data-customer="${ada}"]`).waitFor()
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
    await on.click('Change customer')
    await page.getByRole('combobox', { name: 'Find a customer' }).fill('zoe@example.com')
    await page.getByText('Nothing found').or(page.locator('.options__none')).first().waitFor()
    await page.keyboard.press('Enter')
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
    await page.getByLabel('New customer').check()
    expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe('zoe@example.com')
  })

  test('a quantity with a unit is refused while it is typed', async () => {
    const { page } = shop
    await field(1, 'Quantity').fill('12.')
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
    await field(1, 'Quantity').fill('12.5 hours')
    await line(1).getByText('Write the unit in the description.').waitFor()
    await on.expectSound()
    await field(1, 'Quantity').fill('12.5')
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
  })

  test('says where the default tax comes from, and what the preview lacks', async () => {
    const { page } = shop
    for (const name of ['Change it in Settings', 'Add it in Settings'])
      expect(await page.getByRole('link', { name }).getAttribute('href')).toMatch(/test\/settings\?part=billing$/)
    await page.getByText('Missing: legal name, address.').waitFor()
  })

  test('an invoice for a new customer is finalized without a request that fails', async () => {
    const { page } = shop
    const failed: string[] = []
    page.on('response', response => {
      if (response.status() >= 400) failed.push(response.url())
    })
    await field(1, 'Description').fill('Work, in hours')
    await field(1, 'Unit price').fill('10')
    await page.getByText('Address and tax ID').click()
    await on.fill('Tax ID (optional)', 'DE123456789')
    await on.fill('Street and number', 'Domplatz 1')
    await on.fill('City', 'Köln')
    await on.click('Finalize')
    await page.getByText('2 fields need a correction.').waitFor()
    expect((await focused(page))?.name).toBe('Postal code')
    await on.fill('Postal code', '50667')
    await page.getByText('1 field needs a correction.').waitFor()
    await page.getByLabel('Country').selectOption('DE')
    await page.getByText('needs a correction.').waitFor({ state: 'detached' })
    await on.expectSound()
    await on.click('Finalize')
    await on
      .dialog('Finalize this invoice?')
      .getByRole('button', { name: /^Finalize, / })
      .click()
    await on.toast('is finalized')
    await page.getByRole('heading', { level: 1, name: /^Invoice TEST-INV/ }).waitFor()
    expect(failed).toEqual([])
    expect((await read(idInAddress())).customer).toMatchObject({
      ...{ taxId: 'DE123456789', address: { line1: 'Domplatz 1', postalCode: '50667', city: 'Köln', country: 'DE' } },
    })
  })

  test('finalizing says what becomes final, and gives the number and the sums that were shown', async () => {
    const { page } = shop
    await shop.call('POST', `${base()}/customers/${ada}/credit`, {
      currency: 'EUR',
      amountMinor: 500,
      note: 'Goodwill',
    })
    await shop.go(`invoices/new?customer=${ada}`)
    await field(1, 'Description').fill('Lantern')
    await field(1, 'Unit price').fill('49.00')
    await on.click('Finalize')
    const dialog = on.dialog('Finalize this invoice?')
    const number = /TEST-INV-\d{4}-\d+/.exec((await dialog.locator('.facts').textContent()) ?? '')?.[0] ?? ''
    expect(number).not.toBe('')
    for (const text of ['1 line, €49.00 in total', '€5.00 of it is applied to this invoice', 'Ada Example'])
      await dialog.getByText(text).waitFor()
    await on.expectSound()
    await walkDialog(page, 'Finalize')
    await on.click('Finalize')
    await dialog.getByRole('button', { name: 'Finalize, €44.00 due' }).click()
    await on.toast(`Invoice ${number} is finalized`)
    expect(await read(idInAddress())).toMatchObject({
      ...{ status: 'open', number, totalMinor: 4_900, creditAppliedMinor: 500, amountDueMinor: 4_400 },
    })
  })

  test('a live invoice without name and address of the shop is refused with a way to the settings', async () => {
    const { page } = shop
    await shop.go('invoices/new', 'live')
    // There is no customer in live mode that could be chosen.
    await page.getByRole('radio', { name: 'New customer', checked: true }).waitFor()
    await on.fill('E-mail', 'live@example.com')
    await field(1, 'Description').fill('Lantern')
    await field(1, 'Unit price').fill('49.00')
    await on.click('Finalize')
    const dialog = on.dialog('Finalize this invoice?')
    await dialog.getByText('Live invoices need these details of your shop: legal name, address.').waitFor()
    await dialog.getByRole('button', { name: 'Finalize, €49.00 due' }).click()
    await until(
      async () => (await dialog.getByRole('button', { name: /Finalize/ }).getAttribute('aria-disabled')) === 'false',
    )
    await dialog.getByText('The billing settings are incomplete').waitFor()
    expect(await page.getByRole('link', { name: 'Open billing settings' }).getAttribute('href')).toMatch(
      /live\/settings\?part=billing$/,
    )
  })
})

/** Opens another page, although the one that is open holds unsaved changes. */
const leaveAnyway = async (to: string): Promise<void> => {
  shop.page.once('dialog', dialog => void dialog.accept())
  await shop.go(to)
  await shop.page.locator('.line').first().waitFor()
}
