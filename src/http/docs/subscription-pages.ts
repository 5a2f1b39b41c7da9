import type { Docs } from './docs.ts'
import { foreign } from './payment-pages.ts'

const missing = 'The token is unknown or was replaced.'
const changed = 'The subscription has changed in the meantime. The page shows how it is now.'

export const visitSubscriptionPageDocs: Docs = {
  operation: 'visitSubscription',
  summary: 'Show the page of a subscription',
  description:
    'HTML page for your customer with the state of the subscription, its periods and invoices, what is to be paid, and the form that cancels it at the end of the period. The `url` of the subscription leads to it. Anyone with the address can read and cancel the subscription, so the page is not indexed and sends no referrer. `lang` selects the language, otherwise `Accept-Language` does.',
  answers: { 200: 'The subscription.', 404: missing },
}

export const cancelOnSubscriptionPageDocs: Docs = {
  operation: 'cancelOnSubscriptionPage',
  summary: 'Cancel on the page of a subscription',
  description:
    'Request of the form on the page of a subscription. It is canceled as by `POST /v1/subscriptions/:id/cancel` with `period_end`; its `endReason` is `customer`.',
  answers: { 303: null, 403: foreign, 404: missing, 409: changed },
}

export const continueOnSubscriptionPageDocs: Docs = {
  operation: 'continueOnSubscriptionPage',
  summary: 'Withdraw a cancellation on the page of a subscription',
  description:
    'Request of the form on the page of a subscription. Only a cancellation that was made there can be withdrawn there, until it has taken effect.',
  answers: { 303: null, 403: foreign, 404: missing, 409: changed },
}
