import { expect, test } from 'bun:test'
import { capFees, feesOf, maxFeeOf, raiseFees, tipOf } from '../../../src/chain/rpc/fees.ts'

const GWEI = 10n ** 9n

test.each([
  ['an eighth more, rounded up', feesOf(800n, 80n), feesOf(1n, 1n), 901n, 91n],
  ['the current fees, where they are higher', feesOf(800n, 80n), feesOf(2_000n, 500n), 2_000n, 500n],
  ['at least one unit more', feesOf(1n, 0n), feesOf(0n, 0n), 2n, 1n],
  ['a gas price alone, on a chain without tips', feesOf(800n, null), feesOf(10n, null), 901n, null],
])('a replacement transaction offers %s', (_, before, now, most, tip) => {
  const fees = raiseFees(before, now)
  expect([maxFeeOf(fees), tipOf(fees)]).toEqual([most, tip])
})

test.each([
  ['no tip', 0n, 0n],
  ['a usual tip', GWEI, GWEI],
  ['a high tip on an idle chain', 100n * GWEI, 100n * GWEI],
  ['an absurd tip', 10n ** 18n, 100n * GWEI],
])('%s is capped at 100 gwei on an idle chain', (_, tip, capped) => {
  const fees = capFees(feesOf(2n * GWEI + tip, tip))
  expect([tipOf(fees), maxFeeOf(fees)]).toEqual([capped, 2n * GWEI + capped])
})

test('on a busy chain a higher tip is accepted, and no tip above 500 gwei whatever base fee a node reports', () => {
  const tipAt = (base: bigint, tip: bigint) => tipOf(capFees(feesOf((base + tip) * GWEI, tip * GWEI)))
  expect(tipAt(1_000n, 400n)).toBe(400n * GWEI)
  expect(tipAt(2_000_000n, 1_000_000n)).toBe(500n * GWEI)
})

test('on a chain without tips the gas price is capped at 500 gwei', () => {
  const capped = (price: bigint) => maxFeeOf(capFees(feesOf(price, null)))
  expect([capped(5n * GWEI), capped(500n * GWEI), capped(10n ** 18n)]).toEqual([5n * GWEI, 500n * GWEI, 500n * GWEI])
})

test('a replacement of a legacy transaction offers an eighth more although a node reports an absurd base fee', () => {
  const now = capFees(feesOf(2n * 10n ** 18n, GWEI))
  expect(maxFeeOf(raiseFees(feesOf(500n * GWEI, null), now))).toBe((500n * GWEI * 9n) / 8n + 1n)
})
