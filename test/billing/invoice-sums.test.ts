import { expect, test } from 'bun:test'
import { type PricedLine, sumInvoice, type TaxBehavior } from '../../src/billing/invoice-sums.ts'
import { isQuantity, millionthsOf, quantityOf } from '../../src/billing/quantity.ts'
import { randomOf } from '../harness/random.ts'
import { randomLines } from './random-invoice.ts'
import { add, below, closest, dividedBy, isLess, parseDecimal, type Rational, ratio, times } from './rational.ts'

const MOST = Number.MAX_SAFE_INTEGER

const line = (unitAmountMinor: number, taxRateBps = 0, quantity = '1'): PricedLine => ({
  ...{ quantity, unitAmountMinor, taxRateBps, taxCategory: 'standard' },
})

const sumsOf = (lines: readonly PricedLine[], taxBehavior: TaxBehavior = 'exclusive') => {
  const summed = sumInvoice(lines, taxBehavior)
  if (!summed.ok) throw new Error(summed.refused)
  return summed.sums
}

const amounts: readonly [quantity: string, unit: number, amount: number][] = [
  ['1', 4900, 4900],
  ['3', 333, 999],
  ['0.5', 1, 1],
  ['0.5', -1, -1],
  ['2.5', -1, -3],
  ['0.499999', 1, 0],
  ['0.499999', -1, 0],
  ['1.000001', 1_000_000, 1_000_001],
  ['0.000001', 500_000, 1],
  ['0.000001', 499_999, 0],
  ['1000000000000000', 9, 9_000_000_000_000_000],
]

test.each(amounts)('%s × %i is %i, half away from zero', (quantity, unit, amount) => {
  const rest = line(9)
  expect(sumsOf([line(unit, 0, quantity), rest]).lines[0]).toEqual({ amountMinor: amount, netMinor: amount })
})

test('tax is computed on the sum of the lines of a rate, not line by line', () => {
  // 19 % of 3 is 0.57, three times rounded 3. Of 9 it is 1.71.
  expect(sumsOf([line(3, 1900), line(3, 1900), line(3, 1900)])).toMatchObject({ taxMinor: 2, totalMinor: 11 })
})

test('each category and rate has its own tax, in the order of the lines', () => {
  const zero = { ...line(1000), taxCategory: 'zero' } as const
  expect(sumsOf([line(1000, 700), zero, line(2000, 1900), line(500, 700), line(100)])).toMatchObject({
    taxes: [
      { taxCategory: 'standard', taxRateBps: 700, netMinor: 1500, taxMinor: 105 },
      { taxCategory: 'zero', taxRateBps: 0, netMinor: 1000, taxMinor: 0 },
      { taxCategory: 'standard', taxRateBps: 1900, netMinor: 2000, taxMinor: 380 },
      { taxCategory: 'standard', taxRateBps: 0, netMinor: 100, taxMinor: 0 },
    ],
    ...{ subtotalMinor: 4600, taxMinor: 485, totalMinor: 5085 },
  })
})

test('inclusive prices: the total is what the lines say, and the net amounts of lines add up to the net of their rate', () => {
  // 3 × 33.33 with 19 %: net 84.03 in all, where three times 28.0084 is rounded to 84.03 as well, and 7 × 0.50 is not.
  expect(sumsOf([line(3333, 1900, '3')], 'inclusive')).toEqual({
    lines: [{ amountMinor: 9999, netMinor: 8403 }],
    taxes: [{ taxCategory: 'standard', taxRateBps: 1900, netMinor: 8403, taxMinor: 1596 }],
    ...{ subtotalMinor: 8403, taxMinor: 1596, totalMinor: 9999 },
  })
  const cheap = sumsOf(Array(7).fill(line(50, 1900)), 'inclusive')
  expect(cheap).toMatchObject({ subtotalMinor: 294, taxMinor: 56, totalMinor: 350 })
  expect(cheap.lines.map(({ netMinor }) => netMinor)).toEqual([42, 42, 42, 42, 42, 42, 42])
  // Net 8.4034, 1.6807 and 5.0420 of a net of 15.1261: the largest remainder rounds up.
  const mixed = sumsOf([line(10, 1900), line(2, 1900), line(6, 1900)], 'inclusive')
  expect(mixed.lines.map(({ netMinor }) => netMinor)).toEqual([8, 2, 5])
})

test('a discount lowers the tax of its rate', () => {
  expect(sumsOf([line(10_000, 1900), line(-2_000, 1900)])).toMatchObject({
    taxes: [{ netMinor: 8000, taxMinor: 1520 }],
    totalMinor: 9520,
  })
  expect(sumsOf([line(11_900, 1900), line(-2_380, 1900)], 'inclusive')).toMatchObject({
    taxes: [{ netMinor: 8000, taxMinor: 1520 }],
    totalMinor: 9520,
  })
})

test('a total from 0 to 2^53 − 1 is accepted, anything else refused', () => {
  const refused = { ok: false, refused: 'invoice_total_out_of_range' } as const
  expect(sumsOf([line(500), line(-500)]).totalMinor).toBe(0)
  expect(sumInvoice([line(500), line(-501)], 'exclusive')).toEqual(refused)
  expect(sumsOf([line(MOST)]).totalMinor).toBe(MOST)
  expect(sumInvoice([line(MOST), line(1)], 'exclusive')).toEqual(refused)
  expect(sumInvoice([line(MOST, 1)], 'exclusive')).toEqual(refused)
  expect(sumInvoice([line(MOST, 10_000)], 'inclusive')).toMatchObject({ ok: true })
  // A sum that is too large is refused also where another line makes it small again.
  expect(sumInvoice([line(MOST), line(MOST), line(-MOST)], 'exclusive')).toMatchObject({ ok: true })
  expect(sumInvoice([line(MOST, 0, '2'), line(-MOST, 0, '2')], 'exclusive')).toEqual(refused)
})

test('a quantity is a decimal greater than 0 with at most 6 places', () => {
  const valid = ['1', '0.000001', '12.5', '1.500000', '9999999999999999']
  const invalid = ['0', '0.0', '-1', '+1', '1.', '.5', '01', '1e3', '1,5', ' 1', '', '0.0000001', '١', '1'.repeat(17)]
  expect(valid.filter(each => !isQuantity(each))).toEqual([])
  expect(invalid.filter(isQuantity)).toEqual([])
  expect(valid.map(each => quantityOf(millionthsOf(each)))).toEqual([
    '1',
    '0.000001',
    '12.5',
    '1.5',
    '9999999999999999',
  ])
})

/** The sums by their definition, with fractions. */
const recompute = (lines: readonly PricedLine[], taxBehavior: TaxBehavior) => {
  const amounts = lines.map(each =>
    closest(times(parseDecimal(each.quantity), parseDecimal(String(each.unitAmountMinor)))),
  )
  const nets = [...amounts]
  const taxes: { taxCategory: string; taxRateBps: number; netMinor: number; taxMinor: number }[] = []
  for (const { taxCategory, taxRateBps } of lines) {
    if (taxes.some(each => each.taxCategory === taxCategory && each.taxRateBps === taxRateBps)) continue
    const own = lines.flatMap((each, at) =>
      each.taxCategory === taxCategory && each.taxRateBps === taxRateBps ? [at] : [],
    )
    const sum = own.map(at => ratio(amounts[at] ?? 0n)).reduce(add)
    const rate = ratio(BigInt(taxRateBps), 10_000n)
    const whole = add(ratio(1n), rate)
    const net = taxBehavior === 'inclusive' ? closest(dividedBy(sum, whole)) : closest(sum)
    const tax = taxBehavior === 'inclusive' ? closest(sum) - net : closest(times(sum, rate))
    taxes.push({ taxCategory, taxRateBps, netMinor: Number(net), taxMinor: Number(tax) })
    if (taxBehavior === 'inclusive')
      spread(
        net,
        own.map(at => dividedBy(ratio(amounts[at] ?? 0n), whole)),
      ).forEach((part, index) => {
        nets[own[index] ?? -1] = part
      })
  }
  const total = (of: 'netMinor' | 'taxMinor') => taxes.reduce((sum, each) => sum + each[of], 0)
  return {
    lines: amounts.map((amount, at) => ({ amountMinor: Number(amount), netMinor: Number(nets[at]) })),
    ...{ taxes, subtotalMinor: total('netMinor'), taxMinor: total('taxMinor') },
    totalMinor: total('netMinor') + total('taxMinor'),
  }
}

/** One unit at a time goes to the part that lacks most. */
const spread = (total: bigint, exact: readonly Rational[]): readonly bigint[] => {
  const parts = exact.map(below)
  const lack = (at: number) => add(exact[at] ?? ratio(0n), ratio(-(parts[at] ?? 0n)))
  while (parts.reduce((sum, part) => sum + part, 0n) < total) {
    const most = parts.map((_, at) => at).reduce((best, at) => (isLess(lack(best), lack(at)) ? at : best))
    parts[most] = (parts[most] ?? 0n) + 1n
  }
  return parts
}

test.each(['exclusive', 'inclusive'] as const)(
  '%s: 3,000 random invoices have the sums of the definition',
  taxBehavior => {
    const seed = 38
    const random = randomOf(seed)
    let accepted = 0
    for (let i = 0; i < 3_000; i++) {
      const lines = randomLines(random)
      const summed = sumInvoice(lines, taxBehavior)
      const expected = recompute(lines, taxBehavior)
      if (expected.totalMinor < 0) {
        expect(summed).toEqual({ ok: false, refused: 'invoice_total_out_of_range' })
        continue
      }
      accepted++
      expect({ seed, i, ...summed }).toEqual({ seed, i, ok: true, sums: expected } as never)
      for (const key of ['netMinor', 'taxMinor'] as const)
        expect(expected.taxes.reduce((sum, each) => sum + each[key], 0)).toBe(
          expected[key === 'netMinor' ? 'subtotalMinor' : 'taxMinor'],
        )
      expect(expected.lines.reduce((sum, { netMinor }) => sum + netMinor, 0)).toBe(expected.subtotalMinor)
    }
    expect(accepted).toBeGreaterThan(2_000)
  },
)
