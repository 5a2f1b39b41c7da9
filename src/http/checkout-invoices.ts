import { type } from 'arktype'
import { hashInvoiceToken } from '../access/invoice-token.ts'
import { listOffers } from '../commands/checkout-offers.ts'
import { windowEnd } from '../commands/checkouts.ts'
import { findPayableLink, openInvoicePayment } from '../commands/invoice-payments.ts'
import { refuse } from '../errors.ts'
import { findVisitedInvoice, type VisitedInvoice } from '../queries/invoice-pages.ts'
import { checkoutOption } from '../records/checkout.ts'
import type { Api } from './api.ts'
import { chainIdField, symbol } from './asset.ts'
import { causeOfCustomer } from './causes.ts'
import { chosenAsset } from './checkout.ts'
import { customersPayment } from './checkout-stream.ts'
import { openCustomersStream } from './customers-stream.ts'
import {
  getCheckoutInvoiceDocumentDocs,
  openInvoicePaymentDocs,
  streamInvoiceDocs,
  visitInvoiceDocs,
} from './docs/checkout-invoices.ts'
import { invoicePdfAnswer } from './invoice-document.ts'
import { customersInvoice, seenOfInvoice, streamKeyOf } from './invoice-streams.ts'
import { forCustomers, type Route } from './route.ts'

const path = '/v1/checkout/invoices/:token'

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
    query: () => type({ format: type("'pdf' | 'json'").default('pdf') }),
    handle: async (api, { params, query }) => {
      const visited = await findByToken(api, params.token)
      if (query.format === 'json') return { status: 200, body: customersInvoice(visited), headers: SECRET_ADDRESS }
      const { headers, ...pdf } = await invoicePdfAnswer(api, visited.invoice)
      return { ...pdf, headers: { ...headers, ...SECRET_ADDRESS } }
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
const SECRET_ADDRESS = { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }

/** A draft has no token. */
const findByToken = async ({ sql }: Api, token: string): Promise<VisitedInvoice> => {
  const hash = hashInvoiceToken(token) ?? refuse('resource_not_found')
  const visited = (await findVisitedInvoice(sql, hash)) ?? refuse('resource_not_found')
  return visited.invoice.state === 'void' ? refuse('invoice_void') : visited
}
