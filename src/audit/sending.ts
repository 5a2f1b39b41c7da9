import type { Check } from './audit.ts'

/** What is promised of attempts, as far as the database knows; what receivers saw is compared with it in the tests. */
export const auditSending: readonly Check[] = [
  {
    invariant: 'I5',
    what: 'a delivery whose attempts are not the ones that it has counted',
    breaches: sql => sql<{ id: string }[]>`
      select d.id
      from deliveries d
      left join (
        select delivery_id, count(*) as attempts, max(number) as latest,
          count(*) filter (where trigger = 'automatic') as automatic
        from delivery_attempts
        group by delivery_id
      ) a on a.delivery_id = d.id
      where (d.attempts, d.attempts, d.automatic_attempts)
        <> (coalesce(a.attempts, 0), coalesce(a.latest, 0), coalesce(a.automatic, 0))`,
  },
  {
    invariant: 'I5',
    what: 'an attempt without an end whose delivery is not being sent',
    breaches: sql => sql<{ id: string }[]>`
      select a.delivery_id as id
      from delivery_attempts a
      left join deliveries d on d.id = a.delivery_id and d.state = 'sending' and d.attempts = a.number
      where a.outcome is null and d.id is null`,
  },
  {
    invariant: 'I6',
    what: 'a delivery that was attempted more than five times by itself',
    breaches: sql => sql<{ id: string }[]>`
      select delivery_id as id from delivery_attempts where trigger = 'automatic'
      group by delivery_id having count(*) > 5`,
  },
  {
    invariant: 'I7',
    what: 'an attempt that has been under way for over a minute',
    breaches: sql => sql<{ id: string }[]>`
      select id from deliveries where sending_since < now() - interval '60 s'`,
  },
  {
    invariant: 'I7',
    what: 'an attempt under way that nobody holds',
    breaches: sql => sql<{ id: string }[]>`
      select d.id
      from deliveries d
      where d.state = 'sending' and not exists (
        select from delivery_claims c where d.id = any(c.deliveries) and c.claimed_at = d.sending_since)`,
  },
  {
    invariant: 'I7',
    what: 'a claim of deliveries that is over a minute old',
    breaches: sql => sql<{ id: string }[]>`
      select id from delivery_claims where claimed_at < now() - interval '60 s'`,
  },
]
