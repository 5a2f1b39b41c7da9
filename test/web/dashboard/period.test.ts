import { describe, expect, test } from 'bun:test'
import {
  bucketFor,
  figuresPeriodOf,
  hasTimes,
  limitOf,
  type PeriodQuery,
  periodQueryOf,
  previousOf,
} from '../../../src/web/dashboard/analytics/period.ts'

const asked = (address: string): PeriodQuery => {
  const query = new URLSearchParams(address)
  return periodQueryOf(name => query.get(name) ?? undefined)
}

/** The address, the day, the period and the one before it, and the buckets that fit. The last day is not included. */
const periods = `
  address                                      | today      | from       | to         | before from | before to  | bucket
                                               | 2026-11-25 | 2026-10-27 | 2026-11-26 | 2026-09-27  | 2026-10-27 | day
  range=7d                                     | 2026-11-25 | 2026-11-19 | 2026-11-26 | 2026-11-12  | 2026-11-19 | day
  range=90d                                    | 2026-03-01 | 2025-12-02 | 2026-03-02 | 2025-09-03  | 2025-12-02 | day
  range=12m                                    | 2026-11-25 | 2025-12-01 | 2026-11-26 | 2024-12-01  | 2025-11-26 | month
  range=12m                                    | 2028-02-29 | 2027-03-01 | 2028-03-01 | 2026-03-01  | 2027-03-01 | month
  range=12m                                    | 2026-12-31 | 2026-01-01 | 2027-01-01 | 2025-01-01  | 2026-01-01 | month
  range=month                                  | 2026-11-25 | 2026-11-01 | 2026-11-26 | 2026-10-01  | 2026-10-26 | day
  range=month                                  | 2026-03-31 | 2026-03-01 | 2026-04-01 | 2026-02-01  | 2026-03-01 | day
  range=month                                  | 2026-01-01 | 2026-01-01 | 2026-01-02 | 2025-12-01  | 2025-12-02 | hour
  range=last_month                             | 2026-03-31 | 2026-02-01 | 2026-03-01 | 2026-01-01  | 2026-02-01 | day
  range=last_month                             | 2026-01-01 | 2025-12-01 | 2026-01-01 | 2025-11-01  | 2025-12-01 | day
  range=custom&from=2026-11-25&to=2026-11-25   | 2026-11-25 | 2026-11-25 | 2026-11-26 | 2026-11-24  | 2026-11-25 | hour
  range=custom&from=2024-11-25&to=2024-11-26   | 2026-11-25 | 2024-11-25 | 2024-11-27 | 2024-11-23  | 2024-11-25 | day
  range=custom&from=2026-01-01&to=2026-12-31   | 2026-11-25 | 2026-01-01 | 2027-01-01 | 2024-12-26  | 2025-12-26 | week
  range=custom&from=2023-01-01&to=2026-12-31   | 2026-11-25 | 2023-01-01 | 2027-01-01 | 2019-01-01  | 2023-01-01 | month
  range=custom                                 | 2026-11-25 | 2026-10-27 | 2026-11-26 | 2026-09-27  | 2026-10-27 | day
  range=custom&from=2026-02-30&to=2026-11-10   | 2026-11-25 | 2026-10-12 | 2026-11-11 | 2026-09-12  | 2026-10-12 | day
  range=year&from=2026-01-01                   | 2026-11-25 | 2026-10-27 | 2026-11-26 | 2026-09-27  | 2026-10-27 | day`

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(1)
    .map(line => line.split('|').map(cell => cell.trim()))

test.each(rowsOf(periods))('the address "%s" on %s', (address = '', today = '', ...expected) => {
  const query = asked(address)
  const period = figuresPeriodOf(query, today)
  const bucket = bucketFor(period, query.range, today)
  const before = previousOf(period, query.range, bucket)
  expect([period.from, period.to, before.from, before.to, bucket]).toEqual(expected)
})

test.each([
  ['7d', '2026-11-12', '2026-11-19'],
  ['30d', '2026-09-22', '2026-10-22'],
  ['90d', '2026-05-29', '2026-08-27'],
  ['month', '2026-09-27', '2026-10-22'],
  ['12m', '2024-12-02', '2025-11-27'],
] as const)('by week, the period before %s is whole weeks earlier', (range, from, to) => {
  const period = figuresPeriodOf({ range, first: undefined, last: undefined }, '2026-11-25')
  expect(previousOf(period, range, 'week')).toEqual({ from, to })
})

/** What the API would refuse, on 2026-11-25. */
const limits = `
  from       | to         | bucket | keys | zone  | limit
  2026-11-26 | 2026-11-25 | day    |      | own   | order
  2026-11-25 | 2026-11-25 | day    |      | own   | order
  2026-11-09 | 2026-11-25 | hour   |      | own   |
  2026-11-08 | 2026-11-25 | hour   |      | own   | buckets
  2025-10-21 | 2026-11-25 | day    |      | own   |
  2025-10-20 | 2026-11-25 | day    |      | own   | buckets
  2019-04-01 | 2026-11-25 | week   |      | own   |
  2019-03-31 | 2026-11-25 | week   |      | own   | buckets
  1993-07-31 | 2026-11-30 | month  |      | own   | buckets
  1993-08-01 | 2026-11-30 | month  |      | own   |
  2025-10-21 | 2025-10-23 | hour   |      | own   |
  2025-10-20 | 2025-10-22 | hour   |      | own   | hours
  2025-10-20 | 2025-10-22 | day    |      | own   |
  2025-10-21 | 2026-11-25 | week   |      | other |
  2025-10-20 | 2026-11-25 | week   |      | other | other_zone
  2026-10-21 | 2026-11-25 | month  | keys | other |
  2026-10-20 | 2026-11-25 | month  | keys | other | other_zone_keys
  2020-01-01 | 2026-11-25 | month  | keys | own   |`

describe('limits of the API', () => {
  test.each(rowsOf(limits))('%s to %s, %s %s %s: %s', (from = '', to = '', bucket, keys, zone, limit) => {
    const detail = { hasKeys: keys === 'keys', isOwnZone: zone === 'own', today: '2026-11-25' }
    expect(limitOf({ from, to }, { ...detail, bucket: bucket as 'day' }) ?? '').toBe(String(limit))
  })

  test('times of payments are read by day in the zone of the shop, else within 35 days', () => {
    const [short, long] = [
      { from: '2026-10-22', to: '2026-11-26' },
      { from: '2026-10-21', to: '2026-11-26' },
    ]
    expect([short, long].map(period => hasTimes(period, true, 'day'))).toEqual([true, true])
    expect([short, long].map(period => hasTimes(period, true, 'hour'))).toEqual([true, false])
    expect([short, long].map(period => hasTimes(period, false, 'day'))).toEqual([true, false])
  })
})
