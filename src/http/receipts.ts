import { type } from 'arktype'
import { publicNodes } from '../chain/known/public-nodes.ts'
import { findPaymentReceipt } from '../commands/receipts.ts'
import { decodeId } from '../ids.ts'
import { receiptPage } from '../pages/checkout/receipt.ts'
import { notFoundPage } from '../pages/not-found.ts'
import { findLinkOf } from '../queries/checkouts.ts'
import { findInvoiceNumber } from '../queries/invoice-pages.ts'
import type { Api } from './api.ts'
import { compressed } from './compressed.ts'
import { visitReceiptDocs } from './docs/receipts.ts'
import { localeOf } from './locale.ts'
import { gatherFacts } from './pay-facts.ts'
import { nodeForWallets } from './pay-visit.ts'
import { forCustomers, type Route } from './route.ts'

export const receiptPageRoutes: readonly Route[] = [
  forCustomers('GET', {
    path: '/receipts/:paymentId',
    page: true,
    docs: visitReceiptDocs,
    query: () => type({ 's?': 'string <= 100', 'lang?': "'en' | 'de'" }),
    handle: async (api, { params, query, headers }) => {
      const page = await findReceiptPage(api, params.paymentId, query, headers)
      return page ? compressed(page, headers) : notFoundPage(api.web, localeOf(query.lang, headers))
    },
  }),
]

type ReceiptQuery = { readonly s?: string; readonly lang?: string }

const findReceiptPage = async (
  api: Api,
  paymentId: string,
  { s: token = '', lang }: ReceiptQuery,
  headers: Headers,
) => {
  const id = decodeId('pay', paymentId)
  const paid = id === undefined ? undefined : await findPaymentReceipt(api, id, token)
  const visited = paid && (await findLinkOf(api.sql, paid.payment.context))
  if (!paid || !visited) return undefined
  const { chainId } = paid.payment.context
  const { invoiceId } = paid.payment.context
  const number = invoiceId === null ? undefined : await findInvoiceNumber(api.sql, invoiceId)
  // Without the path of the page of the invoice: customers show receipts to others.
  const invoice =
    number === undefined ? undefined : { number, isVoid: false, rev: 0, payableMinor: 0, isCredited: false }
  const { facts } = await gatherFacts(api, visited, paid, { locale: localeOf(lang, headers), invoice })
  return receiptPage(api.web, facts, {
    path: `/receipts/${paymentId}`,
    query: `?s=${token}`,
    rpcUrl: chainId === null ? undefined : (publicNodes[chainId] ?? nodeForWallets(api, chainId)),
  })
}
