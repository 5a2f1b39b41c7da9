-- Credit notes: machines/credit-note.ts. Their parties are those of the invoice.
create table credit_notes (
  like actor_columns including all,
  api_version text not null,
  invoice_id uuid not null,
  -- As it was when the note was issued: see survivor_of().
  customer_id uuid not null,
  -- That of its customer.
  test_clock_id uuid,
  reason text not null,
  currency text not null,
  tax_behavior text not null,
  lines jsonb not null,
  taxes jsonb not null,
  subtotal_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  due_reduced_minor bigint not null,
  credit_minor bigint not null,
  refunds_minor bigint not null,
  refund_ids jsonb not null,
  note text,
  number text not null,
  series_id uuid not null,
  sequence integer not null,
  issued_at timestamptz not null,
  issue_date text not null,
  document_hash text not null,
  previous_document_hash text,

  constraint credit_notes_state check (state = 'issued'),
  constraint credit_notes_reason check (
    reason in (
      'duplicate', 'requested_by_customer', 'product_unsatisfactory', 'order_change', 'cancellation', 'other')
  ),
  constraint credit_notes_test_clock check (test_clock_id is null or not livemode),
  constraint credit_notes_currency check (currency ~ '^[A-Z]{3}$'),
  constraint credit_notes_tax_behavior check (tax_behavior in ('exclusive', 'inclusive')),
  constraint credit_notes_lines check (jsonb_array_length(lines) between 1 and 100),
  constraint credit_notes_note check (length(note) <= 2000),
  constraint credit_notes_total check (
    total_minor = subtotal_minor + tax_minor and total_minor between 0 and 9007199254740991
  ),
  constraint credit_notes_settled check (
    total_minor = due_reduced_minor + credit_minor + refunds_minor
    and least(due_reduced_minor, credit_minor, refunds_minor) >= 0
    and (refunds_minor = 0) = (jsonb_array_length(refund_ids) = 0)
  ),
  constraint credit_notes_issue_date check (issue_date ~ '^\d{4}-\d\d-\d\d$'),
  constraint credit_notes_sequence check (sequence >= 1),
  constraint credit_notes_hashes check (
    document_hash ~ '^[0-9a-f]*$' and length(document_hash) = 64
    and previous_document_hash ~ '^[0-9a-f]*$' and length(previous_document_hash) = 64
  )
);

-- A number is given once. GET /v1/invoices/chain?kind=credit_note pages by this.
create unique index credit_notes_sequence_once on credit_notes (series_id, sequence);

-- A merchant's list pages by these, and by ?invoiceId= and ?customerId=.
create index credit_notes_list on credit_notes (merchant_id, livemode, seq);
create index credit_notes_of_invoice on credit_notes (invoice_id, seq);
create index credit_notes_of_customer on credit_notes (customer_id, seq);
