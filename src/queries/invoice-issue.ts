import type { Customer } from '../../machines/customer.ts'
import type { Invoice, InvoiceIssue, InvoiceParty, InvoiceSeller } from '../../machines/invoice-events.ts'
import type { Command } from '../actors/command.ts'
import type { Actor, Kind } from '../actors/kind.ts'
import { dayIn, endOfDay } from '../billing/days.ts'
import { documentHash, type HashedDocument, partyHash, sellerHash } from '../billing/document-hash.ts'
import { type NumberedDocument, parseNumberPattern, renderNumber, seriesYear } from '../billing/document-number.ts'
import { dateInvoice } from '../billing/invoice-dates.ts'
import type { Random } from '../dependencies.ts'
import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import { documentSeriesKind } from '../kinds/document-series.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import { ofKind } from './actors.ts'
import type { BillingSettingsRow } from './billing-settings.ts'

/** What is decided before the commit. Everything else follows from the rows that the commit locks. */
export type IssuePlan = {
  readonly invoiceId: string
  readonly seriesId: string
  /** The draft that the payment link and the credit were decided for. */
  readonly rev: number
  readonly settings: BillingSettingsRow
  readonly party: InvoiceParty
  readonly fixed: Pick<InvoiceIssue, 'creditAppliedMinor' | 'paymentLinkId' | 'partySalt' | 'tokenHash' | 'sealedToken'>
}

/** The commands that give a draft its number, in one bundle. `rows`: for the command of the draft. */
export const issueCommands = (
  plan: IssuePlan,
  { cause, idOf, rows }: Pick<Command, 'cause' | 'rows'> & { readonly idOf?: ((actor: string) => string) | undefined },
): readonly Command[] => {
  const { invoiceId, seriesId } = plan
  const by = (actor: string) => ({ actor, ...(cause !== undefined && { cause }), ...(idOf && { id: idOf(actor) }) })
  return [
    {
      ...{
        kind: 'invoice',
        event: { type: 'finalize' },
        ...by(invoiceId),
        ...(idOf && { id: idOf(`${invoiceId} finalize`) }),
      },
      given: (actors, at) => issueInvoice(plan, actors, at),
      ...(rows && { rows }),
    },
    {
      ...{ kind: 'document_series', event: { type: 'issue' }, ...by(seriesId) },
      given: actors => recordInSeries(invoiceKind, invoiceId, actors),
    },
  ]
}

export const newPartySalt = ({ random }: { readonly random: Random }): string =>
  Buffer.from(random(new Uint8Array(16))).toString('hex')

/** The draft or the series is another one than the plan was made for. The plan is made again. */
export class StalePlan extends Error {
  override readonly name = 'StalePlan'
}

/**
 * The fields of the event `finalize`, from the rows of the draft and the series as they are when the command is decided. So
 * the number is the next one of the series, and the time is not before that of the document before it.
 */
export const issueInvoice = (plan: IssuePlan, actors: ReadonlyMap<string, Actor>, at: Date): InvoiceIssue => {
  const { settings, party, fixed } = plan
  const draft = actors.get(plan.invoiceId)
  if (draft?.rev !== plan.rev) throw new StalePlan()
  const { context: invoice } = ofKind(invoiceKind, draft)
  const place = nextInSeries(plan.seriesId, actors, { settings, prefix: settings.invoice_prefix, at })
  const dates = datesOf(invoice, settings, place)
  const seller = { legalName: settings.legal_name, address: settings.address, taxId: settings.tax_id }
  const parties = { seller, partyHash: partyHash(Buffer.from(fixed.partySalt, 'hex'), party) }
  return {
    ...{ ...fixed, ...dates, ...place, ...parties, customer: party },
    documentHash: hashOf({ ...invoice, ...dates, ...place, ...parties, kind: 'invoice' }),
    retainedUntil: retainedFrom(place.issueDate, settings),
    reminders: dates.reminders.map(reminder => ({
      ...{ offsetDays: reminder.offsetDays, at: reminder.at.toISOString(), sentAt: null },
    })),
  }
}

/**
 * The place of a document that is issued now, from the row of the series: the next number, and a time that is not before
 * that of the document before it.
 */
export const nextInSeries = (
  seriesId: string,
  actors: ReadonlyMap<string, Actor>,
  { settings, prefix, at }: { readonly settings: BillingSettingsRow; readonly prefix: string; readonly at: Date },
) => {
  const found = actors.get(seriesId)
  if (!found) throw new StalePlan()
  const { context: series } = ofKind(documentSeriesKind, found)
  const { lastNumber, lastIssuedAt, lastDocumentHash: previousDocumentHash } = series
  const issuedAt = lastIssuedAt !== null && lastIssuedAt > at ? lastIssuedAt : at
  const issueDate = dayIn(settings.time_zone, issuedAt)
  if ((seriesYear(settings.restart, issueDate) ?? 0) !== series.year) throw new StalePlan()
  const sequence = lastNumber + 1
  const { livemode, testClockId } = series
  const number = numberOf(settings, { prefix, issueDate, number: sequence, livemode, testClockId })
  return { seriesId, sequence, number, issuedAt, issueDate, previousDocumentHash }
}

type IssuedDocument = Omit<HashedDocument, 'sellerHash'> & {
  readonly seller: InvoiceSeller
  readonly previousDocumentHash: string | null
}

export const hashOf = ({ seller, previousDocumentHash, ...document }: IssuedDocument): string =>
  documentHash(previousDocumentHash, { ...document, sellerHash: sellerHash(seller) })

/** The fields of the event `issue` of the series, from the document that was issued before it in the same bundle. */
export const recordInSeries = <C extends Numbered>(kind: Kind<C>, id: string, actors: ReadonlyMap<string, Actor>) => {
  const { sequence, issueDate, issuedAt, documentHash } = ofKind(kind, actors.get(id)).context
  return { number: sequence, year: Number(issueDate?.slice(0, 4)), issuedAt, documentHash }
}

type Numbered = { [Field in 'sequence' | 'issueDate' | 'issuedAt' | 'documentHash']: InvoiceIssue[Field] | null }

/** Names and addresses as the document shows them. */
export const partyOf = ({ email, name, company, taxId, address, locale }: PartyFields): InvoiceParty => ({
  ...{ email, name, company, taxId, address, locale },
})

type PartyFields = Pick<Customer, keyof InvoiceParty>

const datesOf = (
  { subscriptionId, dueDate: planned, daysUntilDue, reminderOffsets }: Invoice,
  settings: BillingSettingsRow,
  { issuedAt, issueDate }: Pick<InvoiceIssue, 'issuedAt' | 'issueDate'>,
) => {
  // The period of a subscription may have begun since the draft was made.
  const isLate = subscriptionId !== null && planned !== null && planned < issueDate
  const dueDate = isLate ? issueDate : planned
  const dated = dateInvoice({
    issuedAt,
    timeZone: settings.time_zone,
    due: dueDate === null ? { daysUntilDue: daysUntilDue ?? settings.days_until_due } : { dueDate },
    reminders: reminderOffsets ?? settings.reminders,
  })
  return dated.ok ? dated.dates : refuseDueDate()
}

export const refuseDueDate = (): never =>
  refuse('parameter_invalid', { param: 'dueDate', message: 'dueDate must not be before the issue date.' })

const numberOf = (settings: BillingSettingsRow, document: Omit<NumberedDocument, 'pattern'>): string => {
  const parsed = parseNumberPattern(settings.number_pattern, settings.restart)
  if (!parsed.ok) throw new Error(`The settings have the number pattern ${settings.number_pattern}`)
  const testClockId = document.testClockId === null ? null : encodeId('clk', document.testClockId)
  return renderNumber({ ...document, pattern: parsed.pattern, testClockId })
}

/** Until when the parties of a document are kept. */
export const retainedFrom = (issueDate: string, settings: BillingSettingsRow): Date =>
  endOfDay(settings.time_zone, `${Number(issueDate.slice(0, 4)) + settings.retention_years}-12-31`)
