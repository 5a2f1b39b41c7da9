import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { setSeller } from '../../http/invoices.ts'
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
const open = (id: string, mode?: string) => shop.go(`invoices/${id}`, mode)
const badge = (word: string) => shop.page.locator('.head .badge', { hasText: word }).waitFor({ timeout: 30_000 })
const choose = async (item: string) => {
  await on.click('More actions')
  await shop.page.getByRole('menuitem', { name: item, exact: true }).click()
}
const confirm = (button: string) => shop.page.getByRole('dialog').getByRole('button', { name: button }).click()
const sum = (label: string, amount: string) =>
  shop.page
    .locator('.sums > div')
    .filter({ has: shop.page.getByText(label, { exact: true }), hasText: amount })
    .waitFor()
const buttons = () =>
  shop.page
    .locator('.head')
    .evaluate(head =>
      [...head.querySelectorAll('.buttons :is(a, button:not([role=menuitem]))')].map(
        each => each.getAttribute('aria-label') ?? each.textContent?.trim(),
      ),
    )
const menuItems = () =>
  shop.page.locator('.head [role=menuitem]').evaluateAll(all => all.map(({ textContent }) => textContent))

/** The next request of this kind reaches the server, and its response is lost. */
const loseResponse = (path: string) =>
  shop.page.route(
    `**/${path}`,
    async route => {
      await route.fetch()
      await route.abort('connectionfailed')
    },
    { times: 1 },
  )

describe.skipIf(!hasBrowser)('the page of an invoice', () => {
  test('shows a draft with its sums, and finalizes it once although the response is lost', async () => {
    const { page } = shop
    const { id } = await invoices.make({ orderNumber: 'HS-118', reference: 'order 7' })
    await open(id)
    await on.heading('Draft for $40.00')
    await page.getByText('This is a draft').waitFor()
    await sum('Net', '$34.30')
    await sum('Tax 19%', '$5.70')
    await sum('Total', '$40.00')
    expect(await buttons()).toEqual(['Edit', 'Finalize', 'More actions'])
    expect(await menuItems()).toEqual(['Duplicate', 'Delete draft'])
    await page.getByText('Draft created').waitFor()
    await on.expectSound()
    const settings = '**/settings/billing?*'
    await page.route(settings, route => route.fulfill({ status: 503, json: {} }))
    await page.reload()
    await page.getByText('Draft created').waitFor()
    await on.click('Finalize')
    const again = page.getByRole('dialog').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await on.expectSound()
    await page.unroute(settings)
    await again.click()
    await page.getByText('The invoice gets its number and its payment page.').waitFor()
    await on.expectSound()
    await loseResponse('finalize')
    await confirm('Finalize, $40.00 due')
    await page.getByText('The server does not answer.').waitFor()
    await confirm('Finalize, $40.00 due')
    await on.toast('is finalized')
    await on.heading('Invoice TEST-INV-')
    await badge('Open')
    expect(await invoices.read(id)).toMatchObject({ status: 'open', number: expect.stringMatching(/-0001$/) })
    expect(await buttons()).toEqual(['Copy link', 'Remind', 'More actions'])
    expect((await focused(page))?.name).toMatch(/^Invoice TEST-INV-/)
    await on.expectSound()
  })

  test('of a customer with a test clock goes by the time of the clock', async () => {
    const { page, call, merchant } = shop
    const now = new Date(Date.now() + 100 * 86_400_000)
    now.setUTCHours(12, 0, 0, 0)
    const day = (n: number) => new Date(now.getTime() + n * 86_400_000)
    const shown = (at: Date) => at.toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' })
    const clock = await call('POST', `/v1/merchants/${merchant}/test-clocks`, { now: day(-20).toISOString() })
    const { id: customerId } = await call('POST', `/v1/merchants/${merchant}/customers?livemode=false`, {
      ...{ email: 'clara@example.com', testClockId: clock.id },
    })
    const made = (more: object) => invoices.make({ customer: undefined, customerId, ...more })
    const past = await made({ dueDate: day(-10).toISOString().slice(0, 10) })
    const clocks = `/v1/merchants/${merchant}/test-clocks/${clock.id}`
    await call('POST', `${clocks}/advance`, { to: now.toISOString() })
    await until(async () => (await call('GET', clocks)).status === 'ready')
    await open(past.id)
    await page.getByText('The due date has passed').waitFor()
    const { id } = await made({ daysUntilDue: 3, reminders: [-2, 5] })
    await open(id)
    await page.getByText('This is a draft').waitFor()
    await on.click('Finalize')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(shown(day(3))).waitFor()
    await dialog.getByText(`By the test clock, which shows ${shown(now)}, `).waitFor()
    await dialog.getByText('2 days before, 5 days after').waitFor()
    await on.expectSound()
    await confirm('Finalize, $40.00 due')
    await badge('Open')
    expect(await page.getByText(/, planned$/).count()).toBe(2)
    await on.click('Remind')
    await confirm('Create event')
    await on.toast('Reminder event created')
    await on.click('Remind')
    await confirm('Create event')
    await page.getByText('Advance the test clock of the customer by 60 minutes for the next one.').waitFor()
    await on.expectSound()
  })

  test('copies the link, and changes it after saying what stops working', async () => {
    const { page } = shop
    const { id, url } = await invoices.issue()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(id)
    await on.click('Copy link')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(String(url))
    await choose('Change link')
    await page.getByText('The present link stops working immediately').waitFor()
    await confirm('Change link')
    await on.toast('The link was changed')
    const { url: changed } = await invoices.read(id)
    expect(changed).not.toBe(url)
    await page.locator(`code[data-value="${changed}"]`).waitFor()
  })

  test('creates a reminder, and says when the next one is possible', async () => {
    const { page } = shop
    const { id } = await invoices.issue()
    await open(id)
    await on.click('Remind')
    await page.getByText('The service sends no e-mail to the customer').waitFor()
    await page.getByRole('dialog').getByText('No endpoint receives invoice.reminder').waitFor()
    await on.expectSound()
    await confirm('Create event')
    await on.toast('Reminder event created. No endpoint receives it.')
    await page.getByText('Reminder event requested').waitFor()
    await on.click('Remind')
    await confirm('Create event')
    await page.getByText('A reminder event was created less than an hour ago').waitFor()
    expect(await page.getByText(/The next one is possible in (60|59) minutes, at/).count()).toBe(1)
    expect(await page.getByRole('alert').count()).toBe(1)
    await on.expectSound()
  })

  test('counts only enabled endpoints that receive reminders', async () => {
    const { page } = shop
    const endpoints = `/v1/merchants/${shop.merchant}/webhook-endpoints`
    for (const eventTypes of [['invoice.reminder'], ['invoice.paid']])
      await shop.call('POST', `${endpoints}?livemode=false`, { inbox: true, eventTypes })
    const { id } = await invoices.issue()
    await open(id)
    await on.click('Remind')
    await page.getByText('1 endpoint receives this event.').waitFor()
    await confirm('Create event')
    await on.toast('Reminder event created for 1 endpoint')
  })

  test('duplicates an invoice once although the response is lost, and opens the draft', async () => {
    const { page } = shop
    const { id } = await invoices.issue({ reference: 'duplicated' })
    await open(id)
    const before = (await invoices.list()).length
    await choose('Duplicate')
    await loseResponse('duplicate')
    await confirm('Create draft')
    await page.getByText('The server does not answer.').waitFor()
    await confirm('Create draft')
    await on.toast('Draft created')
    await on.heading('Draft for $40.00')
    expect(new URL(page.url()).pathname.endsWith(id)).toBe(false)
    expect((await invoices.list()).length).toBe(before + 1)
  })

  test('deletes a draft, and leads to the list', async () => {
    const { page } = shop
    const { id } = await invoices.make()
    await open(id)
    await choose('Delete draft')
    await confirm('Delete draft')
    await on.toast('Draft deleted')
    await on.heading('Invoices')
    expect((await invoices.list()).map(each => each.id)).not.toContain(id)
    await open(id)
    await page.getByText('This record does not exist, or you have no access to it.').waitFor()
    await on.expectSound()
  })

  test('marks an invoice as uncollectible; it can still be paid', async () => {
    const { id } = await invoices.issue()
    await open(id)
    await choose('Mark as uncollectible')
    await confirm('Mark as uncollectible')
    await badge('Uncollectible')
    await shop.page.getByText('You no longer expect the money of this invoice').waitFor()
    expect(await buttons()).toEqual(['Copy link', 'More actions'])
    await on.expectSound()
    const invoice = await invoices.read(id)
    await invoices.pay(invoice)
    await badge('Paid')
  })

  test('follows payments without a reload: a part, then the rest, with what each has paid', async () => {
    const { page } = shop
    const invoice = await invoices.issue()
    const following = page.waitForResponse(response => response.url().includes('/stream?'))
    await open(invoice.id)
    await following
    await page.getByText('No payment was opened yet.').waitFor()
    const first = await invoices.pay(invoice, 'underpaid')
    await page.getByRole('heading', { level: 1, name: /due of \$40\.00/ }).waitFor({ timeout: 30_000 })
    const { amountDueMinor, amountPaidMinor } = await invoices.read(invoice.id)
    expect(Number(amountDueMinor) + Number(amountPaidMinor)).toBe(4_000)
    await badge('Partly paid')
    await page.getByText('This invoice cannot be voided, because').waitFor()
    await on.expectSound()
    const second = await invoices.pay(invoice)
    await badge('Paid')
    await sum('Due', '$0.00')
    for (const [id, counted] of [
      [first, Number(amountPaidMinor)],
      [second, Number(amountDueMinor)],
    ] as const)
      await page
        .getByRole('row', { name: `$${(counted / 100).toFixed(2)}` })
        .and(page.locator('tr', { has: page.locator(`a[href$="${id}"]`) }))
        .waitFor({ timeout: 30_000 })
    await page.getByText('Money counted').first().waitFor()
    expect(await buttons()).toEqual(['Copy link', 'More actions'])
    await on.expectSound()
    await page.locator(`a[href$="${second}"]`).click()
    await page.getByRole('link', { name: String(invoice.number) }).click()
    await on.heading('Invoice TEST-INV-')
  })
})

describe.skipIf(!hasBrowser)('the first hour of a shop', () => {
  test('has no step that payments of invoices take', async () => {
    const { page } = shop
    await shop.go('home')
    const steps = page.getByRole('listitem').filter({ hasText: /Create a payment link|Pay it with test money/ })
    await steps.first().waitFor()
    await page.getByRole('link', { name: 'New payment link' }).first().waitFor()
    expect(await steps.count()).toBe(2)
    expect((await steps.allTextContents()).filter(text => text.startsWith('Done'))).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the document of an invoice', () => {
  test.each([
    ['PDF', 'Invoice as issued (PDF)'],
    ['JSON', 'Data (JSON)'],
  ])('is saved as %s under its number', async (format, name) => {
    const { page } = shop
    const { id, number } = await invoices.issue()
    await open(id)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name, exact: false }).click()
    const file = await saving
    expect(file.suggestedFilename()).toBe(`${number}.${format.toLowerCase()}`)
    const text = await Bun.file(await file.path()).text()
    if (format === 'PDF') expect(text.slice(0, 5)).toBe('%PDF-')
    else expect(JSON.parse(text)).toMatchObject({ id, number })
  })
})

describe.skipIf(!hasBrowser)('a live draft', () => {
  test('says what the billing settings lack, and is refused by the server as well', async () => {
    const { page } = shop
    const { id } = await shop.call('POST', `${invoices.path()}?livemode=true`, {
      ...{ customer: { email: 'bo@example.com' }, currency: 'EUR' },
      lines: [{ description: 'A lamp', unitAmountMinor: 4_900 }],
    })
    await open(id, 'live')
    await page.getByText('Missing in the billing settings: your name, your address.').waitFor()
    await page.getByRole('link', { name: 'Open billing settings' }).waitFor()
    await on.click('Finalize')
    await confirm('Finalize, €49.00 due')
    await page
      .getByRole('dialog')
      .getByText('Live invoices need these details of your shop: legal name, address.')
      .waitFor()
    await on.expectSound()
    await setSeller(shop.served.server.sql, await merchantUuid())
    await confirm('Finalize, €49.00 due')
    await badge('Open')
    await page.locator('.facts dd', { hasText: 'Lampen Köln GmbH' }).waitFor()
  })
})

const merchantUuid = async (): Promise<string> => {
  const [row] = await shop.served.server.sql<{ id: string }[]>`
    select merchant_id as id from members join accounts on accounts.id = account_id where email = 'anna@lamps.example'`
  return String(row?.id)
}

describe.skipIf(!hasBrowser)('with the keyboard alone', () => {
  test('every part of the page is reached, and an action of the menu is done', async () => {
    const { page } = shop
    const { id } = await invoices.issue()
    await open(id)
    await badge('Open')
    await page.getByText('Draft created').waitFor()
    await walkPage(page)
    await page.locator('h1').focus()
    await tabToPart(page, 'Remind')
    await page.keyboard.press('Enter')
    await walkDialog(page, 'Remind')
    await tabToPart(page, 'More actions')
    await page.keyboard.press('Enter')
    await page.keyboard.press('m')
    await page.keyboard.press('Enter')
    await tabToPart(page, 'Mark as uncollectible')
    await page.keyboard.press('Enter')
    await badge('Uncollectible')
    await until(async () => (await focused(page)) !== null)
  })
})

describe.skipIf(!hasBrowser)('a viewer', () => {
  test('reads an invoice without its address, and can change nothing', async () => {
    const { page, served } = shop
    const { id } = await invoices.issue()
    await served.server.sql`update members set role = 'viewer' where merchant_id = ${await merchantUuid()}`
    const [row] = await served.server.sql`select id from accounts where email = 'anna@lamps.example'`
    served.server.api.sessions.forgetAccount(String(row?.id))
    await open(id)
    await badge('Open')
    await page.getByText('Only owners and developers can make changes here, and export lists.').waitFor()
    expect(await buttons()).toEqual([])
    expect(await page.getByText('/invoices/', { exact: false }).count()).toBe(0)
    await page.getByRole('button', { name: 'Invoice as issued (PDF)' }).waitFor()
    await on.expectSound()
  })
})
