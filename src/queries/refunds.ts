import { type Refund, refundMachine } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { decodeId } from '../ids.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { type CommonFilter, commonFilters, findSeqBounds, foundByPayment, isAddress, isTxHash } from './list-filters.ts'
import {
  type Fragment,
  filtersOf,
  type ListOwner,
  type ListPart,
  listRows,
  ownedBy,
  partsByState,
  type RowList,
} from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'
import { needsAttention } from './refund-attention.ts'

export const readRefund = readerOf(refundKind)
const findRow = finderOf<ActorRow>('refunds')

export const findRefund = async (sql: Sql, key: RecordKey): Promise<Actor<Refund> | undefined> => {
  const row = await findRow(sql, key)
  return row && readRefund(row)
}

export type RefundFilter = CommonFilter & {
  readonly paymentId: string | undefined
  /** Only refunds that a person must look at, with these chains enabled; undefined: all refunds. */
  readonly attention: { readonly chainsOn: readonly number[] } | undefined
}

export const listRefunds = async (
  sql: Sql,
  owner: ListOwner,
  filter: RefundFilter,
  page: Page,
): Promise<Actor<Refund>[]> => {
  const rows = await listRows<ActorRow>(sql, { ...(await refundRowList(sql, owner, filter)), page })
  return rows.map(readRefund)
}

export const refundRowList = async (sql: Sql, owner: ListOwner, filter: RefundFilter): Promise<RowList> => {
  const { statuses, paymentId, attention, search } = filter
  const filters = sql`
    ${commonFilters(sql, filter, await findSeqBounds(sql, 'refunds', owner, filter))}
    ${filtersOf(sql, { payment_id: paymentId })}
    ${attention ? sql`and ${needsAttention(sql, owner.merchantId, attention.chainsOn)}` : sql``}`
  const parts = partsOf(sql, owner, { statuses, paymentId, attention, search })
  return { table: 'refunds', owner, filters, ...(parts && { parts }) }
}

type Chosen = Pick<RefundFilter, 'statuses' | 'paymentId' | 'attention' | 'search'>

const partsOf = (
  sql: Sql,
  owner: ListOwner,
  { statuses, paymentId, attention, search }: Chosen,
): readonly ListPart[] | undefined => {
  if (search !== undefined) return partsFoundBy(sql, owner, search, statuses)
  // Few refunds need attention, and a payment has few.
  if (attention) return [{ few: needsAttention(sql, owner.merchantId, attention.chainsOn) }]
  return paymentId === undefined && statuses ? partsByState(sql, statuses) : undefined
}

const STATES = Object.keys(refundMachine.states)

const partsFoundBy = (
  sql: Sql,
  owner: ListOwner,
  search: string,
  statuses: readonly string[] | undefined,
): readonly ListPart[] => {
  const [id, paymentId] = [decodeId('re', search), decodeId('pay', search)]
  return [
    foundByPayment(sql, 'refunds', owner, search, statuses && partsByState(sql, statuses)),
    ...(id === undefined ? [] : [{ few: sql`id = ${id}` }]),
    ...(paymentId === undefined ? [] : [{ few: sql`${ownedBy(sql, owner)} and payment_id = ${paymentId}` }]),
    ...(isTxHash(search)
      ? [{ few: sql`tx_hash = ${search.toLowerCase()}` }, { few: sql`stray_tx_hash = ${search.toLowerCase()}` }]
      : []),
    ...(isAddress(search) ? partsByState(sql, statuses ?? STATES, sentTo(sql, owner, search.toLowerCase())) : []),
  ]
}

/** Written like ownedByWithKey(), for the expression of the index. */
const sentTo = (sql: Sql, { merchantId, livemode }: ListOwner, address: string): Fragment => sql`
  list_key(merchant_id, livemode, lower(destination)) = list_key(${merchantId}, ${livemode}, ${address})
  and case when merchant_id = ${merchantId} and livemode = ${livemode} and lower(destination) = ${address} then true else false end`
