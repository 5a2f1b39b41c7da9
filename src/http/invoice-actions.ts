import { type } from 'arktype'
import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Requester } from '../commands/by.ts'
import { voidInvoice } from '../commands/credit-notes.ts'
import type { InvoiceServices } from '../commands/finalizations.ts'
import {
  duplicateInvoice,
  finalizeInvoice,
  markUncollectible,
  remindCustomer,
  rotateInvoiceUrl,
} from '../commands/invoices.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { findChainPlace, listDocumentChain } from '../queries/invoice-lists.ts'
import { findInvoice } from '../queries/invoices.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { chainedDocumentRecord } from '../records/chained-document.ts'
import type { Api } from './api.ts'
import type { Docs } from './docs/docs.ts'
import {
  duplicateInvoiceDocs,
  finalizeInvoiceDocs,
  getInvoiceDocumentDocs,
  listInvoiceChainDocs,
  markUncollectibleDocs,
  remindCustomerDocs,
  rotateInvoiceUrlDocs,
  voidInvoiceDocs,
} from './docs/invoices.ts'
import { answerIdempotently, type IdempotentCall } from './idempotency.ts'
import { invoicePdfAnswer } from './invoice-document.ts'
import { maySeeErasedParty, readInvoiceFor, withoutUrl } from './invoice-facts.ts'
import { listOf, listQuery, pageOf } from './list.ts'
import { withPageUrl } from './page-urls.ts'
import { recordKey } from './record-id.ts'
import type { Route } from './route.ts'
import { invoicePages } from './secret-pages.ts'
import { onCollection, onItem } from './surfaces.ts'
import { shownText } from './text.ts'

type Action = {
  readonly docs: Docs
  readonly status: 200 | 201
  readonly work: (services: InvoiceServices, key: RecordKey, requester: Requester<Invoice>) => Promise<Actor<Invoice>>
}

/** By the last segment of the path. */
const actions: Readonly<Record<string, Action>> = {
  finalize: { docs: finalizeInvoiceDocs, status: 200, work: finalizeInvoice },
  uncollectible: { docs: markUncollectibleDocs, status: 200, work: markUncollectible },
  remind: { docs: remindCustomerDocs, status: 200, work: remindCustomer },
  duplicate: { docs: duplicateInvoiceDocs, status: 201, work: duplicateInvoice },
  'rotate-url': { docs: rotateInvoiceUrlDocs, status: 200, work: rotateInvoiceUrl },
}

export const invoiceActionRoutes: readonly Route[] = [
  ...Object.entries(actions).flatMap(([name, { docs, status, work }]) =>
    onItem(
      'POST',
      { scope: 'billing:write' },
      {
        path: `/invoices/:id/${name}` as '/invoices/:id/finalize',
        docs,
        handle: async (api, call) =>
          answerIdempotently<Invoice>(api, await inModeOfInvoice(api, call), {
            work: responseRows => work(api, recordKey('inv', call), { cause: call.cause, responseRows }),
            answer: invoice => ({ status, body: withoutUrl(invoice) }),
            reveal: stored => withPageUrl(api, invoicePages, call.owner, stored),
          }),
      },
    ),
  ),

  ...onItem(
    'POST',
    { scope: 'billing:write' },
    {
      path: '/invoices/:id/void',
      docs: voidInvoiceDocs,
      body: () => type({ 'reason?': shownText(1, 1_000).or('null') }),
      handle: async (api, call) =>
        answerIdempotently<Invoice>(api, await inModeOfInvoice(api, call), {
          work: responseRows =>
            voidInvoice(api, recordKey('inv', call), call.body.reason ?? null, { cause: call.cause, responseRows }),
          answer: invoice => ({ status: 200, body: withoutUrl(invoice) }),
          reveal: stored => withPageUrl(api, invoicePages, call.owner, stored),
        }),
    },
  ),

  ...onItem(
    'GET',
    { scope: 'billing:read' },
    {
      path: '/invoices/:id/document',
      docs: getInvoiceDocumentDocs,
      query: () => type({ format: type("'pdf' | 'json'").default('pdf') }),
      handle: async (api, call) => {
        const invoice = (await findInvoice(api.sql, recordKey('inv', call))) ?? refuse('resource_not_found')
        if (call.query.format === 'json') return { status: 200, body: readInvoiceFor(api, call)(invoice) }
        return invoicePdfAnswer(api, invoice, maySeeErasedParty(call))
      },
    },
  ),

  ...onCollection(
    'GET',
    { scope: 'billing:read' },
    {
      path: '/invoices/chain',
      docs: listInvoiceChainDocs,
      query: () =>
        listQuery().merge({
          kind: type("'invoice' | 'credit_note'").default('invoice'),
          'year?': type('/^2\\d{3}$/').pipe(Number),
          order: type("'asc' | 'desc'").default('asc'),
        }),
      handle: async ({ sql }, { owner, query }) => {
        const { kind: documentKind, year, limit } = query
        const decode = (id: string) => decodeId(documentKind === 'invoice' ? 'inv' : 'cn', id)
        const page = await pageOf(query, decode, id => findChainPlace(sql, owner, documentKind, id))
        const documents = await listDocumentChain(sql, owner, { documentKind, year }, page)
        return {
          status: 200,
          body: listOf(documents, limit, document => chainedDocumentRecord.render(document, { documentKind })),
        }
      },
    },
  ),
]

/** A member's request about one invoice has no mode, which its key needs: it has that of the invoice. */
const inModeOfInvoice = async <Request extends Omit<IdempotentCall, 'params'> & { readonly params: { id: string } }>(
  { sql }: Pick<Api, 'sql'>,
  call: Request,
): Promise<Request> => {
  if (call.owner.livemode !== undefined || !call.headers.has('idempotency-key')) return call
  const invoice = await findInvoice(sql, recordKey('inv', call))
  return { ...call, owner: { ...call.owner, livemode: invoice?.context.livemode } }
}
