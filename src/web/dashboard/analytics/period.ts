import { addDays, isDay } from '../../../billing/days.ts'
import type { Calls } from '../../api/calls.ts'

export type BucketName = Exclude<NonNullable<Calls['getAnalyticsSeries']['input']['bucket']>, 'total'>

/** As the address has them. Without one, it is the last 30 days. */
export const rangeNames = ['7d', '30d', '90d', 'month', 'last_month', '12m', 'custom'] as const

export type RangeName = (typeof rangeNames)[number]

/** What the address asks for. `first` and `last`: both days are included. */
export type PeriodQuery = {
  readonly range: RangeName
  readonly first: string | undefined
  readonly last: string | undefined
}

/** Days in a time zone. `to` is not included, as in the API. */
export type FiguresPeriod = { readonly from: string; readonly to: string }

export const periodQueryOf = (get: (name: string) => string | undefined): PeriodQuery => {
  const range = rangeNames.find(each => each === get('range')) ?? '30d'
  const day = (name: string) => [get(name)].find(each => each !== undefined && isDay(each))
  if (range !== 'custom') return { range, first: undefined, last: undefined }
  return { range, first: day('from'), last: day('to') }
}

/** The last twelve months, and the first days of each and of the next one. */
export const monthsOf = (today: string): { readonly period: FiguresPeriod; readonly starts: readonly string[] } => {
  const period = figuresPeriodOf({ range: '12m', first: undefined, last: undefined }, today)
  return { period, starts: Array.from({ length: 13 }, (_, n) => addMonths(period.from, n)) }
}

const dayCounts = { '7d': 7, '30d': 30, '90d': 90, custom: 30 } as const

export const figuresPeriodOf = ({ range, first, last }: PeriodQuery, today: string): FiguresPeriod => {
  const month = firstOfMonth(today)
  if (range === '12m') return { from: addMonths(month, -11), to: addDays(today, 1) }
  if (range === 'month') return { from: month, to: addDays(today, 1) }
  if (range === 'last_month') return { from: addMonths(month, -1), to: month }
  const to = addDays(last ?? today, 1)
  return { from: first ?? addDays(to, -dayCounts[range]), to }
}

/**
 * The time of the same length before it. Twelve months are compared with the same months of the year before, this month with
 * the same days of the one before, and the last month with the whole one before. By week, it is whole weeks earlier, so that
 * the first and the last week have as many days as those they are compared with.
 */
export const previousOf = (period: FiguresPeriod, range: RangeName, bucket: BucketName): FiguresPeriod => {
  const before = rangeBefore(period, range)
  if (bucket !== 'week') return before
  const days = daysIn({ from: before.from, to: period.from })
  const weeks = range === '12m' ? Math.floor(days / 7) : Math.ceil(days / 7)
  return { from: addDays(period.from, -weeks * 7), to: addDays(period.to, -weeks * 7) }
}

const rangeBefore = ({ from, to }: FiguresPeriod, range: RangeName): FiguresPeriod => {
  if (range === 'last_month') return { from: addMonths(from, -1), to: from }
  if (range !== '12m' && range !== 'month') return { from: addDays(from, -daysIn({ from, to })), to: from }
  const months = range === '12m' ? -12 : -1
  return { from: addMonths(from, months), to: addDays(addMonths(addDays(to, -1), months), 1) }
}

/** One that gives a chart as many points as can be told apart. */
export const bucketFor = (period: FiguresPeriod, range: RangeName, today: string): BucketName => {
  const days = daysIn(period)
  if (range === '12m') return 'month'
  if (days <= 2 && isWithin(DETAILED_DAYS, period, today)) return 'hour'
  return days <= 92 ? 'day' : days <= 731 ? 'week' : 'month'
}

export type Limit = 'order' | 'buckets' | 'hours' | 'other_zone' | 'other_zone_keys'

type Detail = {
  readonly bucket: BucketName
  readonly hasKeys: boolean
  readonly isOwnZone: boolean
  readonly today: string
}

const MOST_BUCKETS = 400
/** Quarter-hours are kept for so many days. */
const DETAILED_DAYS = 400
/** Of those, so many are read by asset, network or link. */
const KEYED_DAYS = 35

/** Why the API would refuse a question: it is not asked then. */
export const limitOf = (period: FiguresPeriod, { bucket, hasKeys, isOwnZone, today }: Detail): Limit | undefined => {
  const days = daysIn(period)
  if (days < 1) return 'order'
  if (bucketCount(period, bucket) > MOST_BUCKETS) return 'buckets'
  if (!isOwnZone && hasKeys && !isWithin(KEYED_DAYS, period, today)) return 'other_zone_keys'
  const isDetailed = isWithin(DETAILED_DAYS, period, today)
  if (!isOwnZone && !isDetailed) return 'other_zone'
  return bucket === 'hour' && !isDetailed ? 'hours' : undefined
}

const bucketCount = (period: FiguresPeriod, bucket: BucketName): number => {
  const days = daysIn(period)
  const [first, last] = [new Date(period.from), new Date(addDays(period.to, -1))]
  if (bucket === 'hour') return days * 24
  if (bucket === 'day') return days
  // Weeks begin on Monday.
  if (bucket === 'week') return Math.ceil((days + ((first.getUTCDay() + 6) % 7)) / 7)
  return (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth() + 1
}

const isWithin = (days: number, { from }: FiguresPeriod, today: string): boolean => from >= addDays(today, -days)

/** Longer than this, the times of payments are not read in another time zone. */
export const hasTimes = (period: FiguresPeriod, isOwnZone: boolean, bucket: BucketName): boolean =>
  (isOwnZone && bucket !== 'hour') || daysIn(period) <= KEYED_DAYS

const DAY_MS = 86_400_000

const daysIn = ({ from, to }: FiguresPeriod): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)

const firstOfMonth = (day: string): string => `${day.slice(0, 8)}01`

/** The last day of a shorter month instead of one that it does not have. */
const addMonths = (day: string, months: number): string => {
  const date = new Date(firstOfMonth(day))
  date.setUTCMonth(date.getUTCMonth() + months + 1, 0)
  const last = date.toISOString().slice(0, 10)
  const same = `${last.slice(0, 8)}${day.slice(8)}`
  return same < last ? same : last
}
