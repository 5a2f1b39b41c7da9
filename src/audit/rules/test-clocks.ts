import type { Check } from './check.ts'

/** A document has the test clock of its customer, and its timers do. Customers of different clocks are never merged. */
export const testClocks: Check = {
  invariant: 'I4',
  what: 'a record whose test clock is not that of its customer, or that does not exist',
  breaches: sql => sql`
    select i.id from invoices i join customers c on c.id = i.customer_id
    where i.test_clock_id is distinct from c.test_clock_id
    union all
    select n.id from credit_notes n join invoices i on i.id = n.invoice_id
    where n.test_clock_id is distinct from i.test_clock_id
    union all
    select t.actor from timers t join invoices i on i.id = t.actor
    where t.test_clock_id is distinct from i.test_clock_id
    union all
    select c.id from customers c left join test_clocks k on k.id = c.test_clock_id
    where c.test_clock_id is not null and (k.merchant_id, k.livemode) is distinct from (c.merchant_id, c.livemode)
    union all
    select m.customer_id from merged_customers m
    join customers c on c.id = m.customer_id join customers s on s.id = m.survivor_id
    where c.test_clock_id is distinct from s.test_clock_id`,
}
