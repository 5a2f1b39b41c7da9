import type { Hex } from 'viem'
import type { Sql } from '../postgres/connect.ts'

/** A nonce with signed transactions whose outcome is not final. */
export type OpenNonce = {
  readonly nonce: number
  /** Null: the transaction only fills a nonce gap. */
  readonly refundId: string | null
  /** When a node last accepted a transaction; null if none has. */
  readonly sentMsAgo: number | null
  /** False for a while after no node could show the transaction that used the nonce. */
  readonly isSearchDue: boolean
  /** In the order in which they were signed. There is at least one. */
  readonly attempts: readonly SigningAttempt[]
}

export type SigningAttempt = {
  readonly attempt: number
  readonly txHash: Hex
  readonly raw: Hex
  readonly gas: bigint
  readonly maxFee: bigint
  readonly tip: bigint | null
  readonly msAgo: number
  /** A node has accepted it. */
  readonly isTaken: boolean
}

type Row = {
  readonly nonce: string
  readonly refund_id: string | null
  readonly sent_ms_ago: number | null
  readonly is_search_due: boolean
  readonly attempts: readonly (Omit<SigningAttempt, 'maxFee' | 'tip' | 'gas'> & {
    readonly gas: string
    readonly maxFee: string
    readonly tip: string | null
  })[]
}

type Sought = { readonly signerId: string; readonly refundId?: string | null; readonly nonce?: number | null }

/** Lists open nonces in order, of one refund or one nonce if given. */
export const listOpenNonces = async (
  sql: Sql,
  { signerId, refundId = null, nonce = null }: Sought,
  max: number,
): Promise<readonly OpenNonce[]> => {
  const rows = await sql<Row[]>`
    select n.nonce, n.refund_id, (extract(epoch from now() - n.sent_at) * 1000)::float8 as sent_ms_ago,
      coalesce(u.next_search_at <= now(), true) as is_search_due,
      (select json_agg(json_build_object('attempt', attempt, 'txHash', tx_hash, 'raw', raw, 'gas', gas::text,
          'maxFee', max_fee::text, 'tip', tip::text, 'msAgo', extract(epoch from now() - created_at) * 1000,
          'isTaken', taken_at is not null)
          order by attempt)
        from signed_transactions t where t.signer_id = n.signer_id and t.nonce = n.nonce) as attempts
    from signer_nonces n left join unclear_nonces u using (signer_id, nonce)
    where n.signer_id = ${signerId} and n.state = 'open' and (${refundId}::uuid is null or n.refund_id = ${refundId}::uuid)
      and (${nonce}::bigint is null or n.nonce = ${nonce}::bigint)
    order by n.nonce limit ${max}`
  return rows.map(row => ({
    nonce: Number(row.nonce),
    refundId: row.refund_id,
    sentMsAgo: row.sent_ms_ago,
    isSearchDue: row.is_search_due,
    attempts: row.attempts.map(each => ({
      ...each,
      gas: BigInt(each.gas),
      maxFee: BigInt(each.maxFee),
      tip: each.tip === null ? null : BigInt(each.tip),
    })),
  }))
}

type Named = { readonly signerId: string; readonly nonce: number }

/**
 * Records that a node has accepted the transaction, and deletes the refund's waiting reason. The caller may have been
 * suspended, or the node may lag: nothing changes if the nonce is already closed, and a refund that has been left to
 * manual signing in the meantime stays so.
 */
export const recordSent = async (
  sql: Sql,
  { signerId, nonce, txHash }: Named & { readonly txHash: string },
): Promise<void> => {
  await sql`
    with taken as (
      update signed_transactions set taken_at = now()
      where signer_id = ${signerId} and nonce = ${nonce} and tx_hash = ${txHash} and taken_at is null),
    sent as (
      update signer_nonces set sent_at = now()
      where signer_id = ${signerId} and nonce = ${nonce} and state = 'open'
      returning refund_id)
    delete from signing_waits where refund_id in (select refund_id from sent) and next_try_at < 'infinity'`
}

/** Postpones the search for the transaction that used the nonce. Returns true the first time. */
export const postponeSearch = async (sql: Sql, { signerId, nonce }: Named): Promise<boolean> => {
  const [row] = await sql<{ searches: number }[]>`
    insert into unclear_nonces as u (signer_id, nonce, next_search_at)
    select signer_id, nonce, next_look(0) from signer_nonces
    -- Another process may have closed it in the meantime.
    where signer_id = ${signerId} and nonce = ${nonce} and state = 'open'
    on conflict (signer_id, nonce) do update
    set searches = u.searches + 1, next_search_at = next_look(u.searches)
    returning searches`
  return row?.searches === 1
}

/** Closes a nonce whose outcome is final: the mined transaction, or null if none of its transactions can be mined. */
export const closeNonce = async (sql: Sql, { signerId, nonce }: Named, mined: string | null): Promise<void> => {
  await sql`select close_nonce(${signerId}, ${nonce}, ${mined === null ? 'dropped' : 'mined'}, ${mined})`
}

/**
 * Records a transaction that fills a nonce gap, or replaces such a transaction. Returns false if there is already one
 * with this nonce and attempt.
 */
export const insertGapTransaction = async (sql: Sql, row: Readonly<Record<string, unknown>>): Promise<boolean> => {
  const { gas, max_fee, tip, ...rest } = row
  const texts = { ...rest, gas: String(gas), max_fee: String(max_fee), tip: tip === null ? null : String(tip) }
  const made = await sql`
    with given as (
      select * from json_populate_record(null::signed_transactions, ${JSON.stringify(texts)}::text::json)),
    number as (
      insert into signer_nonces (signer_id, nonce, state, created_at)
      select signer_id, nonce, 'open', now() from given
      on conflict do nothing)
    insert into signed_transactions
      (signer_id, nonce, attempt, chain_id, tx_hash, raw, gas, max_fee, tip, created_at)
    select signer_id, nonce, attempt, chain_id, tx_hash, raw, gas, max_fee, tip, now() from given
    on conflict do nothing
    returning nonce`
  return made.length > 0
}
