import type { Kind } from '../actors/kind.ts'
import type { Sql } from '../postgres/connect.ts'
import { type Check, isIn, type PartCheck } from './rules/check.ts'
import { mayLackEntries } from './rules/dropped-parts.ts'

/** Invariants of refund signers; checked only if refunds are registered. */
export const auditRefundSigners = (kinds: readonly Kind[]): Check[] =>
  kinds.some(({ name }) => name === 'refund') ? checks : []

/** What the history of a refund says about its signed transactions. */
export const refundSignatures: readonly PartCheck[] = [
  {
    // Both were committed together.
    invariant: 'I3',
    what: 'a signed transaction that is not in the history of its refund',
    breaches: (sql, part) => sql`
      select t.tx_hash as id from signed_transactions t join signer_nonces n using (signer_id, nonce)
      where ${isIn(sql, part, sql`n.refund_id`)} and n.refund_id is not null and not exists (
        select from transitions h
        where h.actor = n.refund_id and h.event in ('transaction_sent', 'transaction_replaced')
          and json_of(h.context)->>'txHash' = t.tx_hash)
        -- Of a history that was dropped this was checked before.
        and not exists (
          select from transitions h where h.actor = n.refund_id and ${mayLackEntries(sql, sql`h`)} having count(*) < max(h.rev))`,
  },
  {
    // Not in the sandbox, whose chain can be lost.
    invariant: 'I3',
    what: 'a refund that failed as dropped although its transaction was mined',
    breaches: (sql, part) => sql`
      select h.actor as id
      from transitions h
      join signed_transactions t on t.tx_hash = json_of(h.context)->>'txHash'
      join signer_nonces n on n.signer_id = t.signer_id and n.nonce = t.nonce and n.refund_id = h.actor
      join refund_signers s on s.id = n.signer_id
      where ${isIn(sql, part, sql`h.actor`)} and h.kind = 'refund' and h.event = 'transaction_failed'
        and json_of(h.context)->>'failureReason' = 'dropped' and n.state = 'mined' and s.epoch is null and ${isNotAcceptedByMember(sql, 'h.actor')}`,
  },
]

const checks: Check[] = [
  ...refundSignatures,
  {
    invariant: 'I3',
    what: 'a refund with two open nonces of signers',
    breaches: sql => sql`
      select refund_id as id from signer_nonces where state = 'open' and refund_id is not null
      group by refund_id having count(*) > 1`,
  },
  {
    invariant: 'I3',
    what: 'a refund that was signed again although a transaction of a signer has paid it',
    breaches: sql => sql`
      select r.id from refunds r join signer_nonces n on n.refund_id = r.id
      where r.state = 'processed' and n.state = 'open'
        and not exists (
          select from signed_transactions t
          where t.signer_id = n.signer_id and t.nonce = n.nonce and t.tx_hash = r.tx_hash)`,
  },
  {
    invariant: 'I3',
    what: 'a nonce of a signer without a signed transaction',
    breaches: sql => sql`
      select n.signer_id as id from signer_nonces n
      where not exists (select from signed_transactions t where t.signer_id = n.signer_id and t.nonce = n.nonce)`,
  },
  {
    invariant: 'I3',
    what: 'a signed transaction whose nonce is not recorded',
    breaches: sql => sql`
      select t.tx_hash as id from signed_transactions t
      where not exists (select from signer_nonces n where n.signer_id = t.signer_id and n.nonce = t.nonce)`,
  },
  {
    invariant: 'I3',
    what: 'a refund that is paid with a nonce which another transaction has used',
    breaches: sql => sql`
      select r.id from refunds r join signer_nonces n on n.refund_id = r.id
      join signed_transactions t on t.signer_id = n.signer_id and t.nonce = n.nonce and t.tx_hash = r.tx_hash
      where r.state = 'processed' and n.state = 'dropped' and ${isNotAcceptedByMember(sql, 'r.id')}`,
  },
  {
    invariant: 'I3',
    what: 'a signer with a gap in its nonces',
    // Not in the sandbox, where the key is public and others may have sent transactions.
    breaches: sql => sql`
      select s.id from refund_signers s join signer_nonces n on n.signer_id = s.id
      where s.epoch is null and n.nonce >= s.first_nonce
      group by s.id having count(*) <> max(n.nonce) - s.first_nonce + 1`,
  },
]

/** False for refunds that a member has accepted as paid. */
const isNotAcceptedByMember = (sql: Sql, refund: string) =>
  sql`not exists (select from refund_judgements j where j.refund_id = ${sql(refund)} and j.why = 'stray_transfer')`
