import { example } from '../../fields/examples.ts'
import { checkoutPaymentRecord } from '../../records/payment.ts'
import { openedCheckoutShape, visitedLinkShape } from '../../records/shapes/checkout.ts'
import { simulationShape } from '../../records/shapes/simulation.ts'
import type { Docs } from './docs.ts'

export const visitLinkDocs: Docs = {
  operation: 'getCheckoutLink',
  summary: 'Retrieve a payment link as a customer',
  description:
    '`options` lists the assets that the link can be paid with now, each with the amount due. An asset without a current price is not listed, nor are the assets of a chain that the server has stopped because of a problem. A link that is not active has no options.',
  answers: { 200: visitedLinkShape },
  refusals: ['resource_not_found'],
}

export const openCheckoutDocs: Docs = {
  operation: 'openCheckout',
  summary: 'Open a payment',
  description:
    'Creates a payment. Its payment window starts now. The client secret gives access to the payment and is shown only in this response. With `chainId` and `asset`, the payment has a deposit address and a price immediately. Without them, the asset is picked later.',
  answers: { 201: openedCheckoutShape },
  refusals: [
    'resource_not_found',
    'payment_link_not_active',
    'customer_erased',
    'state_conflict',
    'unsupported_asset',
    'rate_unavailable',
    'chain_unavailable',
  ],
  example: { customerEmail: 'ada@example.com', customerName: 'Ada Example', chainId: 31337, asset: 'TUSD' },
}

/** Authentication of a customer. */
const withSecret =
  'Send the client secret in the `Client-Secret` header, the query or the body. A wrong client secret returns `resource_not_found`.'

const clientSecret = 'Client secret of the payment, if it is not sent in the `Client-Secret` header.'

/** Explains why a transfer does not change the payment that it was sent for. */
const tooLate =
  'The payment window ends at `expiresAt`. A price that is not at par expires at `quote.expiresAt`, after 30 minutes at most. Money that arrives between these two times is late. First it appears only in `transfers`. Once it is final, it ends the payment window: `expiresAt` is set to the time at which the price expired, the payment ends as it would have ended then, and the merchant receives `payment.late`.'

export const getCheckoutPaymentDocs: Docs = {
  operation: 'getCheckoutPayment',
  summary: 'Retrieve a payment as a customer',
  description: `${withSecret}\n\n${tooLate} \`paymentUri\` does not ask for this money again.`,
  callers: ['clientSecret'],
  answers: { 200: checkoutPaymentRecord },
}

export const pickAssetDocs: Docs = {
  operation: 'pickAsset',
  summary: 'Pick an asset',
  description: `Calculates the amount due at the current price. Pick again, the same asset or another one, for a new price. This is possible as long as the payment is pending, its payment window is open, and no money has arrived. Money at any address of the payment counts as arrived, on any chain and in any asset, even if it was too late for the price. ${withSecret}`,
  callers: ['clientSecret'],
  answers: { 200: checkoutPaymentRecord },
  refusals: ['state_conflict', 'unsupported_asset', 'rate_unavailable', 'chain_unavailable'],
  fields: { clientSecret },
  example: { chainId: 31337, asset: 'TUSD' },
}

export const submitTransactionDocs: Docs = {
  operation: 'submitTransaction',
  summary: 'Submit a transaction hash',
  description: `Reports the transaction with which the customer pays, at most 10 for a payment. A wallet knows the hash before the chain does. The hash alone does not change the payment. If the transaction is final and has failed, or pays something else, and no other money was seen, the payment fails. ${withSecret}`,
  callers: ['clientSecret'],
  answers: { 200: checkoutPaymentRecord },
  refusals: ['state_conflict'],
  fields: { clientSecret, txHash: 'Hash of the transaction: `0x` and 64 hexadecimal digits.' },
  example: { txHash: example.txHash },
}

export const simulateCheckoutPaymentDocs: Docs = {
  operation: 'simulateCheckoutPayment',
  summary: 'Pay from the sandbox wallet',
  description: `Pays the amount that is due now on the sandbox chain, and responds when the transaction is in a block. In test mode only. Only one scenario of a payment can run at a time. ${withSecret}`,
  callers: ['clientSecret'],
  answers: { 200: simulationShape },
  refusals: ['sandbox_only', 'state_conflict', 'unsupported_asset', 'rate_unavailable', 'chain_unavailable'],
  fields: { clientSecret, scenario: 'Scenario to simulate: `paid`, which is also the default.' },
  example: { scenario: 'paid' },
}

export const streamCheckoutPaymentDocs: Docs = {
  operation: 'streamCheckoutPayment',
  summary: 'Stream a payment',
  description: `Sends server-sent events: \`event: payment\` with the payment as \`data\`, when the stream opens and after every change, including changes of the confirmations. With the \`Last-Event-ID\` header, which \`EventSource\` sends when it reconnects, an unchanged payment is not sent again. A comment is sent every 15 seconds. The stream ends after one hour; \`EventSource\` reconnects automatically.\n\nA server process has at most 10 streams for a payment (a new one ends the oldest), 60 for an IPv4 address or IPv6 /64 network and 250 for an IPv6 /48 network (above that: 429), and 5,000 in total (above that: 503).\n\n${withSecret}`,
  callers: ['clientSecret'],
  answers: { 200: { events: checkoutPaymentRecord, event: 'payment' } },
}
