import type { Sql } from '../postgres/connect.ts'

/** One change of one actor, a row of history. */
export type Transition = {
  readonly cursor: string
  readonly actor: string
  readonly kind: string
  readonly rev: number
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly cause: string | null
  readonly context: Record<string, unknown>
  readonly at: Date
}

/**
 * Reads every transition once, in an order that never changes. A page starts after the cursor of the last entry of the
 * previous page. Rows become visible when no older transaction can still commit, so an open write transaction anywhere
 * in the cluster delays the feed: see feedLagMs().
 */
export const readFeed = async (sql: Sql, after: string | null, limit: number): Promise<Transition[]> => {
  const { era, xid, seq } = parseCursor(after)
  const rows = await sql<(Omit<Transition, 'cursor'> & { era: number; xid: string; seq: string })[]>`
    select actor, kind, rev, event, from_state as from, to_state as to, cause, json_of(context) as context, at, era, xid, seq
    from transitions
    where (era, xid, seq) > (${era}, ${xid}::text::xid8, ${seq}) and is_settled(era, xid)
    order by era, xid, seq
    limit ${limit}`
  return rows.map(({ era, xid, seq, ...transition }) => ({ ...transition, cursor: `${era}.${xid}.${seq}` }))
}

/**
 * How long the oldest open write transaction of the cluster has delayed the feed. Most database users cannot see when
 * another user's transaction began, and a prepared transaction has no session. Their age is estimated from the oldest
 * entry that waits for them.
 */
export const feedLagMs = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ ms: number }[]>`
    select greatest(extract(epoch from now() - least(
      (select min(xact_start) from pg_stat_activity where backend_xid is not null),
      (select at from transitions
       where (era, xid) >= ((select max(era) from eras), pg_snapshot_xmin(pg_current_snapshot()))
       order by era, xid, seq limit 1))) * 1000, 0)::float8 as ms`
  return row?.ms ?? 0
}

const cursorPattern = /^(\d{1,9})\.(\d{1,19})\.(\d{1,18})$/

const parseCursor = (cursor: string | null): { era: number; xid: string; seq: string } => {
  if (cursor === null) return { era: 0, xid: '0', seq: '0' }
  const [, era, xid, seq] = cursorPattern.exec(cursor) ?? []
  if (!era || !xid || !seq) throw new Error(`cannot read the feed: ${JSON.stringify(cursor)} is not a cursor`)
  return { era: Number(era), xid, seq }
}
