import type { Sql } from '../postgres/connect.ts'
import type { ListedTable } from '../resources.ts'
import type { Fragment } from './places.ts'
import { together } from './together.ts'

/** A record as its merchant asks for it. */
export type RecordName = {
  readonly id: string
  readonly merchantId: string
  /** Undefined: either. */
  readonly livemode: boolean | undefined
}

/** Finds the row of a record; another merchant's, or one of the other mode, is not there. */
export type Finder<Row> = (sql: Sql, name: RecordName) => Promise<Row | undefined>

/** The same row is read by key and after key by the same statement, so the finder of a table is made once. Its row is `r`. */
export const finderOf = <Row extends object>(
  table: ListedTable,
  columns: (sql: Sql) => Fragment = sql => sql`*`,
): Finder<Row> => {
  const finders = new WeakMap<Sql, (name: RecordName) => Promise<Row | undefined>>()
  return (sql, name) => {
    const known = finders.get(sql)
    if (known) return known(name)
    const find = together<RecordName, Row | undefined>(names => findRows(sql, { table, columns, names }))
    finders.set(sql, find)
    return find(name)
  }
}

type Sought = {
  readonly table: ListedTable
  readonly columns: (sql: Sql) => Fragment
  readonly names: readonly RecordName[]
}

/** A row or undefined for each name, in their order. */
const findRows = async <Row extends object>(
  sql: Sql,
  { table, columns, names }: Sought,
): Promise<(Row | undefined)[]> => {
  const [only] = names
  if (only && names.length === 1) {
    const { id, merchantId, livemode } = only
    const [row] = await sql<Row[]>`
      select ${columns(sql)} from ${sql(table)} as r
      where id = ${id} and merchant_id = ${merchantId} and livemode = coalesce(${livemode ?? null}, livemode)`
    return [row]
  }
  const asked = names.map(({ id, merchantId, livemode = null }, place) => ({ place, id, merchantId, livemode }))
  const rows = await sql<(Row & { readonly place: number })[]>`
    select place, found.*
    from json_to_recordset(${JSON.stringify(asked)}::text::json)
      as asked (place integer, id uuid, "merchantId" uuid, livemode boolean)
    cross join lateral (
      select ${columns(sql)} from ${sql(table)} as r
      where r.id = asked.id and r.merchant_id = asked."merchantId"
        and r.livemode = coalesce(asked.livemode, r.livemode)
    ) found`
  const found = new Array<Row | undefined>(names.length)
  for (const row of rows) found[row.place] = row
  return found
}
