import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import type { Sql } from '../postgres/connect.ts'
import type { PageFrom } from './page.ts'

/** The tables whose rows have a place in the order of commits, each with an index that a merchant's list pages by. */
export type PlacedTable =
  | 'payments'
  | 'refunds'
  | 'payment_links'
  | 'disputes'
  | 'events'
  | 'webhook_endpoints'
  | 'deliveries'

/** Whose records are listed: lists are of one mode. */
export type Whose = { readonly merchantId: string; readonly livemode: boolean }

/** Where in the order of commits a row stands, and whether everything before it is known. */
export type Place = { readonly era: number; readonly xid: string; readonly seq: string; readonly settled: boolean }

export type PlacedPage = PageFrom<Place>

export type PlacedList = {
  readonly table: PlacedTable
  readonly whose: Whose
  readonly page: PlacedPage
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

/** The place of the row that a cursor names, when it is one of the list. */
export const findPlace = async (
  sql: Sql,
  table: PlacedTable,
  { merchantId, livemode }: Whose,
  id: string,
  filters: Fragment = sql``,
): Promise<Place | undefined> => {
  const [row] = await sql<Place[]>`
    select era, xid, seq, (era, xid) < (${horizon(sql)}) as settled
    from ${sql(table)}
    where id = ${id} and merchant_id = ${merchantId} and livemode = ${livemode} ${filters}`
  return row
}

/**
 * A page of a list, and one row more. Rows appear once no older transaction can still commit, so that
 * whoever goes on from any of them with order=asc skips nothing. Who lists has often just made one, and
 * waits a moment for it.
 */
export const listPlaced = async <Row extends object>(sql: Sql, list: PlacedList): Promise<Row[]> => {
  const { after, order } = list.page
  const within = order === 'asc' ? isAfter(sql, after) : isBefore(sql, after)
  // What comes before a settled row is settled.
  if (order === 'desc' && after?.settled) return select<Row>(sql, list, within)

  const looked = await select<Row & Pick<Place, 'xid' | 'settled'>>(sql, withPlaces(sql, list), within)
  const youngest = order === 'asc' ? looked.at(-1) : looked[0]
  if (!youngest || youngest.settled) return looked
  await untilSettled(sql, youngest.xid)
  return select<Row>(sql, list, sql`${within} and (era, xid) < (${horizon(sql)})`)
}

/** A list's filters: columns and what stands in them, undefined where it may be anything. */
export const narrowed = (sql: Sql, wanted: Readonly<Record<string, string | undefined>>): Fragment =>
  Object.entries(wanted).reduce<Fragment>(
    (filters, [column, value]) => (value === undefined ? filters : sql`${filters} and ${sql(column)} = ${value}`),
    sql``,
  )

const select = <Row extends object>(sql: Sql, list: PlacedList, condition: Fragment): Promise<Row[]> => {
  const { table, whose, page, columns = sql`*`, filters = sql``, theirs = areTheirs(sql, whose), parts } = list
  const direction = page.order === 'asc' ? sql`` : sql`desc`
  const firsts = sql`
    order by era ${direction}, xid ${direction}, seq ${direction}
    limit ${page.limit + 1}`
  const where = sql`where ${theirs} and ${condition} ${filters}`
  if (!parts) return sql<Row[]>`select ${columns} from ${sql(table)} as r ${where} ${firsts}`
  const all = parts
    .map(part => sql`(select * from ${sql(table)} ${where} and ${part} ${firsts})`)
    .reduce((some, more) => sql`${some} union all ${more}`)
  return sql<Row[]>`select ${columns} from (${all}) as r ${firsts}`
}

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

const withPlaces = (sql: Sql, list: PlacedList): PlacedList => ({
  ...list,
  columns: sql`${list.columns ?? sql`*`}, xid, (era, xid) < (${horizon(sql)}) as settled`,
})

/**
 * The first place that is not settled: is_settled() of sql/001-actors.sql as a pair, which an index
 * can begin at, where the function would be asked about every row.
 */
const horizon = (sql: Sql) => sql`(select max(era) from eras), pg_snapshot_xmin(pg_current_snapshot())`

const isAfter = (sql: Sql, after: Place | undefined) =>
  after ? sql`(era, xid, seq) > (${after.era}, ${after.xid}::text::xid8, ${after.seq})` : sql`true`
const isBefore = (sql: Sql, before: Place | undefined) =>
  before ? sql`(era, xid, seq) < (${before.era}, ${before.xid}::text::xid8, ${before.seq})` : sql`true`

const PATIENCE_MS = 100
const LOOK_MS = 5

/** A commit takes a millisecond or two. Whoever holds the horizon for longer is not waited for. */
const untilSettled = async (sql: Sql, xid: string): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    await sleep(LOOK_MS)
    const [look] = await sql<{ settled: boolean }[]>`
      select ${xid}::text::xid8 < pg_snapshot_xmin(pg_current_snapshot()) as settled`
    if (look?.settled) return
  }
}
