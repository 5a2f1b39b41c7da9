import { refundReadRecord } from '../../records/refund.ts'
import { paymentUriShape } from '../../records/shapes/payment-uri.ts'
import type { Docs } from './docs.ts'

export const readPaymentUriDocs: Docs = {
  operation: 'readRefundPaymentUri',
  summary: 'Retrieve the payment link of a refund',
  description:
    'Returns a link and a QR code for a wallet outside the browser, as long as you have to sign the refund manually. The link does not contain the ID of the refund. If the transfer comes from your receiving address and fits only one refund, it is found automatically. Otherwise report its hash with `POST /v1/merchants/:merchantId/refunds/:id/transaction`.',
  answers: { 200: paymentUriShape },
  refusals: ['state_conflict'],
}

export const retryRefundDocs: Docs = {
  operation: 'retryRefund',
  summary: 'Retry a refund',
  description:
    'The refund waits for a signature again, if the payment still has the amount. Possible for a refund that has failed, and for one in `processing` whose transaction no node knows, for example because its hash was mistyped. Returns 409 as long as the chain knows the transaction, or your signer can send it again. Check first what the transaction did: a transaction that was mined can have moved money. To report another transaction instead, use `POST /v1/merchants/:merchantId/refunds/:id/transaction`.',
  answers: { 200: refundReadRecord },
  refusals: ['state_conflict', 'refund_exceeds_remaining', 'credit_exceeds_balance'],
}

export const refundsPageDocs: Docs = {
  operation: 'visitRefunds',
  summary: 'Show the refunds',
  description: 'Redirects to the refunds in the dashboard, of the shop of the last visit.',
  answers: { 303: null },
}

export const refundPageDocs: Docs = {
  operation: 'visitRefund',
  summary: 'Show a refund',
  description:
    'Redirects to the refund in the dashboard, which finds its shop. The answer is the same for every ID, even if there is no such refund, because the caller has not signed in yet.',
  answers: { 303: null },
}
