import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { invoicesOf, type MadeInvoice } from './invoice-shop.ts'
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
const open = (id: string) => shop.go(`invoices/${id}`)
const badge = (word: string) => shop.page.locator('.head .badge', { hasText: word }).waitFor({ timeout: 30_000 })
const choose = async (item: string) => {
  await on.click('More actions')
  await shop.page.getByRole('menuitem', { name: item, exact: true }).click()
}
const dialog = () => shop.page.getByRole('dialog')
const press = (button: string | RegExp) => dialog().getByRole('button', { name: button }).click()
/** The fields of a line. */
const line = (description: string) => dialog().getByRole('group', { name: description, exact: true })
const sum = (label: string, amount: string) =>
  dialog()
    .locator('.sums > div')
    .filter({ has: shop.page.getByText(label, { exact: true }), hasText: amount })
    .waitFor()
const notesOf = async (id: string) =>
  (await shop.call('GET', `/v1/merchants/${shop.merchant}/credit-notes?livemode=false&invoiceId=${id}`))
    .data as readonly Readonly<Record<string, unknown>>[]
/** Of a customer of its own: the credit that a note gives is applied to the next invoice of the customer. */
const paid = async (email = 'ada@example.com'): Promise<MadeInvoice> => {
  const invoice = await invoices.issue({ customer: { email } })
  await invoices.pay(invoice)
  await invoices.shows(invoice.id, { status: 'paid' })
  return invoice
}

describe.skipIf(!hasBrowser)('a credit note', () => {
  test('by lines lowers what is due, with its sums while they are typed; what is wrong is said at the line', async () => {
    const { page } = shop
    const { id } = await invoices.issue()
    await open(id)
    await choose('Credit note')
    await dialog().getByText('The full remaining amount').waitFor()
    expect(await dialog().locator('[name=scope]:checked').count()).toBe(0)
    await press('Issue credit note')
    await dialog().getByText('Choose what is credited.').waitFor()
    await dialog().getByLabel('Selected lines').check()
    await press('Issue credit note')
    await dialog().getByText('Enter a quantity or an amount for at least one line.').waitFor()
    const lamp = line('A lamp').getByLabel('Quantity')
    await lamp.fill('x')
    await dialog().getByText('Enter a quantity like 2 or 1.5.').waitFor()
    await lamp.fill('4')
    await dialog().getByText('That is more than what is left of this line.').waitFor()
    await on.expectSound()
    await lamp.fill('1')
    await line('Shipping').getByLabel('Credit by').selectOption('amountMinor')
    await line('Shipping').getByLabel('Amount').fill('1,30')
    await sum('Total', '$13.20')
    await sum('Reduces amount due', '$13.20')
    let lost = 0
    await page.route('**/credit-notes?*', async route => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.fallback()
      await route.fetch()
      await route.abort('connectionfailed')
    })
    await press('Issue credit note for $13.20')
    await dialog().getByText('The server does not answer.').waitFor()
    await press('Issue credit note for')
    await on.toast('issued')
    await page.unrouteAll()
    await page.getByRole('heading', { level: 1, name: /due of \$40\.00/ }).waitFor()
    expect(await notesOf(id)).toMatchObject([{ totalMinor: 1_320, dueReducedMinor: 1_320, creditMinor: 0 }])
    await page.getByRole('row', { name: /TEST-CN-.*Requested by customer/ }).waitFor()
    await on.expectSound()
  })

  test('over a paid invoice refunds the payment; the rest becomes credit, and the page leads to the refund', async () => {
    const { page } = shop
    const { id } = await paid()
    await open(id)
    await badge('Paid')
    await choose('Credit note')
    await dialog().getByLabel('Selected lines').check()
    await line('Shipping').getByText('1 left, $4.30 without tax').waitFor()
    await line('Shipping').getByLabel('Quantity').fill('1')
    await dialog().getByLabel('Refund', { exact: false }).check()
    const amount = dialog().getByLabel('Amount (USD)')
    await dialog().getByText('At most $4.30.', { exact: true }).waitFor()
    await amount.fill('5')
    await dialog().getByText('This credit note returns $4.30 to the customer.').waitFor()
    expect(await amount.getAttribute('aria-invalid')).toBe('true')
    await press('Issue credit note for $4.30')
    expect(await notesOf(id)).toEqual([])
    await amount.fill('')
    await dialog().getByLabel('Customer credit').check()
    await dialog().getByLabel('The full remaining amount').check()
    await sum('Customer credit', '$40.00')
    await dialog().getByLabel('Refund', { exact: false }).check()
    await amount.fill('40')
    await amount.fill('40.01')
    await dialog().getByText('At most $40.00 can be refunded of this payment.').waitFor()
    await amount.fill('30')
    await sum('To be refunded', '$30.00')
    await sum('Customer credit', '$10.00')
    await dialog().getByLabel('Address for this refund (optional)').fill('0x12')
    await press('Issue credit note for $40.00')
    await dialog().getByText('Enter an address: 0x and 40 characters').waitFor()
    await dialog().getByLabel('Address for this refund (optional)').fill('')
    await on.expectSound()
    await press('Issue credit note for $40.00')
    await on.toast('issued')
    const [note] = await notesOf(id)
    expect(note).toMatchObject({ totalMinor: 4_000, refundsMinor: 3_000, creditMinor: 1_000, dueReducedMinor: 0 })
    await page.getByRole('link', { name: /^TEST-CN-/ }).click()
    await on.heading(`Credit note ${note?.number}`)
    await page.locator('.sums > div', { hasText: 'Customer credit' }).getByText('$10.00').waitFor()
    await page.getByText('credit_note.issued').waitFor()
    await on.expectSound()
    const saving = page.waitForEvent('download')
    await on.click('Credit note (PDF)')
    expect((await saving).suggestedFilename()).toBe(`${note?.number}.pdf`)
    await page.locator('.sums > div', { hasText: 'To be refunded' }).getByText('$30.00').waitFor()
    await page.getByText('$30.00 cannot be refunded yet').waitFor()
    await page.getByRole('button', { name: 'Copy claim link' }).waitFor()
    await page.getByRole('link', { name: 'Refund of $30.00' }).click()
    await on.heading('Refund of $30.00')
    await page.getByText(`Credit note ${note?.number}: Requested by customer`).waitFor()
    await page.getByRole('link', { name: String((await invoices.read(id)).number), exact: true }).waitFor()
    await shop.go(`customers/${note?.customerId}`)
    await page.getByRole('link', { name: 'Credit note', exact: true }).first().click()
    await on.heading(`Credit note ${note?.number}`)
    await open(id)
    await badge('Paid')
    await on.click('More actions')
    expect(await page.getByRole('menuitem', { name: 'Credit note' }).count()).toBe(0)
  })

  test('whose refund is canceled makes its amount credit, as the dialog says before', async () => {
    const { page } = shop
    const { id } = await paid('kim@example.com')
    const [payment] = (
      await shop.call('GET', `/v1/merchants/${shop.merchant}/payments?livemode=false&q=kim@example.com`)
    ).data
    const { json } = await shop.served.server.call(
      'POST',
      `/v1/merchants/${shop.merchant}/credit-notes?livemode=false`,
      {
        ...{ bearer: shop.bearer, headers: { 'idempotency-key': 'kim' } },
        json: { invoiceId: id, reason: 'other', whole: true, refunds: [{ paymentId: payment.id, amountMinor: 4_000 }] },
      },
    )
    const note = Object(json)
    await shop.go(`credit-notes/${note.id}`)
    await page.getByText('$40.00 cannot be refunded yet').waitFor()
    await page.getByRole('link', { name: 'Refund of $40.00' }).click()
    await on.heading('Refund of $40.00')
    await on.click('Cancel refund')
    await dialog().getByText('$40.00 becomes credit of kim@example.com').waitFor()
    await on.expectSound()
    // With the amount, the credit would be more than a balance can be.
    const give = (amountMinor: number) =>
      shop.call('POST', `/v1/merchants/${shop.merchant}/customers/${note.customerId}/credit`, {
        ...{ currency: 'USD', amountMinor, note: 'A gift' },
      })
    await give(Number.MAX_SAFE_INTEGER)
    await press('Cancel refund')
    await dialog().getByText('The credit of this customer does not allow this amount.').waitFor()
    await dialog()
      .getByText(/^The refund was not canceled: .* above the largest possible balance/)
      .waitFor()
    await on.expectSound()
    await give(-Number.MAX_SAFE_INTEGER)
    await press('Cancel refund')
    await on.toast('Refund canceled, the amount is now credit')
    await shop.go(`credit-notes/${note.id}`)
    await page.locator('.sums > div', { hasText: 'Refund canceled, now credit' }).getByText('$40.00').waitFor()
    await page.getByText('Canceled, now customer credit').waitFor()
    expect(await page.getByText('To be refunded').count()).toBe(0)
    const { totals } = await shop.call('GET', `/v1/merchants/${shop.merchant}/customers/${note.customerId}`)
    expect(totals).toMatchObject([{ currency: 'USD', creditMinor: 4_000 }])
  })

  test('has the reason of the note in its refund, which the sandbox wallet receives', async () => {
    const { page } = shop
    const invoice = await paid('eve@example.com')
    await open(invoice.id)
    await badge('Paid')
    await choose('Credit note')
    await dialog().getByLabel('The full remaining amount').check()
    await dialog().getByLabel('Refund', { exact: false }).check()
    await press('Use the sandbox wallet that paid')
    expect(await dialog().getByLabel('Address for this refund (optional)').inputValue()).toMatch(/^0x[0-9a-fA-F]{40}$/)
    await dialog().getByLabel('Reason').selectOption('product_unsatisfactory')
    await press('Issue credit note for $40.00')
    await on.toast('issued')
    const [note] = await notesOf(invoice.id)
    await page.getByRole('link', { name: 'Refund of $40.00' }).click()
    await page.getByText(`Credit note ${note?.number}: Product unsatisfactory`).waitFor()
    await shop.go('refunds')
    await page
      .locator(`a[href$="${Object(note).refundIds[0]}"]`, { hasText: 'Credit note' })
      .first()
      .waitFor()
    await shop.go('payments')
    await page
      .getByRole('link', { name: String(invoice.number) })
      .first()
      .waitFor()
  })

  test('is found by its ID, its page belongs to the invoices, and the keyboard reaches all of it', async () => {
    const { page } = shop
    const { id } = await invoices.issue({ customer: { email: 'fay@example.com' } })
    const issued = await shop.call('POST', `/v1/merchants/${shop.merchant}/credit-notes?livemode=false`, {
      ...{ invoiceId: id, reason: 'other', whole: true },
    })
    expect(issued).toMatchObject({ object: 'credit_note' })
    await shop.go('home')
    await on.heading('Home')
    await page.keyboard.press('Control+k')
    await page.locator('.palette input').fill(issued.id)
    await page.getByRole('option', { name: issued.number }).waitFor()
    await page.keyboard.press('Enter')
    await on.heading(`Credit note ${issued.number}`)
    await page.getByText('credit_note.issued').waitFor()
    expect(await page.locator('.nav [aria-current]').textContent()).toBe('Invoices')
    expect(await page.locator('.mode a').first().getAttribute('href')).toMatch(/test\/invoices$/)
    await walkPage(page)
  })

  test('with a refund is issued by keyboard alone, and another invoice is voided by it', async () => {
    const { page } = shop
    const press = (key: string) => page.keyboard.press(key)
    const { id } = await paid('hal@example.com')
    await open(id)
    await badge('Paid')
    await tabToPart(page, 'More actions')
    for (const key of ['Enter', 'Enter']) await press(key)
    await dialog().getByText('The full remaining amount').waitFor()
    await tabToPart(page, /^The full remaining amount/)
    await press('Space')
    await tabToPart(page, /^Customer credit/)
    await press('ArrowDown')
    await tabToPart(page, 'Use the sandbox wallet that paid')
    await press('Enter')
    await tabToPart(page, 'Issue credit note for $40.00')
    await press('Enter')
    await on.toast('issued')
    expect(await notesOf(id)).toMatchObject([{ refundsMinor: 4_000, creditMinor: 0 }])
    await until(async () => (await focused(page))?.name === 'More actions')
    const other = await invoices.issue({ customer: { email: 'ivy@example.com' } })
    await open(other.id)
    await badge('Open')
    await tabToPart(page, 'More actions')
    for (const key of ['Enter', 'v', 'Enter']) await press(key)
    await dialog().getByText('A credit note for the full $40.00').waitFor()
    await tabToPart(page, 'Void invoice')
    await press('Enter')
    await badge('Void')
    expect((await invoices.read(other.id)).status).toBe('void')
  })

  test('has its title and buttons in view while its fields scroll', async () => {
    const { page } = shop
    const { id } = await paid('gil@example.com')
    await page.setViewportSize({ width: 360, height: 640 })
    await open(id)
    await badge('Paid')
    await choose('Credit note')
    await dialog().getByLabel('The full remaining amount').check()
    await dialog().getByLabel('Note').focus()
    for (const part of [dialog().getByRole('heading'), dialog().getByRole('button', { name: 'Issue credit note' })]) {
      const box = await part.boundingBox()
      expect(box?.y ?? -1).toBeGreaterThanOrEqual(0)
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(640)
    }
    expect(
      await page.evaluate<number>(`document.querySelector('dialog:modal .dialog__body').scrollTop`),
    ).toBeGreaterThan(0)
    await press('Issue credit note')
    await on.toast('issued')
    // Below the bar at the top, which names the mode, and not over the amount.
    const toast = await page.locator('.toast').boundingBox()
    const bar = await page.locator('.top').boundingBox()
    const content = await page.locator('h1').boundingBox()
    expect(toast?.y ?? 0).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? Infinity))
    expect((toast?.y ?? 0) + (toast?.height ?? 0)).toBeLessThan(content?.y ?? 0)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('over an invoice that credit has paid gives credit, and no refund can be chosen', async () => {
    const customers = `/v1/merchants/${shop.merchant}/customers`
    const { id: customerId } = await shop.call('POST', `${customers}?livemode=false`, { email: 'dee@example.com' })
    const credit = { currency: 'USD', amountMinor: 4_000, note: 'A gift' }
    await shop.call('POST', `${customers}/${customerId}/credit`, credit)
    const { id } = await invoices.issue({ customer: undefined, customerId })
    await open(id)
    await badge('Paid')
    await choose('Credit note')
    await dialog().getByLabel('The full remaining amount').check()
    await dialog().getByLabel('Refund', { exact: false }).check()
    await dialog().getByText('No payment of this invoice can be refunded now.').waitFor()
    await press('Issue credit note for $40.00')
    await on.expectSound()
    expect(await notesOf(id)).toEqual([])
    await dialog().getByLabel('Customer credit').check()
    await press('Issue credit note for $40.00')
    await on.toast('issued')
    expect(await notesOf(id)).toMatchObject([{ creditMinor: 4_000, refundsMinor: 0 }])
  })

  test('is compared again when a payment has changed what is due in the meantime', async () => {
    const { page } = shop
    const invoice = await invoices.issue({ customer: { email: 'cy@example.com' } })
    await open(invoice.id)
    await choose('Credit note')
    await dialog().getByLabel('The full remaining amount').check()
    await sum('Reduces amount due', '$40.00')
    // The page does not see the payment before it asks.
    await page.route(`**/invoices/${invoice.id}`, route => route.abort())
    await page.route('**/stream?*', route => route.abort())
    await invoices.pay(invoice)
    await invoices.shows(invoice.id, { status: 'paid' })
    await press('Issue credit note for $40.00')
    await dialog().getByText('What is due has changed in the meantime.').waitFor()
    expect(await notesOf(invoice.id)).toEqual([])
    await page.unrouteAll()
    await sum('Customer credit', '$40.00')
    await press('Issue credit note for $40.00')
    await until(async () => (await notesOf(invoice.id)).length === 1)
  })
})

describe.skipIf(!hasBrowser)('an invoice', () => {
  test('is voided with a reason, and has a credit note for the whole', async () => {
    const { id } = await invoices.issue()
    await open(id)
    await choose('Void')
    await on.fill('Reason (optional)', 'Ordered twice')
    await on.expectSound()
    await press('Void invoice')
    await badge('Void')
    expect(await notesOf(id)).toMatchObject([{ totalMinor: 4_000, reason: 'cancellation', note: 'Ordered twice' }])
    await shop.page.getByText('This invoice is void').waitFor()
    await on.expectSound()
  })

  test('is not voided when money has arrived in the meantime, and the dialog says what to do instead', async () => {
    const { page } = shop
    const invoice = await invoices.issue()
    await open(invoice.id)
    await choose('Void')
    await page.route(`**/invoices/${invoice.id}`, route => route.abort())
    await invoices.pay(invoice, 'underpaid')
    await until(async () => Number((await invoices.read(invoice.id)).amountPaidMinor) > 0, { timeoutMs: 30_000 })
    await press('Void invoice')
    await dialog()
      .getByText(/issue a credit note/i)
      .waitFor()
    await page.unrouteAll()
    expect((await invoices.read(invoice.id)).status).toBe('open')
  })
})

describe.skipIf(!hasBrowser)('with the keyboard alone', () => {
  const isFocused = (name: string | RegExp) =>
    until(async () => {
      const at = (await focused(shop.page))?.name ?? ''
      return typeof name === 'string' ? at === name : name.test(at)
    })
  const openMenu = async () => {
    await tabToPart(shop.page, 'More actions')
    await shop.page.keyboard.press('Enter')
  }

  test('a credit note is issued; what is wrong gets the focus, and afterwards the menu', async () => {
    const { page } = shop
    const { id } = await invoices.issue()
    await open(id)
    await badge('Open')
    // Offered when the credit notes that were issued before have been read.
    await page.locator('[role=menuitem]', { hasText: 'Credit note' }).waitFor({ state: 'attached' })
    await page.locator('h1').focus()
    await openMenu()
    await page.keyboard.press('Enter')
    await walkDialog(page, 'More actions')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await isFocused(/^The full remaining amount/)
    await tabToPart(page, 'Issue credit note')
    await page.keyboard.press('Enter')
    // Nothing is chosen yet.
    await isFocused(/^The full remaining amount/)
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await tabToPart(page, 'Quantity')
    await page.keyboard.type('1,500')
    await tabToPart(page, 'Issue credit note')
    await page.keyboard.press('Enter')
    await isFocused('Quantity')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('1')
    await sum('Reduces amount due', '$11.90')
    await tabToPart(page, 'Issue credit note for $11.90')
    await page.keyboard.press('Enter')
    await on.toast('issued')
    await isFocused('More actions')
    expect(await notesOf(id)).toMatchObject([{ totalMinor: 1_190, dueReducedMinor: 1_190 }])
  })

  test('an invoice is voided with a reason', async () => {
    const { page } = shop
    const { id } = await invoices.issue()
    await open(id)
    await badge('Open')
    await page.locator('h1').focus()
    await openMenu()
    await page.keyboard.press('v')
    await page.keyboard.press('Enter')
    await walkDialog(page, 'More actions')
    await page.keyboard.press('Enter')
    await page.keyboard.press('v')
    await page.keyboard.press('Enter')
    await isFocused(/^Reason/)
    await page.keyboard.type('Ordered twice')
    await tabToPart(page, 'Void invoice')
    await page.keyboard.press('Enter')
    await badge('Void')
    await isFocused('More actions')
    expect(await notesOf(id)).toMatchObject([{ totalMinor: 4_000, note: 'Ordered twice' }])
  })
})
