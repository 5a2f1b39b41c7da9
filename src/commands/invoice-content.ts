import type { InvoiceContent, InvoiceLine } from '../../machines/invoice-events.ts'
import { dayIn } from '../billing/days.ts'
import { sumInvoice } from '../billing/invoice-sums.ts'
import { refuse } from '../errors.ts'
import type { BillingSettingsRow } from '../queries/billing-settings.ts'
import { refuseDueDate } from '../queries/invoice-issue.ts'

/** A line as a caller sends it. */
export type NewLine = Pick<InvoiceLine, 'description' | 'unitAmountMinor'> & {
  readonly [Field in 'quantity' | 'taxRateBps' | 'taxCategory' | 'taxNote' | 'periodStart' | 'periodEnd']?:
    | InvoiceLine[Field]
    | undefined
}

/** An invoice as a caller sends it. What is missing or null is taken from the settings of the merchant. */
export type InvoiceFields = Pick<InvoiceContent, 'currency'> & {
  readonly lines: readonly NewLine[]
  readonly reminders?: readonly number[] | null | undefined
} & {
  readonly [Field in
    | 'taxBehavior'
    | 'daysUntilDue'
    | 'dueDate'
    | 'reference'
    | 'orderNumber'
    | 'notes'
    | 'assets'
    | 'metadata']?: InvoiceContent[Field] | undefined
}

export type InvoiceChanges = { readonly [Field in keyof InvoiceFields]?: InvoiceFields[Field] | undefined }

export const contentOf = (customerId: string, fields: InvoiceFields, settings: BillingSettingsRow): InvoiceContent => {
  const { daysUntilDue = null, dueDate = null, notes = settings.notes } = fields
  if (daysUntilDue !== null && dueDate !== null)
    refuse('parameter_invalid', { param: 'dueDate', message: 'dueDate and daysUntilDue exclude each other.' })
  const taxBehavior = fields.taxBehavior ?? settings.tax_behavior
  return {
    ...{ customerId, currency: fields.currency, taxBehavior, daysUntilDue, dueDate, notes },
    ...summedLines(fields.lines, taxBehavior, settings.tax_rate_bps),
    reference: fields.reference ?? null,
    orderNumber: fields.orderNumber ?? null,
    assets: fields.assets ?? null,
    reminderOffsets: fields.reminders ?? null,
    metadata: fields.metadata ?? {},
  }
}

/** What a draft says after the fields that were sent have replaced its own. */
export const changedContent = (
  before: InvoiceContent,
  changes: InvoiceChanges & { readonly customerId?: string | undefined },
  settings: BillingSettingsRow,
): InvoiceContent => {
  const sent = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  // Of the two terms the one that was sent replaces the other one.
  const due = changes.daysUntilDue != null ? { dueDate: null } : changes.dueDate != null ? { daysUntilDue: null } : {}
  const fields = { ...before, reminders: before.reminderOffsets, ...due, ...sent }
  return contentOf(changes.customerId ?? before.customerId, fields, settings)
}

/** For a due date that is sent. That of a draft is checked again when the draft is finalized. */
export const requireDueDate = (
  { dueDate }: Pick<InvoiceChanges, 'dueDate'>,
  { time_zone }: BillingSettingsRow,
  now: Date,
): void => {
  if (dueDate != null && dueDate < dayIn(time_zone, now)) refuseDueDate()
}

/** Lines with their amounts, and the sums. */
export const summedLines = (
  lines: readonly NewLine[],
  taxBehavior: InvoiceContent['taxBehavior'],
  defaultRateBps: number,
): Pick<InvoiceContent, 'lines' | 'taxes' | 'subtotalMinor' | 'taxMinor' | 'totalMinor'> => {
  const priced = lines.map((line, at) => pricedLine(line, at, defaultRateBps))
  const summed = sumInvoice(priced, taxBehavior)
  if (!summed.ok) return refuse(summed.refused, { param: 'lines' })
  const { lines: amounts, ...sums } = summed.sums
  return { lines: priced.map((line, at) => ({ ...line, amountMinor: amounts[at]?.amountMinor ?? 0 })), ...sums }
}

const pricedLine = (line: NewLine, at: number, defaultRateBps: number): InvoiceLine => {
  const { taxCategory = 'standard', taxNote = null, periodStart = null, periodEnd = null } = line
  const taxRateBps = line.taxRateBps ?? (taxCategory === 'standard' ? defaultRateBps : 0)
  const param = (field: string) => `lines.${at}.${field}`
  if (taxCategory !== 'standard' && taxRateBps !== 0) refuse('parameter_invalid', { param: param('taxRateBps') })
  if ((taxCategory === 'reverse_charge' || taxCategory === 'exempt') && taxNote === null)
    refuse('parameter_missing', { param: param('taxNote') })
  if (periodStart !== null && periodEnd !== null && Date.parse(periodEnd) < Date.parse(periodStart))
    refuse('parameter_invalid', { param: param('periodEnd') })
  return {
    ...{ id: `line_${at + 1}`, description: line.description, quantity: line.quantity ?? '1' },
    ...{ unitAmountMinor: line.unitAmountMinor, amountMinor: 0, taxRateBps, taxCategory, taxNote },
    ...{ periodStart, periodEnd },
  }
}
