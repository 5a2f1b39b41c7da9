import { type PaymentLink, paymentLinkMachine } from '../../machines/payment-link.ts'
import type { Kind } from '../actors/kind.ts'

export const paymentLinkKind: Kind<PaymentLink> = {
  name: 'payment_link',
  table: 'payment_links',
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
  timers: { expiry: ({ expiresAt }) => expiresAt ?? NEVER },
  refusals: { payment_links_reference_once: 'duplicate_reference' },
}

// A timer is armed for every state that has one, so a link without an end waits for the end of time.
const NEVER = new Date('9999-12-31T00:00:00.000Z')
