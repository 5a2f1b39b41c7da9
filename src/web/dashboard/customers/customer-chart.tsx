import { dayIn, instantOf } from '../../../billing/days.ts'
import type { CustomerWithTotals, PaymentWithCrypto } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { bucketRowsOf } from '../analytics/bucket-rows.ts'
import { monthsOf } from '../analytics/period.ts'
import { CurrencyPick, useCurrency } from '../analytics/period-controls.tsx'
import { SeriesChart } from '../analytics/series-chart.tsx'
import { useAnalyticsTexts } from '../analytics/texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useCustomersTexts } from './texts.ts'

/** The API has no sums of one customer in time: its payments of twelve months are added here, up to so many pages of them. */
const MOST_PAGES = 10
const PAGE = 100

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
        {({ payments, hasMore }) => (
          <Months
            {...{ payments, currency, hasMore }}
            note={hasMore ? texts.monthsOfLatest(payments.length) : texts.monthsWhat}
          />
        )}
      </Result>
    </Section>
  )
}

const zoneOfReader = () => Intl.DateTimeFormat().resolvedOptions().timeZone

type Page = { readonly data: readonly PaymentWithCrypto[]; readonly has_more: boolean }

const readPayments = async (read: (startingAfter: string | undefined) => Promise<Page>) => {
  const payments: PaymentWithCrypto[] = []
  for (let n = 1; ; n++) {
    const { data, has_more: hasMore } = await read(payments.at(-1)?.id)
    payments.push(...data)
    if (!hasMore || n === MOST_PAGES) return { payments, hasMore }
  }
}

type MonthsProps = {
  readonly payments: readonly PaymentWithCrypto[]
  readonly currency: string
  /** There are older ones, which were not read. */
  readonly hasMore: boolean
  readonly note: string
}

const Months = ({ payments, currency, hasMore, note }: MonthsProps) => {
  const { locale, now } = useReader()
  const texts = useAnalyticsTexts()
  const timeZone = zoneOfReader()
  const today = dayIn(timeZone, now.value)
  const { period, starts } = monthsOf(today)
  const at = starts.map(day => instantOf(timeZone, day, 0).toISOString())
  const buckets = at.slice(0, -1).map((start, n) => ({ start, end: at[n + 1] ?? start, rows: [] }))
  const asOf = now.value.toISOString()
  const series = { object: 'analytics', asOf, timeZone, buckets, totals: [] } as const
  const words = { locale, hours: texts.hours }
  const rows = bucketRowsOf({ now: series, before: undefined, bucket: 'month', timeZone }, currency, words)
  const monthOf = ({ createdAt }: PaymentWithCrypto) => dayIn(timeZone, new Date(createdAt)).slice(0, 7)
  const oldest = payments.at(-1)
  const read = (iso: string): readonly PaymentWithCrypto[] | undefined => {
    const month = iso.slice(0, 7)
    if (hasMore && oldest && month <= monthOf(oldest)) return undefined
    return payments.filter(each => each.currency === currency && monthOf(each) === month)
  }
  return (
    <SeriesChart
      {...{ rows, period, currency, kind: 'bars', bucket: 'month' }}
      name="money-in-of-customer"
      label={texts.moneyIn}
      first={{
        ...{ key: 'money', name: texts.moneyIn, unit: 'money' },
        of: ({ iso }) => read(iso)?.reduce((sum, { amountMinor }) => sum + amountMinor, 0) ?? null,
      }}
      more={[{ key: 'paid', name: texts.paid, unit: 'count', of: ({ iso }) => read(iso)?.length ?? null }]}
      aside={note}
    />
  )
}
