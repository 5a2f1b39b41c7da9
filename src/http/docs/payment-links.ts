import { paymentLinkShape } from '../../records/shapes/payment-link.ts'
import { listShape } from '../../records/shapes/shape.ts'
import type { Docs } from './docs.ts'

export const listPaymentLinksDocs: Docs = {
  operation: 'listPaymentLinks',
  summary: 'List payment links',
  answers: { 200: listShape(paymentLinkShape) },
}

export const createPaymentLinkDocs: Docs = {
  operation: 'createPaymentLink',
  summary: 'Create a payment link',
  description:
    'Creates a payment link for a fixed amount. Send your customers to `url`. `assets` restricts the assets that they can pay with; each must be available on a chain that is enabled on the server.',
  answers: { 201: paymentLinkShape },
  refusals: ['duplicate_reference', 'unsupported_currency', 'unsupported_asset', 'idempotency_key_reused'],
  example: { amountMinor: 4900, currency: 'EUR', title: 'A lamp', reference: 'order 7', maxPayments: 1 },
}

export const getPaymentLinkDocs: Docs = {
  operation: 'getPaymentLink',
  summary: 'Retrieve a payment link',
  answers: { 200: paymentLinkShape },
}

export const deactivatePaymentLinkDocs: Docs = {
  operation: 'deactivatePaymentLink',
  summary: 'Deactivate a payment link',
  description:
    'This cannot be undone. Payments that are already open continue. A second request has no effect and returns the same link.',
  answers: { 200: paymentLinkShape },
  refusals: ['payment_link_not_active'],
}
