import { describe, expect, test } from 'bun:test'
import { sumInvoice } from '../../../src/billing/invoice-sums.ts'
import {
  changedFields,
  hasFaults,
  type InvoiceDraft,
  invoiceBodyOf,
  invoiceChangesIn,
  invoiceDraftOf,
  invoiceFaultsIn,
  type LineDraft,
  lineFaultsIn,
  newCustomer,
  newInvoiceDraft,
  newLine,
  sumDraft,
  typedFaultsIn,
} from '../../../src/web/dashboard/invoices/invoice-draft.ts'
import { plainSigned, signedAmountOf } from '../../../src/web/dashboard/invoices/signed-amount.ts'
import { quantityIn } from '../../../src/web/dashboard/invoices/typed-quantity.ts'
import { addressDraftOf } from '../../../src/web/dashboard/postal-address/address-draft.ts'
import { billingSettings, invoices, largeDraft } from './samples.ts'

test.each<[text: string, minor: number | undefined]>([
  ['49', 4_900],
  ['49,5', 4_950],
  ['-49.00', -4_900],
  ['−1.234,50', -123_450],
  ['– 5', -500],
  ['0', 0],
  ['-0,00', 0],
  ['0.001', undefined],
  ['', undefined],
  ['-', undefined],
  ['--5', undefined],
  ['1e3', undefined],
  ['90071992547409.91', Number.MAX_SAFE_INTEGER],
  ['-90071992547409.91', -Number.MAX_SAFE_INTEGER],
  ['90071992547409.92', undefined],
])('the price %p is %p in minor units', (text, minor) => {
  expect(signedAmountOf(text)).toBe(minor)
})

test.each([0, 1, -1, -4_950, 123_456, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])(
  'the price of %p minor units is shown so that it is read again',
  minor => {
    expect(signedAmountOf(plainSigned(minor))).toBe(minor)
  },
)

test.each<[text: string, quantity: string | undefined]>([
  ['1', '1'],
  [' 1,5 ', '1.5'],
  ['0.000001', '0.000001'],
  ['0,0000001', undefined],
  ['0', undefined],
  ['0.0', undefined],
  ['-1', undefined],
  // A thousand or one and a half: nothing is guessed.
  ['1,500', undefined],
  ['1.500', '1.500'],
  ['1.000,5', undefined],
  ['1 000', undefined],
  ['9999999999999999', '9999999999999999'],
  ['10000000000000000', undefined],
])('the quantity %p is %p', (text, quantity) => {
  expect(quantityIn(text)).toBe(quantity)
})

const line = (more: Partial<LineDraft> = {}): LineDraft => ({
  ...newLine(billingSettings),
  ...{ description: 'Lantern', unitAmount: '10.00', ...more },
})

describe('the faults of a line', () => {
  test.each<[more: Partial<LineDraft>, faults: object]>([
    [{}, {}],
    [{ description: '  ' }, { description: 'empty' }],
    [{ quantity: '0' }, { quantity: 'wrong' }],
    [{ unitAmount: 'ten' }, { unitAmountMinor: 'wrong' }],
    [{ unitAmount: '-10' }, {}],
    [{ taxRate: '100' }, {}],
    [{ taxRate: '100.01' }, { taxRateBps: 'wrong' }],
    [{ taxRate: '' }, { taxRateBps: 'wrong' }],
    // Other categories have no rate, whatever was typed before.
    [{ taxRate: 'x', taxCategory: 'zero' }, {}],
    [{ taxCategory: 'exempt' }, { taxNote: 'empty' }],
    [{ taxCategory: 'reverse_charge', taxNote: ' ' }, { taxNote: 'empty' }],
    [{ taxCategory: 'reverse_charge', taxNote: 'Article 196' }, {}],
    [{ taxCategory: 'outside' }, {}],
    [{ periodStart: '2026-11-31' }, { periodStart: 'wrong' }],
    [{ periodStart: '2026-11-30', periodEnd: '2026-11-29' }, { periodEnd: 'order' }],
    [{ periodStart: '2026-11-30', periodEnd: '2026-11-30' }, {}],
    [{ periodEnd: '2026-11-29T00:00:00.000Z' }, {}],
  ])('%p: %p', (more, faults) => {
    expect<object>(lineFaultsIn(line(more))).toEqual(faults)
  })
})

const beganAddress = Object.assign(newCustomer('ada@example.com'), {
  address: { ...addressDraftOf(null), city: 'Köln' },
})

const draft = (more: Partial<InvoiceDraft> = {}): InvoiceDraft => ({
  ...newInvoiceDraft(billingSettings, { by: 'search', id: 'cus_1' }),
  ...{ lines: [line()], ...more },
})

test.each<[more: Partial<InvoiceDraft>, isWrong: boolean]>([
  [{}, false],
  [{ customer: { by: 'search', id: undefined } }, true],
  [{ customer: newCustomer('ada') }, true],
  [{ customer: newCustomer('ada@example.com') }, false],
  [{ customer: beganAddress }, true],
  [{ due: { by: 'days', days: '366', date: '' } }, true],
  [{ due: { by: 'days', days: '365', date: '' } }, false],
  [{ due: { by: 'settings', days: 'x', date: 'x' } }, false],
  [{ due: { by: 'date', days: '', date: '' } }, true],
  [{ assets: [] }, true],
  [{ metadata: [{ key: '', value: 'a' }] }, true],
  [{ lines: [line(), line({ quantity: '' })] }, true],
])('a draft with %p is refused before it is sent: %p', (more, isWrong) => {
  expect(hasFaults(invoiceFaultsIn(draft(more)))).toBe(isWrong)
})

test.each<[typed: Partial<LineDraft>, faults: object]>([
  [{ quantity: '12.5 hours' }, { quantity: 'text' }],
  [{ quantity: '12.' }, {}],
  [{ quantity: '' }, {}],
  [{ unitAmount: '49 EUR' }, { unitAmountMinor: 'wrong' }],
  [{ unitAmount: '-' }, {}],
  [{ taxRate: '19 %' }, { taxRateBps: 'wrong' }],
  [{ taxRate: '101' }, {}],
])('while %p is typed, its faults are %p', (typed, faults) => {
  expect(typedFaultsIn({ ...newLine(billingSettings), ...typed })).toEqual(faults)
})

test('what is not given is sent as null, so that the invoice says what the form shows', () => {
  const { key: _, ...typed } = line()
  expect(typed).toMatchObject({ quantity: '1', taxRate: '19' })
  expect(invoiceBodyOf(draft())).toEqual({
    ...{ customerId: 'cus_1', currency: 'EUR', taxBehavior: 'exclusive', daysUntilDue: null, dueDate: null },
    lines: [
      {
        ...{ description: 'Lantern', quantity: '1', unitAmountMinor: 1_000, taxRateBps: 1_900 },
        ...{ taxCategory: 'standard', taxNote: null, periodStart: null, periodEnd: null },
      },
    ],
    ...{ reference: null, orderNumber: null, notes: null, assets: null, reminders: null, metadata: {} },
  })
})

test('a draft of the server is shown so that saving it without an edit changes nothing', () => {
  for (const saved of [invoices.draft, largeDraft, { ...invoices.draft, dueDate: '2026-12-24' }]) {
    const shown = invoiceDraftOf(saved, billingSettings)
    expect(changedFields(shown, shown)).toEqual([])
    const { lines, daysUntilDue, dueDate, reminders } = invoiceBodyOf(shown)
    expect(lines).toEqual(saved.lines.map(({ id: _, amountMinor: __, ...each }) => each))
    expect({ daysUntilDue, dueDate, reminders }).toEqual({
      ...{ daysUntilDue: saved.daysUntilDue, dueDate: saved.dueDate, reminders: saved.reminderOffsets },
    })
  }
})

test('only what differs is sent: an edit that was taken back is none', () => {
  const saved = invoiceDraftOf(invoices.draft, billingSettings)
  expect(invoiceChangesIn({ notes: saved.notes, reference: 'order 7' }, saved)).toEqual({ reference: 'order 7' })
  expect(invoiceChangesIn({ due: { by: 'date', days: '14', date: '2026-12-24' } }, saved)).toEqual({
    ...{ daysUntilDue: null, dueDate: '2026-12-24' },
  })
})

test('the sums are those of the server, and what is wrong or missing counts as nothing', () => {
  const { lines, ...rest } = largeDraft
  for (const taxBehavior of ['exclusive', 'inclusive'] as const) {
    const shown = invoiceDraftOf({ ...rest, lines, taxBehavior }, billingSettings)
    expect(sumDraft(shown)).toEqual(sumInvoice(lines, taxBehavior))
    const broken = [...shown.lines, line({ quantity: 'x' }), line({ unitAmount: '' })]
    const summed = sumDraft({ lines: broken, taxBehavior })
    const before = sumDraft(shown)
    expect(summed.ok && before.ok && summed.sums.totalMinor === before.sums.totalMinor).toBe(true)
  }
  expect(sumDraft(draft({ lines: [line({ unitAmount: '-1' })] })).ok).toBe(false)
})
