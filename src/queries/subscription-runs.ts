import type { Sql } from '../postgres/connect.ts'

/**
 * Records that timers of subscriptions are fired, and returns the last outage: a time in which no process did, by the clock
 * of the database.
 */
export const recordTimerRun = async (sql: Sql): Promise<{ readonly from: Date; readonly until: Date } | undefined> => {
  const [row] = await sql<{ from: Date | null; until: Date }[]>`
    with recorded as (
      insert into subscription_runs as r (only_one, last_at) values (true, now())
      on conflict (only_one) do update set
        last_at = excluded.last_at,
        outage_from = case when excluded.last_at - r.last_at > interval '10 minutes' then r.last_at else r.outage_from end,
        outage_until = case when excluded.last_at - r.last_at > interval '10 minutes' then excluded.last_at else r.outage_until end
      where excluded.last_at - r.last_at > interval '30 seconds'
      returning outage_from, outage_until
    )
    select outage_from as "from", outage_until as "until" from recorded
    union all
    select outage_from, outage_until from subscription_runs where not exists (select from recorded)`
  return row?.from ? { from: row.from, until: row.until } : undefined
}
