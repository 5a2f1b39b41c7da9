import { MOST_AUTOMATIC_ATTEMPTS } from '../../machines/delivery.ts'
import type { Sql } from '../postgres/connect.ts'

/** Without a 2xx for so long, and with so many deliveries given up since the last one, an endpoint is disabled. */
const SILENT_MS = 72 * 3_600_000
const MOST_EXHAUSTED = 10

export type Judged = {
  readonly id: string
  readonly enabledAt: Date
  readonly reason: 'no_success' | 'gone'
}

/**
 * Why an enabled endpoint is to be disabled, if it is: nothing has reached it for days, or it said with the last
 * attempt of this delivery that it is gone: of one whose automatic attempts are used up, since a single one that
 * somebody asked for by hand shows nothing. What was before it was enabled counts for nothing.
 */
export const judgeEndpoint = async (
  sql: Sql,
  endpointId: string,
  { deliveryId, at }: { readonly deliveryId: string | undefined; readonly at: Date },
): Promise<Judged | undefined> => {
  const [judged] = await sql<Judged[]>`
    select id, enabled_at as "enabledAt", case when gone then 'gone' else 'no_success' end as reason
    from (
      select w.id, w.enabled_at, greatest(w.enabled_at, w.last_success_at) as since,
        exists (
          select from deliveries d
          join delivery_attempts a on a.delivery_id = d.id and a.number = d.attempts
          where d.id = ${deliveryId ?? null} and d.endpoint_id = w.id and d.state = 'failed'
            and d.automatic_attempts = ${MOST_AUTOMATIC_ATTEMPTS}
            and d.updated_at >= w.enabled_at and a.http_status = 410
        ) as gone
      from webhook_endpoints w
      where w.id = ${endpointId} and w.state = 'enabled'
    ) w
    where gone or (since < ${new Date(at.getTime() - SILENT_MS)} and ${MOST_EXHAUSTED} = (
      select count(*) from (
        select from deliveries d
        where d.endpoint_id = w.id and d.state = 'failed' and d.updated_at >= w.since
        limit ${MOST_EXHAUSTED}) exhausted))`
  return judged
}

/** False when somebody was faster, or has enabled it anew since. */
export const disableEndpoint = async (
  sql: Sql,
  { id, reason, enabledAt }: Judged,
  details: object,
): Promise<boolean> => {
  const [row] = await sql<{ outcome: string }[]>`
    select disable_webhook_endpoint(${id}, ${reason}, ${enabledAt}, ${JSON.stringify(details)}::text::json) as outcome`
  return row?.outcome === 'disabled'
}
