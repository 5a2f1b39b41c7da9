import { describe, expect, test } from 'bun:test'
import type { InvoiceWithLines, SubscriptionWithLines } from '../../../src/web/api/calls.ts'
import { nextStepOf } from '../../../src/web/dashboard/subscriptions/next-step.ts'
import { periodsOf } from '../../../src/web/dashboard/subscriptions/periods.ts'
import { invoices } from './samples.ts'
import { subscriptions } from './subscription-samples.ts'

/** Periods of a month from 31 August; the present one, number 3, is December. */
const of = (more: Partial<SubscriptionWithLines> = {}): SubscriptionWithLines => ({
  ...subscriptions.active,
  ...{ anchorAt: '2026-08-31T09:00:00.000Z', periodIndex: 3, periodStart: '2026-11-30T09:00:00.000Z' },
  ...{ periodEnd: '2026-12-31T09:00:00.000Z', nextInvoiceAt: '2026-12-24T09:00:00.000Z' },
  ...more,
})

const invoiceOf = (periodIndex: number, more: Partial<InvoiceWithLines> = {}): InvoiceWithLines => ({
  ...{ ...invoices.open, id: `inv_${periodIndex}`, totalMinor: 500 },
  subscription: { id: subscriptions.active.id, periodIndex, periodStart: null, periodEnd: null },
  ...more,
})

const before = { periodIndex: 0, periodStart: null, periodEnd: null }
const december = '2026-12-31T09:00:00.000Z'
const january = '2027-01-31T09:00:00.000Z'

describe('what happens next', () => {
  test.each([
    ['renews for its price', of(), [], { kind: 'renews', at: december, amountMinor: 6_311 }],
    ['renews for what its next invoice says', of(), [invoiceOf(4)], { kind: 'renews', at: december, amountMinor: 500 }],
    [
      'renews for its price if that invoice was voided',
      of(),
      [invoiceOf(4, { status: 'void' })],
      { kind: 'renews', at: december, amountMinor: 6_311 },
    ],
    ['is canceled when the period is over', of({ cancelAtPeriodEnd: true }), [], { kind: 'cancels', at: december }],
    [
      'is canceled one period later if that is paid',
      of({ cancelAtPeriodEnd: true }),
      [invoiceOf(4, { status: 'paid' })],
      { kind: 'cancels', at: january },
    ],
    [
      'is canceled one period later if that is being paid',
      of({ cancelAtPeriodEnd: true }),
      [invoiceOf(4, { amountProcessingMinor: 1 })],
      { kind: 'cancels', at: january },
    ],
    ['is paused when the period is over', of({ pauseAtPeriodEnd: true }), [], { kind: 'pauses', at: december }],
    ['is completed after its last period', of({ maxPeriods: 4 }), [], { kind: 'completes', at: december }],
    [
      'renews for what was decided for it',
      of({ pendingChange: { planId: null, periodIndex: 4, amountMinor: 700 } }),
      [],
      { kind: 'renews', at: december, amountMinor: 700 },
    ],
    [
      'renews for its price if another one was decided for later',
      of({ pendingChange: { planId: null, periodIndex: 5, amountMinor: 700 } }),
      [],
      { kind: 'renews', at: december, amountMinor: 6_311 },
    ],
    ['renews for the last time', of({ maxPeriods: 5 }), [], { kind: 'renews', at: december, amountMinor: 6_311 }],
    [
      'begins with the end of the trial',
      of({ ...before, status: 'trialing', trialEndsAt: '2026-08-31T09:00:00.000Z' }),
      [],
      { kind: 'trial_ends', at: '2026-08-31T09:00:00.000Z', amountMinor: 6_311 },
    ],
    ['awaits a payment', of({ ...before, status: 'incomplete' }), [], { kind: 'awaits_payment' }],
    [
      'is paused after the grace',
      of({ status: 'past_due', graceEndsAt: january, afterGrace: 'pause' }),
      [],
      { kind: 'grace_pauses', at: january },
    ],
    ['rests', of({ status: 'paused', nextInvoiceAt: null }), [], { kind: 'rests' }],
    ['resumes when its next invoice is planned', of({ status: 'paused' }), [], { kind: 'resumes' }],
    [
      'resumes after a day',
      of({ status: 'paused', nextInvoiceAt: null, resumesAt: january }),
      [],
      { kind: 'resumes_after', at: january },
    ],
    ['has ended', of({ status: 'canceled', endedAt: january }), [], { kind: 'ended', at: january }],
  ] as const)('%s', (_, subscription, known, step) => {
    expect(nextStepOf(subscription, known)).toEqual(step)
  })
})

describe('the periods of a subscription', () => {
  const shown = (subscription: SubscriptionWithLines, known: readonly InvoiceWithLines[], hasMore?: boolean) =>
    periodsOf(subscription, known, hasMore).map(({ index, start, place, invoice }) =>
      [index, start?.slice(0, 10) ?? '-', place, invoice?.id ?? '-'].join(' '),
    )

  test('are counted from the anchor, with the next one at the top', () => {
    expect(shown(of(), [invoiceOf(3), invoiceOf(1, { status: 'void' }), invoiceOf(1, { id: 'inv_again' })])).toEqual([
      '4 2026-12-31 next -',
      '3 2026-11-30 now inv_3',
      '2 2026-10-31 past -',
      '1 2026-09-30 past inv_again',
      '0 2026-08-31 past -',
    ])
  })

  test('end with the present one if no other follows, and begin with the oldest invoice that is known', () => {
    expect(shown(of({ nextInvoiceAt: null }), [invoiceOf(3), invoiceOf(2)], true)).toEqual([
      '3 2026-11-30 now inv_3',
      '2 2026-10-31 past inv_2',
    ])
  })

  test('the one that is owed is the present one', () => {
    const owed = of({ status: 'past_due', nextInvoiceAt: null, openInvoiceId: 'inv_4' })
    expect(shown(owed, [invoiceOf(4), invoiceOf(3)]).slice(0, 2)).toEqual([
      '4 2026-12-31 now inv_4',
      '3 2026-11-30 past inv_3',
    ])
    // Begun before it was paid: the first one is owed.
    const first = of({ status: 'past_due', nextInvoiceAt: null, openInvoiceId: 'inv_0', periodIndex: 0 })
    expect(shown(first, [invoiceOf(0)])).toEqual(['0 2026-08-31 now inv_0'])
  })

  test('have no dates before the first payment, and are over when the subscription has ended', () => {
    const { waiting, unpaid } = subscriptions
    expect(shown(waiting, [invoiceOf(0)])).toEqual(['0 - next inv_0'])
    expect(shown(unpaid, [invoiceOf(3)])[0]).toBe('3 2026-11-01 past inv_3')
  })
})
