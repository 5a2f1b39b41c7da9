import { openedCheckoutShape, visitedLinkShape } from '../../records/shapes/checkout.ts'
import { checkoutPaymentShape } from '../../records/shapes/payment.ts'
import type { Docs } from '../openapi/docs.ts'

export const visitLink: Docs = {
  operation: 'getCheckoutLink',
  summary: 'See what a payment link asks for',
  description:
    'With `options`: what it can be paid with at this moment, and how much of it that takes. What has no price now is left out, as is a chain that has to be looked at, and a link that is closed has none.',
  answers: { 200: visitedLinkShape },
  refusals: ['resource_not_found'],
}

export const openCheckout: Docs = {
  operation: 'openCheckout',
  summary: 'Open a payment',
  description:
    'Its window begins now. The client secret is told this once, and is what makes the payment the customer’s. With `chainId` and `asset` the payment has an address and a price at once; without them the asset is picked later.',
  answers: { 201: openedCheckoutShape },
  refusals: [
    'resource_not_found',
    'payment_link_not_active',
    'state_conflict',
    'unsupported_asset',
    'rate_unavailable',
    'chain_unavailable',
  ],
  example: { customerEmail: 'ada@example.com', customerName: 'Ada Example', chainId: 31337, asset: 'TUSD' },
}

/** How a customer shows that a payment is theirs. */
const withSecret =
  'The client secret goes into the header `Client-Secret`, the query or the body. With another one there is no such payment.'

/** What a customer may wonder about who has paid and is told of nothing. */
const tooLate =
  'A price that is not par holds until `quote.expiresAt`, half an hour at most, and the window until `expiresAt`. Money that comes between the two is late: at first it is in `transfers` and in nothing else, and once it is final it ends the window (`expiresAt` is when the price ended), so that the payment ends as it would have then, and the merchant is told (`payment.late`).'

export const getCheckoutPayment: Docs = {
  operation: 'getCheckoutPayment',
  summary: 'Read a payment as its customer',
  description: `${withSecret}\n\n${tooLate} \`paymentUri\` does not ask for it again.`,
  callers: ['clientSecret'],
  answers: { 200: checkoutPaymentShape },
}

export const pickAsset: Docs = {
  operation: 'pickAsset',
  summary: 'Pick what to pay with',
  description: `The price is taken now. Picked again, the same or another one, it is taken anew: as long as the payment is pending, nothing has come and its window is open. Whatever lies at an address of the payment has come, on any chain and in any asset, and too late for the price as well. ${withSecret}`,
  callers: ['clientSecret'],
  answers: { 200: checkoutPaymentShape },
  refusals: ['state_conflict', 'unsupported_asset', 'rate_unavailable', 'chain_unavailable'],
  example: { chainId: 31337, asset: 'TUSD' },
}

export const submitTransaction: Docs = {
  operation: 'submitTransaction',
  summary: 'Name the transaction that pays',
  description: `A wallet knows its hash before any chain does. It changes nothing by itself: a transaction that is final and has failed, or pays something else, fails the payment. ${withSecret}`,
  callers: ['clientSecret'],
  answers: { 200: checkoutPaymentShape },
  refusals: ['state_conflict'],
  example: { txHash: '0x88df016429689c079f3b2f6ad39fa052532c50795b733da78a91ebe6a713944b' },
}

export const streamCheckoutPayment: Docs = {
  operation: 'streamCheckoutPayment',
  summary: 'Be told of a payment as it changes',
  description: `Server-sent events: \`event: payment\` with the payment as \`data\`, on connecting and whenever anything of it changes, confirmations included. Sent back as \`Last-Event-ID\`, the id of an event says what is known already. Every fifteen seconds there is a comment, and after an hour an end: \`EventSource\` comes back by itself. A payment has at most 10 streams in each process: one more ends the oldest. An IPv4 address or IPv6 /64 has at most 60 and an IPv6 /48 at most 250: one more is 429. With 5,000 open streams a process answers 503. ${withSecret}`,
  callers: ['clientSecret'],
  answers: { 200: { events: checkoutPaymentShape } },
}
