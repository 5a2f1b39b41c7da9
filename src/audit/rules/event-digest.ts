import type { Check } from './check.ts'
import { lacksLayout } from './stored-object.ts'

export const eventDigest: Check = {
  invariant: 'I8',
  what: 'an event that was changed after its commit',
  breaches: sql => sql`
    select id
    from events
    where digest is distinct from
      event_digest(id, actor, rev, type, merchant_id, livemode, api_version, object, created_at)
      or ${lacksLayout(sql, sql`object`)}`,
}
