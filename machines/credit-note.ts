import { emit, setup } from 'xstate'
import type { InvoiceContent, InvoiceIssue, InvoiceLine } from './invoice-events.ts'

/** What is credited of a line of the invoice. `quantity` and `unitAmountMinor` are null if it was credited by amount. */
export type CreditNoteLine = Omit<InvoiceLine, 'id' | 'quantity' | 'unitAmountMinor'> & {
  lineId: string
  quantity: string | null
  unitAmountMinor: number | null
}

type Sums = Pick<InvoiceContent, 'currency' | 'taxBehavior' | 'taxes' | 'subtotalMinor' | 'taxMinor' | 'totalMinor'>

/** The same as on the invoice, at the time when the note was issued. */
type Issue = { [Field in IssueField]: InvoiceIssue[Field] }
type IssueField =
  | 'number'
  | 'seriesId'
  | 'sequence'
  | 'issuedAt'
  | 'issueDate'
  | 'documentHash'
  | 'previousDocumentHash'

/**
 * The total first reduces what is due. The rest is credit of the customer, and refunds. The parties are those of the invoice.
 */
export type CreditNote = Sums &
  Issue & {
    merchantId: string
    livemode: boolean
    apiVersion: string
    invoiceId: string
    /** As it was when the note was issued. */
    customerId: string
    /** That of its customer. */
    testClockId: string | null
    reason: 'duplicate' | 'requested_by_customer' | 'product_unsatisfactory' | 'order_change' | 'cancellation' | 'other'
    lines: readonly CreditNoteLine[]
    dueReducedMinor: number
    creditMinor: number
    refundsMinor: number
    refundIds: readonly string[]
    note: string | null
  }

/** A credit note never changes. */
export type CreditNoteEvent = never

export const creditNoteMachine = setup({
  types: {
    context: {} as CreditNote,
    input: {} as CreditNote & { at: Date },
    emitted: {} as { type: 'credit_note.issued' },
  },
}).createMachine({
  id: 'credit-note',
  context: ({ input: { at: _, ...note } }) => note,
  initial: { target: 'issued', actions: emit({ type: 'credit_note.issued' }) },
  states: { issued: { type: 'final' } },
})
