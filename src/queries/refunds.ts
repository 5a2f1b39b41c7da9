import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { finderOf, type RecordName } from './named.ts'
import type { Page } from './page.ts'
import { listPlaced, narrowed, type Whose } from './places.ts'
import { needsAttention } from './refund-attention.ts'

const readRefund = readerOf(refundKind)
const findRow = finderOf<ActorRow>('refunds')

export const findRefund = async (sql: Sql, name: RecordName): Promise<Actor<Refund> | undefined> => {
  const row = await findRow(sql, name)
  return row && readRefund(row)
}

export type RefundFilter = {
  readonly status: string | undefined
  readonly paymentId: string | undefined
  /** Only those that a person must look at, while these chains are switched on; undefined: all. */
  readonly attention: { readonly chainsOn: readonly number[] } | undefined
}

export const listRefunds = async (
  sql: Sql,
  whose: Whose,
  { status, paymentId, attention }: RefundFilter,
  page: Page,
): Promise<Actor<Refund>[]> => {
  const filters = sql`
    ${narrowed(sql, { state: status, payment_id: paymentId })}
    ${attention ? needsAttention(sql, whose.merchantId, attention.chainsOn) : sql``}`
  const rows = await listPlaced<ActorRow>(sql, { table: 'refunds', whose, page, filters })
  return rows.map(readRefund)
}
