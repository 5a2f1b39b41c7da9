import type { Delivery } from '../../machines/delivery.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { deliveryKind } from '../kinds/delivery.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { type Fragment, filtersOf, findCursorSeq, type ListOwner, ownedBy } from './list-rows.ts'
import { type Page, pageBySeq } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'
import { findDroppedSeq } from './retention.ts'

export type DeliveryAttempt = {
  readonly number: number
  readonly trigger: Delivery['trigger']
  readonly startedAt: Date
  /** Null while the attempt is in progress, and if its worker was lost. */
  readonly durationMs: number | null
  readonly outcome: string | null
  readonly httpStatus: number | null
  readonly responseSnippet: string | null
  /** The time of the signature, in Unix seconds. Null if nothing was sent, and while the attempt is in progress. */
  readonly signedS: number | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
}

export type AttemptedDelivery = { readonly delivery: Actor<Delivery>; readonly attempts: readonly DeliveryAttempt[] }

/** How many attempts are returned: the number of manual ones is not limited. */
const MAX_ATTEMPTS = 50

type AttemptRow = Omit<DeliveryAttempt, 'startedAt'> & { readonly startedAt: string }
type Row = ActorRow & { readonly tries: readonly AttemptRow[] }

const columns = (sql: Sql): Fragment => sql`
  r.*,
  (select coalesce(json_agg(a order by a.number), '[]')
   from (select number, trigger, started_at as "startedAt", duration_ms as "durationMs", outcome,
           http_status as "httpStatus", response_snippet as "responseSnippet", signed_s as "signedS",
           response_headers as "responseHeaders"
         from delivery_attempts where delivery_id = r.id order by number desc limit ${MAX_ATTEMPTS}) a) as tries`

const readDelivery = readerOf(deliveryKind)

const read = (row: Row): AttemptedDelivery => ({
  delivery: readDelivery(row),
  attempts: row.tries.map(attempt => ({ ...attempt, startedAt: new Date(attempt.startedAt) })),
})

const findRow = finderOf<Row>('deliveries', columns)

export const findDelivery = async (sql: Sql, key: RecordKey): Promise<AttemptedDelivery | undefined> => {
  const row = await findRow(sql, key)
  return row && read(row)
}

/** The delivery of an event to an endpoint. */
export const findDeliveryOf = async (
  sql: Sql,
  eventId: string,
  endpointId: string,
): Promise<AttemptedDelivery | undefined> => {
  const [row] = await sql<Row[]>`
    select ${columns(sql)} from deliveries r where event_id = ${eventId} and endpoint_id = ${endpointId}`
  return row && read(row)
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'canceled'

export type DeliveryFilter = {
  /** Undefined: all endpoints of the owner. Without an event, only those that have not been deleted. */
  readonly endpointId: string | undefined
  readonly eventId?: string | undefined
  readonly eventType?: string | undefined
  readonly status: DeliveryStatus | undefined
}

export const listDeliveries = async (
  sql: Sql,
  owner: ListOwner,
  filter: DeliveryFilter,
  page: Page,
): Promise<AttemptedDelivery[]> => {
  const found = filter.eventId === undefined ? ofEndpoints(sql, owner, filter, page) : ofEvent(sql, owner, filter)
  // One by one, which `offset` ensures: without a number for the limit, the planner expects thousands of rows, and would
  // read the whole table to join them.
  const rows = await sql<Row[]>`
    select whole.*
    from (select id, seq from (${found}) found where ${pageBySeq(sql, page)}) page
    cross join lateral (select ${columns(sql)} from deliveries as r where r.id = page.id offset 0) whole
    order by page.seq ${page.order === 'asc' ? sql`` : sql`desc`}`
  return rows.map(read)
}

/** The first deliveries of each endpoint, state and type. */
const ofEndpoints = (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  { endpointId, eventType, status }: DeliveryFilter,
  page: Page,
): Fragment => sql`
  select d.id, d.seq
  from (
    select id from webhook_endpoints
    where merchant_id = ${merchantId} and livemode = ${livemode}
      and ${endpointId === undefined ? sql`state <> 'deleted'` : sql`id = ${endpointId}`}) e (endpoint_id)
  cross join unnest(${statesFor(status)}::text[]) s (state)
  cross join lateral ${
    eventType === undefined ? sql`delivery_types(e.endpoint_id, s.state)` : sql`(select ${eventType}::text)`
  } t (event_type)
  cross join lateral (
    select id, seq from deliveries
    where endpoint_id = e.endpoint_id and state = s.state and event_type = t.event_type and ${pageBySeq(sql, page)}) d`

/** An event has few deliveries. */
const ofEvent = (
  sql: Sql,
  owner: ListOwner,
  { endpointId, eventId = '', eventType, status }: DeliveryFilter,
): Fragment => sql`
  select id, seq from deliveries
  where event_id = ${eventId} and ${ownedBy(sql, owner)} and state = any(${statesFor(status)}::text[])
    ${filtersOf(sql, { endpoint_id: endpointId, event_type: eventType })}`

const statesFor = (status: DeliveryStatus | undefined): string[] =>
  status === undefined ? Object.values(statesOf).flat() : [...statesOf[status]]

const statesOf = {
  pending: ['pending', 'sending'],
  delivered: ['delivered'],
  failed: ['failed'],
  canceled: ['canceled'],
} as const satisfies Record<DeliveryStatus, readonly string[]>

/** The `seq` of the delivery that a cursor refers to, also of one that was dropped since the client has read its page. */
export const findDeliverySeq = async (
  sql: Sql,
  owner: ListOwner,
  endpointId: string | undefined,
  id: string,
): Promise<string | undefined> =>
  (await findCursorSeq(sql, 'deliveries', owner, id, filtersOf(sql, { endpoint_id: endpointId }))) ??
  findDroppedSeq(sql, owner, id)

/** The position of a walk through deliveries. */
export type WalkedDelivery = { readonly id: string; readonly seq: string }

export type DeliveryWalk = {
  readonly endpointId: string
  readonly state: 'pending' | 'sending' | 'failed' | 'canceled'
  /** The walk ends when the endpoint is no longer enabled (true) or disabled (false). */
  readonly enabled: boolean
  readonly since?: Date
  readonly after: WalkedDelivery | undefined
  readonly limit: number
}

/** The next deliveries of an endpoint in a state, without those that are already to be canceled. */
export const nextDeliveries = (
  sql: Sql,
  { endpointId, state, enabled, since, after, limit }: DeliveryWalk,
): Promise<WalkedDelivery[]> => sql<WalkedDelivery[]>`
  select d.id, d.seq
  from delivery_types(${endpointId}, ${state}) t (event_type)
  cross join lateral (
    select id, seq
    from deliveries
    where endpoint_id = ${endpointId} and state = ${state} and event_type = t.event_type and not cancel_requested
      and exists (select from webhook_endpoints where id = ${endpointId} and (state = 'enabled') = ${enabled})
      ${since ? sql`and created_at >= ${since}` : sql``}
      ${after ? sql`and seq > ${after.seq}` : sql``}
    order by seq
    limit ${limit}) d
  order by d.seq
  limit ${limit}`

/**
 * Returns whether a delivery may be sent again. If so, a job checks the endpoint after half a minute: a delivery that
 * becomes pending at the moment its endpoint is disabled would not be canceled otherwise.
 */
export const tryAllowRedelivery = async (sql: Sql, endpointId: string): Promise<boolean> => {
  const rows = await sql`
    select from webhook_endpoints w
    cross join lateral graphile_worker.add_job(
      'cancel-deliveries', json_build_object('endpointId', w.id), run_at => now() + interval '30 s') j
    where w.id = ${endpointId} and w.state = 'enabled'`
  return rows.length > 0
}
