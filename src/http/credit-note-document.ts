import type { CreditNote } from '../../machines/credit-note.ts'
import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { PrintedDocument } from '../billing/document/document.ts'
import { refuse } from '../errors.ts'
import { findInvoice } from '../queries/invoices.ts'
import type { Api } from './api.ts'
import { type Parties, pdfAnswer, printedParties, printedSums, renderIssued } from './invoice-document.ts'

/** The response with the document of a credit note. */
export const creditNotePdfAnswer = async (
  { sql }: Pick<Api, 'sql'>,
  { id, context: note }: Actor<CreditNote>,
  showsErasedParty: boolean,
) => {
  const { invoiceId, merchantId, livemode } = note
  const invoice = (await findInvoice(sql, { id: invoiceId, merchantId, livemode })) ?? refuse('resource_not_found')
  const print = (parties: Parties) => printedNote(note, invoice.context, parties)
  return pdfAnswer(await renderIssued(sql, invoice, { creditNoteId: id, print, showsErasedParty }), note.number)
}

/** What is taken of the invoice does not change after finalization. */
const printedNote = (note: CreditNote, invoice: Invoice, parties: Parties): PrintedDocument => ({
  ...{
    kind: 'credit_note',
    isTest: !note.livemode,
    reason: note.reason,
    notes: note.note,
    ...printedParties(parties),
    ...printedSums(note),
  },
  invoice: { number: invoice.number ?? '', issueDate: invoice.issueDate ?? '' },
  ...{ reference: invoice.reference, orderNumber: invoice.orderNumber },
  ...{ dueReducedMinor: note.dueReducedMinor, creditMinor: note.creditMinor, refundsMinor: note.refundsMinor },
})
