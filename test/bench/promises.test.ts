import { expect, test } from 'bun:test'
import { bestOf, median, openReport, percentile, perSecond, times } from './promises.ts'

test('a promise is kept at its bound and missed beyond it', () => {
  const report = openReport()
  report.atLeast('many', 6_000, 6_000, { as: perSecond })
  report.atLeast('more', 5_999, 6_000, { as: perSecond, from: '8 callers' })
  report.atMost('cheap', 1.2, 1.2, { as: times })
  report.atMost('cheaper', 1.21, 1.2, { as: times })
  expect(report.lines).toEqual([
    'kept many: 6,000/s (bound ≥ 6,000/s)',
    'missed more: 5,999/s, 8 callers (bound ≥ 6,000/s)',
    'kept cheap: 1.20 × (bound ≤ 1.20 ×)',
    'missed cheaper: 1.21 × (bound ≤ 1.20 ×)',
  ])
  expect(report.missed).toBe(2)
})

test('a figure that is NaN is missed', () => {
  const report = openReport()
  report.atLeast('something', Number.NaN, 1, { as: times })
  report.atMost('something', Number.NaN, 1, { as: times })
  expect(report.missed).toBe(2)
})

test('an absent peer is skipped and misses nothing', () => {
  const report = openReport()
  report.skip('against a peer', 'it is not installed')
  expect(report.lines).toEqual(['skipped against a peer: it is not installed'])
  expect(report.missed).toBe(0)
})

test('the best round is the one with the best figure', () => {
  const rounds = [{ rate: 2 }, { rate: 3 }, { rate: 1 }]
  expect(bestOf(rounds, ({ rate }) => rate, 'higher')).toEqual({ rate: 3 })
  expect(bestOf(rounds, ({ rate }) => rate, 'lower')).toEqual({ rate: 1 })
})

test('a percentile is one of the measured figures', () => {
  const figures = Array.from({ length: 100 }, (_, at) => 100 - at)
  expect(percentile(figures, 0.99)).toBe(99)
  expect(median(figures)).toBe(50)
  expect(median([7])).toBe(7)
  expect(median([])).toBeNaN()
})
