import type { Check } from './check.ts'

/** The totals of customers, with the transitions that are not added yet, agree with payments and refunds. */
export const customerTotals: Check = {
  invariant: 'I4',
  what: 'a customer whose totals differ from its payments and refunds',
  breaches: sql => sql`
    with paid as (
      select p.customer_id, p.currency, count(*) as payments, sum(p.amount_minor) as volume, 0::numeric as refunded
      from payments p where p.state = 'success' and p.customer_id is not null group by 1, 2
      union all
      select p.customer_id, r.currency, 0, 0, sum(r.amount_minor)
      from refunds r join payments p on p.id = r.payment_id
      where r.state = 'processed' and p.customer_id is not null group by 1, 2
    ), expected as (
      select customer_id, currency, sum(payments) as payments, sum(volume) as volume, sum(refunded) as refunded
      from paid group by 1, 2
    )
    select distinct coalesce(e.customer_id, c.customer_id) as id
    from expected e
    full join count_customer_totals() c on c.customer_id = e.customer_id and c.currency = e.currency
    where (coalesce(e.payments, 0), coalesce(e.volume, 0), coalesce(e.refunded, 0))
      is distinct from (coalesce(c.payments_count, 0), coalesce(c.volume_minor, 0), coalesce(c.refunded_minor, 0))`,
}
