import type {
  InvoicePreview,
  InvoiceWithLines,
  Plan,
  SubscriptionWithLines,
  TestClock,
} from '../../../src/web/api/calls.ts'
import { customers, invoices, merchantId } from './samples.ts'

type Line = Plan['lines'][number]

const line = (description: string, unitAmountMinor: number, more: Partial<Line> = {}): Line => ({
  ...{ id: '1', description, quantity: '1', unitAmountMinor, amountMinor: unitAmountMinor },
  ...{ taxRateBps: 1_900, taxCategory: 'standard', taxNote: null },
  ...more,
})

const plan = (n: number, name: string, more: Partial<Plan> = {}): Plan => ({
  ...{ object: 'plan', id: `plan_06bt${String(n).padStart(22, 'q')}`, merchantId, name, description: null },
  ...{ status: 'active', currency: 'EUR', lines: [line('Lamp of the month', 4_900)], taxBehavior: 'exclusive' },
  ...{ amountMinor: 5_831, interval: 'month', intervalCount: 1, trialDays: 0, leadDays: 7, graceDays: 7 },
  ...{ maxPeriods: null, activation: 'on_payment', afterGrace: 'cancel', assets: null, reference: null },
  ...{ subscriptionsCount: 0, metadata: {}, livemode: true, createdAt: '2026-11-02T09:12:44.000Z' },
  ...{ updatedAt: '2026-11-02T09:12:44.000Z', url: `https://pay.lampsandlight.com/plans/plan_06bt${n}9x3kq7v5n2c8hd1` },
  ...more,
})

export const plans = {
  month: plan(1, 'Lamp of the month', {
    ...{ description: 'A lamp by another workshop each month, with bulbs and a postcard.', reference: 'lotm' },
    ...{ subscriptionsCount: 214, trialDays: 14, metadata: { shelf: 'A7' } },
    lines: [
      line('Lamp of the month', 4_900),
      line('Shipping', 480, { id: '2', taxRateBps: 0, taxCategory: 'zero', taxNote: null }),
    ],
    amountMinor: 6_311,
  }),
  service: plan(2, 'Maintenance of street lamps', {
    ...{ interval: 'year', currency: 'USD', amountMinor: 2_499_000, activation: 'immediate', afterGrace: 'pause' },
    ...{ maxPeriods: 5, subscriptionsCount: 3, graceDays: 30, assets: [{ chainId: 8453, asset: 'USDC' }] },
    lines: [line('Maintenance of 240 street lamps', 2_100_000, { quantity: '1' })],
  }),
  week: plan(3, 'Candles', {
    ...{ interval: 'week', intervalCount: 2, leadDays: 2, graceDays: 3, amountMinor: 990, taxBehavior: 'inclusive' },
    lines: [line('Two dozen candles', 990)],
  }),
  long: plan(4, `Lampen‑Abonnement für Großkunden ${'mit sehr langem Namen '.repeat(6)}`.trim(), {
    ...{ status: 'archived', amountMinor: 9_007_199_254_740_991, subscriptionsCount: 12_408 },
    ...{ interval: 'month', intervalCount: 12, reference: 'R'.repeat(120) },
  }),
} as const

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-11-25T14:32:00.000Z')
const inDays = (days: number): string => new Date(NOW + days * DAY_MS).toISOString()

const subscription = (n: number, more: Partial<SubscriptionWithLines> = {}): SubscriptionWithLines => ({
  ...{ object: 'subscription', id: `sub_06bt${String(n).padStart(22, 'q')}`, merchantId, planId: plans.month.id },
  ...{ customerId: customers[n % 3]?.id ?? '', source: 'merchant', verified: true, status: 'active' },
  ...{ access: { granted: true, until: '2026-12-01T09:00:00.000Z' }, currency: 'EUR', lines: plans.month.lines },
  ...{ taxBehavior: 'exclusive', amountMinor: 6_311, interval: 'month', intervalCount: 1 },
  ...{ anchorAt: '2026-08-01T09:00:00.000Z', periodIndex: 3, periodStart: '2026-11-01T09:00:00.000Z' },
  ...{ periodEnd: '2026-12-01T09:00:00.000Z', nextInvoiceAt: null, trialEndsAt: null, leadDays: 7, graceDays: 7 },
  ...{ graceEndsAt: null, maxPeriods: null, activation: 'on_payment', afterGrace: 'cancel' },
  ...{
    cancelAtPeriodEnd: false,
    pauseAtPeriodEnd: false,
    canceledAt: null,
    endedAt: null,
    endReason: null,
    resumesAt: null,
  },
  ...{ pendingChange: null, openInvoiceId: null, latestInvoiceId: null, url: null, reference: null },
  ...{ testClockId: null, metadata: {}, livemode: true, createdAt: '2026-08-01T08:41:00.000Z', updatedAt: inDays(-1) },
  ...more,
})

const over = { access: { granted: false, until: null }, nextInvoiceAt: null } as const

export const subscriptions = {
  active: subscription(1, { reference: 'contract 7', metadata: { shelf: 'A7' } }),
  trial: subscription(2, {
    ...{ status: 'trialing', trialEndsAt: inDays(9), anchorAt: inDays(9), periodIndex: 0, periodStart: null },
    ...{
      periodEnd: null,
      nextInvoiceAt: inDays(2),
      createdAt: inDays(-5),
      access: { granted: true, until: inDays(9) },
    },
  }),
  overdue: subscription(3, {
    ...{ status: 'past_due', graceEndsAt: inDays(4), access: { granted: true, until: inDays(4) }, periodIndex: 2 },
    ...{ anchorAt: '2026-08-22T09:00:00.000Z', periodStart: '2026-10-22T09:00:00.000Z' },
    ...{ periodEnd: '2026-11-22T09:00:00.000Z', openInvoiceId: 'inv_06btqq339x3kq7v5n2c8hd1wz' },
  }),
  waiting: subscription(4, {
    ...{ ...over, status: 'incomplete', source: 'checkout', verified: false, createdAt: inDays(-1), periodIndex: 0 },
    ...{ periodStart: null, periodEnd: null },
  }),
  pausing: subscription(11, { pauseAtPeriodEnd: true, resumesAt: inDays(90) }),
  clock: subscription(10, {
    ...{
      testClockId: 'clk_06bt4m9x3kq7v5n2c8hd1wzrfe',
      pendingChange: { planId: null, periodIndex: 5, amountMinor: 7_311 },
    },
    ...{
      nextInvoiceAt: '2026-11-24T09:00:00.000Z',
      url: 'https://pay.lampsandlight.com/subscriptions/q7v5n2c8hd1wzrfe9x3k',
    },
  }),
  canceling: subscription(5, { cancelAtPeriodEnd: true, canceledAt: inDays(-2) }),
  paused: subscription(6, { ...over, status: 'paused', resumesAt: inDays(60), periodIndex: 1 }),
  unpaid: subscription(7, { ...over, status: 'canceled', endedAt: inDays(-3), endReason: 'unpaid' }),
  expired: subscription(8, {
    ...{ ...over, status: 'expired', endedAt: inDays(-3), endReason: 'incomplete', periodIndex: 0 },
    ...{ periodStart: null, periodEnd: null },
  }),
  complete: subscription(9, {
    ...{ ...over, status: 'completed', endedAt: inDays(-3), endReason: 'completed', planId: null, maxPeriods: 4 },
    ...{ amountMinor: 9_007_199_254_740_991, reference: 'R'.repeat(120) },
  }),
} as const

export const clock: TestClock = {
  ...{ object: 'test_clock', id: 'clk_06bt4m9x3kq7v5n2c8hd1wzrfe', now: '2026-11-20T09:00:00.000Z', status: 'ready' },
  ...{ livemode: false, createdAt: '2026-08-01T08:41:00.000Z', updatedAt: inDays(-1) },
}

export const invoicePreview: InvoicePreview = {
  ...{ object: 'invoice_preview', subscriptionId: subscriptions.active.id, customerId: customers[0]?.id ?? '' },
  ...{ periodIndex: 5, periodStart: '2027-01-01T09:00:00.000Z', periodEnd: '2027-02-01T09:00:00.000Z' },
  ...{ finalizesAt: '2026-12-25T09:00:00.000Z', dueDate: '2027-01-01', currency: 'EUR', taxBehavior: 'exclusive' },
  lines: plans.month.lines.map(each => ({ ...each, periodStart: '2027-01-01', periodEnd: '2027-02-01' })),
  taxes: [
    { taxCategory: 'standard', taxRateBps: 1_900, netMinor: 4_900, taxMinor: 931 },
    { taxCategory: 'zero', taxRateBps: 0, netMinor: 480, taxMinor: 0 },
  ],
  ...{ subtotalMinor: 5_380, taxMinor: 931, totalMinor: 6_311, creditAppliedMinor: 1_000, amountDueMinor: 5_311 },
  livemode: true,
}

/** Those of its periods, newest first. */
export const invoicesOfSubscription = (id: string): readonly InvoiceWithLines[] => {
  const found = Object.values(subscriptions).find(each => each.id === id) ?? subscriptions.active
  if (found.status === 'trialing') return []
  const hasNext = found.status === 'active' || found.status === 'past_due'
  const last = found.periodStart === null ? 0 : found.periodIndex + (hasNext ? 1 : 0)
  return Array.from({ length: last + 1 }, (_, n) => {
    const periodIndex = last - n
    const isOpen = periodIndex === last && found.status !== 'completed' && (hasNext || found.status === 'incomplete')
    const isVoid = found.status === 'expired' || (found.endReason === 'unpaid' && periodIndex === last)
    return {
      ...(isOpen ? invoices.open : isVoid ? invoices.void : invoices.paid),
      ...{ id: `inv_06bt${id.slice(-3)}${periodIndex}9x3kq7v5n2c8hd1wz`, number: `LL-2026-0${410 + periodIndex}` },
      ...{ totalMinor: found.amountMinor, amountDueMinor: isOpen ? found.amountMinor : 0, currency: found.currency },
      ...(isOpen ? {} : { amountPaidMinor: isVoid ? 0 : found.amountMinor }),
      subscription: { id, periodIndex, periodStart: null, periodEnd: null },
    }
  })
}
