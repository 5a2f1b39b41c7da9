import { isDay } from '../../../billing/days.ts'
import type { BillingSettings, Calls, Plan } from '../../api/calls.ts'
import { enteredMetadata, type MetadataEntry, metadataFaultsIn } from '../customers/customer-draft.ts'
import { customerBody, customerFaultsIn, type DraftCustomer } from '../invoices/invoice-draft.ts'
import { hasTermsFaults, newTermsDraft, type TermsDraft, termsBodyOf, termsFaultsIn } from '../plans/terms-draft.ts'
import { wholeOf } from '../shell/whole.ts'

/** A subscription as it is typed. */
export type SubscriptionDraft = {
  readonly customer: DraftCustomer
  readonly priceBy: 'plan' | 'own'
  /** Of a subscription without a plan. */
  readonly terms: TermsDraft
  /** Undefined: as the plan says. */
  readonly start: 'now' | 'trial' | 'day' | undefined
  /** Null: as the plan says. */
  readonly trialDays: string | null
  readonly day: string
  readonly reference: string
  readonly metadata: readonly MetadataEntry[]
}

type NewSubscription = Omit<Calls['createSubscription']['input'], 'merchantId' | 'livemode' | 'idempotencyKey'>

export const newSubscriptionDraft = (settings: BillingSettings, customerId: string | undefined): SubscriptionDraft => ({
  ...{ customer: { by: 'search', id: customerId }, priceBy: 'plan' },
  ...{ terms: newTermsDraft(settings), start: undefined, trialDays: null, day: '', reference: '', metadata: [] },
})

/** How it starts, and the days of its trial. */
export const startOf = ({ start, trialDays }: SubscriptionDraft, plan: Pick<Plan, 'trialDays'> | undefined) => {
  const ofPlan = plan?.trialDays ?? 0
  return {
    start: start ?? (ofPlan > 0 ? ('trial' as const) : ('now' as const)),
    trialDays: trialDays === null ? ofPlan || DEFAULT_TRIAL_DAYS : (wholeOf(trialDays) ?? 0),
  }
}

const DEFAULT_TRIAL_DAYS = 14

export const subscriptionFaultsIn = (draft: SubscriptionDraft, plan: Plan | undefined) => {
  const { start, trialDays } = startOf(draft, plan)
  const terms = termsFaultsIn(draft.terms)
  return {
    ...customerFaultsIn(draft.customer),
    planId: draft.priceBy === 'plan' && !plan,
    trialDays: start === 'trial' && !(trialDays >= 1 && trialDays <= 730),
    day: start === 'day' && !isDay(draft.day),
    metadata: metadataFaultsIn(draft.metadata),
    terms,
    ownTerms: draft.priceBy === 'own' && hasTermsFaults(terms),
  }
}

export const hasSubscriptionFaults = ({
  terms: _,
  metadata,
  ...flags
}: ReturnType<typeof subscriptionFaultsIn>): boolean => Object.values(flags).some(Boolean) || metadata.some(Boolean)

export const subscriptionBodyOf = (draft: SubscriptionDraft, plan: Plan | undefined): NewSubscription => {
  const { start, trialDays } = startOf(draft, plan)
  const { trialDays: _, ...terms } = termsBodyOf(draft.terms)
  return {
    ...customerBody(draft.customer),
    ...(plan ? { planId: plan.id } : terms),
    trialDays: start === 'trial' ? trialDays : 0,
    ...(start === 'day' && { anchorAt: new Date(draft.day).toISOString() }),
    ...{ reference: draft.reference.trim() || null, metadata: enteredMetadata(draft.metadata) },
  }
}
