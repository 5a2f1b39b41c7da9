import type { Subscription } from '../../machines/subscription-events.ts'
import { expectsInvoice, isNextInvoiced, nextIndex } from '../../machines/subscription-rules.ts'
import { addUtcDays, periodStart } from '../billing/periods.ts'

/** After so many days a first invoice that is not paid ends the subscription. */
export const DAYS_TO_PAY_FIRST = 7

/** Where the next period begins. Null while the subscription is paused and not resumed. */
export const nextStart = (subscription: Subscription): Date | null =>
  subscription.pausedAt !== null && subscription.resumeIndex === null
    ? null
    : periodStart(subscription.anchorAt, subscription, nextIndex(subscription))

/** When the invoice of the next period is issued. Null if it was, or will not be. */
export const nextInvoiceAt = (subscription: Subscription): Date | null => {
  if (isNextInvoiced(subscription) || !expectsInvoice(subscription)) return null
  const start = nextStart(subscription)
  return start && addUtcDays(start, -subscription.leadDays)
}
