import type { Kind } from '../actors/kind.ts'
import { stepper } from '../actors/step.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Fragment } from '../queries/list-rows.ts'
import { type Check, isIn, type Part, type PartCheck } from './rules/check.ts'
import { mayLackEntries } from './rules/dropped-parts.ts'

/** I8: reading the events of a merchant by cursor returns every committed event exactly once. */
export const auditEvents = (kinds: readonly Kind[]): Check[] => [
  {
    invariant: 'I8',
    // A page starts after the last place of the previous page, and the first page after place 0.
    what: 'an event whose place in the list is used twice, or is not positive',
    breaches: sql => sql`
      select id
      from (
        select id, seq, lag(seq) over (partition by merchant_id, livemode order by seq) as before
        from events
      ) e
      where seq = before or seq <= 0`,
  },
  ...eventsOfTransitions(kinds),
  {
    invariant: 'I8',
    what: 'an event that is listed before an earlier event of the same actor',
    breaches: sql => sql`
      select id
      from (
        select id, rev, lag(rev) over (partition by actor order by seq) as before
        from events
      ) e
      where rev < before`,
  },
]

/** What the history and the events of an actor say about each other. */
export const eventsOfTransitions = (kinds: readonly Kind[]): PartCheck[] => [
  {
    invariant: 'I8',
    what: 'an event without the transition that caused it',
    breaches: (sql, part) => sql`
      select e.id
      from events e
      left join transitions h on h.actor = e.actor and h.rev = e.rev
      -- A test event is about an endpoint, which is not an actor.
      where ${isIn(sql, part, sql`e.actor`)} and e.kind <> 'webhook_endpoint' and case
        when h.actor is null then not exists (
          select from transitions later where later.actor = e.actor and later.rev > e.rev and ${mayLackEntries(sql, sql`later`)})
        else h.xid <> e.xid or h.era <> e.era end`,
  },
  {
    invariant: 'I8',
    what: 'a transition without its event',
    breaches: (sql, part) =>
      kinds.map(kind => findMissingEvents(sql, kind, part)).reduce((some, more) => sql`${some} union all ${more}`),
  },
]

/** Compares the events that a machine emits for its transitions with the stored events. */
const findMissingEvents = (sql: Sql, kind: Kind, part: Part | undefined): Fragment => sql`
  select h.actor as id
  from transitions h
  join json_to_recordset(${JSON.stringify(stepper(kind).guaranteedEvents())}::text::json)
    as emitted(event text, "from" text, "to" text, type text)
    on emitted.event = h.event and emitted.from is not distinct from h.from_state and emitted.to = h.to_state
  where ${isIn(sql, part, sql`h.actor`)} and h.kind = ${kind.name} and not exists (
    select from events e where e.actor = h.actor and e.rev = h.rev and e.type = emitted.type)`
