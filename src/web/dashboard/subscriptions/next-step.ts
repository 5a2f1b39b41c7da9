import { periodOf } from '../../../billing/periods.ts'
import type { InvoiceWithLines, SubscriptionWithLines } from '../../api/calls.ts'
import type { Formats } from '../../text/format.ts'
import type { SubscriptionsTexts } from './texts.ts'

/** What will happen to a subscription by itself. */
export type NextStep =
  | { readonly kind: 'awaits_payment' | 'resumes' | 'rests' }
  | { readonly kind: 'trial_ends' | 'renews'; readonly at: string; readonly amountMinor: number }
  | {
      readonly kind:
        | ('trial_cancels' | 'cancels' | 'pauses' | 'completes')
        | ('grace_cancels' | 'grace_pauses' | 'resumes_after' | 'ended')
      readonly at: string
    }

/** The period of an invoice; undefined if it is of no period. */
export const periodIndexOf = ({ subscription }: InvoiceWithLines): number | undefined => subscription?.periodIndex

/** The period that begins next. */
export const nextPeriodIndex = ({ periodIndex, periodStart }: SubscriptionWithLines): number =>
  periodStart === null ? 0 : periodIndex + 1

/** When its next invoice is issued, and when something begins or ends. */
export const boundariesOf = (subscription: SubscriptionWithLines): readonly (string | null)[] => {
  if (subscription.endedAt !== null) return []
  const step = nextStepOf(subscription)
  return ['at' in step ? step.at : null]
}

const invoiceOf = (invoices: readonly InvoiceWithLines[], index: number): InvoiceWithLines | undefined =>
  invoices.find(each => periodIndexOf(each) === index && each.status !== 'void')

/** What the next period costs: by its invoice, or as was decided last. */
const nextAmount = (subscription: SubscriptionWithLines, invoices: readonly InvoiceWithLines[]): number => {
  const index = nextPeriodIndex(subscription)
  const { pendingChange, amountMinor } = subscription
  const decided = pendingChange !== null && pendingChange.periodIndex <= index ? pendingChange.amountMinor : amountMinor
  return invoiceOf(invoices, index)?.totalMinor ?? decided
}

/** The end of the period that is paid last: a period that is paid, or is being paid, is not taken away. */
const paidUntil = (subscription: SubscriptionWithLines, invoices: readonly InvoiceWithLines[]): string => {
  const index = nextPeriodIndex(subscription)
  const next = invoiceOf(invoices, index)
  const isPaid = next !== undefined && (next.status === 'paid' || next.amountProcessingMinor > 0)
  const { start, end } = periodOf(new Date(subscription.anchorAt), subscription, index)
  return (isPaid ? end : start).toISOString()
}

/** With the invoices of the subscription that are known. */
export const nextStepOf = (
  subscription: SubscriptionWithLines,
  invoices: readonly InvoiceWithLines[] = [],
): NextStep => {
  const { status, anchorAt, graceEndsAt, endedAt, maxPeriods, resumesAt } = subscription
  const start = periodOf(new Date(anchorAt), subscription, nextPeriodIndex(subscription)).start.toISOString()
  switch (status) {
    case 'incomplete':
      return { kind: 'awaits_payment' }
    case 'trialing':
      return subscription.cancelAtPeriodEnd
        ? { kind: 'trial_cancels', at: paidUntil(subscription, invoices) }
        : { kind: 'trial_ends', at: start, amountMinor: nextAmount(subscription, invoices) }
    case 'active':
      if (subscription.cancelAtPeriodEnd) return { kind: 'cancels', at: paidUntil(subscription, invoices) }
      if (subscription.pauseAtPeriodEnd) return { kind: 'pauses', at: paidUntil(subscription, invoices) }
      if (maxPeriods !== null && nextPeriodIndex(subscription) >= maxPeriods) return { kind: 'completes', at: start }
      return { kind: 'renews', at: start, amountMinor: nextAmount(subscription, invoices) }
    case 'past_due':
      return { kind: subscription.afterGrace === 'pause' ? 'grace_pauses' : 'grace_cancels', at: graceEndsAt ?? start }
    case 'paused':
      if (subscription.nextInvoiceAt !== null || subscription.openInvoiceId !== null) return { kind: 'resumes' }
      return resumesAt === null ? { kind: 'rests' } : { kind: 'resumes_after', at: resumesAt }
    case 'canceled':
    case 'expired':
    case 'completed':
      return { kind: 'ended', at: endedAt ?? subscription.updatedAt }
  }
}

/** `Renews on Dec 1, 2026 for €9.99` */
export const stepSentence = (
  step: NextStep,
  { currency }: Pick<SubscriptionWithLines, 'currency'>,
  { steps }: Pick<SubscriptionsTexts, 'steps'>,
  formats: Formats,
): string => {
  if (step.kind === 'trial_ends' || step.kind === 'renews')
    return steps[step.kind](formats.date(step.at), formats.money(step.amountMinor, currency))
  if ('at' in step) return steps[step.kind](formats.date(step.at))
  return steps[step.kind]
}

/** `Renews Dec 1, 2026` */
export const stepWords = (step: NextStep, { short }: Pick<SubscriptionsTexts, 'short'>, formats: Formats): string =>
  'at' in step ? short[step.kind](formats.date(step.at)) : short[step.kind]
