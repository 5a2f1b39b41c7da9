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
    what: 'a timer overdue by more than a minute',
    breaches: sql => sql`
      select actor as id from timers where due_at < now() - interval '60 s' and not planned`,
  },
]
