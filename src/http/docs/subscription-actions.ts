import { exampleId } from '../../fields/examples.ts'
import { listShape } from '../../fields/shape.ts'
import { invoiceReadRecord } from '../../records/invoice.ts'
import { invoicePreviewRecord } from '../../records/invoice-preview.ts'
import { subscriptionReadRecord } from '../../records/subscription.ts'
import type { Docs } from './docs.ts'
import { lineDocs } from './invoices.ts'

export const updateSubscriptionDocs: Docs = {
  operation: 'updateSubscription',
  summary: 'Update a subscription',
  description:
    'Changes the fields that are sent; `null` removes the reference, and `metadata` is replaced as a whole. Final subscriptions cannot be changed.',
  answers: { 200: subscriptionReadRecord },
  refusals: ['state_conflict'],
  fields: {
    reference: 'Your own identifier of the subscription.',
    graceDays:
      'How many days the subscription continues after an unpaid invoice was due. Shorter than a period, with months of 28 and years of 365 days. In `past_due` the grace that has begun becomes longer or shorter.',
    leadDays:
      'How many days before the start of a period its invoice is finalized. Shorter than a period, as `graceDays`. Invoices that are finalized do not change.',
    verified: 'Whether you have confirmed who the customer is.',
  },
  example: { graceDays: 10 },
}

export const cancelSubscriptionDocs: Docs = {
  operation: 'cancelSubscription',
  summary: 'Cancel a subscription',
  description:
    'With `period_end` it is canceled when the current period is over; if the next period is being paid or is paid, when that one is over. A subscription that is `past_due` or `paused` is canceled immediately, and the response shows `canceled`; if money was sent for what is owed, when the period that it pays is over. Unpaid invoices of later periods are voided. A subscription that is `incomplete` cannot be canceled: it expires.',
  answers: { 200: subscriptionReadRecord },
  refusals: ['state_conflict', 'idempotency_key_reused'],
  fields: {
    at: '`period_end`: when what was paid is over, which is immediately if nothing is paid. `now`: in any case immediately. Default: `period_end`.',
  },
  example: { at: 'period_end' },
}

export const uncancelSubscriptionDocs: Docs = {
  operation: 'uncancelSubscription',
  summary: 'Withdraw a cancellation',
  description:
    'The subscription continues after the end of the period. If its invoice for the next period was voided, a new one is finalized. A subscription that is `canceled` cannot be continued: create another one.',
  answers: { 200: subscriptionReadRecord },
  refusals: ['state_conflict', 'idempotency_key_reused'],
}

export const pauseSubscriptionDocs: Docs = {
  operation: 'pauseSubscription',
  summary: 'Pause a subscription',
  description:
    'It becomes `paused` when the current period is over; if the next period is being paid or is paid, when that one is over. A subscription that is `past_due` is paused immediately, unless money was sent for what is owed. Unpaid invoices of later periods are voided. While it is paused, no invoices are issued and `access.granted` is false.',
  answers: { 200: subscriptionReadRecord },
  refusals: ['state_conflict', 'idempotency_key_reused'],
  fields: {
    resumesAt:
      'Time from which it is resumed by itself: with the first period that begins afterwards. Later than the end of the current period, and at most ten years ahead. Default: only on request.',
  },
  example: { resumesAt: '2027-03-01T00:00:00.000Z' },
}

export const resumeSubscriptionDocs: Docs = {
  operation: 'resumeSubscription',
  summary: 'Resume a subscription',
  description:
    'A paused subscription is resumed with the next period that begins, counted from `anchorAt` as if it had never been paused. Its invoice is finalized `leadDays` before. Until then the status is `paused`. A pause that was requested and has not begun is withdrawn.',
  answers: { 200: subscriptionReadRecord },
  refusals: ['state_conflict', 'idempotency_key_reused'],
}

export const changeSubscriptionDocs: Docs = {
  operation: 'changeSubscription',
  summary: 'Change the price of a subscription',
  description:
    'Sets the lines of the invoices from the next period on: those of a plan, or your own. Nothing is prorated. An unpaid invoice of the next period is voided and issued again; if that period is being paid or is paid, the change applies from the period after it. Only the price changes: the interval, the days and all other terms stay as they are, so the plan must have the same currency and interval.',
  answers: { 200: subscriptionReadRecord },
  refusals: [
    ...(['parameter_missing', 'resource_not_found', 'plan_archived', 'currency_mismatch'] as const),
    ...(['invoice_total_out_of_range', 'state_conflict', 'idempotency_key_reused'] as const),
  ],
  fields: {
    planId: 'Plan with the new lines. Either this or `lines` is required.',
    lines: '1 to 20 lines of the invoice of each period. The subscription has no plan then.',
    ...lineDocs,
  },
  example: { planId: exampleId('plan') },
}

export const listSubscriptionInvoicesDocs: Docs = {
  operation: 'listSubscriptionInvoices',
  summary: 'List invoices of a subscription',
  answers: { 200: listShape(invoiceReadRecord) },
}

export const previewSubscriptionDocs: Docs = {
  operation: 'previewSubscription',
  summary: 'Preview the next invoice of a subscription',
  description:
    'The next invoice that is not finalized yet, as things are now. Refused with `state_conflict` if there will be none: the subscription has ended, is paused, is canceled at the end of the period or is in its last period. Refused for `incomplete` too, because the periods are not known yet.',
  answers: { 200: invoicePreviewRecord },
  refusals: ['state_conflict'],
}
