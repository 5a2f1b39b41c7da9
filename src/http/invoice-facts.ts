import type { Invoice } from '../../machines/invoice-events.ts'
import type { KeyCaller } from '../access/key-cache.ts'
import type { Actor } from '../actors/kind.ts'
import { decodeId } from '../ids.ts'
import { findInvoice } from '../queries/invoices.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { invoiceReadRecord } from '../records/invoice.ts'
import { isGranted } from '../resources.ts'
import { INVOICE_PURPOSE } from '../sealed-columns.ts'
import type { Api } from './api.ts'
import type { MemberCaller } from './route.ts'

/** One of the two. */
export type InvoiceReader = { readonly key?: KeyCaller; readonly member?: MemberCaller }

/** Callers that can change invoices can also see the addresses of their pages. */
const maySeeUrl = ({ key, member }: InvoiceReader): boolean =>
  key ? isGranted(key.scopes, 'billing:write') : member !== undefined && member.role !== 'viewer'

/** The address of the page of an invoice. Null for a draft, which has none. */
const invoiceUrl = ({ keyring, settings }: Api, { id, context }: Actor<Invoice>): string | null =>
  context.sealedToken === null
    ? null
    : `${settings.publicUrl}/invoices/${keyring.open(INVOICE_PURPOSE, id, context.sealedToken)}`

/** An invoice as the caller can see it. */
export const readInvoiceFor = (api: Api, reader: InvoiceReader) => {
  const isShown = maySeeUrl(reader)
  const showsErasedParty = maySeeErasedParty(reader)
  return (invoice: Actor<Invoice>) =>
    invoiceReadRecord.render(invoice, { url: isShown ? invoiceUrl(api, invoice) : null, showsErasedParty })
}

/** Owners must be able to show what was invoiced until `retainedUntil`. */
export const maySeeErasedParty = ({ member }: InvoiceReader): boolean => member?.role === 'owner'

/** An invoice in a response that is stored: without its address, which the response gets when it is sent. */
export const withoutUrl = (invoice: Actor<Invoice>) => invoiceReadRecord.render(invoice, { url: null })

/** The response with the present address of the page. */
export const withUrl = async (
  api: Api,
  { merchantId, livemode }: Omit<ListOwner, 'livemode'> & { readonly livemode: boolean | undefined },
  body: string,
): Promise<string> => {
  const record = JSON.parse(body) as ReturnType<typeof withoutUrl>
  if (record.status === 'draft') return body
  const invoice = await findInvoice(api.sql, { id: decodeId('inv', record.id) ?? '', merchantId, livemode })
  return invoice ? JSON.stringify({ ...record, url: invoiceUrl(api, invoice) }) : body
}
