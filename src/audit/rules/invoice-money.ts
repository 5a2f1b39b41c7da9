import type { Check } from './check.ts'

/**
 * What each payment of an invoice counts, computed from its transfers, is what the invoice has allocated to it. While
 * transfers are being applied, the payment and its invoice are behind them.
 */
export const allocatedMoney: Check = {
  invariant: 'I4',
  what: 'a payment that counts another amount for its invoice than the invoice has allocated to it',
  breaches: sql => sql`
    select p.id
    from payments p
    left join invoices i on i.id = p.invoice_id
    left join lateral (
      select (a->>'amountMinor')::bigint + (a->>'overpaidMinor')::bigint + (a->>'excessMinor')::bigint as minor
      from jsonb_array_elements(i.allocations) a where a->>'paymentId' = p.id::text) allocated on true
    cross join lateral (
      select case
        when p.state = 'success' then greatest(p.amount_minor, p.received_minor)
        else coalesce((
          select div(sum(t.amount) * p.amount_minor, p.amount_expected)
          from transfers_of(p.id) t
          where t.state = 'final' and t.chain_id = p.chain_id and t.token_address is not distinct from p.token_address
            and t.mined_at <= p.expires_at and (p.quote_expires_at is null or t.mined_at <= p.quote_expires_at)), 0)
        end as minor) counted
    where p.invoice_id is not null and coalesce(allocated.minor, 0) <> counted.minor
      and not exists (
        select from unsettled_payments u where u.payment_id = p.id and u.reported_rev is distinct from p.rev)
      and not exists (select from deeper_payments d where d.payment_id = p.id)`,
}

/** What an invoice says about money that is processing or was refunded is what its payments say. */
export const invoicePayments: Check = {
  invariant: 'I4',
  what: 'an invoice whose processing or refunded amount differs from its payments',
  breaches: sql => sql`
    select i.id
    from invoices i
    cross join lateral (
      select least(coalesce(sum(p.amount_refunded_minor), 0), 9007199254740991) as refunded,
        coalesce(sum(greatest(0, p.amount_minor - coalesce((
          select (a->>'amountMinor')::bigint + (a->>'overpaidMinor')::bigint + (a->>'excessMinor')::bigint
          from jsonb_array_elements(i.allocations) a where a->>'paymentId' = p.id::text), 0)))
          filter (where p.state = 'processing'), 0) as processing
      from payments p where p.invoice_id = i.id) of_payments
    where (i.amount_refunded_minor, i.amount_processing_minor) <> (of_payments.refunded, of_payments.processing)`,
}

/** What was overpaid is credit of the customer: one entry each time, and what refunds have taken back of it. */
export const overpaidCredit: Check = {
  invariant: 'I4',
  what: 'a payment whose overpaid amount differs from the credit that it gave',
  breaches: sql => sql`
    with given as (
      select i.id as invoice_id, a->>'paymentId' as payment_id, (a->>'overpaidMinor')::bigint as overpaid,
        (a->>'takenBackMinor')::bigint as taken_back
      from invoices i cross join lateral jsonb_array_elements(i.allocations) a
    ), entries as (
      select invoice_id, payment_id::text as payment_id,
        coalesce(sum(amount_minor) filter (where type = 'overpayment'), 0) as overpaid,
        coalesce(-sum(amount_minor) filter (where type = 'refunded'), 0) as taken_back
      from credit_entries
      where type in ('overpayment', 'refunded') and invoice_id is not null
      group by invoice_id, payment_id
    )
    select coalesce(g.payment_id, e.payment_id)::uuid as id
    from given g full join entries e using (invoice_id, payment_id)
    where coalesce(g.overpaid, 0) <> coalesce(e.overpaid, 0) or coalesce(g.taken_back, 0) <> coalesce(e.taken_back, 0)`,
}
