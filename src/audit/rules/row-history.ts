import { type Column, type Kind, snakeCase } from '../../actors/kind.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Fragment } from '../../queries/list-rows.ts'
import { isIn, type PartCheck } from './check.ts'
import { gapsOf, isGap } from './unrecorded.ts'

/**
 * State, rev, and the fields that the kind records in its history must be those of the last entry, and so must
 * merchant, mode and creation time. If the last events are of types that are not recorded in the history, such events
 * must be able to lead from the last entry to this state and rev.
 */
export const rowHistory = (kind: Kind): PartCheck => ({
  invariant: 'I9',
  what: `a row of ${kind.table} that differs from the last entry of its history`,
  breaches: (sql, part) => sql`
    select t.id
    from ${sql(kind.table)} t
    left join transitions h on h.actor = t.id and h.rev = t.rev
    left join transitions later on later.actor = t.id and later.rev = t.rev + 1
    where ${isIn(sql, part, sql`t.id`)} and (later.actor is not null or case
      when h.actor is null then not ${isAfterGap(sql, kind)}
      else h.to_state <> t.state ${isOfAnother(sql, kind)}
        -- An entry of an older version may lack a field.
        or not (jsonb_build_object(${shown(sql, kind)}) @> json_of(h.context)::jsonb)
      end)`,
})

/** Whether unrecorded events lead from the latest entry to the row. Evaluated only for rows whose rev has no entry. */
const isAfterGap = (sql: Sql, kind: Kind): Fragment => {
  const gap = { kind: sql`${kind.name}::text`, from: sql`latest.to_state`, to: sql`t.state` }
  return gapsOf(kind).length === 0
    ? sql`false`
    : sql`exists (
        select from (select) as one left join lateral (
          select rev, to_state from transitions where actor = t.id order by rev desc limit 1) latest on true
        where ${isGap(sql, gapsOf(kind), { ...gap, revs: sql`t.rev - coalesce(latest.rev, 0)` })})`
}

const isOfAnother = (sql: Sql, { columns }: Kind): Fragment =>
  'merchantId' in columns && 'livemode' in columns
    ? sql`or (h.merchant_id, h.livemode, h.actor_created_at)
        is distinct from (t.merchant_id, t.livemode, date_trunc('milliseconds', t.created_at))`
    : sql``

const shown = (sql: Sql, { columns, history }: Kind): Fragment =>
  history.length === 0
    ? sql``
    : history
        .map<Fragment>(
          field => sql`${field}::text, ${asInHistory(sql, columns[field] ?? 'text', sql`t.${sql(snakeCase(field))}`)}`,
        )
        .reduce((some, more) => sql`${some}, ${more}`)

/** As JSON.stringify writes it: times in milliseconds, atomic units as text. */
const asInHistory = (sql: Sql, type: Column, column: Fragment): Fragment => {
  if (type === 'atomic') return sql`${column}::text`
  return type === 'time' ? sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : column
}
