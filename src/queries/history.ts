import type { Sql } from '../postgres/connect.ts'
import type { MachineName } from '../resources.ts'
import type { Fragment } from './list-rows.ts'
import type { PageFrom } from './page.ts'

/** One change of an actor. */
export type TransitionRow = {
  readonly rev: number
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly at: Date
  /** What sent the command: see findCauseNames(). */
  readonly cause: string | null
  /** The fields of the context that the history shows, after the change. Null for a change that other tables record. */
  readonly context: Readonly<Record<string, unknown>> | null
}

/** A page of the history of an actor, with one row more. Each change raises `rev` by one, so the list pages by it. */
export const listTransitions = (
  sql: Sql,
  kind: MachineName,
  actor: string,
  page: PageFrom<number>,
): Promise<TransitionRow[]> => {
  if (kind === 'delivery') return listDeliveryTransitions(sql, actor, page)
  return sql<TransitionRow[]>`
    select rev, event, from_state as "from", to_state as "to", at, cause, json_of(context) as context from transitions
    where actor = ${actor} and ${byRev(sql, page)}`
}

/**
 * A delivery has no transition for its creation and for the starts of its attempts, which other tables have: see
 * `unrecorded` in src/kinds/delivery.ts. The number of an attempt is in the next transition, or in the delivery.
 */
const listDeliveryTransitions = (sql: Sql, delivery: string, page: PageFrom<number>): Promise<TransitionRow[]> =>
  sql<TransitionRow[]>`
    select revs.rev,
      coalesce(t.event, case revs.rev when 1 then 'create' else 'attempt_started' end) as event,
      coalesce(t.from_state, case when revs.rev > 1 then 'pending' end) as "from",
      coalesce(t.to_state, case revs.rev when 1 then 'pending' else 'sending' end) as "to",
      coalesce(t.at, a.started_at, d.created_at) as at,
      t.cause, json_of(t.context) as context
    from deliveries d
    cross join lateral (
      select rev from generate_series(1, d.rev) as rev where ${byRev(sql, page)}) revs
    left join transitions t on t.actor = d.id and t.rev = revs.rev
    left join delivery_attempts a on t.actor is null and revs.rev > 1 and a.delivery_id = d.id and a.number = coalesce(
      (select (json_of(later.context) ->> 'attempts')::integer from transitions later
       where later.actor = d.id and later.rev > revs.rev order by later.rev limit 1),
      d.attempts)
    where d.id = ${delivery}
    order by revs.rev ${page.order === 'asc' ? sql`` : sql`desc`}`

const byRev = (sql: Sql, { after, limit, order }: PageFrom<number>): Fragment =>
  order === 'asc'
    ? sql`rev > ${after ?? 0} order by rev limit ${limit + 1}`
    : sql`rev < ${after ?? MAX_REV} order by rev desc limit ${limit + 1}`

const MAX_REV = 2_147_483_647

/** UUIDs of API keys and accounts. */
type Causes = { readonly keys: readonly string[]; readonly accounts: readonly string[] }

/** The names of API keys and the e-mail addresses of accounts, by their UUIDs. */
export const findCauseNames = async (sql: Sql, { keys, accounts }: Causes): Promise<ReadonlyMap<string, string>> => {
  if (keys.length + accounts.length === 0) return new Map()
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from api_keys where id = any(${[...keys]}::uuid[])
    union all
    select id, email from accounts where id = any(${[...accounts]}::uuid[])`
  return new Map(rows.map(({ id, name }) => [id, name]))
}
