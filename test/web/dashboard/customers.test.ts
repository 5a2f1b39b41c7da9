import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { axeFaults } from '../pay/gates.ts'
import type { Visit } from '../pay/pay-server.ts'
import { onPage, signUp } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart, walkDialog } from './tab-walk.ts'

const jo = { email: 'jo@lamps.example', password: 'another horse battery' }

let shop: SandboxShop
/** Another member, in another browser. */
let theirs: Visit
/** Customers by the beginning of their e-mail address. */
const ids: Record<string, string> = {}

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  const { served } = shop
  await signUp(served, jo, 'Vases')
  theirs = await served.visit({ viewport: { width: 1280, height: 800 }, locale: 'de-DE' })
})
afterAll(async () => {
  await theirs?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
})

const on = onPage(() => shop.page)
const path = (...parts: readonly string[]) => ['/v1/merchants', shop.merchant, 'customers', ...parts].join('/')
const read = (id = '') => shop.call('GET', path(id))
const row = (name: string | RegExp) => shop.page.getByRole('row', { name })
const inDialog = (name: string | RegExp, button: string) =>
  on.dialog(name).getByRole('button', { name: button }).click()
/** A label and its value among the facts. */
const fact = (label: string, value: string) =>
  shop.page
    .locator('.facts > div')
    .filter({ has: shop.page.getByText(label, { exact: true }), hasText: value })
    .waitFor()

const create = async (name: string, more: object = {}): Promise<void> => {
  ids[name] = String((await shop.call('POST', path(), { email: `${name}@example.com`, ...more })).id)
}

// One shop: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('customers', () => {
  test('an empty list says how customers come about', async () => {
    await shop.go('home')
    await on.click('Customers', 'link')
    await on.heading('Customers')
    await shop.page.getByRole('heading', { name: 'No customers yet' }).waitFor()
    await shop.page.getByText('A customer appears here with the first payment').waitFor()
    await on.expectSound()
  })

  test('one is created with every field; what is wrong is said at its field', async () => {
    const { page } = shop
    await on.click('New customer', 'link')
    await on.heading('New customer')
    await on.fill('E-mail', 'ada')
    await on.fill('Street and number', '12 Byron Street')
    await on.click('Add a key')
    await on.fill('Value 1', 'gold')
    await on.click('Create customer')
    await page.getByText('Enter an e-mail address like ada@example.com.').waitFor()
    for (const text of ['Enter the city.', 'Enter the postal code.', 'Choose the country.'])
      await page.getByText(text, { exact: true }).waitFor()
    await page.getByText('Enter a key for this value.').waitFor()
    await on.expectSound()
    await on.fill('E-mail', 'Ada@Example.com')
    await on.fill('Name (optional)', 'Ada \u202eExample')
    await on.fill('Company (optional)', 'Analytical Engines')
    await on.fill('Tax ID (optional)', 'GB999999973')
    await on.fill('Postal code', 'N1 7AA')
    await on.fill('City', 'London')
    await page.getByLabel('Country', { exact: true }).selectOption({ label: 'United Kingdom' })
    await page.getByLabel('Language (optional)', { exact: true }).selectOption('de')
    await on.fill('Reference (optional)', 'account 7')
    await on.fill('Key 1', 'tier')
    await on.click('Create customer')
    await page.getByText('This value is not accepted.').waitFor()
    expect(await page.getByLabel('Name (optional)', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    await on.fill('Name (optional)', 'Ada Example')
    await on.click('Create customer')
    await on.toast('Customer created')
    await on.heading('Ada Example')
    ids.ada = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    expect(await read(ids.ada)).toMatchObject({
      ...{ email: 'Ada@Example.com', name: 'Ada Example', company: 'Analytical Engines', taxId: 'GB999999973' },
      address: {
        ...{ line1: '12 Byron Street', line2: null, postalCode: 'N1 7AA', city: 'London', state: null, country: 'GB' },
      },
      ...{ locale: 'de', reference: 'account 7', metadata: { tier: 'gold' }, source: 'merchant', livemode: false },
    })
    await fact('Address', 'United Kingdom')
    await fact('Language', 'German')
    await page.getByText('customer.created').waitFor()
    await on.expectSound()
  })

  test('a second one with the e-mail address or the reference is refused at the field, with a way to the first', async () => {
    const { page } = shop
    await shop.go('customers/new')
    await on.fill('E-mail', 'ada@example.com')
    await on.click('Create customer')
    await page.getByText('Another customer has this e-mail address.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await on.fill('E-mail', 'bo@example.com')
    await on.fill('Reference (optional)', 'account 7')
    await on.click('Create customer')
    await page.getByText('Another customer has this reference.').waitFor()
    await on.click('Open that customer', 'link')
    await on.heading('Ada Example')
  })

  test('the list is searched by beginnings, by reference and by a former e-mail address, in the address', async () => {
    const { page } = shop
    await create('bo', { company: 'Bodega', reference: 'account 70' })
    await create('cy')
    await shop.call('PATCH', path(ids.bo ?? ''), { email: 'bodo@example.com' })
    await shop.go('customers')
    await row(/cy@example.com/).waitFor()
    expect(await row('').count()).toBe(4)
    const search = async (text: string, names: readonly RegExp[]) => {
      await on.fill('Search customers', text)
      await page.keyboard.press('Enter')
      for (const name of names) await row(name).waitFor()
      await until(async () => (await page.locator('a.open').count()) === names.length)
    }
    await search('bode', [/Bodega/])
    await search('ANALYTICAL', [/Ada Example/])
    await search('account', [])
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByLabel('Search in').selectOption('reference')
    await search('account 7', [/Ada Example/])
    expect(new URL(page.url()).search).toBe('?q=account+7&by=reference')
    await page.getByLabel('Search in').selectOption('email')
    await search('BO@example.com', [/Bodega/])
    await page.reload()
    await row(/Bodega/).waitFor()
    await on.expectSound()
    await page.goBack()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.goBack()
    await row(/Ada Example/).waitFor()
  })

  test('its totals, payments and events are on its page, which payments lead to', async () => {
    const { page } = shop
    await shop.payAndWait()
    await shop.go('payments')
    await on.click('ada@example.com', 'link')
    await on.heading(/^Payment of/)
    await page.locator('.facts a[href*="/customers/"]').click()
    await on.heading('Ada Example')
    await page
      .getByRole('table', { name: 'Totals' })
      .getByRole('row', { name: /1 payment.*\$10\.00/ })
      .waitFor()
    await page.getByRole('row', { name: /Paid.*TUSD · Sandbox.*\$10\.00/ }).waitFor()
    // Another payment is seen without a reload, with the totals.
    await shop.pay()
    await page
      .getByRole('table', { name: 'Totals' })
      .getByRole('row', { name: /2 payments.*\$20\.00/ })
      .waitFor({ timeout: 30_000 })
    await on.expectSound()
    await on.click('All payments', 'link')
    await on.heading('Payments')
    await until(async () => (await page.locator('a.open').count()) === 2)
    await page.getByRole('button', { name: 'One customer', pressed: true }).waitFor()
  })

  test('a customer of a first payment is offered above the list, and does not push the rows', async () => {
    const { page, served, call, merchant } = shop
    await shop.go('customers')
    await row(/cy@example.com/).waitFor()
    const link = await call('POST', `/v1/merchants/${merchant}/payment-links`, { amountMinor: 700, currency: 'EUR' })
    await served.server.call('POST', `/v1/checkout/links/${link.id}/payments`, {
      json: { customerEmail: 'dora@example.com' },
    })
    await page.getByRole('button', { name: '1 new customer – show' }).waitFor()
    expect(await row(/dora/).count()).toBe(0)
    await page.keyboard.press('.')
    await row(/dora@example.com/).waitFor()
    await until(async () => (await page.getByRole('button', { name: '1 new customer – show' }).count()) === 0)
  })

  test('two members on one customer see the changes of each other, and keep them when they save', async () => {
    const { page, served, merchant } = shop
    await served.server.sql`
      insert into members (merchant_id, account_id, role)
      select m.merchant_id, a.id, 'developer' from accounts a, members m
      where a.email = ${jo.email} and m.account_id = (select id from accounts where email = 'anna@lamps.example')`
    const their = onPage(() => theirs.page)
    await theirs.page.goto(`${served.server.url}/dashboard`)
    await theirs.page.getByLabel('E-Mail', { exact: true }).fill(jo.email)
    await theirs.page.getByLabel('Passwort', { exact: true }).fill(jo.password)
    await theirs.page.keyboard.press('Enter')
    await theirs.page.waitForURL(/\/home$/)
    await theirs.page.goto(`${served.server.url}/dashboard/${merchant}/test/customers/${ids.ada}`)
    await their.heading('Ada Example')
    // In the other language; a developer neither merges nor adjusts credit.
    await their.click('Bearbeiten', 'link')
    await their.heading('Kunde bearbeiten')
    await shop.go(`customers/${ids.ada}/edit`)
    await on.fill('Company (optional)', 'Difference Engines')
    await on.click('Save')
    await on.toast('Customer saved')
    // The field that the other member has not touched shows the change, by the event stream.
    await until(async () => (await theirs.page.getByLabel('Firma (optional)').inputValue()) === 'Difference Engines')
    await theirs.page.getByLabel('Vor- und Nachname (optional)').fill('Ada Lovelace')
    await theirs.page.getByRole('button', { name: 'Speichern' }).click()
    await their.heading('Ada Lovelace')
    await on.heading('Ada Lovelace')
    await page.getByText('Difference Engines').first().waitFor()
    expect(await read(ids.ada)).toMatchObject({ name: 'Ada Lovelace', company: 'Difference Engines' })
    expect(await theirs.page.getByRole('button', { name: /Zusammenführen|Guthaben anpassen/ }).count()).toBe(0)
    expect(await axeFaults(theirs.page)).toEqual([])
  })

  test('a changed e-mail address leaves the old one as an alias', async () => {
    await on.click('Edit', 'link')
    await on.fill('E-mail', 'lovelace@example.com')
    await on.click('Add a key')
    await on.fill('Key 2', 'since')
    await on.fill('Value 2', '1843')
    await on.click('Remove key 1')
    await on.click('Save')
    await fact('Other e-mail', 'Ada@Example.com')
    await fact('since', '1843')
    expect(await read(ids.ada)).toMatchObject({ email: 'lovelace@example.com', metadata: { since: '1843' } })
  })

  test('credit is adjusted by an owner; below zero is refused at the field, also when it was used meanwhile', async () => {
    const { page } = shop
    const title = 'Adjust credit'
    const note = () => on.dialog(title).getByLabel('Reason', { exact: true })
    await on.click(title)
    await on
      .dialog(title)
      .getByText('Credit now: €0.00.')
      .or(on.dialog(title).getByText('Credit now: $0.00.'))
      .waitFor()
    await inDialog(title, title)
    await page.getByText('Enter an amount like 15.00, more than zero.').waitFor()
    await page.getByText('Enter a reason.').waitFor()
    await on.dialog(title).getByLabel('Currency', { exact: true }).selectOption('EUR')
    await on.fill('Amount', '15')
    await on.dialog(title).getByText('Afterwards: €15.00.').waitFor()
    await note().fill('Goodwill')
    await on.expectSound()
    await inDialog(title, title)
    await on.toast('Credit adjusted')
    await page.getByRole('row', { name: /Adjustment.*Goodwill.*\+€15\.00.*€15\.00/ }).waitFor()
    await on.click(title)
    await on
      .dialog(title)
      .getByRole('radio', { name: /^Take credit away/ })
      .check()
    await on.fill('Amount', '15.01')
    await page.getByText('The credit would be below zero. At most €15.00 can be taken away.').waitFor()
    await on.fill('Amount', '12')
    await on.dialog(title).getByText('Afterwards: €3.00.').waitFor()
    await note().fill('Used in the shop')
    // Another request takes the most of it, and this page does not know: its stream is cut.
    await page.route('**/v1/merchants/**', route =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    )
    await shop.call('POST', path(ids.ada ?? '', 'credit'), { currency: 'EUR', amountMinor: -1_000, note: 'Other' })
    await page.unroute('**/v1/merchants/**')
    await inDialog(title, title)
    await page.getByText('The credit would be below zero. At most €5.00 can be taken away.').waitFor()
    expect(await on.dialog(title).getByRole('alert').count()).toBe(0)
    await on.fill('Amount', '5')
    await inDialog(title, title)
    await page.getByRole('row', { name: /Used in the shop.*−€5\.00.*€0\.00/ }).waitFor()
    expect((await read(ids.ada)).totals).toMatchObject([{ currency: 'EUR', creditMinor: 0 }, { currency: 'USD' }])
  })

  test('a lost response to an adjustment says that it may have been made, and sending it again adds nothing', async () => {
    const { page } = shop
    await on.click('Adjust credit')
    await on.fill('Amount', '2')
    await on.dialog('Adjust credit').getByLabel('Reason', { exact: true }).fill('Lost')
    await page.route('**/credit', async route => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await route.abort('connectionreset')
    })
    await inDialog('Adjust credit', 'Adjust credit')
    await page.getByText('The entry may already have been added.').waitFor()
    await on.dialog('Adjust credit').getByText('Credit now: €2.00.').waitFor()
    await page.unroute('**/credit')
    await inDialog('Adjust credit', 'Adjust credit')
    await on.dialog('Adjust credit').waitFor({ state: 'hidden' })
    expect((await read(ids.ada)).totals).toMatchObject([{ currency: 'EUR', creditMinor: 200 }, { currency: 'USD' }])
  })

  test('a merge says what becomes of both, and leads to the one that remains', async () => {
    const { page } = shop
    const title = 'Merge Bodega into another customer'
    await shop.call('POST', path(ids.bo ?? '', 'credit'), { currency: 'EUR', amountMinor: 300, note: 'Gift' })
    await shop.go(`customers/${ids.bo}`)
    await on.heading('Bodega')
    await tabToPart(page, 'Merge')
    await page.keyboard.press('Enter')
    await walkDialog(page, 'Merge')
    await page.keyboard.press('Enter')
    await on.dialog(title).waitFor()
    await inDialog(title, 'Merge customers')
    await on.dialog(title).locator('.error').getByText('Choose the customer that remains.').waitFor()
    const other = on.dialog(title).getByRole('combobox')
    await other.fill('lov')
    await until(async () => (await page.getByRole('option').count()) === 1)
    // By keyboard.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await on.dialog(title).getByText('Ada Lovelace remains').waitFor()
    await on.dialog(title).getByText('This cannot be undone.').waitFor()
    await on.dialog(title).getByText('€3.00 + €2.00 = €5.00').waitFor()
    for (const email of ['lovelace@example.com', 'Ada@Example.com', 'bo@example.com', 'bodo@example.com'])
      await on.dialog(title).locator('dd div').getByText(email, { exact: true }).waitFor()
    await on.expectSound()
    // A text that was changed has chosen nothing.
    await other.press('Backspace')
    await on.dialog(title).getByText('Ada Lovelace remains').waitFor({ state: 'hidden' })
    await other.fill('Ada')
    await page.getByRole('option', { name: /Ada Lovelace/ }).click()
    await theirs.page.goto(page.url())
    await theirs.page.getByRole('heading', { name: 'Bodega', level: 1 }).waitFor()
    await inDialog(title, 'Merge customers')
    await on.toast('Bodega was merged into Ada Lovelace')
    await on.heading('Ada Lovelace')
    expect(new URL(page.url()).pathname).toEndWith(`/customers/${ids.ada}`)
    await page.getByRole('row', { name: /Customer merged.*\+€3\.00.*€5\.00/ }).waitFor()
    expect(await read(ids.bo)).toMatchObject({ mergedIntoId: ids.ada })
    // The other member had it open.
    await theirs.page.getByText('Zusammengeführt mit Ada Lovelace').waitFor()
  })

  test('the page of a merged one leads to the one that remains, and changes nothing', async () => {
    const { page } = shop
    await shop.go(`customers/${ids.bo}`)
    await page.getByText('Merged into Ada Lovelace').waitFor()
    await page.getByText('customer.merged').waitFor()
    expect(await page.getByRole('button', { name: /Merge|Adjust credit/ }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    await on.expectSound()
    await shop.go(`customers/${ids.bo}/edit`)
    await page.getByText('Merged into Ada Lovelace').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await on.click('Open that customer', 'link')
    await on.heading('Ada Lovelace')
  })

  test('Ctrl K finds customers by name, reference and ID, and creates one', async () => {
    const { page } = shop
    const find = async (text: string, option: RegExp) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search and commands' }).fill(text)
      await page.getByRole('option', { name: option }).waitFor()
      await page.keyboard.press('Enter')
    }
    await shop.go('keys')
    await on.heading('API keys')
    await find('love', /Ada Lovelace/)
    await on.heading('Ada Lovelace')
    await find('account 7', /Ada Lovelace/)
    await find(ids.cy ?? '', /cy@example\.com/)
    await on.heading('cy@example.com')
    await find('new cust', /New customer/)
    await on.heading('New customer')
  })

  test('a list and a page that cannot be loaded say so, and load again', async () => {
    const { page } = shop
    for (const [where, heading] of [
      ['customers', 'Customers'],
      [`customers/${ids.cy}`, 'cy@example.com'],
    ] as const) {
      await page.route('**/v1/**/customers**', route =>
        route.fulfill({ status: 503, json: { error: { code: 'service_unavailable' } } }),
      )
      await shop.go(where)
      await page.getByRole('button', { name: 'Try again' }).first().waitFor({ timeout: 20_000 })
      await on.expectSound()
      await page.unroute('**/v1/**/customers**')
      await on.click('Try again')
      await on.heading(heading)
      await page.getByText('cy@example.com').first().waitFor()
    }
    await shop.go('customers/cus_unknown')
    await page.getByRole('alert').waitFor()
  })

  test('a viewer reads, changes nothing, and finds the owners', async () => {
    const { served, merchant } = shop
    const { page } = theirs
    await served.server.sql`
      update members set role = 'viewer' where role = 'developer' and account_id =
        (select id from accounts where email = ${jo.email})`
    await page.goto(`${served.server.url}/dashboard/${merchant}/test/customers/${ids.ada}`)
    await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor()
    await page.getByText('anna@lamps.example').waitFor()
    await until(async () => (await page.getByRole('link', { name: 'Bearbeiten' }).count()) === 0)
    await page.goto(`${served.server.url}/dashboard/${merchant}/test/customers/new`)
    await page.getByText('anna@lamps.example').waitFor()
    expect(await page.getByRole('button', { name: 'Kunde anlegen' }).count()).toBe(0)
  })

  test('the dialog of credit is walked by keyboard alone', async () => {
    const { page } = shop
    await shop.go(`customers/${ids.ada}`)
    await on.heading('Ada Lovelace')
    await tabToPart(page, 'Adjust credit')
    await page.keyboard.press('Enter')
    await walkDialog(page, 'Adjust credit')
    expect((await focused(page))?.name).toBe('Adjust credit')
  })

  test('personal data is erased after a proof of identity, once nothing is open; until then the page says what is', async () => {
    const { page, served } = shop
    const title = 'Erase the personal data of cy@example.com?'
    const give = (amountMinor: number) =>
      shop.call('POST', path(ids.cy ?? '', 'credit'), { currency: 'EUR', amountMinor, note: 'Gift' })
    await give(100)
    await served.server.sql`update sessions set proven_at = now() - interval '301 seconds'`
    const [account] = await served.server.sql`select id from accounts where email = 'anna@lamps.example'`
    served.server.api.sessions.forgetAccount(String(account?.id))
    await shop.go(`customers/${ids.cy}`)
    await on.heading('cy@example.com')
    // What stands in the way is said before a proof of identity is asked for.
    await on.click('Erase')
    await on.dialog(title).getByText('Credit of €1.00').waitFor()
    expect(await on.dialog(title).getByRole('button', { name: 'Erase personal data' }).count()).toBe(0)
    await on.expectSound()
    await inDialog(title, 'Cancel')
    await give(-100)
    await page.reload()
    await on.heading('cy@example.com')
    await on.click('Erase')
    const submit = on.dialog(title).getByRole('button', { name: 'Erase personal data' })
    await submit.waitFor()
    // Given after the dialog has read what stands in the way.
    const before = await read(ids.cy)
    await page.route(`**/customers/${ids.cy}`, route => route.fulfill({ json: before }))
    await give(200)
    await submit.click()
    await on.dialog('Confirm that it is you').getByLabel('Password', { exact: true }).fill('correct horse battery')
    await inDialog('Confirm that it is you', 'Confirm')
    await on.dialog(title).getByText('This customer cannot be erased yet').waitFor()
    await on.expectSound()
    expect(await read(ids.cy)).toMatchObject({ email: 'cy@example.com', erasedAt: null })
    await page.unrouteAll()
    await inDialog(title, 'Cancel')
    await give(-200)
    await page.reload()
    await on.click('Erase')
    await inDialog(title, 'Erase personal data')
    await on.toast('Personal data erased')
    await on.heading('Erased customer')
    await page.getByText(/^Personal data erased on/).waitFor()
    expect(await page.getByRole('button', { name: /^(Erase|Merge|Adjust credit)$/ }).count()).toBe(0)
    expect(await read(ids.cy)).toMatchObject({ email: `${ids.cy}@erased.invalid`, erasedAt: expect.any(String) })
    await on.expectSound()
    await shop.go('customers')
    await page.getByRole('link', { name: 'Erased customer' }).waitFor()
    expect(await page.getByText('erased.invalid').count()).toBe(0)
  })

  test('run without a violation of the policy and without an error', () => {
    const expected = /Failed to load resource/
    expect(shop.visit.complaints.filter(text => !expected.test(text))).toEqual([])
    expect(theirs.complaints.filter(text => !expected.test(text))).toEqual([])
  })
})
