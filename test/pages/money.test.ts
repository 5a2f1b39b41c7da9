import { expect, test } from 'bun:test'
import { unitsOf } from '../../src/pages/money.ts'

test.each([
  [5_400_000n, 6, 2, '5.40'],
  [10_000_000n, 6, 2, '10.00'],
  [1_234_567n, 6, 2, '1.234567'],
  [1_000n, 6, 2, '0.001'],
  [5n, 0, 2, '5'],
  [50n, 1, 2, '5.0'],
  [16_200_000_000_000_000_000n, 18, 0, '16.2'],
  [10n ** 18n, 18, 0, '1'],
])('%p atomic units with %p decimals and at least %p digits are %s', (amount, decimals, least, text) => {
  expect(unitsOf(amount, decimals, least)).toBe(text)
})
