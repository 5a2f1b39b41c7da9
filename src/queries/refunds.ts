import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { filtersOf, type ListOwner, listRows } from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'
import { needsAttention } from './refund-attention.ts'

const readRefund = readerOf(refundKind)
const findRow = finderOf<ActorRow>('refunds')

export const findRefund = async (sql: Sql, key: RecordKey): Promise<Actor<Refund> | undefined> => {
  const row = await findRow(sql, key)
  return row && readRefund(row)
}

export type RefundFilter = {
  readonly status: string | undefined
  readonly paymentId: string | undefined
  /** Only refunds that a person must look at, with these chains enabled; undefined: all refunds. */
  readonly attention: { readonly chainsOn: readonly number[] } | undefined
}

export const listRefunds = async (
  sql: Sql,
  owner: ListOwner,
  { status, paymentId, attention }: RefundFilter,
  page: Page,
): Promise<Actor<Refund>[]> => {
  const filters = sql`
    ${filtersOf(sql, { state: status, payment_id: paymentId })}
    ${attention ? needsAttention(sql, owner.merchantId, attention.chainsOn) : sql``}`
  const rows = await listRows<ActorRow>(sql, { table: 'refunds', owner, page, filters })
  return rows.map(readRefund)
}
