import type { Check } from './check.ts'

/** The numbers of a series are 1, 2, 3 … or begin where its merchant has set, and its documents are in this order. */
export const documentNumbers: Check = {
  invariant: 'I4',
  what: 'a series of document numbers with a gap, a document twice, or a document that is older than the one before it',
  breaches: sql => sql`
    with documents as (
      select *, lag(issued_at) over (partition by series_id order by sequence) as issued_before
      from (
        select 'invoice' as kind, series_id, merchant_id, livemode, test_clock_id, sequence, issued_at, issue_date
        from invoices where series_id is not null
        union all
        select 'credit_note', series_id, merchant_id, livemode, test_clock_id, sequence, issued_at, issue_date
        from credit_notes) of_kinds
    ), issued as (
      select series_id, count(*) as documents, min(sequence) as first, max(sequence) as last,
        max(issued_at) as last_issued_at, bool_or(issued_at < issued_before) as is_disordered
      from documents group by series_id
    )
    select s.id
    from document_series s left join issued i on i.series_id = s.id
    where case s.state
      when 'unused' then i.series_id is not null
      else i.series_id is null or i.is_disordered or (i.first, i.last) <> (s.first_number, s.last_number)
        or i.documents <> s.last_number - s.first_number + 1 or i.last_issued_at <> s.last_issued_at
    end
    union all
    select d.series_id
    from documents d left join document_series s on s.id = d.series_id
    where s.id is null or (d.kind, d.merchant_id, d.livemode) <> (s.document_kind, s.merchant_id, s.livemode)
      or d.test_clock_id is distinct from s.test_clock_id
      or s.year not in (0, left(d.issue_date, 4)::integer)`,
}
