import { exampleId } from '../../fields/examples.ts'
import { listShape } from '../../fields/shape.ts'
import { subscriptionReadRecord } from '../../records/subscription.ts'
import type { Docs } from './docs.ts'
import { customerDocs, lineDocs } from './invoices.ts'
import { termDocs } from './plans.ts'

export const createSubscriptionDocs: Docs = {
  operation: 'createSubscription',
  summary: 'Create a subscription',
  description:
    'Creates a subscription to a plan, or with `currency`, `lines` and `interval` without one. With a trial its first period begins at the end of the trial. Otherwise the invoice of the first period is finalized immediately: with `on_payment` the status is `incomplete` until it is paid, for seven days at most.',
  answers: { 201: subscriptionReadRecord },
  refusals: [
    ...(['unsupported_currency', 'unsupported_asset', 'invoice_total_out_of_range', 'parameter_missing'] as const),
    ...(['invoice_incomplete', 'customer_erased', 'resource_not_found', 'plan_archived'] as const),
    ...(['state_conflict', 'idempotency_key_reused'] as const),
  ],
  fields: {
    ...customerDocs,
    ...{ 'customer.company': 'Company.', 'customer.taxId': 'Tax identification number.' },
    'customer.locale': 'Language of the documents, as a BCP 47 tag.',
    'customer.address': 'Postal address.',
    ...{ 'customer.address.line1': 'Street and house number.', 'customer.address.line2': 'More of the address.' },
    ...{ 'customer.address.city': 'City.', 'customer.address.postalCode': 'Postal code.' },
    ...{ 'customer.address.state': 'State or region.', 'customer.address.country': 'Country, as an ISO 3166 code.' },
    planId: 'Plan with the terms. Without it, `currency`, `lines` and `interval` are required.',
    ...{ currency: 'Currency of the invoices.', lines: '1 to 20 lines of the invoice of each period.', ...lineDocs },
    interval: 'Unit of the length of a period, by the calendar of UTC.',
    ...termDocs,
    trialDays: 'Length of the free trial in days, at most 730. Default: that of the plan, else 0.',
    trialEndsAt: 'End of the trial, instead of `trialDays`. In the future.',
    anchorAt:
      'Time from which periods are counted, without a trial: from now to a year ahead. Default: when the first invoice is paid, or with `immediate` the time of creation.',
    reference: 'Your own identifier of the subscription.',
  },
  example: { customerId: subscriptionReadRecord.example.customerId, planId: exampleId('plan') },
}

export const listSubscriptionsDocs: Docs = {
  operation: 'listSubscriptions',
  summary: 'List subscriptions',
  description: '`customerId` also finds the subscriptions of customers that were merged into it.',
  answers: { 200: listShape(subscriptionReadRecord) },
}

export const getSubscriptionDocs: Docs = {
  operation: 'getSubscription',
  summary: 'Retrieve a subscription',
  answers: { 200: subscriptionReadRecord },
}

export const rotateSubscriptionUrlDocs: Docs = {
  operation: 'rotateSubscriptionUrl',
  summary: 'Change the address of the page of a subscription',
  description: 'The former address stops working immediately.',
  answers: { 200: subscriptionReadRecord },
  refusals: ['state_conflict', 'idempotency_key_reused'],
}
