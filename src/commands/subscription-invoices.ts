import type { Invoice, InvoiceContent, InvoicePeriod } from '../../machines/invoice-events.ts'
import type {
  IssuedInvoice,
  Subscription,
  SubscriptionOpening,
  UnpaidInvoice,
} from '../../machines/subscription-events.ts'
import type { Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { dayIn } from '../billing/days.ts'
import { type Period, periodOf } from '../billing/periods.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import { DAYS_TO_PAY_FIRST, upcomingInvoice } from '../kinds/subscription-times.ts'
import { ofKind } from '../queries/actors.ts'
import { currentSeriesOf, ensureSeries } from '../queries/document-series.ts'
import { StalePlan } from '../queries/invoice-issue.ts'
import { type FinalizationFacts, findWithFacts } from '../queries/invoices.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findSubscriptionWithFacts } from '../queries/subscriptions.ts'
import { findCustomerTime } from '../queries/test-clocks.ts'
import { INVOICE_PURPOSE } from '../sealed-columns.ts'
import { isVoidable, voidingOf } from './credit-notes.ts'
import { creditAppliedTo, dueOf, finalizationOf, type InvoiceServices } from './finalizations.ts'
import { newPageToken } from './page-tokens.ts'
import { createHiddenLink } from './payment-links.ts'
import { refuseStateOf } from './state-conflicts.ts'

export type PeriodInvoice = {
  readonly subscription: Pick<Actor<Subscription>, 'id'> & { readonly context: Billed }
  readonly periodIndex: number
  readonly facts: FinalizationFacts
  readonly cause: string
  /** It is not known yet when the period begins. */
  readonly hasNoTimes?: boolean
  /** The due date by default: the day on which the period begins. */
  readonly due?: Pick<InvoiceContent, 'daysUntilDue' | 'dueDate'>
  /** The series may be missing. */
  readonly isRetried: boolean
}

/** The commands that create a subscription with its first invoice, or with its trial. */
export const openingCommands = async (
  services: InvoiceServices,
  {
    id,
    opening,
    facts,
    cause,
  }: { readonly id: string; readonly opening: SubscriptionOpening } & Pick<PeriodInvoice, 'facts' | 'cause'>,
): Promise<readonly Command[]> => {
  const create: Command = { kind: 'subscription', actor: id, create: opening, cause }
  if (opening.trialEndsAt !== null)
    return [create, { kind: 'subscription', actor: id, event: { type: 'begin_trial' }, cause }]
  const invoice = await periodInvoice(services, {
    ...{ subscription: { id, context: opening }, periodIndex: 0, facts, cause },
    // Without an anchor, the first period begins when its invoice is paid.
    ...(opening.activation === 'on_payment' && !opening.anchorGiven && { hasNoTimes: true }),
    isRetried: true,
    due: { daysUntilDue: opening.activation === 'on_payment' ? DAYS_TO_PAY_FIRST : null, dueDate: null },
  })
  return [
    create,
    ...invoice.commands,
    {
      ...{ kind: 'subscription', actor: id, event: { type: 'begin' }, cause },
      given: actors => issuedIn(actors, invoice.id),
    },
  ]
}

/** Of a subscription that exists, or of one that the same bundle creates. */
type Billed = SubscriptionOpening & Partial<Pick<Subscription, 'pendingChange'>>

/**
 * The commands that create and finalize the invoice of a period. The first one of a visitor of the page of a plan stays a draft
 * until money for it is seen, so that visitors who do not pay use up no numbers.
 */
export const periodInvoice = async (
  services: InvoiceServices,
  { subscription, periodIndex, facts, cause, hasNoTimes = false, due, isRetried }: PeriodInvoice,
): Promise<{ readonly id: string; readonly commands: readonly Command[] }> => {
  const { livemode, testClockId } = subscription.context
  const now = await findCustomerTime(services, testClockId)
  const period = periodOf(subscription.context.anchorAt, subscription.context, periodIndex)
  const content = contentOf(subscription, {
    ...{ periodIndex, facts },
    times: hasNoTimes ? { periodStart: null, periodEnd: null } : { periodStart: period.start, periodEnd: period.end },
    due: due ?? { daysUntilDue: null, dueDate: dueDateOf(period, facts, now) },
  })
  const id = uuidv7(services.clock.now(), services.random)
  if (periodIndex === 0 && subscription.context.source === 'checkout' && !subscription.context.verified) {
    const paymentLinkId = uuidv7(services.clock.now(), services.random)
    const page = { paymentLinkId, ...newPageToken(services, INVOICE_PURPOSE, id) }
    return {
      id,
      commands: [
        createHiddenLink(paymentLinkId, dueOf(content, content.totalMinor), cause),
        { kind: 'invoice', actor: id, create: { ...content, page }, cause },
      ],
    }
  }
  const draft = { id, rev: 1, content }
  const series = currentSeriesOf(facts, { documentKind: 'invoice', livemode, testClockId }, now)
  if (isRetried) await ensureSeries(services, series, cause)
  return {
    id,
    commands: [
      { kind: 'invoice', actor: id, create: content, cause },
      ...finalizationOf(services, series, { draft, facts, cause }),
    ],
  }
}

type Said = Pick<PeriodInvoice, 'periodIndex' | 'facts'> & {
  readonly times: Pick<InvoicePeriod, 'periodStart' | 'periodEnd'>
  readonly due: Pick<InvoiceContent, 'daysUntilDue' | 'dueDate'>
}

/** What the invoice of a period says. */
const contentOf = ({ id, context }: PeriodInvoice['subscription'], { periodIndex, facts, times, due }: Said) => {
  const { merchantId, livemode, apiVersion, customerId, testClockId, assets } = context
  const { currency, taxBehavior, lines, taxes, subtotalMinor, taxMinor, totalMinor } = context.pendingChange ?? context
  return {
    ...{ merchantId, livemode, apiVersion, customerId, testClockId, currency, taxBehavior, ...due },
    ...{ taxes, subtotalMinor, taxMinor, totalMinor, assets, notes: facts.settings.notes },
    lines: lines.map(line => ({
      ...{ ...line, periodStart: times.periodStart?.toISOString() ?? null },
      periodEnd: times.periodEnd?.toISOString() ?? null,
    })),
    ...{ reference: null, orderNumber: null, reminderOffsets: null, metadata: {} },
    ...{ subscriptionId: id, periodIndex, ...times },
  }
}

/** An invoice that will be issued, as things are. */
export type PreviewedInvoice = {
  readonly content: ReturnType<typeof contentOf>
  readonly period: Period
  readonly dueDate: string
  readonly finalizesAt: Date
  readonly creditAppliedMinor: number
}

const NO_NEXT = 'The subscription has no next invoice.'

/** The next invoice of a subscription that is not issued yet. Refused if there will be none. */
export const previewInvoice = async (services: InvoiceServices, key: RecordKey): Promise<PreviewedInvoice> => {
  const found = (await findSubscriptionWithFacts(services.sql, key)) ?? refuse('resource_not_found')
  const { subscription, facts } = found
  const { anchorAt, testClockId } = subscription.context
  const next = upcomingInvoice(subscription) ?? refuseStateOf(subscription, { message: NO_NEXT })
  const { periodIndex, finalizesAt } = next
  const now = await findCustomerTime(services, testClockId)
  const period = periodOf(anchorAt, subscription.context, periodIndex)
  const dueDate = dueDateOf(period, facts, now)
  const times = { periodStart: period.start, periodEnd: period.end }
  const content = contentOf(subscription, { periodIndex, facts, times, due: { daysUntilDue: null, dueDate } })
  return { content, period, dueDate, finalizesAt, creditAppliedMinor: creditAppliedTo(content, facts) }
}

/** The day on which the period begins; the issue date if that is later, as after an outage. */
const dueDateOf = ({ start }: Period, { settings: { time_zone } }: FinalizationFacts, now: Date): string =>
  dayIn(time_zone, new Date(Math.max(start.getTime(), now.getTime())))

/** The fields of the event that records an invoice, from the invoice as it was finalized in the same bundle. */
export const issuedIn = (actors: ReadonlyMap<string, Actor>, invoiceId: string): IssuedInvoice => {
  const { state, context } = ofKind(invoiceKind, actors.get(invoiceId))
  const { periodIndex, dueAt } = context
  if (periodIndex === null) throw new Error(`The invoice ${invoiceId} is not of a period`)
  return { invoiceId, periodIndex, dueAt, isPaid: state === 'paid' }
}

/** The subscription must be as it was when the commands were made. */
export const atRevision = ({ id, rev }: Actor<Subscription>, commands: readonly Command[]): readonly Command[] => {
  const first = commands.findIndex(({ actor }) => actor === id)
  return commands.map((command, at) =>
    at === first
      ? {
          ...command,
          given: (actors, now) => {
            if (actors.get(id)?.rev !== rev) throw new StalePlan()
            return command.given?.(actors, now) ?? {}
          },
        }
      : command,
  )
}

/** An invoice that the subscription counts as unpaid, as it is now. */
export const findUnpaid = async (
  { sql }: InvoiceServices,
  { merchantId, livemode }: Subscription,
  { invoiceId }: UnpaidInvoice,
) => {
  const found = await findWithFacts(sql, { id: invoiceId, merchantId, livemode })
  if (!found) throw new Error(`The invoice ${invoiceId} does not exist`)
  return found
}

/** Records that an invoice was paid, before the job of the payment does. */
export const invoicePaid = (subscriptionId: string, { id, context }: Actor<Invoice>, cause: string): Command => ({
  ...{ kind: 'subscription', actor: subscriptionId, cause },
  event: { type: 'invoice_paid', invoiceId: id, paidAt: context.paidAt },
})

export type Voiding = { readonly isRetried: boolean; readonly cause: string }

type Voids = {
  /** For the event that the bundle has the commands for. */
  readonly voided: readonly string[]
  readonly commands: readonly Command[]
}

/** Voids an invoice, or deletes a draft, unless money was sent for it; one that was paid is recorded as paid. */
export const voidUnpaid = async (
  services: InvoiceServices,
  { id, context }: Actor<Subscription>,
  unpaid: UnpaidInvoice,
  { isRetried, cause }: Voiding,
): Promise<Voids> => {
  const found = await findUnpaid(services, context, unpaid)
  const { invoice } = found
  if (invoice.state === 'paid') return { voided: [], commands: [invoicePaid(id, invoice, cause)] }
  if (invoice.state === 'void') return { voided: [invoice.id], commands: [] }
  if (invoice.state === 'draft') {
    const { paymentLinkId } = invoice.context
    const discard: Command = { kind: 'invoice', actor: invoice.id, event: { type: 'discard' }, cause }
    const close: Command[] =
      paymentLinkId === null ? [] : [{ kind: 'payment_link', actor: paymentLinkId, event: { type: 'close' }, cause }]
    return { voided: [invoice.id], commands: [discard, ...close] }
  }
  if (!isVoidable(found)) return { voided: [], commands: [] }
  return { voided: [invoice.id], commands: await voidingOf(services, found, { reason: null, isRetried, cause }) }
}

/** Of the periods after the current one, and of the one that is owed. */
export const voidLaterInvoices = async (
  services: InvoiceServices,
  subscription: Actor<Subscription>,
  voiding: Voiding,
): Promise<Voids> => {
  const { unpaid, owedIndex, periodIndex } = subscription.context
  const later = unpaid.filter(each => each.periodIndex === owedIndex || each.periodIndex > (periodIndex ?? -1))
  const voids: Voids[] = []
  for (const each of later) voids.push(await voidUnpaid(services, subscription, each, voiding))
  return { voided: voids.flatMap(({ voided }) => voided), commands: voids.flatMap(({ commands }) => commands) }
}
