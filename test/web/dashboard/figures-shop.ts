import { addDays, dayIn, instantOf } from '../../../src/billing/days.ts'
import { decodeId } from '../../../src/ids.ts'
import { rebuildPaymentSums } from '../../../src/queries/payment-sums.ts'
import type { Analytics, AnalyticsTotal } from '../../../src/web/api/calls.ts'
import { until } from '../../harness/until.ts'
import { happenAt } from '../../http/happen-at.ts'
import { makePayment } from '../../http/payments.ts'
import { type SandboxShop, sandboxShop } from './sandbox-shop.ts'

export const zone = 'Europe/Berlin'

export const today = dayIn(zone, new Date())

/** The last day of 25 hours in Berlin, and of 23. */
export const longDay = (): string => lastSundayOf('10-31')
export const shortDay = (): string => lastSundayOf('03-31')

const lastSundayOf = (end: string): string => {
  for (let year = Number(today.slice(0, 4)); ; year--) {
    const sunday = addDays(`${year}-${end}`, -new Date(`${year}-${end}`).getUTCDay())
    if (sunday < today) return sunday
  }
}

type Sale = { readonly day: string; readonly minor: number; readonly currency?: string; readonly situation?: string }

/** Payments of the last two months, in two currencies. They happen at noon. */
const sales: readonly Sale[] = [
  { day: addDays(today, -1), minor: 123_450 },
  { day: addDays(today, -1), minor: 7_650 },
  { day: addDays(today, -3), minor: 50_000 },
  { day: addDays(today, -12), minor: 9_900 },
  { day: addDays(today, -2), minor: 4_900, situation: 'expired' },
  { day: addDays(today, -20), minor: 4_900, situation: 'expired' },
  { day: addDays(today, -35), minor: 80_000 },
  { day: addDays(today, -36), minor: 20_000, situation: 'expired' },
  { day: addDays(today, -4), minor: 99_900, currency: 'USD' },
  { day: addDays(longDay(), 1), minor: 1_100 },
  { day: longDay(), minor: 2_500 },
  { day: shortDay(), minor: 3_300 },
]

/** What came in on a day in euros: sales of other days fall on those on which clocks change, depending on the date. */
export const soldOn = (day: string): number =>
  sales.reduce((sum, sale) => sum + (sale.day === day && !sale.currency && !sale.situation ? sale.minor : 0), 0)

/** A shop with figures in live mode, in the time zone of Berlin, and what the API says about them. */
export const figuresShop = async () => {
  const shop = await sandboxShop()
  const { api, sql } = shop.served.server
  const merchantId = decodeId('mer', shop.merchant) ?? ''
  await sql`update billing_settings set time_zone = ${zone}, sums_time_zone = ${zone} where merchant_id = ${merchantId}`
  await makeSales(shop)
  const series = async (query: Readonly<Record<string, string>>): Promise<Analytics> =>
    shop.call(
      'GET',
      `/v1/merchants/${shop.merchant}/analytics/series?${new URLSearchParams({ livemode: 'true', ...query })}`,
    )
  await until(async () => {
    await rebuildPaymentSums(sql)
    const { totals } = await series({ from: addDays(today, -366), to: addDays(today, 1), bucket: 'week' })
    return totals.reduce((sum, { opened }) => sum + opened, 0) === sales.length
  })
  return Object.assign(shop, { api, sql, series })
}

const makeSales = async ({ served: { server }, merchant }: SandboxShop): Promise<void> => {
  const whose = { merchantId: decodeId('mer', merchant) ?? '', livemode: true }
  for (const { day, minor, currency = 'EUR', situation = 'success' } of sales) {
    const { actor } = await makePayment(server.api, whose, situation, { amountMinor: minor, currency })
    await happenAt(server.sql, actor, instantOf(zone, day, 12), 60_000)
  }
}

export type FiguresShop = Awaited<ReturnType<typeof figuresShop>>

export const totalOf = (totals: readonly AnalyticsTotal[], currency: string): AnalyticsTotal => {
  const found = totals.find(each => each.currency === currency)
  if (!found) throw new Error(`There are no figures in ${currency}`)
  return found
}
