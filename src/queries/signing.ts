import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'

/** Why a refund that a signer should sign is not signed yet. */
export type WaitReason = (typeof waitReasons)[number]

export const waitReasons = [
  'no_answer',
  'no_gas',
  'no_funds',
  // The chain has transactions of this key that are not in the database: it is an old copy, or the key is used
  // elsewhere.
  'nonce_ahead',
  // The node predicts that the transfer would fail.
  'refused',
  'unreadable_key',
  // An earlier signed transaction of the refund may still be mined.
  'unsettled',
  // An error of the server. The log has the details.
  'fault',
  // The database may be a restored backup: see `is_on_hold` in sql/107-refund-signers-functions.sql.
  'on_hold',
  'over_refund_limit',
  'over_day_limit',
  // It was waiting before the signer was added or enabled.
  'by_hand',
] as const

/** The number of refunds for each reason, including zeros, so that every metric exists before the first occurrence. */
export const countsByReason = (counted: Readonly<Record<string, number>>): Readonly<Record<WaitReason, number>> =>
  Object.fromEntries(waitReasons.map(reason => [reason, counted[reason] ?? 0])) as Record<WaitReason, number>

const readRefund = readerOf(refundKind)

/** A refund that may have to be signed, and whether its next attempt is due. */
export type Unsigned = { readonly refund: Actor<Refund>; readonly isDue: boolean }

export const findUnsigned = async (sql: Sql, id: string): Promise<Unsigned | undefined> => {
  const [row] = await sql<(ActorRow & { readonly is_due: boolean })[]>`
    select r.*, coalesce(w.next_try_at <= now(), true) as is_due
    from refunds r left join signing_waits w on w.refund_id = r.id
    where r.id = ${id}`
  return row && { refund: readRefund(row), isDue: row.is_due }
}

/** Refunds of a chain that are due to be signed by a signer. Their job may have been lost. */
export const listUnsigned = async (
  sql: Sql,
  { chainId, isSandbox, untouchedMs }: { chainId: number; isSandbox: boolean; untouchedMs: number },
  max: number,
): Promise<readonly string[]> => {
  const rows = await sql<{ id: string }[]>`
    select refund_id as id
    from list_unsigned(${chainId}, ${isSandbox}, now() - ${untouchedMs}::float8 * interval '1 ms', ${max})`
  return rows.map(({ id }) => id)
}

/** What a signature depends on, read from the database in one snapshot. */
export type SigningFacts = {
  /** The signer is not removed, the merchant's mode is `signer`, and the refund is not left to manual signing. */
  readonly isOn: boolean
  /** The signer signs nothing until an operator has released it. */
  readonly isOnHold: boolean
  readonly nextNonce: number
  /** The native currency that open transactions may spend, including gas. */
  readonly owedNative: bigint
  /** The amount of the refund's token that open transactions may spend. */
  readonly owedTokens: bigint
  /** What was signed for the merchant on the chain within 24 hours in the refund's currency, by all its signers. */
  readonly signedMinor: number
  /** Null: no refund is allowed in this currency. */
  readonly limits: { readonly perRefundMinor: number; readonly perDayMinor: number } | null
}

/** Transactions with nonces below `minedTo` are already included in the balances on the chain. */
export const readSigningFacts = async (
  sql: Sql,
  { signerId, minedTo, id, refund }: { signerId: string; minedTo: number; id: string; refund: Refund },
): Promise<SigningFacts> => {
  const [row] = await sql<Row[]>`
    select
      (select greatest(s.first_nonce, max(n.nonce) + 1) from signer_nonces n where n.signer_id = s.id) as next_nonce,
      (s.epoch is not null or exists (
        select from working_signers w where w.id = s.id and w.livemode = ${refund.livemode}))
        and not exists (select from signing_waits where refund_id = ${id} and next_try_at = 'infinity') as is_on,
      is_on_hold(s) as is_on_hold,
      o.coins, o.tokens,
      (select coalesce(sum(r.amount_minor), 0) from signer_nonces n join refunds r on r.id = n.refund_id
        -- Includes removed signers, so that adding a new signer does not reset the daily limit.
        where n.signer_id in (
            select of.id from refund_signers of where of.merchant_id = s.merchant_id and of.chain_id = s.chain_id)
          and n.created_at > now() - interval '1 day' and n.state <> 'dropped'
          and r.currency = ${refund.currency}) as signed_minor,
      l.per_refund_minor, l.per_day_minor
    from refund_signers s
    left join refund_signer_limits l on l.signer_id = s.id and l.currency = ${refund.currency}
    cross join lateral (
      select coalesce(sum(t.cost + case when r.token_address is null then r.amount else 0 end), 0) as coins,
        coalesce(sum(r.amount) filter (where r.token_address = ${refund.tokenAddress}), 0) as tokens
      from signer_nonces n
      cross join lateral (
        select max(gas * max_fee) as cost from signed_transactions t
        where t.signer_id = n.signer_id and t.nonce = n.nonce) t
      left join refunds r on r.id = n.refund_id
      where n.signer_id = s.id and n.state = 'open' and n.nonce >= ${minedTo}) o
    where s.id = ${signerId}`
  if (!row) throw new Error(`the signer ${signerId} is not in the database`)
  return {
    isOn: row.is_on,
    isOnHold: row.is_on_hold,
    nextNonce: Number(row.next_nonce),
    owedNative: BigInt(row.coins),
    owedTokens: BigInt(row.tokens),
    signedMinor: Number(row.signed_minor),
    limits:
      row.per_refund_minor === null || row.per_day_minor === null
        ? null
        : { perRefundMinor: Number(row.per_refund_minor), perDayMinor: Number(row.per_day_minor) },
  }
}

type Row = {
  readonly is_on: boolean
  readonly is_on_hold: boolean
  readonly next_nonce: string
  readonly coins: string
  readonly tokens: string
  readonly signed_minor: string
  readonly per_refund_minor: string | null
  readonly per_day_minor: string | null
}

/** Postpones the next attempt. Returns whether the reason is new. */
export const postponeSigning = async (
  sql: Sql,
  { refundId, signerId, reason }: { refundId: string; signerId: string; reason: WaitReason },
): Promise<boolean> => {
  const [row] = await sql<{ news: boolean }[]>`select wait_to_sign(${refundId}, ${signerId}, ${reason}) as news`
  return row?.news === true
}
