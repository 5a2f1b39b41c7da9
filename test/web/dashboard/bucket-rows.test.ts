import { expect, test } from 'bun:test'
import { bucketsIn, startOfDay } from '../../../src/analytics/buckets.ts'
import { bucketRowsOf } from '../../../src/web/dashboard/analytics/bucket-rows.ts'
import { changeText, pointsText } from '../../../src/web/dashboard/analytics/changes.ts'
import { fileNumber } from '../../../src/web/dashboard/analytics/chart-file.ts'
import { keySumsOf } from '../../../src/web/dashboard/analytics/key-sums.ts'
import type { BucketName } from '../../../src/web/dashboard/analytics/period.ts'
import { analyticsDe } from '../../../src/web/text/dashboard/analytics/de.ts'
import { analyticsEn } from '../../../src/web/text/dashboard/analytics/en.ts'
import { formatsOf } from '../../../src/web/text/format.ts'
import { figuresRow } from './figure-samples.ts'

/** The rows of a chart over buckets as the API makes them. */
const rowsIn = (from: string, to: string, bucket: BucketName, timeZone: string, asOf = '2027-01-01T00:00:00.000Z') => {
  const span = { start: startOfDay(timeZone, from), end: startOfDay(timeZone, to) }
  const buckets = (bucketsIn(span, bucket, timeZone, 400) ?? []).map(({ start, end }) => ({
    ...{ start: start.toISOString(), end: end.toISOString(), rows: [] },
  }))
  const now = { object: 'analytics' as const, asOf, timeZone, buckets, totals: [] }
  return bucketRowsOf({ now, before: undefined, bucket, timeZone }, 'EUR', {
    ...{ locale: 'en', hours: analyticsEn.hours },
  })
}

test('a day on which clocks change has its date and says how long it is', () => {
  const names = (from: string, to: string) =>
    rowsIn(from, to, 'day', 'Europe/Berlin').map(({ iso, name }) => [iso, name])
  expect(names('2026-03-28', '2026-03-31')).toEqual([
    ['2026-03-28', 'Sat, Mar 28, 2026'],
    ['2026-03-29', 'Sun, Mar 29, 2026 (23 hours)'],
    ['2026-03-30', 'Mon, Mar 30, 2026'],
  ])
  expect(names('2026-10-24', '2026-10-27').map(([, name]) => name)).toEqual([
    ...['Sat, Oct 24, 2026', 'Sun, Oct 25, 2026 (25 hours)', 'Mon, Oct 26, 2026'],
  ])
})

test('an hour that occurs twice is labeled with its offset, and each of the two has its own time in files', () => {
  const hours = rowsIn('2026-10-25', '2026-10-26', 'hour', 'Europe/Berlin').slice(1, 5)
  expect(hours.map(({ name }) => name.replace(/\s/g, ' '))).toEqual([
    ...['Oct 25, 1:00 AM GMT+2', 'Oct 25, 2:00 AM GMT+2', 'Oct 25, 2:00 AM GMT+1', 'Oct 25, 3:00 AM GMT+1'],
  ])
  expect(new Set(hours.map(({ iso }) => iso)).size).toBe(4)
})

test('weeks and months are named by their days in the zone of the figures', () => {
  const said = (from: string, to: string, bucket: BucketName) =>
    rowsIn(from, to, bucket, 'Pacific/Auckland').map(({ label, name, iso }) =>
      `${iso} ${label}: ${name}`.replace(/\s/g, ' '),
    )
  expect(said('2026-11-11', '2026-11-24', 'week')).toEqual([
    '2026-11-11 Nov 11: Nov 11 – 15, 2026',
    '2026-11-16 Nov 16: Nov 16 – 22, 2026',
    '2026-11-23 Nov 23: Nov 23, 2026',
  ])
  expect(said('2026-11-10', '2027-02-01', 'month')).toEqual([
    '2026-11-10 Nov 2026: Nov 10 – 30, 2026',
    '2026-12-01 Dec: December 2026',
    '2027-01-01 Jan 2027: January 2027',
  ])
})

test('only a bucket that has not ended is partial', () => {
  const rows = rowsIn('2026-11-24', '2026-11-27', 'day', 'UTC', '2026-11-26T00:00:00.000Z')
  expect(rows.map(({ isPartial }) => isPartial)).toEqual([false, false, true])
})

test('rows are those of one currency, beside the same bucket of the period before', () => {
  const of = (start: string, minor: number) => ({
    ...{ start, end: start.replace('T00', 'T23') },
    rows: [
      { ...figuresRow('USD', 999), key: null },
      { ...figuresRow('EUR', minor), key: null },
    ],
  })
  const series = (minor: number) => ({
    ...{ object: 'analytics' as const, asOf: '2026-11-27T00:00:00.000Z', timeZone: 'UTC', totals: [] },
    buckets: [of('2026-11-24T00:00:00.000Z', minor), of('2026-11-25T00:00:00.000Z', minor + 1)],
  })
  const words = { locale: 'en', hours: analyticsEn.hours } as const
  const figures = { now: series(100), before: series(50), bucket: 'day', timeZone: 'UTC' } as const
  const sums = (currency: string) =>
    bucketRowsOf(figures, currency, words).map(({ total, before }) => [total?.volumeMinor, before?.volumeMinor])
  expect(sums('EUR')).toEqual([
    [100, 50],
    [101, 51],
  ])
  expect(sums('GBP')).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ])
})

test('of the sums by key the most money is first, and what was put together is last', () => {
  const row = (key: string | null, minor: number, currency = 'EUR') => ({ ...figuresRow(currency, minor), key })
  const bucket = (...rows: ReturnType<typeof row>[]) => ({ start: '', end: '', rows })
  const buckets = [
    bucket(row('USDC', 100), row('other', 900), row(null, 0), row('USDC', 7_000, 'USD'), row('EURC', 150)),
  ]
  expect(keySumsOf({ buckets }, 'EUR').map(({ key, volumeMinor, opened }) => [key, volumeMinor, opened])).toEqual([
    ['EURC', 150, 2],
    ['USDC', 100, 2],
    [null, 0, 2],
    ['other', 900, 2],
  ])
})

test('a change is a share of the sum before, of shares it is in points', () => {
  const formats = formatsOf('en')
  const change = (now: number, before: number | undefined) => changeText(now, before, analyticsEn.change, formats)
  expect([
    change(112, 100),
    change(88, 100),
    change(100, 100),
    change(5, 0),
    change(0, 0),
    change(5, undefined),
  ]).toEqual([
    ...['12% more than before', '12% less than before', 'as much as before', 'nothing before', 'as much as before'],
    'no comparison',
  ])
  expect(changeText(-50, -100, analyticsEn.change, formats)).toBe('50% more than before')
  const points = (now: number | null, before: number | null) =>
    pointsText(now, before, analyticsDe.change, formatsOf('de'))
  expect([points(6_840, 6_710), points(6_700, 6_830), points(6_704, 6_702), points(null, 6_700)]).toEqual([
    ...['1,3 Punkte mehr als vorher', '1,3 Punkte weniger als vorher', 'so viel wie vorher', 'kein Vergleich'],
  ])
})

test('files have amounts in the unit of their currency', () => {
  const amounts = ['EUR', 'JPY', 'KWD'].map(currency => fileNumber(123_450, 'money', currency))
  expect(amounts).toEqual([{ number: '1234.50' }, { number: '123450' }, { number: '123.450' }])
  expect([fileNumber(1_234, 'share', 'JPY'), fileNumber(12, 'count', 'KWD'), fileNumber(null, 'money', 'EUR')]).toEqual(
    [...[{ number: '12.34' }, { number: '12' }, null]],
  )
})
