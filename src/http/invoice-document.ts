import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { PrintedDocument } from '../billing/document/document.ts'
import { renderPdf } from '../billing/document/pdf.ts'
import { partyOf } from '../commands/invoice-issue.ts'
import { findBillingSettings } from '../queries/billing-settings.ts'
import { findCustomer } from '../queries/customers.ts'
import { findInvoiceDocument, keepInvoiceDocument } from '../queries/invoices.ts'
import type { Locale } from '../web/text/locale.ts'
import type { Api } from './api.ts'

/**
 * The document of an invoice as PDF. The first rendering after finalization is stored and sent from then on, so later
 * versions of this program send the same bytes. A draft is rendered anew, with the present settings and customer; so is the
 * document of an erased customer for readers that may not see the party, without it.
 */
export const renderInvoicePdf = async (
  { sql }: Pick<Api, 'sql'>,
  invoice: Actor<Invoice>,
  showsErasedParty = false,
): Promise<Uint8Array<ArrayBuffer>> => {
  const { id, state, context } = invoice
  if (state === 'draft')
    return new Uint8Array(await renderPdf(printedInvoice(context, await presentParties(sql, context))))
  const { seller, customer } = context
  if (customer === null || (context.customerErased && !showsErasedParty))
    return new Uint8Array(await renderPdf(printedInvoice(context, { seller, customer: null })))
  const stored = await findInvoiceDocument(sql, id)
  if (stored) return new Uint8Array(stored)
  const rendered = await renderPdf(printedInvoice(context, { seller, customer }))
  return new Uint8Array(await keepInvoiceDocument(sql, id, rendered))
}

/** The response with the document, which a browser shows. */
export const invoicePdfAnswer = async (api: Pick<Api, 'sql'>, invoice: Actor<Invoice>, showsErasedParty?: boolean) => ({
  status: 200,
  text: await renderInvoicePdf(api, invoice, showsErasedParty),
  headers: {
    'content-type': 'application/pdf',
    'content-disposition': `inline; filename="${fileName(invoice)}.pdf"`,
  },
})

const fileName = ({ id, context }: Actor<Invoice>): string =>
  (context.number ?? `draft-${id}`).replaceAll(/[^\w.-]/g, '-')

type Parties = Pick<Invoice, 'seller' | 'customer'>

/**
 * As it was issued: what has been paid since is not part of the document, so it does not depend on when it is rendered.
 */
const printedInvoice = (invoice: Invoice, { seller, customer }: Parties): PrintedDocument => ({
  ...{ kind: 'invoice', locale: localeOf(customer?.locale ?? null) },
  ...{ number: invoice.number, currency: invoice.currency, taxBehavior: invoice.taxBehavior },
  ...{ lines: invoice.lines, taxes: invoice.taxes },
  ...{ subtotalMinor: invoice.subtotalMinor, taxMinor: invoice.taxMinor, totalMinor: invoice.totalMinor },
  ...{ issueDate: invoice.issueDate, dueDate: invoice.dueDate },
  seller: seller ?? { legalName: null, address: null, taxId: null },
  customer: customer ?? { company: null, name: null, email: null, taxId: null, address: null },
  ...{ reference: invoice.reference, orderNumber: invoice.orderNumber, notes: invoice.notes },
  ...{ creditAppliedMinor: invoice.creditAppliedMinor, creditNotesMinor: 0, amountPaidMinor: 0 },
  amountDueMinor: invoice.totalMinor - invoice.creditAppliedMinor,
})

const presentParties = async (sql: Api['sql'], { merchantId, livemode, customerId: id }: Invoice): Promise<Parties> => {
  const settings = await findBillingSettings(sql, merchantId)
  const customer = await findCustomer(sql, { id, merchantId, livemode })
  return {
    seller: settings ? { legalName: settings.legal_name, address: settings.address, taxId: settings.tax_id } : null,
    customer: customer ? partyOf(customer.context) : null,
  }
}

const localeOf = (locale: string | null): Locale => (/^de\b/i.test(locale ?? '') ? 'de' : 'en')
