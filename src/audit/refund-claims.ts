import type { Kind } from '../actors/kind.ts'
import { type Check, isIn, type PartCheck } from './rules/check.ts'

/** A destination is set once: by the caller who creates the refund, or by the customer with the secret of the claim. */
export const auditRefundClaims = (kinds: readonly Kind[]): Check[] =>
  kinds.some(({ name }) => name === 'refund') ? checks : []

/** What the history of a refund says about its destination. */
export const refundDestinations: readonly PartCheck[] = [
  {
    invariant: 'I3',
    what: 'a refund whose destination was set twice',
    breaches: (sql, part) => sql`
      select actor as id from transitions
      where ${isIn(sql, part, sql`actor`)} and kind = 'refund' and event = 'destination_named'
      group by actor having count(*) > 1`,
  },
  {
    invariant: 'I3',
    what: 'a refund whose customer has set the destination without a claim, or whose destination was set by someone else despite a claim',
    breaches: (sql, part) => sql`
      select t.actor as id
      from transitions t left join refund_claims c on c.id = t.actor
      where ${isIn(sql, part, sql`t.actor`)} and t.kind = 'refund' and t.event = 'destination_named'
        and (split_part(coalesce(t.cause, ''), ' ', 1) = 'customer') <> (c.id is not null)`,
  },
]

const checks: Check[] = [
  ...refundDestinations,
  {
    invariant: 'I3',
    what: 'a refund whose destination differs from the proven address',
    breaches: sql => sql`
      select p.refund_id as id
      from refund_destination_proofs p left join refunds r on r.id = p.refund_id
      where r.destination is distinct from p.address`,
  },
  {
    invariant: 'I7',
    what: 'a refund that waits for a destination and has no claim',
    breaches: sql => sql`
      select id from refunds r
      where state = 'requires_destination' and not exists (select from refund_claims c where c.id = r.id)`,
  },
  {
    invariant: 'I9',
    what: 'a claim of a refund that does not exist',
    breaches: sql => sql`
      select id from refund_claims c where not exists (select from refunds r where r.id = c.id)`,
  },
]
