import type { Sql } from '../postgres/connect.ts'
import type { Fragment } from './places.ts'

/** For lists of refunds: those of the merchant that a person must look at. */
export const needsAttention = (sql: Sql, merchantId: string, chainsOn: readonly number[]): Fragment => sql`
  and id in (
    select refund_id from refunds_needing_attention(${[...chainsOn]}::bigint[]) n where n.merchant_id = ${merchantId})`

export type RefundWarning = { readonly refundId: string; readonly chainId: number; readonly why: string }

/** Those that nobody was warned of yet. */
export const beginWarnings = async (
  sql: Sql,
  chainsOn: readonly number[],
  most: number,
): Promise<readonly RefundWarning[]> => {
  const rows = await sql<{ refund_id: string; chain_id: string; why: string }[]>`
    select * from begin_refund_warnings(${[...chainsOn]}::bigint[], ${most})`
  return rows.map(({ refund_id: refundId, chain_id, why }) => ({ refundId, chainId: Number(chain_id), why }))
}

/** Why a person may say what became of a refund's transaction: see `refund_judgements`. */
export type PersonsDoubt =
  | 'nodes_disagree'
  | 'balance_unknown'
  | 'balance_unclear'
  | 'possibly_earlier'
  | 'nonce_unclear'
  | 'stray_transfer'

/** What nobody can say of the transaction of a refund that is processing, where that is for a person by now. */
export const findPersonsDoubt = async (sql: Sql, refundId: string): Promise<PersonsDoubt | undefined> => {
  const [row] = await sql<{ why: PersonsDoubt }[]>`
    select n.why from refunds_needing_attention('{}') n join refunds r on r.id = n.refund_id
    where r.id = ${refundId} and r.state = 'processing'
      and n.why in ('nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier', 'nonce_unclear')
    order by n.why limit 1`
  return row?.why
}
