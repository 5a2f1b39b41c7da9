import { openObjectWriter } from '../actors/json-layouts.ts'
import { rowsLiteral, type Value } from '../actors/literals.ts'
import type { ActorRow } from '../actors/rows.ts'
import { deliveryKind } from '../kinds/delivery.ts'
import type { Sql } from '../postgres/connect.ts'
import { onlyRow } from '../postgres/errors.ts'

/** A claimed delivery, with the content of its request. */
export type Claimed = {
  readonly id: string
  readonly rev: number
  readonly createdAt: Date
  /** Since when it was due. */
  readonly dueAt: Date
  /** The number of this attempt. */
  readonly attempts: number
  readonly automaticAttempts: number
  readonly trigger: 'automatic' | 'manual'
  readonly resumeAt: Date | null
  readonly deliveredAt: Date | null
  readonly merchantId: string
  readonly livemode: boolean
  readonly endpointId: string
  /** Changes whenever the endpoint is changed. */
  readonly endpointVersion: string
  readonly eventId: string
  readonly eventType: string
  /** Unix seconds. */
  readonly eventCreated: string
  readonly apiVersion: string
  /** JSON, rendered when the event occurred. */
  readonly object: string
}

/** The outcome of an attempt, as `delivery_outcome` in sql/008-webhooks.sql, and the context for the history. */
export type Recorded = {
  readonly id: string
  readonly entry: readonly Value[]
  readonly context: Readonly<Record<string, unknown>>
}

export type Records = {
  readonly command: string
  readonly recorded: readonly Recorded[]
  readonly jobs: readonly { readonly task: string; readonly payload: object; readonly key?: string }[]
  /** Endpoints that have answered with a 2xx. */
  readonly answered: readonly string[]
  /** Claims whose deliveries are all recorded. */
  readonly finished: readonly string[]
  /** Deliveries that are locked by another transaction. Their attempts are recorded, and they are returned as moved. */
  readonly skipped?: readonly string[]
}

export type DeliveryClaim = {
  readonly id: string
  readonly worker: string
  readonly at: Date
  readonly endpoints: readonly { readonly endpointId: string; readonly want: number; readonly lowMs: number }[]
}

export type StepAnswer = {
  /** Deliveries whose `rev` has changed since they were claimed. */
  readonly moved: readonly string[]
  readonly claimed: readonly Claimed[]
}

/** Records outcomes of attempts and claims the next deliveries, in one statement and therefore one commit. */
export const takeStep = async (sql: Sql, records: Records, claim: DeliveryClaim): Promise<StepAnswer> => {
  const endpoints = rowsLiteral(claim.endpoints.map(({ endpointId, want, lowMs }) => [endpointId, want, lowMs]))
  const rows = await sql<ClaimedRow[]>`
    with recorded as materialized (select ${recording(sql, records)} as moved)
    select recorded.moved, ${columns(sql)}
    from recorded
    left join lateral claim_deliveries(
      ${claim.id}, ${claim.worker}, ${claim.at}, ${deliveryKind.version}, ${endpoints}::text::delivery_asking[]) c on true`
  return { moved: onlyRow(rows).moved ?? [], claimed: rows.filter(isClaimed) }
}

/** Records outcomes without claiming. Returns the deliveries whose `rev` has changed. */
export const recordAttempts = async (sql: Sql, records: Records): Promise<readonly string[]> => {
  return onlyRow(await sql<{ moved: string[] | null }[]>`select ${recording(sql, records)} as moved`).moved ?? []
}

/** The deliveries of a claim whose answer was lost. */
export const findClaimed = async (sql: Sql, claim: string): Promise<readonly Claimed[]> =>
  (await sql<ClaimedRow[]>`select ${columns(sql)} from reclaim_deliveries(${claim}) c`).filter(isClaimed)

type ClaimedRow = { readonly moved?: string[] | null } & (Claimed | { readonly id: null })

const isClaimed = (row: ClaimedRow): row is Claimed => row.id !== null

const columns = (sql: Sql) => sql`
  c.id, c.rev, c.created_at as "createdAt", c.due_at as "dueAt", c.attempts, c.automatic_attempts as "automaticAttempts", c.trigger,
  c.resume_at as "resumeAt", c.delivered_at as "deliveredAt", c.merchant_id as "merchantId", c.livemode,
  c.endpoint_id as "endpointId", c.endpoint_version as "endpointVersion", c.event_id as "eventId",
  c.event_type as "eventType", c.event_created as "eventCreated", c.api_version as "apiVersion", c.object`

const recording = (sql: Sql, { command, recorded, jobs, answered, finished, skipped = [] }: Records) => {
  const sorted = recorded.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const writer = openObjectWriter()
  const contexts = writer.linesOf(sorted.map(({ context }) => context))
  return sql`record_attempts(${command},
    ${rowsLiteral(sorted.map(({ entry }) => entry))}::text::delivery_outcome[],
    ${rowsLiteral(writer.layouts())}::text::json_layouts[], ${contexts}::text,
    ${jobs.length === 0 ? null : JSON.stringify(jobs)}::text::json,
    ${idsOrNull(answered)}::text::uuid[], ${idsOrNull(finished)}::text::uuid[], ${idsOrNull(skipped)}::text::uuid[])`
}

const idsOrNull = (ids: readonly string[]) => (ids.length === 0 ? null : `{${ids.join(',')}}`)

export type DueEndpoint = { readonly endpointId: string; readonly dueAt: Date }

/** Endpoints with deliveries that become due in this period, with the first due time of each; and the database time. */
export const findDueBetween = async (sql: Sql, after: Date, until: Date) => {
  const rows = await sql<({ now: Date } & (DueEndpoint | { endpointId: null }))[]>`
    select statement_timestamp() as now, due.endpoint_id as "endpointId", due.due_at as "dueAt"
    from (select) as one_row left join find_due_between(${after}, ${until}) due on true`
  return { now: rows[0]?.now, endpoints: rows.filter(row => row.endpointId !== null) }
}

/** All endpoints with due deliveries. */
export const findDueEndpoints = (sql: Sql, at: Date): Promise<DueEndpoint[]> => sql<DueEndpoint[]>`
  select endpoint_id as "endpointId", due_at as "dueAt" from find_due_endpoints(${at})`

/** Deliveries that were claimed before this time and whose attempt was not recorded. */
export const findLostDeliveries = (sql: Sql, before: Date, max: number): Promise<ActorRow[]> => sql<ActorRow[]>`
  select * from find_lost_deliveries(${before}, ${max})`

/** Returns those of the deliveries that are locked by another transaction. Does not wait for locks. */
export const findLockedDeliveries = async (sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await sql<
    { id: string }[]
  >`select id from find_locked_deliveries(${`{${ids.join(',')}}`}::text::uuid[]) id`
  return new Set(rows.map(({ id }) => id))
}

/** The recorded outcome of a delivery's latest attempt. */
export type Ended = {
  readonly id: string
  readonly outcome: string
  readonly durationMs: number | null
  readonly httpStatus: number | null
  readonly responseSnippet: string | null
}

/** The recorded outcomes of the latest attempts, for deliveries to which they were not applied. */
export const findEnded = (sql: Sql, ids: readonly string[]): Promise<Ended[]> => sql<Ended[]>`
  select d.id, a.outcome, a.duration_ms as "durationMs", a.http_status as "httpStatus",
    a.response_snippet as "responseSnippet"
  from deliveries d join delivery_attempts a on a.delivery_id = d.id and a.number = d.attempts
  where d.id = any(${`{${ids.join(',')}}`}::text::uuid[]) and a.finished_at is not null`

/** The database time. */
export const findTime = async (sql: Sql): Promise<Date | undefined> => {
  const [row] = await sql<{ now: Date }[]>`select statement_timestamp() as now`
  return row?.now
}

/** Deletes claims from before this time without open deliveries. */
export const endClaims = async (sql: Sql, before: Date): Promise<void> => {
  await sql`select end_claims(${before})`
}

/** The URL and the encrypted secrets of an endpoint. */
export type SendingEndpoint = {
  readonly id: string
  readonly version: string
  readonly url: string
  readonly isInbox: boolean
  readonly sealedSecret: string
  readonly previousSealedSecret: string | null
  readonly previousUntil: Date | null
}

/** Without endpoints that have been disabled since the claim: nothing is sent to them. */
export const findSendingEndpoints = (sql: Sql, ids: readonly string[]): Promise<SendingEndpoint[]> => sql<
  SendingEndpoint[]
>`
  select id, updated_at::text as version, url, inbox_token is not null as "isInbox", sealed_secret as "sealedSecret",
    previous_sealed_secret as "previousSealedSecret", previous_until as "previousUntil"
  from webhook_endpoints where id = any(${`{${ids.join(',')}}`}::text::uuid[]) and state = 'enabled'`
