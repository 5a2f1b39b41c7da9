import { dayIn, instantOf } from '../../../billing/days.ts'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { type BucketRow, bucketRowsOf } from '../analytics/bucket-rows.ts'
import { monthsOf } from '../analytics/period.ts'
import { CurrencyPick, useCurrency } from '../analytics/period-controls.tsx'
import { SeriesChart } from '../analytics/series-chart.tsx'
import { useAnalyticsTexts } from '../analytics/texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { PAGE, type PaymentsRead, paidInMonth, readPayments } from './customer-months.ts'
import { useCustomersTexts } from './texts.ts'

/** What a customer has paid by month, in the time zone of the reader as the lists of payments. */
export const CustomerChart = ({ customer: { id, totals } }: { readonly customer: CustomerWithTotals }) => {
  const texts = useCustomersTexts()
  const currencies = totals.toSorted((a, b) => b.paymentsCount - a.paymentsCount).map(({ currency }) => currency)
  const currency = useCurrency(currencies)
  const result = useShopQuery(['customers', 'one', id, 'months'], ({ call, ...scope }, signal) =>
    readPayments(async startingAfter => {
      const { period } = monthsOf(dayIn(zoneOfReader(), new Date()))
      const createdAfter = instantOf(zoneOfReader(), period.from, 0).toISOString()
      const filter = { customerId: id, status: ['success' as const], createdAfter }
      return call(
        'listPayments',
        { ...scope, ...filter, limit: PAGE, ...(startingAfter && { startingAfter }) },
        { signal },
      )
    }),
  ).value
  if (currency === undefined) return null
  return (
    <Section title={texts.months} aside={<CurrencyPick currencies={currencies} currency={currency} />}>
      <Result result={result} skeleton={<div class="chart-space chart-space--small" />}>
        {read =>
          read.payments.some(each => each.currency === currency) ? (
            <Months
              {...{ read, currency }}
              note={read.hasMore ? texts.monthsOfLatest(read.payments.length) : texts.monthsWhat}
            />
          ) : (
            <p class="quiet">{texts.monthsNothing(currency)}</p>
          )
        }
      </Result>
    </Section>
  )
}

const zoneOfReader = () => Intl.DateTimeFormat().resolvedOptions().timeZone

type MonthsProps = { readonly read: PaymentsRead; readonly currency: string; readonly note: string }

const Months = ({ read, currency, note }: MonthsProps) => {
  const { locale, now } = useReader()
  const texts = useAnalyticsTexts()
  const customer = useCustomersTexts()
  const timeZone = zoneOfReader()
  const today = dayIn(timeZone, now.value)
  const { period, starts } = monthsOf(today)
  const at = starts.map(day => instantOf(timeZone, day, 0).toISOString())
  const buckets = at.slice(0, -1).map((start, n) => ({ start, end: at[n + 1] ?? start, rows: [] }))
  const asOf = now.value.toISOString()
  const series = { object: 'analytics', asOf, timeZone, buckets, totals: [] } as const
  const words = { locale, hours: texts.hours }
  const rows = bucketRowsOf({ now: series, before: undefined, bucket: 'month', timeZone }, currency, words)
  const paid = paidInMonth(read, currency, timeZone)
  const paidIn = ({ iso }: BucketRow) => paid(iso.slice(0, 7))
  if (rows.every(row => paidIn(row) === undefined))
    return <p class="quiet">{customer.monthsTooMany(read.payments.length)}</p>
  return (
    <SeriesChart
      {...{ rows, period, currency, kind: 'bars', bucket: 'month' }}
      name="money-in-of-customer"
      label={texts.moneyIn}
      first={{ key: 'money', name: texts.moneyIn, unit: 'money', of: row => paidIn(row)?.minor ?? null }}
      more={[{ key: 'paid', name: texts.paid, unit: 'count', of: row => paidIn(row)?.count ?? null }]}
      aside={note}
    />
  )
}
