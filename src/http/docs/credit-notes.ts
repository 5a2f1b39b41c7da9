import { exampleId } from '../../fields/examples.ts'
import { listShape } from '../../fields/shape.ts'
import { creditNoteReadRecord } from '../../records/credit-note.ts'
import type { Docs } from './docs.ts'

export const createCreditNoteDocs: Docs = {
  operation: 'createCreditNote',
  summary: 'Issue a credit note',
  description:
    'Credits lines of an invoice, or with `whole` everything that is not credited yet. The total first reduces what is due; an invoice of which nothing is due any more is paid. The rest was paid: `creditMinor` and the amounts of `refunds` must be exactly the rest, otherwise the error `credit_note_not_settled` names it in `details.restMinor`. Tax is that of the rates of the invoice, and the credit notes of a whole invoice add up to it. The refunds are created together with the credit note, or it is not issued. They return what the payments have paid of the invoice, and no money that became credit. A credit note with refunds requires the scope `refunds:write` and the header `Idempotency-Key`. An issued credit note never changes.',
  answers: { 201: creditNoteReadRecord },
  refusals: [
    'parameter_missing',
    ...(['credit_note_exceeds_invoice', 'credit_note_not_settled', 'customer_erased', 'state_conflict'] as const),
    ...(['payment_not_refundable', 'refund_exceeds_remaining', 'invalid_destination'] as const),
    ...(['insufficient_scope', 'resource_not_found', 'idempotency_key_required', 'idempotency_key_reused'] as const),
  ],
  fields: {
    invoiceId: 'Invoice to credit. A draft has nothing to credit, and a void invoice is credited already.',
    reason: 'Reason for the credit note. It is printed on the document.',
    lines: 'What is credited of lines of the invoice, each line once. Either `lines` or `whole` is required.',
    'lines.lineId': 'ID of the line of the invoice.',
    'lines.quantity': 'Quantity to credit, as a decimal string. Either `quantity` or `amountMinor` is required.',
    'lines.amountMinor':
      'Amount to credit, in the minor unit of the currency. Contains the tax if `taxBehavior` of the invoice is `inclusive`. Negative for a line with a negative amount.',
    whole: 'Credits everything that is not credited yet.',
    creditMinor: 'What becomes credit of the customer, in the minor unit of the currency. Default: 0.',
    refunds: 'Refunds to create, at most one for each payment of the invoice. Default: none.',
    'refunds.paymentId': 'Payment of the invoice.',
    'refunds.destination':
      'Address that the refund is sent to. Null or missing: the customer enters it on the claim page of the refund.',
    note: 'Text at the end of the document.',
  },
  example: {
    invoiceId: exampleId('invoice'),
    reason: 'product_unsatisfactory',
    whole: true,
    refunds: [{ paymentId: exampleId('payment'), amountMinor: 5831 }],
  },
}

export const listCreditNotesDocs: Docs = {
  operation: 'listCreditNotes',
  summary: 'List credit notes',
  answers: { 200: listShape(creditNoteReadRecord) },
}

export const getCreditNoteDocs: Docs = {
  operation: 'getCreditNote',
  summary: 'Retrieve a credit note',
  answers: { 200: creditNoteReadRecord },
}

export const getCreditNoteDocumentDocs: Docs = {
  operation: 'getCreditNoteDocument',
  summary: 'Retrieve the document of a credit note',
  description:
    'A PDF in the language of the customer (English or German), or the credit note as JSON. The PDF never changes.',
  answers: { 200: { file: 'The document: `application/pdf`, or `application/json` with `format=json`.' } },
}
