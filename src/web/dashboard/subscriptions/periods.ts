import { periodOf } from '../../../billing/periods.ts'
import type { InvoiceWithLines, SubscriptionWithLines } from '../../api/calls.ts'
import { nextPeriodIndex, periodIndexOf } from './next-step.ts'

/** A period on the page of its subscription. */
export type ShownPeriod = {
  readonly index: number
  /** Null before the first payment, from which they are counted. */
  readonly start: string | null
  readonly end: string | null
  readonly place: 'past' | 'now' | 'next'
  /** The latest one that is not void, or the latest. */
  readonly invoice: InvoiceWithLines | undefined
}

/** The periods that have an invoice, or will have one, newest first. `hasMore`: there are older invoices. */
export const periodsOf = (
  subscription: SubscriptionWithLines,
  invoices: readonly InvoiceWithLines[],
  hasMore = false,
): readonly ShownPeriod[] => {
  const { status, anchorAt, nextInvoiceAt, periodStart, periodIndex } = subscription
  const next = nextPeriodIndex(subscription)
  const ofIndex = (index: number): InvoiceWithLines | undefined => {
    const all = invoices.filter(each => periodIndexOf(each) === index)
    return all.find(each => each.status !== 'void') ?? all[0]
  }
  const invoiced = invoices.flatMap(each => periodIndexOf(each) ?? [])
  const present = presentIndex(subscription, invoices)
  const passed = subscription.endedAt === null ? (present ?? next) : Number.POSITIVE_INFINITY
  const isExpected = nextInvoiceAt !== null || status === 'incomplete'
  const last = Math.max(...invoiced, periodStart === null ? -1 : periodIndex, isExpected ? next : -1)
  const first = hasMore ? Math.min(...invoiced) : 0
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => {
    const index = last - n
    const invoice = ofIndex(index)
    const isCounted = status !== 'incomplete' && status !== 'expired'
    const { start, end } = periodOf(new Date(anchorAt), subscription, index)
    return {
      ...{ index, invoice, place: index === present ? 'now' : index < passed ? 'past' : 'next' },
      start: isCounted ? start.toISOString() : null,
      end: isCounted ? end.toISOString() : null,
    }
  })
}

/** The one that has begun: the present one, or the one whose invoice is owed. Null while there is none. */
const presentIndex = (
  { status, periodStart, periodIndex, openInvoiceId, endedAt }: SubscriptionWithLines,
  invoices: readonly InvoiceWithLines[],
): number | null => {
  if (endedAt !== null || status === 'paused') return null
  const owed = status === 'past_due' ? invoices.find(({ id }) => id === openInvoiceId) : undefined
  return (owed && periodIndexOf(owed)) ?? (periodStart === null ? null : periodIndex)
}
