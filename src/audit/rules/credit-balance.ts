import type { Check } from './check.ts'

/** The balances of the credit ledger equal their entries and are never negative, nor were they after any entry. */
export const creditBalance: Check = {
  invariant: 'I4',
  what: 'a customer whose credit balance differs from its entries or is negative',
  breaches: sql => sql`
    with entries as (
      select customer_id, currency, balance_minor,
        sum(amount_minor) over (partition by customer_id, currency order by seq) as expected,
        lead(seq) over (partition by customer_id, currency order by seq) is null as is_last
      from credit_entries
    )
    select distinct coalesce(e.customer_id, b.customer_id) as id
    from (select * from entries where is_last or balance_minor <> expected or expected < 0) e
    full join credit_balances b on b.customer_id = e.customer_id and b.currency = e.currency
    where coalesce(e.balance_minor, 0) <> coalesce(e.expected, 0) or coalesce(e.expected, 0) < 0
      or coalesce(b.balance_minor, 0) < 0
      or (coalesce(e.is_last, true) and coalesce(b.balance_minor, 0) <> coalesce(e.expected, 0))`,
}
