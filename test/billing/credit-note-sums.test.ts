import { expect, test } from 'bun:test'
import { settleCreditNote } from '../../src/billing/credit-note-settlement.ts'
import {
  type CreditableInvoice,
  type CreditNoteSums,
  type CreditRequest,
  sumCreditNote,
} from '../../src/billing/credit-note-sums.ts'
import { type PricedLine, sumInvoice, type TaxBehavior, type TaxSum } from '../../src/billing/invoice-sums.ts'
import { millionthsOf, quantityOf } from '../../src/billing/quantity.ts'
import { oneOf, randomOf } from '../harness/random.ts'
import { randomLines } from './random-invoice.ts'

const invoiceOf = (lines: readonly PricedLine[], taxBehavior: TaxBehavior): CreditableInvoice | undefined => {
  const summed = sumInvoice(lines, taxBehavior)
  if (!summed.ok) return undefined
  const { lines: amounts, taxes, totalMinor } = summed.sums
  return {
    lines: lines.map((line, at) => ({ ...line, id: `l${at}`, amountMinor: amounts[at]?.amountMinor ?? 0 })),
    ...{ taxes, totalMinor, taxBehavior },
  }
}

const invoiceWith = (lines: readonly PricedLine[], taxBehavior: TaxBehavior = 'exclusive'): CreditableInvoice => {
  const invoice = invoiceOf(lines, taxBehavior)
  if (!invoice) throw new Error('The invoice is out of range')
  return invoice
}

const line = (unitAmountMinor: number, taxRateBps: number, quantity = '1'): PricedLine => ({
  ...{ quantity, unitAmountMinor, taxRateBps, taxCategory: 'standard' },
})

/** Issues the notes one after the other. */
const issue = (invoice: CreditableInvoice, requests: readonly CreditRequest[]): readonly CreditNoteSums[] => {
  const notes: CreditNoteSums[] = []
  for (const request of requests) {
    const summed = sumCreditNote(invoice, notes, request)
    if (!summed.ok) throw new Error(`${summed.refused} ${summed.param}`)
    notes.push(summed.sums)
  }
  return notes
}

const part = (amountMinor: number, lineId = 'l0'): CreditRequest => ({ lines: [{ lineId, amountMinor }] })
const some = (quantity: string, lineId = 'l0'): CreditRequest => ({ lines: [{ lineId, quantity }] })
const whole: CreditRequest = { whole: true }

test('a note over the whole invoice has its lines, taxes and total', () => {
  const invoice = invoiceWith([line(1999, 1900, '3'), line(500, 700, '0.5'), line(-100, 1900)])
  expect(issue(invoice, [whole])).toEqual([
    {
      lines: [
        { lineId: 'l0', quantity: '3', amountMinor: 5997 },
        { lineId: 'l1', quantity: '0.5', amountMinor: 250 },
        { lineId: 'l2', quantity: '1', amountMinor: -100 },
      ],
      taxes: invoice.taxes,
      ...{ subtotalMinor: 6147, taxMinor: 1138, totalMinor: 7285 },
    },
  ])
})

test('a note over a part has the tax of its rate, and the last one takes the remainder', () => {
  // 19 % of 333 is 63.27; of 999 it is 189.81.
  const notes = issue(invoiceWith([line(333, 1900, '3')]), [some('1'), part(333), whole])
  expect(notes.map(({ taxMinor, totalMinor }) => [taxMinor, totalMinor])).toEqual([
    [63, 396],
    [63, 396],
    [64, 397],
  ])
  expect(notes.map(({ lines }) => lines[0]?.quantity)).toEqual(['1', null, null])
})

test('inclusive prices: a part is of the gross amount', () => {
  const notes = issue(invoiceWith([line(9999, 1900)], 'inclusive'), [part(3333), part(3333), whole])
  expect(notes.map(({ subtotalMinor, taxMinor, totalMinor }) => [subtotalMinor, taxMinor, totalMinor])).toEqual([
    [2801, 532, 3333],
    [2801, 532, 3333],
    [2801, 532, 3333],
  ])
})

test('the remainder of many small notes stays small: no note has a negative or a swollen tax', () => {
  // Each half cent would be rounded up, or each 0.2 down.
  const up = issue(invoiceWith([line(40, 500)]), [part(10), part(10), part(10), whole])
  expect(up.map(({ taxMinor }) => taxMinor)).toEqual([1, 0, 1, 0])
  const down = issue(invoiceWith([line(10, 2000)]), [...Array(9).fill(part(1)), whole])
  expect(down.map(({ taxMinor }) => taxMinor)).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
  const gross = issue(invoiceWith([line(12, 2000)], 'inclusive'), [...Array(11).fill(part(1)), whole])
  expect(gross.every(({ subtotalMinor, taxMinor }) => subtotalMinor >= 0 && taxMinor >= 0)).toBe(true)
  expect(gross.reduce((sum, { taxMinor }) => sum + taxMinor, 0)).toBe(2)
})

test('parts by quantity add up to the amount of the line, although each of them is rounded', () => {
  // 2.5 × 1 is 3; five times 0.5 × 1 would be 5.
  const notes = issue(invoiceWith([line(1, 0, '2.5')]), Array(5).fill(some('0.5')))
  expect(notes.map(({ totalMinor }) => totalMinor)).toEqual([1, 0, 1, 0, 1])
})

type Exceeding = readonly [
  name: string,
  lines: readonly PricedLine[],
  before: readonly CreditRequest[],
  request: CreditRequest,
  param: string | null,
]

const exceeding: readonly Exceeding[] = [
  ['more than the amount of a line', [line(100, 0)], [], part(101), 'lines.0.amountMinor'],
  ['more than its quantity', [line(100, 0, '2')], [], some('2.000001'), 'lines.0.quantity'],
  ['more than the rest of the amount', [line(100, 0)], [part(60)], part(41), 'lines.0.amountMinor'],
  ['more than the rest of the quantity', [line(100, 0, '3')], [some('2')], some('2'), 'lines.0.quantity'],
  ['a quantity after its amount was credited', [line(100, 0, '2')], [part(150)], some('1'), 'lines.0.quantity'],
  ['a free line twice', [line(0, 0), line(9, 0)], [some('1')], some('1'), 'lines.0.quantity'],
  ['a negative amount of a line', [line(100, 0)], [], part(-1), 'lines.0.amountMinor'],
  ['nothing of a line', [line(100, 0)], [], part(0), 'lines.0.amountMinor'],
  ['a positive amount of a discount', [line(100, 0), line(-10, 0)], [], part(1, 'l1'), 'lines.0.amountMinor'],
  ['more than a discount', [line(100, 0), line(-10, 0)], [part(50)], part(-11, 'l1'), 'lines.0.amountMinor'],
  ['a discount alone', [line(100, 0), line(-10, 0)], [], part(-10, 'l1'), null],
  ['everything but the discount', [line(100, 0), line(-10, 0)], [], part(100), null],
  ['the whole a second time', [line(100, 0)], [whole], whole, null],
]

test.each([...exceeding])('%s exceeds the invoice', (_, lines, before, request, param) => {
  const invoice = invoiceWith(lines)
  const summed = sumCreditNote(invoice, issue(invoice, before), request)
  expect(summed).toEqual({ ok: false, refused: 'credit_note_exceeds_invoice', ...(param !== null && { param }) })
})

test('a line that is unknown, named twice, or has both or neither of quantity and amount is not valid', () => {
  const invoice = invoiceWith([line(100, 0)])
  const paramOf = (lines: Extract<CreditRequest, { lines: unknown }>['lines']) => sumCreditNote(invoice, [], { lines })
  const refused = (param: string) => ({ ok: false, refused: 'parameter_invalid', param }) as const
  expect(paramOf([{ lineId: 'l9', quantity: '1' }])).toEqual(refused('lines.0.lineId'))
  expect(paramOf([part(1), part(1)].flatMap(each => ('lines' in each ? each.lines : [])))).toEqual(
    refused('lines.1.lineId'),
  )
  expect(paramOf([{ lineId: 'l0' }])).toEqual(refused('lines.0'))
  expect(paramOf([{ lineId: 'l0', quantity: '1', amountMinor: 1 }])).toEqual(refused('lines.0'))
})

const randomRequest = (invoice: CreditableInvoice, random: () => number): CreditRequest => {
  const chosen = invoice.lines.filter(() => random() < 0.5)
  return {
    lines: chosen.map(({ id, amountMinor, quantity }) => {
      const share = BigInt(Math.floor(random() * 4) + 1)
      const millionths = millionthsOf(quantity) / share
      const byQuantity = random() < 0.5 && millionths > 0n
      return byQuantity
        ? { lineId: id, quantity: quantityOf(millionths) }
        : { lineId: id, amountMinor: Math.trunc(amountMinor * random() * 0.6) }
    }),
  }
}

const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

const taxTotal = (taxes: readonly TaxSum[], { taxCategory, taxRateBps }: TaxSum) => {
  const own = taxes.filter(each => each.taxCategory === taxCategory && each.taxRateBps === taxRateBps)
  return {
    ...{ taxCategory, taxRateBps },
    netMinor: totalOf(own.map(({ netMinor }) => netMinor)),
    taxMinor: totalOf(own.map(({ taxMinor }) => taxMinor)),
  }
}

test.each(['exclusive', 'inclusive'] as const)(
  '%s: the notes of a fully credited invoice add up to it, for each line and each tax',
  taxBehavior => {
    const seed = 381
    const random = randomOf(seed)
    const seen = { notes: 0, completed: 0, partial: 0 }
    for (let i = 0; i < 1_500; i++) {
      const invoice = invoiceOf(randomLines(random), taxBehavior)
      if (!invoice) continue
      const notes: CreditNoteSums[] = []
      const tries = oneOf([0, 1, 4, 12], random)
      for (let note = 0; note < tries; note++) {
        const summed = sumCreditNote(invoice, notes, randomRequest(invoice, random))
        if (summed.ok) notes.push(summed.sums)
      }
      seen.partial += notes.length
      const last = sumCreditNote(invoice, notes, whole)
      if (last.ok) notes.push(last.sums)
      seen.notes += notes.length
      seen.completed++
      const lines = notes.flatMap(note => note.lines)
      const taxes = notes.flatMap(note => note.taxes)
      expect({
        seed,
        i,
        lines: invoice.lines.map(({ id }) =>
          totalOf(lines.filter(each => each.lineId === id).map(each => each.amountMinor)),
        ),
        taxes: invoice.taxes.map(tax => taxTotal(taxes, tax)),
        total: totalOf(notes.map(({ totalMinor }) => totalMinor)),
      }).toEqual({
        seed,
        i,
        lines: invoice.lines.map(({ amountMinor }) => amountMinor),
        taxes: invoice.taxes.map(tax => ({ ...tax })),
        total: invoice.totalMinor,
      })
      for (const note of notes) {
        expect(note.totalMinor).toBeGreaterThanOrEqual(0)
        expect(note.totalMinor).toBe(note.subtotalMinor + note.taxMinor)
        // Each tax is less than one minor unit and a rounding away from its rate on its own amount.
        for (const { netMinor, taxMinor, taxRateBps } of note.taxes)
          expect(Math.abs(taxMinor - (netMinor * taxRateBps) / 10_000)).toBeLessThan(3.001)
      }
      expect(sumCreditNote(invoice, notes, whole)).toMatchObject({ ok: false, refused: 'credit_note_exceeds_invoice' })
    }
    expect(seen.completed).toBeGreaterThan(1_000)
    expect(seen.partial).toBeGreaterThan(1_000)
  },
)

const settlements: readonly [
  total: number,
  due: number,
  credit: number,
  refunds: readonly number[],
  settled: boolean,
][] = [
  [100, 100, 0, [], true],
  [100, 150, 0, [], true],
  [100, 150, 1, [], false],
  [100, 40, 60, [], true],
  [100, 40, 0, [60], true],
  [100, 40, 10, [20, 30], true],
  [100, 40, 0, [], false],
  [100, 40, 59, [], false],
  [100, 40, 0, [61], false],
  [100, 0, 0, [100], true],
  [0, 100, 0, [], true],
]

test.each([...settlements])(
  'a note over %i with %i due, credit %i and refunds %j',
  (totalMinor, due, creditMinor, refunds, ok) => {
    const settled = settleCreditNote({ totalMinor, amountDueMinor: due, creditMinor, refundsMinor: refunds })
    const dueReducedMinor = Math.min(totalMinor, due)
    expect(settled).toEqual(
      ok
        ? { ok, dueReducedMinor, refundsMinor: totalOf(refunds) }
        : { ok, refused: 'credit_note_not_settled', restMinor: totalMinor - dueReducedMinor },
    )
  },
)
