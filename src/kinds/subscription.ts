import { subscriptionMachine } from '../../machines/subscription.ts'
import type { Subscription } from '../../machines/subscription-events.ts'
import type { Kind } from '../actors/kind.ts'
import { addUtcDays } from '../billing/periods.ts'
import { resources } from '../resources.ts'
import { published } from './published.ts'
import { subscriptionRecord } from './subscription-record.ts'
import { DAYS_TO_PAY_FIRST, nextInvoiceAt, nextStart } from './subscription-times.ts'

const DAYS_BEFORE_TRIAL_ENDS = 3

/** Subscriptions of a merchant in one mode that were begun on the pages of plans and are not paid. */
export const MOST_INCOMPLETE = 1_000

export const subscriptionKind: Kind<Subscription> = {
  name: 'subscription',
  table: resources.subscription.table,
  machine: subscriptionMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    apiVersion: 'text',
    customerId: 'uuid',
    testClockId: 'uuid',
    planId: 'uuid',
    source: 'text',
    payer: 'json',
    trialKey: 'text',
    verified: 'boolean',
    currency: 'text',
    taxBehavior: 'text',
    lines: 'json',
    taxes: 'json',
    subtotalMinor: 'minor',
    taxMinor: 'minor',
    totalMinor: 'minor',
    interval: 'text',
    intervalCount: 'integer',
    anchorAt: 'time',
    anchorGiven: 'boolean',
    trialEndsAt: 'time',
    leadDays: 'integer',
    graceDays: 'integer',
    maxPeriods: 'integer',
    activation: 'text',
    afterGrace: 'text',
    assets: 'json',
    reference: 'text',
    metadata: 'json',
    periodIndex: 'integer',
    invoicedIndex: 'integer',
    latestInvoiceId: 'uuid',
    unpaid: 'json',
    firstDueAt: 'time',
    trialEndingSent: 'boolean',
    owedIndex: 'integer',
    graceEndsAt: 'time',
    pauseAtPeriodEnd: 'boolean',
    pausedAt: 'time',
    resumesAt: 'time',
    resumeIndex: 'integer',
    cancelAtPeriodEnd: 'boolean',
    canceledAt: 'time',
    canceledByCustomer: 'boolean',
    endedAt: 'time',
    endReason: 'text',
    pendingChange: 'json',
    tokenHash: 'text',
    sealedToken: 'text',
  },
  // Without the texts.
  history: [
    'customerId',
    'testClockId',
    'planId',
    'currency',
    'totalMinor',
    'anchorAt',
    'trialEndsAt',
    'leadDays',
    'graceDays',
    'periodIndex',
    'invoicedIndex',
    'latestInvoiceId',
    'unpaid',
    'owedIndex',
    'graceEndsAt',
    'pauseAtPeriodEnd',
    'pausedAt',
    'resumesAt',
    'resumeIndex',
    'cancelAtPeriodEnd',
    'canceledAt',
    'endedAt',
    'endReason',
  ],
  hasPlannedTimers: true,
  testClock: 'testClockId',
  timers: {
    expiry: (_, at) => addUtcDays(at, DAYS_TO_PAY_FIRST),
    trialEnding: ({ trialEndsAt, trialEndingSent }) =>
      trialEndsAt === null || trialEndingSent ? null : addUtcDays(trialEndsAt, -DAYS_BEFORE_TRIAL_ENDS),
    invoice: nextInvoiceAt,
    firstDue: ({ firstDueAt }) => firstDueAt,
    boundary: nextStart,
    grace: ({ graceEndsAt }) => graceEndsAt,
    resume: ({ resumesAt }) => resumesAt,
  },
  writes: {
    joinPlan: ({ context: { planId, pendingChange } }) => {
      const plan = pendingChange === null ? planId : pendingChange.planId
      return plan === null ? null : { function: 'join_plan', given: { plan } }
    },
    limitVisits: ({ context: { source, trialEndsAt } }) =>
      source === 'merchant' || trialEndsAt !== null
        ? null
        : { function: 'limit_visits', given: { most: MOST_INCOMPLETE } },
    joinCustomer: ({ context: { customerId } }) => ({ function: 'join_customer', given: { customer: customerId } }),
  },
  refusals: { subscriptions_trial_once: 'trial_used', subscriptions_incomplete_most: 'too_many_incomplete' },
  publish: published(subscription => subscriptionRecord.render(subscription)),
}
