import { type Column, type Kind, snakeCase } from '../../actors/kind.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Fragment } from '../../queries/places.ts'
import type { Check } from './check.ts'

/** State, rev, and the fields that the kind records in its history must be those of the last entry. */
export const rowHistory = ({ table, columns, history }: Kind): Check => ({
  invariant: 'I9',
  what: `a row of ${table} that differs from the last entry of its history`,
  breaches: sql => sql`
    select t.id
    from ${sql(table)} t
    left join transitions h on h.actor = t.id and h.rev = t.rev
    left join transitions later on later.actor = t.id and later.rev = t.rev + 1
    where h.to_state is distinct from t.state or later.actor is not null
      -- An entry of an older version may lack a field.
      or not (jsonb_build_object(${history.length === 0 ? sql`` : shown(sql, columns, history)}) @> h.context::jsonb)`,
})

const shown = (sql: Sql, columns: Kind['columns'], history: Kind['history']): Fragment =>
  history
    .map<Fragment>(
      field => sql`${field}::text, ${asInHistory(sql, columns[field] ?? 'text', sql`t.${sql(snakeCase(field))}`)}`,
    )
    .reduce((some, more) => sql`${some}, ${more}`)

/** As JSON.stringify writes it: times in milliseconds, atomic units as text. */
const asInHistory = (sql: Sql, type: Column, column: Fragment): Fragment => {
  if (type === 'atomic') return sql`${column}::text`
  return type === 'time' ? sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : column
}
