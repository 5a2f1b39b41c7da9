import { MAX_AUTOMATIC_ATTEMPTS } from '../../machines/delivery.ts'
import type { Sql } from '../postgres/connect.ts'

/** An endpoint is disabled if it had no 2xx response for this long, … */
const NO_SUCCESS_MS = 72 * 3_600_000
/** … and at least this many deliveries have failed since its last 2xx response. */
const MIN_FAILED_DELIVERIES = 10

export type FailingEndpoint = {
  readonly id: string
  readonly enabledAt: Date
  readonly reason: 'no_success' | 'gone'
}

/**
 * Returns an enabled endpoint, with the reason, if it should be disabled: it has had no success for days
 * (`no_success`), or the last attempt of this delivery was answered 410 (`gone`). A 410 counts only after all automatic
 * attempts, not after a manual one. What happened before the endpoint was enabled does not count.
 */
export const findFailingEndpoint = async (
  sql: Sql,
  endpointId: string,
  { deliveryId, at }: { readonly deliveryId: string | undefined; readonly at: Date },
): Promise<FailingEndpoint | undefined> => {
  const [failing] = await sql<FailingEndpoint[]>`
    select id, enabled_at as "enabledAt", case when gone then 'gone' else 'no_success' end as reason
    from (
      select w.id, w.enabled_at, greatest(w.enabled_at, w.last_success_at) as since,
        exists (
          select from deliveries d
          join delivery_attempts a on a.delivery_id = d.id and a.number = d.attempts
          where d.id = ${deliveryId ?? null} and d.endpoint_id = w.id and d.state = 'failed'
            and d.automatic_attempts = ${MAX_AUTOMATIC_ATTEMPTS}
            and d.updated_at >= w.enabled_at and a.http_status = 410
        ) as gone
      from webhook_endpoints w
      where w.id = ${endpointId} and w.state = 'enabled'
    ) w
    where gone or (since < ${new Date(at.getTime() - NO_SUCCESS_MS)} and ${MIN_FAILED_DELIVERIES} = (
      select count(*) from (
        select from deliveries d
        where d.endpoint_id = w.id and d.state = 'failed' and d.updated_at >= w.since
        limit ${MIN_FAILED_DELIVERIES}) exhausted))`
  return failing
}

/** Returns false if another process was faster, or the endpoint was enabled again in the meantime. */
export const disableEndpoint = async (
  sql: Sql,
  { id, reason, enabledAt }: FailingEndpoint,
  details: object,
): Promise<boolean> => {
  const [row] = await sql<{ outcome: string }[]>`
    select disable_webhook_endpoint(${id}, ${reason}, ${enabledAt}, ${JSON.stringify(details)}::text::json) as outcome`
  return row?.outcome === 'disabled'
}
