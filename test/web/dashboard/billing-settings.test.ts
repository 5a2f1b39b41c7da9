import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../harness/browser.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { walkPage } from './tab-walk.ts'

let shop: SandboxShop

beforeAll(async () => {
  if (hasBrowser) shop = await sandboxShop()
})
afterAll(() => shop?.[Symbol.asyncDispose]())

const on = onPage(() => shop.page)
const path = () => `/v1/merchants/${shop.merchant}/settings/billing`
const settings = (livemode = false) => shop.call('GET', `${path()}?livemode=${livemode}`)
const preview = () => shop.page.getByTestId('next-invoice').textContent()
const year = () => new Date().getUTCFullYear()
const combobox = () => shop.page.getByRole('combobox', { name: 'Time zone' })

const save = async () => {
  await shop.page.waitForFunction(() => document.querySelector('.toast') === null)
  await shop.page.getByRole('button', { name: 'Save', exact: true }).click()
}

const forgetProof = async () => {
  const { server } = shop.served
  await server.sql`update sessions set proven_at = now() - interval '301 seconds'`
  const [row] = await server.sql`select id from accounts where email = 'anna@lamps.example'`
  server.api.sessions.forgetAccount(String(row?.id))
}

// One shop: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('billing settings', () => {
  test('say what is missing before invoices of live mode can be finalized', async () => {
    await shop.go('settings')
    await shop.page.getByRole('tab', { name: 'Billing' }).click()
    await shop.page.getByText('Invoices cannot be finalized in live mode yet').waitFor()
    await shop.page.getByText('Missing: Legal name, Address.').waitFor()
    expect(new URL(shop.page.url()).search).toBe('?part=billing')
    await on.expectSound()
  })

  test('preview the next number from pattern, prefix, restart and next number', async () => {
    const { page } = shop
    expect(await preview()).toBe(`TEST-INV-${year()}-0001`)
    await on.fill('Pattern', '{year}/{prefix}{number:2}')
    await on.fill('Prefix of invoices', 'RE')
    await on.fill('Next invoice number', '120')
    expect(await preview()).toBe(`TEST-${year()}/RE120`)
    expect(await page.getByTestId('next-credit-note').textContent()).toBe(`TEST-${year()}/CN01`)
    await on.fill('Pattern', '{prefix}{number:5}')
    expect(await preview()).toBe('–')
    await page.locator('.preview').getByText('The pattern must contain {year}').waitFor()
    await page.getByRole('radio', { name: /^Never/ }).check()
    expect(await preview()).toBe('TEST-RE00120')
  })

  test('name every wrong value at its field, and send nothing', async () => {
    const { page } = shop
    await on.fill('Street and number', 'Lindenallee 4')
    await on.fill('Next invoice number', '0')
    await on.fill('Days until due', '366')
    await on.fill('Tax rate in percent', '100.5')
    await on.fill('Years of retention', '51')
    await on.fill('Prefix of credit notes', 'C N')
    await combobox().fill('Europe/Atlantis')
    await page.keyboard.press('Escape')
    await on.click('Save')
    for (const text of [
      ...['Enter the city.', 'Choose the country.', 'Choose a time zone from the list.'],
      ...['Enter a whole number that is not lower than the present one.', 'Enter a whole number from 0 to 365.'],
      ...['Enter a number from 0 to 100 with at most two decimals.', 'Enter a whole number from 1 to 50.'],
      'Use up to 20 letters, digits and - _ . / #.',
    ])
      await page.getByText(text, { exact: true }).waitFor()
    await on.expectSound()
    expect(await settings()).toMatchObject({ address: null, nextNumber: 1, creditNotePrefix: 'CN' })
  })

  test('are saved after a proof of identity, with reminders as chips and a zone that is searched', async () => {
    const { page } = shop
    await on.fill('Legal name', 'Lamps & Light GmbH')
    await on.fill('Postal code', '04109')
    await on.fill('City', 'Leipzig')
    await page.getByLabel('Country', { exact: true }).selectOption({ label: 'Germany' })
    await on.fill('Tax ID (optional)', 'DE811907980')
    await on.fill('Next invoice number', '120')
    await on.fill('Days until due', '30')
    await on.fill('Tax rate in percent', '19')
    await on.fill('Years of retention', '8')
    await on.fill('Prefix of credit notes', 'GS')
    await page.getByRole('radio', { name: /^With tax/ }).check()
    await on.fill('Notes (optional)', 'Thank you.')
    await combobox().fill('berl')
    await page.getByRole('option', { name: /Europe\/Berlin/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await combobox().inputValue()).toBe('Europe/Berlin')
    await on.click('Remove the reminder: 14 days after')
    await on.fill('Days', '31')
    await on.click('Add reminder')
    await page.getByText('Enter at most 30 days before or 90 days after.').waitFor()
    await on.fill('Days', '3')
    await on.click('Add reminder')
    await page.getByText('There is such a reminder already.').waitFor()
    await page.getByLabel('When', { exact: true }).selectOption('after')
    await on.fill('Days', '21')
    // Enter adds the reminder, and does not save the form.
    await page.getByLabel('Days', { exact: true }).press('Enter')
    await page.getByRole('listitem').filter({ hasText: '21 days after' }).waitFor()
    await on.expectSound()
    await forgetProof()
    await save()
    await on.dialog('Confirm that it is you').getByLabel('Password', { exact: true }).fill('correct horse battery')
    await on.dialog('Confirm that it is you').getByRole('button', { name: 'Confirm' }).click()
    await on.toast('Settings saved')
    expect(await settings()).toMatchObject({
      ...{ legalName: 'Lamps & Light GmbH', taxId: 'DE811907980', timeZone: 'Europe/Berlin' },
      address: {
        line1: 'Lindenallee 4',
        line2: null,
        postalCode: '04109',
        city: 'Leipzig',
        state: null,
        country: 'DE',
      },
      ...{ invoicePrefix: 'RE', creditNotePrefix: 'GS', numberPattern: '{prefix}{number:5}', restart: 'never' },
      ...{ nextNumber: 120, daysUntilDue: 30, taxRateBps: 1900, taxBehavior: 'inclusive', reminders: [-3, 0, 7, 21] },
      ...{ notes: 'Thank you.', retentionYears: 8 },
    })
    await page.getByText('Invoices cannot be finalized in live mode yet').waitFor({ state: 'hidden' })
    expect(await preview()).toBe('TEST-RE00120')
  })

  test('say at the field that the time zone cannot be changed twice a day, and keep the rest of the form', async () => {
    const { page } = shop
    await on.fill('Days until due', '7')
    await combobox().fill('UTC')
    await save()
    await page.getByText('The time zone was changed less than 24 hours ago.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await settings()).toMatchObject({ daysUntilDue: 30, timeZone: 'Europe/Berlin' })
    await combobox().fill('Europe/Berlin')
    await save()
    await on.toast('Settings saved')
    expect(await settings()).toMatchObject({ daysUntilDue: 7 })
  })

  test('what another member has changed meanwhile is kept', async () => {
    const { page } = shop
    await on.fill('Tax ID (optional)', 'DE1')
    await shop.call('PATCH', path(), { notes: 'Pay within a week.', daysUntilDue: 10 })
    await save()
    await on.toast('Settings saved')
    expect(await settings()).toMatchObject({ taxId: 'DE1', notes: 'Pay within a week.', daysUntilDue: 10 })
    expect(await page.getByLabel('Days until due', { exact: true }).inputValue()).toBe('10')
    await page.waitForFunction(() => document.querySelector('.toast') === null)
    await walkPage(page)
  })

  test('in live mode the number has no prefix of test mode', async () => {
    await shop.go('settings?part=billing', 'live')
    await shop.page.getByTestId('next-invoice').waitFor()
    expect(await preview()).toBe('RE00120')
    await on.fill('Next invoice number', '500')
    await save()
    await on.toast('Settings saved')
    expect([(await settings(true)).nextNumber, (await settings(false)).nextNumber]).toEqual([500, 120])
  })

  test('a developer reads them and finds the owners', async () => {
    await shop.served.server.sql`update members set role = 'developer' where account_id =
      (select id from accounts where email = 'anna@lamps.example')`
    await shop.page.getByText(/^Your role in .* is now/).waitFor({ timeout: 20_000 })
    await shop.page.getByText(/^Only owners can make changes here/).waitFor()
    await shop.page.locator('.facts', { hasText: 'Lamps & Light GmbH' }).getByText('Europe/Berlin').waitFor()
    expect(await shop.page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await on.click('Dismiss')
    await on.expectSound()
  })

  test('run without a violation of the policy and without an error', () => {
    const expected = /Failed to load resource/
    expect(shop.visit.complaints.filter(text => !expected.test(text))).toEqual([])
  })
})
