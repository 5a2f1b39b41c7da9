import { type Column, type Kind, snakeCase } from '../../actors/kind.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Fragment } from '../../queries/places.ts'
import type { Check } from '../audit.ts'

/** What a kind shows in its history: amounts, addresses, hashes and times of a row are those of its last entry. */
export const rowContext = ({ name, table, columns, history }: Kind): Check[] =>
  history.length === 0
    ? []
    : [
        {
          invariant: 'I9',
          what: `a row of ${table} that holds something else than its history ends with`,
          breaches: sql => sql`
            select t.id
            from ${sql(table)} t
            join transitions h on h.actor = t.id and h.rev = t.rev and h.kind = ${name}
            -- An entry of an older version may lack a field.
            where not (jsonb_build_object(${shown(sql, columns, history)}) @> h.context::jsonb)`,
        },
      ]

const shown = (sql: Sql, columns: Kind['columns'], history: Kind['history']): Fragment =>
  history
    .map(field => sql`${field}::text, ${asInHistory(sql, columns[field] ?? 'text', sql`t.${sql(snakeCase(field))}`)}`)
    .reduce((some, more) => sql`${some}, ${more}`)

/** As JSON.stringify writes it: times in milliseconds, atomic units as text. */
const asInHistory = (sql: Sql, type: Column, column: Fragment): Fragment => {
  if (type === 'atomic') return sql`${column}::text`
  return type === 'time' ? sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : column
}
