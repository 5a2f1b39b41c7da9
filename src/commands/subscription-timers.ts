import { expectsInvoice, hasNext, isNextInvoiced, nextIndex } from '../../machines/subscription-rules.ts'
import type { Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { addUtcDays } from '../billing/periods.ts'
import { DAYS_TO_PAY_FIRST, firstIndexAfter, nextStart } from '../kinds/subscription-times.ts'
import { isReadPast } from '../queries/invoice-waits.ts'
import { findSubscriptionWithFacts } from '../queries/subscriptions.ts'
import { findCustomerTime } from '../queries/test-clocks.ts'
import { type InvoiceServices, requireComplete } from './finalizations.ts'
import {
  atRevision,
  findUnpaid,
  invoicePaid,
  issuedIn,
  periodInvoice,
  voidLaterInvoices,
  voidUnpaid,
} from './subscription-invoices.ts'

export type DueTimer = {
  readonly actor: string
  readonly name: string
  readonly generation: number
  readonly merchantId: string
  readonly livemode: boolean
}

/** A time in which no process fired timers. */
export type TimerOutage = { readonly from: Date; readonly until: Date }

export type TimerPlanning = {
  readonly outage: TimerOutage | undefined
  /** The series of documents may be missing. */
  readonly isRetried: boolean
}

/**
 * The bundle that a due timer of a subscription causes: the event of the timer, with the invoice that is issued or voided.
 * `wait`: until the chains have been read, or another timer has fired. The timer's generation is in the bundle, so that
 * it is executed once.
 */
export const planTimer = async (
  services: InvoiceServices,
  due: DueTimer,
  planning: TimerPlanning,
): Promise<readonly Command[] | 'wait'> => {
  const { actor: id, merchantId, livemode } = due
  const found = await findSubscriptionWithFacts(services.sql, { id, merchantId, livemode })
  if (!found) throw new Error(`The subscription ${id} does not exist`)
  const plan = plans[due.name.split('.')[0] ?? '']
  if (!plan) throw new Error(`Subscriptions have no timer ${due.name}`)
  const commands = await plan({ ...found, ...planning, services, due })
  return commands === 'wait' ? 'wait' : atRevision(found.subscription, commands)
}

type Found = NonNullable<Awaited<ReturnType<typeof findSubscriptionWithFacts>>>
type Planned = Found & TimerPlanning & { readonly services: InvoiceServices; readonly due: DueTimer }

const CAUSE = 'timer'
/** In which a customer whose grace ended during an outage can still pay. */
const DAYS_AFTER_OUTAGE = 1

const timerOf = (
  { due: { actor, name, generation } }: Planned,
  fields: Readonly<Record<string, unknown>> = {},
): Command => ({
  ...{ kind: 'subscription', actor, timer: { name, generation }, cause: CAUSE },
  given: () => fields,
})

const plans: Readonly<Record<string, (planned: Planned) => Promise<readonly Command[] | 'wait'>>> = {
  trialEnding: async planned => [timerOf(planned)],

  invoice: async planned => {
    const { services, subscription, facts, isRetried } = planned
    requireComplete(facts, subscription.context.livemode)
    const periodIndex = nextIndex(subscription.context)
    const invoice = await periodInvoice(services, { subscription, periodIndex, facts, isRetried, cause: CAUSE })
    const issued = { ...timerOf(planned), given: (actors: ReadonlyMap<string, Actor>) => issuedIn(actors, invoice.id) }
    return [...invoice.commands, issued]
  },

  expiry: async planned => {
    const { createdAt } = planned.subscription
    return endUnpaid(planned, 0, addUtcDays(createdAt, DAYS_TO_PAY_FIRST))
  },

  grace: async planned => {
    const { subscription, outage } = planned
    const { owedIndex, graceEndsAt } = subscription.context
    if (owedIndex === null || graceEndsAt === null) return [timerOf(planned)]
    if (outage && graceEndsAt >= outage.from && graceEndsAt <= outage.until) {
      const event = { type: 'extend_grace', graceEndsAt: addUtcDays(outage.until, DAYS_AFTER_OUTAGE) }
      return [{ kind: 'subscription', actor: subscription.id, event, cause: CAUSE }]
    }
    return endUnpaid(planned, owedIndex, graceEndsAt)
  },

  firstDue: async planned => {
    const { subscription } = planned
    const dueAt = subscription.context.firstDueAt
    if (dueAt === null) return [timerOf(planned)]
    const paid = await paidIn(planned, 0, dueAt)
    return paid === 'wait' ? 'wait' : [...paid, timerOf(planned, { dueAt })]
  },

  boundary: async planned => {
    const { subscription, services, isRetried } = planned
    const { context } = subscription
    const dueAt = nextStart(context)
    if (dueAt === null) throw new Error(`The subscription ${subscription.id} has no next period`)
    const timer = (voided: readonly string[] = []) => timerOf(planned, { dueAt, voided })
    if (!hasNext(context) || !isNextInvoiced(context)) return expectsInvoice(context) ? 'wait' : [timer()]
    const paid = await paidIn(planned, nextIndex(context), dueAt)
    if (paid === 'wait') return 'wait'
    if (paid.length > 0 || expectsInvoice(context)) return [...paid, timer()]
    // It ends here, and what was issued for the next period is not paid.
    const later = await voidLaterInvoices(services, subscription, { isRetried, cause: CAUSE })
    return [...later.commands, timer(later.voided)]
  },

  resume: async planned => {
    const { subscription, services } = planned
    const now = await findCustomerTime(services, subscription.context.testClockId)
    return [timerOf(planned, { resumeIndex: firstIndexAfter(subscription.context, now) })]
  },
}

/**
 * For the invoice of a period at a time: the command that records it as paid, if it is. Waits until all money that was sent
 * before the time is known.
 */
const paidIn = async ({ services, subscription }: Planned, periodIndex: number, at: Date) => {
  const unpaid = subscription.context.unpaid.find(each => each.periodIndex === periodIndex)
  if (!unpaid || unpaid.isVoid) return []
  const { invoice } = await findUnpaid(services, subscription.context, unpaid)
  if (invoice.state === 'paid') return [invoicePaid(subscription.id, invoice, CAUSE)]
  return (await isReadPast(services.sql, invoice.id, at)) ? [] : 'wait'
}

/** Ends what was not paid in time. If the invoice was paid, the timer has nothing to end. */
const endUnpaid = async (planned: Planned, periodIndex: number, at: Date): Promise<readonly Command[] | 'wait'> => {
  const { services, subscription, isRetried } = planned
  const paid = await paidIn(planned, periodIndex, at)
  if (paid === 'wait' || paid.length > 0) return paid
  const unpaid = subscription.context.unpaid.find(each => each.periodIndex === periodIndex)
  if (!unpaid) return [timerOf(planned, { voided: [] })]
  const { commands, voided } = await voidUnpaid(services, subscription, unpaid, { isRetried, cause: CAUSE })
  // It was paid since.
  if (commands.some(({ actor }) => actor === subscription.id)) return commands
  return [...commands, timerOf(planned, { voided })]
}
