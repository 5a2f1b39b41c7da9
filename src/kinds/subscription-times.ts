import type { Subscription } from '../../machines/subscription-events.ts'
import { expectsInvoice, isNextInvoiced, nextIndex } from '../../machines/subscription-rules.ts'
import type { Actor } from '../actors/kind.ts'
import { addUtcDays, periodStart } from '../billing/periods.ts'

/** After so many days a first invoice that is not paid ends the subscription. */
export const DAYS_TO_PAY_FIRST = 7

/** Where the next period begins. Null while the subscription is paused and not resumed. */
export const nextStart = (subscription: Subscription): Date | null =>
  subscription.pausedAt !== null && subscription.resumeIndex === null
    ? null
    : periodStart(subscription.anchorAt, subscription, nextIndex(subscription))

/** The first period that begins after a time. */
export const firstIndexAfter = (subscription: Subscription, at: Date): number => {
  let index = (subscription.periodIndex ?? -1) + 1
  while (periodStart(subscription.anchorAt, subscription, index) <= at) index++
  return index
}

/** When the invoice of the next period is issued. Null if it was, or will not be. */
export const nextInvoiceAt = (subscription: Subscription): Date | null => {
  if (isNextInvoiced(subscription) || !expectsInvoice(subscription)) return null
  const start = nextStart(subscription)
  return start && addUtcDays(start, -subscription.leadDays)
}

/**
 * The period of the next invoice that is not issued yet, and when that is finalized at the earliest: in `past_due` not before
 * what is owed is paid. Undefined if there will be none, and as long as it is not known when the first period begins.
 */
export const upcomingInvoice = ({
  state,
  context,
}: Pick<Actor<Subscription>, 'state' | 'context'>):
  | { readonly periodIndex: number; readonly finalizesAt: Date }
  | undefined => {
  if (!statesWithPeriods.includes(state) || !expectsInvoice(context)) return undefined
  const periodIndex = Math.max(nextIndex(context), (context.invoicedIndex ?? -1) + 1)
  if (context.maxPeriods !== null && periodIndex >= context.maxPeriods) return undefined
  const start = periodStart(context.anchorAt, context, periodIndex)
  return { periodIndex, finalizesAt: addUtcDays(start, -context.leadDays) }
}

const statesWithPeriods: readonly string[] = ['trialing', 'active', 'past_due', 'paused']
