import { visitedSubscriptionShape } from '../../records/shapes/checkout-subscription.ts'
import type { Docs } from './docs.ts'

const byToken =
  'The token is the last part of the `url` of the subscription. An unknown token, or that of an address that was replaced, returns `resource_not_found`.'

export const visitSubscriptionDocs: Docs = {
  operation: 'getCheckoutSubscription',
  summary: 'Retrieve a subscription as a customer',
  description: `What the page of the subscription shows. It contains no data of the customer. ${byToken}`,
  answers: { 200: visitedSubscriptionShape },
  refusals: ['resource_not_found'],
}

export const streamSubscriptionDocs: Docs = {
  operation: 'streamCheckoutSubscription',
  summary: 'Stream a subscription',
  description: `Sends server-sent events: \`event: subscription\` with the same object as \`data\`, when the stream opens and after every change of the subscription or of one of its unpaid invoices. The limits are those of the stream of a payment. ${byToken}`,
  answers: { 200: { events: visitedSubscriptionShape, event: 'subscription' } },
  refusals: ['resource_not_found'],
}
