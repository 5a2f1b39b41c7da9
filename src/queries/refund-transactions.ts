import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'

const readRefund = readerOf(refundKind)

/** How far the books of its chain were when a refund was asked for: see `refund_beginnings`. */
export type Beginning = { readonly finalNumber: number; readonly headNumber: number }

/** Of a row that is joined with its `beginning_before` as b. */
export type BeginningRow = { readonly final_number: string | null; readonly head_number: string | null }

export const readBeginning = ({ final_number: final, head_number: head }: BeginningRow): Beginning | null =>
  final === null || head === null ? null : { finalNumber: Number(final), headNumber: Number(head) }

/** A refund that waits for what the chain says of its transaction. */
export type DueRefund = {
  readonly refund: Actor<Refund>
  readonly txHash: string
  /** Its chain has come back as another one since it was sent, of the sandbox alone. */
  readonly isChainLost: boolean
  /** Null where nothing is known that would be earlier than the refund. */
  readonly begun: Beginning | null
}

/** Why nothing can be said of a transaction: see `refunds_needing_attention` for when that needs a person. */
export type RefundDoubt =
  | 'transaction_unknown'
  | 'nodes_disagree'
  | 'balance_unknown'
  | 'balance_unclear'
  | 'possibly_earlier'

/** Whether anything of a chain is due. Mostly not, and then this is all that it costs. */
export const isLookDue = async (sql: Sql, chainId: number): Promise<boolean> => {
  const [row] = await sql<[{ due: boolean }]>`
    select exists (select from refund_looks where chain_id = ${chainId} and next_look_at <= now())
      or exists (select from noticed_transfers where chain_id = ${chainId} and next_look_at <= now()) as due`
  return row.due
}

/** Those whose next look is due, which is put off by this. */
export const claimRefunds = async (
  sql: Sql,
  { chainId, finalTo }: { readonly chainId: number; readonly finalTo: number },
  most: number,
): Promise<readonly DueRefund[]> => {
  const rows = await sql<(ActorRow & BeginningRow & { readonly tx_hash: string; readonly chain_lost: boolean })[]>`
    select r.*, l.chain_lost, b.final_number, b.head_number
    from claim_refund_looks(${chainId}, ${finalTo}, ${most}) l
    -- It may have become another one meanwhile, which is looked at on its own.
    join lateral looked_at_refund(l.refund_id) r on r.state = 'processing' and r.tx_hash = l.tx_hash
    left join lateral beginning_before(r, r.tx_hash) b on true`
  return rows.map(({ chain_lost: isChainLost, ...row }) => ({
    ...{ refund: readRefund(row), txHash: row.tx_hash, isChainLost, begun: readBeginning(row) },
  }))
}

/**
 * It is in a block that is not deep enough yet: nobody looks again before this one is final. Null: it waits to be
 * mined, which takes as long as it takes; it is looked for every few seconds.
 */
export const foundRefund = async (
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

/** The block that it was found in, if it was, is none of the chain's any more. */
export const lostRefund = (sql: Sql, due: DueRefund): Promise<void> => doubtRefund(sql, due, 'transaction_unknown')

/**
 * Nothing can be said of it yet. That may end by itself, and is for a person after a day; what hardly will, at once.
 * Written down when it begins, not at every look.
 */
export const doubtRefund = async (sql: Sql, { refund, txHash }: DueRefund, doubt: RefundDoubt): Promise<void> => {
  if (doubt === 'balance_unclear' || doubt === 'possibly_earlier') return leaveToPerson(sql, { refund, txHash }, doubt)
  await sql`
    update refund_looks
    set doubt = ${doubt}, person_from = least(person_from, now() + interval '1 day'),
      block_number = case when ${doubt} <> 'transaction_unknown' then block_number end
    where refund_id = ${refund.id} and tx_hash = ${txHash} and doubt is distinct from ${doubt}`
}

/** A block that is final says the same tomorrow, and is large. */
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

/** A block after which more is there at an address than before. */
export type Rise = { readonly address: string; readonly number: number }

/** Whether another refund of coins to the same address is, or may be, paid in the same block. */
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

/** Whether a signer of ours has signed for it what may still be mined, be it known to any node or not. */
export const isSignedFor = async (sql: Sql, id: string): Promise<boolean> => {
  const rows = await sql`select from signer_nonces where refund_id = ${id} and state = 'open'`
  return rows.length > 0
}

export type Reach = {
  /** Up to this block everything is final. */
  readonly final: { readonly number: number; readonly hash: string }
  /** How far the chain has been read. */
  readonly head: number
}

/** As the books have it; undefined before they begin. */
export const findReach = async (sql: Sql, chainId: number): Promise<Reach | undefined> => {
  const [row] = await sql<{ number: string; hash: string; head: string }[]>`
    select b.number, b.hash, c.number as head from chain_cursors c join chain_blocks b using (chain_id)
    where c.chain_id = ${chainId} and b.number = c.final_number`
  return row && { final: { number: Number(row.number), hash: row.hash }, head: Number(row.head) }
}

/** How deep transactions of refunds are, of those that were found in a block. */
export const findDepths = async (sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const rows = await sql<{ id: string; depth: number }[]>`
    select l.refund_id as id, greatest(c.number - l.block_number + 1, 0)::int as depth
    from refund_looks l join chain_cursors c using (chain_id)
    where l.refund_id = any(${[...ids]}::uuid[]) and l.block_number is not null`
  return new Map(rows.map(({ id, depth }) => [id, depth]))
}
