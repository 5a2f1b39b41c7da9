import type { Sql } from '../../postgres/connect.ts'
import type { Fragment } from '../../queries/list-rows.ts'
import type { Check } from './check.ts'

/** Rules about what is missing begin after what was dropped, so the rows that say so must be as they were written. */
export const droppedParts: readonly Check[] = [
  {
    invariant: 'I9',
    what: 'a day of dropped records that was changed or removed',
    breaches: sql => sql`
      select part || ' ' || day as id from dropped_parts
      where digest is distinct from dropped_part_digest(part, day, dropped, last_id, dropped_at)
      union all
      select p.part from retention_progress p
      where p.dropped <> (select coalesce(sum(d.dropped), 0) from dropped_parts d where d.part = p.part)`,
  },
  {
    invariant: 'I9',
    what: 'a day of which more or less history is missing than was dropped',
    breaches: sql => sql`
      select p.last_id as id
      from dropped_parts p
      left join (
        select day, sum(missing) as missing
        from (
          select (min(actor_created_at) at time zone 'UTC')::date as day, max(rev) - count(*) as missing
          from transitions
          where kind <> 'delivery' and exists (select from dropped_parts where part = 'history')
          group by actor) histories
        group by day) m on m.day = p.day
      where p.part = 'history' and p.dropped is distinct from m.missing`,
  },
]

/**
 * Whether entries may be missing in the history of a transition: some were dropped of actors that were created on its day. The
 * rule above counts them. A delivery is dropped as a whole.
 */
export const mayLackEntries = (sql: Sql, transition: Fragment): Fragment => sql`
  (${transition}.kind <> 'delivery' and (${transition}.actor_created_at at time zone 'UTC')::date in (
    select day from dropped_parts where part = 'history'))`
