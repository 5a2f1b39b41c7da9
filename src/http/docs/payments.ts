import { paymentReadShape } from '../../records/shapes/payment.ts'
import { listShape } from '../../records/shapes/shape.ts'
import type { Docs } from '../openapi/docs.ts'

export const listPayments: Docs = {
  operation: 'listPayments',
  summary: 'List payments',
  answers: { 200: listShape(paymentReadShape) },
}

export const getPayment: Docs = {
  operation: 'getPayment',
  summary: 'Read a payment',
  description:
    'With `crypto`: what its chain shows. Ship when `status` is `success`.\n\nMoney that comes in the window and after `quote.expiresAt` is late: it is in `transfers`, and changes nothing else before the end of the window. Then there is `payment.late`, and the payment waits for you with `exception: late`.',
  answers: { 200: paymentReadShape },
}

export const cancelPayment: Docs = {
  operation: 'cancelPayment',
  summary: 'Cancel a payment',
  description: 'As long as it is pending and nothing was seen.',
  answers: { 200: paymentReadShape },
  refusals: ['payment_not_cancelable'],
}

export const resolvePayment: Docs = {
  operation: 'resolvePayment',
  summary: 'Decide about a payment that waits for a person',
  description:
    'To accept it some of its money must be final and not given back; it is a success then. Where all of that came in another asset or on another chain, `crypto` names what was accepted from then on, and refunds are paid in it: a stablecoin of the payment’s currency counts at par, anything else as the whole price. Of several assets the one that came first is accepted. While all of it is in assets that are not configured, it is refused.',
  answers: { 200: paymentReadShape },
  refusals: ['state_conflict', 'unsupported_asset'],
  example: { action: 'accept' },
}
