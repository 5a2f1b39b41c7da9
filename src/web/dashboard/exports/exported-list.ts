/** A list as a page shows it: what an export of it contains. */
export type ExportedList = {
  readonly kind: 'payments' | 'refunds' | 'invoices' | 'credit-notes' | 'subscriptions' | 'customers' | 'balances'
  /** The filters that are set, by their names in the API. */
  readonly filters: Readonly<Record<string, string | boolean | string[] | undefined>>
  /** The number of days that the list goes back; undefined: all. */
  readonly days?: number | undefined
}

const DAY_MS = 86_400_000
/** An export has at most so many days. */
export const MOST_DAYS = 400

/** A day of this computer's calendar, so many days ago. */
export const dayAgo = (now: Date, days: number): string => {
  const then = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  return [then.getFullYear(), then.getMonth() + 1, then.getDate()].map(part => String(part).padStart(2, '0')).join('-')
}

/** The day after, as the end of a range. */
export const dayAfter = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)

/** What is wrong with a range of days, both of which belong to it. */
export const wrongRange = (
  from: string,
  to: string,
): 'fromMissing' | 'toMissing' | 'rangeReversed' | 'rangeTooLong' | undefined => {
  if (from === '') return 'fromMissing'
  if (to === '') return 'toMissing'
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1) return 'rangeReversed'
  return days > MOST_DAYS ? 'rangeTooLong' : undefined
}
