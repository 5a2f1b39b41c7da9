import type { Delivery } from '../../machines/delivery.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { deliveryKind } from '../kinds/delivery.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { finderOf, type RecordName } from './named.ts'
import type { Page } from './page.ts'
import { type Fragment, findPlace, listPlaced, type Whose } from './places.ts'

export type DeliveryAttempt = {
  readonly number: number
  readonly trigger: Delivery['trigger']
  readonly startedAt: Date
  /** Null while the attempt is in progress, and if its worker was lost. */
  readonly durationMs: number | null
  readonly outcome: string | null
  readonly httpStatus: number | null
  readonly responseSnippet: string | null
}

export type AttemptedDelivery = { readonly delivery: Actor<Delivery>; readonly attempts: readonly DeliveryAttempt[] }

/** A delivery can be sent again by hand as often as somebody likes. */
const MOST_ATTEMPTS = 50

type AttemptRow = Omit<DeliveryAttempt, 'startedAt'> & { readonly startedAt: string }
type Row = ActorRow & { readonly tries: readonly AttemptRow[] }

const columns = (sql: Sql): Fragment => sql`
  r.*,
  (select coalesce(json_agg(a order by a.number), '[]')
   from (select number, trigger, started_at as "startedAt", duration_ms as "durationMs", outcome,
           http_status as "httpStatus", response_snippet as "responseSnippet"
         from delivery_attempts where delivery_id = r.id order by number desc limit ${MOST_ATTEMPTS}) a) as tries`

const readDelivery = readerOf(deliveryKind)

const read = (row: Row): AttemptedDelivery => ({
  delivery: readDelivery(row),
  attempts: row.tries.map(attempt => ({ ...attempt, startedAt: new Date(attempt.startedAt) })),
})

const findRow = finderOf<Row>('deliveries', columns)

export const findDelivery = async (sql: Sql, name: RecordName): Promise<AttemptedDelivery | undefined> => {
  const row = await findRow(sql, name)
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

/** Of one endpoint, in one state as the outside knows them or in any. */
export const listDeliveries = async (
  sql: Sql,
  whose: Whose,
  { endpointId, status }: { readonly endpointId: string; readonly status: DeliveryStatus | undefined },
  page: Page,
): Promise<AttemptedDelivery[]> => {
  const states = status === undefined ? Object.values(statesOf).flat() : statesOf[status]
  const parts = states.map(state => sql`endpoint_id = ${endpointId} and state = ${state}`)
  const rows = await listPlaced<Row>(sql, { table: 'deliveries', whose, page, columns: columns(sql), parts })
  return rows.map(read)
}

const statesOf = {
  pending: ['pending', 'sending'],
  delivered: ['delivered'],
  failed: ['failed'],
  canceled: ['canceled'],
} as const satisfies Record<DeliveryStatus, readonly string[]>

export const findDeliveryPlace = (
  sql: Sql,
  whose: Whose,
  endpointId: string,
  id: string,
): Promise<string | undefined> => findPlace(sql, 'deliveries', whose, id, sql`and endpoint_id = ${endpointId}`)

/** Where a walk through deliveries has come to. */
export type Walked = { readonly id: string; readonly seq: string }

export type DeliveryWalk = {
  readonly endpointId: string
  readonly state: 'pending' | 'sending' | 'failed' | 'canceled'
  /** The walk ends where the endpoint is not, or is not any more, what it is made for. */
  readonly enabled: boolean
  readonly since?: Date
  readonly after: Walked | undefined
  readonly limit: number
}

/** The next deliveries of an endpoint that are in a state, and not to be canceled already. */
export const nextDeliveries = (
  sql: Sql,
  { endpointId, state, enabled, since, after, limit }: DeliveryWalk,
): Promise<Walked[]> => sql<Walked[]>`
  select id, seq
  from deliveries
  where endpoint_id = ${endpointId} and state = ${state} and not cancel_requested
    and exists (select from webhook_endpoints where id = ${endpointId} and (state = 'enabled') = ${enabled})
    ${since ? sql`and created_at >= ${since}` : sql``}
    ${after ? sql`and seq > ${after.seq}` : sql``}
  order by seq
  limit ${limit}`

/**
 * Whether a delivery may be sent again. When it may, its endpoint is looked at once more in half a minute: what is
 * made pending in the moment in which the endpoint is disabled, nobody else would cancel.
 */
export const admitRedelivery = async (sql: Sql, endpointId: string): Promise<boolean> => {
  const rows = await sql`
    select from webhook_endpoints w
    cross join lateral graphile_worker.add_job(
      'cancel-deliveries', json_build_object('endpointId', w.id), run_at => now() + interval '30 s') j
    where w.id = ${endpointId} and w.state = 'enabled'`
  return rows.length > 0
}
