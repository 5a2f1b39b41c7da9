import type { Docs } from './docs.ts'
import { foreign } from './payment-pages.ts'

const missing = 'The token is unknown or was replaced.'
const gone = 'The invoice is void.'

export const visitInvoicePageDocs: Docs = {
  operation: 'visitInvoice',
  summary: 'Show the page of an invoice',
  description:
    'HTML page for your customer with the invoice, what has been paid of it, and the form that opens a payment for what is due. The `url` of the invoice leads to it. Anyone with the address can read and pay the invoice, so the page is not indexed and sends no referrer. `lang` selects the language, otherwise `Accept-Language` does. Opening the page never opens a payment.',
  answers: { 200: 'The invoice is finalized.', 404: missing, 410: gone },
}

export const openInvoicePageDocs: Docs = {
  operation: 'openInvoicePaymentPage',
  summary: 'Open a payment from the page of an invoice',
  description:
    'Request of the form on the page of an invoice. Opens a payment for what is due and not being paid by another payment, and sets the cookie of its page. If this browser has a payment of the invoice under way that pays what is due, leads to it instead. `asset` can contain both parts, as `31337:TUSD`.',
  answers: {
    303: null,
    403: foreign,
    404: missing,
    409: 'Nothing is due, or other payments are about to pay it. The page shows them.',
    410: gone,
    422: 'The asset cannot be paid with now. The page shows which.',
  },
  example: { asset: '31337:TUSD' },
}
