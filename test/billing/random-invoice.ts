import { type PricedLine, taxCategories } from '../../src/billing/invoice-sums.ts'
import { oneOf } from '../harness/random.ts'

const quantities = ['1', '2', '3', '7', '12', '0.5', '1.5', '2.25', '0.333333', '0.000001', '1.000001', '99.99']
const rates = [0, 1, 250, 550, 700, 1_900, 2_000, 2_550, 9_999, 10_000]

/** Lines as shops write them, and as a hostile caller would: discounts, odd rates, amounts that round at every place. */
export const randomLines = (random: () => number): readonly PricedLine[] => {
  const size = oneOf([1, 9, 100, 10_000, 1_000_000], random)
  const few = [oneOf(rates, random), oneOf(rates, random)]
  return Array.from({ length: 1 + Math.floor(random() * oneOf([1, 3, 12], random)) }, () => {
    const taxCategory = random() < 0.7 ? 'standard' : oneOf(taxCategories, random)
    return {
      quantity: random() < 0.3 ? (random() * 10 + 0.000001).toFixed(6) : oneOf(quantities, random),
      unitAmountMinor: Math.floor((random() - 0.15) * size * 3),
      taxCategory,
      taxRateBps: taxCategory === 'standard' ? oneOf(few, random) : 0,
    }
  })
}
