import type { Invoice } from '../../../machines/invoice-events.ts'
import type { Plan } from '../../../machines/plan.ts'
import type { Subscription } from '../../../machines/subscription-events.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import type { PlanFacts, PlanPageRequest } from '../../../src/pages/checkout/plan.ts'
import type { ShownSubscription, SubscriptionFacts } from '../../../src/pages/checkout/subscription.ts'
import { subscriptionOpening } from '../../machines/subscription-cases.ts'
import { invoiceStates } from './invoice-states.ts'
import { checkoutFacts, minutesFromNow } from './states.ts'

export type PlanState = {
  readonly status: string
  readonly facts: PlanFacts
  readonly refused?: PlanPageRequest['refused']
}

export type SubscriptionState = {
  readonly status: string
  readonly facts: SubscriptionFacts
  readonly isRefused: boolean
}

const DAY = 1_440
const long = 'Lampenfreundinnen und Lampenfreunde – Jahresabonnement mit Wartung, Ersatzteilen und Beratung vor Ort'

const actorOf = <C>(kind: string, state: string, context: C): Actor<C> => ({
  ...{ id: '0193a000-0000-7000-8000-0000000000f7', kind, state, rev: 3, context },
  ...{ createdAt: minutesFromNow(-DAY), updatedAt: minutesFromNow(-60) },
})

const { payer: _, trialKey: __, tokenHash: ___, sealedToken: ____, ...terms } = subscriptionOpening

const price = {
  ...{ currency: 'EUR', subtotalMinor: 4_900, taxMinor: 931, totalMinor: 5_831 },
  taxes: [{ taxCategory: 'standard' as const, taxRateBps: 1900, netMinor: 4_900, taxMinor: 931 }],
}

const plan: Plan = {
  ...{ ...terms, ...price, livemode: true, name: 'Lamp club', trialDays: 0, maxPeriods: null, reference: null },
  description: 'A new lamp each month, with shades to change. Delivery to Germany and Austria is included.',
}

const planOf = (
  status: string,
  more: Partial<Plan> = {},
  { state = 'active', isReady = true, locale = 'en' as 'en' | 'de', refused = undefined as PlanState['refused'] } = {},
): PlanState => ({
  status,
  refused,
  facts: { checkout: { ...checkoutFacts(), locale }, plan: actorOf('plan', state, { ...plan, ...more }), isReady },
})

export const planStates: Readonly<Record<string, PlanState>> = {
  plan: planOf('open'),
  'plan-test': planOf('open', { livemode: false }),
  'plan-german': planOf('open', { trialDays: 14, intervalCount: 3, maxPeriods: 12 }, { locale: 'de' }),
  'plan-trial': planOf('open', { trialDays: 1, interval: 'year' }),
  'plan-long': planOf('open', { name: long, totalMinor: 9_007_199_254_740_991, intervalCount: 12 }),
  'plan-error': planOf(
    'open',
    {},
    { refused: { status: 400, email: 'anna', name: 'Anna', errors: { email: 'email' } } },
  ),
  'plan-too-many': planOf('open', {}, { refused: { status: 429, errors: { page: 'tooManySubscriptions' } } }),
  'plan-archived': planOf('closed', {}, { state: 'archived' }),
  'plan-free': planOf('unavailable', { totalMinor: 0, subtotalMinor: 0, taxMinor: 0 }),
  'plan-unavailable': planOf('unavailable', {}, { isReady: false }),
  'plan-unknown': { status: 'not_found', facts: { checkout: checkoutFacts(), isReady: false } },
}

const subscription: Subscription = {
  ...{ ...subscriptionOpening, ...price, livemode: true, maxPeriods: null, anchorAt: minutesFromNow(-10 * DAY) },
  ...{ periodIndex: 0, invoicedIndex: 0, latestInvoiceId: null, unpaid: [], firstDueAt: null, trialEndingSent: false },
  ...{ owedIndex: null, graceEndsAt: null, pauseAtPeriodEnd: false, pausedAt: null, resumesAt: null },
  ...{ resumeIndex: null, cancelAtPeriodEnd: false, canceledAt: null, canceledByCustomer: false },
  ...{ endedAt: null, endReason: null, pendingChange: null },
}

const invoiceIn = (name: string, more: Partial<Invoice> = {}): ShownSubscription['invoices'][number] => {
  const found = invoiceStates[name]?.facts.shown?.invoice
  if (!found) throw new Error(`There is no invoice ${name}`)
  const isDraft = found.state === 'draft'
  const periods = { periodStart: minutesFromNow(-10 * DAY), periodEnd: minutesFromNow(20 * DAY) }
  return {
    invoice: { ...found, context: { ...found.context, ...price, ...(!isDraft && periods), ...more } },
    ...{ path: '/invoices/token', documentPath: isDraft ? null : '/v1/checkout/invoices/token/document' },
  }
}

const paid = invoiceIn('invoice-paid', { amountPaidMinor: 5_831 })
const open = invoiceIn('invoice-open')

const of = (
  state: string,
  context: Partial<Subscription> = {},
  shown: Partial<ShownSubscription> = {},
  { isRefused = false, locale = 'en' as 'en' | 'de' } = {},
): SubscriptionState => ({
  ...{ status: context.endedAt ? 'closed' : 'open', isRefused },
  facts: {
    checkout: { ...checkoutFacts(), locale },
    shown: {
      subscription: actorOf('subscription', state, { ...subscription, ...context }),
      planName: 'Lamp club',
      period: { start: minutesFromNow(-10 * DAY), end: minutesFromNow(20 * DAY) },
      ...{ accessUntil: minutesFromNow(20 * DAY), nextInvoiceAt: minutesFromNow(13 * DAY), nextAmountMinor: 5_831 },
      ...{ expiresAt: minutesFromNow(6 * DAY), invoices: [paid], mayCancel: true, mayContinue: false },
      ...{ streamPath: '/v1/checkout/subscriptions/token/stream', eventId: '3' },
      ...shown,
    },
  },
})

const ended = { accessUntil: null, nextInvoiceAt: null, mayCancel: false, period: null }
const waiting = { period: null, accessUntil: null, nextInvoiceAt: null, mayCancel: false }
const draft = invoiceIn('invoice-draft')
const processing = invoiceIn('invoice-draft', { amountProcessingMinor: 5_831n })
const end = { endedAt: minutesFromNow(-DAY), canceledAt: minutesFromNow(-DAY) }
const graceEndsAt = minutesFromNow(5 * DAY)
const canceling = { cancelAtPeriodEnd: true, canceledAt: minutesFromNow(-60), canceledByCustomer: true }

export const subscriptionStates: Readonly<Record<string, SubscriptionState>> = {
  'subscription-incomplete': of('incomplete', {}, { ...waiting, invoices: [draft] }),
  'subscription-incomplete-processing': of('incomplete', {}, { ...waiting, invoices: [processing] }),
  'subscription-trialing': of(
    'trialing',
    { trialEndsAt: minutesFromNow(9 * DAY), periodIndex: null },
    { period: null, accessUntil: minutesFromNow(9 * DAY), nextInvoiceAt: minutesFromNow(2 * DAY), invoices: [] },
  ),
  'subscription-active': of('active'),
  'subscription-active-invoiced': of('active', {}, { nextInvoiceAt: null, invoices: [open, paid] }),
  'subscription-german': of('active', { livemode: false }, { nextAmountMinor: 6_900 }, { locale: 'de' }),
  'subscription-canceling': of('active', canceling, { mayCancel: false, mayContinue: true, nextInvoiceAt: null }),
  'subscription-pausing': of('active', { pauseAtPeriodEnd: true }, { nextInvoiceAt: null }),
  'subscription-past-due': of(
    'past_due',
    { owedIndex: 1, graceEndsAt },
    { accessUntil: graceEndsAt, invoices: [invoiceIn('invoice-overdue'), paid] },
  ),
  'subscription-past-due-pauses': of(
    'past_due',
    { owedIndex: 1, graceEndsAt, afterGrace: 'pause' },
    { accessUntil: graceEndsAt, invoices: [invoiceIn('invoice-overdue'), paid] },
  ),
  'subscription-paused': of('paused', { pausedAt: minutesFromNow(-DAY) }, { ...waiting, mayCancel: true }),
  'subscription-paused-until': of(
    'paused',
    { pausedAt: minutesFromNow(-DAY), resumesAt: minutesFromNow(30 * DAY) },
    { ...waiting, mayCancel: true },
  ),
  'subscription-canceled': of('canceled', { ...end, endReason: 'customer' }, ended),
  'subscription-unpaid': of('canceled', { ...end, endReason: 'unpaid' }, ended),
  'subscription-expired': of(
    'expired',
    { ...end, canceledAt: null, endReason: 'incomplete' },
    { ...ended, invoices: [] },
  ),
  'subscription-completed': of('completed', { ...end, canceledAt: null, endReason: 'completed' }, ended),
  'subscription-changed': of('active', {}, {}, { isRefused: true }),
  'subscription-long': of('active', { intervalCount: 12, totalMinor: 9_007_199_254_740_991 }, { planName: long }),
  'subscription-unknown': { ...{ status: 'not_found', isRefused: false }, facts: { checkout: checkoutFacts() } },
}
