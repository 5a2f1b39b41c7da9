import { listShape } from '../../fields/shape.ts'
import { paymentLinkRecord } from '../../kinds/payment-link.ts'
import { visitedLinkShape } from '../../records/shapes/checkout.ts'
import type { Docs } from './docs.ts'

export const listPaymentLinksDocs: Docs = {
  operation: 'listPaymentLinks',
  summary: 'List payment links',
  answers: { 200: listShape(paymentLinkRecord) },
}

export const createPaymentLinkDocs: Docs = {
  operation: 'createPaymentLink',
  summary: 'Create a payment link',
  description:
    'Creates a payment link for a fixed amount. Send your customers to `url`. `assets` restricts the assets that they can pay with; each must be available on a chain that is enabled on the server.',
  answers: { 201: paymentLinkRecord },
  refusals: ['duplicate_reference', 'unsupported_currency', 'unsupported_asset', 'idempotency_key_reused'],
  fields: {
    amountMinor: 'Amount in the minor unit of the currency (ISO 4217), at least 1: 4900 is 49.00 EUR.',
    expiresAt: 'Time at which the link expires: a future time, ISO 8601 in UTC. Null or missing: never.',
  },
  example: { amountMinor: 4900, currency: 'EUR', title: 'A lamp', reference: 'order 7', maxPayments: 1 },
}

export const previewPaymentLinkDocs: Docs = {
  operation: 'previewPaymentLink',
  summary: 'Preview a payment link',
  description:
    'Takes the body of a creation and returns what customers of the link would see, as `GET /v1/checkout/links/:linkId` does. Nothing is stored: no link has the returned ID, and the reference may be in use.',
  answers: { 200: visitedLinkShape },
  refusals: ['unsupported_currency', 'unsupported_asset'],
  // Of the fields that are sent, as for the link that is created.
  fields: { ...paymentLinkRecord.inside, ...createPaymentLinkDocs.fields },
  example: { amountMinor: 4900, currency: 'EUR', title: 'A lamp' },
}

export const getPaymentLinkDocs: Docs = {
  operation: 'getPaymentLink',
  summary: 'Retrieve a payment link',
  answers: { 200: paymentLinkRecord },
}

export const deactivatePaymentLinkDocs: Docs = {
  operation: 'deactivatePaymentLink',
  summary: 'Deactivate a payment link',
  description:
    'This cannot be undone. Payments that are already open continue. A second request has no effect and returns the same link. The link of an invoice returns `state_conflict`.',
  answers: { 200: paymentLinkRecord },
  refusals: ['payment_link_not_active', 'state_conflict'],
}
