import type { Kind } from '../actors/kind.ts'
import { stepper } from '../actors/step.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Fragment } from '../queries/places.ts'
import type { Check } from './audit.ts'

/** I8: walking a merchant's events by cursor tells every committed one once. */
export const auditEvents = (kinds: readonly Kind[]): Check[] => [
  {
    invariant: 'I8',
    // A page begins after the last place of the one before, and a walk begins after 0.
    what: 'an event whose place in its list is taken, or before all places',
    breaches: sql => sql`
      select id
      from (
        select id, seq, lag(seq) over (partition by merchant_id, livemode order by seq) as before
        from events
      ) e
      where seq = before or seq <= 0`,
  },
  {
    invariant: 'I8',
    what: 'an event that no change of its actor has caused',
    breaches: sql => sql`
      select e.id
      from events e
      left join transitions h on h.actor = e.actor and h.rev = e.rev
      -- A test event is about an endpoint, which is no actor.
      where e.kind <> 'webhook_endpoint' and (h.actor is null or h.xid <> e.xid or h.era <> e.era)`,
  },
  {
    invariant: 'I8',
    what: 'a change that the outside was not told of',
    breaches: sql => kinds.map(kind => findUntold(sql, kind)).reduce((some, more) => sql`${some} union all ${more}`),
  },
  {
    invariant: 'I8',
    what: 'an event of an actor that sorts before an earlier one of it',
    breaches: sql => sql`
      select id
      from (
        select id, rev, lag(rev) over (partition by actor order by seq) as before
        from events
      ) e
      where rev < before`,
  },
]

/** What a machine says about its own changes, against what is there. */
const findUntold = (sql: Sql, kind: Kind): Fragment => sql`
  select h.actor as id
  from transitions h
  join json_to_recordset(${JSON.stringify(stepper(kind).tells())}::text::json)
    as told(event text, "from" text, "to" text, type text)
    on told.event = h.event and told.from is not distinct from h.from_state and told.to = h.to_state
  where h.kind = ${kind.name} and not exists (
    select from events e where e.actor = h.actor and e.rev = h.rev and e.type = told.type)`
