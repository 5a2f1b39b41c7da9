import type { Sql } from '../../postgres/connect.ts'
import type { HeldBack, RetainedPart } from '../retention.ts'

export type DatabaseReading = {
  readonly version: string
  readonly sizeBytes: number
  /** Of all databases of the server, which share the limit. */
  readonly connections: number
  readonly maxConnections: number
  /** Those that have been open for long, the oldest first. */
  readonly transactions: readonly OpenTransaction[]
  /** In the order in which they are dropped. */
  readonly retention: readonly RetentionReading[]
}

/** How far old records were dropped. */
export type RetentionReading = {
  readonly part: RetainedPart
  /** Attempts whose response was dropped, deliveries, or transitions. */
  readonly dropped: number
  /** When nothing older was left. Null: not yet, or everything is kept. */
  readonly completedAt: string | null
  /** How long ago. */
  readonly ageSeconds: number | null
  readonly heldBack: HeldBack | null
}

/** Another user's transaction is seen only with the rights of `pg_read_all_stats`. */
export type OpenTransaction = {
  readonly pid: number
  readonly ageMs: number
  /** As in pg_stat_activity: `active`, `idle in transaction`, … */
  readonly state: string
  readonly isWriting: boolean
}

const LONG_MS = 30_000
const MOST_TRANSACTIONS = 20

/** The size of the database, and what is used of its server. `longMs`: transactions that are younger are left out. */
export const readDatabase = async (sql: Sql, longMs = LONG_MS): Promise<DatabaseReading> => {
  const [row] = await sql<DatabaseReading[]>`
    select current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as "sizeBytes",
      (select coalesce(sum(numbackends), 0)::integer from pg_stat_database) as connections,
      current_setting('max_connections')::integer as "maxConnections",
      (select coalesce(json_agg(t), '[]') from (
        select pid, round(extract(epoch from now() - xact_start) * 1000)::float8 as "ageMs", state,
          backend_xid is not null as "isWriting"
        from pg_stat_activity
        where backend_type = 'client backend' and xact_start < now() - ${longMs} * interval '1 ms' and state is not null
        order by xact_start
        limit ${MOST_TRANSACTIONS}) t) as transactions,
      (select json_agg(json_build_object('part', part, 'dropped', dropped, 'completedAt', completed_at,
        'ageSeconds', extract(epoch from now() - completed_at)::float8, 'heldBack', held) order by part)
       from retention_progress) as retention`
  if (!row) throw new Error('cannot read the database: it returned no row')
  return row
}
