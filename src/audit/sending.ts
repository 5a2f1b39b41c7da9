import { type Check, isIn, type PartCheck } from './rules/check.ts'

/** Invariants of attempts in the database. Tests compare them with the requests that receivers got. */
export const auditAttempts: readonly PartCheck[] = [
  {
    invariant: 'I5',
    what: 'a delivery whose counters differ from its attempts',
    breaches: (sql, part) => sql`
      select d.id
      from deliveries d
      left join (
        select delivery_id, count(*) as attempts, max(number) as latest,
          count(*) filter (where trigger = 'automatic') as automatic
        from delivery_attempts
        where ${isIn(sql, part, sql`delivery_id`)}
        group by delivery_id
      ) a on a.delivery_id = d.id
      where ${isIn(sql, part, sql`d.id`)} and (d.attempts, d.attempts, d.automatic_attempts)
        <> (coalesce(a.attempts, 0), coalesce(a.latest, 0), coalesce(a.automatic, 0))`,
  },
  {
    invariant: 'I5',
    what: 'an open attempt of a delivery that is not being sent',
    breaches: (sql, part) => sql`
      select a.delivery_id as id
      from delivery_attempts a
      left join deliveries d on d.id = a.delivery_id and d.state = 'sending' and d.attempts = a.number
      where ${isIn(sql, part, sql`a.delivery_id`)} and a.outcome is null and d.id is null`,
  },
  // The result of an attempt in progress may not be in its delivery yet.
  {
    invariant: 'I5',
    what: 'a delivery that is delivered without a successful attempt, or the reverse',
    breaches: (sql, part) => sql`
      select d.id
      from deliveries d
      where ${isIn(sql, part, sql`d.id`)} and d.state <> 'sending' and (d.delivered_at is not null) <> exists (
        select from delivery_attempts a where a.delivery_id = d.id and a.outcome = 'delivered')`,
  },
  {
    invariant: 'I5',
    what: 'a failed delivery with automatic attempts left that no result has ended',
    breaches: (sql, part) => sql`
      select d.id
      from deliveries d
      where ${isIn(sql, part, sql`d.id`)} and d.state = 'failed' and d.automatic_attempts < 5 and not exists (
        select from delivery_attempts a
        where a.delivery_id = d.id and (a.outcome in ('redirect', 'forbidden_address', 'body_too_large')
          -- A manual attempt after it was canceled plans no further attempts.
          or (a.number = d.attempts and a.trigger = 'manual')))`,
  },
  {
    invariant: 'I6',
    what: 'a delivery with more than five automatic attempts',
    breaches: (sql, part) => sql`
      select delivery_id as id from delivery_attempts where ${isIn(sql, part, sql`delivery_id`)} and trigger = 'automatic'
      group by delivery_id having count(*) > 5`,
  },
]

export const auditSending: readonly Check[] = [
  ...auditAttempts,
  {
    invariant: 'I7',
    what: 'an attempt in progress for more than a minute',
    breaches: sql => sql`
      select id from deliveries where sending_since < now() - interval '60 s'`,
  },
  {
    invariant: 'I7',
    what: 'an attempt in progress that no worker has claimed',
    breaches: sql => sql`
      select d.id
      from deliveries d
      where d.state = 'sending' and not exists (
        select from delivery_claims c where d.id = any(c.deliveries) and c.claimed_at = d.sending_since)`,
  },
  {
    invariant: 'I7',
    what: 'an open delivery to an endpoint that is not enabled, without a job that cancels it',
    breaches: sql => sql`
      select d.id
      from deliveries d join webhook_endpoints w on w.id = d.endpoint_id
      where w.state <> 'enabled' and d.state in ('pending', 'sending') and not d.cancel_requested and not exists (
        select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier in ('cancel-deliveries', 'recover-deliveries')
          and j.payload ->> 'endpointId' = w.id::text and j.attempts < j.max_attempts)`,
  },
  {
    invariant: 'I7',
    what: 'a delivery overdue by more than a minute while workers are running',
    breaches: sql => sql`
      select d.id
      from deliveries d join webhook_endpoints w on w.id = d.endpoint_id and w.state = 'enabled'
      where d.state = 'pending' and d.next_attempt_at < now() - interval '60 s' and exists (
        select from workers where beat_at > now() - interval '60 s' and started_at < now() - interval '60 s')`,
  },
  {
    invariant: 'I7',
    what: 'a claim of deliveries that is more than a minute old',
    breaches: sql => sql`
      select id from delivery_claims where claimed_at < now() - interval '60 s'`,
  },
]
