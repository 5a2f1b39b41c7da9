import { checkoutInvoiceRecord } from '../../records/checkout-invoice.ts'
import { openedCheckoutShape } from '../../records/shapes/checkout.ts'
import { visitedInvoiceShape } from '../../records/shapes/checkout-invoice.ts'
import type { Docs } from './docs.ts'

const byToken =
  'The token is the last part of the `url` of the invoice. An unknown token, or that of an address that was replaced, returns `resource_not_found`.'

export const visitInvoiceDocs: Docs = {
  operation: 'getCheckoutInvoice',
  summary: 'Retrieve an invoice as a customer',
  description: `\`options\` lists the assets that the invoice can be paid with now, each with the amount for what is due and not being paid by another payment. It is empty if nothing is. ${byToken}`,
  answers: { 200: visitedInvoiceShape },
  refusals: ['resource_not_found', 'invoice_void'],
}

export const openInvoicePaymentDocs: Docs = {
  operation: 'openInvoicePayment',
  summary: 'Open a payment of an invoice',
  description: `Creates a payment for what is due and not being paid by another payment. If that is 0, the request is refused with \`state_conflict\`. An invoice can have several payments. What they receive and is not due becomes credit of the customer. The payment is read and paid as one of a payment link, with the client secret. ${byToken}`,
  answers: { 201: openedCheckoutShape },
  refusals: [
    'resource_not_found',
    'invoice_void',
    'parameter_missing',
    'state_conflict',
    'unsupported_asset',
    'rate_unavailable',
    'chain_unavailable',
  ],
  example: { chainId: 31337, asset: 'TUSD' },
}

const whileVoid = 'It is returned also if the invoice is void.'

export const getCheckoutInvoiceDocumentDocs: Docs = {
  operation: 'getCheckoutInvoiceDocument',
  summary: 'Retrieve the document of an invoice as a customer',
  description: `A PDF in the language of the customer (English or German), or the invoice as JSON. ${whileVoid} ${byToken}`,
  answers: { 200: { file: 'The document: `application/pdf`, or `application/json` with `format=json`.' } },
  refusals: ['resource_not_found'],
}

export const getCheckoutCreditNoteDocumentDocs: Docs = {
  operation: 'getCheckoutCreditNoteDocument',
  summary: 'Retrieve the document of a credit note as a customer',
  description: `A PDF in the language of the customer (English or German), or the credit note as JSON, of one of the \`creditNoteIds\` of the invoice. ${whileVoid} ${byToken}`,
  answers: { 200: { file: 'The document: `application/pdf`, or `application/json` with `format=json`.' } },
  refusals: ['resource_not_found'],
}

export const streamInvoiceDocs: Docs = {
  operation: 'streamCheckoutInvoice',
  summary: 'Stream an invoice',
  description: `Sends server-sent events: \`event: invoice\` with the invoice as \`data\`, when the stream opens and after every change. The limits are those of the stream of a payment. ${byToken}`,
  answers: { 200: { events: checkoutInvoiceRecord, event: 'invoice' } },
  refusals: ['resource_not_found', 'invoice_void'],
}
