import type { Kind } from '../actors/kind.ts'
import { type Check, isIn, type PartCheck } from './rules/check.ts'

/** A refund is paid by one transaction, and its result comes from the chain. */
export const auditRefundTransactions = (kinds: readonly Kind[]): Check[] =>
  kinds.some(({ name }) => name === 'refund') ? checks : []

/** What the history of a refund says about its result. */
export const refundOutcomes: readonly PartCheck[] = [
  {
    invariant: 'I3',
    what: 'a refund that was processed twice',
    breaches: (sql, part) => sql`
      select actor as id from transitions
      where ${isIn(sql, part, sql`actor`)} and kind = 'refund' and event = 'transaction_verified'
      group by actor having count(*) > 1`,
  },
  {
    invariant: 'I3',
    what: 'a refund whose result did not come from its chain',
    // Exceptions: one of our signers reports that its transaction can never be mined; a member decides what the chain could
    // not show at that time. A result without a cause is a breach too.
    breaches: (sql, part) => sql`
      select t.actor as id from transitions t join refunds r on r.id = t.actor
      where ${isIn(sql, part, sql`t.actor`)} and t.kind = 'refund' and t.event in ('transaction_verified', 'transaction_failed')
        and t.cause is distinct from 'chain:' || r.chain_id
        and not (t.event = 'transaction_failed' and exists (
          select from signed_transactions x join signer_nonces n using (signer_id, nonce)
          join refund_signers s on s.id = n.signer_id
          where n.refund_id = r.id and x.tx_hash = json_of(t.context)->>'txHash' and t.cause = 'signer:' || s.address))
        and not (coalesce(t.cause, '') like 'usr\\_%' and exists (
          select from refund_judgements j
          where j.refund_id = t.actor and j.rev = t.rev and case t.from_state
            when 'failed' then j.why = 'stray_transfer'
            else j.why <> 'stray_transfer'
              and (t.event = 'transaction_verified' or json_of(t.context)->>'failureReason' = 'unproven')
          end))`,
  },
]

const checks: Check[] = [
  ...refundOutcomes,
  {
    invariant: 'I3',
    what: 'a transaction that pays two refunds',
    breaches: sql => sql`
      select tx_hash as id from refunds
      where state in ('processing', 'processed') group by chain_id, tx_hash having count(*) > 1`,
  },
  {
    invariant: 'I3',
    what: 'a balance increase that is recorded for a refund which it does not pay',
    breaches: sql => sql`
      select p.refund_id as id
      from refund_rises p
      left join refunds r on r.id = p.refund_id and r.state = 'processed' and r.chain_id = p.chain_id
        and r.token_address is null and lower(r.destination) = p.address
      where r.id is null
      union all
      select refund_id from refund_rises group by refund_id having count(*) > 1`,
  },
  {
    invariant: 'I7',
    what: 'a refund whose transaction is not being checked, or is checked without need',
    breaches: sql => sql`
      select coalesce(r.id, l.refund_id) as id
      from (select id, tx_hash from refunds where state = 'processing') r
      full join refund_looks l on l.refund_id = r.id and l.tx_hash = r.tx_hash
      where r.id is null or l.refund_id is null`,
  },
  {
    invariant: 'I7',
    what: 'a refund that waits for a transfer which is not being watched for',
    breaches: sql => sql`
      select id from refunds r
      where state in ('requires_signature', 'processing')
        and not exists (
          select from refund_destinations d
          where d.refund_id = r.id and d.until is null and d.chain_id = r.chain_id and d.amount = r.amount
            and d.to_address = lower(r.destination)
            and d.token_address is not distinct from lower(r.token_address))`,
  },
]
