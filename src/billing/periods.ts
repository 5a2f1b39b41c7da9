/**
 * The periods of subscriptions, by the calendar of UTC. Each is counted from the anchor, never from the period before it: from
 * 31 January by months the periods begin on 28 February and 31 March.
 */

export const intervals = ['day', 'week', 'month', 'year'] as const
export type Interval = (typeof intervals)[number]

/** How long a period is, such as 3 months. */
export type Cadence = { readonly interval: Interval; readonly intervalCount: number }

export type Period = { readonly start: Date; readonly end: Date }

/** Where period `index` begins, counted from 0. The period before it ends there. */
export const periodStart = (anchor: Date, { interval, intervalCount }: Cadence, index: number): Date => {
  const count = index * intervalCount
  switch (interval) {
    case 'day':
      return addUtcDays(anchor, count)
    case 'week':
      return addUtcDays(anchor, 7 * count)
    case 'month':
      return addMonths(anchor, count)
    case 'year':
      return addMonths(anchor, 12 * count)
  }
}

export const periodOf = (anchor: Date, cadence: Cadence, index: number): Period => ({
  start: periodStart(anchor, cadence, index),
  end: periodStart(anchor, cadence, index + 1),
})

/** A day of UTC has 24 hours. */
export const addUtcDays = (at: Date, days: number): Date => new Date(at.getTime() + days * DAY_MS)

export const DAY_MS = 86_400_000

/** At the same time of the day; on the last day of the month if the month has no such day. */
const addMonths = (at: Date, months: number): Date => {
  const moved = new Date(at)
  moved.setUTCDate(1)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  moved.setUTCDate(Math.min(at.getUTCDate(), daysInMonth(moved)))
  return moved
}

/** Not with Date.UTC, which reads the years 0 to 99 as 1900 to 1999. */
const daysInMonth = (at: Date): number => {
  const last = new Date(at)
  last.setUTCMonth(last.getUTCMonth() + 1, 0)
  return last.getUTCDate()
}

/** The days of the shortest period. `leadDays` and `graceDays` are less. */
export const shortestDays = ({ interval, intervalCount }: Cadence): number => DAYS[interval] * intervalCount

const DAYS: Readonly<Record<Interval, number>> = { day: 1, week: 7, month: 28, year: 365 }

/** What `leadDays` and `graceDays` are if they are not sent. */
export const defaultDays: Readonly<Record<Interval, { readonly leadDays: number; readonly graceDays: number }>> = {
  day: { leadDays: 0, graceDays: 0 },
  week: { leadDays: 2, graceDays: 3 },
  month: { leadDays: 7, graceDays: 7 },
  year: { leadDays: 7, graceDays: 7 },
}
