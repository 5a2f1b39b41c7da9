import { example } from '../../fields/examples.ts'
import { checkoutPaymentRecord } from '../../records/payment.ts'
import type { Docs } from './docs.ts'

export const foreign = 'The request comes from another site.'

/** The page of a payment, and the requests of its forms. */
export type PaymentPageDocs = Readonly<
  Record<'visit' | 'stream' | 'asset' | 'transaction' | 'again' | 'simulate', Docs>
>

type Wording = {
  /** Part of the names of the operations. */
  readonly name: '' | 'Invoice'
  /** Whose payment: `payment`, `payment of an invoice`. */
  readonly payment: string
  readonly missing: string
  /** Statuses of the page besides the ones that all have. */
  readonly gone: Readonly<Record<number, string>>
  readonly cookie: string
  readonly again: Docs
}

const docsOf = ({ name, payment, missing, gone, cookie, again }: Wording): PaymentPageDocs => ({
  visit: {
    operation: `visit${name}PaymentPage`,
    summary: `Show the page of a ${payment}`,
    description: `HTML page on which the customer pays and sees the progress of the payment. ${cookie}\n\nWith the client secret as \`s\`, the response sets the cookie and redirects to the address without it. With \`phone\`, the page shows this address as a QR code.`,
    answers: { 200: 'The page of the payment.', 303: null, 404: missing, ...gone },
  },
  stream: {
    operation: `stream${name}PaymentPage`,
    summary: `Stream a ${payment} to its page`,
    description: `The stream of \`GET /v1/checkout/payments/{id}/stream\`, for the page of the payment. ${cookie}`,
    answers: { 200: { events: checkoutPaymentRecord, event: 'payment' } },
    refusals: ['resource_not_found'],
  },
  asset: {
    operation: `pickAssetOn${name}Page`,
    summary: `Pick an asset on the page of a ${payment}`,
    description: `Request of a form on the page of a payment. ${cookie}`,
    answers: {
      ...{ 303: null, 403: foreign, 404: missing, ...gone },
      422: 'The asset cannot be paid with now, or money has already arrived. The page shows which.',
    },
    example: { asset: '31337:TUSD' },
  },
  transaction: {
    operation: `submitTransactionOn${name}Page`,
    summary: `Submit a transaction hash on the page of a ${payment}`,
    description: `Sent by the page after a wallet in the browser has sent the transaction. ${cookie}`,
    answers: {
      ...{ 303: null, 403: foreign, 404: missing, ...gone },
      422: 'This is no transaction hash, or too many were submitted.',
    },
    example: { txHash: example.txHash },
  },
  again,
  simulate: {
    operation: `simulatePaymentOn${name}Page`,
    summary: `Pay with the sandbox wallet on the page of a ${payment}`,
    description: `In test mode: sends the amount due on the sandbox chain, as a customer would. ${cookie}`,
    answers: {
      ...{ 303: null, 403: foreign, 404: missing, ...gone },
      422: 'The payment cannot be paid in the sandbox now. The page shows it.',
    },
  },
})

const missing = 'The payment does not exist, or the cookie is not that of the payment.'
const cookie =
  'The cookie `paymachine_pay` (on https `__Secure-paymachine_pay`) authenticates the customer. It is set when the payment is opened, for the path of the payment, and is kept for 30 days after the payment window. A second cookie, `paymachine_latest`, leads back to the payment from the page of the link.'

export const paymentPageDocs = docsOf({
  ...{ name: '', payment: 'payment', missing, gone: {}, cookie },
  again: {
    operation: 'startPaymentAgain',
    summary: 'Start a payment again on its page',
    description: `Opens another payment of the same link for the same customer, after a payment has ended without success. ${cookie}`,
    answers: { 303: null, 403: foreign, 404: missing, 410: 'The link is deactivated, completed or expired.' },
  },
})

const missingOfInvoice = 'The token is unknown or was replaced, or the cookie is not that of a payment of the invoice.'
const cookieOfInvoice =
  'The cookie `paymachine_pay` (on https `__Secure-paymachine_pay`) authenticates the customer, as on the page of any payment. A second cookie, `paymachine_latest`, leads back to the payment from the page of the invoice.'

export const invoicePaymentPageDocs = docsOf({
  ...{ name: 'Invoice', payment: 'payment of an invoice', missing: missingOfInvoice },
  ...{ gone: { 410: 'The invoice is void, and the payment has not ended.' }, cookie: cookieOfInvoice },
  again: {
    operation: 'startInvoicePaymentAgain',
    summary: 'Start a payment of an invoice again on its page',
    description: `Opens another payment of the invoice, for what is due and not being paid by another payment, after a payment has ended without success. If nothing is, leads to the page of the invoice. ${cookieOfInvoice}`,
    answers: { 303: null, 403: foreign, 404: missingOfInvoice, 410: 'The invoice is void.' },
  },
})
