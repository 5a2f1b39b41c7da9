import { addDays, dayIn, endOfDay } from '../billing/days.ts'

/** What the figures of a series are for. `total`: one bucket has all of it. */
export type BucketSize = 'hour' | 'day' | 'week' | 'month' | 'total'

export type Span = { readonly start: Date; readonly end: Date }

const QUARTER = 900_000
const HOUR = 3_600_000

/** Sums are kept by quarter-hour: a span of time that begins or ends within one has all of it. */
export const inQuarters = ({ start, end }: Span): Span => ({
  start: new Date(Math.floor(start.getTime() / QUARTER) * QUARTER),
  end: new Date(Math.ceil(end.getTime() / QUARTER) * QUARTER),
})

/** The first instant of a day in a time zone. */
export const startOfDay = (timeZone: string, day: string): Date =>
  new Date(endOfDay(timeZone, addDays(day, -1)).getTime() + 1)

/**
 * The buckets of a span of time, in order and without a gap. The first and the last one have only what is in the span.
 * Undefined if there are more than `most`.
 */
export const bucketsIn = (
  { start, end }: Span,
  size: BucketSize,
  timeZone: string,
  most: number,
): readonly Span[] | undefined => {
  if (size === 'total') return [{ start, end }]
  const buckets: Span[] = []
  for (let at = start; at < end; ) {
    if (buckets.length === most) return undefined
    const next = nextStart(at, size, timeZone)
    buckets.push({ start: at, end: next < end ? next : end })
    at = next
  }
  return buckets
}

/** The beginning of the first bucket after an instant. */
const nextStart = (at: Date, size: Exclude<BucketSize, 'total'>, timeZone: string): Date => {
  if (size === 'hour') return nextHour(at, timeZone)
  const day = dayIn(timeZone, at)
  // A day that occurs twice in part, or not at all, in the time zone.
  for (let next = firstDayAfter(day, size); ; next = addDays(next, 1)) {
    const start = startOfDay(timeZone, next)
    if (start > at) return start
  }
}

const firstDayAfter = (day: string, size: Exclude<BucketSize, 'hour' | 'total'>): string => {
  if (size === 'day') return addDays(day, 1)
  const date = new Date(day)
  // Weeks begin on Monday.
  if (size === 'week') return addDays(day, 7 - ((date.getUTCDay() + 6) % 7))
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)).toISOString().slice(0, 10)
}

/** Hours begin when the clocks show :00, which in some time zones is at :30 or :45 in UTC. */
const nextHour = (at: Date, timeZone: string): Date => {
  const sinceMidnight = at.getTime() - startOfDay(timeZone, dayIn(timeZone, at)).getTime()
  return new Date(at.getTime() + HOUR - (sinceMidnight % HOUR))
}
