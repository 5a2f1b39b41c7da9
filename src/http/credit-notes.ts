import { type } from 'arktype'
import type { CreditNote } from '../../machines/credit-note.ts'
import type { CreditRequest } from '../billing/credit-note-sums.ts'
import { isQuantity } from '../billing/quantity.ts'
import { issueCreditNote } from '../commands/credit-notes.ts'
import { refuse } from '../errors.ts'
import { signedMinor } from '../fields/wire.ts'
import { creditNoteReason } from '../kinds/credit-note-record.ts'
import { findCreditNote, listCreditNotes } from '../queries/credit-notes.ts'
import { creditNoteReadRecord } from '../records/credit-note.ts'
import { isGranted } from '../resources.ts'
import { creditNotePdfAnswer } from './credit-note-document.ts'
import {
  createCreditNoteDocs,
  getCreditNoteDocs,
  getCreditNoteDocumentDocs,
  listCreditNotesDocs,
} from './docs/credit-notes.ts'
import { answerIdempotently } from './idempotency.ts'
import { notes } from './invoice-body.ts'
import { maySeeErasedParty } from './invoice-facts.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { recordId, recordKey } from './record-id.ts'
import type { Parsed, Route } from './route.ts'
import { onCollection, onItem } from './surfaces.ts'
import { boundedText } from './text.ts'

const creditedLine = () =>
  type({
    lineId: boundedText(1, 40),
    'quantity?': boundedText(1, 24).narrow(isQuantity),
    // Negative for a discount.
    'amountMinor?': signedMinor().narrow(amount => amount !== 0),
  })

const refundOfPayment = () =>
  type({
    paymentId: recordId('pay'),
    amountMinor: '1 <= number.integer <= 9007199254740991',
    'destination?': 'string | null',
  })

const newCreditNote = () =>
  type({
    invoiceId: recordId('inv'),
    reason: creditNoteReason(),
    'lines?': creditedLine().array().atLeastLength(1).atMostLength(100),
    'whole?': 'true',
    'creditMinor?': '0 <= number.integer <= 9007199254740991',
    'refunds?': refundOfPayment().array().atMostLength(20),
    'note?': notes().or('null'),
  })

/** Exports have the filters of the list too. */
export const creditNoteFilters = () => type({ 'invoiceId?': recordId('inv'), 'customerId?': recordId('cus') })

const reads = { scope: 'billing:read' } as const

export const creditNoteRoutes: readonly Route[] = [
  ...onCollection(
    'POST',
    { scope: 'billing:write' },
    {
      path: '/credit-notes',
      docs: createCreditNoteDocs,
      body: newCreditNote,
      handle: (api, call) => {
        const { owner, body, cause, key } = call
        const { invoiceId, reason, creditMinor = 0, refunds = [], note = null } = body
        if (key && refunds.length > 0 && !isGranted(key.scopes, 'refunds:write')) refuse('insufficient_scope')
        requireDistinct(refunds)
        const credited = creditedIn(body)
        const request = {
          ...{ reason, credited, creditMinor, note },
          refunds: refunds.map(({ destination = null, ...refund }) => ({ ...refund, destination })),
        }
        return answerIdempotently<CreditNote>(api, call, {
          isRefund: refunds.length > 0,
          work: responseRows => issueCreditNote(api, { ...owner, id: invoiceId }, request, { cause, responseRows }),
          answer: issued => ({ status: 201, body: creditNoteReadRecord.render(issued) }),
        })
      },
    },
  ),

  ...onCollection('GET', reads, {
    path: '/credit-notes',
    docs: listCreditNotesDocs,
    query: () => listQuery().merge(creditNoteFilters()),
    handle: async ({ sql }, { owner, query }) => {
      const { invoiceId, customerId, limit } = query
      const page = await placedPage(sql, 'credit_note', owner, query)
      const found = await listCreditNotes(sql, owner, { invoiceId, customerId }, page)
      return { status: 200, body: listOf(found, limit, creditNoteReadRecord.render) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/credit-notes/:id',
    docs: getCreditNoteDocs,
    handle: async ({ sql }, call) => {
      const found = (await findCreditNote(sql, recordKey('cn', call))) ?? refuse('resource_not_found')
      return { status: 200, body: creditNoteReadRecord.render(found) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/credit-notes/:id/document',
    docs: getCreditNoteDocumentDocs,
    query: () => type({ format: type("'pdf' | 'json'").default('pdf') }),
    handle: async (api, call) => {
      const found = (await findCreditNote(api.sql, recordKey('cn', call))) ?? refuse('resource_not_found')
      if (call.query.format === 'json') return { status: 200, body: creditNoteReadRecord.render(found) }
      return creditNotePdfAnswer(api, found, maySeeErasedParty(call))
    },
  }),
]

type Sent = Parsed<typeof newCreditNote>

/** The lines or the whole rest of the invoice. */
const creditedIn = ({ lines, whole }: Sent): CreditRequest => {
  if (lines !== undefined && whole !== undefined)
    return refuse('parameter_invalid', { param: 'whole', message: 'whole and lines exclude each other.' })
  if (lines !== undefined) return { lines }
  return whole === undefined ? refuse('parameter_missing', { param: 'lines' }) : { whole: true }
}

const requireDistinct = (refunds: readonly { readonly paymentId: string }[]): void => {
  const ids = refunds.map(({ paymentId }) => paymentId)
  const repeated = ids.findIndex((id, at) => ids.indexOf(id) < at)
  if (repeated >= 0) {
    const param = `refunds.${repeated}.paymentId`
    refuse('parameter_invalid', { param, message: `${param} is that of another refund in the request.` })
  }
}
