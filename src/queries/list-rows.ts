import type postgres from 'postgres'
import type { Sql } from '../postgres/connect.ts'
import type { ListedTable } from '../resources.ts'
import { type Page, pageBySeq } from './page.ts'

/** The merchant and the mode whose records are listed. */
export type ListOwner = { readonly merchantId: string; readonly livemode: boolean }

export type ListQuery = RowList & { readonly page: Page }

/** All rows of a list. */
export type RowList = {
  readonly table: ListedTable
  readonly owner: ListOwner
  /** All columns by default. The row's alias is `r`. */
  readonly columns?: Fragment
  /** Each begins with `and`. */
  readonly filters?: Fragment
  /** Replaces the condition on the owner, if the list uses an index without the owner's columns. */
  readonly ownerFilter?: Fragment
  /** The list has the rows of each part, if its index begins with columns of the parts. A row may be in several. */
  readonly parts?: readonly ListPart[]
}

export type Fragment = postgres.PendingQuery<postgres.Row[]>

/**
 * A condition by which an index returns the rows in the order of `seq`. `few`: a condition by which an index finds few
 * rows, which are sorted. Otherwise the planner could walk the whole list in the hope of finding enough of them early.
 */
export type ListPart = Fragment | { readonly few: Fragment } | FewOrMany

/**
 * Rows by records that are few or many, such as those of customers whose e-mail address begins with a text. Few are looked
 * up and sorted. If there are many, a page is found sooner by walking the list.
 */
export type FewOrMany = {
  /** Selects the ids of the records, in any order. */
  readonly candidates: Fragment
  /** The condition on a row, with the ids in the table `candidates`. */
  readonly few: Fragment
  /** The same condition on a row of the walk. */
  readonly many: Fragment
  /** Parts of the list in the order of `seq`; all of it by default. */
  readonly walked: readonly Fragment[] | undefined
}

/** The `seq` of the row that a cursor refers to, if it is in the list. */
export const findCursorSeq = async (
  sql: Sql,
  table: ListedTable,
  { merchantId, livemode }: ListOwner,
  id: string,
  filters: Fragment = sql``,
): Promise<string | undefined> => {
  const [row] = await sql<{ seq: string }[]>`
    select seq from ${sql(table)}
    where id = ${id} and merchant_id = ${merchantId} and livemode = ${livemode} ${filters}`
  return row?.seq
}

/** A page of a list, with one row more. */
export const listRows = <Row extends object>(sql: Sql, { page, ...list }: ListQuery): Promise<Row[]> => {
  const { table, columns = sql`*`, parts } = list
  const paged = pageBySeq(sql, page)
  if (!parts) return sql<Row[]>`select ${columns} from ${sql(table)} as r ${whereOf(sql, list)} and ${paged}`
  if (parts.length === 0) return Promise.resolve([])
  const found = foundIn(sql, list, parts, { keys: sql`id, seq`, paged })
  // The rows themselves are read at the end, by their ids.
  return sql<Row[]>`
    select ${columns} from ${sql(table)} as r
    where id in (select id from (${found}) found where ${paged}) ${inOrder(sql, page)}`
}

/** The ids and times of creation of all rows of a list, in any order. */
export const allOf = (sql: Sql, list: RowList): Fragment => {
  const { table, parts } = list
  const keys = sql`id, created_at`
  if (!parts) return sql`select ${keys} from ${sql(table)} ${whereOf(sql, list)}`
  if (parts.length === 0) return sql`select ${keys} from ${sql(table)} where false`
  return foundIn(sql, list, parts, { keys, paged: sql`true` })
}

const whereOf = (sql: Sql, { owner, filters = sql``, ownerFilter = ownedBy(sql, owner) }: RowList): Fragment =>
  sql`where ${ownerFilter} ${filters}`

/** These columns of the rows of the parts, without duplicates. `paged`: the end of the condition for each part. */
const foundIn = (
  sql: Sql,
  list: RowList,
  parts: readonly ListPart[],
  { keys, paged }: { readonly keys: Fragment; readonly paged: Fragment },
): Fragment => {
  const table = sql(list.table)
  const where = whereOf(sql, list)
  const inOrderOf = (part: Fragment) => sql`(select ${keys} from ${table} ${where} and ${part} and ${paged})`
  const sorted = (few: Fragment) =>
    sql`(select ${keys} from (select * from ${table} where ${few} offset 0) few ${where} and ${paged})`
  const fewOrMany = ({ candidates, few, many, walked = [sql`true`] }: FewOrMany) => {
    const areMany = sql`(select are_many from counted)`
    // In `case`, so that the planner does not look for the many by another index.
    const walks = walked.map(part =>
      inOrderOf(sql`${part} and ${areMany} and case when ${many} then true else false end`),
    )
    return sql`(
      with candidates as materialized (select id from (${candidates}) all_of_them limit ${MANY}),
        counted as materialized (select count(*) = ${MANY} as are_many from candidates)
      ${[sorted(sql`${few} and not ${areMany}`), ...walks].reduce((some, more) => sql`${some} union all ${more}`)})`
  }
  const pages = parts.map(part => {
    if ('candidates' in part) return fewOrMany(part)
    return 'few' in part ? sorted(part.few) : inOrderOf(part)
  })
  return pages.reduce((some, more) => sql`${some} union ${more}`)
}

/** So many records take as long to sort as a walk that finds one in a hundred rows. */
const MANY = 1_000

const inOrder = (sql: Sql, { order }: Page): Fragment => (order === 'asc' ? sql`order by seq` : sql`order by seq desc`)

/** Conditions that columns have these values. An undefined value adds no condition. */
export const filtersOf = (sql: Sql, wanted: Readonly<Record<string, string | undefined>>): Fragment =>
  Object.entries(wanted).reduce<Fragment>(
    (filters, [column, value]) => (value === undefined ? filters : sql`${filters} and ${sql(column)} = ${value}`),
    sql``,
  )

/** One part for each state: an index that has the state before `seq` returns each of them in order. */
export const partsByState = (sql: Sql, states: readonly string[], condition?: Fragment): readonly Fragment[] =>
  states.map(state => (condition ? sql`${condition} and state = ${state}` : sql`state = ${state}`))

export const ownedBy = (sql: Sql, { merchantId, livemode }: ListOwner): Fragment =>
  sql`merchant_id = ${merchantId} and livemode = ${livemode}`

/**
 * Rows of an owner with one common value, by an index on `list_key`. The columns of the key are compared again inside
 * `case`, because of hash collisions. With plain comparisons the planner would choose another index, or would
 * underestimate the number of rows and sort all of them.
 */
export const ownedByWithKey = (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  column: string,
  common: string,
): Fragment => sql`
  list_key(merchant_id, livemode, ${sql(column)}) = list_key(${merchantId}, ${livemode}, ${common})
  and case when merchant_id = ${merchantId} and livemode = ${livemode} and ${sql(column)} = ${common} then true else false end`
