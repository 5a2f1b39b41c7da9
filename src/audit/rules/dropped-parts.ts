import type { Check } from './check.ts'

/** Rules about what is missing begin after what was dropped, so the rows that say so must be as they were written. */
export const droppedParts: Check = {
  invariant: 'I9',
  what: 'a day of dropped records that was changed or removed',
  breaches: sql => sql`
    select part || ' ' || day as id from dropped_parts
    where digest is distinct from dropped_part_digest(part, day, dropped, last_id, dropped_at)
    union all
    select p.part from retention_progress p
    where p.dropped <> (select coalesce(sum(d.dropped), 0) from dropped_parts d where d.part = p.part)`,
}
