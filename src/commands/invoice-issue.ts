import type { Customer } from '../../machines/customer.ts'
import type { Invoice, InvoiceIssue, InvoiceParty } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import { endOfDay } from '../billing/days.ts'
import { documentHash, partyHash, sellerHash } from '../billing/document-hash.ts'
import { parseNumberPattern, renderNumber, seriesYear } from '../billing/document-number.ts'
import { dateInvoice } from '../billing/invoice-dates.ts'
import { documentSeriesKind } from '../kinds/document-series.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import { ofKind } from '../queries/actors.ts'
import type { BillingSettingsRow } from '../queries/billing-settings.ts'
import { refuseDueDate } from './invoice-content.ts'

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
  const [draft, series] = [actors.get(plan.invoiceId), actors.get(plan.seriesId)]
  if (!series || draft?.rev !== plan.rev) throw new StalePlan()
  const { context: invoice } = ofKind(invoiceKind, draft)
  const { lastNumber, lastIssuedAt, lastDocumentHash, year } = ofKind(documentSeriesKind, series).context
  const issuedAt = lastIssuedAt !== null && lastIssuedAt > at ? lastIssuedAt : at
  const dates = datesOf(invoice, settings, issuedAt)
  if ((seriesYear(settings.restart, dates.issueDate) ?? 0) !== year) throw new StalePlan()
  const sequence = lastNumber + 1
  const number = numberOf(invoice, settings, { sequence, issueDate: dates.issueDate })
  const hashOfParty = partyHash(Buffer.from(fixed.partySalt, 'hex'), party)
  const seller = { legalName: settings.legal_name, address: settings.address, taxId: settings.tax_id }
  return {
    ...{ ...fixed, ...dates, number, seriesId: plan.seriesId, sequence, issuedAt, seller, customer: party },
    partyHash: hashOfParty,
    previousDocumentHash: lastDocumentHash,
    documentHash: documentHash(lastDocumentHash, {
      ...{ number, kind: 'invoice', currency: invoice.currency, lines: invoice.lines, taxes: invoice.taxes },
      ...{ subtotalMinor: invoice.subtotalMinor, taxMinor: invoice.taxMinor, totalMinor: invoice.totalMinor },
      ...{ issueDate: dates.issueDate, dueDate: dates.dueDate, sellerHash: sellerHash(seller) },
      partyHash: hashOfParty,
    }),
    reminders: dates.reminders.map(reminder => ({
      ...{ offsetDays: reminder.offsetDays, at: reminder.at.toISOString(), sentAt: null },
    })),
    retainedUntil: endOfDay(settings.time_zone, lastDayKept(dates.issueDate, settings.retention_years)),
  }
}

/** The fields of the event `issue` of the series, from the invoice that was finalized before it in the same bundle. */
export const recordInSeries = (invoiceId: string, actors: ReadonlyMap<string, Actor>) => {
  const { sequence, issueDate, issuedAt, documentHash } = ofKind(invoiceKind, actors.get(invoiceId)).context
  return { number: sequence, year: Number(issueDate?.slice(0, 4)), issuedAt, documentHash }
}

/** Names and addresses as the document shows them. */
export const partyOf = ({ email, name, company, taxId, address, locale }: PartyFields): InvoiceParty => ({
  ...{ email, name, company, taxId, address, locale },
})

type PartyFields = Pick<Customer, keyof InvoiceParty>

const datesOf = (invoice: Invoice, settings: BillingSettingsRow, issuedAt: Date) => {
  const { dueDate, daysUntilDue, reminderOffsets } = invoice
  const dated = dateInvoice({
    issuedAt,
    timeZone: settings.time_zone,
    due: dueDate === null ? { daysUntilDue: daysUntilDue ?? settings.days_until_due } : { dueDate },
    reminders: reminderOffsets ?? settings.reminders,
  })
  return dated.ok ? dated.dates : refuseDueDate()
}

const numberOf = (
  { livemode }: Invoice,
  settings: BillingSettingsRow,
  { sequence, issueDate }: { readonly sequence: number; readonly issueDate: string },
): string => {
  const parsed = parseNumberPattern(settings.number_pattern, settings.restart)
  if (!parsed.ok) throw new Error(`The settings have the number pattern ${settings.number_pattern}`)
  const { pattern } = parsed
  const prefix = settings.invoice_prefix
  return renderNumber({ pattern, prefix, issueDate, number: sequence, livemode, testClockId: null })
}

const lastDayKept = (issueDate: string, years: number): string => `${Number(issueDate.slice(0, 4)) + years}-12-31`
