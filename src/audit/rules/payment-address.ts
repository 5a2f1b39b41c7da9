import type { Check } from './check.ts'

export const paymentAddress: Check = {
  invariant: 'I4',
  what: 'a payment with an address that was not issued for it',
  breaches: sql => sql`
    select p.id
    from payments p
    where p.address is not null
      -- Only a customer picks an asset.
      and exists (
        select from transitions h where h.actor = p.id and h.event = 'asset_picked' and split_part(h.cause, ' ', 1) = 'customer')
      and not exists (
        select from deposit_addresses d
        where d.payment_id = p.id and d.address = lower(p.address) and d.merchant_id = p.merchant_id)`,
}
