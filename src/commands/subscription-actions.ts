import type { Plan } from '../../machines/plan.ts'
import type { Subscription, SubscriptionChanges, SubscriptionPrice } from '../../machines/subscription-events.ts'
import type { Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'
import { subscriptionKind } from '../kinds/subscription.ts'
import { firstIndexAfter, nextStart } from '../kinds/subscription-times.ts'
import { findBillingSettings } from '../queries/billing-settings.ts'
import { findPlan } from '../queries/plans.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findSubscription } from '../queries/subscriptions.ts'
import { findCustomerTime } from '../queries/test-clocks.ts'
import { type Requester, refuseTwin } from './by.ts'
import { afterBundle, dispatchPlanned, type InvoiceServices, untilCurrent, withResponse } from './finalizations.ts'
import { type NewLine, summedLines } from './invoice-content.ts'
import { daysOf } from './plans.ts'
import { refuseState, refuseStateOf } from './state-conflicts.ts'
import { atRevision, type Voiding, voidLaterInvoices } from './subscription-invoices.ts'

/**
 * Cancels a subscription, now or when the period that was paid is over. Its invoices that are not paid are voided in the
 * same commit, except those to which money was sent.
 */
export const cancelSubscription = (
  services: InvoiceServices,
  key: RecordKey,
  at: 'period_end' | 'now',
  requester: Requester<Subscription>,
  by: 'merchant' | 'customer' = 'merchant',
): Promise<Actor<Subscription>> =>
  act(services, key, requester, async (subscription, voiding) => {
    const isNow = at === 'now' || subscription.state === 'paused'
    const byCustomer = by === 'customer'
    const event = isNow
      ? { type: 'cancel', reason: byCustomer ? 'customer' : 'requested' }
      : { type: 'cancel_at_end', ...(byCustomer && { reason: 'customer' }) }
    return withVoided(event, await voidLaterInvoices(services, subscription, voiding))
  })

/** Ends it immediately, unless it has ended. Before its first invoice is paid it expires, which callers cannot request. */
export const endSubscription = (
  services: InvoiceServices,
  key: RecordKey,
  cause: string,
): Promise<Actor<Subscription>> =>
  act(
    services,
    key,
    { cause, responseRows: () => [] },
    async (subscription, voiding) => {
      const later = await voidLaterInvoices(services, subscription, voiding)
      // The first invoice was paid, which the same bundle records.
      const hasBegun =
        subscription.state !== 'incomplete' || later.commands.some(({ actor }) => actor === subscription.id)
      return withVoided(hasBegun ? { type: 'cancel', reason: 'requested' } : { type: 'expire' }, later)
    },
    ended => ended,
  )

/** Pauses it when the period that was paid is over. Invoices of later periods are voided, as by canceling it. */
export const pauseSubscription = (
  services: InvoiceServices,
  key: RecordKey,
  resumesAt: Date | null,
  requester: Requester<Subscription>,
): Promise<Actor<Subscription>> =>
  act(services, key, requester, async (subscription, voiding) => {
    const { state, context } = subscription
    if (state !== 'active' && state !== 'past_due') refuseStateOf(subscription)
    if (resumesAt !== null) requireResumption(context, resumesAt, await findCustomerTime(services, context.testClockId))
    return withVoided({ type: 'pause', resumesAt }, await voidLaterInvoices(services, subscription, voiding))
  })

/** Longer than any test clock can be advanced in one request. */
const MOST_YEARS_PAUSED = 10

const requireResumption = (subscription: Subscription, resumesAt: Date, now: Date): void => {
  const pausedAt = nextStart(subscription) ?? now
  if (resumesAt <= now || resumesAt <= pausedAt)
    refuse('parameter_invalid', {
      ...{ param: 'resumesAt', message: 'resumesAt must be in the future, and after the end of the current period.' },
    })
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + MOST_YEARS_PAUSED)
  if (resumesAt > latest)
    refuse('parameter_invalid', {
      ...{ param: 'resumesAt', message: `resumesAt must be at most ${MOST_YEARS_PAUSED} years ahead.` },
    })
}

/** Resumes a paused one with the next period that begins. A pause that was requested is withdrawn. */
export const resumeSubscription = (
  services: InvoiceServices,
  key: RecordKey,
  requester: Requester<Subscription>,
): Promise<Actor<Subscription>> =>
  act(services, key, requester, async ({ context }) => {
    const now = await findCustomerTime(services, context.testClockId)
    return { event: { type: 'resume', resumeIndex: firstIndexAfter(context, now) } }
  })

/** Withdraws a cancellation at the end of the period. A customer can withdraw their own. */
export const uncancelSubscription = (
  services: InvoiceServices,
  key: RecordKey,
  requester: Requester<Subscription>,
  by: 'merchant' | 'customer' = 'merchant',
): Promise<Actor<Subscription>> =>
  act(services, key, requester, async subscription => {
    if (by === 'customer' && !subscription.context.canceledByCustomer) refuseStateOf(subscription)
    return { event: { type: 'uncancel' } }
  })

export type PriceRequest = { readonly planId: string } | { readonly lines: readonly NewLine[] }

/**
 * Changes what the periods cost that are not paid. An invoice of the next one is voided unless money was sent for it, and
 * issued again.
 */
export const changePrice = (
  services: InvoiceServices,
  key: RecordKey,
  request: PriceRequest,
  requester: Requester<Subscription>,
): Promise<Actor<Subscription>> =>
  act(services, key, requester, async (subscription, voiding) => {
    const price = await priceOf(services, subscription, request)
    return withVoided({ type: 'change', price }, await voidLaterInvoices(services, subscription, voiding))
  })

const priceOf = async (
  { sql }: InvoiceServices,
  { context }: Actor<Subscription>,
  request: PriceRequest,
): Promise<SubscriptionPrice> => {
  const { merchantId, livemode, currency, taxBehavior } = context
  if ('lines' in request) {
    const settings = (await findBillingSettings(sql, merchantId)) ?? refuse('resource_not_found')
    return { planId: null, currency, taxBehavior, ...summedLines(request.lines, taxBehavior, settings.tax_rate_bps) }
  }
  const { planId } = request
  const plan =
    (await findPlan(sql, { merchantId, livemode, id: planId })) ?? refuse('resource_not_found', { param: 'planId' })
  if (plan.state === 'archived') refuse('plan_archived', { param: 'planId' })
  requireSameCadence(context, plan.context)
  const { lines, taxes, subtotalMinor, taxMinor, totalMinor } = plan.context
  return {
    ...{ planId, currency, taxBehavior: plan.context.taxBehavior },
    ...{ lines, taxes, subtotalMinor, taxMinor, totalMinor },
  }
}

/** Periods are counted from the anchor, so their length cannot change. */
const requireSameCadence = (subscription: Subscription, plan: Plan): void => {
  if (plan.currency !== subscription.currency)
    refuse('currency_mismatch', {
      ...{ param: 'planId', message: `The plan is in ${plan.currency}, the subscription in ${subscription.currency}.` },
    })
  if (plan.interval !== subscription.interval || plan.intervalCount !== subscription.intervalCount)
    refuse('parameter_invalid', {
      ...{ param: 'planId', message: 'planId must be of a plan with the interval of the subscription.' },
    })
}

/** Changes the fields that were sent. */
export const updateSubscription = (
  services: InvoiceServices,
  key: RecordKey,
  changes: SubscriptionChanges,
  cause: string,
): Promise<Actor<Subscription>> =>
  act(services, key, { cause, responseRows: () => [] }, async ({ context }) => {
    daysOf({ ...context, ...changes })
    return { event: { type: 'update', changes } }
  })

type Action = {
  readonly event: { readonly type: string } & Readonly<Record<string, unknown>>
  /** What comes before the event in the bundle. */
  readonly commands?: readonly Command[]
}

const withVoided = (
  event: Action['event'],
  { voided, commands }: { readonly voided: readonly string[]; readonly commands: readonly Command[] },
): Action => ({ event: { ...event, voided }, commands })

/**
 * Sends an event that was made for a subscription as it was read, with the commands that belong to it. If the subscription
 * or one of its invoices has changed since, it is read again: then its machine decides whether the event is still possible.
 */
const act = (
  services: InvoiceServices,
  key: RecordKey,
  { cause, responseRows }: Requester<Subscription>,
  plan: (subscription: Actor<Subscription>, voiding: Voiding) => Promise<Action>,
  whenEnded: (subscription: Actor<Subscription>) => Actor<Subscription> = refuseStateOf,
): Promise<Actor<Subscription>> =>
  untilCurrent(async attempt => {
    const subscription = (await findSubscription(services.sql, key)) ?? refuse('resource_not_found')
    const { id, context } = subscription
    if (context.endedAt !== null) return whenEnded(subscription)
    const { event, commands: before = [] } = await plan(subscription, { isRetried: attempt > 0, cause })
    const commands = atRevision(subscription, [...before, { kind: 'subscription', actor: id, event, cause }])
    const outcome = await dispatchPlanned(services, withResponse(subscriptionKind, id, commands, responseRows))
    if (outcome === 'stale') return undefined
    if (outcome.ok) return afterBundle(subscriptionKind, id, outcome)
    refuseTwin(outcome)
    // An invoice has changed since it was read: the next round reads it again.
    return outcome.actor?.kind === 'subscription' ? refuseState(outcome) : undefined
  })
