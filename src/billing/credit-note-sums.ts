import {
  type DocumentSums,
  groupByRate,
  type PricedLine,
  rateKey,
  sumTaxes,
  type TaxBehavior,
  type Taxed,
  type TaxRate,
  type TaxSum,
  taxOn,
  WHOLE_BPS,
} from './invoice-sums.ts'
import { amountOf, millionthsOf, quantityOf } from './quantity.ts'
import { divideDown, divideUp, sumBigints } from './rounding.ts'

type InvoicedLine = PricedLine & { readonly id: string; readonly amountMinor: number }

export type CreditableInvoice = {
  readonly lines: readonly InvoicedLine[]
  readonly taxes: readonly TaxSum[]
  readonly totalMinor: number
  readonly taxBehavior: TaxBehavior
}

/** `quantity` is null if the line was credited by amount. */
export type CreditedLine = {
  readonly lineId: string
  readonly quantity: string | null
  readonly amountMinor: number
}

export type IssuedNote = {
  readonly lines: readonly CreditedLine[]
  readonly taxes: readonly TaxSum[]
  readonly totalMinor: number
}

export type CreditRequest =
  | { readonly whole: true }
  | {
      readonly lines: readonly {
        readonly lineId: string
        readonly quantity?: string
        readonly amountMinor?: number
      }[]
    }

export type CreditNoteSums = DocumentSums & { readonly lines: readonly CreditedLine[] }

export type SummedCreditNote =
  | { readonly ok: true; readonly sums: CreditNoteSums }
  | {
      readonly ok: false
      readonly refused: 'credit_note_exceeds_invoice' | 'parameter_invalid'
      readonly param?: string
    }

/**
 * The sums of a credit note after those that were issued for the same invoice. Notes that credit the whole invoice add up to
 * it, for each line and each tax. `whole`: everything that is not credited yet.
 */
export const sumCreditNote = (
  invoice: CreditableInvoice,
  issued: readonly IssuedNote[],
  request: CreditRequest,
): SummedCreditNote => {
  const lines = 'whole' in request ? restOfLines(invoice, issued) : creditLines(invoice, issued, request.lines)
  if (!Array.isArray(lines)) return { ok: false, ...lines }
  const sums = sumTaxes(taxesOf(invoice, issued, lines))
  const credited = sums.totalMinor + issued.reduce((sum, { totalMinor }) => sum + totalMinor, 0)
  // A note over a discount alone would ask the customer for more, and one without the discount would give back too much.
  const exceeds = lines.length === 0 || sums.totalMinor < 0 || credited > invoice.totalMinor
  return exceeds ? { ok: false, refused: 'credit_note_exceeds_invoice' } : { ok: true, sums: { ...sums, lines } }
}

type Fault = { readonly refused: 'credit_note_exceeds_invoice' | 'parameter_invalid'; readonly param: string }

const creditLines = (
  { lines }: CreditableInvoice,
  issued: readonly IssuedNote[],
  requested: Extract<CreditRequest, { lines: unknown }>['lines'],
): CreditedLine[] | Fault => {
  const credited: CreditedLine[] = []
  for (const [at, { lineId, quantity, amountMinor }] of requested.entries()) {
    const line = lines.find(({ id }) => id === lineId)
    const isRepeated = credited.some(each => each.lineId === lineId)
    if (!line || isRepeated) return { refused: 'parameter_invalid', param: `lines.${at}.lineId` }
    if ((quantity === undefined) === (amountMinor === undefined))
      return { refused: 'parameter_invalid', param: `lines.${at}` }
    const rest = restOf(line, issued)
    const credit = quantity === undefined ? byAmount(lineId, amountMinor ?? 0) : byQuantity(line, rest, quantity)
    if (!isWithin(credit, rest))
      return {
        refused: 'credit_note_exceeds_invoice',
        param: `lines.${at}.${quantity === undefined ? 'amountMinor' : 'quantity'}`,
      }
    credited.push(credit)
  }
  return credited
}

/** What is not credited yet. */
type Rest = { readonly amount: bigint; readonly millionths: bigint; readonly hasAmounts: boolean }

const restOf = (line: InvoicedLine, issued: readonly IssuedNote[]): Rest => {
  const before = issued.flatMap(({ lines }) => lines.filter(({ lineId }) => lineId === line.id))
  const quantities = before.flatMap(({ quantity }) => (quantity === null ? [] : [millionthsOf(quantity)]))
  return {
    amount: BigInt(line.amountMinor) - sumBigints(before.map(({ amountMinor }) => BigInt(amountMinor))),
    millionths: millionthsOf(line.quantity) - sumBigints(quantities),
    hasAmounts: quantities.length < before.length,
  }
}

const byAmount = (lineId: string, amountMinor: number): CreditedLine => ({ lineId, quantity: null, amountMinor })

/** The difference of two rounded amounts, so that the parts of a line add up to its amount. */
const byQuantity = (line: InvoicedLine, { millionths }: Rest, quantity: string): CreditedLine => {
  const before = millionthsOf(line.quantity) - millionths
  const after = before + millionthsOf(quantity)
  const amount = amountOf(after, line.unitAmountMinor) - amountOf(before, line.unitAmountMinor)
  return { lineId: line.id, quantity, amountMinor: Number(amount) }
}

/** With the sign of the rest and no further from zero; a quantity also within the rest of the quantity. */
const isWithin = ({ quantity, amountMinor }: CreditedLine, rest: Rest): boolean => {
  const amount = BigInt(amountMinor)
  const fits = rest.amount < 0n ? amount <= 0n && amount >= rest.amount : amount >= 0n && amount <= rest.amount
  return fits && (quantity === null ? amount !== 0n : millionthsOf(quantity) <= rest.millionths)
}

/** A line that was credited by amount has no quantity left: only its amount is known. */
const restOfLines = ({ lines }: CreditableInvoice, issued: readonly IssuedNote[]): CreditedLine[] =>
  lines.flatMap(line => {
    const { amount, millionths, hasAmounts } = restOf(line, issued)
    const isCredited = amount === 0n && (hasAmounts || millionths === 0n)
    const quantity = hasAmounts || millionths === 0n ? null : quantityOf(millionths)
    return isCredited ? [] : [{ lineId: line.id, quantity, amountMinor: Number(amount) }]
  })

const taxesOf = (
  { lines, taxes, taxBehavior }: CreditableInvoice,
  issued: readonly IssuedNote[],
  credited: readonly CreditedLine[],
): readonly (TaxRate & Taxed)[] =>
  groupByRate(lines).flatMap(({ rate, at }) => {
    const ids = new Set(at.map(each => lines[each]?.id))
    const own = (of: readonly CreditedLine[]) => of.filter(({ lineId }) => ids.has(lineId))
    const amountIn = (of: readonly { readonly amountMinor: number }[]) =>
      sumBigints(of.map(({ amountMinor }) => BigInt(amountMinor)))
    const taxIn = (of: readonly TaxSum[]) =>
      sumBigints(of.filter(each => rateKey(each) === rateKey(rate)).map(({ taxMinor }) => BigInt(taxMinor)))
    const now = own(credited)
    if (now.length === 0) return []
    const amount = amountIn(now)
    const tax = creditedTax(rate, taxBehavior, {
      amount,
      before: amountIn(own(issued.flatMap(note => note.lines))),
      all: amountIn(at.flatMap(each => lines[each] ?? [])),
      taxBefore: taxIn(issued.flatMap(note => note.taxes)),
      taxOfAll: taxIn(taxes),
    })
    return [{ ...rate, net: taxBehavior === 'exclusive' ? amount : amount - tax, tax }]
  })

type Credit = {
  readonly amount: bigint
  readonly before: bigint
  readonly all: bigint
  readonly taxBefore: bigint
  readonly taxOfAll: bigint
}

/**
 * The tax on the amount of this note. The note that completes the rate takes the remainder. So that the remainder stays
 * small after many small notes, all notes together are never a whole minor unit away from the exact tax.
 */
const creditedTax = (rate: TaxRate, taxBehavior: TaxBehavior, credit: Credit): bigint => {
  const { amount, before, all, taxBefore, taxOfAll } = credit
  const after = before + amount
  if (after === all) return taxOfAll - taxBefore
  const bps = BigInt(rate.taxRateBps)
  const by = taxBehavior === 'exclusive' ? WHOLE_BPS : WHOLE_BPS + bps
  const [least, most] = [divideDown(after * bps, by) - taxBefore, divideUp(after * bps, by) - taxBefore]
  const { tax } = taxOn(amount, rate, taxBehavior)
  if (tax < least) return least
  if (tax > most) return most
  return tax
}
