import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { dayIn, instantOf } from '../../../src/billing/days.ts'
import { decodeId } from '../../../src/ids.ts'
import { rebuildPaymentSums } from '../../../src/queries/payment-sums.ts'
import { monthsOf } from '../../../src/web/dashboard/analytics/period.ts'
import { PAGE, paidInMonth, readPayments } from '../../../src/web/dashboard/customers/customer-months.ts'
import { analyticsEn } from '../../../src/web/text/dashboard/analytics/en.ts'
import { customersEn as texts } from '../../../src/web/text/dashboard/customers/en.ts'
import { formatsOf } from '../../../src/web/text/format.ts'
import { hasBrowser } from '../../harness/browser.ts'
import { until } from '../../harness/until.ts'
import { happenAt } from '../../http/happen-at.ts'
import { makePayment } from '../../http/payments.ts'
import type { Visit } from '../pay/pay-server.ts'
import { payments } from './samples.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

/** Payments of one dollar, newest first: two a day back from a day, in pages as the API answers them. */
const pagesOf = (count: number, lastDay: string) => {
  const { paid } = payments
  if (!paid) throw new Error('There is no sample of a paid payment')
  const all = Array.from({ length: count }, (_, n) => ({
    ...{ ...paid, id: `pay_${n}`, currency: 'USD', amountMinor: 100 },
    createdAt: new Date(Date.parse(lastDay) - n * 43_200_000).toISOString(),
  }))
  const asked: (string | undefined)[] = []
  const read = async (startingAfter: string | undefined) => {
    asked.push(startingAfter)
    const start = all.findIndex(({ id }) => id === startingAfter) + 1
    return { data: all.slice(start, start + PAGE), has_more: start + PAGE < count }
  }
  return { read, asked }
}

test('more than 1,000 payments are not all read, and the month of the oldest is not shown with a part of them', async () => {
  const { read, asked } = pagesOf(1_001, '2026-11-30T18:00:00Z')
  const found = await readPayments(read)
  expect(asked).toEqual([undefined, ...Array.from({ length: 9 }, (_, n) => `pay_${n * 100 + 99}`)])
  expect([found.payments.length, found.hasMore]).toEqual([1_000, true])
  const paid = paidInMonth(found, 'USD', 'UTC')
  // The last payment that was read is from 2025-07-19.
  expect(['2026-11', '2025-08', '2025-07', '2025-06'].map(paid)).toEqual([
    ...[
      { minor: 6_000, count: 60 },
      { minor: 6_200, count: 62 },
    ],
    ...[undefined, undefined],
  ])
})

test('all of 1,000 payments are read, and a month without one has zero', async () => {
  const { read, asked } = pagesOf(1_000, '2026-11-30T18:00:00Z')
  const found = await readPayments(read)
  expect([asked.length, found.payments.length, found.hasMore]).toEqual([10, 1_000, false])
  expect(['2025-07', '2025-06'].map(paidInMonth(found, 'USD', 'UTC'))).toEqual([
    { minor: 2_600, count: 26 },
    { minor: 0, count: 0 },
  ])
})

/** Fourteen hours ahead of UTC: its months begin when others have not ended. */
const zone = 'Pacific/Kiritimati'
const { starts } = monthsOf(dayIn(zone, new Date()))
const startOf = (n: number) => instantOf(zone, starts.at(n) ?? '', 0)
const justBefore = (at: Date) => new Date(at.getTime() - 1)

let shop: SandboxShop
let visit: Visit
let customer: string
/** Has paid more often than a page of the API has rows. */
let regular: string

type Sale = { readonly at: Date; readonly minor: number; readonly currency?: string; readonly situation?: string }

/** The last start is that of the next month. */
const sales: readonly Sale[] = [
  { at: justBefore(startOf(0)), minor: 99_900 },
  { at: startOf(0), minor: 100 },
  { at: startOf(-4), minor: 2_000 },
  { at: justBefore(startOf(-3)), minor: 500 },
  { at: startOf(-3), minor: 30_000, situation: 'refunded' },
  { at: startOf(-3), minor: 4_000 },
  { at: startOf(-3), minor: 7_700, situation: 'expired' },
  { at: startOf(-3), minor: 8_800, situation: 'failed' },
  { at: startOf(-3), minor: 60_000, currency: 'EUR' },
]

beforeAll(async () => {
  if (!hasBrowser) return
  shop = await sandboxShop()
  const { server } = shop.served
  const whose = { merchantId: decodeId('mer', shop.merchant) ?? '', livemode: true }
  const create = async (email: string) =>
    String((await shop.call('POST', `/v1/merchants/${shop.merchant}/customers?livemode=true`, { email })).id)
  customer = await create('ada@example.com')
  regular = await create('bo@example.com')
  const sell = async (id: string, { at, minor, currency = 'USD', situation = 'success' }: Sale) => {
    const more = { customerId: decodeId('cus', id), amountMinor: minor, currency }
    const { actor } = await makePayment(server.api, whose, situation, more)
    await happenAt(server.sql, actor, at, 60_000)
  }
  for (const sale of sales) await sell(customer, sale)
  const often = Array.from({ length: PAGE + 1 }, () => ({ at: startOf(-2), minor: 300 }))
  for (const sale of often) await sell(regular, sale)
  await rebuildPaymentSums(server.sql)
  visit = await shop.served.visit({ timezoneId: zone, acceptDownloads: true })
  await visit.context.addCookies(await shop.visit.context.cookies())
}, 60_000)
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
})

const money = (minor: number, currency = 'USD') => formatsOf('en', zone).money(minor, currency)

describe.skipIf(!hasBrowser)('the chart of a customer', () => {
  /** What a month is called, in the order of time, with what the customer paid. */
  const open = async (query: string, id = customer) => {
    const { page } = visit
    await page.goto(`${shop.served.server.url}/dashboard/${shop.merchant}/live/customers/${id}?${query}`)
    const region = page.getByRole('region', { name: texts.months })
    await region.getByRole('button', { name: `${analyticsEn.asTable}: ${analyticsEn.moneyIn}` }).click()
    const table = region.getByRole('table', { name: analyticsEn.moneyIn })
    await table.waitFor()
    const rows = await table.locator('tbody tr').all()
    return Promise.all(rows.map(row => row.getByRole('cell').allTextContents()))
  }
  const nameOf = (n: number) =>
    new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: zone }).format(startOf(n))
  const paidBy = (n: number): readonly (readonly [sum: number, count: number])[] => {
    const known: Readonly<Record<number, readonly [number, number]>> = { 0: [100, 1], 9: [2_500, 2], 10: [34_000, 2] }
    return [known[n] ?? [0, 0]]
  }

  test('has what came in by the month of the reader, in one currency, before refunds', async () => {
    const expected = Array.from({ length: 12 }, (_, n) =>
      paidBy(n).flatMap(([sum, count]) => [nameOf(n), money(sum), String(count)]),
    )
    expect(await open('currency=USD')).toEqual(expected.toReversed())
    const [download] = await Promise.all([
      visit.page.waitForEvent('download'),
      visit.page.getByRole('button', { name: `CSV: ${analyticsEn.moneyIn}` }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect([lines[0], lines[1], lines[11]]).toEqual([
      'Month,Money in (USD),Paid',
      ...[`${starts[0]},1.00,1`, `${starts[10]},340.00,2`],
    ])
  })

  test('asks for the successful payments of its months alone, page by page', async () => {
    const before = visit.asked.length
    const rows = await open('', regular)
    expect(rows.filter(([, sum]) => sum !== money(0))).toEqual([[nameOf(11), money(30_300), '101']])
    const asked = visit.asked.slice(before).filter(each => each.includes('/payments?') && each.includes('createdAfter'))
    const queries = asked.map(each => new URL(each.replace(/^\S+ /, ''), 'http://localhost').searchParams)
    expect(queries.map(query => [query.get('createdAfter'), query.get('status'), query.has('startingAfter')])).toEqual(
      [false, true].map(isNext => [startOf(0).toISOString(), 'success', isNext]),
    )
  })

  test('does not add another currency, and of one without a payment says so', async () => {
    const rows = await open('currency=EUR')
    expect(rows.filter(([, sum]) => sum !== money(0, 'EUR'))).toEqual([[nameOf(10), money(60_000, 'EUR'), '1']])
    await shop.served.server.sql`
      delete from payments where customer_id = ${decodeId('cus', customer) ?? ''} and currency = 'EUR'`
    await visit.page.reload()
    await until(async () => (await visit.page.getByText(texts.monthsNothing('EUR')).count()) === 1)
  })
})
