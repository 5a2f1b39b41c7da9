import type { Check } from './check.ts'

export const paymentLink: Check = {
  invariant: 'I9',
  what: 'a payment with another merchant, mode or amount than its link',
  breaches: sql => sql`
    select p.id
    from payments p join payment_links l on l.id = p.payment_link_id
    where (p.merchant_id, p.livemode, p.currency) <> (l.merchant_id, l.livemode, l.currency)
      -- A payment of an invoice is for what is due when it is opened.
      or (p.amount_minor <> l.amount_minor and not l.hidden)`,
}
