import { type } from 'arktype'
import { bucketsIn, inQuarters, type Span, startOfDay } from '../analytics/buckets.ts'
import { type Figures, figuresOf, safeMinor } from '../analytics/figures.ts'
import { type Breakdown, type KeyedSums, keyShown, sumsByCurrency } from '../analytics/keys.ts'
import { rangesOf } from '../analytics/ranges.ts'
import { addDays, dayIn, isSameZone, isTimeZone } from '../billing/days.ts'
import { chainIdsOf } from '../chain/enabled/connect.ts'
import { refuse } from '../errors.ts'
import type { Sql } from '../postgres/connect.ts'
import { readPaymentSums, readSumsState, type SumsState } from '../queries/analytics.ts'
import { type BillingFigures, countAttention, readBillingFigures } from '../queries/summary-figures.ts'
import { getAnalyticsSeriesDocs, getAnalyticsSummaryDocs } from './docs/analytics.ts'
import { livemodeQuery } from './list.ts'
import { dayOrTime, momentOf } from './moment.ts'
import { recordId } from './record-id.ts'
import { forMembers, type Parsed, type Route } from './route.ts'
import { boundedText } from './text.ts'

const MOST_BUCKETS = 400
const DAY_MS = 86_400_000
/** How far the quarter-hours go back: first_quarter() of the database. */
const QUARTERS_MS = 400 * DAY_MS
/** In another time zone than that of the daily sums. */
const DETAILED_MS = 35 * DAY_MS

const seriesQuery = () =>
  livemodeQuery().and({
    'from?': dayOrTime(),
    'to?': dayOrTime(),
    bucket: type("'hour' | 'day' | 'week' | 'month' | 'total'").default('day'),
    breakdown: type("'none' | 'asset' | 'chain' | 'link'").default('none'),
    'timeZone?': boundedText(1, 64).narrow(isTimeZone),
    'currency?': '/^[A-Z]{3}$/',
    'link?': recordId('plink'),
  })

type SeriesQuery = Parsed<typeof seriesQuery>

const summaryQuery = () => livemodeQuery().and({ 'from?': dayOrTime(), 'to?': dayOrTime() })

export const analyticsRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: '/v1/merchants/:merchantId/analytics/summary',
      docs: getAnalyticsSummaryDocs,
      query: summaryQuery,
      handle: async ({ sql, clock, chains }, { member: { merchantId }, query }) => {
        const owner = { merchantId, livemode: query.livemode }
        const body = await withSumsState(sql, merchantId, async ({ asOf, timeZone }) => {
          const span = spanOf(query, timeZone, clock.now())
          refuseForgottenTime(span, timeZone, clock.now())
          const [sums, billing, attention] = await Promise.all([
            readPaymentSums(sql, { ...owner, timeZone }, rangesOf(span, 0, timeZone), {
              ...{ breakdown: 'none', currency: undefined, link: undefined, durations: true },
            }),
            readBillingFigures(sql, owner, span),
            countAttention(sql, owner, chainIdsOf(chains)),
          ])
          if (!sums) return undefined
          return {
            ...{ object: 'analytics', asOf: asOf.toISOString(), timeZone },
            ...{ totals: sums.map(figuresIn), billing: billing.map(billingIn), attention },
          }
        })
        return { status: 200, body }
      },
    },
  ),

  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: '/v1/merchants/:merchantId/analytics/series',
      docs: getAnalyticsSeriesDocs,
      query: seriesQuery,
      handle: async ({ sql, clock }, { member: { merchantId }, query }) => {
        const { livemode, bucket, breakdown, currency, link } = query
        if (link !== undefined && breakdown !== 'link') refuse('parameter_invalid', { param: 'link' })
        const body = await withSumsState(sql, merchantId, async state => {
          const isOwnZone = query.timeZone === undefined || isSameZone(query.timeZone, state.timeZone)
          const timeZone = (isOwnZone ? undefined : query.timeZone) ?? state.timeZone
          const span = spanOf(query, timeZone, clock.now())
          const buckets =
            bucketsIn(span, bucket, timeZone, MOST_BUCKETS) ??
            refuse('parameter_invalid', {
              param: 'bucket',
              message: `There are at most ${MOST_BUCKETS} buckets: choose a larger bucket or a shorter time.`,
            })
          refuseForgotten(span, { bucket, breakdown, isOwnZone }, clock.now())
          refuseForgottenTime(span, timeZone, clock.now())
          const days = isOwnZone && bucket !== 'hour' ? timeZone : undefined
          const ranges = buckets.flatMap((each, index) => rangesOf(each, index, days))
          // Too many quarter-hours to read them all within a moment.
          const durations =
            breakdown !== 'link' && (days !== undefined || span.end.getTime() - span.start.getTime() <= DETAILED_MS)
          const sums = await readPaymentSums(sql, { merchantId, livemode, timeZone: state.timeZone }, ranges, {
            ...{ breakdown, currency, link, durations },
          })
          return sums && seriesBody({ ...state, timeZone }, buckets, sums, breakdown)
        })
        return { status: 200, body }
      },
    },
  ),
]

/** Reads again if the daily sums were moved to the days of another time zone meanwhile. */
const withSumsState = async <T>(
  sql: Sql,
  merchantId: string,
  read: (state: SumsState) => Promise<T | undefined>,
): Promise<T> => {
  for (;;) {
    const answer = await read(await readSumsState(sql, merchantId))
    if (answer !== undefined) return answer
  }
}

/** The last 30 days, with today. */
const spanOf = ({ from, to }: Pick<SeriesQuery, 'from' | 'to'>, timeZone: string, now: Date): Span => {
  const today = dayIn(timeZone, now)
  const end = to === undefined ? startOfDay(timeZone, addDays(today, 1)) : momentOf(timeZone, to)
  const start = from === undefined ? startOfDay(timeZone, addDays(dayIn(timeZone, end), -30)) : momentOf(timeZone, from)
  if (start >= end)
    refuse('parameter_invalid', { param: to === undefined ? 'from' : 'to', message: 'from must be earlier than to.' })
  return inQuarters({ start, end })
}

type Detail = { readonly bucket: string; readonly breakdown: Breakdown; readonly isOwnZone: boolean }

/** Quarter-hours are kept for a time only; before it there are whole days of the merchant's time zone. */
const refuseForgotten = ({ start }: Span, { bucket, breakdown, isOwnZone }: Detail, now: Date): void => {
  if (isOwnZone && bucket !== 'hour') return
  const most = isOwnZone || breakdown === 'none' ? QUARTERS_MS : DETAILED_MS
  if (now.getTime() - start.getTime() <= most + DAY_MS) return
  const message = `from must be in the last ${most / DAY_MS} days with this bucket, breakdown or timeZone.`
  refuse('parameter_invalid', { param: 'from', message })
}

const refuseForgottenTime = ({ start, end }: Span, timeZone: string, now: Date): void => {
  for (const [param, at] of [
    ['from', start],
    ['to', end],
  ] as const) {
    const isMidnight = startOfDay(timeZone, dayIn(timeZone, at)).getTime() === at.getTime()
    if (now.getTime() - at.getTime() > QUARTERS_MS && !isMidnight)
      refuse('parameter_invalid', { param, message: `${param} must be a day if it is more than 400 days ago.` })
  }
}

const seriesBody = (
  { asOf, timeZone }: SumsState,
  buckets: readonly Span[],
  sums: readonly KeyedSums[],
  breakdown: Breakdown,
) => {
  const byBucket = Map.groupBy(sums, ({ bucket }) => bucket)
  return {
    object: 'analytics',
    asOf: asOf.toISOString(),
    timeZone,
    buckets: buckets.map(({ start, end }, index) => ({
      start: start.toISOString(),
      end: end.toISOString(),
      rows: (byBucket.get(index) ?? []).map(each => ({ ...figuresIn(each), key: keyShown(each, breakdown) })),
    })),
    totals: sumsByCurrency(sums).map(figuresIn),
  }
}

const billingIn = ({ currency, trialing, active, past_due, paused, ...sums }: BillingFigures) => ({
  currency,
  invoicedMinor: safeMinor(BigInt(sums.invoiced)),
  invoicePaidMinor: safeMinor(BigInt(sums.invoice_paid)),
  overdueMinor: safeMinor(BigInt(sums.overdue)),
  overdueCount: sums.overdue_count,
  creditMinor: safeMinor(BigInt(sums.credit)),
  mrrMinor: safeMinor(BigInt(sums.mrr)),
  subscriptions: { trialing, active, past_due, paused },
})

const figuresIn = (sums: KeyedSums): { readonly currency: string } & Figures => ({
  currency: sums.currency,
  ...figuresOf(sums),
})
