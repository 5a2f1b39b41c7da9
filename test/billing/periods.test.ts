import { expect, test } from 'bun:test'
import {
  type Cadence,
  DAY_MS,
  defaultDays,
  type Interval,
  intervals,
  periodOf,
  periodStart,
  shortestDays,
} from '../../src/billing/periods.ts'
import { oneOf, randomOf } from '../harness/random.ts'

const starts: readonly [anchor: string, cadence: Cadence, starts: readonly string[]][] = [
  ['2026-01-31', { interval: 'month', intervalCount: 1 }, ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']],
  ['2027-12-31', { interval: 'month', intervalCount: 2 }, ['2027-12-31', '2028-02-29', '2028-04-30', '2028-06-30']],
  ['2026-11-30', { interval: 'month', intervalCount: 3 }, ['2026-11-30', '2027-02-28', '2027-05-30']],
  [
    '2028-02-29',
    { interval: 'year', intervalCount: 1 },
    ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'],
  ],
  ['2026-12-27', { interval: 'week', intervalCount: 1 }, ['2026-12-27', '2027-01-03', '2027-01-10']],
  ['2028-02-28', { interval: 'day', intervalCount: 1 }, ['2028-02-28', '2028-02-29', '2028-03-01']],
  ['2026-10-24', { interval: 'day', intervalCount: 12 }, ['2026-10-24', '2026-11-05', '2026-11-17']],
]

test.each([...starts])('from %s by %o the periods begin on %j', (anchor, cadence, expected) => {
  const at = (day: string) => new Date(`${day}T17:45:12.345Z`)
  expect(expected.map((_, index) => periodStart(at(anchor), cadence, index))).toEqual(expected.map(at))
})

const SEED = 20_261_127

const randomCadence = (random: () => number): Cadence => ({
  interval: oneOf([...intervals], random),
  intervalCount: 1 + Math.floor(random() * 12),
})

/** From 2020 to 2050. */
const randomAnchor = (random: () => number): Date =>
  new Date(Date.UTC(2020, 0) + Math.floor(random() * 30 * 365.25 * DAY_MS))

test(`periods follow each other, are as long as promised, and keep the day and time of the anchor (seed ${SEED})`, () => {
  const random = randomOf(SEED)
  for (let round = 0; round < 5_000; round++) {
    const [anchor, cadence] = [randomAnchor(random), randomCadence(random)]
    const index = Math.floor(random() * 400)
    const { start, end } = periodOf(anchor, cadence, index)
    expect(end).toEqual(periodStart(anchor, cadence, index + 1))
    const days = (end.getTime() - start.getTime()) / DAY_MS
    expect(Number.isInteger(days)).toBe(true)
    expect(days).toBeGreaterThanOrEqual(shortestDays(cadence))
    expect(days).toBeLessThanOrEqual(longestDays[cadence.interval] * cadence.intervalCount)
    expect(start.toISOString().slice(10)).toBe(anchor.toISOString().slice(10))
    if (cadence.interval === 'day' || cadence.interval === 'week') continue
    const months = (cadence.interval === 'year' ? 12 : 1) * cadence.intervalCount * index
    expect(monthOf(start)).toBe(monthOf(anchor) + months)
    // The day of the anchor, or the last one of a month that has no such day.
    const isLast = new Date(start.getTime() + DAY_MS).getUTCDate() === 1
    const [day, wanted] = [start.getUTCDate(), anchor.getUTCDate()]
    expect(day === wanted || (isLast && day < wanted)).toBe(true)
  }
})

const longestDays: Readonly<Record<Interval, number>> = { day: 1, week: 7, month: 31, year: 366 }

const monthOf = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth()

test('the default days are less than the shortest period', () => {
  for (const interval of intervals) {
    const { leadDays, graceDays } = defaultDays[interval]
    expect(Math.max(leadDays, graceDays)).toBeLessThan(shortestDays({ interval, intervalCount: 1 }))
  }
})
