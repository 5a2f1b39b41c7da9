import type { Locale } from '../text/locale.ts'
import type { ChartUnit } from './chart-ticks.ts'
import type { PageReader } from './reader.ts'

/** How the values of a chart are written. */
export type ChartFormat = {
  readonly unit: ChartUnit
  /** On the axis, short: values between two ticks are not written. `step`: from one tick to the next. */
  tick(value: number, step: number): string
  exact(value: number): string
}

/** From this on, an axis says "€1.2M": its labels take no room from the chart. */
const LONG = 10_000_000

export const chartFormat = (
  unit: ChartUnit,
  { locale, formats }: Pick<PageReader, 'locale' | 'formats'>,
  currency = 'EUR',
): ChartFormat => {
  if (unit === 'money')
    return {
      unit,
      exact: minor => formats.money(minor, currency),
      tick: (minor, step) => {
        const digits = new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions()
        const scale = 10 ** (digits.maximumFractionDigits ?? 2)
        return new Intl.NumberFormat(locale, {
          ...{ style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' },
          ...(step * 5 >= LONG && { notation: 'compact', maximumFractionDigits: 1 }),
        }).format(minor / scale)
      },
    }
  if (unit === 'share') {
    const share = (bps: number) => formats.share(bps / 10_000)
    return { unit, exact: share, tick: share }
  }
  if (unit === 'duration')
    return {
      unit,
      exact: ms => spanText(locale, ms, spanOf(ms), DIGITS),
      // One unit for the whole axis.
      tick: (ms, step) => {
        // Fractions of a second instead of thousands of milliseconds.
        const unit = spanOf(step >= 200 ? Math.max(step, 1_000) : step)
        return ms === 0 ? '0' : spanText(locale, ms, unit, { maximumFractionDigits: 2 })
      },
    }
  return { unit, exact: formats.count, tick: formats.count }
}

const spans = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const

type ClockSpan = (typeof spans)[number]

const spanOf = (ms: number): ClockSpan => spans.find(([, length]) => ms >= length) ?? ['millisecond', 1]

/** Two of them, since percentiles are exact to a tenth only; whole numbers have all. */
const DIGITS = { maximumFractionDigits: 0, maximumSignificantDigits: 2, roundingPriority: 'morePrecision' } as const

/** `42 s`, `2.5 min`, `37 hr` */
const spanText = (locale: Locale, ms: number, [unit, length]: ClockSpan, digits: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', ...digits }).format(ms / length)
