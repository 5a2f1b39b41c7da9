/** What the values of a chart count: minor units of a currency, things, basis points, or milliseconds. */
export type ChartUnit = 'money' | 'count' | 'share' | 'duration'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** People read clocks by other steps than numbers. */
const clockSteps = [
  ...[SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND],
  ...[MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR],
]

/** The height of an axis whose values are all nothing. */
const nothing: Readonly<Record<ChartUnit, number>> = { money: 100, count: 1, share: 10_000, duration: SECOND }

const MOST_STEPS = 5

/** Round values in even steps from 0 on, the last one at least `most`. */
export const ticksOf = (most: number, unit: ChartUnit): readonly number[] => {
  const top = most > 0 ? most : nothing[unit]
  const step = stepOf(top, unit)
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, n) => n * step)
}

const stepOf = (top: number, unit: ChartUnit): number => {
  const fits = (step: number) => Number.isInteger(step) && step * MOST_STEPS >= top
  const isClock = unit === 'duration' && top > MOST_STEPS * 500
  const clock = isClock ? clockSteps.find(fits) : undefined
  if (clock !== undefined) return clock
  // Days are counted as any other thing.
  const one = isClock ? 24 * HOUR : 1
  const power = Math.max(0, Math.floor(Math.log10(top / one / MOST_STEPS)))
  const steps = [power, power + 1].flatMap(n => [1, 2, 2.5, 5].map(each => each * 10 ** n * one))
  return steps.find(fits) ?? top
}
