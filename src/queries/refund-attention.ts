import type { Sql } from '../postgres/connect.ts'
import type { Fragment } from './list-rows.ts'

/** A condition for lists: refunds of the merchant that a person must look at. */
export const needsAttention = (sql: Sql, merchantId: string, chainsOn: readonly number[]): Fragment => sql`
  id in (
    select refund_id from refunds_needing_attention(${[...chainsOn]}::bigint[]) n where n.merchant_id = ${merchantId})`

/** Those of these refunds that a person must look at. */
export const listNeedingAttention = async (
  sql: Sql,
  refundIds: readonly string[],
  chainsOn: readonly number[],
): Promise<ReadonlySet<string>> => {
  if (refundIds.length === 0) return new Set()
  const rows = await sql<{ refund_id: string }[]>`
    select refund_id from refunds_needing_attention(${[...chainsOn]}::bigint[])
    where refund_id = any(${[...refundIds]}::uuid[])`
  return new Set(rows.map(({ refund_id }) => refund_id))
}

export type RefundWarning = { readonly refundId: string; readonly chainId: number; readonly why: string }

/** Refunds whose warning has not been logged yet. */
export const beginWarnings = async (
  sql: Sql,
  chainsOn: readonly number[],
  max: number,
): Promise<readonly RefundWarning[]> => {
  const rows = await sql<{ refund_id: string; chain_id: string; why: string }[]>`
    select * from begin_refund_warnings(${[...chainsOn]}::bigint[], ${max})`
  return rows.map(({ refund_id: refundId, chain_id, why }) => ({ refundId, chainId: Number(chain_id), why }))
}

/** A doubt about a refund's transaction that a person may decide: see `refund_judgements`. */
export type DecidableDoubt =
  | 'nodes_disagree'
  | 'balance_unknown'
  | 'balance_unclear'
  | 'possibly_earlier'
  | 'nonce_unclear'
  | 'stray_transfer'

/** The doubt about the transaction of a processing refund, if a person must decide it by now. */
export const findDecidableDoubt = async (sql: Sql, refundId: string): Promise<DecidableDoubt | undefined> => {
  const [row] = await sql<{ why: DecidableDoubt }[]>`
    select n.why from refunds_needing_attention('{}') n join refunds r on r.id = n.refund_id
    where r.id = ${refundId} and r.state = 'processing'
      and n.why in ('nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier', 'nonce_unclear')
    order by n.why limit 1`
  return row?.why
}
