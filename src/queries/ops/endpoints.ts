import type { Sql } from '../../postgres/connect.ts'

/** An endpoint with deliveries to send, or one that the server has disabled. */
export type WaitingEndpoint = {
  readonly id: string
  readonly merchant_id: string
  readonly livemode: boolean
  readonly url: string
  readonly state: 'enabled' | 'disabled'
  readonly disabled_reason: 'by_merchant' | 'no_success' | 'gone' | null
  /** Could be sent now and are not. */
  readonly due: number
  readonly oldestAgeMs: number
  /** Will be sent later. */
  readonly scheduled: number
  /** Of both, those with a failed attempt. */
  readonly retrying: number
  /** The event of the oldest of those. */
  readonly retrying_since: Date | null
  readonly last_success_at: Date | null
  /** The last attempt of that delivery. */
  readonly outcome: string | null
  readonly http_status: number | null
}

/** Counts stop here: exact larger numbers are not needed. */
const MAX_COUNTED = 10_000

/** Endpoints that the server has disabled first, then those whose deliveries fail, then the longest waiting. */
export const listWaitingEndpoints = (sql: Sql, limit: number): Promise<WaitingEndpoint[]> => sql<WaitingEndpoint[]>`
  with pending as (
    select id, endpoint_id, next_attempt_at, attempts, created_at
    from deliveries where state = 'pending' order by next_attempt_at limit ${MAX_COUNTED}),
  waiting as (
    select endpoint_id,
      count(*) filter (where next_attempt_at <= now())::integer as due,
      count(*) filter (where next_attempt_at > now())::integer as scheduled,
      count(*) filter (where attempts > 0)::integer as retrying,
      min(created_at) filter (where attempts > 0) as retrying_since,
      min(next_attempt_at) as next_attempt_at,
      (array_agg(id order by created_at) filter (where attempts > 0))[1] as oldest
    from pending group by endpoint_id)
  select w.id, w.merchant_id, w.livemode, w.url, w.state, w.disabled_reason, w.last_success_at,
    coalesce(p.due, 0) as due, coalesce(p.scheduled, 0) as scheduled, coalesce(p.retrying, 0) as retrying,
    round(coalesce(greatest(extract(epoch from now() - p.next_attempt_at), 0), 0) * 1000)::float8 as "oldestAgeMs",
    p.retrying_since, a.outcome, a.http_status
  from webhook_endpoints w
  left join waiting p on p.endpoint_id = w.id
  left join lateral (
    select outcome, http_status from delivery_attempts
    where delivery_id = p.oldest and outcome is not null order by number desc limit 1) a on true
  where w.state <> 'deleted' and (p.endpoint_id is not null or w.disabled_reason in ('no_success', 'gone'))
  order by coalesce(w.disabled_reason in ('no_success', 'gone'), false) desc, p.retrying desc nulls last,
    p.next_attempt_at, w.id
  limit ${limit}`
