import type { Sql } from '../postgres/connect.ts'
import { onlyRow } from '../postgres/errors.ts'
import { allOf, type RowList } from './list-rows.ts'
import type { AccountActor } from './security-events.ts'

/** Exports that a merchant can run at a time, in all processes together. */
const SLOTS = [1, 2] as const

const slotOf = (sql: Sql, merchantId: string, slot: number) =>
  sql`hashtextextended(${`export ${slot} ${merchantId}`}::text, 0)`

/**
 * Takes one of the merchant's slots until the transaction of the snapshot ends, however it ends. False: all are taken.
 */
export const takeExportSlot = async (snapshot: Sql, merchantId: string): Promise<boolean> => {
  const [first, second] = SLOTS.map(slot => slotOf(snapshot, merchantId, slot))
  // In `case`, which stops at the first slot that is free.
  const [row] = await snapshot<{ taken: boolean }[]>`
    select case
      when pg_try_advisory_xact_lock(${first ?? snapshot``}) then true
      else pg_try_advisory_xact_lock(${second ?? snapshot``})
    end as taken`
  return row?.taken === true
}

/** Whether a slot is free now. Takes none, not even for a moment: an export could be refused because of it. */
export const hasExportSlot = async (sql: Sql, merchantId: string): Promise<boolean> => {
  const slots = SLOTS.map(slot => slotOf(sql, merchantId, slot)).reduce((some, more) => sql`${some}, ${more}`)
  const [row] = await sql<{ taken: number }[]>`
    select count(*)::integer as taken from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint in (${slots})`
  return (row?.taken ?? 0) < SLOTS.length
}

/** `from` is inclusive and `to` exclusive. */
export type ExportRange = { readonly from: Date; readonly to: Date }

/**
 * The rows of a list by time of creation, as responses show it, and ID. Returns a function that reads the next rows, none after
 * the last one.
 *
 * One cursor sorts the IDs alone, and looks up the row of each when it is fetched. Because of `offset` the planner cannot join
 * first and sort whole rows. A statement that reads a page by its IDs would start its plan, with its subqueries, for each page.
 */
export const openExportRows = async <Row extends { readonly id: string }>(
  snapshot: Sql,
  list: RowList,
  { from, to, count }: ExportRange & { readonly count: number },
): Promise<() => Promise<readonly Row[]>> => {
  const filters = snapshot`${list.filters ?? snapshot``} and created_at >= ${from} and created_at < ${to}`
  const { table, columns = snapshot`r.*` } = list
  await snapshot`
    declare exported no scroll cursor for
    select ${columns} from (
      select id, date_trunc('milliseconds', created_at) as shown_at
      from (${allOf(snapshot, { ...list, filters })}) found
      order by shown_at, id) sorted
    cross join lateral (select * from ${snapshot(table)} as stored where stored.id = sorted.id offset 0) r
    order by sorted.shown_at, sorted.id`
  return () => snapshot.unsafe<Row[]>(`fetch ${count} from exported`, [], { prepare: true })
}

/** What is exported. `query`: the parameters, as they were sent. */
export type ExportRequest<Kind extends string = string, Format extends string = string> = {
  readonly kind: Kind
  readonly format: Format
  readonly query: Readonly<Record<string, string | string[]>>
}

export type ExportTicket = {
  readonly hash: Uint8Array
  readonly merchantId: string
  readonly sessionId: string
  readonly request: ExportRequest
}

/** Stores a ticket for one download. Returns the time at which it expires. */
export const insertExportTicket = async (
  sql: Sql,
  { hash, merchantId, sessionId, request }: ExportTicket,
): Promise<Date> => {
  const rows = await sql<{ expires_at: Date }[]>`
    insert into export_tickets (hash, merchant_id, session_id, request)
    values (${hash}, ${merchantId}, ${sessionId}, ${JSON.stringify(request)}::text::json)
    returning expires_at`
  return onlyRow(rows).expires_at
}

export const deleteExpiredTickets = async (sql: Sql): Promise<void> => {
  await sql`delete from export_tickets where expires_at < now()`
}

export type ExportHolder = {
  readonly merchantId: string
  readonly accountId: string
  readonly request: ExportRequest
}

/**
 * The request of a ticket, which is not used up. Undefined if it has expired, its session has ended, or its account may not
 * export any more.
 */
export const findExportTicket = async (sql: Sql, hash: Uint8Array): Promise<ExportHolder | undefined> => {
  const [row] = await sql<ExportHolder[]>`
    select t.merchant_id as "merchantId", s.account_id as "accountId", t.request
    from export_tickets t
    join sessions s on s.id = t.session_id and s.ended_at is null
    join members m on m.account_id = s.account_id and m.merchant_id = t.merchant_id and m.role in ('owner', 'developer')
    where t.hash = ${hash} and t.expires_at > now()`
  return row
}

/**
 * Adds an entry to the audit log, and uses up the ticket in the same commit. False: the ticket is used already, or has expired.
 * The entry is without the values of filters: a search text can be an e-mail address, which erasing must remove.
 */
export const recordExport = async (
  sql: Sql,
  { accountId, actor, address }: AccountActor,
  { merchantId, ...details }: { readonly merchantId: string } & Readonly<Record<string, unknown>>,
  ticket?: Uint8Array,
): Promise<boolean> => {
  const recorded = sql`record_security_event(
    ${merchantId}, ${accountId}, ${actor}, ${address}, 'export.created', ${JSON.stringify(details)}::text::json)`
  const entries = await (ticket === undefined
    ? sql`select ${recorded}`
    : sql`
      with taken as (delete from export_tickets where hash = ${ticket} and expires_at > now() returning hash)
      select ${recorded} from taken`)
  return entries.length > 0
}
