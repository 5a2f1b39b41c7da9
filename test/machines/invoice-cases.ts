import { invoiceMachine } from '../../machines/invoice.ts'
import type { InvoiceContent, InvoiceIssue, InvoiceLine, InvoiceOpening } from '../../machines/invoice-events.ts'
import { largestMetadata, largestText, MAX_AMOUNT } from './largest.ts'
import { type Cases, minutes } from './table.ts'

const line: InvoiceLine = {
  id: 'line 1',
  description: 'A lamp',
  quantity: '1',
  unitAmountMinor: 1000,
  amountMinor: 1000,
  taxRateBps: 0,
  taxCategory: 'zero',
  taxNote: null,
  periodStart: null,
  periodEnd: null,
}

const content: InvoiceContent = {
  customerId: '0193a000-0000-7000-8000-00000000000e',
  currency: 'USD',
  taxBehavior: 'exclusive',
  lines: [line],
  taxes: [{ taxCategory: 'zero', taxRateBps: 0, netMinor: 1000, taxMinor: 0 }],
  subtotalMinor: 1000,
  taxMinor: 0,
  totalMinor: 1000,
  daysUntilDue: null,
  dueDate: null,
  reference: 'order 7',
  orderNumber: null,
  notes: null,
  assets: null,
  reminderOffsets: null,
  metadata: {},
}

/** Of a subscription. */
const firstPeriod = {
  ...{ subscriptionId: '0193a000-0000-7000-8000-000000000014', periodIndex: 0 },
  ...{ periodStart: minutes(0), periodEnd: minutes(44_640) },
}

const noPeriod = { subscriptionId: null, periodIndex: null, periodStart: null, periodEnd: null }

export const invoiceOpening: InvoiceOpening = {
  ...content,
  ...noPeriod,
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  apiVersion: '2026-11-20',
  testClockId: null,
}

const token = (digit: string) => ({ tokenHash: digit.repeat(64), sealedToken: `sealed ${digit}` })

/** The first invoice of a customer who has subscribed on the page of a plan. */
const payableOpening: InvoiceOpening = {
  ...{ ...invoiceOpening, ...firstPeriod, periodStart: null, periodEnd: null },
  page: { paymentLinkId: '0193a000-0000-7000-8000-000000000002', ...token('b') },
}

/** Issued at T0 and due in a day, with a reminder in an hour and one in two days. */
export const invoiceIssue: InvoiceIssue = {
  number: 'TEST-INV-2026-0001',
  seriesId: '0193a000-0000-7000-8000-000000000011',
  sequence: 1,
  issuedAt: minutes(0),
  issueDate: '2026-11-20',
  dueDate: '2026-11-21',
  dueAt: minutes(1440),
  seller: { legalName: 'Lamps Ltd', address: null, taxId: null },
  customer: { email: 'ada@example.com', name: null, company: null, taxId: null, address: null, locale: null },
  partySalt: '0'.repeat(32),
  partyHash: 'e'.repeat(64),
  documentHash: 'a'.repeat(64),
  previousDocumentHash: null,
  reminders: [
    { offsetDays: -1, at: minutes(60).toISOString(), sentAt: null },
    { offsetDays: 1, at: minutes(2880).toISOString(), sentAt: null },
  ],
  retainedUntil: minutes(14_400),
  creditAppliedMinor: 0,
  paymentLinkId: '0193a000-0000-7000-8000-000000000002',
  ...token('b'),
}

const finalize = (more: Partial<InvoiceIssue> = {}) => ({ type: 'finalize', ...invoiceIssue, ...more })
const counted = (countedMinor: number, more: object = {}) => ({
  ...{ type: 'money_counted', paymentId: 'payment 1', countedMinor, processedMinor: 0, givesNoCredit: false },
  ...more,
})

const refund = (type: string, refundsReservedMinor: number, creditMinor = 0) => ({
  ...{ type, paymentId: 'payment 1', amountMinor: 100, refundsReservedMinor, receivedMinor: 1100, creditMinor },
  ...{ givesNoCredit: false, isOfCreditNote: false, isCanceled: false },
})

export const firstNote = '0193a000-0000-7000-8000-000000000012'
export const secondNote = '0193a000-0000-7000-8000-000000000013'

const credited = (dueReducedMinor: number, refundedMinor?: number) => ({
  ...{ type: 'credit_note_issued', creditNoteId: firstNote, dueReducedMinor, retainedUntil: minutes(14_399) },
  refunds: refundedMinor === undefined ? [] : [{ paymentId: 'payment 1', amountMinor: refundedMinor }],
})

/** An invoice over 1,000. */
export const invoices: Cases = {
  machine: invoiceMachine,
  input: { ...invoiceOpening, ...firstPeriod },
  events: {
    update: { type: 'update', content: { ...content, reference: 'order 8' } },
    delete: { type: 'delete' },
    discard: { type: 'discard' },
    finalize: finalize(),
    'finalize with credit': finalize({ creditAppliedMinor: 300 }),
    'finalize with all credit': finalize({ creditAppliedMinor: 1000, paymentLinkId: null }),
    'finalize without link': finalize({ paymentLinkId: null }),
    'after dueDate': { type: 'xstate.after' },
    'after reminder': { type: 'xstate.after' },
    'read to due date': { type: 'due_date_passed', scannedTo: minutes(1440) },
    'read past due date': { type: 'due_date_passed', scannedTo: minutes(1441) },
    'read to reminder': { type: 'reminder_passed', offsetDays: -1, scannedTo: minutes(60) },
    'read past reminder': { type: 'reminder_passed', offsetDays: -1, scannedTo: minutes(61) },
    'other reminder': { type: 'reminder_passed', offsetDays: 5, scannedTo: minutes(9_000) },
    remind: { type: 'remind' },
    'remind after 59 minutes': { type: 'remind', at: minutes(59) },
    'remind after an hour': { type: 'remind', at: minutes(60) },
    'processing 400': { type: 'payment_processing', amountMinor: 400 },
    'reverted 400': { type: 'payment_reverted', amountMinor: 400 },
    '400 counts': counted(400, { processedMinor: 400 }),
    '1000 counts': counted(1000),
    '1100 counts': counted(1100),
    '600 of another': counted(600, { paymentId: 'payment 2' }),
    'refund 100': refund('refund_reserved', 100, 100),
    'refund 300 with credit 40': refund('refund_reserved', 300, 40),
    'refund 1100 with credit 40': refund('refund_reserved', 1100, 40),
    'give up refund': refund('refund_released', 0),
    'refunded 100': refund('refund_processed', 100),
    'mark uncollectible': { type: 'mark_uncollectible' },
    'credit 400': credited(400),
    'credit 600': credited(600),
    'credit 1000': credited(1000),
    'credit 0': credited(0),
    'credit 0 by refund of 400': credited(0, 400),
    'credit 0 by refund of 401': credited(0, 401),
    'credit 600 by refund of 400': credited(600, 400),
    void: { type: 'void', reason: 'a mistake', creditNoteId: secondNote, retainedUntil: minutes(14_401) },
    'rotate url': { type: 'rotate_url', ...token('c') },
  },
  situations: {
    draft: '',
    open: 'finalize',
    'with credit': 'finalize with credit',
    due: 'finalize, after dueDate',
    overdue: 'finalize, after dueDate, read past due date',
    reminded: 'finalize, after reminder, read past reminder',
    requested: 'finalize, remind',
    processing: 'finalize, processing 400',
    partial: 'finalize, processing 400, 400 counts',
    uncollectible: 'finalize, mark uncollectible',
    'nothing due': 'finalize with all credit',
    paid: 'finalize, processing 400, 400 counts, 600 of another',
    overpaid: 'finalize, 1100 counts',
    refunding: 'finalize, 1100 counts, refund 100',
    credited: 'finalize, credit 400',
    'credited fully': 'finalize, processing 400, 400 counts, credit 600',
    'credited by refund': 'finalize, processing 400, 400 counts, credit 600 by refund of 400',
    void: 'finalize, void',
    deleted: 'delete',
  },
  minSteps: 60,
  walk: { minSteps: 500, inputs: [invoiceOpening, payableOpening] },
  invalidRows: `
    draft         | livemode = true, test_clock_id = gen_random_uuid() | invoices_test_clock
    draft         | state = 'sent'                                              | invoices_state
    draft         | currency = 'dollar'                                         | invoices_currency
    draft         | tax_behavior = 'none'                                       | invoices_tax_behavior
    draft         | lines = '[]'                                                | invoices_lines
    draft         | reference = repeat('a', 201)                                | invoices_texts
    draft         | order_number = repeat('a', 201)                             | invoices_texts
    draft         | notes = repeat('a', 2001)                                   | invoices_texts
    void          | void_reason = repeat('a', 1001)                             | invoices_texts
    draft         | subtotal_minor = -1, total_minor = -1                       | invoices_total
    draft         | tax_minor = 1                                               | invoices_total
    draft         | credit_applied_minor = 1                                    | invoices_amounts
    open          | amount_paid_minor = 1000                                    | invoices_amounts
    open          | credit_notes_minor = -1                                     | invoices_amounts
    open          | amount_processing_minor = -1                                | invoices_amounts
    open          | amount_overpaid_minor = -1                                  | invoices_amounts
    uncollectible | credit_applied_minor = 1000                                 | invoices_amounts
    paid          | amount_paid_minor = 999                                     | invoices_amounts
    overpaid      | amount_paid_minor = 1001                                    | invoices_amounts
    void          | credit_notes_minor = 0                                      | invoices_amounts
    deleted       | total_minor = 1, subtotal_minor = 1                         | invoices_amounts
    draft         | subscription_id = null                                      | invoices_period
    draft         | period_index = null                                         | invoices_period
    draft         | period_index = -1                                           | invoices_period
    draft         | period_end = null                                           | invoices_period
    draft         | period_end = period_start                                   | invoices_period
    draft         | subscription_id = null, period_index = null                 | invoices_period
    draft         | days_until_due = 366                                        | invoices_due_terms
    draft         | days_until_due = 1, due_date = '2026-11-21'                 | invoices_due_terms
    draft         | due_date = 'tomorrow'                                       | invoices_due_terms
    draft         | number = 'INV-1'                                            | invoices_issued
    draft         | retained_until = now()                                      | invoices_issued
    draft         | payment_link_id = gen_random_uuid()                         | invoices_payable_draft
    draft         | payment_link_id = gen_random_uuid(), token_hash = repeat('d', 64), sealed_token = 'd', subscription_id = null, period_index = null, period_start = null, period_end = null | invoices_payable_draft
    deleted       | token_hash = repeat('d', 64)                                | invoices_payable_draft
    open          | number = null                                               | invoices_issued
    open          | due_date = null                                             | invoices_issued
    open          | issue_date = 'today'                                        | invoices_issue_date
    open          | issue_date = '2026-11-22'                                   | invoices_issue_date
    open          | sequence = 0                                                | invoices_sequence
    open          | document_hash = 'A'                                         | invoices_hashes
    open          | token_hash = 'b'                                            | invoices_hashes
    open          | previous_document_hash = 'b'                                | invoices_hashes
    open          | party_salt = null                                           | invoices_parties
    open          | customer = null, party_salt = null                          | invoices_parties
    open          | party_hash = null                                           | invoices_issued
    open          | party_hash = 'e'                                            | invoices_hashes
    uncollectible | overdue = true                                              | invoices_overdue
    open          | reminders_passed = 3                                        | invoices_reminders
    paid          | paid_at = null                                              | invoices_paid
    open          | paid_at = now()                                             | invoices_paid
    void          | voided_at = null                                            | invoices_void
    open          | void_reason = 'a mistake'                                   | invoices_void
  `,
  duplicates: `
    open | token_hash = repeat('d', 64), period_index = 1 | sequence = 2, token_hash = repeat('d', 64), period_index = 1 | invoices_sequence_once
    open | sequence = 2, period_index = 1                 | token_hash = repeat('d', 64), sequence = 2, period_index = 1 | invoices_token_once
    open | sequence = 2, token_hash = repeat('d', 64)     | token_hash = repeat('d', 64), sequence = 2, period_index = 1 | invoices_period_once
    draft | id = id                                       | state = 'deleted', lines = '[]', subtotal_minor = 0, total_minor = 0 | invoices_period_once
  `,
  largest: {
    ...{ metadata: largestMetadata, reference: largestText(200), orderNumber: largestText(200) },
    // What the route accepts: 8 KiB of JSON.
    notes: largestText(1_365),
    creditNoteIds: Array(51).fill(firstNote),
    assets: Array.from({ length: 20 }, () => ({ chainId: MAX_AMOUNT, asset: 'x'.repeat(20) })),
    ...{ subtotalMinor: -MAX_AMOUNT, taxMinor: MAX_AMOUNT, totalMinor: MAX_AMOUNT, creditAppliedMinor: MAX_AMOUNT },
    ...{ creditNotesMinor: MAX_AMOUNT, amountPaidMinor: MAX_AMOUNT, amountOverpaidMinor: MAX_AMOUNT },
    ...{
      amountRefundedMinor: MAX_AMOUNT,
      uncreditedRefundsMinor: MAX_AMOUNT,
      amountProcessingMinor: 10n ** 78n - 1n,
      number: largestText(60),
    },
  },
}
