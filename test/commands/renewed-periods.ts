import { expect } from 'bun:test'
import type { Sql } from '../../src/postgres/connect.ts'

/** Each subscription is in its fourth period, and each period was invoiced, paid and begun once, in order. */
export const expectPeriods = async (sql: Sql, subscriptions: number): Promise<void> => {
  const found = await sql`
    select s.state, s.period_index as period,
      (select string_agg(concat(i.period_index, i.state), ' ' order by i.seq) from invoices i
       where i.subscription_id = s.id) as invoices,
      (select string_agg(concat(json_of(e.object)->>'periodIndex', e.type), ' ' order by e.seq) from events e
       where e.actor = s.id and e.type in ('subscription.activated', 'subscription.renewed')) as begun,
      (select count(*)::integer from transitions t
       where t.actor = s.id and t.event like 'after.boundary.%') as boundaries
    from subscriptions s`
  expect(Array.from(found)).toEqual(
    Array.from({ length: subscriptions }, () => ({
      ...{ state: 'active', period: 3, boundaries: 3, invoices: '0paid 1paid 2paid 3paid' },
      begun: '0subscription.activated 1subscription.renewed 2subscription.renewed 3subscription.renewed',
    })),
  )
}
