import type { Check } from './check.ts'

/**
 * What an invoice says about its money: total = credit applied + credit notes + paid + due, the sums of its taxes and
 * allocations, and the entries of the credit ledger.
 */
export const invoiceAmounts: Check = {
  invariant: 'I4',
  what: 'an invoice whose amounts differ from its taxes, its allocations or the credit ledger',
  breaches: sql => sql`
    select i.id
    from invoices i
    cross join lateral (
      select coalesce(sum((each ->> 'netMinor')::numeric), 0) as net, coalesce(sum((each ->> 'taxMinor')::numeric), 0) as tax
      from jsonb_array_elements(i.taxes) each) taxed
    cross join lateral (
      select coalesce(sum((each ->> 'amountMinor')::numeric), 0) as paid,
        coalesce(sum((each ->> 'overpaidMinor')::numeric + (each ->> 'excessMinor')::numeric), 0) as overpaid
      from jsonb_array_elements(i.allocations) each) allocated
    where (i.subtotal_minor, i.tax_minor, i.total_minor) <> (taxed.net, taxed.tax, taxed.net + taxed.tax)
      or (i.amount_paid_minor, i.amount_overpaid_minor) <> (allocated.paid, least(allocated.overpaid, 9007199254740991))
      or i.credit_applied_minor <> coalesce((
        select -sum(e.amount_minor) from credit_entries e
        where e.invoice_id = i.id and e.type in ('applied', 'released')), 0)
      or case
        when i.state in ('open', 'uncollectible')
          then i.total_minor - i.credit_applied_minor - i.credit_notes_minor - i.amount_paid_minor <= 0
        when i.state in ('paid', 'void')
          then i.total_minor - i.credit_applied_minor - i.credit_notes_minor - i.amount_paid_minor <> 0
        else i.credit_applied_minor + i.credit_notes_minor + i.amount_paid_minor <> 0
          or (i.state = 'draft' and i.amount_overpaid_minor <> 0)
      end`,
}
