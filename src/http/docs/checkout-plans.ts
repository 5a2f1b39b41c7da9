import { planSubscriptionShape } from '../../records/shapes/plan-subscription.ts'
import type { Docs } from './docs.ts'

export const subscribeToPlanDocs: Docs = {
  operation: 'subscribeToPlan',
  summary: 'Subscribe to a plan as a customer',
  description:
    'What the page of a plan does. An e-mail address proves nothing: no data and no credit of an existing customer is used or shown, and the answer is the same without one. The subscription has `source: checkout` and `verified: false`. Its first invoice is a draft without a number that can be paid on its page. It is finalized when money for it is seen, and deleted when the subscription expires after seven days. Without a trial the subscription begins when that invoice is paid, also if `activation` is `immediate`. A trial is given once for each plan and e-mail address; afterwards the first invoice is to be paid. A plan that costs nothing returns `state_conflict`.\n\nAt most 20 subscriptions in an hour are allowed for each IP address (IPv6: /64 network), and 1,000 that are `incomplete` for each merchant and mode. Above that, returns 429.',
  answers: { 201: planSubscriptionShape },
  refusals: ['resource_not_found', 'plan_archived', 'state_conflict', 'invoice_incomplete', 'customer_erased'],
  example: { customerEmail: 'ada@example.com', customerName: 'Ada Example' },
}
