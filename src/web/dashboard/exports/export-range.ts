import { addDays } from '../../../billing/days.ts'

/** Days that are offered by a name. `list`: those of the list; `most`: as many as an export can have. */
export const exportRanges = [
  ...(['list', 'today', '7d', '30d', 'month', 'last_month'] as const),
  ...(['quarter', 'last_quarter', 'year', 'last_year', 'most', 'custom'] as const),
] as const

export type ExportRangeName = (typeof exportRanges)[number]

/** Days in the time zone of the shop; both are included. */
export type ExportDays = { readonly from: string; readonly to: string }

/** An export has at most so many days. */
const MOST_DAYS = 400

/** `listDays`: how far the list goes back. It shows records since the same time of that day. */
export const exportDaysOf = (
  range: Exclude<ExportRangeName, 'custom'>,
  today: string,
  listDays = MOST_DAYS - 1,
): ExportDays => {
  const month = Number(today.slice(5, 7)) - 1
  const quarter = -(month % 3)
  const since = (from: string) => ({ from, to: today })
  const monthsFrom = (from: number, count: number) => ({
    from: monthStart(today, from),
    to: addDays(monthStart(today, from + count), -1),
  })
  return {
    list: since(addDays(today, -listDays)),
    today: since(today),
    '7d': since(addDays(today, -6)),
    '30d': since(addDays(today, -29)),
    month: since(monthStart(today, 0)),
    last_month: monthsFrom(-1, 1),
    quarter: since(monthStart(today, quarter)),
    last_quarter: monthsFrom(quarter - 3, 3),
    year: since(monthStart(today, -month)),
    last_year: monthsFrom(-month - 12, 12),
    most: since(addDays(today, 1 - MOST_DAYS)),
  }[range]
}

/** The first day of a month, so many months from that of a day. */
const monthStart = (day: string, months: number): string =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + months)).toISOString().slice(0, 10)

const DAY_MS = 86_400_000

/** What is wrong with a range of days. */
export const wrongRange = ({
  from,
  to,
}: ExportDays): 'fromMissing' | 'toMissing' | 'rangeReversed' | 'rangeTooLong' | undefined => {
  if (from === '') return 'fromMissing'
  if (to === '') return 'toMissing'
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1) return 'rangeReversed'
  return days > MOST_DAYS ? 'rangeTooLong' : undefined
}
