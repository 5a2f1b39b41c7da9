import type { Check } from './rules/check.ts'

/** I7: nothing is claimed or locked for longer than 60 s once the system has been healthy for 60 s. */
export const auditJobsAndTimers: Check[] = [
  {
    invariant: 'I7',
    what: 'a job locked for more than a minute by a worker that is not alive',
    breaches: sql => sql`
      select j.id::text
      from graphile_worker._private_jobs j
      where j.locked_at < now() - interval '60 s'
        and not exists (select from workers w where w.id = j.locked_by and w.beat_at > now() - interval '60 s')`,
  },
  {
    invariant: 'I7',
    what: 'a timer that is due by its test clock, which has not moved for more than a minute',
    breaches: sql => sql`
      select t.actor as id from timers t join test_clocks c on c.id = t.test_clock_id
      where t.due_at <= c.now and c.state <> 'deleted' and c.updated_at < now() - interval '60 s'
        -- It may have been armed just now, with a time that was over.
        and not exists (
          select from transitions h
          where h.actor = t.actor and h.rev = t.generation and h.at > now() - interval '60 s')
        -- The beginning of a period and the end of a grace wait for money that is processing, however long its chain takes.
        and not (t.planned and exists (
          select from invoices i
          where i.subscription_id = t.actor and i.state in ('open', 'uncollectible') and i.amount_processing_minor > 0))`,
  },
  {
    invariant: 'I7',
    what: 'a timer overdue by more than a minute',
    breaches: sql => sql`
      select actor as id from timers
      where due_at < now() - interval '60 s' and not planned and test_clock_id is null`,
  },
]
