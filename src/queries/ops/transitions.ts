import type { Sql } from '../../postgres/connect.ts'
import type { MachineName } from '../../resources.ts'
import type { TransitionRow } from '../history.ts'
import type { Fragment } from '../list-rows.ts'
import type { PageFrom } from '../page.ts'

export type FeedTransition = TransitionRow & {
  readonly actor: string
  readonly kind: MachineName
  readonly merchant_id: string | null
}

export type TransitionFilter = {
  readonly kind: MachineName | undefined
  readonly event: string | undefined
  /** The state that the transition entered. */
  readonly state: string | undefined
  /** UUIDs. */
  readonly actor: string | undefined
  readonly merchantId: string | undefined
}

/** A place in the feed. */
export type FeedPlace = { readonly era: number; readonly xid: string; readonly seq: string }

/**
 * A page of the transitions of all actors, with one row more, in the order of the feed. Transitions are left out while an
 * older transaction may still commit, so that none is missed by a reader that continues after the last one.
 */
export const listFeed = (sql: Sql, filter: TransitionFilter, page: PageFrom<FeedPlace>): Promise<FeedTransition[]> => {
  const { kind, event, state, actor, merchantId } = filter
  const { after, limit, order } = page
  const direction = order === 'asc' ? sql`` : sql`desc`
  const beyond = after
    ? sql`and (era, xid, seq) ${order === 'asc' ? sql`>` : sql`<`} (${after.era}, ${after.xid}::text::xid8, ${after.seq})`
    : sql``
  const rows = (owner: Fragment): Fragment => sql`
    (select actor, kind, merchant_id, rev, event, from_state, to_state, at, cause, context, era, xid, seq
     from transitions
     where is_settled(era, xid) ${beyond} ${owner}
       ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
       ${event === undefined ? sql`` : sql`and event = ${event}`}
       ${state === undefined ? sql`` : sql`and to_state = ${state}`}
       ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
     order by era ${direction}, xid ${direction}, seq ${direction}
     limit ${limit + 1})`
  // The index of a merchant's transitions has the mode before the place in the feed.
  const parts =
    merchantId === undefined
      ? rows(sql``)
      : sql`${rows(sql`and merchant_id = ${merchantId} and not livemode`)}
        union all ${rows(sql`and merchant_id = ${merchantId} and livemode`)}`
  return sql<FeedTransition[]>`
    select actor, kind, merchant_id, rev, event, from_state as "from", to_state as "to", at, cause, context
    from (${parts}) as found
    order by era ${direction}, xid ${direction}, seq ${direction}
    limit ${limit + 1}`
}

export const findPlace = async (sql: Sql, actor: string, rev: number): Promise<FeedPlace | undefined> => {
  const [row] = await sql<FeedPlace[]>`
    select era, xid::text as xid, seq::text as seq from transitions where actor = ${actor} and rev = ${rev}`
  return row
}
