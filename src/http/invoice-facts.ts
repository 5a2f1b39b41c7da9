import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import { invoiceReadRecord } from '../records/invoice.ts'
import type { Api } from './api.ts'
import { pageUrlFor, type UrlReader } from './page-urls.ts'
import { invoicePages } from './secret-pages.ts'

/** An invoice as the caller can see it. */
export const readInvoiceFor = (api: Api, reader: UrlReader) => {
  const urlOf = pageUrlFor(api, invoicePages, reader)
  const showsErasedParty = maySeeErasedParty(reader)
  return (invoice: Actor<Invoice>) => invoiceReadRecord.render(invoice, { url: urlOf(invoice), showsErasedParty })
}

/** Owners must be able to show what was invoiced until `retainedUntil`. */
export const maySeeErasedParty = ({ member }: UrlReader): boolean => member?.role === 'owner'

/** An invoice in a response that is stored: without its address, which the response gets when it is sent. */
export const withoutUrl = (invoice: Actor<Invoice>) => invoiceReadRecord.render(invoice, { url: null })
