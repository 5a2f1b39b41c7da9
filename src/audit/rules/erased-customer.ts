import type { Check } from './check.ts'

/**
 * Of an erased customer no personal data remains in the records and in their stored copies, except in the parties of
 * invoices and in their documents, until they have been retained for long enough. Two days later the task must have run.
 */
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
    ), invoiced as materialized (
      select i.id, i.customer_erased, i.customer, i.retained_until
      from erased e join invoices i on i.customer_id = e.id and i.state <> 'deleted'
    ), copies as (
      select v.id, json_of(v.object) as object, c.email
      from (select id, email from erased union all select id, email from paid) c join events v on v.actor = c.id
      union all
      select k.record_id, k.body::json, c.email
      from (select id, email from erased union all select id, email from paid) c
      join idempotency_keys k on k.record_id = c.id
    )
    select id from paid where customer_email <> email or customer_name is not null
    union all
    select s.id from erased e join subscriptions s on s.customer_id = e.id
    where s.payer is not null or s.trial_key is not null
    union all
    select k.customer_id from erased e join customer_emails k on k.customer_id = e.id
    union all
    select id from invoiced
    where not customer_erased or (customer is not null and retained_until < now() - interval '2 days')
    union all
    select d.invoice_id from invoice_documents d join invoices i on i.id = d.invoice_id where i.customer is null
    union all
    select k.record_id from invoiced i join idempotency_keys k on k.record_id = i.id
    where k.body::json->>'customer' is not null
    union all
    select id from copies
    where coalesce(object->>'email', object->>'customerEmail') <> email
      or coalesce(object->>'name', object->>'customerName', object->>'company', object->>'taxId', object->>'address') is not null`,
}
