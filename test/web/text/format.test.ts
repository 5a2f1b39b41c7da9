import { describe, expect, test } from 'bun:test'
import { formatsOf } from '../../../src/web/text/format.ts'

const en = formatsOf('en', 'America/New_York')
const de = formatsOf('de', 'Europe/Berlin')
const at = '2026-11-25T19:32:05.000Z'
const now = new Date('2026-11-25T19:36:10.000Z')

describe('money', () => {
  test.each([
    [4900, 'USD', '$49.00', '49,00\u00a0$'],
    [5, 'EUR', '€0.05', '0,05\u00a0€'],
    [-1250, 'EUR', '−€12.50', '−12,50\u00a0€'],
    [Number.MAX_SAFE_INTEGER, 'USD', '$90,071,992,547,409.91', '90.071.992.547.409,91\u00a0$'],
  ])('%d minor units of %s', (amount, currency, english, german) => {
    expect([en.money(amount, currency), de.money(amount, currency)]).toEqual([english, german])
  })

  test.each([
    ['49000000', 6, '49.00\u00a0USDC', '49,00\u00a0USDC'],
    ['49000001', 6, '49.000001\u00a0USDC', '49,000001\u00a0USDC'],
    ['0', 6, '0.00\u00a0USDC', '0,00\u00a0USDC'],
    ['1234567000000000000000', 18, '1,234.567\u00a0USDC', '1.234,567\u00a0USDC'],
    ['1', 18, '0.000000000000000001\u00a0USDC', '0,000000000000000001\u00a0USDC'],
    ['7', 0, '7\u00a0USDC', '7\u00a0USDC'],
  ])('%s atomic units with %d decimals, without loss', (amount, decimals, english, german) => {
    const asset = { asset: 'USDC', decimals }
    expect([en.units(amount, asset), de.units(amount, asset)]).toEqual([english, german])
  })
})

test('times are in the time zone of the reader, exact with seconds', () => {
  expect([en.date(at), en.time(at), en.exact(at)]).toEqual([
    'Nov 25, 2026',
    '2:32\u00a0PM',
    'Nov 25, 2026, 2:32:05\u00a0PM',
  ])
  expect([de.date(at), de.time(at), de.exact(at)]).toEqual(['25.11.2026', '20:32', '25.11.2026, 20:32:05'])
})

test.each([
  [-5, '5 seconds ago', 'vor 5 Sekunden'],
  [0, 'now', 'jetzt'],
  [-245, '4 minutes ago', 'vor 4 Minuten'],
  [-3_599, '59 minutes ago', 'vor 59 Minuten'],
  [3_600, 'in 1 hour', 'in 1 Stunde'],
  [-86_400, 'yesterday', 'gestern'],
  [-3 * 86_400, '3 days ago', 'vor 3 Tagen'],
  [-400 * 86_400, 'last year', 'letztes Jahr'],
])('%d seconds from now is said in the largest unit that fits', (seconds, english, german) => {
  const moment = now.getTime() + seconds * 1_000
  expect([en.relative(moment, now), de.relative(moment, now)]).toEqual([english, german])
})

test('a decimal string keeps all of its digits', () => {
  const rates = ['9236.0628', '0.925925925', '12.5', '90071992547409.91']
  expect(rates.map(en.decimal)).toEqual(['9,236.0628', '0.925925925', '12.5', '90,071,992,547,409.91'])
  expect(rates.map(de.decimal)).toEqual(['9.236,0628', '0,925925925', '12,5', '90.071.992.547.409,91'])
})

test('counts and shares', () => {
  expect([en.count(12_345), de.count(12_345), en.share(0.0314), de.share(0.0314)]).toEqual([
    '12,345',
    '12.345',
    '3.1%',
    '3,1\u00a0%',
  ])
})
