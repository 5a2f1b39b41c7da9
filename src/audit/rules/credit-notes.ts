import type { Check } from './check.ts'

/** What an invoice says about its credit notes is what they say. Together they credit no line of more than was invoiced. */
export const invoiceCreditNotes: Check = {
  invariant: 'I4',
  what: 'an invoice whose credit notes differ from what it says about them, or credit more than was invoiced',
  breaches: sql => sql`
    with credited as (
      select n.invoice_id, each ->> 'lineId' as line, sum((each ->> 'amountMinor')::numeric) as amount
      from credit_notes n cross join lateral jsonb_array_elements(n.lines) each
      group by 1, 2
    )
    select i.id
    from invoices i
    cross join lateral (
      select coalesce(sum(n.due_reduced_minor), 0) as due_reduced, coalesce(sum(n.total_minor), 0) as total,
        coalesce(jsonb_agg(n.id order by n.seq), '[]') as ids
      from credit_notes n where n.invoice_id = i.id) notes
    where i.credit_notes_minor <> notes.due_reduced or notes.total > i.total_minor or i.credit_note_ids <> notes.ids
    union all
    select c.invoice_id
    from credited c
    left join invoices i on i.id = c.invoice_id
    left join lateral (
      select (each ->> 'amountMinor')::numeric as amount
      from jsonb_array_elements(i.lines) each where each ->> 'id' = c.line) invoiced on true
    where invoiced.amount is null or abs(c.amount) > abs(invoiced.amount) or c.amount * invoiced.amount < 0`,
}

/** A credit note is what it has reduced of what was due, what it has added to the credit, and its refunds. */
export const creditNoteSettlement: Check = {
  invariant: 'I4',
  what: 'a credit note that differs from its taxes, its credit or its refunds',
  breaches: sql => sql`
    select n.id
    from credit_notes n
    join invoices i on i.id = n.invoice_id
    cross join lateral (
      select coalesce(sum((each ->> 'netMinor')::numeric), 0) as net, coalesce(sum((each ->> 'taxMinor')::numeric), 0) as tax
      from jsonb_array_elements(n.taxes) each) taxed
    cross join lateral (
      select coalesce(sum(e.amount_minor), 0) as minor
      from credit_entries e
      where e.credit_note_id = n.id and e.type = 'credit_note' and e.payment_id is null) credit
    cross join lateral (
      select coalesce(sum(r.amount_minor), 0) as minor, count(*) as refunds
      from jsonb_array_elements_text(n.refund_ids) as of_note (refund)
      join refunds r on r.id = of_note.refund::uuid and r.invoice_id = n.invoice_id) refunded
    where n.total_minor <> n.due_reduced_minor + n.credit_minor + n.refunds_minor
      or (n.subtotal_minor, n.tax_minor, n.total_minor) <> (taxed.net, taxed.tax, taxed.net + taxed.tax)
      or n.credit_minor <> credit.minor
      or (n.refunds_minor, jsonb_array_length(n.refund_ids)) <> (refunded.minor, refunded.refunds)
      or (n.merchant_id, n.livemode, n.currency) <> (i.merchant_id, i.livemode, i.currency)`,
}

/**
 * What an invoice says about the refunds of its credit notes, payment by payment. A refund that was canceled is credit
 * instead; after an erasure none is given.
 */
export const creditedRefunds: Check = {
  invariant: 'I4',
  what: 'an invoice whose payments return another amount by credit notes than the credit notes, their refunds and the credit say',
  breaches: sql => sql`
    with returned as (
      select n.invoice_id, r.payment_id::text as payment_id, sum(r.amount_minor) as minor,
        coalesce(sum(r.amount_minor) filter (where r.state not in ('canceled', 'failed')), 0) as standing,
        coalesce(sum(r.amount_minor) filter (where r.state = 'canceled'), 0) as canceled,
        bool_and(r.credit_note_id is not distinct from n.id) as names_note
      from credit_notes n cross join lateral jsonb_array_elements_text(n.refund_ids) as of_note (refund)
      join refunds r on r.id = of_note.refund::uuid
      group by 1, 2
    ), entries as (
      select invoice_id, payment_id::text as payment_id, sum(amount_minor) as minor
      from credit_entries
      where type = 'credit_note' and payment_id is not null
      group by 1, 2
    ), allocated as (
      select i.id as invoice_id, i.customer_erased, a ->> 'paymentId' as payment_id,
        (a ->> 'creditedMinor')::bigint as credited,
        (a ->> 'noteCreditMinor')::bigint as credit,
        (a ->> 'noteRefundsMinor')::bigint as standing,
        (a ->> 'amountMinor')::bigint as paid
      from invoices i cross join lateral jsonb_array_elements(i.allocations) a
    )
    select invoice_id as id
    from allocated a
    full join returned r using (invoice_id, payment_id)
    full join entries e using (invoice_id, payment_id)
    where coalesce(a.credited + a.credit, 0) <> coalesce(r.minor, 0) or a.credited > a.paid
      or coalesce(a.standing, 0) <> coalesce(r.standing, 0) or not r.names_note
      or coalesce(a.credit, 0) <> coalesce(e.minor, 0)
      or coalesce(a.credit, 0) > coalesce(r.canceled, 0)
      or (not a.customer_erased and a.credit < r.canceled)`,
}
