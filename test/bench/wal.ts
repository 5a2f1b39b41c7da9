import type { Sql } from '../../src/postgres/connect.ts'

/** What was written to a table or an index according to the write-ahead log. */
export type Logged = {
  readonly table: string
  readonly index: string | null
  /** Without full-page images. */
  readonly bytes: number
  /** Rows, or index entries. Some of an index are less: one that splits a page is not counted. */
  readonly inserts: number
  readonly updates: number
  /** Updates that wrote to no index. */
  readonly hotUpdates: number
  /** Full-page images: the first change of a page after a checkpoint writes one. */
  readonly imageBytes: number
}

export type Log = {
  readonly relations: readonly Logged[]
  /** Records of no table, such as commits. */
  readonly otherBytes: number
  /** All, without full-page images. */
  readonly bytes: number
}

/** Requires the extension pg_walinspect. */
export const logPosition = async (sql: Sql): Promise<string> => {
  const [row] = await sql<{ lsn: string }[]>`select pg_current_wal_flush_lsn()::text as lsn`
  return row?.lsn ?? ''
}

/** What was written between two positions. Read it before `vacuum full`, after which the files have other names. */
export const readLog = async (sql: Sql, from: string, to: string): Promise<Log> => {
  const relations = await sql<Logged[]>`
    with records as (
      -- A record that changes several pages counts for the first.
      select min(record_type) as type, min(record_length) as bytes, sum(coalesce(block_fpi_length, 0)) as images,
        (array_agg(pg_filenode_relation(reltablespace, relfilenode) order by block_id))[1] as relation
      from pg_get_wal_block_info(${from}::text::pg_lsn, ${to}::text::pg_lsn, false)
      where reldatabase = (select oid from pg_database where datname = current_database())
      group by start_lsn)
    select coalesce(i.indrelid, toasted.oid, r.relation)::regclass::text as table, i.indexrelid::regclass::text as index,
      sum(bytes - images)::float8 as bytes, sum(images)::float8 as "imageBytes",
      (count(*) filter (where type ~ 'INSERT'))::float8 as inserts,
      (count(*) filter (where type ~ 'UPDATE'))::float8 as updates,
      (count(*) filter (where type ~ '^HOT_UPDATE'))::float8 as "hotUpdates"
    from records r
    left join pg_index i on i.indexrelid = r.relation
    left join pg_class toasted on toasted.reltoastrelid = coalesce(i.indrelid, r.relation)
    group by 1, 2 order by 1, 2 nulls first`
  const [others] = await sql<{ bytes: number }[]>`
    select coalesce(sum(record_length), 0)::float8 as bytes
    from pg_get_wal_records_info(${from}::text::pg_lsn, ${to}::text::pg_lsn) where block_ref is null`
  const otherBytes = others?.bytes ?? 0
  return { relations, otherBytes, bytes: relations.reduce((sum, { bytes }) => sum + bytes, otherBytes) }
}
