import type postgres from 'postgres'
import type { Sql } from '../postgres/connect.ts'
import type { ListedTable } from '../resources.ts'
import { type Page, pageBySeq } from './page.ts'

/** Whose records are listed: lists are of one mode. */
export type Whose = { readonly merchantId: string; readonly livemode: boolean }

export type PlacedList = {
  readonly table: ListedTable
  readonly whose: Whose
  readonly page: Page
  /** All of the row, which is `r`, unless told otherwise. */
  readonly columns?: Fragment
  /** Each begins with `and`. */
  readonly filters?: Fragment
  /** Whose rows these are, where the index that the list pages by does not name the merchant's columns. */
  readonly theirs?: Fragment
  /** Conditions of which every row fits one, where the index that the list pages by begins with what they name. */
  readonly parts?: readonly Fragment[]
}

export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** The `seq` of the row that a cursor names, when it is one of the list. */
export const findPlace = async (
  sql: Sql,
  table: ListedTable,
  { merchantId, livemode }: Whose,
  id: string,
  filters: Fragment = sql``,
): Promise<string | undefined> => {
  const [row] = await sql<{ seq: string }[]>`
    select seq from ${sql(table)}
    where id = ${id} and merchant_id = ${merchantId} and livemode = ${livemode} ${filters}`
  return row?.seq
}

/** A page of a list, and one row more. */
export const listPlaced = <Row extends object>(sql: Sql, list: PlacedList): Promise<Row[]> => {
  const { table, whose, page, columns = sql`*`, filters = sql``, theirs = areTheirs(sql, whose), parts } = list
  const paged = pageBySeq(sql, page)
  const where = sql`where ${theirs} ${filters}`
  if (!parts) return sql<Row[]>`select ${columns} from ${sql(table)} as r ${where} and ${paged}`
  const all = parts
    .map(part => sql`(select * from ${sql(table)} ${where} and ${part} and ${paged})`)
    .reduce((some, more) => sql`${some} union all ${more}`)
  return sql<Row[]>`select ${columns} from (${all}) as r where ${paged}`
}

/** A list's filters: columns and what stands in them, undefined where it may be anything. */
export const narrowed = (sql: Sql, wanted: Readonly<Record<string, string | undefined>>): Fragment =>
  Object.entries(wanted).reduce<Fragment>(
    (filters, [column, value]) => (value === undefined ? filters : sql`${filters} and ${sql(column)} = ${value}`),
    sql``,
  )

const areTheirs = (sql: Sql, { merchantId, livemode }: Whose): Fragment =>
  sql`merchant_id = ${merchantId} and livemode = ${livemode}`

/**
 * Those that have one thing in common, by an index of `list_key`. What the key was made of is compared in a spelling
 * that the planner neither seeks another index for nor takes to keep hardly any row: then it would read and sort all.
 */
export const areTheirsWith = (
  sql: Sql,
  { merchantId, livemode }: Whose,
  column: string,
  common: string,
): Fragment => sql`
  list_key(merchant_id, livemode, ${sql(column)}) = list_key(${merchantId}, ${livemode}, ${common})
  and case when merchant_id = ${merchantId} and livemode = ${livemode} and ${sql(column)} = ${common} then true else false end`
