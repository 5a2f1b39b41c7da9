import { type PaymentLinkOpening, paymentLinkMachine } from '../../machines/payment-link.ts'
import { type Cases, minutes } from './table.ts'

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
  hidden: false,
}

/** A link for two payments within an hour. */
export const paymentLinks: Cases = {
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
    close: { type: 'close' },
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
  minSteps: 40,
  walk: { minSteps: 4_000, inputs: [{ ...paymentLinkOpening, hidden: true }] },
  invalidRows: `
    new         | state = 'open'                  | payment_links_state
    new         | amount_minor = 0                | payment_links_amount
    new         | currency = ''                   | payment_links_currency
    new         | title = repeat('a', 201)        | payment_links_texts
    new         | description = repeat('a', 1001) | payment_links_texts
    new         | reference = repeat('a', 201)    | payment_links_texts
    new         | success_url = repeat('a', 2049) | payment_links_texts
    new         | window_minutes = 4              | payment_links_window
    new         | window_minutes = 10081          | payment_links_window
    deactivated | max_payments = 0                | payment_links_max_payments
    new         | payments_processing = -1        | payment_links_counts
    new         | payments_count = 2              | payment_links_completed
    new         | state = 'completed'             | payment_links_completed
    completed   | max_payments = null             | payment_links_completed
    new         | state = 'deactivated'           | payment_links_deactivated
    deactivated | state = 'active'                | payment_links_deactivated
    expired     | expires_at = null               | payment_links_expired
    new         | hidden = true                   | payment_links_hidden
  `,
  duplicates: `
    new | state = 'deactivated', deactivated_at = now() | reference = 'another'           | payment_links_reference_once
    new | amount_minor = 1                              | livemode = true                 | payment_links_reference_once
    new | title = 'another'                             | merchant_id = gen_random_uuid() | payment_links_reference_once
  `,
}
