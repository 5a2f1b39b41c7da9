import { type CreditNote, creditNoteMachine } from '../../machines/credit-note.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'
import { creditNoteRecord } from './credit-note-record.ts'
import { published } from './published.ts'

export const creditNoteKind: Kind<CreditNote> = {
  name: 'credit_note',
  table: resources.credit_note.table,
  machine: creditNoteMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    apiVersion: 'text',
    invoiceId: 'uuid',
    customerId: 'uuid',
    reason: 'text',
    currency: 'text',
    taxBehavior: 'text',
    lines: 'json',
    taxes: 'json',
    subtotalMinor: 'minor',
    taxMinor: 'minor',
    totalMinor: 'minor',
    dueReducedMinor: 'minor',
    creditMinor: 'minor',
    refundsMinor: 'minor',
    refundIds: 'json',
    note: 'text',
    number: 'text',
    seriesId: 'uuid',
    sequence: 'integer',
    issuedAt: 'time',
    issueDate: 'text',
    documentHash: 'text',
    previousDocumentHash: 'text',
  },
  // Without the texts.
  history: [
    'invoiceId',
    'customerId',
    'reason',
    'currency',
    'totalMinor',
    'dueReducedMinor',
    'creditMinor',
    'refundsMinor',
    'refundIds',
    'number',
    'sequence',
    'issuedAt',
    'issueDate',
    'documentHash',
    'previousDocumentHash',
  ],
  publish: published(note => creditNoteRecord.render(note)),
}
