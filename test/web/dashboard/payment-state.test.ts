import { expect, test } from 'bun:test'
import type { PaymentWithCrypto } from '../../../src/web/api/calls.ts'
import { paymentPath } from '../../../src/web/dashboard/payments/payment-state.ts'
import { dashboardEn } from '../../../src/web/text/dashboard/en.ts'

const { states } = dashboardEn

/** Status, exception, whether a decision is open, and the word that the dashboard shows for it. */
test.each([
  ['failed', 'underpaid', true, 'Underpaid', 'warn'],
  ['failed', 'underpaid', false, 'Failed', 'bad'],
  ['failed', null, false, 'Failed', 'bad'],
  ['pending', 'underpaid', false, 'Underpaid', 'warn'],
  ['expired', 'late', true, 'Late', 'warn'],
  ['expired', 'late', false, 'Expired', 'quiet'],
  ['canceled', 'wrong_asset', true, states.wrongAsset, 'warn'],
] as const)(
  'a %s payment with exception %s, decision open: %p, is shown as %s',
  (status, exception, isOpen, word, tone) => {
    const attention = isOpen ? exception : null
    const payment = { status, attention, crypto: { exception } } as unknown as PaymentWithCrypto
    expect(paymentPath(payment, states)).toMatchObject({ word, tone })
  },
)
