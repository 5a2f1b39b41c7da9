import { describe, expect, test } from 'bun:test'
import { chartFormat } from '../../../src/web/parts/chart-format.ts'
import { type ChartUnit, ticksOf } from '../../../src/web/parts/chart-ticks.ts'
import { formatsOf } from '../../../src/web/text/format.ts'

/** The highest value of a chart, and what its axis says. */
const axes: Readonly<Record<ChartUnit, string>> = {
  money: `
    0            | €0 €0.20 €0.40 €0.60 €0.80 €1
    3            | €0 €0.01 €0.02 €0.03
    180          | €0 €0.50 €1 €1.50 €2
    1000         | €0 €2 €4 €6 €8 €10
    118000       | €0 €250 €500 €750 €1,000 €1,250
    520000       | €0 €2,000 €4,000 €6,000
    4700000      | €0 €10,000 €20,000 €30,000 €40,000 €50,000
    123456789    | €0 €250K €500K €750K €1M €1.3M
    999999999900 | €0 €2B €4B €6B €8B €10B`,
  count: `
    0       | 0 1
    1       | 0 1
    3       | 0 1 2 3
    7       | 0 2 4 6 8
    12      | 0 5 10 15
    23      | 0 5 10 15 20 25
    101     | 0 25 50 75 100 125
    1000000 | 0 200,000 400,000 600,000 800,000 1,000,000`,
  share: `
    0     | 0% 20% 40% 60% 80% 100%
    730   | 0% 2% 4% 6% 8%
    7300  | 0% 20% 40% 60% 80%
    10000 | 0% 20% 40% 60% 80% 100%`,
  duration: `
    0         | 0 0.2_sec 0.4_sec 0.6_sec 0.8_sec 1_sec
    300       | 0 100_ms 200_ms 300_ms
    2400      | 0 0.5_sec 1_sec 1.5_sec 2_sec 2.5_sec
    42000     | 0 10_sec 20_sec 30_sec 40_sec 50_sec
    150000    | 0 30_sec 60_sec 90_sec 120_sec 150_sec
    470000    | 0 2_min 4_min 6_min 8_min
    5400000   | 0 30_min 60_min 90_min
    200000000 | 0 12_hr 24_hr 36_hr 48_hr 60_hr
    900000000 | 0 2.5_days 5_days 7.5_days 10_days 12.5_days`,
}

describe.each(Object.entries(axes))('an axis of %s', (unit, rows) => {
  const { tick } = chartFormat(unit as ChartUnit, { locale: 'en', formats: formatsOf('en') }, 'EUR')
  test.each(
    rows
      .trim()
      .split('\n')
      .map(row => row.split('|').map(cell => cell.trim())),
  )('up to %s', (most, expected) => {
    const ticks = ticksOf(Number(most), unit as ChartUnit)
    const written = ticks.map(value => tick(value, ticks[1] ?? 0).replace(/\s/g, '_'))
    expect(written.join(' ')).toBe(String(expected))
  })
})

test('an axis has at most five steps, all of the same size, and its last value is reached by none', () => {
  for (const unit of ['money', 'count', 'share', 'duration'] as const)
    for (let most = 1; most < 1e13; most = Math.ceil(most * 1.37)) {
      const ticks = ticksOf(most, unit)
      const step = ticks[1] ?? 0
      expect([most, ticks.length >= 2 && ticks.length <= 6]).toEqual([most, true])
      expect(ticks.every((tick, n) => tick === n * step)).toBe(true)
      expect((ticks.at(-1) ?? 0) >= most && (ticks.at(-2) ?? 0) < most).toBe(true)
    }
})

test('values are read exactly, times with two digits', () => {
  const reader = { locale: 'en', formats: formatsOf('en') } as const
  expect(chartFormat('money', reader, 'EUR').exact(118_034)).toBe('€1,180.34')
  expect(chartFormat('share', reader).exact(6_712)).toBe('67.1%')
  const { exact } = chartFormat('duration', reader)
  expect([0, 730, 1_240, 42_300, 150_000, 5_400_000, 200_000_000].map(exact)).toEqual([
    ...['0 ms', '730 ms', '1.2 sec', '42 sec', '2.5 min', '1.5 hr', '2.3 days'],
  ])
})
