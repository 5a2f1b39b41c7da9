import { type PaymentLink, paymentLinkMachine } from '../../machines/payment-link.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'

export const paymentLinkKind: Kind<PaymentLink> = {
  name: 'payment_link',
  table: resources.payment_link.table,
  machine: paymentLinkMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    amountMinor: 'minor',
    currency: 'text',
    title: 'text',
    description: 'text',
    reference: 'text',
    assets: 'json',
    maxPayments: 'integer',
    windowMinutes: 'integer',
    expiresAt: 'time',
    successUrl: 'text',
    metadata: 'json',
    paymentsOpened: 'integer',
    paymentsProcessing: 'integer',
    paymentsCount: 'integer',
    deactivatedAt: 'time',
  },
  history: [
    'amountMinor',
    'currency',
    'reference',
    'maxPayments',
    'expiresAt',
    'paymentsOpened',
    'paymentsProcessing',
    'paymentsCount',
    'deactivatedAt',
  ],
  timers: { expiry: ({ expiresAt }) => expiresAt },
  refusals: { payment_links_reference_once: 'duplicate_reference' },
}
