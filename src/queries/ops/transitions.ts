import type { Sql } from '../../postgres/connect.ts'
import type { MachineName } from '../../resources.ts'
import type { ChangePosition } from '../changes.ts'
import type { TransitionRow } from '../history.ts'
import { type Fragment, type ListOwner, ownedBy } from '../list-rows.ts'
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

/** What is compared with a filter. */
type Filtered = {
  readonly kind: string
  readonly event: string
  readonly to: string
  readonly actor: string
  readonly merchantId: string | null
}

/** `undefined`: everything. */
type Wanted = { readonly [Name in keyof TransitionFilter]?: string | undefined }

export const isWanted = (filter: Wanted, row: Filtered): boolean =>
  agrees(filter.kind, row.kind) &&
  agrees(filter.event, row.event) &&
  agrees(filter.state, row.to) &&
  agrees(filter.actor, row.actor) &&
  agrees(filter.merchantId, row.merchantId)

const agrees = (wanted: string | undefined, value: string | null): boolean => wanted === undefined || wanted === value

/** A transition of the feed with its position, without the context. */
export type StreamedRow = Omit<TransitionRow, 'context'> &
  ChangePosition & { readonly actor: string; readonly kind: MachineName; readonly merchantId: string | null }

/** All transitions after a position, in the order of the feed: see readFeed(). What is not settled is not looked at. */
export const readTransitions = (
  sql: Sql,
  { era, xid, seq }: ChangePosition,
  limit: number,
): Promise<StreamedRow[]> => sql<StreamedRow[]>`
  select t.actor, t.kind, t.merchant_id as "merchantId", t.rev, t.event, t.from_state as "from", t.to_state as "to", t.at,
    t.cause, t.era, t.xid::text as xid, t.seq
  from transitions t
  where (t.era, t.xid, t.seq) > (${era}, ${xid}::text::xid8, ${seq})
    and (t.era, t.xid) < ((select max(era) from eras), pg_snapshot_xmin(pg_current_snapshot()))
  order by t.era, t.xid, t.seq
  limit ${limit}`

/** A place in the feed. */
export type FeedPlace = ChangePosition

export type FeedScan = {
  /** With one row more. */
  readonly rows: readonly FeedTransition[]
  /** The last transition that was looked at, if there may be more of the filter after it. */
  readonly lookedUpTo: { readonly kind: MachineName; readonly actor: string; readonly rev: number } | undefined
}

/**
 * The filters of event and state have no index of their own: it would be written for each transition, and no index serves all
 * combinations. So a page looks at this many transitions at most, and the next page goes on after them. It takes about as
 * long as a hundred commits.
 */
export const MOST_LOOKED_AT = 20_000
const FEW_LOOKED_AT = 500

/**
 * A page of the transitions of all actors in the order of the feed. Transitions are left out while an older transaction may
 * still commit, so that none is missed by a reader that continues after the last one.
 */
export const listFeed = async (
  sql: Sql,
  filter: TransitionFilter,
  page: PageFrom<FeedPlace>,
  mostLookedAt = MOST_LOOKED_AT,
): Promise<FeedScan> => {
  const { limit } = page
  const scan = scanOf(sql, filter, page)
  const look = async (most: number): Promise<FeedScan> => {
    const rows = await sql<FeedTransition[]>`
      select actor, kind, merchant_id, rev, event, from_state as "from", to_state as "to", at, cause, json_of(context) as context
      from (${scan.rows(most)}) t
      where true ${matches(sql, filter)}
      ${scan.order} limit ${limit + 1}`
    if (scan.isIndexed || rows.length > limit) return { rows, lookedUpTo: undefined }
    const [last] = await sql<NonNullable<FeedScan['lookedUpTo']>[]>`
      select kind, actor, rev from (${scan.rows(most)}) t ${scan.order} offset ${most - 1} limit 1`
    return { rows, lookedUpTo: last }
  }
  // All transitions of a merchant that are looked at are sorted: most pages are found among few.
  const few = filter.merchantId === undefined ? mostLookedAt : Math.min(FEW_LOOKED_AT, mostLookedAt)
  const found = await look(few)
  return found.lookedUpTo && few < mostLookedAt ? look(mostLookedAt) : found
}

/**
 * The transitions that a page looks at. An actor has few, and the transitions into a state of a machine have an index, so
 * these are all looked at.
 */
const scanOf = (sql: Sql, { kind, event, state, actor, merchantId }: TransitionFilter, page: PageFrom<FeedPlace>) => {
  const direction = page.order === 'asc' ? sql`` : sql`desc`
  const inFeed = sql`t.era ${direction}, t.xid ${direction}, t.seq ${direction}`
  const inOrder = sql`order by ${inFeed}`
  const isOfState = kind !== undefined && state !== undefined && event === undefined && merchantId === undefined
  const isIndexed = actor !== undefined || isOfState
  const rows = (most: number): Fragment => {
    if (isIndexed)
      return sql`
        (select * from transitions t
         where ${betweenBounds(sql, page)} ${matches(sql, { kind, event, state, actor, merchantId })})`
    if (merchantId === undefined)
      return sql`(select * from transitions t where ${betweenBounds(sql, page)} ${inOrder} limit ${most})`
    // The index of a merchant's transitions has the key before the place in the feed. With an equal key instead of bounds, the
    // planner may walk the index of the whole feed in the hope of finding the merchant's early.
    const ofMode = (livemode: boolean) => sql`
      (select * from transitions t where ${betweenBounds(sql, page, { merchantId, livemode })}
       order by list_key(t.merchant_id, t.livemode, '') ${direction}, ${inFeed} limit ${most})`
    return sql`select * from (${ofMode(false)} union all ${ofMode(true)}) t ${inOrder} limit ${most}`
  }
  return { rows, order: inOrder, isIndexed }
}

/**
 * What is settled and beyond the start of the page. An index is read from the first of several bounds at its end: the other one
 * is compared inside `case`, or a page in the middle would read all newer transitions first.
 */
const betweenBounds = (sql: Sql, { after, order }: PageFrom<FeedPlace>, owner?: ListOwner): Fragment => {
  const keyOf = (merchant: Fragment, mode: Fragment) => sql`list_key(${merchant}, ${mode}, '')`
  const ofRow = keyOf(sql`t.merchant_id`, sql`t.livemode`)
  const wanted = owner ? keyOf(sql`${owner.merchantId}`, sql`${owner.livemode}`) : sql`null`
  const [columns, values] = owner ? [sql`${ofRow},`, sql`${wanted},`] : [sql``, sql``]
  const isOwned = owner ? sql`and case when ${ownedBy(sql, owner)} then true else false end` : sql``
  const first = owner ? sql`and ${ofRow} >= ${wanted}` : sql``
  const settled = sql`
    (${columns} t.era, t.xid) < (${values} (select max(era) from eras), pg_snapshot_xmin(pg_current_snapshot()))`
  if (!after) return sql`${settled} ${first} ${isOwned}`
  const place = sql`(${values} ${after.era}, ${after.xid}::text::xid8, ${after.seq})`
  return order === 'asc'
    ? sql`${settled} and (${columns} t.era, t.xid, t.seq) > ${place} ${isOwned}`
    : sql`case when ${settled} then true else false end and (${columns} t.era, t.xid, t.seq) < ${place} ${first} ${isOwned}`
}

const matches = (sql: Sql, { kind, event, state, actor, merchantId }: TransitionFilter): Fragment => sql`
  ${kind === undefined ? sql`` : sql`and t.kind = ${kind}`}
  ${event === undefined ? sql`` : sql`and t.event = ${event}`}
  ${state === undefined ? sql`` : sql`and t.to_state = ${state}`}
  ${actor === undefined ? sql`` : sql`and t.actor = ${actor}`}
  ${merchantId === undefined ? sql`` : sql`and t.merchant_id = ${merchantId}`}`

/** Also of a transition that was dropped less than a day ago. */
export const findPlace = async (sql: Sql, actor: string, rev: number): Promise<FeedPlace | undefined> => {
  const placeIn = async (table: 'transitions' | 'dropped_places') => {
    const [row] = await sql<FeedPlace[]>`
      select era, xid::text as xid, seq::text as seq from ${sql(table)} where actor = ${actor} and rev = ${rev}`
    return row
  }
  return (await placeIn('transitions')) ?? placeIn('dropped_places')
}
