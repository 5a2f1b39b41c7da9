import type { Sql } from '../postgres/connect.ts'
import { findLastAudit } from './audits.ts'
import { countsByReason, type WaitReason } from './signing.ts'

/** What is waiting, over all processes. */
export type Backlog = {
  /** Jobs that could be run now. */
  readonly jobsReady: number
  /** Jobs that have used up their attempts. */
  readonly jobsGivenUp: number
  readonly timersDue: number
  /** How long the oldest due timer has been due. */
  readonly timerLateSeconds: number
  /** Payments that changes of their chain have not been applied to yet. */
  readonly paymentsUnsettled: number
  /** Webhook deliveries that could be sent now. */
  readonly deliveriesDue: number
  /** How long the oldest due delivery has been due. */
  readonly deliveryLateSeconds: number
  /** Refunds that a signer should sign and has not, by reason. */
  readonly refundsUnsigned: Readonly<Record<WaitReason, number>>
  /** The age of the oldest signed transaction that is not final. */
  readonly refundOpenSeconds: number
  /** Refunds that a person must look at. */
  readonly refundsWithAttention: number
  readonly workers: number
  /** Checks with breaches in the last audit. */
  readonly auditFindings: number
  /** Time since the last audit ended, or since the database was made. */
  readonly auditAgeSeconds: number
  readonly chains: readonly {
    readonly chainId: number
    readonly head: number
    readonly final: number
    readonly ageSeconds: number
  }[]
}

/** Counts stop here: exact larger numbers are not needed. */
const MAX_COUNTED = 10_000

/** `chainsOn`: the enabled chains. */
export const readBacklog = async (sql: Sql, chainsOn: readonly number[]): Promise<Backlog> => {
  const [waiting, last] = await Promise.all([readWaiting(sql, chainsOn), findLastAudit(sql)])
  return { ...waiting, auditFindings: last.findings, auditAgeSeconds: last.ageSeconds }
}

const readWaiting = async (sql: Sql, chainsOn: readonly number[]): Promise<Waiting> => {
  const [row] = await sql<Row[]>`
    select
      (select count(*)::integer from (
        select from graphile_worker._private_jobs
        where is_available and locked_at is null and run_at <= now() limit ${MAX_COUNTED}) as ready) as "jobsReady",
      (select count(*)::integer from (
        select from graphile_worker._private_jobs where attempts >= max_attempts limit ${MAX_COUNTED}) as lost) as "jobsGivenUp",
      (select count(*)::integer from (
        select from timers where due_at <= now() and not planned and test_clock_id is null limit ${MAX_COUNTED}) as due) as "timersDue",
      (select coalesce(greatest(extract(epoch from now() - min(due_at)), 0), 0)::float8
       from timers where not planned and test_clock_id is null) as "timerLateSeconds",
      (select count(*)::integer from (
        select from unsettled_payments where reported_rev is null limit ${MAX_COUNTED}) as unsettled) as "paymentsUnsettled",
      (select count(*)::integer from (
        select from deliveries where state = 'pending' and next_attempt_at <= now() limit ${MAX_COUNTED}) as due) as "deliveriesDue",
      (select coalesce(greatest(extract(epoch from now() - min(next_attempt_at)), 0), 0)::float8
       from deliveries where state = 'pending') as "deliveryLateSeconds",
      (select json_object_agg(reason, count) from (
        select w.reason, count(*)::integer as count
        from signing_waits w join refunds r on r.id = w.refund_id and r.state = 'requires_signature'
        where w.signer_id in (select id from refund_signers)
        group by w.reason) as waits) as "refundsUnsigned",
      (select coalesce(greatest(extract(epoch from now() - min(created_at)), 0), 0)::float8
       from signer_nonces where state = 'open') as "refundOpenSeconds",
      (select count(*)::integer from (
        select distinct refund_id from refunds_needing_attention(${[...chainsOn]}::bigint[])
        limit ${MAX_COUNTED}) as waiting) as "refundsWithAttention",
      (select count(*)::integer from workers) as workers,
      (select json_agg(json_build_object('chainId', chain_id, 'head', number, 'final', final_number,
        'ageSeconds', extract(epoch from now() - mined_at)::float8) order by chain_id) from chain_cursors) as chains`
  if (!row) throw new Error('cannot read the backlog: the database returned no row')
  return { ...row, chains: row.chains ?? [], refundsUnsigned: countsByReason(row.refundsUnsigned ?? {}) }
}

type Waiting = Omit<Backlog, 'auditFindings' | 'auditAgeSeconds'>

type Row = Omit<Waiting, 'chains' | 'refundsUnsigned'> & {
  readonly chains: Backlog['chains'] | null
  readonly refundsUnsigned: Readonly<Record<string, number>> | null
}
