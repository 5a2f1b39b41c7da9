import { assertEvent, assign, setup } from 'xstate'
import type {
  IssuedInvoice,
  Subscription,
  SubscriptionEvent,
  SubscriptionOpening,
  SubscriptionTimerFields,
} from './subscription-events.ts'

const DAY_MS = 86_400_000

const addDays = (at: Date, days: number): Date => new Date(at.getTime() + days * DAY_MS)

type FieldsOf<Timer extends keyof SubscriptionTimerFields> = Readonly<Partial<SubscriptionTimerFields[Timer]>>

/** The types of XState have no fields for the events of timers. */
const dueIn = (event: object): Date => {
  const { dueAt } = event as FieldsOf<'boundary' | 'firstDue'>
  if (!dueAt) throw new Error('The event of the timer does not say when it was due')
  return dueAt
}

const voidedIn = (event: object): readonly string[] => (event as FieldsOf<'boundary'>).voided ?? []

/** Of `begin`, and of the timer `invoice`. */
const issuedIn = (event: object): IssuedInvoice => event as IssuedInvoice

export const subscriptionRules = setup({
  types: {
    context: {} as Subscription,
    events: {} as SubscriptionEvent,
    input: {} as SubscriptionOpening & { at: Date },
    emitted: {} as {
      type:
        | 'subscription.created'
        | 'subscription.activated'
        | 'subscription.trial_ending'
        | 'subscription.renewed'
        | 'subscription.past_due'
        | 'subscription.updated'
        | 'subscription.paused'
        | 'subscription.resumed'
        | 'subscription.canceled'
        | 'subscription.expired'
        | 'subscription.completed'
    },
  },
  actions: {
    // Implemented in `writes` of src/kinds/subscription.ts.
    joinCustomer: () => {},
    joinPlan: () => {},
    limitVisits: () => {},
    recordInvoice: assign(({ context, event }) => {
      const { invoiceId, periodIndex, isPaid } = issuedIn(event)
      return {
        ...{ invoicedIndex: periodIndex, latestInvoiceId: invoiceId },
        unpaid: isPaid ? context.unpaid : [...context.unpaid, { invoiceId, periodIndex }],
      }
    }),
    recordPaid: assign(({ context, event }) => {
      assertEvent(event, 'invoice_paid')
      return withoutUnpaid(context, [event.invoiceId])
    }),
    recordVoided: assign(({ context, event }) => {
      const { unpaid, periodIndex, cancelAtPeriodEnd, pauseAtPeriodEnd } = context
      const voided = unpaid.filter(({ invoiceId }) => voidedIn(event).includes(invoiceId))
      if (voided.every(each => each.periodIndex <= (periodIndex ?? -1))) return withoutUnpaid(context, voidedIn(event))
      if (cancelAtPeriodEnd || pauseAtPeriodEnd) return withoutVoided(context, event)
      return { unpaid: unpaid.map(each => (voided.includes(each) ? { ...each, isVoid: true as const } : each)) }
    }),
    forgetVoided: assign(({ context, event }) => withoutUnpaid(context, voidedIn(event))),
    awaitFirst: assign(({ event }) => ({ firstDueAt: issuedIn(event).dueAt })),
    forgetFirst: assign({ firstDueAt: null }),
    begin: assign(({ context, event }) => ({ ...anchoredAt(context, event.at), periodIndex: 0 })),
    beginPaid: assign(({ context, event }) => {
      assertEvent(event, 'invoice_paid')
      return { ...anchoredAt(context, event.paidAt), periodIndex: 0 }
    }),
    recordTrialEnding: assign({ trialEndingSent: true }),
    advance: assign(({ context }) => ({
      ...newPrice(context, nextIndex(context)),
      ...{ periodIndex: nextIndex(context), ...notPaused },
      unpaid: context.unpaid.filter(({ isVoid }) => !isVoid),
    })),
    oweNext: assign(({ context, event }) => ({
      ...owing(context, nextIndex(context), dueIn(event)),
      // It was resumed for the period that begins.
      ...(context.resumeIndex !== null && { ...notPaused, periodIndex: context.resumeIndex - 1 }),
    })),
    oweFirst: assign(({ context, event }) => ({ ...owing(context, 0, dueIn(event)), firstDueAt: null })),
    // What is owed may be the current period: of a subscription that began before it was paid.
    renew: assign(({ context }) => {
      const { periodIndex, owedIndex } = context
      const begins = owedIndex !== null && (periodIndex === null || owedIndex > periodIndex)
      return {
        ...(begins && { ...newPrice(context, owedIndex), periodIndex: owedIndex }),
        owedIndex: null,
        graceEndsAt: null,
      }
    }),
    extendGrace: assign(({ event }) => {
      assertEvent(event, 'extend_grace')
      return { graceEndsAt: event.graceEndsAt }
    }),
    requestPause: assign(({ context, event }) => {
      assertEvent(event, 'pause')
      return { ...withoutVoided(context, event), pauseAtPeriodEnd: true, resumesAt: event.resumesAt }
    }),
    withdrawPause: assign({ pauseAtPeriodEnd: false, resumesAt: null }),
    pauseNow: assign(({ context, event }) => ({
      ...withoutVoided(context, event),
      ...{ pauseAtPeriodEnd: false, owedIndex: null, graceEndsAt: null, firstDueAt: null },
      ...{ pausedAt: event.at, resumesAt: event.type === 'pause' ? event.resumesAt : context.resumesAt },
    })),
    planResume: assign(({ event }) => ({
      resumeIndex: (event as FieldsOf<'resume'>).resumeIndex ?? null,
      resumesAt: null,
    })),
    requestCancel: assign(({ context, event }) => ({
      ...withoutVoided(context, event),
      ...{ cancelAtPeriodEnd: true, canceledAt: event.at },
      canceledByCustomer: event.type === 'cancel_at_end' && event.reason === 'customer',
    })),
    withdrawCancel: assign({ cancelAtPeriodEnd: false, canceledAt: null, canceledByCustomer: false }),
    replacePrice: assign(({ context, event }) => {
      assertEvent(event, 'change')
      const pendingChange = { ...event.price, fromIndex: firstUninvoiced(context, event) }
      return { ...withoutVoided(context, event), pendingChange }
    }),
    // A grace that has begun becomes longer or shorter.
    change: assign(({ context: { graceDays, graceEndsAt }, event }) => {
      assertEvent(event, 'update')
      const addedDays = (event.changes.graceDays ?? graceDays) - graceDays
      return { ...event.changes, graceEndsAt: graceEndsAt && addDays(graceEndsAt, addedDays) }
    }),
    replaceToken: assign(({ event }) => {
      assertEvent(event, 'rotate_url')
      return { tokenHash: event.tokenHash, sealedToken: event.sealedToken }
    }),
    endCanceled: assign(({ context, event }) => {
      const byCustomer = context.canceledByCustomer ? ('customer' as const) : undefined
      const reason = event.type === 'cancel' || event.type === 'cancel_at_end' ? event.reason : byCustomer
      return {
        ...ended(event),
        canceledAt: context.canceledAt ?? event.at,
        ...{ endReason: reason ?? ('requested' as const), canceledByCustomer: reason === 'customer' },
      }
    }),
    endUnpaid: assign(({ event }) => ({
      ...ended(event),
      ...{ canceledAt: event.at, endReason: 'unpaid' as const },
    })),
    endIncomplete: assign(({ event }) => ({ ...ended(event), endReason: 'incomplete' as const })),
    endCompleted: assign(({ event }) => ({ ...ended(event), endReason: 'completed' as const })),
  },
  guards: {
    isPaidNow: ({ event }) => issuedIn(event).isPaid,
    beginsUnpaid: ({ context }) => context.activation === 'immediate',
    // The first invoice, or that of the period that is owed.
    paysAwaited: ({ context: { unpaid, owedIndex }, event }) =>
      event.type === 'invoice_paid' &&
      unpaid.some(each => each.invoiceId === event.invoiceId && each.periodIndex === (owedIndex ?? 0)),
    isUnpaid: ({ context, event }) =>
      event.type === 'invoice_paid' && context.unpaid.some(({ invoiceId }) => invoiceId === event.invoiceId),
    isOfNext: ({ context, event }) =>
      issuedIn(event).periodIndex === nextIndex(context) && expectsInvoice(context) && !isNextInvoiced(context),
    nextIsPaid: ({ context }) => isNextInvoiced(context) && !owes(context, nextIndex(context)),
    nextIsOwed: ({ context }) => isNextInvoiced(context) && owes(context, nextIndex(context)),
    isLast: ({ context }) => !hasNext(context),
    firstIsOwed: ({ context }) => owes(context, 0),
    // A payment that is under way may still pay what is owed: then the subscription continues until that period is over.
    voidsOwed: ({ context, event }) => voidsOwed(context, event),
    voidsUnpaid: ({ context, event }) => context.unpaid.some(({ invoiceId }) => voidedIn(event).includes(invoiceId)),
    voidsOwedOfCanceling: ({ context, event }) => context.cancelAtPeriodEnd && voidsOwed(context, event),
    voidsOwedOfPausing: ({ context, event }) => context.pauseAtPeriodEnd && voidsOwed(context, event),
    mayPauseNow: ({ context, event }) => mayPause(context) && voidsOwed(context, event),
    pausesAfterGrace: ({ context: { afterGrace, pauseAtPeriodEnd, cancelAtPeriodEnd } }) =>
      !cancelAtPeriodEnd && (afterGrace === 'pause' || pauseAtPeriodEnd),
    mayPause: ({ context }) => mayPause(context),
    isPausing: ({ context }) => context.pauseAtPeriodEnd,
    isCanceling: ({ context }) => context.cancelAtPeriodEnd,
    mayCancel: ({ context }) => !context.cancelAtPeriodEnd,
    isNotResuming: ({ context }) => context.resumeIndex === null,
    mayChange: ({ context, event }) =>
      context.maxPeriods === null || firstUninvoiced(context, event) < context.maxPeriods,
  },
  delays: { expiry: 0, trialEnding: 0, invoice: 0, firstDue: 0, boundary: 0, grace: 0, resume: 0 },
})

/** The period that begins next. */
export const nextIndex = ({ periodIndex, resumeIndex }: Pick<Subscription, 'periodIndex' | 'resumeIndex'>): number =>
  resumeIndex ?? (periodIndex === null ? 0 : periodIndex + 1)

export const hasNext = (subscription: Pick<Subscription, 'periodIndex' | 'resumeIndex' | 'maxPeriods'>): boolean =>
  subscription.maxPeriods === null || nextIndex(subscription) < subscription.maxPeriods

export const isNextInvoiced = (
  subscription: Pick<Subscription, 'periodIndex' | 'resumeIndex' | 'invoicedIndex'>,
): boolean => subscription.invoicedIndex !== null && subscription.invoicedIndex >= nextIndex(subscription)

/** Whether there will be an invoice of the next period as things are. */
export const expectsInvoice = (subscription: Subscription): boolean => {
  const { cancelAtPeriodEnd, pauseAtPeriodEnd, pausedAt, resumeIndex } = subscription
  return !cancelAtPeriodEnd && !pauseAtPeriodEnd && (pausedAt === null || resumeIndex !== null) && hasNext(subscription)
}

const mayPause = (subscription: Subscription): boolean =>
  !subscription.pauseAtPeriodEnd && !subscription.cancelAtPeriodEnd && hasNext(subscription)

/** Or the first invoice. */
const voidsOwed = ({ unpaid, owedIndex }: Subscription, event: object): boolean =>
  unpaid.some(each => each.periodIndex === (owedIndex ?? 0) && voidedIn(event).includes(each.invoiceId))

const owes = ({ unpaid }: Pick<Subscription, 'unpaid'>, index: number): boolean =>
  unpaid.some(({ periodIndex, isVoid }) => periodIndex === index && !isVoid)

const withoutUnpaid = ({ unpaid }: Subscription, ids: readonly string[]): Pick<Subscription, 'unpaid'> => ({
  unpaid: unpaid.filter(({ invoiceId }) => !ids.includes(invoiceId)),
})

/** A period whose invoice is voided can be invoiced again. */
const withoutVoided = (subscription: Subscription, event: object): Pick<Subscription, 'unpaid' | 'invoicedIndex'> => {
  const voided = voidedIn(event)
  const { unpaid, invoicedIndex } = subscription
  const isLatest = unpaid.some(each => each.periodIndex === invoicedIndex && voided.includes(each.invoiceId))
  const before = invoicedIndex === null || invoicedIndex === 0 ? null : invoicedIndex - 1
  return { ...withoutUnpaid(subscription, voided), invoicedIndex: isLatest ? before : invoicedIndex }
}

/** After what an event voids. */
const firstUninvoiced = (subscription: Subscription, event: object): number =>
  (withoutVoided(subscription, event).invoicedIndex ?? -1) + 1

/** A period that begins costs what was decided before it was invoiced. */
const newPrice = ({ pendingChange }: Subscription, index: number): Partial<Subscription> => {
  if (pendingChange === null || index < pendingChange.fromIndex) return {}
  const { fromIndex: _, ...price } = pendingChange
  return { ...price, pendingChange: null }
}

const notPaused = { pausedAt: null, resumeIndex: null }

const anchoredAt = ({ anchorGiven, anchorAt }: Subscription, at: Date): Pick<Subscription, 'anchorAt'> => ({
  anchorAt: anchorGiven ? anchorAt : at,
})

const owing = ({ graceDays }: Subscription, owedIndex: number, since: Date): Partial<Subscription> => ({
  ...{ owedIndex, graceEndsAt: addDays(since, graceDays) },
})

/** What is not voided can still be paid, and changes nothing. */
const ended = (event: { readonly at: Date }): Partial<Subscription> => ({
  ...{
    unpaid: [],
    endedAt: event.at,
    owedIndex: null,
    graceEndsAt: null,
    cancelAtPeriodEnd: false,
    pauseAtPeriodEnd: false,
  },
  ...{ ...notPaused, resumesAt: null, pendingChange: null, firstDueAt: null },
})
