import { type } from 'arktype'
import { hashPageToken } from '../access/page-token.ts'
import { listOffers } from '../commands/checkout-offers.ts'
import { windowEnd } from '../commands/checkouts.ts'
import { findPayableLink, openInvoicePayment } from '../commands/invoice-payments.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { listCreditNotesById } from '../queries/credit-notes.ts'
import { findVisitedInvoice, type VisitedInvoice } from '../queries/invoice-pages.ts'
import { checkoutOption } from '../records/checkout.ts'
import { checkoutCreditNoteRecord } from '../records/checkout-credit-note.ts'
import type { Api } from './api.ts'
import { chainIdField, symbol } from './asset.ts'
import { causeOfCustomer } from './causes.ts'
import { chosenAsset } from './checkout.ts'
import { customersPayment } from './checkout-stream.ts'
import { creditNotePdfAnswer } from './credit-note-document.ts'
import { openCustomersStream } from './customers-stream.ts'
import {
  getCheckoutCreditNoteDocumentDocs,
  getCheckoutInvoiceDocumentDocs,
  openInvoicePaymentDocs,
  streamInvoiceDocs,
  visitInvoiceDocs,
} from './docs/checkout-invoices.ts'
import { invoicePdfAnswer } from './invoice-document.ts'
import { customersInvoice, seenOfInvoice, streamKeyOf } from './invoice-streams.ts'
import { forCustomers, type Route } from './route.ts'

const path = '/v1/checkout/invoices/:token'

const documentQuery = () => type({ format: type("'pdf' | 'json'").default('pdf') })

const newPayment = () => type({ 'chainId?': chainIdField(), 'asset?': symbol() })

/** The token in the address is the only authentication. */
export const checkoutInvoiceRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    docs: visitInvoiceDocs,
    handle: async (api, { params }) => {
      const visited = await findByToken(api, params.token)
      const { sql, chains, clock } = api
      const link = await findPayableLink(sql, visited.invoice)
      const offers = link ? await listOffers(chains, link, windowEnd(link, clock.now())) : []
      return {
        status: 200,
        body: { invoice: customersInvoice(visited), options: offers.map(checkoutOption) },
        headers: SECRET_ADDRESS,
      }
    },
  }),

  forCustomers('POST', {
    path: `${path}/payments`,
    docs: openInvoicePaymentDocs,
    body: newPayment,
    handle: async (api, { params, body, requestId }) => {
      const asset = chosenAsset(body)
      const visited = await findByToken(api, params.token)
      const cause = causeOfCustomer({ requestId })
      const { payment, clientSecret } = await openInvoicePayment(api, visited, { asset, cause })
      // A new deposit address has no transfers, so none are read.
      return {
        status: 201,
        body: { payment: customersPayment(api, { payment, shown: null }), clientSecret },
        headers: SECRET_ADDRESS,
      }
    },
  }),

  forCustomers('GET', {
    path: `${path}/document`,
    docs: getCheckoutInvoiceDocumentDocs,
    query: documentQuery,
    handle: async (api, { params, query }) => {
      const visited = await findAlsoVoid(api, params.token)
      // A draft that can be paid has no document yet.
      if (visited.invoice.state === 'draft') return refuse('resource_not_found')
      if (query.format === 'json') return { status: 200, body: customersInvoice(visited), headers: SECRET_ADDRESS }
      return asSecret(await invoicePdfAnswer(api, visited.invoice))
    },
  }),

  forCustomers('GET', {
    path: `${path}/credit-notes/:id/document`,
    docs: getCheckoutCreditNoteDocumentDocs,
    query: documentQuery,
    handle: async (api, { params, query }) => {
      const { invoice } = await findAlsoVoid(api, params.token)
      const id = decodeId('cn', params.id)
      // A note of another invoice does not exist here.
      if (id === undefined || !invoice.context.creditNoteIds.includes(id)) return refuse('resource_not_found')
      const [found] = await listCreditNotesById(api.sql, [id])
      if (!found) return refuse('resource_not_found')
      // As of the invoice: nothing that the merchant has written about an erased customer.
      const note = invoice.context.customerErased ? { ...found, context: { ...found.context, note: null } } : found
      if (query.format === 'json')
        return { status: 200, body: checkoutCreditNoteRecord.render(note), headers: SECRET_ADDRESS }
      return asSecret(await creditNotePdfAnswer(api, note, false))
    },
  }),

  forCustomers('GET', {
    path: `${path}/stream`,
    docs: streamInvoiceDocs,
    handle: async (api, call) => {
      const visited = await findByToken(api, call.params.token)
      return openCustomersStream(api.invoiceStreams, { id: streamKeyOf(visited), seen: seenOfInvoice(visited) }, call)
    },
  }),
]

/** Of responses whose address contains a secret. */
export const SECRET_ADDRESS = { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }

const asSecret = <Sent extends { readonly headers: object }>({ headers, ...answer }: Sent) => ({
  ...answer,
  headers: { ...headers, ...SECRET_ADDRESS },
})

/** A draft has no token. */
const findAlsoVoid = async ({ sql }: Api, token: string): Promise<VisitedInvoice> => {
  const hash = hashPageToken(token) ?? refuse('resource_not_found')
  return (await findVisitedInvoice(sql, hash)) ?? refuse('resource_not_found')
}

const findByToken = async (api: Api, token: string): Promise<VisitedInvoice> => {
  const visited = await findAlsoVoid(api, token)
  return visited.invoice.state === 'void' ? refuse('invoice_void') : visited
}
