import type { Sql } from '../postgres/connect.ts'
import type { ListedTable } from '../resources.ts'
import { batchReads } from './batched-reads.ts'
import type { Fragment } from './list-rows.ts'

/** Identifies a record of a merchant. */
export type RecordKey = {
  readonly id: string
  readonly merchantId: string
  /** Undefined: either mode. */
  readonly livemode: boolean | undefined
}

/** Finds the row of a record. Records of other merchants, or of the other mode, are not found. */
export type Finder<Row> = (sql: Sql, key: RecordKey) => Promise<Row | undefined>

/** Creates a finder for a table, once per table, so that concurrent reads share a statement. The row's alias is `r`. */
export const finderOf = <Row extends object>(
  table: ListedTable,
  columns: (sql: Sql) => Fragment = sql => sql`*`,
): Finder<Row> => {
  const finders = new WeakMap<Sql, (key: RecordKey) => Promise<Row | undefined>>()
  return (sql, key) => {
    const cached = finders.get(sql)
    if (cached) return cached(key)
    const find = batchReads<RecordKey, Row | undefined>(keys => findRows(sql, { table, columns, keys }))
    finders.set(sql, find)
    return find(key)
  }
}

type FindRequest = {
  readonly table: ListedTable
  readonly columns: (sql: Sql) => Fragment
  readonly keys: readonly RecordKey[]
}

/** Returns a row or undefined for each key, in the same order. */
const findRows = async <Row extends object>(
  sql: Sql,
  { table, columns, keys }: FindRequest,
): Promise<(Row | undefined)[]> => {
  const [only] = keys
  if (only && keys.length === 1) {
    const { id, merchantId, livemode } = only
    const [row] = await sql<Row[]>`
      select ${columns(sql)} from ${sql(table)} as r
      where id = ${id} and merchant_id = ${merchantId} and livemode = coalesce(${livemode ?? null}, livemode)`
    return [row]
  }
  const wanted = keys.map(({ id, merchantId, livemode = null }, n) => ({ n, id, merchantId, livemode }))
  const rows = await sql<(Row & { readonly n: number })[]>`
    select n, found.*
    from json_to_recordset(${JSON.stringify(wanted)}::text::json)
      as wanted (n integer, id uuid, "merchantId" uuid, livemode boolean)
    cross join lateral (
      select ${columns(sql)} from ${sql(table)} as r
      where r.id = wanted.id and r.merchant_id = wanted."merchantId"
        and r.livemode = coalesce(wanted.livemode, r.livemode)
    ) found`
  const found = new Array<Row | undefined>(keys.length)
  for (const row of rows) found[row.n] = row
  return found
}
