import { type PaymentLinkOpening, paymentLinkMachine } from '../../machines/payment-link.ts'
import { minutes, type Subject } from './table.ts'

export const paymentLinkOpening: PaymentLinkOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  amountMinor: 1000,
  currency: 'USD',
  title: 'A lamp',
  description: null,
  reference: 'order 7',
  assets: [{ chainId: 31337, asset: 'TUSD' }],
  maxPayments: 2,
  windowMinutes: 30,
  expiresAt: minutes(60),
  successUrl: null,
  metadata: {},
}

/** A link for two payments within an hour. */
export const paymentLinks: Subject = {
  machine: paymentLinkMachine,
  input: paymentLinkOpening,
  events: {
    open: { type: 'open_payment' },
    'open at the end': { type: 'open_payment', at: minutes(60) },
    processing: { type: 'payment_processing' },
    reverted: { type: 'payment_reverted' },
    succeeded: { type: 'payment_succeeded' },
    accepted: { type: 'payment_accepted' },
    deactivate: { type: 'deactivate' },
    'after expiry': { type: 'xstate.after' },
  },
  situations: {
    new: '',
    'one processing': 'processing',
    'two processing': 'processing, processing',
    'one paid': 'processing, succeeded',
    'one of each': 'processing, succeeded, processing',
    completed: 'accepted, accepted',
    'completed busy': 'accepted, processing, accepted',
    deactivated: 'deactivate',
    'deactivated busy': 'processing, deactivate',
    expired: 'after expiry',
    'expired busy': 'processing, after expiry',
  },
}
