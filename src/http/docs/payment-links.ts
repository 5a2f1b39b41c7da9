import { paymentLinkShape } from '../../records/shapes/payment-link.ts'
import { listShape } from '../../records/shapes/shape.ts'
import type { Docs } from '../openapi/docs.ts'

export const listPaymentLinks: Docs = {
  operation: 'listPaymentLinks',
  summary: 'List payment links',
  answers: { 200: listShape(paymentLinkShape) },
}

export const createPaymentLink: Docs = {
  operation: 'createPaymentLink',
  summary: 'Create a payment link',
  description:
    'A fixed amount and a page to pay it on: send customers to `url`. `assets` narrows what it can be paid with, and each must be offered by a chain that is switched on.',
  answers: { 201: paymentLinkShape },
  refusals: ['duplicate_reference', 'unsupported_currency', 'unsupported_asset', 'idempotency_key_reused'],
  example: { amountMinor: 4900, currency: 'EUR', title: 'A lamp', reference: 'order 7', maxPayments: 1 },
}

export const getPaymentLink: Docs = {
  operation: 'getPaymentLink',
  summary: 'Read a payment link',
  answers: { 200: paymentLinkShape },
}

export const deactivatePaymentLink: Docs = {
  operation: 'deactivatePaymentLink',
  summary: 'Close a payment link',
  description: 'For good. Payments that are open already run on. Doing it twice is doing it once.',
  answers: { 200: paymentLinkShape },
  refusals: ['payment_link_not_active'],
}
