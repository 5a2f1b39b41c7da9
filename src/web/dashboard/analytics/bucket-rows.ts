import { dayIn } from '../../../billing/days.ts'
import type { Analytics, AnalyticsTotal } from '../../api/calls.ts'
import type { Locale } from '../../text/locale.ts'
import type { BucketName } from './period.ts'
import type { ShownFigures } from './use-figures.ts'

/** What happened in one bucket in one currency, and in the same one of the period before. */
export type BucketRow = {
  readonly start: string
  /** On an axis. */
  readonly label: string
  readonly name: string
  /** The day, or the time of an hour, as files have it. */
  readonly iso: string
  readonly total: AnalyticsTotal | undefined
  readonly before: AnalyticsTotal | undefined
  /** It has not ended. */
  readonly isPartial: boolean
}

type Words = { readonly locale: Locale; readonly hours: (count: number) => string }

/** In order of time. */
export const bucketRowsOf = (
  { now, before, bucket, timeZone }: Pick<ShownFigures, 'now' | 'before' | 'bucket' | 'timeZone'>,
  currency: string | undefined,
  words: Words,
): readonly BucketRow[] => {
  const names = namesIn(bucket, timeZone, words)
  const totalOf = (one: Analytics['buckets'][number] | undefined) => one?.rows.find(row => row.currency === currency)
  return (now?.buckets ?? []).map(({ start, end, ...one }, n) => ({
    start,
    ...names(new Date(start), new Date(end), n),
    iso: bucket === 'hour' ? start : dayIn(timeZone, new Date(start)),
    total: totalOf({ start, end, ...one }),
    before: totalOf(before?.buckets[n]),
    isPartial: now !== undefined && end > now.asOf,
  }))
}

const HOUR_MS = 3_600_000

/** How buckets are called. A day on which clocks change says how long it is, and an hour that occurs twice its offset. */
const namesIn = (bucket: BucketName, timeZone: string, { locale, hours }: Words) => {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone })
  const [day, range] = [format({ day: 'numeric', month: 'short' }), format({ dateStyle: 'medium' })]
  const [month, monthOfYear] = [format({ month: 'short' }), format({ month: 'short', year: 'numeric' })]
  const wholeMonth = format({ month: 'long', year: 'numeric' })
  const weekday = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
  const time = format({ hour: 'numeric', minute: '2-digit' })
  const hour = format({
    ...{ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  })
  const between = (start: Date, end: Date) => range.formatRange(start, new Date(end.getTime() - 1))
  const isFirst = (at: Date) => dayIn(timeZone, at).endsWith('-01')
  return (start: Date, end: Date, n: number): Pick<BucketRow, 'label' | 'name'> => {
    if (bucket === 'hour') return { label: time.format(start), name: hour.format(start) }
    if (bucket === 'week') return { label: day.format(start), name: between(start, end) }
    if (bucket === 'month') {
      const label = (n === 0 || month.format(start) === month.format(JANUARY) ? monthOfYear : month).format(start)
      return { label, name: isFirst(start) && isFirst(end) ? wholeMonth.format(start) : between(start, end) }
    }
    const length = Math.round((end.getTime() - start.getTime()) / HOUR_MS)
    return {
      label: day.format(start),
      name: length === 24 ? weekday.format(start) : `${weekday.format(start)} (${hours(length)})`,
    }
  }
}

const JANUARY = new Date('2026-01-15T12:00:00.000Z')
