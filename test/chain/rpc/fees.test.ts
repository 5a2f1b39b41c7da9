import { expect, test } from 'bun:test'
import { capFees, feesOf, maxFeeOf, raiseFees, tipOf } from '../../../src/chain/rpc/fees.ts'

const GWEI = 10n ** 9n

test.each([
  ['an eighth and a bit', feesOf(800n, 80n), feesOf(1n, 1n), 901n, 91n],
  ['what the chain asks for now, where that is more', feesOf(800n, 80n), feesOf(2_000n, 500n), 2_000n, 500n],
  ['at least one unit', feesOf(1n, 0n), feesOf(0n, 0n), 2n, 1n],
  ['a price alone, where the chain knows no tips', feesOf(800n, null), feesOf(10n, null), 901n, null],
])('more is offered by %s', (_, before, now, most, tip) => {
  const fees = raiseFees(before, now)
  expect([maxFeeOf(fees), tipOf(fees)]).toEqual([most, tip])
})

test.each([
  ['none', 0n, 0n],
  ['the usual', GWEI, GWEI],
  ['a lot where nothing is going on', 100n * GWEI, 100n * GWEI],
  ['absurdly much', 10n ** 18n, 100n * GWEI],
])('of a tip of %s this is believed', (_, tip, believed) => {
  const fees = capFees(feesOf(2n * GWEI + tip, tip))
  expect([tipOf(fees), maxFeeOf(fees)]).toEqual([believed, 2n * GWEI + believed])
})

test('on a busy chain a larger tip is believed, and whatever a node says of the chain not just any', () => {
  const tipAt = (base: bigint, tip: bigint) => tipOf(capFees(feesOf((base + tip) * GWEI, tip * GWEI)))
  expect(tipAt(1_000n, 400n)).toBe(400n * GWEI)
  expect(tipAt(2_000_000n, 1_000_000n)).toBe(500n * GWEI)
})

test('where a chain knows no tips no price is believed beyond what a tip may be', () => {
  const believed = (price: bigint) => maxFeeOf(capFees(feesOf(price, null)))
  expect([believed(5n * GWEI), believed(500n * GWEI), believed(10n ** 18n)]).toEqual([
    5n * GWEI,
    500n * GWEI,
    500n * GWEI,
  ])
})

test('a node that says price at first and an absurd base fee then is offered an eighth more', () => {
  const now = capFees(feesOf(2n * 10n ** 18n, GWEI))
  expect(maxFeeOf(raiseFees(feesOf(500n * GWEI, null), now))).toBe((500n * GWEI * 9n) / 8n + 1n)
})
