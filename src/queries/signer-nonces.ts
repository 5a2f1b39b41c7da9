import type { Hex } from 'viem'
import type { Sql } from '../postgres/connect.ts'

/** What was signed for a number that nobody knows to be over. */
export type OpenNonce = {
  readonly nonce: number
  /** Null: it was to use up the number, and nothing else. */
  readonly refundId: string | null
  /** Since a node took the latest; null when none has. */
  readonly sentMsAgo: number | null
  /** False for a while after nobody could show what has used it. */
  readonly isSearchDue: boolean
  /** The first one first; there is always one. */
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
  /** A node has had it. */
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

/** In the order of the numbers; of one refund or number only, when it is named. */
export const listOpenNonces = async (
  sql: Sql,
  { signerId, refundId = null, nonce = null }: Sought,
  most: number,
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
    order by n.nonce limit ${most}`
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
 * A node has it now, and nothing keeps it from being signed any more. Whoever says so may have been stopped in between,
 * or have asked a node that lags: of a number that is over it is no news, and what has been left to be signed by hand
 * since stays so.
 */
export const noteSent = async (
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

/** Nobody can show what has used it: that is tried again later. Answers whether it is news. */
export const putSearchOff = async (sql: Sql, { signerId, nonce }: Named): Promise<boolean> => {
  const [row] = await sql<{ searches: number }[]>`
    insert into unclear_nonces as u (signer_id, nonce, next_search_at)
    select signer_id, nonce, next_look(0) from signer_nonces
    -- Somebody else may have closed it meanwhile.
    where signer_id = ${signerId} and nonce = ${nonce} and state = 'open'
    on conflict (signer_id, nonce) do update
    set searches = u.searches + 1, next_search_at = next_look(u.searches)
    returning searches`
  return row?.searches === 1
}

/** What becomes of it is known for good: which of its transactions is mined, or that none can be. */
export const closeNonce = async (sql: Sql, { signerId, nonce }: Named, mined: string | null): Promise<void> => {
  await sql`select close_nonce(${signerId}, ${nonce}, ${mined === null ? 'dropped' : 'mined'}, ${mined})`
}

/**
 * Writes down what uses up a number that is in no books, or is to take the place of such a one. Answers whether it is
 * the first at its place.
 */
export const keepFiller = async (sql: Sql, row: Readonly<Record<string, unknown>>): Promise<boolean> => {
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
