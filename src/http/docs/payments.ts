import { listShape } from '../../fields/shape.ts'
import { paymentReadRecord } from '../../records/payment.ts'
import type { Docs } from './docs.ts'

export const listPaymentsDocs: Docs = {
  operation: 'listPayments',
  summary: 'List payments',
  answers: { 200: listShape(paymentReadRecord) },
}

export const getPaymentDocs: Docs = {
  operation: 'getPayment',
  summary: 'Retrieve a payment',
  description:
    'Includes `crypto`, the payment on the chain. Ship when `status` is `success`.\n\nMoney that arrives in the payment window but after `quote.expiresAt` is late. First it appears only in `transfers`. Once it is final, it ends the payment window, `payment.late` is sent, and the payment needs your attention with `exception: late`.',
  answers: { 200: paymentReadRecord },
}

export const cancelPaymentDocs: Docs = {
  operation: 'cancelPayment',
  summary: 'Cancel a payment',
  description: 'Possible as long as the payment is `pending` and no money was seen on the chain.',
  answers: { 200: paymentReadRecord },
  refusals: ['payment_not_cancelable'],
}

export const resolvePaymentDocs: Docs = {
  operation: 'resolvePayment',
  summary: 'Resolve a payment that needs attention',
  description:
    '`accept` requires received money that is final and not refunded. The payment then has the status `success`. If all of this money is in another asset or on another chain than the payment asked for, `crypto` shows the accepted asset from then on, and refunds are paid in it: a stablecoin of the currency of the payment is valued at par, any other asset as the full amount of the payment. If there are several such assets, the one that arrived first is accepted. If all of this money is in assets that are not configured on the server, `unsupported_asset` is returned.\n\n`dismiss` leaves the payment as it is.',
  answers: { 200: paymentReadRecord },
  refusals: ['state_conflict', 'unsupported_asset'],
  fields: {
    action:
      '`accept`: take the received money as full payment; the payment succeeds. `dismiss`: leave the payment as it is, and remove it from the list of payments that need attention.',
  },
  example: { action: 'accept' },
}
