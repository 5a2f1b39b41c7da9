import { addDays, dayIn } from '../billing/days.ts'
import { type Span, startOfDay } from './buckets.ts'

/** Rows of payment_sums: quarter-hours in UTC, or days as they are called in the zone of the sums. */
export type SumRange = {
  /** The bucket to which they belong. */
  readonly bucket: number
  readonly span: 'quarter' | 'day'
  readonly from: string
  readonly to: string
}

/**
 * The rows of sums that make up a bucket. `timeZone`: that of the daily sums if whole days of it may be used; the rest is
 * read by quarter-hour.
 */
export const rangesOf = ({ start, end }: Span, bucket: number, timeZone: string | undefined): readonly SumRange[] => {
  if (timeZone === undefined) return quarters(bucket, start, end)
  const [firstDay, lastDay] = [firstDayFrom(timeZone, start), dayIn(timeZone, end)]
  if (firstDay >= lastDay) return quarters(bucket, start, end)
  return [
    ...quarters(bucket, start, startOfDay(timeZone, firstDay)),
    { bucket, span: 'day', from: firstDay, to: lastDay },
    ...quarters(bucket, startOfDay(timeZone, lastDay), end),
  ]
}

/** The first day that begins at an instant or after it. */
const firstDayFrom = (timeZone: string, at: Date): string => {
  const day = dayIn(timeZone, at)
  return startOfDay(timeZone, day).getTime() === at.getTime() ? day : addDays(day, 1)
}

const quarters = (bucket: number, from: Date, to: Date): readonly SumRange[] =>
  from < to ? [{ bucket, span: 'quarter', from: from.toISOString(), to: to.toISOString() }] : []
