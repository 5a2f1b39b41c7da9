import type { Check } from './check.ts'

export const refundPayment: Check = {
  invariant: 'I4',
  what: 'a refund with another merchant, mode or currency than its payment, or without a payment',
  breaches: sql => sql`
    select r.id
    from refunds r left join payments p on p.id = r.payment_id
    where (r.merchant_id, r.livemode, r.currency) is distinct from (p.merchant_id, p.livemode, p.currency)`,
}
