import type { CreditNote } from '../../machines/credit-note.ts'
import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { PrintedDocument, PrintedReference } from '../billing/document/document.ts'
import { renderPdf } from '../billing/document/pdf.ts'
import { listCreditNotesById } from '../queries/credit-notes.ts'
import { partyOf } from '../queries/invoice-issue.ts'
import { type DocumentKey, findInvoiceDocument, findWithFacts, keepInvoiceDocument } from '../queries/invoices.ts'
import { findSettings } from '../queries/settings.ts'
import type { Locale } from '../web/text/locale.ts'
import type { Api } from './api.ts'

/**
 * The document of an invoice as PDF. A draft is rendered anew, with the present settings and customer.
 */
export const renderInvoicePdf = async (
  { sql }: Pick<Api, 'sql'>,
  invoice: Actor<Invoice>,
  showsErasedParty = false,
): Promise<Uint8Array<ArrayBuffer>> => {
  const { context } = invoice
  if (invoice.state === 'draft') {
    const parties = await withShownSeller(sql, context, await presentParties(sql, invoice))
    return new Uint8Array(await renderPdf(printedInvoice(context, parties, null)))
  }
  const canceledBy = invoice.state === 'void' ? await cancelingNote(sql, context) : null
  const print = (parties: Parties) => printedInvoice(context, parties, canceledBy)
  return renderIssued(sql, invoice, { creditNoteId: null, print, showsErasedParty })
}

type Rendering = Pick<DocumentKey, 'creditNoteId'> & {
  readonly print: (parties: Parties) => PrintedDocument
  readonly showsErasedParty: boolean
}

/**
 * The document of an invoice or of a credit note about it. The first rendering is stored and sent from then on, so later
 * versions of this program send the same bytes. For readers that may not see the party of an erased customer, the document is
 * rendered anew, without it.
 */
export const renderIssued = async (
  sql: Api['sql'],
  { id: invoiceId, state, context }: Actor<Invoice>,
  { creditNoteId, print, showsErasedParty }: Rendering,
): Promise<Uint8Array<ArrayBuffer>> => {
  const { seller, customer, customerErased } = context
  const render = async (parties: Parties) => renderPdf(print(await withShownSeller(sql, context, parties)))
  if (customer === null || (customerErased && !showsErasedParty))
    return new Uint8Array(await render({ seller, customer: null }))
  const key = { invoiceId, creditNoteId }
  const stored = await findInvoiceDocument(sql, key)
  if (stored) return new Uint8Array(stored)
  const isVoid = state === 'void'
  return new Uint8Array(await keepInvoiceDocument(sql, { ...key, isVoid }, await render({ seller, customer })))
}

/** The response with the document, which a browser shows. */
export const invoicePdfAnswer = async (api: Pick<Api, 'sql'>, invoice: Actor<Invoice>, showsErasedParty?: boolean) =>
  pdfAnswer(await renderInvoicePdf(api, invoice, showsErasedParty), invoice.context.number ?? `draft-${invoice.id}`)

export const pdfAnswer = (pdf: Uint8Array<ArrayBuffer>, name: string) => ({
  status: 200,
  text: pdf,
  headers: {
    'content-type': 'application/pdf',
    // Numbers can contain `/` and `#`.
    'content-disposition': `inline; filename="${name.replaceAll(/[^\w.-]/g, '-')}.pdf"`,
  },
})

export type Parties = Pick<Invoice, 'seller' | 'customer'>

/**
 * As it was issued: what has been paid since is not part of the document. But a document that is first rendered when the
 * invoice is void asks for no money: it names the credit note that cancels it.
 */
const printedInvoice = (invoice: Invoice, parties: Parties, canceledBy: PrintedReference | null): PrintedDocument => ({
  ...{ canceledBy, isTest: !invoice.livemode },
  ...{ kind: 'invoice', dueDate: invoice.dueDate, ...printedParties(parties), ...printedSums(invoice) },
  ...{ reference: invoice.reference, orderNumber: invoice.orderNumber, notes: invoice.notes },
  ...{ creditAppliedMinor: invoice.creditAppliedMinor, amountPaidMinor: 0 },
  creditNotesMinor: canceledBy ? invoice.creditNotesMinor : 0,
  amountDueMinor: canceledBy ? 0 : invoice.totalMinor - invoice.creditAppliedMinor,
})

/** The last credit note of a void invoice was issued in the commit that voided it. */
const cancelingNote = async (sql: Api['sql'], { creditNoteIds }: Invoice): Promise<PrintedReference> => {
  const [note] = await listCreditNotesById(sql, creditNoteIds.slice(-1))
  if (!note) throw new Error('A void invoice has no credit note')
  const { number, issueDate } = note.context
  return { number, issueDate }
}

/** In test mode a seller needs no legal name: the name that customers know the merchant by stands for it. */
const withShownSeller = async (
  sql: Api['sql'],
  { merchantId, livemode }: Invoice,
  parties: Parties,
): Promise<Parties> => {
  if (livemode || parties.seller?.legalName) return parties
  const { address = null, taxId = null } = parties.seller ?? {}
  const settings = await findSettings(sql, merchantId, livemode)
  return { ...parties, seller: { legalName: settings?.name ?? null, address, taxId } }
}

export const printedSums = (document: Invoice | CreditNote) => ({
  ...{ number: document.number, issueDate: document.issueDate },
  ...{ currency: document.currency, taxBehavior: document.taxBehavior, lines: document.lines, taxes: document.taxes },
  ...{ subtotalMinor: document.subtotalMinor, taxMinor: document.taxMinor, totalMinor: document.totalMinor },
})

export const printedParties = ({ seller, customer }: Parties) => ({
  locale: localeOf(customer?.locale ?? null),
  seller: seller ?? { legalName: null, address: null, taxId: null },
  customer: customer ?? { company: null, name: null, email: null, taxId: null, address: null },
})

/** As the draft would be finalized now: of the visitor of a plan's page, only what was typed there. */
const presentParties = async (sql: Api['sql'], { id, context }: Actor<Invoice>): Promise<Parties> => {
  const { merchantId, livemode } = context
  const found = await findWithFacts(sql, { id, merchantId, livemode })
  if (!found) return { seller: null, customer: null }
  const { settings, customer } = found.facts
  return {
    seller: { legalName: settings.legal_name, address: settings.address, taxId: settings.tax_id },
    customer: partyOf(customer),
  }
}

const localeOf = (locale: string | null): Locale => (/^de\b/i.test(locale ?? '') ? 'de' : 'en')
