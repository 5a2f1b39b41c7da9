import type { PageToken } from '../../machines/invoice-events.ts'
import type { Plan } from '../../machines/plan.ts'
import type { Subscription, SubscriptionOpening } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import { addUtcDays } from '../billing/periods.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { subscriptionKind } from '../kinds/subscription.ts'
import { type BillingSettingsRow, findBillingSettings } from '../queries/billing-settings.ts'
import { getEventsVersion } from '../queries/customers.ts'
import { getCreditBalance } from '../queries/invoices.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { findPlan } from '../queries/plans.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findSubscription } from '../queries/subscriptions.ts'
import { findCustomerTime } from '../queries/test-clocks.ts'
import { SUBSCRIPTION_PURPOSE } from '../sealed-columns.ts'
import { type Requester, refuseTwin } from './by.ts'
import {
  afterBundle,
  dispatchPlanned,
  type InvoiceServices,
  requireComplete,
  untilCurrent,
  withResponse,
} from './finalizations.ts'
import { type NewLine, summedLines } from './invoice-content.ts'
import { type CustomerReference, nameCustomer } from './named-customers.ts'
import { newPageToken } from './page-tokens.ts'
import { daysOf } from './plans.ts'
import { refuseState } from './state-conflicts.ts'
import { openingCommands } from './subscription-invoices.ts'

/** What a subscription without a plan costs and how it is renewed, as a caller sends it. */
export type SubscriptionTerms = Pick<
  Plan,
  'currency' | 'interval' | 'intervalCount' | 'trialDays' | 'maxPeriods' | 'activation' | 'afterGrace' | 'assets'
> & {
  readonly lines: readonly NewLine[]
  readonly taxBehavior: Plan['taxBehavior'] | undefined
  readonly leadDays: number | undefined
  readonly graceDays: number | undefined
}

export type SubscriptionRequest = {
  readonly owner: ListOwner
  readonly customer: CustomerReference
  readonly terms: { readonly planId: string } | SubscriptionTerms
  readonly anchorAt: Date | undefined
  /** Replaces the trial of the plan. */
  readonly trialDays: number | undefined
  readonly trialEndsAt: Date | undefined
} & Pick<SubscriptionOpening, 'reference' | 'metadata'>

/** Periods can be counted from a time in the future, but not from one that is so far away. */
const MOST_DAYS_AHEAD = 366
/** As of plans. */
const MOST_TRIAL_DAYS = 730

/**
 * Creates a subscription with its first invoice, or with its trial, and the customer if there is none with the e-mail
 * address, in one commit.
 */
export const createSubscription = async (
  services: InvoiceServices,
  request: SubscriptionRequest,
  { cause, responseRows }: Requester<Subscription>,
): Promise<Actor<Subscription>> => {
  const { sql, clock, random } = services
  const { owner } = request
  const settings = (await findBillingSettings(sql, owner.merchantId)) ?? refuse('resource_not_found')
  const apiVersion = await getEventsVersion(sql, owner.merchantId)
  return untilCurrent(async () => {
    // Again in every round: the plan may have been archived.
    const terms = await termsOf(services, request, settings)
    const customer = await nameCustomer(services, owner, request.customer, cause)
    const { testClockId } = customer.context
    const now = await findCustomerTime(services, testClockId)
    const times = timesOf(request, terms.trialDays, now)
    const { trialDays: _, ...kept } = terms
    const { merchantId, livemode } = owner
    const id = uuidv7(clock.now(), random)
    const opening: SubscriptionOpening = {
      ...{ ...kept, ...times, merchantId, livemode, apiVersion, customerId: customer.id, testClockId },
      ...{ source: 'merchant', verified: true, payer: null, trialKey: null },
      // What begins when it is created is counted from then.
      anchorGiven: times.anchorGiven || terms.activation === 'immediate',
      ...{ reference: request.reference, metadata: request.metadata },
      ...newPageToken(services, SUBSCRIPTION_PURPOSE, id),
    }
    const facts = {
      ...{ settings, customer: { ...customer.context, id: customer.id, state: customer.state } },
      creditMinor: await getCreditBalance(sql, customer.id, opening.currency),
    }
    requireComplete(facts, owner.livemode)
    const commands = [...customer.commands, ...(await openingCommands(services, { id, opening, facts, cause }))]
    const outcome = await dispatchPlanned(services, withResponse(subscriptionKind, id, commands, responseRows))
    if (outcome === 'stale') return undefined
    if (outcome.ok) return afterBundle(subscriptionKind, id, outcome)
    refuseTwin(outcome)
    return refuseState(outcome)
  })
}

type Terms = Omit<
  SubscriptionOpening,
  | keyof ListOwner
  | (
      | 'apiVersion'
      | 'customerId'
      | 'testClockId'
      | 'source'
      | 'verified'
      | 'payer'
      | 'trialKey'
      | 'anchorAt'
      | 'anchorGiven'
      | 'trialEndsAt'
    )
  | ('reference' | 'metadata' | keyof PageToken)
> & { readonly trialDays: number }

const termsOf = async (
  { sql }: InvoiceServices,
  { owner, terms, ...request }: SubscriptionRequest,
  settings: BillingSettingsRow,
): Promise<Terms> => {
  if (!('planId' in terms)) {
    const taxBehavior = terms.taxBehavior ?? settings.tax_behavior
    const { leadDays, graceDays, lines, ...others } = terms
    return {
      ...{ ...others, planId: null, taxBehavior, trialDays: request.trialDays ?? terms.trialDays },
      ...daysOf({ ...others, leadDays, graceDays }),
      ...summedLines(lines, taxBehavior, settings.tax_rate_bps),
    }
  }
  const { planId } = terms
  const plan = (await findPlan(sql, { ...owner, id: planId })) ?? refuse('resource_not_found', { param: 'planId' })
  if (plan.state === 'archived') refuse('plan_archived', { param: 'planId' })
  const { trialDays, ...of } = planTerms(plan)
  return { ...of, trialDays: request.trialDays ?? trialDays }
}

/** What a subscription takes from its plan. */
export const planTerms = ({ id: planId, context }: Actor<Plan>): Terms => {
  const {
    name: _,
    description: __,
    merchantId: ___,
    livemode: ____,
    reference: _____,
    metadata: ______,
    ...of
  } = context
  return { ...of, planId }
}

/** A trial ends where the first period begins. */
const timesOf = (
  { anchorAt, trialDays, trialEndsAt: requested }: SubscriptionRequest,
  defaultTrialDays: number,
  now: Date,
): Pick<SubscriptionOpening, 'anchorAt' | 'anchorGiven' | 'trialEndsAt'> => {
  if (requested !== undefined) {
    if (trialDays !== undefined) refuseField('trialEndsAt', 'and trialDays exclude each other.')
    if (requested <= now) refuseField('trialEndsAt', 'must be in the future.')
    if (requested > addUtcDays(now, MOST_TRIAL_DAYS))
      refuseField('trialEndsAt', `must be at most ${MOST_TRIAL_DAYS} days ahead.`)
  }
  const trialEndsAt = requested ?? (defaultTrialDays > 0 ? addUtcDays(now, defaultTrialDays) : null)
  if (anchorAt === undefined) return { anchorAt: trialEndsAt ?? now, anchorGiven: trialEndsAt !== null, trialEndsAt }
  if (trialEndsAt !== null) refuseField('anchorAt', 'cannot be sent with a trial: periods are counted from its end.')
  if (anchorAt < now) refuseField('anchorAt', 'must not be in the past.')
  if (anchorAt > addUtcDays(now, MOST_DAYS_AHEAD)) refuseField('anchorAt', 'must be at most a year ahead.')
  return { anchorAt, anchorGiven: true, trialEndsAt: null }
}

const refuseField = (param: string, rule: string): never =>
  refuse('parameter_invalid', { param, message: `${param} ${rule}` })

/** Gives the page of a subscription a new address. */
export const rotateSubscriptionUrl = async (
  services: InvoiceServices,
  key: RecordKey,
  { cause, responseRows }: Requester<Subscription>,
): Promise<Actor<Subscription>> => {
  const { id } = (await findSubscription(services.sql, key)) ?? refuse('resource_not_found')
  const event = { type: 'rotate_url', ...newPageToken(services, SUBSCRIPTION_PURPOSE, id) }
  const commands = withResponse(subscriptionKind, id, [{ kind: 'subscription', actor: id, event, cause }], responseRows)
  const outcome = await services.actors.dispatchBundle(commands)
  if (outcome.ok) return afterBundle(subscriptionKind, id, outcome)
  refuseTwin(outcome)
  return refuseState(outcome)
}
