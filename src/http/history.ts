import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'
import { encodeId } from '../ids.ts'
import type { Sql } from '../postgres/connect.ts'
import { findDelivery } from '../queries/deliveries.ts'
import { findDispute } from '../queries/disputes.ts'
import { listTransitions, type TransitionRow } from '../queries/history.ts'
import { findInvoice } from '../queries/invoices.ts'
import { findPaymentLink } from '../queries/payment-links.ts'
import { findPayment } from '../queries/payments.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findRefund } from '../queries/refunds.ts'
import { transitionRecord } from '../records/transition.ts'
import { type MachineName, resources } from '../resources.ts'
import { findCauses } from './causes.ts'
import type { Docs } from './docs/docs.ts'
import { historyDocs } from './docs/history.ts'
import { historyPage, historyQuery } from './history-page.ts'
import { listOf } from './list.ts'
import { recordKey } from './record-id.ts'
import { forMembers, type Route } from './route.ts'

type Found = Pick<Actor, 'id' | 'rev'>
type Find = (sql: Sql, key: RecordKey) => Promise<Found | undefined>

const historyOf = (name: MachineName, find: Find, docs: Docs): Route => {
  const { path, prefix } = resources[name]
  return forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: `/v1/merchants/:merchantId/${path}/:id/history`,
      docs,
      query: historyQuery,
      handle: async (api, { params, member: { merchantId }, query }) => {
        const key = recordKey(prefix, { params, owner: { merchantId, livemode: undefined } })
        const { id, rev } = (await find(api.sql, key)) ?? refuse('resource_not_found')
        const recordId = encodeId(prefix, id)
        const page = await historyPage(query, { recordId, rev })
        const rows = await listTransitions(api.sql, name, id, page)
        const causeOf = await findCauses(api, rows)
        const render = (row: TransitionRow) => transitionRecord.render(row, { recordId, cause: causeOf(row) })
        return { status: 200, body: listOf(rows, query.limit, render) }
      },
    },
  )
}

const findDeliveryAlone: Find = async (sql, key) => (await findDelivery(sql, key))?.delivery

export const historyRoutes: readonly Route[] = [
  historyOf('payment_link', findPaymentLink, historyDocs('PaymentLink', 'a payment link')),
  historyOf('payment', findPayment, historyDocs('Payment', 'a payment')),
  historyOf('refund', findRefund, historyDocs('Refund', 'a refund')),
  historyOf('dispute', findDispute, historyDocs('Dispute', 'a dispute')),
  historyOf('invoice', findInvoice, historyDocs('Invoice', 'an invoice')),
  historyOf('delivery', findDeliveryAlone, historyDocs('WebhookDelivery', 'a delivery')),
]
