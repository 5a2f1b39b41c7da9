import type { Sql } from '../../postgres/connect.ts'

export type QueueRow = {
  readonly task: string
  /** Could be run now and is not. */
  readonly ready: number
  /** Will be run later. */
  readonly delayed: number
  /** Has used up its attempts. */
  readonly failed: number
  /** How long the oldest that is ready has waited. */
  readonly oldestAgeMs: number
}

/** Counts stop here: exact larger numbers are not needed. */
const MAX_COUNTED = 10_000

/**
 * The queues of graphile-worker, one for each task, and those that are tables of their own: timers, webhook deliveries,
 * and payments to which changes of their chain have to be applied. A task without jobs is listed with zeros.
 */
export const readQueues = async (sql: Sql): Promise<readonly QueueRow[]> => sql<QueueRow[]>`
  ${jobs(sql)}
  union all ${timers(sql, 'timers', sql`not planned and test_clock_id is null`)}
  union all ${timers(sql, 'planned-timers', sql`planned and test_clock_id is null`)}
  union all ${deliveries(sql)}
  union all ${unsettled(sql)}
  order by task`

const ageMs = (sql: Sql, since: ReturnType<Sql>) =>
  sql`round(coalesce(greatest(extract(epoch from now() - ${since}), 0), 0) * 1000)::float8`

const jobs = (sql: Sql) => sql`
  select t.identifier as task,
    count(j.id) filter (where j.is_available and j.locked_at is null and j.run_at <= now())::integer as ready,
    count(j.id) filter (where j.is_available and j.locked_at is null and j.run_at > now())::integer as delayed,
    count(j.id) filter (where j.attempts >= j.max_attempts and j.locked_at is null)::integer as failed,
    ${ageMs(sql, sql`min(j.run_at) filter (where j.is_available and j.locked_at is null and j.run_at <= now())`)}
      as "oldestAgeMs"
  from graphile_worker._private_tasks t left join graphile_worker._private_jobs j on j.task_id = t.id
  group by t.identifier`

const timers = (sql: Sql, task: string, which: ReturnType<Sql>) => sql`
  select ${task}::text, (${counted(sql, sql`timers where due_at <= now() and ${which}`)}),
    (${counted(sql, sql`timers where due_at > now() and ${which}`)}),
    0, ${ageMs(sql, sql`(select min(due_at) from timers where due_at <= now() and ${which})`)}`

const deliveries = (sql: Sql) => sql`
  select 'deliveries',
    (${counted(sql, sql`deliveries where state = 'pending' and next_attempt_at <= now()`)}),
    (${counted(sql, sql`deliveries where state = 'pending' and next_attempt_at > now()`)}),
    0, ${ageMs(sql, sql`(select min(next_attempt_at) from deliveries where state = 'pending')`)}`

const unsettled = (sql: Sql) => sql`
  select 'unsettled-payments', (${counted(sql, sql`unsettled_payments where reported_rev is null`)}), 0, 0, 0`

const counted = (sql: Sql, rows: ReturnType<Sql>) =>
  sql`select count(*)::integer from (select from ${rows} limit ${MAX_COUNTED}) as c`
