import type { Sql } from '../../postgres/connect.ts'
import type { Fragment } from '../../queries/list-rows.ts'

/** Whether json_of() has no layout for a stored object: its fields have no names. */
export const lacksLayout = (sql: Sql, stored: Fragment): Fragment => sql`
  (left(${stored}, 1) <> '{' and split_part(${stored}, E'\\t', 1)::integer not in (select id from json_layouts))`
