import type { CreditNote, CreditNoteLine } from '../../machines/credit-note.ts'
import { isErased } from '../../machines/customer.ts'
import type { Invoice } from '../../machines/invoice-events.ts'
import { amountDueMinor, creditGivenMinor, processingMinor } from '../../machines/invoice-rules.ts'
import type { Payment } from '../../machines/payment-events.ts'
import type { Subscription } from '../../machines/subscription-events.ts'
import type { Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { settleCreditNote } from '../billing/credit-note-settlement.ts'
import { type CreditNoteSums, type CreditRequest, sumCreditNote } from '../billing/credit-note-sums.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { creditNoteKind } from '../kinds/credit-note.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import { subscriptionKind } from '../kinds/subscription.ts'
import { ofKind } from '../queries/actors.ts'
import { creditEntryRow } from '../queries/credit-entries.ts'
import { listCreditNotesById } from '../queries/credit-notes.ts'
import { getEventsVersion } from '../queries/customers.ts'
import { currentSeriesOf, ensureSeries, seriesIdOf } from '../queries/document-series.ts'
import { hashOf, nextInSeries, recordInSeries, retainedFrom, StalePlan } from '../queries/invoice-issue.ts'
import { type FinalizationFacts, findWithFacts } from '../queries/invoices.ts'
import { findPayment } from '../queries/payments.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findSubscription } from '../queries/subscriptions.ts'
import { findCustomerTime } from '../queries/test-clocks.ts'
import { type Requester, refuseTwin } from './by.ts'
import { exceedsBalance } from './customer-credit.ts'
import { afterBundle, dispatchPlanned, untilCurrent, withResponse } from './finalizations.ts'
import { beginningOf, type RefundServices, refundOpeningOf } from './refunds.ts'
import { refuseStateOf } from './state-conflicts.ts'

export type CreditNoteRequest = {
  readonly reason: CreditNote['reason']
  readonly credited: CreditRequest
  /** What becomes credit of the customer. */
  readonly creditMinor: number
  readonly refunds: readonly RequestedRefund[]
  readonly note: string | null
}

export type RequestedRefund = {
  readonly paymentId: string
  readonly amountMinor: number
  /** As the caller wrote it. Null: the customer is asked. */
  readonly destination: string | null
}

/** Of one invoice, besides the one that voids it: its events contain their IDs. */
const MOST_NOTES = 50

/**
 * Issues a credit note: its number, what it changes of the invoice, its refunds and the credit are one commit. Sums and
 * settlement are decided with the locked row of the invoice, so several notes together never exceed it, and money that
 * arrives at the same time is counted first.
 */
export const issueCreditNote = (
  services: RefundServices,
  key: RecordKey,
  request: CreditNoteRequest,
  { cause, responseRows }: Requester<CreditNote>,
): Promise<Actor<CreditNote>> =>
  untilCurrent(async attempt => {
    const found = (await findWithFacts(services.sql, key)) ?? refuse('resource_not_found', { param: 'invoiceId' })
    const { invoice, facts } = found
    if (invoice.state === 'draft' || invoice.state === 'void') refuseStateOf(invoice)
    if (invoice.context.creditNoteIds.length >= MOST_NOTES)
      refuse('credit_note_exceeds_invoice', { message: `An invoice can have at most ${MOST_NOTES} credit notes.` })
    const { creditMinor } = request
    if (creditMinor > 0 && isErased(facts.customer.state)) refuse('customer_erased', { param: 'creditMinor' })
    if (!fitsBalance(facts, creditMinor))
      refuse('parameter_invalid', { param: 'creditMinor', message: `creditMinor ${exceedsBalance}` })
    const newId = () => uuidv7(services.clock.now(), services.random)
    const id = newId()
    const refunds = request.refunds.map(refund => ({ ...refund, id: newId() }))
    const settle = (now: Invoice): Settlement => {
      const refundsMinor = refunds.map(({ amountMinor }) => amountMinor)
      const { totalMinor } = plan.sums
      const settled = settleCreditNote({ totalMinor, amountDueMinor: amountDueMinor(now), creditMinor, refundsMinor })
      if (settled.ok)
        return { dueReducedMinor: settled.dueReducedMinor, creditMinor, refundsMinor: settled.refundsMinor }
      const { restMinor } = settled
      return refuse(settled.refused, { details: { totalMinor, dueReducedMinor: totalMinor - restMinor, restMinor } })
    }
    const plan = await planOf(services, { ...found, id, request, refundIds: refunds.map(refund => refund.id), settle })
    // Checked again in the commit.
    settle(invoice.context)
    if (attempt > 0) await ensureSeries(services, plan.series, cause)
    const { customerId, currency, merchantId, livemode } = invoice.context
    const entry = { id: newId(), customerId, merchantId, livemode, currency, type: 'credit_note' as const }
    const credit = creditEntryRow({ ...entry, amountMinor: creditMinor, invoiceId: invoice.id, creditNoteId: id })
    const outcome = await dispatchPlanned(
      services,
      withResponse(
        creditNoteKind,
        id,
        [
          { ...issueOf(plan, cause), ...(creditMinor > 0 && { rows: [credit] }) },
          {
            ...{ kind: 'invoice', actor: invoice.id, cause },
            event: { type: 'credit_note_issued', creditNoteId: id, refunds: request.refunds.map(returnedBy) },
            given: actors => {
              const { context: note } = ofKind(creditNoteKind, actors.get(id))
              return {
                dueReducedMinor: note.dueReducedMinor,
                retainedUntil: retainedFrom(note.issueDate, plan.facts.settings),
              }
            },
          },
          ...(await refundCommands(services, invoice, { refunds, creditNoteId: id, reason: request.reason, cause })),
          countOf(plan, cause),
        ],
        responseRows,
      ),
    )
    if (outcome === 'stale') return undefined
    if (outcome.ok) return afterBundle(creditNoteKind, id, outcome)
    refuseTwin(outcome)
    // The invoice or a payment has changed since it was read: the next round says how, or issues the note.
    return undefined
  })

/**
 * Voids an invoice, with a credit note over all that is not credited yet. The credit that was applied is released, and its
 * link opens no payment any more.
 */
export const voidInvoice = (
  services: RefundServices,
  key: RecordKey,
  reason: string | null,
  { cause, responseRows }: Requester<Invoice>,
): Promise<Actor<Invoice>> =>
  untilCurrent(async attempt => {
    const found = (await findWithFacts(services.sql, key)) ?? refuse('resource_not_found')
    const { id: invoiceId, state, context } = found.invoice
    if (state !== 'open' && state !== 'uncollectible') refuseStateOf(found.invoice)
    if (context.amountPaidMinor + context.amountOverpaidMinor + processingMinor(context) > 0)
      refuse('invoice_has_payments')
    if (!fitsBalance(found.facts, context.creditAppliedMinor))
      refuseStateOf(found.invoice, { message: `The credit that was applied ${exceedsBalance}` })
    const commands = [
      ...(await voidingOf(services, found, { reason, isRetried: attempt > 0, cause })),
      ...(await noticeOf(services, found.invoice, cause)),
    ]
    const outcome = await dispatchPlanned(services, withResponse(invoiceKind, invoiceId, commands, responseRows))
    if (outcome === 'stale') return undefined
    if (outcome.ok) return afterBundle(invoiceKind, invoiceId, outcome)
    refuseTwin(outcome)
    return undefined
  })

/** The command by which the subscription of an invoice expects no money for it any more. */
const noticeOf = async (
  { sql }: Services,
  { id: invoiceId, context: { subscriptionId, merchantId, livemode } }: Actor<Invoice>,
  cause: string,
): Promise<readonly Command[]> => {
  if (subscriptionId === null) return []
  const expects = (subscription: Actor<Subscription> | undefined) =>
    subscription?.context.unpaid.some(each => each.invoiceId === invoiceId) === true
  if (!expects(await findSubscription(sql, { id: subscriptionId, merchantId, livemode }))) return []
  return [
    {
      ...{ kind: 'subscription', actor: subscriptionId, event: { type: 'invoice_voided', voided: [invoiceId] }, cause },
      given: actors => {
        if (!expects(ofKind(subscriptionKind, actors.get(subscriptionId)))) throw new StalePlan()
        return {}
      },
    },
  ]
}

type Voided = { readonly invoice: Actor<Invoice>; readonly facts: FinalizationFacts }

/** Whether an invoice can be voided as it is. */
export const isVoidable = ({ invoice: { state, context }, facts }: Voided): boolean =>
  (state === 'open' || state === 'uncollectible') &&
  context.amountPaidMinor + context.amountOverpaidMinor + processingMinor(context) === 0 &&
  fitsBalance(facts, context.creditAppliedMinor)

/** The commands that void an invoice with a credit note. `isRetried`: the series of credit notes may be missing. */
export const voidingOf = async (
  services: Services,
  found: Voided,
  { reason, isRetried, cause }: { readonly reason: string | null; readonly isRetried: boolean; readonly cause: string },
): Promise<readonly Command[]> => {
  const { id: invoiceId, context } = found.invoice
  const newId = () => uuidv7(services.clock.now(), services.random)
  const id = newId()
  const request = { reason: 'cancellation', credited: { whole: true }, note: reason } as const
  const settle = () => ({ dueReducedMinor: plan.sums.totalMinor, creditMinor: 0, refundsMinor: 0 })
  const plan = await planOf(services, { ...found, id, request, refundIds: [], settle })
  if (isRetried) await ensureSeries(services, plan.series, cause)
  const { customerId, currency, merchantId, livemode, creditAppliedMinor, paymentLinkId } = context
  const entry = { id: newId(), customerId, merchantId, livemode, currency, type: 'released' as const }
  const released = creditEntryRow({ ...entry, amountMinor: creditAppliedMinor, invoiceId, creditNoteId: id })
  return [
    issueOf(plan, cause),
    {
      ...{ kind: 'invoice', actor: invoiceId, event: { type: 'void', reason, creditNoteId: id }, cause },
      given: actors => {
        const { issueDate } = ofKind(creditNoteKind, actors.get(id)).context
        return { retainedUntil: retainedFrom(issueDate, plan.facts.settings) }
      },
      ...(creditAppliedMinor > 0 && { rows: [released] }),
    },
    ...(paymentLinkId === null
      ? []
      : [{ kind: 'payment_link', actor: paymentLinkId, event: { type: 'close' }, cause }]),
    countOf(plan, cause),
  ]
}

/** Checked again by the database, which refuses the entry. */
const fitsBalance = ({ creditMinor }: FinalizationFacts, addedMinor: number): boolean =>
  addedMinor <= Number.MAX_SAFE_INTEGER - creditMinor

type Settlement = Pick<CreditNote, 'dueReducedMinor' | 'creditMinor' | 'refundsMinor'>

type Planned = {
  readonly invoice: Actor<Invoice>
  readonly facts: FinalizationFacts
  readonly id: string
  readonly request: Pick<CreditNoteRequest, 'reason' | 'credited' | 'note'>
  readonly refundIds: readonly string[]
  /** What the total is, with the invoice as the commit has locked it. */
  readonly settle: (invoice: Invoice) => Settlement
}

type NotePlan = Awaited<ReturnType<typeof planOf>>

/** What is decided before the commit. It holds as long as no other note of the invoice is issued. */
const planOf = async (services: Services, planned: Planned) => {
  const { invoice, facts, request } = planned
  const { livemode, merchantId, creditNoteIds, testClockId } = invoice.context
  const now = await findCustomerTime(services, testClockId)
  const issued = await listCreditNotesById(services.sql, creditNoteIds)
  const summed = sumCreditNote(
    invoice.context,
    issued.map(({ context }) => context),
    request.credited,
  )
  if (!summed.ok) return refuse(summed.refused, summed.param === undefined ? {} : { param: summed.param })
  return {
    ...{ ...planned, sums: summed.sums },
    series: currentSeriesOf(facts, { documentKind: 'credit_note', livemode, testClockId }, now),
    apiVersion: await getEventsVersion(services.sql, merchantId),
  }
}

/** The command that issues the note. The number, the time and what is due are those of the rows that the commit locks. */
const issueOf = (plan: NotePlan, cause: string): Command => {
  const { id, invoice, facts, request, refundIds, sums, apiVersion } = plan
  const { merchantId, livemode, customerId, testClockId, currency, taxBehavior } = invoice.context
  const fixed = {
    ...{ merchantId, livemode, apiVersion, invoiceId: invoice.id, customerId, testClockId, currency, taxBehavior },
    ...{ reason: request.reason, note: request.note, refundIds },
    ...{ ...sums, lines: linesOf(invoice.context, sums) },
  }
  return {
    ...{ kind: 'credit_note', actor: id, create: fixed, cause },
    given: (actors, at) => {
      const { context: now } = ofKind(invoiceKind, actors.get(invoice.id))
      if (now.creditNoteIds.length !== invoice.context.creditNoteIds.length) throw new StalePlan()
      const { settings } = facts
      const place = nextInSeries(seriesIdOf(plan.series), actors, { settings, prefix: settings.credit_note_prefix, at })
      const { seller, partyHash } = now
      if (seller === null || partyHash === null) throw new Error(`The invoice ${invoice.id} has no parties`)
      const said = { ...fixed, ...place, seller, partyHash, dueDate: null }
      return { ...place, ...plan.settle(now), documentHash: hashOf({ ...said, kind: 'credit_note' }) }
    },
  }
}

/** The command that counts the note in its series. */
const countOf = ({ id, series }: NotePlan, cause: string): Command => ({
  ...{ kind: 'document_series', actor: seriesIdOf(series), event: { type: 'issue' }, cause },
  given: actors => recordInSeries(creditNoteKind, id, actors),
})

const linesOf = (invoice: Invoice, { lines }: CreditNoteSums): readonly CreditNoteLine[] =>
  lines.flatMap(({ lineId, quantity, amountMinor }) => {
    const line = invoice.lines.find(each => each.id === lineId)
    if (!line) return []
    const { id: _, unitAmountMinor, ...sold } = line
    return [{ ...sold, lineId, quantity, unitAmountMinor: quantity === null ? null : unitAmountMinor, amountMinor }]
  })

const returnedBy = ({ paymentId, amountMinor }: RequestedRefund) => ({ paymentId, amountMinor })

type NewRefunds = {
  readonly refunds: readonly (RequestedRefund & { readonly id: string })[]
  readonly creditNoteId: string
  readonly reason: CreditNote['reason']
  readonly cause: string
}

/** Refunds of what payments have paid of the invoice: they take back no credit that a payment gave. */
const refundCommands = async (
  services: RefundServices,
  invoice: Actor<Invoice>,
  { refunds, creditNoteId, reason: of, cause }: NewRefunds,
): Promise<readonly Command[]> => {
  const { merchantId, livemode } = invoice.context
  const reason = of === 'duplicate' || of === 'requested_by_customer' ? of : 'other'
  const commands: Command[] = []
  for (const [at, { id, paymentId, amountMinor, destination }] of refunds.entries()) {
    const param = (field: string) => `refunds.${at}.${field}`
    const payment =
      (await findPayment(services.sql, { id: paymentId, merchantId, livemode })) ??
      refuse('resource_not_found', { param: param('paymentId') })
    if (payment.context.invoiceId !== invoice.id)
      refuse('parameter_invalid', {
        ...{ param: param('paymentId'), message: `${param('paymentId')} is not a payment of the invoice.` },
      })
    const opening = refundOpeningOf(
      payment,
      { amountMinor, reason, metadata: {} },
      { givenMinor: 0, creditMinor: 0, creditNoteId, param: param('amountMinor') },
    )
    const remainingMinor = returnableMinor(invoice.context, payment)
    if (amountMinor > remainingMinor)
      refuse('refund_exceeds_remaining', { param: param('amountMinor'), details: { remainingMinor } })
    const begun = { id, opening, payment, destination, param: param('destination') }
    commands.push(...(await beginningOf(services, begun, { cause, creditMinor: 0 })))
  }
  return commands
}

/** What refunds can still return of what a payment has paid of the invoice. The machine of the invoice checks the same. */
const returnableMinor = ({ allocations }: Invoice, { id, context }: Actor<Payment>): number => {
  const allocation = allocations.find(({ paymentId }) => paymentId === id)
  if (!allocation) return 0
  const { amountMinor, creditedMinor, takenBackMinor } = allocation
  const { receivedMinor, refundsReservedMinor } = context
  const unreservedMinor = receivedMinor - creditGivenMinor(allocation) - (refundsReservedMinor - takenBackMinor)
  return Math.max(0, Math.min(amountMinor - creditedMinor, unreservedMinor))
}
