import type { ChartUnit } from '../../parts/chart-ticks.ts'
import type { CsvCell } from '../../parts/csv.ts'
import type { FiguresPeriod } from './period.ts'

/** Files have plain numbers of a named unit, so that a spreadsheet can add them. */
export const unitIn = (unit: ChartUnit, currency: string): string =>
  ({ money: ` (${currency})`, count: '', share: ' (%)', duration: ' (ms)' })[unit]

export const fileNumber = (value: number | null, unit: ChartUnit, currency: string): CsvCell => {
  if (value === null) return null
  // Basis points as percent.
  const digits = { money: digitsOf(currency), share: 2, count: 0, duration: 0 }[unit]
  return { number: (value / 10 ** digits).toFixed(digits) }
}

const digitsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** `money-in-EUR-2026-10-27-to-2026-11-25`, both days included. */
export const fileNameOf = (name: string, { from, to }: FiguresPeriod, currency: string): string =>
  [name, currency, from, 'to', lastDay(to)].join('-')

const lastDay = (to: string): string => new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10)
