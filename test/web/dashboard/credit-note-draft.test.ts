import { describe, expect, test } from 'bun:test'
import { readCreditedLines, restsOf, spreadRest } from '../../../src/web/dashboard/invoices/credit-note-draft.ts'
import { creditNotes, shownInvoices } from './invoice-samples.ts'

const [open] = Object.values(shownInvoices).filter(({ status }) => status === 'open')
if (!open) throw new Error('there is no open sample')
const discount = { ...open, lines: open.lines.map(line => ({ ...line, amountMinor: -line.amountMinor })) }
const typed = (kind: 'quantity' | 'amountMinor', text: string) => ({ line_1: { kind, text } })

describe('what is typed for a line', () => {
  test.each([
    ['quantity', '1,5', { lines: [{ lineId: 'line_1', quantity: '1.5' }] }],
    ['amountMinor', '15,00', { lines: [{ lineId: 'line_1', amountMinor: 1_500 }] }],
    ['amountMinor', ' ', { lines: [] }],
  ] as const)('%s %p is the request', (kind, text, request) => {
    expect(readCreditedLines(open, [], typed(kind, text))).toMatchObject({ request, faults: {} })
  })

  test('an amount of a discount is negative, however it is typed', () => {
    for (const text of ['15', '-15', '−15'])
      expect(readCreditedLines(discount, [], typed('amountMinor', text)).request).toEqual({
        lines: [{ lineId: 'line_1', amountMinor: -1_500 }],
      })
  })

  test.each([
    ['quantity', 'x', 'wrong'],
    ['quantity', '0', 'wrong'],
    ['quantity', '1,500', 'wrong'],
    ['amountMinor', '0', 'wrong'],
    ['quantity', '12.000001', 'exceeds'],
    ['amountMinor', '828.01', 'exceeds'],
  ] as const)('%s %p is said to be at fault: %s', (kind, text, fault) => {
    const { faults, summed } = readCreditedLines(open, [], typed(kind, text))
    expect([faults, summed?.ok ?? false]).toEqual([{ line_1: fault }, false])
  })
})

test('what is left of a line that was credited by amount is known by amount only', () => {
  const [note] = creditNotes
  if (!note) throw new Error('there is no sample')
  const line = { lineId: 'line_1', quantity: null, amountMinor: 2_800 }
  const issued = [{ ...note, lines: [line], taxes: [], totalMinor: 2_800 }] as unknown as typeof creditNotes
  expect(restsOf(open, issued)[0]).toEqual({ lineId: 'line_1', quantity: null, amountMinor: 80_000 })
  expect(restsOf(open, [])[0]).toEqual({ lineId: 'line_1', quantity: '12', amountMinor: 82_800 })
})

test('refunds fill the payments in their order', () => {
  expect(spreadRest(100, [60, 30, 30])).toEqual([60, 30, 10])
  expect(spreadRest(100, [60])).toEqual([60])
  expect(spreadRest(0, [60])).toEqual([0])
})
