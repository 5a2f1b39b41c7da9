-- Invoices: machines/invoice.ts.
create table invoices (
  like actor_columns including all,
  api_version text not null,
  -- As it was when the invoice was created or changed: see survivor_of().
  customer_id uuid not null,
  -- That of its customer.
  test_clock_id uuid,
  currency text not null,
  tax_behavior text not null,
  lines jsonb not null,
  taxes jsonb not null,
  subtotal_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  days_until_due integer,
  due_date text,
  reference text,
  order_number text,
  notes text,
  assets jsonb,
  reminder_offsets jsonb,
  metadata jsonb not null,
  -- The period of a subscription that it is for, counted from 0. The first one may have no times yet.
  subscription_id uuid,
  period_index integer,
  period_start timestamptz,
  period_end timestamptz,
  -- From here to `token_hash`: set when the invoice is finalized, but see `invoices_payable_draft`.
  number text,
  series_id uuid,
  sequence integer,
  issued_at timestamptz,
  issue_date text,
  due_at timestamptz,
  seller jsonb,
  customer jsonb,
  party_salt text,
  -- Remains when the party and its salt are deleted, so that the document hash can still be verified.
  party_hash text,
  document_hash text,
  previous_document_hash text,
  reminders jsonb not null,
  retained_until timestamptz,
  credit_applied_minor bigint not null,
  payment_link_id uuid,
  -- Of the address of its page, which holds the token.
  token_hash text,
  sealed_token text,
  -- Set by erase_customer(): the party is shown to owners only, and deleted by remove_expired_parties().
  customer_erased boolean not null,
  credit_notes_minor bigint not null,
  amount_paid_minor bigint not null,
  -- Of any number of payments, each up to 2^53 - 1.
  amount_processing_minor numeric(78, 0) not null,
  amount_overpaid_minor bigint not null,
  amount_refunded_minor bigint not null,
  uncredited_refunds_minor bigint not null,
  -- What each payment has paid: see machines/invoice-events.ts.
  allocations jsonb not null,
  credit_note_ids jsonb not null,
  overdue boolean not null,
  -- The timers have fired. What they cause waits for the chains: see src/chain/watch/invoice-times.ts.
  due_passed boolean not null,
  reminders_passed integer not null,
  reminded_offset integer,
  reminded_at timestamptz,
  paid_at timestamptz,
  voided_at timestamptz,
  void_reason text,

  constraint invoices_state check (state in ('draft', 'open', 'paid', 'uncollectible', 'void', 'deleted')),
  constraint invoices_test_clock check (test_clock_id is null or not livemode),
  constraint invoices_currency check (currency ~ '^[A-Z]{3}$'),
  constraint invoices_tax_behavior check (tax_behavior in ('exclusive', 'inclusive')),
  constraint invoices_lines check (
    case state when 'deleted' then jsonb_array_length(lines) = 0 else jsonb_array_length(lines) between 1 and 100 end
  ),
  constraint invoices_texts check (
    length(reference) <= 200 and length(order_number) <= 200 and length(notes) <= 2000 and length(void_reason) <= 1000
  ),
  constraint invoices_total check (
    total_minor = subtotal_minor + tax_minor and total_minor between 0 and 9007199254740991
  ),
  constraint invoices_amounts check (
    least(
      credit_applied_minor, credit_notes_minor, amount_paid_minor, amount_processing_minor, amount_overpaid_minor) >= 0
    and case
      -- Payments of a draft that could be paid may still bring money.
      when state = 'deleted' then total_minor = 0 and credit_applied_minor + credit_notes_minor + amount_paid_minor = 0
      when state = 'draft' then
        credit_applied_minor + credit_notes_minor + amount_paid_minor + amount_processing_minor + amount_overpaid_minor = 0
      when state in ('open', 'uncollectible') then
        total_minor > credit_applied_minor + credit_notes_minor + amount_paid_minor
      when state in ('paid', 'void') then total_minor = credit_applied_minor + credit_notes_minor + amount_paid_minor
      else true
    end
  ),
  constraint invoices_period check (
    (subscription_id is null) = (period_index is null) and period_index >= 0
    and (period_start is null) = (period_end is null) and period_start < period_end
    and (subscription_id is not null or period_start is null)
  ),
  constraint invoices_due_terms check (
    days_until_due between 0 and 365 and due_date ~ '^\d{4}-\d\d-\d\d$'
    and (number is not null or num_nonnulls(days_until_due, due_date) <= 1)
  ),
  constraint invoices_issued check (
    case
      when state in ('draft', 'deleted')
      then num_nonnulls(number, series_id, sequence, issued_at, issue_date, due_at, document_hash, previous_document_hash,
        party_hash, retained_until) = 0
      when state in ('open', 'paid', 'uncollectible', 'void')
      then num_nulls(number, series_id, sequence, issued_at, issue_date, due_date, due_at, document_hash, party_hash,
        retained_until, token_hash, sealed_token) = 0
      else true
    end
  ),
  -- A draft that can be paid: the first invoice of a customer who has subscribed on the page of a plan.
  constraint invoices_payable_draft check (
    case state
      when 'draft'
      then num_nonnulls(payment_link_id, token_hash, sealed_token) in (0, 3)
        and (payment_link_id is null or subscription_id is not null)
      when 'deleted' then num_nonnulls(payment_link_id, token_hash, sealed_token) = 0
      else true
    end
  ),
  constraint invoices_issue_date check (
    issue_date ~ '^\d{4}-\d\d-\d\d$' and issue_date collate "C" <= due_date collate "C"
  ),
  constraint invoices_sequence check (sequence >= 1),
  constraint invoices_hashes check (
    document_hash ~ '^[0-9a-f]*$' and length(document_hash) = 64
    and previous_document_hash ~ '^[0-9a-f]*$' and length(previous_document_hash) = 64
    and token_hash ~ '^[0-9a-f]*$' and length(token_hash) = 64
    and party_hash ~ '^[0-9a-f]*$' and length(party_hash) = 64
  ),
  -- When the party is deleted, so is the salt. Only that of an erased customer is.
  constraint invoices_parties check (
    (customer is null) = (party_salt is null) and (number is not null or num_nonnulls(seller, customer) = 0)
    and (number is null or customer is not null or customer_erased)
  ),
  constraint invoices_overdue check (not overdue or state = 'open'),
  constraint invoices_reminders check (reminders_passed between 0 and jsonb_array_length(reminders)),
  constraint invoices_paid check ((state = 'paid') = (paid_at is not null)),
  constraint invoices_void check ((state = 'void') = (voided_at is not null) and (void_reason is null or state = 'void'))
);

-- A number is given once. GET /v1/invoices/chain pages by this.
create unique index invoices_sequence_once on invoices (series_id, sequence) where sequence is not null;

-- A period of a subscription is invoiced once. When the content of the next period changes, its invoice is voided and replaced.
create unique index invoices_period_once on invoices (subscription_id, period_index)
where subscription_id is not null and state not in ('void', 'deleted');

-- GET /v1/invoices?subscriptionId=.
create index invoices_of_subscription on invoices (subscription_id, seq) where subscription_id is not null;

-- The page of an invoice is found by its token.
create unique index invoices_token_once on invoices (token_hash) where token_hash is not null;

-- A merchant's list pages by these, and by ?status=, ?customerId=, ?reference= and ?number=. Deleted drafts are not in it.
create index invoices_list on invoices (merchant_id, livemode, seq) where state <> 'deleted';
create index invoices_by_state on invoices (merchant_id, livemode, state, seq);
-- Also of deleted drafts, whose copies are erased with those of their customer.
create index invoices_of_customer on invoices (customer_id, seq);
create index invoices_by_reference on invoices (merchant_id, livemode, reference) where reference is not null;
create index invoices_by_number on invoices (merchant_id, livemode, number) where number is not null;

-- GET /v1/invoices?overdue=true.
create index invoices_overdue_list on invoices (merchant_id, livemode, seq) where overdue;

-- GET /v1/invoices?dueBefore=.
create index invoices_by_due_date on invoices (merchant_id, livemode, due_at) where due_at is not null;

-- What was invoiced and paid in a span of time: billing_figures().
create index invoices_by_issue on invoices (merchant_id, livemode, issued_at) where issued_at is not null;
create index invoices_by_payment_time on invoices (merchant_id, livemode, paid_at) where paid_at is not null;

-- What customers still owe: totals_of_customer().
create index invoices_open_of_customer on invoices (customer_id) where state = 'open';

-- The invoice that a payment link belongs to.
create index invoices_of_link on invoices (payment_link_id) where payment_link_id is not null;

-- Parties of erased customers that remain until their time is over: remove_expired_parties().
create index invoices_with_erased_party on invoices (retained_until) where customer_erased and customer is not null;

-- Whether the due date of an invoice, or one of its reminders, is over and still without effect. Its fields and not its row, because
-- indexes contain it.
create function has_passed_times(state text, due_passed boolean, overdue boolean, reminders jsonb, reminders_passed integer)
returns boolean language sql immutable parallel safe as $$
  select state = 'open' and (
    (due_passed and not overdue)
    or jsonb_array_length(jsonb_path_query_array(reminders, '$[*] ? (@.sentAt != null)')) < reminders_passed)
$$;

-- Few invoices. See src/chain/watch/invoice-times.ts. The first index is of those in real time.
create index invoices_waiting on invoices (id)
where test_clock_id is null and has_passed_times(state, due_passed, overdue, reminders, reminders_passed);
create index invoices_waiting_by_clock on invoices (test_clock_id, id)
where test_clock_id is not null and has_passed_times(state, due_passed, overdue, reminders, reminders_passed);

-- The first renderings of each finalized invoice and of its credit notes, which are sent from then on.
create table invoice_documents (
  invoice_id uuid not null references invoices,
  -- Null for the document of the invoice itself.
  credit_note_id uuid,
  pdf bytea not null,
  created_at timestamptz not null default now(),
  constraint invoice_documents_once unique nulls not distinct (invoice_id, credit_note_id)
);
