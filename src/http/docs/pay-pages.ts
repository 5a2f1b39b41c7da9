import { example } from '../../fields/examples.ts'
import { checkoutPaymentRecord } from '../../records/payment.ts'
import type { Docs } from './docs.ts'

const cookie =
  'The cookie `paymachine_pay` (on https `__Secure-paymachine_pay`) authenticates the customer. It is set when the payment is opened, for the path of the payment, and is kept for 30 days after the payment window. A second cookie, `paymachine_latest`, leads back to the payment from the page of the link.'
const foreign = 'The request comes from another site.'
const missing = 'The payment does not exist, or the cookie is not that of the payment.'

export const visitPayPageDocs: Docs = {
  operation: 'visitPaymentLink',
  summary: 'Show the page of a payment link',
  description:
    'HTML page for your customer, with the form that opens a payment. The `url` of the payment link leads to it. `lang` selects the language, otherwise `Accept-Language` does.\n\nA customer with a payment of this link under way is led to its page. With `another`, the form is shown nevertheless.',
  answers: {
    200: 'The link is active.',
    303: null,
    404: 'The link does not exist.',
    410: 'The link is deactivated, completed or expired.',
  },
}

export const openPayPageDocs: Docs = {
  operation: 'openPaymentPage',
  summary: 'Open a payment from its page',
  description:
    'Request of the form on the page of a payment link. Opens a payment and sets the cookie of its page. If the customer has a payment of this link under way, leads to it instead, unless `another` is set. `asset` can contain both parts, as `31337:TUSD`.',
  answers: {
    303: null,
    400: 'A field is not valid. The page shows which, and keeps what was entered.',
    403: foreign,
    404: 'The link does not exist.',
    410: 'The link is deactivated, completed or expired.',
    422: 'The asset cannot be paid with now.',
  },
  example: { email: 'ada@example.com', name: 'Ada Example', asset: '31337:TUSD' },
}

export const visitPaymentPageDocs: Docs = {
  operation: 'visitPaymentPage',
  summary: 'Show the page of a payment',
  description: `HTML page on which the customer pays and sees the progress of the payment. ${cookie}\n\nWith the client secret as \`s\`, the response sets the cookie and redirects to the address without it. With \`phone\`, the page shows this address as a QR code.`,
  answers: {
    200: 'The page of the payment.',
    303: null,
    404: missing,
  },
}

export const streamPaymentPageDocs: Docs = {
  operation: 'streamPaymentPage',
  summary: 'Stream a payment to its page',
  description: `The stream of \`GET /v1/checkout/payments/{id}/stream\`, for the page of the payment. ${cookie}`,
  answers: { 200: { events: checkoutPaymentRecord, event: 'payment' } },
  refusals: ['resource_not_found'],
}

export const pickAssetPageDocs: Docs = {
  operation: 'pickAssetOnPage',
  summary: 'Pick an asset on the page of a payment',
  description: `Request of a form on the page of a payment. ${cookie}`,
  answers: {
    303: null,
    403: foreign,
    404: missing,
    422: 'The asset cannot be paid with now, or money has already arrived. The page shows which.',
  },
  example: { asset: '31337:TUSD' },
}

export const submitTransactionPageDocs: Docs = {
  operation: 'submitTransactionOnPage',
  summary: 'Submit a transaction hash on the page of a payment',
  description: `Sent by the page after a wallet in the browser has sent the transaction. ${cookie}`,
  answers: { 303: null, 403: foreign, 404: missing, 422: 'This is no transaction hash, or too many were submitted.' },
  example: { txHash: example.txHash },
}

export const payAgainPageDocs: Docs = {
  operation: 'startPaymentAgain',
  summary: 'Start a payment again on its page',
  description: `Opens another payment of the same link for the same customer, after a payment has ended without success. ${cookie}`,
  answers: {
    303: null,
    403: foreign,
    404: missing,
    410: 'The link is deactivated, completed or expired.',
  },
}

export const simulatePageDocs: Docs = {
  operation: 'simulatePaymentOnPage',
  summary: 'Pay with the sandbox wallet on the page of a payment',
  description: `In test mode: sends the amount due on the sandbox chain, as a customer would. ${cookie}`,
  answers: {
    303: null,
    403: foreign,
    404: missing,
    422: 'The payment cannot be paid in the sandbox now. The page shows it.',
  },
}
