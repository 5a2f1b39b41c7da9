import { isDay } from '../../../billing/days.ts'
import { type PricedLine, type SummedInvoice, sumInvoice } from '../../../billing/invoice-sums.ts'
import type { BillingSettings, Calls, InvoiceWithLines } from '../../api/calls.ts'
import { enteredMetadata, type MetadataEntry, metadataFaultsIn } from '../customers/customer-draft.ts'
import { type AddressDraft, addressDraftOf, enteredAddress, missingIn } from '../postal-address/address-draft.ts'
import { basisPointsOf } from '../settings/basis-points.ts'
import { plainSigned, signedAmountOf } from './signed-amount.ts'
import { quantityIn } from './typed-quantity.ts'

type TaxCategory = InvoiceWithLines['lines'][number]['taxCategory']

/** A line as it is typed. */
export type LineDraft = {
  /** Its identity in the form, whatever its place. */
  readonly key: number
  readonly description: string
  readonly quantity: string
  readonly unitAmount: string
  /** In percent. */
  readonly taxRate: string
  readonly taxCategory: TaxCategory
  readonly taxNote: string
  readonly periodStart: string
  readonly periodEnd: string
}

/** The customer of the invoice: one that exists, or the fields of a new one. */
export type DraftCustomer =
  | { readonly by: 'search'; readonly id: string | undefined }
  | {
      readonly by: 'email'
      readonly email: string
      readonly name: string
      readonly company: string
      readonly taxId: string
      readonly address: AddressDraft
    }

/** When the invoice is due: by the settings, so many days after its issue, or on a day. */
export type DraftDue = { readonly by: 'settings' | 'days' | 'date'; readonly days: string; readonly date: string }

type Asset = { readonly chainId: number; readonly asset: string }

/** An invoice as it is typed. */
export type InvoiceDraft = {
  readonly customer: DraftCustomer
  readonly currency: string
  readonly taxBehavior: InvoiceWithLines['taxBehavior']
  readonly lines: readonly LineDraft[]
  readonly due: DraftDue
  readonly reference: string
  readonly orderNumber: string
  readonly notes: string
  /** Null: all. */
  readonly assets: readonly Asset[] | null
  /** Null: by the settings. */
  readonly reminders: readonly number[] | null
  readonly metadata: readonly MetadataEntry[]
}

/** Only what was edited in the form. All else is as the draft is now, and is not sent. */
export type InvoiceEdits = Partial<InvoiceDraft>

export type InvoiceBody = Omit<Calls['createInvoice']['input'], 'merchantId' | 'livemode' | 'idempotencyKey'>
export type InvoiceBodyChanges = Omit<Calls['updateInvoice']['input'], 'merchantId' | 'id'>

export const MOST_LINES = 100
/** Of a plan. */
export const MOST_REPEATED_LINES = 20
/** Of the body of a request. */
export const MOST_BYTES = 65_536

let lastKey = 0

export const newLine = ({ taxRateBps }: Pick<BillingSettings, 'taxRateBps'>): LineDraft => ({
  ...{ key: ++lastKey, description: '', quantity: '1', unitAmount: '', taxRate: String(taxRateBps / 100) },
  ...{ taxCategory: 'standard', taxNote: '', periodStart: '', periodEnd: '' },
})

/** A new customer, of which the e-mail address or the name may be known. */
export const newCustomer = (typed = ''): DraftCustomer => {
  const isEmail = typed.includes('@')
  return {
    ...{ by: 'email', email: isEmail ? typed : '', name: isEmail ? '' : typed, company: '', taxId: '' },
    address: addressDraftOf(null),
  }
}

/** A new invoice begins with the settings of the shop and one line. */
export const newInvoiceDraft = (settings: BillingSettings, customer: DraftCustomer): InvoiceDraft => ({
  customer,
  ...{ currency: 'EUR', taxBehavior: settings.taxBehavior, lines: [newLine(settings)] },
  ...{ due: { by: 'settings', days: String(settings.daysUntilDue), date: '' }, reference: '', orderNumber: '' },
  ...{ notes: settings.notes ?? '', assets: null, reminders: null, metadata: [] },
})

export const invoiceDraftOf = (invoice: InvoiceWithLines, settings: BillingSettings): InvoiceDraft => ({
  customer: { by: 'search', id: invoice.customerId },
  ...{ currency: invoice.currency, taxBehavior: invoice.taxBehavior, lines: invoice.lines.map(lineDraftOf) },
  due: dueOf(invoice, settings),
  ...{ reference: invoice.reference ?? '', orderNumber: invoice.orderNumber ?? '', notes: invoice.notes ?? '' },
  ...{ assets: invoice.assets, reminders: invoice.reminderOffsets },
  metadata: Object.entries(invoice.metadata).map(([key, value]) => ({ key, value })),
})

const dueOf = ({ dueDate, daysUntilDue }: InvoiceWithLines, settings: BillingSettings): DraftDue => ({
  by: dueDate !== null ? 'date' : daysUntilDue !== null ? 'days' : 'settings',
  ...{ days: String(daysUntilDue ?? settings.daysUntilDue), date: dueDate ?? '' },
})

/** Lines of a draft keep their keys as long as it is the same draft, so that the focus stays where it is. */
export const lineDraftOf = (line: InvoiceWithLines['lines'][number], at: number): LineDraft => ({
  ...{ key: -1 - at, description: line.description, quantity: line.quantity, taxNote: line.taxNote ?? '' },
  ...{ unitAmount: plainSigned(line.unitAmountMinor), taxRate: String(line.taxRateBps / 100) },
  ...{ taxCategory: line.taxCategory, periodStart: line.periodStart ?? '', periodEnd: line.periodEnd ?? '' },
})

/** Categories other than the standard one have no rate. */
const rateOf = ({ taxCategory, taxRate }: LineDraft): number | undefined =>
  taxCategory === 'standard' ? basisPointsOf(taxRate, 10_000) : 0

export const needsTaxNote = ({ taxCategory }: Pick<LineDraft, 'taxCategory'>): boolean =>
  taxCategory === 'reverse_charge' || taxCategory === 'exempt'

export type LineFaults = {
  readonly description?: 'empty'
  readonly quantity?: 'wrong' | 'text'
  readonly unitAmountMinor?: 'wrong'
  readonly taxRateBps?: 'wrong'
  readonly taxNote?: 'empty'
  readonly periodStart?: 'wrong'
  readonly periodEnd?: 'wrong' | 'order'
}

export const lineFaultsIn = (line: LineDraft): LineFaults => {
  const { description, unitAmount, taxNote, periodStart, periodEnd } = line
  return {
    ...(description.trim() === '' && { description: 'empty' }),
    ...(quantityIn(line.quantity) === undefined && { quantity: hasText(line.quantity) ? 'text' : 'wrong' }),
    ...(signedAmountOf(unitAmount) === undefined && { unitAmountMinor: 'wrong' }),
    ...(rateOf(line) === undefined && { taxRateBps: 'wrong' }),
    ...(needsTaxNote(line) && taxNote.trim() === '' && { taxNote: 'empty' }),
    ...(isWrongDay(periodStart) && { periodStart: 'wrong' }),
    ...(isWrongDay(periodEnd)
      ? { periodEnd: 'wrong' }
      : periodStart !== '' &&
        periodEnd !== '' &&
        Date.parse(periodEnd) < Date.parse(periodStart) && { periodEnd: 'order' }),
  }
}

/** What no number contains, such as a unit: more typing does not make it one. */
const hasText = (typed: string): boolean => /[^\d.,\s\-−–+]/.test(typed)

/** What is wrong with numbers of a line before it is complete. */
export const typedFaultsIn = (line: LineDraft): LineFaults => {
  const { quantity, unitAmountMinor, taxRateBps } = lineFaultsIn(line)
  return {
    ...(quantity === 'text' && { quantity }),
    ...(unitAmountMinor !== undefined && hasText(line.unitAmount) && { unitAmountMinor }),
    ...(taxRateBps !== undefined && hasText(line.taxRate) && { taxRateBps }),
  }
}

/** The API takes times as well; a draft that was made with one keeps it. */
const isWrongDay = (text: string): boolean =>
  text.length > 10 ? Number.isNaN(Date.parse(text)) : text !== '' && !isDay(text)

export const customerFaultsIn = (customer: DraftCustomer) => ({
  customer: customer.by === 'search' && customer.id === undefined,
  address: customer.by === 'email' && missingIn(customer.address).length > 0,
  email: customer.by === 'email' && !/^[^\s@]+@[^\s@]+$/.test(customer.email.trim()),
})

/** What is wrong with a draft, as far as the browser knows it. */
export const invoiceFaultsIn = ({ customer, due, lines, assets, metadata }: InvoiceDraft) => ({
  ...customerFaultsIn(customer),
  days: due.by === 'days' && !(/^\d{1,3}$/.test(due.days.trim()) && Number(due.days) <= 365),
  date: due.by === 'date' && !isDay(due.date),
  lines: lines.map(lineFaultsIn),
  assets: assets !== null && assets.length === 0,
  metadata: metadataFaultsIn(metadata),
})

export type InvoiceFaults = ReturnType<typeof invoiceFaultsIn>

export const hasLineFaults = (lines: InvoiceDraft['lines']): boolean =>
  lines.some(line => Object.keys(lineFaultsIn(line)).length > 0)

export const hasFaults = ({ lines, metadata, ...flags }: InvoiceFaults): boolean =>
  Object.values(flags).some(Boolean) || metadata.some(Boolean) || lines.some(line => Object.keys(line).length > 0)

/** A line for the sums. What is wrong or missing counts as nothing. */
const pricedLine = (line: LineDraft): PricedLine => ({
  quantity: quantityIn(line.quantity) ?? '1',
  unitAmountMinor: quantityIn(line.quantity) === undefined ? 0 : (signedAmountOf(line.unitAmount) ?? 0),
  ...{ taxCategory: line.taxCategory, taxRateBps: rateOf(line) ?? 0 },
})

/** The sums of the draft, by the functions of the server. */
export const sumDraft = ({ lines, taxBehavior }: Pick<InvoiceDraft, 'lines' | 'taxBehavior'>): SummedInvoice =>
  sumInvoice(lines.map(pricedLine), taxBehavior)

/** A line of a plan as the API takes it. Nothing in it is wrong. */
export const soldLineBody = (line: LineDraft) => ({
  description: line.description.trim(),
  quantity: quantityIn(line.quantity) ?? '1',
  unitAmountMinor: signedAmountOf(line.unitAmount) ?? 0,
  ...{ taxRateBps: rateOf(line) ?? 0, taxCategory: line.taxCategory, taxNote: line.taxNote.trim() || null },
})

const lineBody = (line: LineDraft): InvoiceBody['lines'][number] => ({
  ...soldLineBody(line),
  ...{ periodStart: line.periodStart || null, periodEnd: line.periodEnd || null },
})

export const customerBody = (customer: DraftCustomer): Pick<InvoiceBody, 'customerId' | 'customer'> => {
  if (customer.by === 'search') return { ...(customer.id !== undefined && { customerId: customer.id }) }
  const given = { name: customer.name.trim(), company: customer.company.trim(), taxId: customer.taxId.trim() }
  const address = enteredAddress(customer.address)
  return {
    customer: {
      email: customer.email.trim(),
      ...Object.fromEntries(Object.entries(given).filter(([, text]) => text !== '')),
      ...(address !== null && { address }),
    },
  }
}

const dueBody = ({ by, days, date }: DraftDue): Pick<InvoiceBody, 'daysUntilDue' | 'dueDate'> => ({
  daysUntilDue: by === 'days' ? Number(days) : null,
  dueDate: by === 'date' ? date : null,
})

/** The fields of the API that a field of the form becomes. */
const bodies: {
  readonly [Field in keyof InvoiceDraft]: (value: InvoiceDraft[Field]) => InvoiceBodyChanges
} = {
  customer: customerBody,
  currency: currency => ({ currency }),
  taxBehavior: taxBehavior => ({ taxBehavior }),
  lines: lines => ({ lines: lines.map(lineBody) }),
  due: dueBody,
  reference: reference => ({ reference: reference.trim() || null }),
  orderNumber: orderNumber => ({ orderNumber: orderNumber.trim() || null }),
  notes: notes => ({ notes: notes.trim() || null }),
  assets: assets => ({ assets }),
  reminders: reminders => ({ reminders }),
  metadata: entries => ({ metadata: enteredMetadata(entries) }),
}

const bodyOfField = <Field extends keyof InvoiceDraft>(draft: InvoiceDraft, field: Field): InvoiceBodyChanges =>
  bodies[field](draft[field])

const fields = Object.keys(bodies) as readonly (keyof InvoiceDraft)[]

export const invoiceBodyOf = (draft: InvoiceDraft): InvoiceBody => ({
  ...Object.assign({}, ...fields.map(field => bodyOfField(draft, field))),
})

/** The fields of the form that differ from what was saved. */
export const changedFields = (edits: InvoiceEdits, saved: InvoiceDraft): readonly (keyof InvoiceDraft)[] =>
  fields.filter(
    field =>
      field in edits &&
      JSON.stringify(bodyOfField({ ...saved, ...edits }, field)) !== JSON.stringify(bodyOfField(saved, field)),
  )

export const invoiceChangesIn = (edits: InvoiceEdits, saved: InvoiceDraft): InvoiceBodyChanges => ({
  ...Object.assign({}, ...changedFields(edits, saved).map(field => bodyOfField({ ...saved, ...edits }, field))),
})
