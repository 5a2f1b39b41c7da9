import { expect, test } from 'bun:test'
import { parseAmount } from '../../../src/web/dashboard/links/amount.ts'

test.each([
  ['49', 4_900],
  ['49.00', 4_900],
  ['49,5', 4_950],
  [' 1 234,50 ', 123_450],
  ['1,234.50', 123_450],
  ['1.234,50', 123_450],
  ['1.234', 123_400],
  ['0.01', 1],
  ['0', undefined],
  ['', undefined],
  ['-5', undefined],
  ['49.0001', undefined],
  ['0.001', undefined],
  ['0,005', undefined],
  ['1,23,4', undefined],
  ['5 EUR', undefined],
  ['99999999999999999', undefined],
])('an amount of "%s" has %p minor units', (text, minor) => {
  expect(parseAmount(text)).toBe(minor)
})
