import type { Invoice } from '../../machines/invoice-events.ts'
import type { Plan } from '../../machines/plan.ts'
import type { Subscription, SubscriptionOpening } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import { addUtcDays } from '../billing/periods.ts'
import { emailKey, isErasedEmail } from '../email-key.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import { MOST_INCOMPLETE, subscriptionKind } from '../kinds/subscription.ts'
import { ofKind } from '../queries/actors.ts'
import { takeAttempt } from '../queries/attempts.ts'
import { findBillingSettings } from '../queries/billing-settings.ts'
import { type FinalizationFacts, payerParty } from '../queries/invoices.ts'
import { findSubscriber, hasIncomplete, type VisitedPlan } from '../queries/plan-pages.ts'
import { findPlan } from '../queries/plans.ts'
import { findCustomerTime } from '../queries/test-clocks.ts'
import { SUBSCRIPTION_PURPOSE } from '../sealed-columns.ts'
import { newPayingCustomer } from './checkouts.ts'
import { afterBundle, dispatchPlanned, type InvoiceServices, requireComplete, untilCurrent } from './finalizations.ts'
import { newPageToken } from './page-tokens.ts'
import { refuseState } from './state-conflicts.ts'
import { openingCommands } from './subscription-invoices.ts'
import { planTerms } from './subscriptions.ts'

/** A visitor of the page of a plan. `group`: of the address, for the limit. */
export type Subscriber = { readonly payer: NonNullable<Subscription['payer']>; readonly group: string }

/** `invoice`: a draft that can be paid. Undefined for a trial, whose first invoice comes later. */
export type PlanSubscription = {
  readonly subscription: Actor<Subscription>
  readonly invoice: Actor<Invoice> | undefined
}

/** Of an address group, in a sliding hour. */
const limit = { allowed: 20, seconds: 3_600 }

/**
 * Subscribes a visitor of the page of a plan. An e-mail address proves nothing: nothing of the customer that it belongs to is
 * read or used, and the answer is the same if there is none. So the subscription begins when it is paid, or with its trial,
 * also with `immediate`. A trial is given once for each plan and e-mail address.
 */
export const subscribeToPlan = async (
  services: InvoiceServices,
  { plan, terms: { api_version: apiVersion } }: VisitedPlan,
  { payer, group }: Subscriber,
  cause: string,
): Promise<PlanSubscription> => {
  const { sql, clock, random } = services
  const { merchantId, livemode } = plan.context
  const owner = { merchantId, livemode }
  if (isErasedEmail(payer.email)) refuse('customer_erased', { param: 'customerEmail' })
  requireOpen(plan)
  const settings = (await findBillingSettings(sql, merchantId)) ?? refuse('resource_not_found')
  requireComplete({ settings }, livemode)
  const { wait } = await takeAttempt(sql, [`subscribe:${group}`], limit)
  if (wait !== null) refuse('rate_limited', { retryAfter: wait, quota: limit })
  let hasTrial = plan.context.trialDays > 0
  // Decided in the commit. Read before as well, because a commit that refuses one command is repeated for the others.
  if (!hasTrial && (await hasIncomplete(sql, owner, MOST_INCOMPLETE))) refuseMore()
  return untilCurrent(async () => {
    // Again in every round: the plan may have been archived.
    const current = (await findPlan(sql, { ...owner, id: plan.id })) ?? refuse('resource_not_found')
    requireOpen(current)
    const { trialDays, ...its } = planTerms(current)
    const found = await findSubscriber(sql, owner, payer.email)
    const { id: customerId, testClockId } = found ?? { id: uuidv7(clock.now(), random), testClockId: null }
    const now = await findCustomerTime(services, testClockId)
    const trialEndsAt = hasTrial ? addUtcDays(now, trialDays) : null
    const id = uuidv7(clock.now(), random)
    const opening: SubscriptionOpening = {
      ...{ ...its, ...owner, apiVersion, customerId, testClockId, activation: 'on_payment' },
      ...{ source: 'checkout', verified: false, payer, trialKey: hasTrial ? emailKey(payer.email) : null },
      ...{ anchorAt: trialEndsAt ?? now, anchorGiven: hasTrial, trialEndsAt, reference: null, metadata: {} },
      ...newPageToken(services, SUBSCRIPTION_PURPOSE, id),
    }
    const facts: FinalizationFacts = {
      ...{ settings, creditMinor: 0 },
      customer: { ...payerParty(payer), id: customerId, state: 'active' },
    }
    const customer = found ? [] : [newPayingCustomer(customerId, { ...owner, apiVersion, ...payer }, cause)]
    const opened = await openingCommands(services, { id, opening, facts, cause })
    const outcome = await dispatchPlanned(services, [...customer, ...opened])
    if (outcome === 'stale') return undefined
    if (outcome.ok) {
      const invoice = outcome.done.find(({ actor }) => actor.kind === 'invoice')
      return {
        subscription: afterBundle(subscriptionKind, id, outcome),
        invoice: invoice && ofKind(invoiceKind, invoice.actor),
      }
    }
    if (outcome.refusal === 'too_many_incomplete') refuseMore()
    if (outcome.refusal !== 'trial_used' || !hasTrial) return refuseState(outcome)
    hasTrial = false
    return undefined
  })
}

const refuseMore = (): never => refuse('rate_limited', { retryAfter: limit.seconds })

const requireOpen = ({ state, context }: Actor<Plan>): void => {
  if (state === 'archived') refuse('plan_archived')
  if (context.totalMinor === 0) refuse('state_conflict', { message: FREE, details: { status: state } })
}

const FREE = 'A period of the plan costs nothing, so it cannot be subscribed to on its page.'
