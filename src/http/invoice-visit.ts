import type { Payment } from '../../machines/payment-events.ts'
import { hashPageToken } from '../access/page-token.ts'
import type { Actor } from '../actors/kind.ts'
import { isUnderWay } from '../commands/checkouts.ts'
import { findPayableLink, payableMinor } from '../commands/invoice-payments.ts'
import { receiptUrlOf } from '../commands/receipts.ts'
import { encodeId } from '../ids.ts'
import type { CheckoutFacts } from '../pages/checkout/facts.ts'
import { invoicePage } from '../pages/checkout/invoice.ts'
import type { BegunPayment, InvoiceFacts, RefusedInvoiceForm } from '../pages/checkout/invoice-scene.ts'
import { findTerms } from '../queries/checkouts.ts'
import { listCreditNotesById } from '../queries/credit-notes.ts'
import {
  findVisitedInvoice,
  listInvoicePayments,
  listRefundsById,
  type VisitedInvoice,
} from '../queries/invoice-pages.ts'
import type { Locale } from '../web/text/locale.ts'
import type { Api } from './api.ts'
import { seenOfInvoice } from './invoice-streams.ts'
import { localeOf } from './locale.ts'
import { gatherFacts, paidInvoiceOf, shopFaceOf, withoutOrigin } from './pay-facts.ts'
import { findLatest, pathOfPayment, sendPage, unknownFacts } from './pay-visit.ts'
import type { Answer } from './route.ts'

/** A visit of the page of an invoice. */
export type InvoiceVisit = {
  readonly token: string
  readonly path: string
  /** `?lang=de`, if the customer has chosen it. */
  readonly query: string
  readonly locale: Locale
  readonly found: VisitedInvoice | undefined
  /** A payment of this browser that is under way and pays all that is due. */
  readonly own: Actor<Payment> | undefined
  readonly headers: Headers
  readonly requestId: string
}

type InvoiceCall = {
  readonly params: { readonly token: string }
  readonly headers: Headers
  readonly query: { readonly lang?: string }
  readonly requestId: string
}

export const findInvoiceVisit = async (
  api: Api,
  { params, headers, query, requestId }: InvoiceCall,
): Promise<InvoiceVisit> => {
  const hash = hashPageToken(params.token)
  const found = hash === undefined ? undefined : await findVisitedInvoice(api.sql, hash)
  return {
    ...{ found, headers, requestId, token: params.token, path: `/invoices/${params.token}` },
    locale: localeOf(query.lang, headers),
    query: query.lang === undefined ? '' : `?lang=${query.lang}`,
    own: found && (await findOwn(api, found, headers)),
  }
}

/** Without it, a second tab would open a second payment for the same money. */
const findOwn = async (api: Api, { invoice }: VisitedInvoice, headers: Headers) => {
  const payable = payableMinor(invoice)
  const latest = await findLatest(api, headers, ({ invoiceId }) => invoiceId === invoice.id)
  return latest.find(payment => {
    const { amountMinor, receivedMinor } = payment.context
    const isOpen = payment.state === 'pending' && isUnderWay(payment, api.clock.now())
    return isOpen && payable > 0 && amountMinor - receivedMinor === payable
  })
}

/** The page as it is now. */
export const invoicePageOf = async (api: Api, visit: InvoiceVisit, refused?: RefusedInvoiceForm): Promise<Answer> => {
  const { path, query, locale, found } = visit
  const facts = found ? await invoiceFacts(api, visit, found) : { checkout: unknownFacts(api, locale) }
  return sendPage(visit, invoicePage(api.web, facts, { path, query, refused }))
}

const invoiceFacts = async (
  api: Api,
  { path, token, locale, own }: InvoiceVisit,
  found: VisitedInvoice,
): Promise<InvoiceFacts> => {
  const { settings, keyring, sql } = api
  const { invoice } = found
  const [checkout, received, notes] = await Promise.all([
    checkoutFacts(api, found, { path, locale }),
    listInvoicePayments(sql, invoice),
    listCreditNotesById(sql, invoice.context.creditNoteIds),
  ])
  const refunds = await listRefundsById(
    sql,
    notes.flatMap(({ context }) => context.refundIds),
  )
  const apiPath = `/v1/checkout/invoices/${token}`
  const receiptUrl = (id: string) => withoutOrigin(receiptUrlOf(settings.publicUrl, keyring, id))
  return {
    checkout,
    shown: {
      invoice,
      payments: received.map(each => ({ ...each, receiptUrl: each.state === 'success' ? receiptUrl(each.id) : null })),
      begun: own && begunPayment(path, own),
      creditNotes: notes.map(({ id, context }) => ({
        ...context,
        documentPath: `${apiPath}/credit-notes/${encodeId('cn', id)}/document`,
        refunds: refunds
          .filter(refund => context.refundIds.includes(refund.id))
          .map(each => ({ ...each, explorerUrl: api.chains.find(each.chainId)?.chain.explorerUrl ?? null })),
      })),
      creditMinor: found.creditMinor,
      streamPath: `${apiPath}/stream`,
      documentPath: `${apiPath}/document`,
      eventId: seenOfInvoice(found).key,
    },
  }
}

const begunPayment = (path: string, { id, context }: Actor<Payment>): BegunPayment => ({
  path: pathOfPayment(path, encodeId('pay', id)),
  amountMinor: context.amountMinor - context.receivedMinor,
  ends: context.expiresAt,
})

/** As of a payment link over what is due and not being paid. */
const checkoutFacts = async (
  api: Api,
  { invoice }: VisitedInvoice,
  { path, locale }: { readonly path: string; readonly locale: Locale },
): Promise<CheckoutFacts> => {
  const paid = paidInvoiceOf(invoice, path)
  const link = await findPayableLink(api.sql, invoice)
  if (link) return (await gatherFacts(api, link, null, { locale, invoice: paid })).facts
  const terms = await findTerms(api.sql, invoice.context)
  const unknown = unknownFacts(api, locale)
  return terms ? { ...unknown, invoice: paid, shop: shopFaceOf(api, terms.terms) } : unknown
}
