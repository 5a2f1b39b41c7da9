import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'

const readRefund = readerOf(refundKind)

/** How far its chain had been read when a refund was created: see `refund_beginnings`. */
export type Beginning = { readonly finalNumber: number; readonly headNumber: number }

/** Columns of a row that is joined with its `beginning_before` as b. */
export type BeginningRow = { readonly final_number: string | null; readonly head_number: string | null }

export const readBeginning = ({ final_number: final, head_number: head }: BeginningRow): Beginning | null =>
  final === null || head === null ? null : { finalNumber: Number(final), headNumber: Number(head) }

/** A refund whose transaction is due to be checked. */
export type DueRefund = {
  readonly refund: Actor<Refund>
  readonly txHash: string
  /** The sandbox chain was replaced since the transaction was sent. */
  readonly isChainLost: boolean
  /** Null if it is not known how far the chain had been read. */
  readonly begun: Beginning | null
}

/** Why the outcome of a transaction is not known. `refunds_needing_attention` defines when a person must look at it. */
export type RefundDoubt =
  | 'transaction_unknown'
  | 'nodes_disagree'
  | 'balance_unknown'
  | 'balance_unclear'
  | 'possibly_earlier'

/** Whether anything of a chain is due to be checked. Usually nothing is, and this is the only query. */
export const isLookDue = async (sql: Sql, chainId: number): Promise<boolean> => {
  const [row] = await sql<[{ due: boolean }]>`
    select exists (select from refund_looks where chain_id = ${chainId} and next_look_at <= now())
      or exists (select from noticed_transfers where chain_id = ${chainId} and next_look_at <= now()) as due`
  return row.due
}

/** Claims refunds that are due to be checked, by postponing their next check. */
export const claimRefunds = async (
  sql: Sql,
  { chainId, finalTo }: { readonly chainId: number; readonly finalTo: number },
  max: number,
): Promise<readonly DueRefund[]> => {
  const rows = await sql<(ActorRow & BeginningRow & { readonly tx_hash: string; readonly chain_lost: boolean })[]>`
    select r.*, l.chain_lost, b.final_number, b.head_number
    from claim_refund_looks(${chainId}, ${finalTo}, ${max}) l
    -- The refund may have another transaction in the meantime, which is checked separately.
    join lateral looked_at_refund(l.refund_id) r on r.state = 'processing' and r.tx_hash = l.tx_hash
    left join lateral beginning_before(r, r.tx_hash) b on true`
  return rows.map(({ chain_lost: isChainLost, ...row }) => ({
    ...{ refund: readRefund(row), txHash: row.tx_hash, isChainLost, begun: readBeginning(row) },
  }))
}

/**
 * The transaction is in a block that is not final yet. It is not checked again before that block is final. Null: it is
 * not mined yet, and is checked every few seconds.
 */
export const recordRefundFound = async (
  sql: Sql,
  { refund, txHash }: DueRefund,
  blockNumber: number | null,
): Promise<void> => {
  await sql`
    update refund_looks
    set block_number = ${blockNumber}, doubt = null, person_from = null, chain_lost = false,
      looks = case when ${blockNumber}::bigint is null then least(looks, 4) else 0 end,
      next_look_at = case when ${blockNumber}::bigint is null then next_look_at else now() end
    where refund_id = ${refund.id} and tx_hash = ${txHash}`
}

/** No node knows the transaction. The block in which it was found, if any, is no longer canonical. */
export const recordRefundLost = (sql: Sql, due: DueRefund): Promise<void> =>
  recordRefundDoubt(sql, due, 'transaction_unknown')

/**
 * Records that the outcome is not known. A doubt that may end by itself needs a person after a day, others immediately.
 * It is written when it begins, not at every check.
 */
export const recordRefundDoubt = async (sql: Sql, { refund, txHash }: DueRefund, doubt: RefundDoubt): Promise<void> => {
  if (doubt === 'balance_unclear' || doubt === 'possibly_earlier') return leaveToPerson(sql, { refund, txHash }, doubt)
  await sql`
    update refund_looks
    set doubt = ${doubt}, person_from = least(person_from, now() + interval '1 day'),
      block_number = case when ${doubt} <> 'transaction_unknown' then block_number end
    where refund_id = ${refund.id} and tx_hash = ${txHash} and doubt is distinct from ${doubt}`
}

/** A person must decide. Checked again after a day only: a final block does not change, and reading it is expensive. */
const leaveToPerson = async (
  sql: Sql,
  { refund, txHash }: Pick<DueRefund, 'refund' | 'txHash'>,
  doubt: RefundDoubt,
): Promise<void> => {
  await sql`
    update refund_looks
    set doubt = ${doubt}, person_from = least(person_from, now()), next_look_at = now() + interval '1 day'
    where refund_id = ${refund.id} and tx_hash = ${txHash}`
}

/** A block in which the balance of an address has risen. */
export type Rise = { readonly address: string; readonly number: number }

/** Whether another refund in native currency to the same address is or may be paid in the same block. */
export const isRiseShared = async (
  sql: Sql,
  { id, context: { chainId } }: Actor<Refund>,
  { address, number }: Rise,
): Promise<boolean> => {
  const rows = await sql`
    select from refund_rises
    where chain_id = ${chainId} and address = ${address} and block_number = ${number} and refund_id <> ${id}
    union all
    select from refund_looks l join refunds r on r.id = l.refund_id
    where l.chain_id = ${chainId} and l.block_number = ${number} and r.id <> ${id}
      and r.token_address is null and lower(r.destination) = ${address}`
  return rows.length > 0
}

export const isRefund = async (sql: Sql, id: string): Promise<boolean> => {
  const rows = await sql`select from refunds where id = ${id}`
  return rows.length > 0
}

/** Whether a signed transaction of a refund signer may still be mined for this refund, whether nodes know it or not. */
export const isSignedFor = async (sql: Sql, id: string): Promise<boolean> => {
  const rows = await sql`select from signer_nonces where refund_id = ${id} and state = 'open'`
  return rows.length > 0
}

export type Reach = {
  /** The highest final block. */
  readonly final: { readonly number: number; readonly hash: string }
  /** How far the chain has been read. */
  readonly head: number
}

/** As recorded in the database; undefined if the chain was not read yet. */
export const findReach = async (sql: Sql, chainId: number): Promise<Reach | undefined> => {
  const [row] = await sql<{ number: string; hash: string; head: string }[]>`
    select b.number, b.hash, c.number as head from chain_cursors c join chain_blocks b using (chain_id)
    where c.chain_id = ${chainId} and b.number = c.final_number`
  return row && { final: { number: Number(row.number), hash: row.hash }, head: Number(row.head) }
}

/** The confirmations of the transactions of refunds, for those that were found in a block. */
export const findDepths = async (sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const rows = await sql<{ id: string; depth: number }[]>`
    select l.refund_id as id, greatest(c.number - l.block_number + 1, 0)::int as depth
    from refund_looks l join chain_cursors c using (chain_id)
    where l.refund_id = any(${[...ids]}::uuid[]) and l.block_number is not null`
  return new Map(rows.map(({ id, depth }) => [id, depth]))
}
