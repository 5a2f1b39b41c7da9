import { type CreditNote, creditNoteMachine } from '../../machines/credit-note.ts'
import { largestText, MAX_AMOUNT } from './largest.ts'
import { type Cases, minutes } from './table.ts'

/** Over 1,000, of which 300 were still due. */
export const creditNoteOpening: CreditNote = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  apiVersion: '2026-11-20',
  invoiceId: '0193a000-0000-7000-8000-000000000010',
  testClockId: null,
  customerId: '0193a000-0000-7000-8000-00000000000e',
  reason: 'order_change',
  currency: 'USD',
  taxBehavior: 'exclusive',
  lines: [
    {
      ...{ lineId: 'line_1', description: 'A lamp', quantity: '1', unitAmountMinor: 1000, amountMinor: 1000 },
      ...{ taxRateBps: 0, taxCategory: 'zero', taxNote: null, periodStart: null, periodEnd: null },
    },
  ],
  taxes: [{ taxCategory: 'zero', taxRateBps: 0, netMinor: 1000, taxMinor: 0 }],
  subtotalMinor: 1000,
  taxMinor: 0,
  totalMinor: 1000,
  dueReducedMinor: 300,
  creditMinor: 200,
  refundsMinor: 500,
  refundIds: ['0193a000-0000-7000-8000-000000000004'],
  note: null,
  number: 'TEST-CN-2026-0001',
  seriesId: '0193a000-0000-7000-8000-000000000011',
  sequence: 1,
  issuedAt: minutes(0),
  issueDate: '2026-11-20',
  documentHash: 'a'.repeat(64),
  previousDocumentHash: null,
}

export const creditNotes: Cases = {
  machine: creditNoteMachine,
  input: creditNoteOpening,
  events: {},
  situations: { issued: '' },
  table: '',
  minSteps: 0,
  walk: { minSteps: 0 },
  invalidRows: `
    issued | livemode = true, test_clock_id = gen_random_uuid() | credit_notes_test_clock
    issued | state = 'draft'                              | credit_notes_state
    issued | reason = 'mood'                              | credit_notes_reason
    issued | currency = 'dollar'                          | credit_notes_currency
    issued | tax_behavior = 'none'                        | credit_notes_tax_behavior
    issued | lines = '[]'                                 | credit_notes_lines
    issued | note = repeat('a', 2001)                     | credit_notes_note
    issued | tax_minor = 1                                | credit_notes_total
    issued | credit_minor = 201                           | credit_notes_settled
    issued | credit_minor = -300, refunds_minor = 1000    | credit_notes_settled
    issued | refund_ids = '[]'                            | credit_notes_settled
    issued | refunds_minor = 0, due_reduced_minor = 800   | credit_notes_settled
    issued | issue_date = 'today'                         | credit_notes_issue_date
    issued | sequence = 0                                 | credit_notes_sequence
    issued | document_hash = 'A'                          | credit_notes_hashes
    issued | previous_document_hash = 'b'                 | credit_notes_hashes
  `,
  duplicates: `
    issued | reason = 'other' | sequence = 2 | credit_notes_sequence_once
  `,
  largest: {
    note: largestText(1_365),
    refundIds: Array(20).fill('0193a000-0000-7000-8000-000000000004'),
    ...{ subtotalMinor: -MAX_AMOUNT, taxMinor: MAX_AMOUNT, totalMinor: MAX_AMOUNT, dueReducedMinor: MAX_AMOUNT },
    ...{ creditMinor: MAX_AMOUNT, refundsMinor: MAX_AMOUNT, number: largestText(60) },
  },
}
