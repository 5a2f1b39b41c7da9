import { amountOf, millionthsOf } from './quantity.ts'
import { divideRounded, spreadByLargestRemainder, sumBigints } from './rounding.ts'

/** Computed on the server, and in the browser while the lines of an invoice are edited. */

export const taxCategories = ['standard', 'zero', 'exempt', 'reverse_charge', 'export', 'outside'] as const
export type TaxCategory = (typeof taxCategories)[number]

/** Whether the unit amounts of lines contain the tax. */
export type TaxBehavior = 'exclusive' | 'inclusive'

export type TaxRate = { readonly taxCategory: TaxCategory; readonly taxRateBps: number }

export type PricedLine = TaxRate & { readonly quantity: string; readonly unitAmountMinor: number }

/** The tax on all lines with the same category and rate. */
export type TaxSum = TaxRate & { readonly netMinor: number; readonly taxMinor: number }

export type DocumentSums = {
  readonly taxes: readonly TaxSum[]
  readonly subtotalMinor: number
  readonly taxMinor: number
  readonly totalMinor: number
}

/** `amountMinor` of a line contains the tax if prices are inclusive; its `netMinor` never does. */
export type InvoiceSums = DocumentSums & {
  readonly lines: readonly { readonly amountMinor: number; readonly netMinor: number }[]
}

export type SummedInvoice =
  | { readonly ok: true; readonly sums: InvoiceSums }
  | { readonly ok: false; readonly refused: 'invoice_total_out_of_range' }

/** Tax is computed on the sum of the lines of a rate: rounded line by line, it would not be the rate of the sum. */
export const sumInvoice = (lines: readonly PricedLine[], taxBehavior: TaxBehavior): SummedInvoice => {
  const amounts = lines.map(({ quantity, unitAmountMinor }) => amountOf(millionthsOf(quantity), unitAmountMinor))
  const nets = [...amounts]
  const taxes = groupByRate(lines).map(({ rate, at }) => {
    const own = at.map(each => amounts[each] ?? 0n)
    const sums = taxOn(sumBigints(own), rate, taxBehavior)
    if (taxBehavior === 'inclusive') {
      const parts = spreadByLargestRemainder(sums.net, own.map(inBps), WHOLE_BPS + BigInt(rate.taxRateBps))
      for (const [index, each] of at.entries()) nets[each] = parts[index] ?? 0n
    }
    return { ...rate, ...sums }
  })
  const [subtotal, tax] = [sumBigints(taxes.map(({ net }) => net)), sumBigints(taxes.map(({ tax }) => tax))]
  const values = [...amounts, ...nets, ...taxes.flatMap(({ net, tax }) => [net, tax]), subtotal, tax, subtotal + tax]
  if (subtotal + tax < 0n || !values.every(isSafe)) return { ok: false, refused: 'invoice_total_out_of_range' }
  return {
    ok: true,
    sums: {
      lines: amounts.map((amount, at) => ({ amountMinor: Number(amount), netMinor: Number(nets[at]) })),
      ...sumTaxes(taxes),
    },
  }
}

/** The sums of a document whose values are known to be safe integers. */
export const sumTaxes = (taxes: readonly (TaxRate & Taxed)[]): DocumentSums => {
  const [subtotal, tax] = [sumBigints(taxes.map(({ net }) => net)), sumBigints(taxes.map(({ tax }) => tax))]
  return {
    taxes: taxes.map(({ taxCategory, taxRateBps, net, tax }) => ({
      ...{ taxCategory, taxRateBps, netMinor: Number(net), taxMinor: Number(tax) },
    })),
    subtotalMinor: Number(subtotal),
    taxMinor: Number(tax),
    totalMinor: Number(subtotal + tax),
  }
}

export type Taxed = { readonly net: bigint; readonly tax: bigint }

/** The tax on an amount, which contains it if prices are inclusive. */
export const taxOn = (amount: bigint, { taxRateBps }: TaxRate, taxBehavior: TaxBehavior): Taxed => {
  const rate = BigInt(taxRateBps)
  if (taxBehavior === 'exclusive') return { net: amount, tax: divideRounded(amount * rate, WHOLE_BPS) }
  const net = divideRounded(inBps(amount), WHOLE_BPS + rate)
  return { net, tax: amount - net }
}

export const WHOLE_BPS = 10_000n

const inBps = (amount: bigint): bigint => amount * WHOLE_BPS

type RateGroup = {
  readonly rate: TaxRate
  /** The positions of its lines. */
  readonly at: readonly number[]
}

/** In the order in which the rates first occur. */
export const groupByRate = (lines: readonly TaxRate[]): readonly RateGroup[] => {
  const groups = new Map<string, { rate: TaxRate; at: number[] }>()
  for (const [index, { taxCategory, taxRateBps }] of lines.entries()) {
    const key = rateKey({ taxCategory, taxRateBps })
    const group = groups.get(key) ?? { rate: { taxCategory, taxRateBps }, at: [] }
    group.at.push(index)
    groups.set(key, group)
  }
  return [...groups.values()]
}

export const rateKey = ({ taxCategory, taxRateBps }: TaxRate): string => `${taxCategory} ${taxRateBps}`

const isSafe = (value: bigint): boolean => value >= -MOST && value <= MOST

const MOST = BigInt(Number.MAX_SAFE_INTEGER)
