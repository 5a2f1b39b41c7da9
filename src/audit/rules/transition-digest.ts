import { isIn, type PartCheck } from './check.ts'
import { lacksLayout } from './stored-object.ts'

export const transitionDigest: PartCheck = {
  invariant: 'I9',
  what: 'an entry of a history that was changed after its commit',
  breaches: (sql, part) => sql`
    select actor as id
    from transitions
    where ${isIn(sql, part, sql`actor`)} and (digest is distinct from
      transition_digest(actor, rev, kind, command, event, from_state, to_state, cause, context, at,
        merchant_id, livemode, actor_created_at) or ${lacksLayout(sql, sql`context`)})`,
}
