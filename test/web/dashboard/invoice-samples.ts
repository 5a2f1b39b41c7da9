import type { CreditNoteWithLines, InvoiceWithLines, PaymentWithCrypto } from '../../../src/web/api/calls.ts'
import { billingSettings, customers, merchantId, payments } from './samples.ts'

/** Invoices in each state, for pictures of their pages. */
type Line = InvoiceWithLines['lines'][number]

const line = (n: number, description: string, more: Partial<Line>): Line => ({
  ...{ id: `line_${n}`, description, quantity: '1', unitAmountMinor: 1_602, amountMinor: 1_602 },
  ...{ taxRateBps: 1_900, taxCategory: 'standard', taxNote: null, periodStart: null, periodEnd: null },
  ...more,
})

const lines = [
  line(1, 'Paper lantern, 60 cm', { quantity: '12', unitAmountMinor: 6_900, amountMinor: 82_800 }),
  line(2, 'Pendant cable, black, 3 m', { quantity: '12', unitAmountMinor: 1_650, amountMinor: 19_800 }),
  line(3, 'Shipping', {}),
]

const party: NonNullable<InvoiceWithLines['customer']> = {
  ...{ email: 'einkauf@hotel-seeblick.de', name: 'Anke Vogt', company: 'Hotel Seeblick GmbH', locale: 'de' },
  taxId: 'DE811907344',
  address: { line1: 'Seestraße 4', line2: null, postalCode: '88131', city: 'Lindau', state: null, country: 'DE' },
}

const hash = (pair: string) => `21bfdb89${pair.repeat(24)}2b9e2c44`
const day = (n: number) => `2026-11-${String(n).padStart(2, '0')}T09:00:00.000Z`

let count = 0
const invoice = (more: Partial<InvoiceWithLines>): InvoiceWithLines => {
  const n = ++count
  const id = `inv_06bt4m9x3kq7v5n2c8hd1wzs${String(n).padStart(2, '0')}`
  return {
    ...{ object: 'invoice', id, merchantId, customerId: customers[0]?.id ?? '' },
    ...{ number: `INV-2026-04${10 + n}`, status: 'open', overdue: false, currency: 'EUR', taxBehavior: 'exclusive' },
    ...{ subtotalMinor: 104_202, taxMinor: 19_798, totalMinor: 124_000, creditAppliedMinor: 0, creditNotesMinor: 0 },
    ...{ amountPaidMinor: 0, amountProcessingMinor: 0, amountDueMinor: 124_000, amountOverpaidMinor: 0 },
    ...{ amountRefundedMinor: 0, uncreditedRefundsMinor: 0, reference: null, orderNumber: 'HS-118', notes: null },
    ...{ issuedAt: '2026-11-11T10:20:00.000Z', issueDate: '2026-11-11', dueDate: '2026-12-01' },
    ...{ dueAt: '2026-12-01T22:59:59.999Z', paidAt: null, voidedAt: null },
    ...{ url: 'https://pay.lampsandlight.com/invoices/Hq3mT1n0v8c2k5z7x9w4b6', paymentLinkId: 'plink_06bt4m9x3kq7' },
    ...{
      assets: null,
      subscription: null,
      creditNoteIds: [],
      documentHash: hash('c4'),
      previousDocumentHash: hash('7e'),
    },
    ...{ retainedUntil: '2036-12-31T22:59:59.999Z', metadata: {}, livemode: true },
    ...{ createdAt: '2026-11-11T10:12:00.000Z', updatedAt: '2026-11-11T10:20:00.000Z', lines, allocations: [] },
    taxes: [{ taxCategory: 'standard', taxRateBps: 1_900, netMinor: 104_202, taxMinor: 19_798 }],
    ...{ daysUntilDue: null, reminderOffsets: null },
    seller: { legalName: 'Lamps & Light GmbH', address: billingSettings.address, taxId: 'DE123456789' },
    customer: party,
    reminders: [-3, 0, 7, 14].map(offsetDays => ({
      ...{ offsetDays, at: new Date(Date.parse('2026-12-01T08:00:00.000Z') + offsetDays * 86_400_000).toISOString() },
      sentAt: null,
    })),
    ...more,
  }
}

const draft: Partial<InvoiceWithLines> = {
  ...{ status: 'draft', number: null, issuedAt: null, issueDate: null, dueDate: null, dueAt: null, url: null },
  ...{ paymentLinkId: null, documentHash: null, previousDocumentHash: null, retainedUntil: null },
  ...{ seller: null, customer: null, reminders: [] },
}

const overdue: Partial<InvoiceWithLines> = {
  ...{ overdue: true, dueDate: '2026-11-15', dueAt: '2026-11-15T22:59:59.999Z' },
  reminders: [
    { offsetDays: 0, at: day(15), sentAt: day(15) },
    { offsetDays: 7, at: day(22), sentAt: day(22) },
    { offsetDays: 14, at: day(29), sentAt: null },
  ],
}

const paidBy = (name: string, amountMinor: number) => ({
  paymentId: payments[name]?.id ?? '',
  amountMinor,
  at: day(12),
})
const paid: Partial<InvoiceWithLines> = {
  ...{ status: 'paid', amountPaidMinor: 124_000, amountDueMinor: 0, paidAt: '2026-11-12T09:31:00.000Z' },
  allocations: [paidBy('paid', 80_000), paidBy('refunded', 44_000)],
}

const hundred = Array.from({ length: 100 }, (_, n) =>
  line(n + 1, `Part ${n + 1} of the chandelier in the hall of mirrors`, {
    ...{ quantity: '1.5', unitAmountMinor: 1_000 + n, amountMinor: 1_500 + Math.ceil(1.5 * n) },
    ...(n % 3 === 1 && { taxRateBps: 700 }),
    ...(n % 3 === 2 && {
      taxRateBps: 0,
      taxCategory: 'reverse_charge',
      taxNote: 'Article 196 of Directive 2006/112/EC',
    }),
    ...(n === 0 && { periodStart: '2026-10-01', periodEnd: '2026-10-31' }),
  }),
)

export const shownInvoices: Readonly<Record<string, InvoiceWithLines>> = {
  draft: invoice({ ...draft, orderNumber: null }),
  open: invoice({}),
  overdue: invoice(overdue),
  partly: invoice({
    ...{ ...overdue, amountPaidMinor: 80_000, amountDueMinor: 44_000, amountProcessingMinor: 12_800 },
    allocations: [paidBy('paid', 80_000)],
  }),
  paid: invoice(paid),
  overpaid: invoice({
    ...{ ...paid, amountOverpaidMinor: 4_250, amountRefundedMinor: 9_000, uncreditedRefundsMinor: 4_900 },
    ...{ creditAppliedMinor: 10_000, creditNotesMinor: 5_000, amountPaidMinor: 109_000 },
    allocations: [paidBy('paid', 80_000), paidBy('refunded', 29_000)],
    creditNoteIds: ['cn_06bt4m9x3kq7v5n2c8hd1wzr01'],
  }),
  void: invoice({
    ...{ status: 'void', creditNotesMinor: 124_000, amountDueMinor: 0, voidedAt: '2026-11-13T08:00:00.000Z' },
    creditNoteIds: ['cn_06bt4m9x3kq7v5n2c8hd1wzr02'],
  }),
  uncollectible: invoice({ status: 'uncollectible', dueDate: '2026-11-15' }),
  long: invoice({
    ...{
      lines: hundred,
      number: 'INV-2026-0000000004711',
      taxBehavior: 'inclusive',
      notes: 'Thank you.\nSee you soon.',
    },
    taxes: [
      { taxCategory: 'standard', taxRateBps: 1_900, netMinor: 44_000, taxMinor: 8_360 },
      { taxCategory: 'standard', taxRateBps: 700, netMinor: 44_000, taxMinor: 3_080 },
      { taxCategory: 'reverse_charge', taxRateBps: 0, netMinor: 24_560, taxMinor: 0 },
    ],
    ...{ reference: 'PO-2026-11-25/department-of-lighting/0000004711-revision-3', metadata: { project: 'mirrors' } },
    assets: [{ asset: 'EURC', chainId: 1 }],
  }),
}

/** The payments on the page of an invoice: those that have paid it, and expired ones for the whole. */
export const paymentsOfInvoice = ({ allocations, totalMinor }: InvoiceWithLines): readonly PaymentWithCrypto[] =>
  Object.values(payments).flatMap(payment => {
    const counted = allocations.find(({ paymentId }) => paymentId === payment.id)
    if (!counted && payment.status !== 'expired') return []
    return [{ ...payment, amountMinor: counted?.amountMinor ?? totalMinor }]
  })

export const invoiceHistory = [
  ['create', null, 'draft'],
  ['finalize', 'draft', 'open'],
  ['payment_processing', 'open', 'open'],
  ['due_date_passed', 'open', 'open'],
  ['money_counted', 'open', 'paid'],
]
  .map(([event, from, to], n) => ({
    ...{ object: 'transition', id: `inv_1:${n + 1}`, rev: n + 1, event, from, to, at: day(11 + n) },
    cause: {
      type: n < 2 ? 'member' : n === 3 ? 'timer' : 'chain',
      id: null,
      name: n < 2 ? 'anna.lang@lampsandlight.com' : 'Base',
    },
  }))
  .toReversed()

/** Without a quantity: of the line an amount was credited. */
const credited = (n: number, more: Partial<CreditNoteWithLines['lines'][number]>) => ({
  ...{ lineId: `line_${n}`, description: '', quantity: null, unitAmountMinor: null, amountMinor: 1_302 },
  ...{ taxRateBps: 1_900, taxCategory: 'standard' as const, taxNote: null, periodStart: null, periodEnd: null },
  ...more,
})

const creditNote = (
  { id: invoiceId, customerId, creditNoteIds: [id = ''] }: InvoiceWithLines,
  more: Partial<CreditNoteWithLines>,
): CreditNoteWithLines => ({
  ...{ object: 'credit_note', id, merchantId, invoiceId, customerId, number: 'CN-2026-0003', currency: 'EUR' },
  ...{ reason: 'product_unsatisfactory', subtotalMinor: 8_202, taxMinor: 1_558, totalMinor: 9_760 },
  ...{ dueReducedMinor: 5_000, creditMinor: 660, refundsMinor: 4_100, note: 'One lantern was damaged.' },
  ...{ refundIds: ['re_06bt4m9x3kq7v5n2c8hd1wzr01'], issuedAt: day(14), issueDate: '2026-11-14' },
  ...{ documentHash: hash('a1'), previousDocumentHash: hash('b2'), livemode: true },
  ...{ createdAt: day(14), updatedAt: day(14) },
  lines: [
    credited(1, { description: 'Paper lantern, 60 cm', quantity: '1', unitAmountMinor: 6_900, amountMinor: 6_900 }),
    credited(2, { description: 'Pendant cable, black, 3 m' }),
  ],
  taxes: [{ taxCategory: 'standard', taxRateBps: 1_900, netMinor: 8_202, taxMinor: 1_558 }],
  ...more,
})

/** The credit notes of the invoice that was overpaid, and of the one that is void. */
export const creditNotes: readonly CreditNoteWithLines[] = [
  shownInvoices.overpaid && creditNote(shownInvoices.overpaid, {}),
  shownInvoices.void &&
    creditNote(shownInvoices.void, {
      ...{ number: 'CN-2026-0002', reason: 'cancellation', subtotalMinor: 104_202, taxMinor: 19_798 },
      ...{ totalMinor: 124_000, dueReducedMinor: 124_000, creditMinor: 0, refundsMinor: 0, refundIds: [], note: null },
    }),
].filter(note => note !== undefined)
