import { type } from 'arktype'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'
import { decodeId, encodeId } from '../ids.ts'
import type { Sql } from '../postgres/connect.ts'
import { findDelivery } from '../queries/deliveries.ts'
import { findDispute } from '../queries/disputes.ts'
import { findCauseNames, listTransitions, type TransitionRow } from '../queries/history.ts'
import { findPaymentLink } from '../queries/payment-links.ts'
import { findPayment } from '../queries/payments.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findRefund } from '../queries/refunds.ts'
import { type Cause, transitionRecord } from '../records/transition.ts'
import { type MachineName, resources } from '../resources.ts'
import type { Api } from './api.ts'
import type { Docs } from './docs/docs.ts'
import { historyDocs } from './docs/history.ts'
import { listOf, listQuery, pageOf } from './list.ts'
import { recordKey } from './record-id.ts'
import { forMembers, type Route } from './route.ts'

type Found = Pick<Actor, 'id' | 'rev'>
type Find = (sql: Sql, key: RecordKey) => Promise<Found | undefined>

/** Unlike other lists, a history begins with the oldest entry. */
const query = () => listQuery().merge(type({ order: type("'asc' | 'desc'").default('asc') }))

const historyOf = (name: MachineName, find: Find, docs: Docs): Route => {
  const { path, prefix } = resources[name]
  return forMembers(
    'GET',
    { role: 'viewer' },
    {
      path: `/v1/merchants/:merchantId/${path}/:id/history`,
      docs,
      query,
      handle: async (api, { params, member: { merchantId }, query }) => {
        const key = recordKey(prefix, { params, owner: { merchantId, livemode: undefined } })
        const { id, rev } = (await find(api.sql, key)) ?? refuse('resource_not_found')
        const recordId = encodeId(prefix, id)
        const page = await pageOf(
          query,
          cursor => (isOf(recordId, cursor) ? cursor : undefined),
          async cursor => {
            const after = Number(cursor.slice(recordId.length + 1))
            return after <= rev ? after : undefined
          },
        )
        const rows = await listTransitions(api.sql, name, id, page)
        const causeOf = await findCauses(api, rows)
        const render = (row: TransitionRow) => transitionRecord.render(row, { recordId, cause: causeOf(row) })
        return { status: 200, body: listOf(rows, query.limit, render) }
      },
    },
  )
}

const isOf = (recordId: string, cursor: string): boolean =>
  cursor.startsWith(`${recordId}:`) && /^[1-9]\d{0,8}$/.test(cursor.slice(recordId.length + 1))

const findCauses = async (
  { sql, chains }: Api,
  rows: readonly TransitionRow[],
): Promise<(row: TransitionRow) => Cause> => {
  const uuids = (prefix: 'key' | 'usr') => [
    ...new Set(rows.flatMap(({ cause }) => (cause === null ? [] : (decodeId(prefix, cause) ?? [])))),
  ]
  const names = await findCauseNames(sql, { keys: uuids('key'), accounts: uuids('usr') })
  const named = (type: 'api_key' | 'member', id: string, uuid: string): Cause => ({
    type,
    id,
    name: names.get(uuid) ?? null,
  })
  return ({ cause }) => {
    if (cause === null) return system
    const [key, account] = [decodeId('key', cause), decodeId('usr', cause)]
    if (key !== undefined) return named('api_key', cause, key)
    if (account !== undefined) return named('member', cause, account)
    const [from, of = ''] = cause.split(':')
    switch (from) {
      case 'customer':
        return { type: 'customer', id: null, name: null }
      case 'timer':
      case 'window':
        return { type: 'timer', id: null, name: null }
      case 'chain':
        return { type: 'chain', id: of, name: chains.find(Number(of))?.chain.network ?? null }
      case 'operator':
        return { type: 'operator', id: null, name: null }
      case 'signer':
        return { ...system, id: of }
      default:
        return system
    }
  }
}

const system: Cause = { type: 'system', id: null, name: null }

const findDeliveryAlone: Find = async (sql, key) => (await findDelivery(sql, key))?.delivery

export const historyRoutes: readonly Route[] = [
  historyOf('payment_link', findPaymentLink, historyDocs('PaymentLink', 'a payment link')),
  historyOf('payment', findPayment, historyDocs('Payment', 'a payment')),
  historyOf('refund', findRefund, historyDocs('Refund', 'a refund')),
  historyOf('dispute', findDispute, historyDocs('Dispute', 'a dispute')),
  historyOf('delivery', findDeliveryAlone, historyDocs('WebhookDelivery', 'a delivery')),
]
