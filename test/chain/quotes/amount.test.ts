import { expect, test } from 'bun:test'
import { atPar, type Price, quotedAmount, rateOf } from '../../../src/chain/quotes/amount.ts'
import { minorDigits } from '../../../src/chain/quotes/minor-digits.ts'
import { randomOf } from '../../harness/random.ts'

const price = (answer: bigint, decimals = 8): Price => ({ numerator: answer, denominator: 10n ** BigInt(decimals) })

const table: readonly (readonly [string, number, string, Price, number, bigint | undefined])[] = [
  ['10 dollars in USDC', 10_00, 'USD', atPar, 6, 10_000_000n],
  ['a cent in USDC', 1, 'USD', atPar, 6, 10_000n],
  ['a cent in DAI', 1, 'USD', atPar, 18, 10n ** 16n],
  ['10 dollars in ETH at 2,500.12345678', 10_00, 'USD', price(250_012_345_678n), 18, 3_999_802_478_906_128n],
  ['a cent in ETH at 2,500.12345678', 1, 'USD', price(250_012_345_678n), 18, 3_999_802_478_907n],
  ['10 dollars in POL at 0.25', 10_00, 'USD', price(25_000_000n), 18, 40n * 10n ** 18n],
  ['10 euros in USDC at 1.08123456', 10_00, 'EUR', { numerator: 10n ** 8n, denominator: 108_123_456n }, 6, 10_812_346n],
  ['10 dollars in EURC at 1.08123456', 10_00, 'USD', price(108_123_456n), 6, 9_248_687n],
  ['1,000 yen, which have no minor units, in a yen token', 1_000, 'JPY', atPar, 6, 1_000_000_000n],
  ['1.234 dinars, which have a thousand fils, in a dinar token', 1_234, 'KWD', atPar, 6, 1_234_000n],
  ['a cent in a token with two decimals', 1, 'USD', atPar, 2, 1n],
  ['a cent in a token without decimals', 1, 'USD', atPar, 0, undefined],
  ['1.50 dollars in a token without decimals', 1_50, 'USD', atPar, 0, undefined],
  ['300.50 dollars in a token without decimals, 0.17 % too much', 300_50, 'USD', atPar, 0, 301n],
  ['more than a trillion tokens', 10_00, 'USD', price(1n, 18), 18, undefined],
  ['the largest amount in USDC', Number.MAX_SAFE_INTEGER, 'USD', atPar, 6, undefined],
  ['a trillion dollars in USDC', 10 ** 14, 'USD', atPar, 6, 10n ** 18n],
]

for (const [name, amountMinor, currency, at, decimals, amount] of table)
  test(`${name} is ${amount ?? 'not offered'}`, () => {
    expect(quotedAmount({ amountMinor, currency }, at, decimals)).toBe(amount)
  })

test('an amount is never below the exact value, and less than one atomic unit above', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  const random = randomOf(seed)
  const below = (limit: bigint) => BigInt(Math.floor(random() * 2 ** 53)) % limit
  let offered = 0
  for (let n = 0; n < 20_000; n++) {
    const amountMinor = 1 + Math.floor(random() * 10 ** (1 + Math.floor(random() * 15)))
    const currency = ['USD', 'EUR', 'JPY', 'KWD', 'CLF'][Math.floor(random() * 5)] ?? 'USD'
    const at = { numerator: 1n + below(10n ** below(20n)), denominator: 1n + below(10n ** below(20n)) }
    const decimals = Number(below(25n))
    const amount = quotedAmount({ amountMinor, currency }, at, decimals)
    if (amount === undefined) continue
    offered++
    // amount / 10^decimals units, each worth numerator / denominator, against amountMinor / 10^digits.
    const value = (units: bigint) => units * at.numerator * 10n ** BigInt(minorDigits(currency))
    const due = BigInt(amountMinor) * 10n ** BigInt(decimals) * at.denominator
    if (value(amount) < due || value(amount - 1n) >= due || amount < 1n)
      throw new Error(
        `SEED=${seed}: ${amountMinor} ${currency} at ${at.numerator}/${at.denominator}, ${decimals} decimals: ${amount}`,
      )
  }
  expect(offered, `SEED=${seed}`).toBeGreaterThan(5_000)
})

test('an invalid amount is refused', () => {
  for (const amountMinor of [0, -1, 1.5, Number.NaN, 2 ** 53])
    expect(() => quotedAmount({ amountMinor, currency: 'USD' }, atPar, 6)).toThrow(RangeError)
})

test('a rate is a decimal number with eight significant digits', () => {
  expect(rateOf(price(250_012_345_678n))).toBe('2500.12345678')
  expect(rateOf(atPar)).toBe('1')
  expect(rateOf(price(25_000_000n))).toBe('0.25')
  expect(rateOf({ numerator: 1n, denominator: 3n })).toBe('0.33333333')
  expect(rateOf(price(123_456_789n, 18))).toBe('0.000000000123456789')
})

test('minor digits are those of ISO 4217, not of a locale', () => {
  const digits = ['USD', 'EUR', 'JPY', 'KWD', 'ISK', 'IQD', 'CLF', 'HUF'].map(minorDigits)
  expect(digits).toEqual([2, 2, 0, 3, 0, 3, 4, 2])
})
