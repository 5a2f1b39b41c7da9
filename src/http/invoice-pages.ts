import { type } from 'arktype'
import { isCrossSite } from '../access/refresh-cookie.ts'
import type { AssetChoice } from '../commands/checkout-offers.ts'
import { openInvoicePayment, payableMinor } from '../commands/invoice-payments.ts'
import { Refusal } from '../errors.ts'
import { encodeId } from '../ids.ts'
import type { VisitedInvoice } from '../queries/invoice-pages.ts'
import { checkoutTextsOf } from '../web/text/checkout/texts.ts'
import type { Api } from './api.ts'
import { causeOfCustomer } from './causes.ts'
import { openInvoicePageDocs, visitInvoicePageDocs } from './docs/invoice-pages.ts'
import { invoicePaymentPageDocs } from './docs/payment-pages.ts'
import { findInvoiceVisit, type InvoiceVisit, invoicePageOf } from './invoice-visit.ts'
import { ASSET_CODES, assetIn, assetTextIn, cookieOf, explainRefusal } from './pay-forms.ts'
import { findInvoicePayVisit, foreignPage, type PayVisit, pathOfPayment, payPageOf, redirectTo } from './pay-visit.ts'
import { languageQuery, type PaymentVisit, paymentPageRoutes } from './payment-pages.ts'
import { type Answer, forCustomers, type Route } from './route.ts'

const path = '/invoices/:token'

/** Checked by the handler, which shows what is wrong. */
const payForm = () => type({ 'chainId?': 'string', 'asset?': 'string' })

/** The token in the address is the authentication. A payment is opened by the form only. */
export const invoicePageRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    page: true,
    docs: visitInvoicePageDocs,
    query: languageQuery,
    handle: async (api, call) => invoicePageOf(api, await findInvoiceVisit(api, call)),
  }),

  forCustomers('POST', {
    path,
    page: true,
    form: true,
    docs: openInvoicePageDocs,
    query: languageQuery,
    body: payForm,
    handle: async (api, call) => {
      if (isCrossSite(api.settings.publicUrl, call.headers))
        return foreignPage(api, `/invoices/${call.params.token}`, call)
      const visit = await findInvoiceVisit(api, call)
      const { found, own } = visit
      if (!found || found.invoice.state === 'void') return invoicePageOf(api, visit)
      if (own) return redirectTo(pathOfPayment(visit.path, encodeId('pay', own.id)) + visit.query)
      const asset = assetIn(call.body)
      const texts = checkoutTextsOf(visit.locale).errors
      const entered = { asset: assetTextIn(call.body) }
      if (!asset && payableMinor(found.invoice) > 0)
        return invoicePageOf(api, visit, { ...entered, errors: { asset: texts.asset } })
      try {
        return await openAndLead(api, visit, found, asset ?? undefined)
      } catch (error) {
        const now = await findInvoiceVisit(api, call)
        // Other payments are about to pay what was due, or the invoice was closed. The page says which.
        if (error instanceof Refusal && (error.code === 'state_conflict' || error.code === 'invoice_void'))
          return invoicePageOf(api, now, 'nothing_due')
        return invoicePageOf(api, now, { ...entered, errors: explainRefusal(api, visit, error, asset ?? undefined) })
      }
    },
  }),

  ...paymentPageRoutes({
    path: `${path}/:paymentId`,
    docs: invoicePaymentPageDocs,
    parentOf: ({ token }) => `/invoices/${token}`,
    find: findInvoicePayVisit,
    again: (api, visit) => payAgain(api, visit),
  }),
]

/** Opens a payment for what is due, and leads to its page. */
const openAndLead = async (
  api: Api,
  { path, query, requestId }: Pick<InvoiceVisit, 'path' | 'query' | 'requestId'>,
  found: VisitedInvoice,
  asset: AssetChoice | undefined,
): Promise<Answer> => {
  const { payment, clientSecret } = await openInvoicePayment(api, found, {
    asset,
    cause: causeOfCustomer({ requestId }),
  })
  const opened = { path: pathOfPayment(path, encodeId('pay', payment.id)), shown: { payment, shown: null } }
  return redirectTo(opened.path + query, cookieOf(api, opened, clientSecret))
}

/** With the same asset if it can still be paid with. If nothing is due any more, the page of the invoice says why. */
const payAgain = async (api: Api, visit: PaymentVisit): Promise<Answer> => {
  const { invoice } = visit
  const { chainId, asset } = visit.shown.payment.context
  if (!invoice) return payPageOf(api, visit)
  const before = chainId === null || asset === null ? undefined : { chainId, asset }
  return attempt(api, visit, invoice, before)
}

const attempt = async (
  api: Api,
  visit: PayVisit,
  invoice: VisitedInvoice,
  asset: AssetChoice | undefined,
): Promise<Answer> => {
  try {
    return await openAndLead(api, { ...visit, path: visit.parent, query: visit.language }, invoice, asset)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (asset && ASSET_CODES.includes(error.code)) return attempt(api, visit, invoice, undefined)
    return redirectTo(visit.parent + visit.language)
  }
}
