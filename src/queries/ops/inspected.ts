import { type Actor, type Kind, snakeCase } from '../../actors/kind.ts'
import { type ActorRow, rowCodec } from '../../actors/rows.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { ChangePosition } from '../changes.ts'

/** What an inspector is shown. Undefined: everything. */
export type InspectorFilter = {
  readonly kind?: string | undefined
  readonly actor?: string | undefined
  readonly merchantId?: string | undefined
}

/** A row of history as the inspector needs it. */
export type InspectedTransition = ChangePosition & {
  readonly actor: string
  readonly kind: string
  readonly merchantId: string | null
  readonly rev: number
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly cause: string | null
  readonly context: Readonly<Record<string, unknown>>
  readonly at: Date
  readonly createdAt: Date
}

/** The transitions after a position, in the order of the feed: see readFeed(). */
export const readInspected = (
  sql: Sql,
  { era, xid, seq }: ChangePosition,
  limit: number,
): Promise<InspectedTransition[]> => sql<InspectedTransition[]>`
  select t.actor, t.kind, t.merchant_id as "merchantId", t.rev, t.event, t.from_state as "from", t.to_state as "to", t.cause,
    json_of(t.context) as context, t.at, t.actor_created_at as "createdAt", t.era, t.xid::text as xid, t.seq
  from transitions t
  where (t.era, t.xid, t.seq) > (${era}, ${xid}::text::xid8, ${seq})
    and (t.era, t.xid) < ((select max(era) from eras), pg_snapshot_xmin(pg_current_snapshot()))
  -- Not by the column of the result, which is a text.
  order by t.era, t.xid, t.seq
  limit ${limit}`

/** An actor as it is now, with the fields that its history shows. */
export type InspectedActor = Omit<Actor, 'context'> & { readonly context: Readonly<Record<string, unknown>> }

export type NewestActor = { readonly kind: string; readonly id: string }

/** The newest actors, the newest first. IDs begin with the time of the creation. */
export const findNewestActors = async (
  sql: Sql,
  kinds: readonly Kind[],
  { kind, actor, merchantId }: InspectorFilter,
  limit: number,
): Promise<readonly NewestActor[]> => {
  const wanted = kinds.filter(({ name }) => kind === undefined || name === kind)
  const found = await Promise.all(
    wanted.map(async ({ name, table }) => {
      const ids = idsIn(sql, { table, actor, merchantId, limit })
      const rows = await sql<{ id: string }[]>`select id from (${ids}) as i order by id desc limit ${limit}`
      return rows.map(({ id }) => ({ kind: name, id }))
    }),
  )
  return found
    .flat()
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit)
}

type WantedIds = Pick<InspectorFilter, 'actor' | 'merchantId'> & { readonly table: string; readonly limit: number }

/** Each follows an index: that of the IDs, or that of a list, which begins with the merchant or with an endpoint. */
const idsIn = (sql: Sql, { table, actor, merchantId, limit }: WantedIds) => {
  const ofMerchant = merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`
  if (actor !== undefined) return sql`select id from ${sql(table)} where id = ${actor} ${ofMerchant}`
  if (merchantId === undefined) return sql`select id from ${sql(table)} order by id desc limit ${limit}`
  if (table === 'deliveries')
    return sql`
      select d.id from webhook_endpoints e
      cross join lateral (select id from deliveries where endpoint_id = e.id order by seq desc limit ${limit}) d
      where e.merchant_id = ${merchantId}`
  const ofMode = (livemode: boolean) => sql`
    (select id from ${sql(table)} where livemode = ${livemode} ${ofMerchant} order by seq desc limit ${limit})`
  return sql`${ofMode(true)} union all ${ofMode(false)}`
}

/** Reads actors of these kinds as they are now, in the order of the IDs. Actors that do not exist are left out. */
export const openActorReader = (kinds: readonly Kind[]) => {
  const codecs = new Map(
    kinds.map(kind => [kind.name, { kind, codec: rowCodec(kind, Object.keys(kind.columns).map(snakeCase)) }]),
  )
  return async (sql: Sql, found: readonly NewestActor[]): Promise<readonly InspectedActor[]> => {
    const read = await Promise.all(
      [...Map.groupBy(found, ({ kind }) => kind)].map(async ([name, actors]) => {
        const known = codecs.get(name)
        if (!known) return []
        const { kind, codec } = known
        const ids = actors.map(({ id }) => id)
        const rows = await sql<ActorRow[]>`select * from ${sql(kind.table)} where id = any(${ids}::uuid[])`
        return rows.map(row => {
          const actor = codec.decode(row)
          return { ...actor, context: codec.show(actor) }
        })
      }),
    )
    const byId = new Map(read.flat().map(actor => [actor.id, actor]))
    return found.flatMap(({ id }) => byId.get(id) ?? [])
  }
}
