import type { Invoice } from '../../machines/invoice-events.ts'
import type { Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Terms } from './checkouts.ts'
import { readInvoice } from './invoices.ts'
import type { Fragment } from './list-rows.ts'
import { readSubscription } from './subscriptions.ts'

/** A subscription for visitors of its page. */
export type VisitedSubscription = {
  readonly subscription: Actor<Subscription>
  readonly terms: Terms
  readonly planName: string | null
  /** Newest first. */
  readonly invoices: readonly Actor<Invoice>[]
  /** Another one if the subscription has changed, or one of its unpaid invoices. */
  readonly watched: number
}

type VisitedRow = ActorRow & { readonly terms: Terms; readonly plan_name: string | null; readonly watched: string }

/** The page shows so many invoices. */
const MOST_INVOICES = 24

/** By the hash of the token. */
export const findVisitedSubscription = async (
  sql: Sql,
  tokenHash: string,
): Promise<VisitedSubscription | undefined> => {
  const [row] = await sql<VisitedRow[]>`${visited(sql)} where r.token_hash = ${tokenHash}`
  return row && readVisited(sql, row)
}

/** Of subscriptions with an open stream, those that have changed. The keys begin with their ids. */
export const listChangedSubscriptions = async (
  sql: Sql,
  known: ReadonlyMap<string, number>,
): Promise<readonly (VisitedSubscription & { readonly key: string })[]> => {
  const rows = await sql<(VisitedRow & { readonly key: string })[]>`
    select found.*, known.key
    from unnest(${[...known.keys()]}::text[], ${[...known.values()]}::bigint[]) as known (key, watched)
    join (${visited(sql)}) found on found.id = split_part(known.key, ' ', 1)::uuid and found.watched <> known.watched`
  return Promise.all(rows.map(async row => ({ ...(await readVisited(sql, row)), key: row.key })))
}

/**
 * `watched`: an invoice changes without its subscription while it is paid. While the subscription stays as it is, its unpaid
 * invoices are the same ones, and the sum of their revisions only grows; there are fewer than 2^20.
 */
const visited = (sql: Sql): Fragment => sql`
  select r.*, to_jsonb(s) || jsonb_build_object('api_version', m.api_version) as terms,
    (select name from plans p where p.id = r.plan_id) as plan_name,
    r.rev::bigint * 1048576 + (
      select coalesce(sum(i.rev), 0) from jsonb_array_elements(r.unpaid) u join invoices i on i.id = (u->>'invoiceId')::uuid
    )::bigint as watched
  from subscriptions r
  join settings s on s.merchant_id = r.merchant_id and s.livemode = r.livemode
  join merchants m on m.id = r.merchant_id`

const readVisited = async (sql: Sql, row: VisitedRow): Promise<VisitedSubscription> => {
  const invoices = await sql<ActorRow[]>`
    select * from invoices where subscription_id = ${row.id} and state <> 'deleted' order by seq desc limit ${MOST_INVOICES}`
  const { terms, plan_name: planName, watched } = row
  return {
    ...{ subscription: readSubscription(row), terms, planName, watched: Number(watched) },
    invoices: invoices.map(readInvoice),
  }
}
