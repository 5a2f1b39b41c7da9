import { isErased } from '../../machines/customer.ts'
import type { Invoice, InvoiceEvent } from '../../machines/invoice-events.ts'
import { HOUR_MS } from '../../machines/invoice-rules.ts'
import type { Command, Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import { ofKind } from '../queries/actors.ts'
import { type BillingSettingsRow, findBillingSettings } from '../queries/billing-settings.ts'
import { getEventsVersion } from '../queries/customers.ts'
import { currentSeriesOf, ensureSeries } from '../queries/document-series.ts'
import { findInvoice, findWithFacts, getCreditBalance } from '../queries/invoices.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findCustomerTime } from '../queries/test-clocks.ts'
import { INVOICE_PURPOSE } from '../sealed-columns.ts'
import { type EventOf, type Requester, refuseTwin } from './by.ts'
import {
  afterBundle,
  dispatchPlanned,
  finalizationOf,
  type InvoiceServices,
  requireComplete,
  untilCurrent,
  withResponse,
} from './finalizations.ts'
import {
  changedContent,
  contentOf,
  type InvoiceChanges,
  type InvoiceFields,
  requireDueDate,
} from './invoice-content.ts'
import { type CustomerReference, nameCustomer } from './named-customers.ts'
import { newPageToken } from './page-tokens.ts'
import { refuseState, refuseStateOf } from './state-conflicts.ts'

export type InvoiceRequest = {
  readonly owner: ListOwner
  readonly customer: CustomerReference
  readonly fields: InvoiceFields
  /** Whether the draft is finalized in the same commit. */
  readonly finalize: boolean
}

/** Creates an invoice, and its customer if there is none with the e-mail address. */
export const createInvoice = async (
  services: InvoiceServices,
  { owner, customer: reference, fields, finalize }: InvoiceRequest,
  { cause, responseRows }: Requester<Invoice>,
): Promise<Actor<Invoice>> => {
  const { sql, clock, random } = services
  const settings = await getSettings(services, owner.merchantId)
  const apiVersion = await getEventsVersion(sql, owner.merchantId)
  return untilCurrent(async () => {
    const customer = await nameCustomer(services, owner, reference, cause)
    const { merchantId, livemode } = owner
    const { testClockId } = customer.context
    const now = await findCustomerTime(services, testClockId)
    requireDueDate(fields, settings, now)
    const opening = {
      ...{ merchantId, livemode, apiVersion, testClockId },
      ...contentOf(customer.id, fields, settings),
      ...{ subscriptionId: null, periodIndex: null, periodStart: null, periodEnd: null },
    }
    const id = uuidv7(clock.now(), random)
    const commands = [...customer.commands, { kind: 'invoice', actor: id, create: opening, cause }]
    if (!finalize) return settle(services, { id, commands, responseRows })
    const facts = {
      ...{ settings, customer: { ...customer.context, id: customer.id, state: customer.state } },
      creditMinor: await getCreditBalance(sql, customer.id, opening.currency),
    }
    requireComplete(facts, livemode)
    const series = currentSeriesOf(facts, { documentKind: 'invoice', livemode, testClockId }, now)
    await ensureSeries(services, series, cause)
    const draft = { id, rev: 1, content: opening }
    const more = finalizationOf(services, series, { draft, facts, cause })
    return settle(services, { id, commands: [...commands, ...more], responseRows })
  })
}

/** Gives a draft its number. */
export const finalizeInvoice = async (
  services: InvoiceServices,
  key: RecordKey,
  { cause, responseRows }: Requester<Invoice>,
): Promise<Actor<Invoice>> =>
  untilCurrent(async attempt => {
    const { invoice, facts } = (await findWithFacts(services.sql, key)) ?? refuse('resource_not_found')
    // A draft that can be paid is finalized when money for it is seen.
    if (invoice.state !== 'draft' || invoice.context.paymentLinkId !== null) refuseStateOf(invoice)
    if (isErased(facts.customer.state)) refuse('customer_erased')
    const { id, rev, context: content } = invoice
    requireComplete(facts, content.livemode)
    const { livemode, testClockId } = content
    const now = await findCustomerTime(services, testClockId)
    const series = currentSeriesOf(facts, { documentKind: 'invoice', livemode, testClockId }, now)
    // Usually it exists.
    if (attempt > 0) await ensureSeries(services, series, cause)
    const commands = finalizationOf(services, series, { draft: { id, rev, content }, facts, cause })
    return settle(services, { id, commands, responseRows })
  })

/** Changes the fields of a draft that were sent. */
export const changeInvoice = async (
  services: InvoiceServices,
  key: RecordKey,
  { customer: reference, ...changes }: InvoiceChanges & { readonly customer: CustomerReference | undefined },
  cause: string,
): Promise<Actor<Invoice>> => {
  const invoice = (await findInvoice(services.sql, key)) ?? refuse('resource_not_found')
  const { merchantId, livemode, testClockId } = invoice.context
  const settings = await getSettings(services, merchantId)
  requireDueDate(changes, settings, await findCustomerTime(services, testClockId))
  return untilCurrent(async () => {
    // The times of the draft are those of its clock.
    const named = reference && { ...reference, testClockId, hasItsClock: true as const }
    const customer = named && (await nameCustomer(services, { merchantId, livemode }, named, cause))
    const commands = [
      ...(customer?.commands ?? []),
      {
        ...{ kind: 'invoice', actor: invoice.id, event: { type: 'update' }, cause },
        // By the draft in the commit: another request may have changed other fields.
        given: (actors: ReadonlyMap<string, Actor>) => {
          const { context } = ofKind(invoiceKind, actors.get(invoice.id))
          return { content: changedContent(context, { ...changes, customerId: customer?.id }, settings) }
        },
      },
    ]
    return settle(services, { id: invoice.id, commands, responseRows: () => [] })
  })
}

export const deleteInvoice = async (services: InvoiceServices, key: RecordKey, cause: string): Promise<void> => {
  await change(services, key, { type: 'delete' }, { cause, responseRows: () => [] })
}

export const markUncollectible = (services: InvoiceServices, key: RecordKey, requester: Requester<Invoice>) =>
  change(services, key, { type: 'mark_uncollectible' }, requester)

/** Requests a reminder, at most once in an hour. */
export const remindCustomer = async (
  services: InvoiceServices,
  key: RecordKey,
  requester: Requester<Invoice>,
): Promise<Actor<Invoice>> => {
  const { context } = (await findInvoice(services.sql, key)) ?? refuse('resource_not_found')
  const now = await findCustomerTime(services, context.testClockId)
  const refuseTooSoon = ({ state, context: { remindedAt } }: Actor<Invoice>): void => {
    const waitMs = remindedAt === null ? 0 : remindedAt.getTime() + HOUR_MS - now.getTime()
    if (state === 'open' && waitMs > 0)
      refuse('rate_limited', { retryAfter: waitMs / 1_000, quota: { allowed: 1, seconds: HOUR_MS / 1_000 } })
  }
  return change(services, key, { type: 'remind' }, { ...requester, refuseAs: refuseTooSoon })
}

/** Gives the page of an invoice a new address. */
export const rotateInvoiceUrl = async (
  services: InvoiceServices,
  key: RecordKey,
  requester: Requester<Invoice>,
): Promise<Actor<Invoice>> =>
  change(services, key, { type: 'rotate_url', ...newPageToken(services, INVOICE_PURPOSE, key.id) }, requester)

/** Creates a draft with the content of an invoice. A fixed due date is not copied. */
export const duplicateInvoice = async (
  services: InvoiceServices,
  key: RecordKey,
  { cause, responseRows }: Requester<Invoice>,
): Promise<Actor<Invoice>> => {
  const { context } = (await findInvoice(services.sql, key)) ?? refuse('resource_not_found')
  const { merchantId, livemode, customerId: id } = context
  const owner = { merchantId, livemode }
  const fields = { ...context, reminders: context.reminderOffsets, dueDate: null }
  return createInvoice(
    services,
    { owner, customer: { id, isCopied: true }, fields, finalize: false },
    { cause, responseRows },
  )
}

const change = async (
  services: InvoiceServices,
  key: RecordKey,
  event: EventOf<Extract<InvoiceEvent, { type: 'delete' | 'mark_uncollectible' | 'remind' | 'rotate_url' }>>,
  { cause, responseRows, refuseAs }: Requester<Invoice> & Pick<Settling, 'refuseAs'>,
): Promise<Actor<Invoice>> => {
  const { id } = (await findInvoice(services.sql, key)) ?? refuse('resource_not_found')
  const commands = [{ kind: 'invoice', actor: id, event, cause }]
  return (await settle(services, { id, commands, responseRows, refuseAs })) ?? refuse('state_conflict')
}

type Settling = {
  readonly id: string
  readonly commands: readonly Command[]
  readonly responseRows: (invoice: Actor<Invoice>) => readonly Row[]
  /** Called with an invoice that has refused its event; may throw another refusal than `state_conflict`. */
  readonly refuseAs?: ((invoice: Actor<Invoice>) => void) | undefined
}

/** The invoice after the commands; undefined if they must be made again. */
const settle = async (
  services: InvoiceServices,
  { id, commands, responseRows, refuseAs }: Settling,
): Promise<Actor<Invoice> | undefined> => {
  const outcome = await dispatchPlanned(services, withResponse(invoiceKind, id, commands, responseRows))
  if (outcome === 'stale') return undefined
  if (outcome.ok) return afterBundle(invoiceKind, id, outcome)
  refuseTwin(outcome)
  if (outcome.actor?.kind === 'invoice') refuseAs?.(ofKind(invoiceKind, outcome.actor))
  return refuseState(outcome)
}

const getSettings = async ({ sql }: InvoiceServices, merchantId: string): Promise<BillingSettingsRow> =>
  (await findBillingSettings(sql, merchantId)) ?? refuse('resource_not_found')
