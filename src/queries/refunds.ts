import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { listPlaced, type PlacedPage, type Whose } from './places.ts'

const readRefund = readerOf(refundKind)

export type RefundName = {
  readonly id: string
  readonly merchantId: string
  /** Undefined: either. */
  readonly livemode: boolean | undefined
}

export const findRefund = async (
  sql: Sql,
  { id, merchantId, livemode }: RefundName,
): Promise<Actor<Refund> | undefined> => {
  const [row] = await sql<ActorRow[]>`
    select * from refunds
    where id = ${id} and merchant_id = ${merchantId}
      ${livemode === undefined ? sql`` : sql`and livemode = ${livemode}`}`
  return row && readRefund(row)
}

export type RefundFilter = { readonly status: string | undefined; readonly paymentId: string | undefined }

export const listRefunds = async (
  sql: Sql,
  whose: Whose,
  { status, paymentId }: RefundFilter,
  page: PlacedPage,
): Promise<Actor<Refund>[]> => {
  const filters = sql`
    ${status === undefined ? sql`` : sql`and state = ${status}`}
    ${paymentId === undefined ? sql`` : sql`and payment_id = ${paymentId}`}`
  const rows = await listPlaced<ActorRow>(sql, { table: 'refunds', whose, page, filters })
  return rows.map(readRefund)
}
