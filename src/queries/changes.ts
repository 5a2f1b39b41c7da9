import type { Sql } from '../postgres/connect.ts'
import type { Fragment, ListOwner } from './list-rows.ts'
import type { Role } from './members.ts'

/** A position in the changes of a merchant: of the last row that was read, as in the feed. */
export type ChangePosition = { readonly era: number; readonly xid: string; readonly seq: string }

/** One change of an actor, and the deliveries that were created by its event. */
export type ChangeRow = ChangePosition & {
  readonly kind: string
  readonly actor: string
  readonly to: string
  /** The type of the last public event of the actor in this commit, up to this change. */
  readonly event: string | null
  readonly deliveries: readonly string[] | null
}

/** Written like ownedByWithKey(), for the expression of the index of the transitions `t`. */
export const areOfMerchant = (sql: Sql, merchantId: Fragment, livemode: Fragment): Fragment => sql`
  list_key(t.merchant_id, t.livemode, '') = list_key(${merchantId}, ${livemode}, '')
  and case when t.merchant_id = ${merchantId} and t.livemode = ${livemode} then true else false end`

export type ChangesAfter = { readonly owner: ListOwner; readonly after: ChangePosition }

/**
 * The changes of merchants after positions, at most `limit` for each, in the order of the feed: see readFeed(). The starts
 * of attempts are not among them, because the API has no status for it.
 */
export const readChanges = async (
  sql: Sql,
  places: readonly ChangesAfter[],
  limit: number,
): Promise<readonly (readonly ChangeRow[])[]> => {
  const wanted = places.map(({ owner: { merchantId, livemode }, after }, n) => ({ n, merchantId, livemode, ...after }))
  const rows = await sql<(ChangeRow & { n: number })[]>`
    select n, t.era, t.xid::text as xid, t.seq, t.kind, t.actor, t.to_state as "to", e.type as event, e.deliveries
    from json_to_recordset(${JSON.stringify(wanted)}::text::json)
      as wanted (n integer, "merchantId" uuid, livemode boolean, era integer, xid text, seq bigint)
    cross join lateral (
      select t.era, t.xid, t.seq, t.kind, t.actor, t.rev, t.to_state from transitions t
      where ${areOfMerchant(sql, sql`wanted."merchantId"`, sql`wanted.livemode`)}
        and (t.era, t.xid, t.seq) > (wanted.era, wanted.xid::xid8, wanted.seq) and is_settled(t.era, t.xid)
      order by t.era, t.xid, t.seq
      limit ${limit}) t
    -- A delivery has no transition for its creation, which is in the commit of its event.
    left join lateral (
      select (array_agg(e.type order by e.rev desc))[1] as type, array_agg(d.id) filter (where d.id is not null) as deliveries
      from events e left join deliveries d on d.event_id = e.id and e.rev = t.rev
      where e.actor = t.actor and e.era = t.era and e.xid = t.xid and e.rev <= t.rev) e on true
    order by n, t.era, t.xid, t.seq`
  const found: ChangeRow[][] = places.map(() => [])
  for (const { n, ...row } of rows) found[n]?.push(row)
  return found
}

/** The position of now: everything that is committed from now on comes after it. The first commit of all begins an era. */
export const findChangesEnd = async (sql: Sql): Promise<ChangePosition> => {
  const [row] = await sql<[{ era: number; xid: string }]>`
    select coalesce((select max(era) from eras), 0) as era, pg_snapshot_xmin(pg_current_snapshot())::text as xid`
  return { ...row, seq: '0' }
}

/** A position before which changes were dropped. Everything after it is there; undefined if nothing was dropped. */
export const findChangesBegin = async (sql: Sql): Promise<ChangePosition | undefined> =>
  (
    await sql<ChangePosition[]>`
      select era, xid::text as xid, seq from retention_progress
      where part <> 'attempt_bodies' and dropped > 0
      order by retention_progress.era desc, retention_progress.xid desc, retention_progress.seq desc
      limit 1`
  )[0]

/** The session and the merchant of a reader. */
export type ReaderOf = {
  readonly sessionId: string
  readonly accountId: string
  readonly merchantId: string
  /** The role with which it was opened. */
  readonly role: Role
}

/** Whether each of these sessions is active, and its account has the same role in the merchant as before. Not cached. */
export const areStillMembers = async (sql: Sql, readers: readonly ReaderOf[]): Promise<readonly boolean[]> => {
  const wanted = readers.map((reader, n) => ({ n, ...reader }))
  const rows = await sql<{ n: number }[]>`
    select n
    from json_to_recordset(${JSON.stringify(wanted)}::text::json)
      as wanted (n integer, "sessionId" uuid, "accountId" uuid, "merchantId" uuid, role text)
    join sessions s on s.id = wanted."sessionId" and s.ended_at is null
    join members m on m.merchant_id = wanted."merchantId" and m.account_id = wanted."accountId" and m.role = wanted.role`
  const still = new Set(rows.map(({ n }) => n))
  return readers.map((_, n) => still.has(n))
}
