import type { Check } from './check.ts'

export const paymentTransfer: Check = {
  invariant: 'I4',
  what: 'a payment with a transaction that is not one of its transfers',
  breaches: sql => sql`
    select p.id
    from payments p
    where p.tx_hash is not null and p.amount_received > 0
      and exists (select from deposit_addresses d where d.payment_id = p.id)
      and not exists (
        select from unsettled_payments u where u.payment_id = p.id and u.reported_rev is distinct from p.rev)
      and not exists (
        select from transfers t
        where t.payment_id = p.id and t.chain_id = p.chain_id and t.tx_hash = p.tx_hash and t.state <> 'orphaned')`,
}
