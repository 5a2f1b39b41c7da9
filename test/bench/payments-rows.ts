import type { Sql } from '../../src/postgres/connect.ts'

/** What was written to a table according to the write-ahead log, in bytes of the log without full-page images. */
export type Written = {
  readonly table: string
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
  /** Row locks and other records of the table itself. */
  readonly other: number
  readonly rowBytes: number
  readonly indexEntries: number
  readonly indexBytes: number
}

/** Positions in the log between which records can be read. Undefined where the server lacks the extension. */
export const openLog = async (sql: Sql): Promise<{ position(): Promise<string> } | undefined> => {
  const [available] = await sql`select from pg_available_extensions where name = 'pg_walinspect'`
  if (!available) return undefined
  await sql`create extension if not exists pg_walinspect`
  return {
    position: async () => {
      const [row] = await sql<{ lsn: string }[]>`select pg_current_wal_flush_lsn()::text as lsn`
      return row?.lsn ?? ''
    },
  }
}

export const writtenBetween = async (sql: Sql, from: string, to: string): Promise<readonly Written[]> => sql<Written[]>`
  with records as (
    select resource_manager as manager, record_type as type,
      (record_length - coalesce(block_fpi_length, 0))::integer as bytes,
      pg_filenode_relation(reltablespace, relfilenode) as relation
    from pg_get_wal_block_info(${from}::text::pg_lsn, ${to}::text::pg_lsn, false)
    where block_id = 0 and relforknumber = 0
      and reldatabase = (select oid from pg_database where datname = current_database())),
  named as (
    select coalesce(i.indrelid, r.relation)::regclass::text as table, i.indexrelid is not null as of_index, r.*
    from records r join pg_class c on c.oid = r.relation left join pg_index i on i.indexrelid = c.oid
    -- A sequence writes a record for every 32 values only.
    where c.relkind <> 'S' and c.oid >= 16384)
  select "table",
    count(*) filter (where not of_index and type ~ '^(MULTI_)?INSERT')::integer as inserted,
    count(*) filter (where not of_index and type ~ '^(HOT_)?UPDATE')::integer as updated,
    count(*) filter (where not of_index and type ~ '^DELETE')::integer as deleted,
    count(*) filter (where not of_index and type !~ '^((MULTI_)?INSERT|(HOT_)?UPDATE|DELETE)')::integer as other,
    coalesce(sum(bytes) filter (where not of_index), 0)::integer as "rowBytes",
    count(*) filter (where of_index and type ~ '^(INSERT|SPLIT)')::integer as "indexEntries",
    coalesce(sum(bytes) filter (where of_index), 0)::integer as "indexBytes"
  from named group by 1 order by sum(bytes) desc`

/** The transitions of a payment: its own, those that it caused on its link, and those of its deliveries. */
export type PaidTransition = {
  readonly kind: string
  readonly rev: number
  readonly event: string
  readonly keyed: boolean
  readonly from: string | null
  readonly to: string
  readonly cause: string | null
  readonly context: string
  readonly xid: string
  /** Of the row. */
  readonly bytes: number
}

export type PaidEvent = { readonly type: string; readonly object: string; readonly xid: string; readonly bytes: number }

/** What one payment has written to history and events, in the order of its commits. */
export type PaidHistory = { readonly transitions: readonly PaidTransition[]; readonly events: readonly PaidEvent[] }

export const readHistory = async (sql: Sql): Promise<PaidHistory> => {
  // The latest payment, which shares its commits with no other.
  const payment = sql`(select id from payments order by created_at desc limit 1)`
  const events = await sql<PaidEvent[]>`
    select type, object, xid::text, pg_column_size(e.*) as bytes from events e
    where actor = ${payment} order by e.xid, seq`
  const transitions = await sql<PaidTransition[]>`
    select kind, rev, event, keyed, from_state as "from", to_state as "to", cause, context, xid::text,
      pg_column_size(t.*) as bytes
    from transitions t
    where actor = ${payment}
      or (actor = (select payment_link_id from payments where id = ${payment})
        and xid in (select xid from transitions where actor = ${payment}))
      or actor in (select id from deliveries where event_id in (select id from events where actor = ${payment}))
    order by t.xid, seq`
  return { transitions, events }
}

/** The average bytes of a row as stored in its table. */
export const rowBytesOf = async (sql: Sql, table: string): Promise<number | undefined> => {
  const [row] = await sql<{ bytes: number | null }[]>`
    select avg(pg_column_size(t.*))::float8 as bytes from ${sql(table)} t`
  return row?.bytes ?? undefined
}
