import type { Invoice } from '../../machines/invoice-events.ts'
import { countedBeforeMinor } from '../../machines/invoice-rules.ts'
import type { PaymentEvent } from '../../machines/payment-events.ts'
import { countedMinor, isOfErasedCustomer, type Transferred } from '../../machines/payment-sums.ts'
import { type BundleOutcome, type Command, CommandFault, type Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { uuidFrom } from '../ids.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import { invoiceEventOf, linkEventOf, paymentKind } from '../kinds/payment.ts'
import { ofKind } from './actors.ts'
import { creditEntryRow, dispatchGivingCredit } from './credit-entries.ts'
import { currentSeriesOf, ensureSeries, seriesIdOf } from './document-series.ts'
import { type IssuePlan, issueCommands, newPartySalt, partyOf, StalePlan } from './invoice-issue.ts'
import { findWithFacts } from './invoices.ts'
import { findCustomerTime } from './test-clocks.ts'

/** A payment, with the link and the invoice that count it. */
type PaymentKey = {
  readonly id: string
  readonly context: { readonly paymentLinkId: string; readonly invoiceId: string | null }
}

type Untimed = { readonly type: PaymentEvent['type'] } & Readonly<Record<string, unknown>>

type Given = {
  readonly cause: string
  /** Of the command for an actor, if the commands may be sent again. */
  readonly idOf?: (actor: string) => string
  /** What was received at the addresses of the payment, for events of the chain. */
  readonly transfers?: readonly Transferred[]
  /** What is overpaid does not become credit. */
  readonly givesNoCredit?: boolean
  /** Before the event of the invoice. */
  readonly finalization?: readonly Command[]
}

/**
 * Money for a draft that can be paid finalizes it in the same commit. Usually the invoice is finalized, so the draft is read
 * only when it has refused the event. Of several payments for one draft, the first one that is committed finalizes it.
 */
export const dispatchPaymentEvent = async (
  services: PaymentServices,
  payment: PaymentKey,
  event: Untimed,
  given: Omit<Given, 'givesNoCredit' | 'finalization'>,
): Promise<BundleOutcome> => {
  const dispatch = (finalization: readonly Command[]) =>
    dispatchGivingCredit(services, ({ givesNoCredit }) =>
      paymentCommands(payment, event, { ...given, givesNoCredit, finalization }),
    )
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const outcome = await dispatch([])
    if (outcome.ok || outcome.actor?.kind !== 'invoice' || outcome.actor.state !== 'draft') return outcome
    const plan = await planDraft(services, outcome.actor, given.cause)
    try {
      if (plan) return await dispatch(issueCommands(plan, given))
    } catch (error) {
      // Another payment has finalized it, or another document was issued in another year's series.
      if (!(error instanceof CommandFault && error.cause instanceof StalePlan)) throw error
    }
  }
  throw new Error(`The invoice ${payment.context.invoiceId} changes all the time`)
}

type PaymentServices = Pick<Services, 'actors' | 'sql' | 'random' | 'clock'>

const MOST_TRIES = 20

/** Undefined if it is no longer there. Its series may be that of a year in which nothing was issued yet. */
const planDraft = async (services: PaymentServices, draft: Actor, cause: string): Promise<IssuePlan | undefined> => {
  const { merchantId, livemode } = ofKind(invoiceKind, draft).context
  const found = await findWithFacts(services.sql, { id: draft.id, merchantId, livemode })
  const page = found && pageOf(found.invoice)
  if (!page) return undefined
  const { id: invoiceId, rev, context } = found.invoice
  const { testClockId } = context
  const now = await findCustomerTime(services, testClockId)
  const series = currentSeriesOf(found.facts, { documentKind: 'invoice', livemode, testClockId }, now)
  await ensureSeries(services, series, cause)
  return {
    ...{ invoiceId, seriesId: seriesIdOf(series), rev, settings: found.facts.settings },
    party: partyOf(found.facts.customer),
    // The whole sum: what a visitor has typed gives no right to credit.
    fixed: { ...page, creditAppliedMinor: 0, partySalt: newPartySalt(services) },
  }
}

const pageOf = ({ state, context: { paymentLinkId, tokenHash, sealedToken } }: Actor<Invoice>) =>
  state === 'draft' && paymentLinkId !== null && tokenHash !== null && sealedToken !== null
    ? { paymentLinkId, tokenHash, sealedToken }
    : undefined

/** The bundle of a payment's event: with it, the link counts the payment, and the money pays the invoice. */
export const paymentCommands = (
  { id, context: { paymentLinkId, invoiceId } }: PaymentKey,
  event: Untimed,
  { cause, idOf, transfers = [], givesNoCredit = false, finalization = [] }: Given,
): readonly Command[] => {
  const by = (actor: string) => ({ actor, cause, ...(idOf && { id: idOf(actor) }) })
  const linkEvent = linkEventOf[event.type]
  const invoiceEvent = invoiceId === null ? undefined : invoiceEventOf[event.type]
  const link: readonly Command[] = linkEvent
    ? [{ kind: 'payment_link', event: { type: linkEvent }, ...by(paymentLinkId) }]
    : []
  if (invoiceId === null || invoiceEvent === undefined) return [{ kind: 'payment', event, ...by(id) }, ...link]
  return [
    {
      ...{ kind: 'payment', event, ...by(id) },
      ...(invoiceEvent === 'money_counted' && {
        given: actors => ({ isForVoidInvoice: ['void', 'deleted'].includes(actors.get(invoiceId)?.state ?? '') }),
      }),
    },
    ...link,
    ...finalization,
    {
      ...{ kind: 'invoice', event: { type: invoiceEvent, paymentId: id }, ...by(invoiceId) },
      // After the payment's event, and before the invoice's.
      given: actors => {
        const payment = ofKind(paymentKind, actors.get(id))
        const countedBefore = countedBeforeMinor(ofKind(invoiceKind, actors.get(invoiceId)).context, id)
        const processingMinor = Math.max(0, payment.context.amountMinor - countedBefore)
        if (invoiceEvent !== 'money_counted') return { amountMinor: processingMinor }
        const nowMinor = countedMinor(payment.state, payment.context, transfers)
        const endsProcessing = event.type === 'finalized'
        const processedMinor = endsProcessing
          ? processingMinor
          : payment.state === 'processing'
            ? Math.min(processingMinor, Math.max(0, nowMinor - countedBefore))
            : 0
        const isErased = isOfErasedCustomer(payment.context)
        return { countedMinor: nowMinor, processedMinor, givesNoCredit: givesNoCredit || isErased }
      },
      rows: (actors, before) => overpaymentRows(ofKind(invoiceKind, actors.at(-1)), before, id),
    },
  ]
}

/** Money that nothing was due for is credit of the customer, in the same commit. */
const overpaymentRows = (
  { id, rev, context }: Actor<Invoice>,
  before: Actor | undefined,
  paymentId: string,
): readonly Row[] => {
  const overpaid = ({ allocations }: Invoice) =>
    allocations.find(each => each.paymentId === paymentId)?.overpaidMinor ?? 0
  const amountMinor = overpaid(context) - overpaid(ofKind(invoiceKind, before).context)
  if (amountMinor === 0) return []
  const { customerId, merchantId, livemode, currency } = context
  return [
    creditEntryRow({
      ...{ id: uuidFrom(['overpayment', id, rev]), customerId, merchantId, livemode, currency },
      ...{ type: 'overpayment', amountMinor, invoiceId: id, paymentId },
    }),
  ]
}
