import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { Download, Page } from 'playwright-core'
import { addDays, dayIn } from '../../../src/billing/days.ts'
import { decodeId } from '../../../src/ids.ts'
import { openSnapshot } from '../../../src/postgres/snapshot.ts'
import { takeExportSlot } from '../../../src/queries/exports.ts'
import { type ExportDays, exportDaysOf, wrongRange } from '../../../src/web/dashboard/exports/export-range.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { onPage } from './harness.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'
import { focused, tabToPart, walkDialog } from './tab-walk.ts'

/** The choice, the day on which it is made, and the first and the last day. */
const ranges = `
  list         | 2026-03-01 | 2026-02-22 | 2026-03-01
  today        | 2026-11-27 | 2026-11-27 | 2026-11-27
  7d           | 2026-11-27 | 2026-11-21 | 2026-11-27
  30d          | 2028-03-01 | 2028-02-01 | 2028-03-01
  month        | 2026-11-01 | 2026-11-01 | 2026-11-01
  last_month   | 2028-03-31 | 2028-02-01 | 2028-02-29
  last_month   | 2026-01-15 | 2025-12-01 | 2025-12-31
  quarter      | 2026-01-01 | 2026-01-01 | 2026-01-01
  quarter      | 2026-12-31 | 2026-10-01 | 2026-12-31
  last_quarter | 2026-01-01 | 2025-10-01 | 2025-12-31
  last_quarter | 2026-03-31 | 2025-10-01 | 2025-12-31
  last_quarter | 2026-04-01 | 2026-01-01 | 2026-03-31
  last_quarter | 2026-11-27 | 2026-07-01 | 2026-09-30
  year         | 2026-12-31 | 2026-01-01 | 2026-12-31
  last_year    | 2026-01-01 | 2025-01-01 | 2025-12-31
  last_year    | 2026-12-31 | 2025-01-01 | 2025-12-31
  most         | 2026-11-27 | 2025-10-24 | 2026-11-27`

test.each(
  ranges
    .trim()
    .split('\n')
    .map(line => line.split('|').map(cell => cell.trim())),
)('the range "%s" on %s', (range = '', today = '', from = '', to = '') => {
  const days = exportDaysOf(range as Parameters<typeof exportDaysOf>[0], today, 7)
  expect(days).toEqual({ from, to })
  expect(wrongRange(days)).toBeUndefined()
})

test('a range has at most 400 days, both of which are set', () => {
  const wrong = (from: string, to: string) => wrongRange({ from, to })
  expect(wrong('2026-01-02', '2026-01-02')).toBeUndefined()
  expect(wrong('2026-01-02', '2026-01-01')).toBe('rangeReversed')
  expect(wrong('', '2026-01-01')).toBe('fromMissing')
  expect(wrong('2026-01-02', '')).toBe('toMissing')
  expect(wrong('2025-01-01', '2026-02-04')).toBeUndefined()
  expect(wrong('2025-01-01', '2026-02-05')).toBe('rangeTooLong')
})

let shop: SandboxShop
const path = (end: string) => `/v1/merchants/${shop.merchant}/${end}`

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  for (const email of ['ada@example.com', 'bo@example.com']) {
    const { id } = await shop.call('POST', path('customers'), { email, name: 'Ä. Customer' })
    const lines = [{ description: 'A lamp', unitAmountMinor: 4_900 }]
    await shop.call('POST', path('invoices'), { customerId: id, currency: 'EUR', lines, finalize: email < 'b' })
  }
})
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]()
})

const on = onPage(() => shop.page)
const readDownload = async (download: Download) => ({
  name: download.suggestedFilename(),
  text: await readFile(await download.path(), 'utf8'),
})
/** Chooses Export in the open dialog, and reads the file. */
const exportNow = async (title: string) => {
  const [download] = await Promise.all([
    shop.page.waitForEvent('download'),
    on.dialog(title).getByRole('button', { name: 'Export' }).click(),
  ])
  return readDownload(download)
}
const open = async (section: string, title: string) => {
  await shop.go(section)
  await on.click('Export')
  await on.dialog(title).waitFor()
}

const daysIn = async (page: Page): Promise<ExportDays> => {
  const [from, to] = [page.getByLabel('First day'), page.getByLabel('Last day')]
  // The time zone of the shop is being read.
  await until(async () => (await from.inputValue()) !== '')
  return { from: await from.inputValue(), to: await to.inputValue() }
}

// One shop: each test continues where the one before ended.
describe.skipIf(!hasBrowser)('an export', () => {
  test('has what the filters of the list show, in a format for Excel', async () => {
    await open('customers', 'Export customers')
    await shop.page.getByText('The file has all records that were created in this range.').waitFor()
    await on.expectSound()
    const today = dayIn('UTC', new Date())
    const all = await exportNow('Export customers')
    await on.toast('The download has begun')
    expect(all.name).toBe(`customers-${addDays(today, -399)}-${today}-test.csv`)
    expect(all.text.startsWith('\uFEFFobject,id,merchantId,email,')).toBe(true)
    expect(all.text.split('\r\n').length - 2).toBe(2)
    expect(all.text).toContain('Ä. Customer')

    await open('customers?q=bo', 'Export customers')
    await shop.page.getByText(/^The file has the records that the filters of the list show/).waitFor()
    await shop.page.getByRole('radio', { name: /NDJSON/ }).check()
    expect(await shop.page.getByRole('checkbox', { name: /For Excel/ }).count()).toBe(0)
    const some = await exportNow('Export customers')
    expect(some.name).toEndWith('-test.ndjson')
    expect(
      some.text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).email),
    ).toEqual(['bo@example.com'])
  }, 60_000)

  test('of invoices can have credit notes instead, and the range of the list is the default', async () => {
    await open('invoices?status=draft', 'Export invoices')
    const drafts = await exportNow('Export invoices')
    expect(drafts.text.split('\r\n').length - 2).toBe(1)
    await on.click('Export')
    await shop.page.getByRole('radio', { name: /Credit notes/ }).check()
    const notes = await exportNow('Export invoices')
    expect(notes.name).toStartWith('credit-notes-')
    await open('payments?days=7', 'Export payments')
    expect(await daysIn(shop.page)).toEqual(exportDaysOf('list', dayIn('UTC', new Date()), 7))
    expect(await shop.page.getByLabel('Range').inputValue()).toBe('list')
    await shop.page.keyboard.press('Escape')
    await open('balances', 'Export balances')
    expect(await shop.page.getByLabel('First day').count()).toBe(0)
    expect((await exportNow('Export balances')).text).toStartWith('\uFEFFobject,chainId,')
  }, 60_000)

  test('has days of the time zone of the shop, also where it is another day for the reader', async () => {
    const { served, visit: own, call } = shop
    // The clocks of both are 25 hours apart.
    await call('PATCH', path('settings/billing?livemode=false'), { timeZone: 'Pacific/Kiritimati' })
    await using visit = await served.visit({ timezoneId: 'Pacific/Pago_Pago', acceptDownloads: true })
    await visit.context.addCookies(await own.context.cookies())
    const { page } = visit
    await page.goto(`${served.server.url}/dashboard/${shop.merchant}/test/customers`)
    await page.getByRole('button', { name: 'Export' }).click()
    const today = dayIn('Pacific/Kiritimati', new Date())
    const range = page.getByLabel('Range')
    expect(await daysIn(page)).toEqual(exportDaysOf('most', today))
    await range.selectOption({ label: 'Last quarter' })
    expect(await daysIn(page)).toEqual(exportDaysOf('last_quarter', today))
    await range.selectOption({ label: 'Between two days' })
    expect(await daysIn(page)).toEqual(exportDaysOf('last_quarter', today))
    await range.selectOption({ label: 'Today' })
    expect(await daysIn(page)).toEqual({ from: today, to: today })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ])
    const { name, text } = await readDownload(download)
    expect(name).toBe(`customers-${today}-${today}-test.csv`)
    expect(text).toContain('Ä. Customer')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByLabel('First day').fill('2026-01-01')
    expect(await range.inputValue()).toBe('custom')
    await call('PATCH', path('settings/billing?livemode=false'), { timeZone: 'UTC' })
  }, 60_000)

  test('can be made with own days while the time zone of the shop is not known', async () => {
    const { page } = shop
    await page.route('**/settings/billing*', route => route.abort())
    await open('customers', 'Export customers')
    await page.getByText('The time zone of the shop is not known.', { exact: false }).waitFor({ timeout: 20_000 })
    await on.expectSound()
    const today = dayIn('UTC', new Date())
    await page.getByLabel('First day').fill(today)
    await page.getByLabel('Last day').fill(today)
    expect((await exportNow('Export customers')).name).toBe(`customers-${today}-${today}-test.csv`)
    await page.unroute('**/settings/billing*')
  }, 60_000)

  test('is not begun with a wrong range, which is named at its field', async () => {
    const { page } = shop
    await open('refunds', 'Export refunds')
    await daysIn(page)
    await page.getByLabel('First day').fill('2026-03-02')
    await page.getByLabel('Last day').fill('2026-03-01')
    await on.dialog('Export refunds').getByRole('button', { name: 'Export' }).click()
    await page.getByText('The last day is before the first one.').waitFor()
    await until(() => page.evaluate<boolean>(`document.activeElement?.labels?.[0]?.textContent === 'Last day'`))
    await on.expectSound()
    await page.getByLabel('First day').fill('')
    await page.getByText('Enter the first day.').waitFor()
    await page.getByLabel('First day').fill('2020-01-01')
    await page.getByText('These are more than 400 days.', { exact: false }).waitFor()
    await page.keyboard.press('Escape')
  }, 60_000)

  test('is reached, made and left with the keyboard alone', async () => {
    const { page } = shop
    await shop.go('subscriptions')
    await page.getByRole('button', { name: 'Export' }).focus()
    await page.keyboard.press('Enter')
    await walkDialog(page, 'Export')
    await page.keyboard.press('Enter')
    await on.dialog('Export subscriptions').waitFor()
    await daysIn(page)
    expect((await focused(page))?.name).toBe('Range')
    await page.keyboard.type('Last q')
    const today = dayIn('UTC', new Date())
    expect(await daysIn(page)).toEqual(exportDaysOf('last_quarter', today))
    await tabToPart(page, /^CSV/)
    await page.keyboard.press('ArrowDown')
    expect((await focused(page))?.name).toStartWith('NDJSON')
    await tabToPart(page, 'Export')
    const saved = async () => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
      await on.dialog('Export subscriptions').waitFor({ state: 'detached' })
      expect((await focused(page))?.name).toBe('Export')
      return download.suggestedFilename()
    }
    const { from, to } = exportDaysOf('last_quarter', today)
    expect(await saved()).toBe(`subscriptions-${from}-${to}-test.ndjson`)
    await page.keyboard.press('Enter')
    await on.dialog('Export subscriptions').waitFor()
    await daysIn(page)
    // Enter in a field sends the form.
    await tabToPart(page, 'Last day')
    expect(await saved()).toEndWith(`-${today}-test.csv`)
  }, 60_000)

  test('a third one at a time waits with a countdown, and the request is named', async () => {
    const { page, served } = shop
    const merchantId = decodeId('mer', shop.merchant) ?? ''
    const options = { name: 'paymachine export', idleMs: 60_000 }
    const taken = [
      await openSnapshot(served.server.databaseUrl, options),
      await openSnapshot(served.server.databaseUrl, options),
    ]
    for (const { sql } of taken) expect(await takeExportSlot(sql, merchantId)).toBe(true)
    await open('customers', 'Export customers')
    await on.dialog('Export customers').getByRole('button', { name: 'Export' }).click()
    await page.getByText('Two exports of this shop are running. Wait until one has ended.').waitFor()
    await page.getByRole('button', { name: /Try again in \d+ s/ }).waitFor()
    await page.locator('.request-id').waitFor()
    await on.expectSound()
    for (const { end } of taken) await end()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Try again', exact: true }).click(),
    ])
    expect((await readDownload(download)).text.split('\r\n').length - 2).toBe(2)
  }, 90_000)

  test('is not offered to viewers, who find the owners', async () => {
    const { page, served } = shop
    await served.server.sql`update members set role = 'viewer'`
    // Roles are cached for a second.
    for (const section of ['payments', 'refunds', 'invoices', 'subscriptions', 'customers', 'balances']) {
      await shop.go(section)
      await page.getByText(/Only owners and developers can make changes here, and export lists/).waitFor()
      expect([section, await page.getByRole('button', { name: 'Export' }).count()]).toEqual([section, 0])
    }
  }, 60_000)
})
