import { listShape } from '../../fields/shape.ts'
import { chainedDocumentRecord } from '../../records/chained-document.ts'
import { invoiceReadRecord } from '../../records/invoice.ts'
import type { Docs } from './docs.ts'

/** Of the lines of invoices and plans. */
export const lineDocs = {
  'lines.quantity': 'Quantity, as a decimal string greater than 0 with at most 6 decimal places. Default: `1`.',
  'lines.taxRateBps':
    'Tax rate in hundredths of a percent: 1900 is 19 %. Default: that of your billing settings for `standard`, else 0. Must be 0 for all categories but `standard`.',
  'lines.taxCategory': 'Why this rate applies. Default: `standard`.',
  'lines.taxNote': 'Legal reason. Required for `reverse_charge` and `exempt`.',
}

/** Of invoices and subscriptions. */
export const customerDocs = {
  customerId: 'Customer that it is for. A customer that was merged stands for the one that has taken its place.',
  customer:
    'Instead of `customerId`: the customer with this e-mail address. If there is none, it is created with these fields; an existing one is not changed.',
  'customer.email': 'E-mail address of the customer.',
}

const fields = {
  ...customerDocs,
  testClockId:
    'Test clock of the customer, in test mode. A customer that is created belongs to it; one that exists must belong to it, else `state_conflict`.',
  lines: '1 to 100 lines.',
  ...lineDocs,
  'lines.periodStart': 'First day (`YYYY-MM-DD`) or time of the period that the line is about.',
  'lines.periodEnd': 'Last day or time of the period. Not before `periodStart`.',
  taxBehavior: 'Whether unit amounts contain the tax. Default: that of your billing settings.',
  daysUntilDue: 'Days from the issue date to the due date. Default: that of your billing settings.',
  dueDate: 'Due date as `YYYY-MM-DD`, instead of `daysUntilDue`. Not before the issue date.',
  notes: 'Text at the end of the document. Default for new invoices: that of your billing settings.',
  reminders: 'When reminders are sent, in days from the due date. Default: that of your billing settings.',
  finalize: 'Whether the invoice is finalized immediately. Default: `false`.',
}

const example = {
  customerId: invoiceReadRecord.example.customerId,
  currency: 'EUR',
  lines: [{ description: 'A lamp', unitAmountMinor: 4900, taxRateBps: 1900 }],
}

const incomplete = ['invoice_incomplete', 'customer_erased'] as const
const wrongContent = ['unsupported_currency', 'unsupported_asset', 'invoice_total_out_of_range'] as const

export const createInvoiceDocs: Docs = {
  operation: 'createInvoice',
  summary: 'Create an invoice',
  description:
    'Creates a draft, or with `finalize` an invoice with a number. Tax is calculated on the sum of the lines with the same category and rate.',
  answers: { 201: invoiceReadRecord },
  refusals: [...wrongContent, ...incomplete, 'resource_not_found', 'state_conflict', 'idempotency_key_reused'],
  fields,
  example,
}

export const listInvoicesDocs: Docs = {
  operation: 'listInvoices',
  summary: 'List invoices',
  description:
    '`customerId` also finds the invoices of customers that were merged into it. `dueBefore` is a time, or a day in your time zone.',
  answers: { 200: listShape(invoiceReadRecord) },
}

export const getInvoiceDocs: Docs = {
  operation: 'getInvoice',
  summary: 'Retrieve an invoice',
  answers: { 200: invoiceReadRecord },
}

export const updateInvoiceDocs: Docs = {
  operation: 'updateInvoice',
  summary: 'Update a draft',
  description:
    'Changes the fields that are sent. `lines` and `metadata` are replaced as a whole. An invoice that is finalized cannot be changed.',
  answers: { 200: invoiceReadRecord },
  refusals: ['parameter_missing', ...wrongContent, 'customer_erased', 'state_conflict'],
  fields,
  example: { reference: 'order 7' },
}

export const deleteInvoiceDocs: Docs = {
  operation: 'deleteInvoice',
  summary: 'Delete a draft',
  description: 'An invoice that is finalized has a number and cannot be deleted. Void it instead.',
  answers: { 204: null },
  refusals: ['state_conflict'],
}

export const finalizeInvoiceDocs: Docs = {
  operation: 'finalizeInvoice',
  summary: 'Finalize a draft',
  description:
    'Gives the invoice its number and its page, and applies the credit of the customer. From then on its lines and sums, you as the seller and the customer do not change. An invoice with nothing due is paid. In live mode your billing settings must have a name and an address.',
  answers: { 200: invoiceReadRecord },
  refusals: ['parameter_invalid', 'state_conflict', ...incomplete, 'idempotency_key_reused'],
}

export const markUncollectibleDocs: Docs = {
  operation: 'markInvoiceUncollectible',
  summary: 'Mark an invoice as uncollectible',
  description: 'It can still be paid, and sends no more reminders.',
  answers: { 200: invoiceReadRecord },
  refusals: ['state_conflict', 'idempotency_key_reused'],
}

export const voidInvoiceDocs: Docs = {
  operation: 'voidInvoice',
  summary: 'Void an invoice',
  description:
    'Cancels an invoice of which nothing was paid, with a credit note over all that is not credited yet. Credit of the customer that was applied is released. Money that arrives later becomes credit of the customer, and its payment needs attention. A period of a subscription whose invoice you void costs nothing: the subscription is renewed without it. One that is `incomplete` expires.',
  answers: { 200: invoiceReadRecord },
  refusals: ['state_conflict', 'invoice_has_payments', 'idempotency_key_reused'],
  fields: { reason: 'Reason, at most 1,000 characters. It is printed on the credit note.' },
  example: { reason: 'Ordered twice' },
}

export const remindCustomerDocs: Docs = {
  operation: 'remindCustomer',
  summary: 'Request a reminder',
  description:
    'Creates the event `invoice.reminder` with `offsetDays: null`, at most once in an hour. This server sends no e-mail: yours does when it receives the event.',
  answers: { 200: invoiceReadRecord },
  refusals: ['state_conflict', 'rate_limited', 'idempotency_key_reused'],
}

export const duplicateInvoiceDocs: Docs = {
  operation: 'duplicateInvoice',
  summary: 'Duplicate an invoice',
  description: 'Creates a draft with the same content, without a fixed due date.',
  answers: { 201: invoiceReadRecord },
  refusals: ['customer_erased', 'state_conflict', 'idempotency_key_reused'],
}

export const rotateInvoiceUrlDocs: Docs = {
  operation: 'rotateInvoiceUrl',
  summary: 'Change the address of the page of an invoice',
  description: 'The former address stops working immediately.',
  answers: { 200: invoiceReadRecord },
  refusals: ['state_conflict', 'idempotency_key_reused'],
}

export const getInvoiceDocumentDocs: Docs = {
  operation: 'getInvoiceDocument',
  summary: 'Retrieve the document of an invoice',
  description:
    'A PDF in the language of the customer (English or German), or the invoice as JSON. The PDF of a finalized invoice never changes. That of a draft says so on each page and has no number.',
  answers: { 200: { file: 'The document: `application/pdf`, or `application/json` with `format=json`.' } },
}

export const listInvoiceChainDocs: Docs = {
  operation: 'listInvoiceChain',
  summary: 'List the chain of document hashes',
  description:
    'The documents in the order of their numbers, oldest first by default. Each hash contains the hash of the document before it, so that a document that was changed or removed breaks the chain. `documentHash` is the SHA-256 of `previousDocumentHash` (empty for the first), `.`, and the SHA-256 of the canonical JSON (RFC 8785) of `number`, `kind`, `currency`, `lines`, `taxes`, `subtotalMinor`, `taxMinor`, `totalMinor`, `issueDate`, `dueDate`, `sellerHash` and `partyHash`.',
  answers: { 200: listShape(chainedDocumentRecord) },
}
