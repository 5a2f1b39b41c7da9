import { isIn, type PartCheck } from './check.ts'

/**
 * Idempotency keys of refunds, and of credit notes with refunds, are never deleted: without the key, a repeated request
 * would pay a second time.
 */
export const refundKey: PartCheck = {
  invariant: 'I3',
  what: 'a refund whose idempotency key is missing',
  breaches: (sql, part) => sql`
    select h.actor as id
    from transitions h
    where ${isIn(sql, part, sql`h.actor`)} and h.kind = 'refund' and h.rev = 1 and h.cause ~ '^(key|usr)_'
      and not exists (select from idempotency_keys k where k.record_id = h.actor and k.is_refund)
      and not exists (
        select from credit_notes n cross join lateral jsonb_array_elements_text(n.refund_ids) as of_note (refund)
        join idempotency_keys k on k.record_id = n.id and k.is_refund
        where of_note.refund::uuid = h.actor)`,
}
