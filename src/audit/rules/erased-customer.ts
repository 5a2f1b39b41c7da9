import type { Check } from './check.ts'

/** Of an erased customer no personal data remains in the records and in their stored copies. */
export const erasedCustomer: Check = {
  invariant: 'I9',
  what: 'personal data of an erased customer',
  breaches: sql => sql`
    with erased as materialized (
      select c.id, c.email
      from customers c
      left join merged_customers m on m.customer_id = c.id
      join customers survivor on survivor.id = coalesce(m.survivor_id, c.id)
      where survivor.state = 'erased'
    ), paid as materialized (
      select p.id, p.customer_email, p.customer_name, e.email from erased e join payments p on p.customer_id = e.id
    ), copies as (
      select v.id, v.object, c.email
      from (select id, email from erased union all select id, email from paid) c join events v on v.actor = c.id
      union all
      select k.record_id, k.body::json, c.email
      from (select id, email from erased union all select id, email from paid) c
      join idempotency_keys k on k.record_id = c.id
    )
    select id from paid where customer_email <> email or customer_name is not null
    union all
    select k.customer_id from erased e join customer_emails k on k.customer_id = e.id
    union all
    select id from copies
    where coalesce(object->>'email', object->>'customerEmail') <> email
      or coalesce(object->>'name', object->>'customerName', object->>'company', object->>'taxId', object->>'address') is not null`,
}
