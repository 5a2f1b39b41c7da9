-- Made by `bun run schema` from the migrations in sql/, and compared in a test.

create type canceled_entry as (g integer, actor uuid, name text);

create type checkouts_v1_entry as (g integer, was integer, seen xid, payment_id uuid, secret_hash bytea);

create type clock_entry as (g integer, clock uuid, now_ms bigint);

create type credit_entries_v1_entry as (g integer, was integer, seen xid, customer_id uuid, currency text, id uuid, merchant_id uuid, livemode boolean, type text, amount_minor bigint, balance_minor bigint, invoice_id uuid, payment_id uuid, credit_note_id uuid, note text, created_at timestamp with time zone);

create type credit_notes_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, api_version text, invoice_id uuid, customer_id uuid, test_clock_id uuid, reason text, currency text, tax_behavior text, lines jsonb, taxes jsonb, subtotal_minor bigint, tax_minor bigint, total_minor bigint, due_reduced_minor bigint, credit_minor bigint, refunds_minor bigint, refund_ids jsonb, note text, number text, series_id uuid, sequence integer, issued_at timestamp with time zone, issue_date text, document_hash text, previous_document_hash text);

create type customer_emails_v1_entry as (g integer, was integer, seen xid, merchant_id uuid, livemode boolean, email_key text, customer_id uuid, email text);

create type customers_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, api_version text, email text, name text, company text, tax_id text, address jsonb, locale text, reference text, source text, metadata jsonb, merged_into_id uuid, test_clock_id uuid, erased_at timestamp with time zone, erased_by uuid);

create type deliveries_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, event_id uuid, event_type text, endpoint_id uuid, attempts integer, automatic_attempts integer, trigger text, next_attempt_at timestamp with time zone, resume_at timestamp with time zone, sending_since timestamp with time zone, cancel_requested boolean, delivered_at timestamp with time zone);

create type delivery_asking as (endpoint_id uuid, want integer, low_ms bigint);

create type delivery_outcome as (id uuid, was integer, number integer, event text, state text, trigger text, next_attempt_ms bigint, resume_ms bigint, delivered_ms bigint, at_ms bigint, outcome text, duration_ms integer, http_status integer, response_snippet text, signed_s integer, response_headers json);

create type deposit_addresses_v1_entry as (g integer, was integer, seen xid, address text, payment_id uuid, merchant_id uuid, treasury text, counter bigint);

create type disputes_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, api_version text, payment_id uuid, amount_minor bigint, currency text, reason text, description text, uncategorized_text text, customer_communication text, shipping_tracking_number text, refund_policy text, evidence_due_by timestamp with time zone);

create type document_series_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, document_kind text, year integer, test_clock_id uuid, first_number integer, last_number integer, last_issued_at timestamp with time zone, last_document_hash text);

create type idempotency_keys_v1_entry as (g integer, was integer, seen xid, merchant_id uuid, livemode boolean, key text, fingerprint bytea, status integer, body text, is_refund boolean, created_at timestamp with time zone, record_id uuid);

create type invoices_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, api_version text, customer_id uuid, test_clock_id uuid, currency text, tax_behavior text, lines jsonb, taxes jsonb, subtotal_minor bigint, tax_minor bigint, total_minor bigint, days_until_due integer, due_date text, reference text, order_number text, notes text, assets jsonb, reminder_offsets jsonb, metadata jsonb, subscription_id uuid, period_index integer, period_start timestamp with time zone, period_end timestamp with time zone, number text, series_id uuid, sequence integer, issued_at timestamp with time zone, issue_date text, due_at timestamp with time zone, seller jsonb, customer jsonb, party_salt text, party_hash text, document_hash text, previous_document_hash text, reminders jsonb, retained_until timestamp with time zone, credit_applied_minor bigint, payment_link_id uuid, token_hash text, sealed_token text, customer_erased boolean, credit_notes_minor bigint, amount_paid_minor bigint, amount_processing_minor numeric(78,0), amount_overpaid_minor bigint, amount_refunded_minor bigint, uncredited_refunds_minor bigint, allocations jsonb, credit_note_ids jsonb, overdue boolean, due_passed boolean, reminders_passed integer, reminded_offset integer, reminded_at timestamp with time zone, paid_at timestamp with time zone, voided_at timestamp with time zone, void_reason text);

create type job_entry as (gs integer[], task text, effect text, run_at timestamp with time zone, key text);

create type payment_links_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, amount_minor bigint, currency text, title text, description text, reference text, assets jsonb, max_payments integer, window_minutes integer, expires_at timestamp with time zone, success_url text, metadata jsonb, hidden boolean, payments_opened integer, payments_processing integer, payments_count integer, deactivated_at timestamp with time zone);

create type payments_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, api_version text, payment_link_id uuid, customer_id uuid, invoice_id uuid, amount_minor bigint, currency text, customer_email text, customer_name text, reference text, metadata jsonb, tolerance_bps integer, late_policy text, expires_at timestamp with time zone, chain_id bigint, asset text, token_address text, decimals integer, address text, amount_expected numeric(78,0), confirmations_required integer, pegged boolean, quote_rate text, quote_source text, quote_expires_at timestamp with time zone, scan bigint, amount_received numeric(78,0), amount_final numeric(78,0), received_minor bigint, payer_address text, tx_hash text, block_number bigint, stray text, final_strays integer, announced jsonb, collection_unexplained boolean, window_lengthened boolean, exception text, failure_reason text, attention boolean, refunds_reserved_minor bigint, amount_refunded_minor bigint);

create type plans_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, name text, description text, currency text, tax_behavior text, lines jsonb, taxes jsonb, subtotal_minor bigint, tax_minor bigint, total_minor bigint, "interval" text, interval_count integer, trial_days integer, lead_days integer, grace_days integer, max_periods integer, activation text, after_grace text, assets jsonb, reference text, metadata jsonb);

create type refund_claims_v1_entry as (g integer, was integer, seen xid, id uuid, secret_hash bytea, sealed_secret text, expires_at timestamp with time zone);

create type refund_destination_proofs_v1_entry as (g integer, was integer, seen xid, refund_id uuid, address text, message text, signature text, proven_at timestamp with time zone);

create type refund_judgements_v1_entry as (g integer, was integer, seen xid, refund_id uuid, rev integer, why text);

create type refund_rises_v1_entry as (g integer, was integer, seen xid, chain_id bigint, address text, block_number bigint, refund_id uuid);

create type refunds_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, api_version text, payment_id uuid, invoice_id uuid, credit_note_id uuid, amount_minor bigint, currency text, reason text, metadata jsonb, chain_id bigint, asset text, token_address text, amount numeric(78,0), destination text, tx_hash text, confirmations integer, failure_reason text, attention boolean, stray_tx_hash text);

create type signed_transactions_v1_entry as (g integer, was integer, seen xid, signer_id uuid, nonce bigint, attempt integer, chain_id bigint, tx_hash text, raw text, gas bigint, max_fee numeric(78,0), tip numeric(78,0), taken_at timestamp with time zone, created_at timestamp with time zone);

create type signer_nonces_v1_entry as (g integer, was integer, seen xid, signer_id uuid, nonce bigint, refund_id uuid, state text, sent_at timestamp with time zone, created_at timestamp with time zone);

create type step_entry as (g integer, actor uuid, rev integer, kind text, command uuid, keyed boolean, event text, from_state text, to_state text, cause text, created_ms bigint, merchant_id uuid, livemode boolean, event_id uuid, event_type text, api_version text);

create type subscriptions_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, api_version text, customer_id uuid, test_clock_id uuid, plan_id uuid, source text, payer jsonb, trial_key text, verified boolean, currency text, tax_behavior text, lines jsonb, taxes jsonb, subtotal_minor bigint, tax_minor bigint, total_minor bigint, "interval" text, interval_count integer, anchor_at timestamp with time zone, anchor_given boolean, trial_ends_at timestamp with time zone, lead_days integer, grace_days integer, max_periods integer, activation text, after_grace text, assets jsonb, reference text, metadata jsonb, period_index integer, invoiced_index integer, latest_invoice_id uuid, unpaid jsonb, first_due_at timestamp with time zone, trial_ending_sent boolean, owed_index integer, grace_ends_at timestamp with time zone, pause_at_period_end boolean, paused_at timestamp with time zone, resumes_at timestamp with time zone, resume_index integer, cancel_at_period_end boolean, canceled_at timestamp with time zone, canceled_by_customer boolean, ended_at timestamp with time zone, end_reason text, pending_change jsonb, token_hash text, sealed_token text);

create type test_clocks_v1_entry as (g integer, was integer, seen xid, id uuid, state text, rev integer, version integer, lease uuid, leased_until timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, merchant_id uuid, livemode boolean, now timestamp with time zone, target timestamp with time zone);

create type timer_entry as (g integer, actor uuid, name text, kind text, generation integer, due_ms bigint, planned boolean, clock uuid);

create type write_entry as (g integer, actor uuid, is_new boolean, name text, given json);

create table accounts (
  id uuid not null,
  email text not null,
  password_hash text not null,
  mfa_secret text,
  mfa_enabled_at timestamp with time zone,
  mfa_last_step bigint,
  operator boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_email_once UNIQUE (email),
  constraint accounts_email_normal CHECK (email = lower(btrim(email) COLLATE "C") AND length(email) <= 254),
  constraint accounts_mfa_secret CHECK (mfa_enabled_at IS NULL OR mfa_secret IS NOT NULL)
);

create table actor_columns (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  constraint actor_columns_pkey PRIMARY KEY (id)
);

create table api_keys (
  id uuid not null,
  merchant_id uuid not null,
  livemode boolean not null,
  name text not null,
  scopes text[] not null,
  api_version text not null,
  tag text not null,
  last4 text not null,
  hash bytea not null,
  previous_hash bytea,
  previous_until timestamp with time zone,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  seq bigint not null generated always as identity,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_hash_once UNIQUE (hash),
  constraint api_keys_previous_hash_once UNIQUE (previous_hash),
  constraint api_keys_hashes CHECK (length(hash) = 32 AND length(previous_hash) = 32),
  constraint api_keys_name CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint api_keys_previous CHECK ((previous_hash IS NULL) = (previous_until IS NULL)),
  constraint api_keys_scopes CHECK (cardinality(scopes) > 0 AND array_to_string(scopes, ' '::text, '?'::text) ~ '^(\*|[a-z_]+:(read|write))( (\*|[a-z_]+:(read|write)))*$'::text),
  constraint api_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table attempts (
  subject text not null,
  at timestamp with time zone not null
);

create table audits (
  id uuid not null default new_uuidv7(),
  status text not null default 'running'::text,
  started_by text not null,
  account_id uuid,
  started_at timestamp with time zone not null default now(),
  beat_at timestamp with time zone not null default now(),
  attempt integer not null default 0,
  finished_at timestamp with time zone,
  checks json not null default '[]'::json,
  seq bigint not null generated always as identity,
  constraint audits_pkey PRIMARY KEY (id),
  constraint audits_account CHECK ((started_by = 'operator'::text) = (account_id IS NOT NULL)),
  constraint audits_finished CHECK ((status = 'running'::text) = (finished_at IS NULL)),
  constraint audits_started_by CHECK (started_by = ANY (ARRAY['schedule'::text, 'operator'::text, 'command'::text])),
  constraint audits_status CHECK (status = ANY (ARRAY['running'::text, 'clean'::text, 'findings'::text, 'failed'::text]))
);

create table billing_settings (
  merchant_id uuid not null,
  legal_name text,
  address jsonb,
  tax_id text,
  time_zone text not null default 'UTC'::text,
  time_zone_changed_at timestamp with time zone,
  sums_time_zone text not null default 'UTC'::text,
  invoice_prefix text not null default 'INV'::text,
  credit_note_prefix text not null default 'CN'::text,
  number_pattern text not null default '{prefix}-{year}-{number:4}'::text,
  restart text not null default 'yearly'::text,
  days_until_due integer not null default 14,
  tax_rate_bps integer not null default 0,
  tax_behavior text not null default 'exclusive'::text,
  reminders jsonb not null default '[-3, 0, 7, 14]'::jsonb,
  notes text,
  retention_years integer not null default 10,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint billing_settings_pkey PRIMARY KEY (merchant_id),
  constraint billing_settings_days_until_due CHECK (days_until_due >= 0 AND days_until_due <= 365),
  constraint billing_settings_reminders CHECK (jsonb_array_length(reminders) <= 8),
  constraint billing_settings_restart CHECK (restart = ANY (ARRAY['yearly'::text, 'never'::text])),
  constraint billing_settings_retention CHECK (retention_years >= 1 AND retention_years <= 50),
  constraint billing_settings_tax_behavior CHECK (tax_behavior = ANY (ARRAY['exclusive'::text, 'inclusive'::text])),
  constraint billing_settings_tax_rate CHECK (tax_rate_bps >= 0 AND tax_rate_bps <= 10000),
  constraint billing_settings_texts CHECK (length(legal_name) <= 200 AND length(tax_id) <= 200 AND length(notes) <= 2000),
  constraint billing_settings_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table chain_blocks (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  mined_at timestamp with time zone not null,
  constraint chain_blocks_pkey PRIMARY KEY (chain_id, number)
);

create table chain_cursors (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  mined_at timestamp with time zone not null,
  moved_at timestamp with time zone not null default now(),
  begun_number bigint not null default 0,
  begun_at timestamp with time zone not null default now(),
  final_number bigint not null,
  step bigint not null,
  confirmations integer,
  deep_number bigint not null default 0,
  livemode boolean,
  epoch text,
  lost_before timestamp with time zone,
  stopped_at timestamp with time zone,
  constraint chain_cursors_pkey PRIMARY KEY (chain_id),
  constraint chain_cursors_check CHECK (final_number <= number),
  constraint chain_cursors_hash_check CHECK (hash ~ '^0x[0-9a-f]*$'::text AND length(hash) = 66),
  constraint chain_cursors_number_check CHECK (number >= 0)
);

create unlogged table chain_nodes (
  chain_id bigint not null,
  "position" integer not null,
  label text not null,
  state text not null,
  head bigint,
  latency_ms double precision,
  last_error text,
  recorded_at timestamp with time zone not null default now(),
  constraint chain_nodes_pkey PRIMARY KEY (chain_id, "position"),
  constraint chain_nodes_state CHECK (state = ANY (ARRAY['unknown'::text, 'healthy'::text, 'behind'::text, 'paused'::text]))
);

create table checkouts (
  payment_id uuid not null,
  secret_hash bytea not null,
  constraint checkouts_pkey PRIMARY KEY (payment_id),
  constraint checkouts_secret_hash CHECK (length(secret_hash) = 32)
);

create table credit_balances (
  customer_id uuid not null,
  currency text not null,
  balance_minor bigint not null,
  constraint credit_balances_pkey PRIMARY KEY (customer_id, currency),
  constraint credit_balances_range CHECK (balance_minor >= 0 AND balance_minor <= '9007199254740991'::bigint)
);

create table credit_entries (
  customer_id uuid not null,
  currency text not null,
  id uuid not null,
  merchant_id uuid not null,
  livemode boolean not null,
  type text not null,
  amount_minor bigint not null,
  balance_minor bigint,
  invoice_id uuid,
  payment_id uuid,
  credit_note_id uuid,
  note text,
  created_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  constraint credit_entries_pkey PRIMARY KEY (customer_id, currency, id),
  constraint credit_entries_amount CHECK (amount_minor <> 0 AND abs(amount_minor) <= '9007199254740991'::bigint),
  constraint credit_entries_balance CHECK (balance_minor IS NOT NULL AND balance_minor >= 0),
  constraint credit_entries_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint credit_entries_note CHECK (length(note) <= 1000),
  constraint credit_entries_type CHECK (type = ANY (ARRAY['overpayment'::text, 'credit_note'::text, 'applied'::text, 'released'::text, 'refunded'::text, 'adjustment'::text]))
);

create table credit_notes (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  invoice_id uuid not null,
  customer_id uuid not null,
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
  issued_at timestamp with time zone not null,
  issue_date text not null,
  document_hash text not null,
  previous_document_hash text,
  constraint credit_notes_pkey PRIMARY KEY (id),
  constraint credit_notes_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint credit_notes_hashes CHECK (document_hash ~ '^[0-9a-f]*$'::text AND length(document_hash) = 64 AND previous_document_hash ~ '^[0-9a-f]*$'::text AND length(previous_document_hash) = 64),
  constraint credit_notes_issue_date CHECK (issue_date ~ '^\d{4}-\d\d-\d\d$'::text),
  constraint credit_notes_lines CHECK (jsonb_array_length(lines) >= 1 AND jsonb_array_length(lines) <= 100),
  constraint credit_notes_note CHECK (length(note) <= 2000),
  constraint credit_notes_reason CHECK (reason = ANY (ARRAY['duplicate'::text, 'requested_by_customer'::text, 'product_unsatisfactory'::text, 'order_change'::text, 'cancellation'::text, 'other'::text])),
  constraint credit_notes_sequence CHECK (sequence >= 1),
  constraint credit_notes_settled CHECK (total_minor = (due_reduced_minor + credit_minor + refunds_minor) AND LEAST(due_reduced_minor, credit_minor, refunds_minor) >= 0 AND (refunds_minor = 0) = (jsonb_array_length(refund_ids) = 0)),
  constraint credit_notes_state CHECK (state = 'issued'::text),
  constraint credit_notes_tax_behavior CHECK (tax_behavior = ANY (ARRAY['exclusive'::text, 'inclusive'::text])),
  constraint credit_notes_test_clock CHECK (test_clock_id IS NULL OR NOT livemode),
  constraint credit_notes_total CHECK (total_minor = (subtotal_minor + tax_minor) AND total_minor >= 0 AND total_minor <= '9007199254740991'::bigint)
);

create table customer_emails (
  merchant_id uuid not null,
  livemode boolean not null,
  email_key text collate "C" not null,
  customer_id uuid not null,
  email text not null,
  constraint customer_emails_pkey PRIMARY KEY (merchant_id, livemode, email_key)
);

create table customer_totals (
  customer_id uuid not null,
  currency text not null,
  payments_count bigint not null,
  volume_minor numeric not null,
  refunded_minor numeric not null,
  first_payment_at timestamp with time zone,
  last_payment_at timestamp with time zone,
  constraint customer_totals_pkey PRIMARY KEY (customer_id, currency)
);

create table customers (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  email text not null,
  name text,
  company text,
  tax_id text,
  address jsonb,
  locale text,
  reference text,
  source text not null,
  metadata jsonb not null,
  merged_into_id uuid,
  test_clock_id uuid,
  erased_at timestamp with time zone,
  erased_by uuid,
  constraint customers_pkey PRIMARY KEY (id),
  constraint customers_erased CHECK (state = 'merged'::text OR (state = ANY (ARRAY['erasing'::text, 'erased'::text])) = (erased_at IS NOT NULL)),
  constraint customers_erased_fields CHECK (erased_at IS NULL OR email ~~ '%@erased.invalid'::text AND metadata = '{}'::jsonb AND num_nonnulls(name, company, tax_id, locale, reference) = 0 AND COALESCE(address, 'null'::jsonb) = 'null'::jsonb),
  constraint customers_merged CHECK ((state = 'merged'::text) = (merged_into_id IS NOT NULL) AND merged_into_id <> id),
  constraint customers_source CHECK (source = ANY (ARRAY['merchant'::text, 'checkout'::text])),
  constraint customers_state CHECK (state = ANY (ARRAY['active'::text, 'merged'::text, 'erasing'::text, 'erased'::text])),
  constraint customers_test_clock CHECK (test_clock_id IS NULL OR NOT livemode),
  constraint customers_texts CHECK (length(email) <= 254 AND length(name) <= 200 AND length(company) <= 200 AND length(tax_id) <= 200 AND length(locale) <= 35 AND length(reference) <= 200)
);

create table deeper_payments (
  payment_id uuid not null,
  chain_id bigint not null,
  number bigint not null,
  constraint deeper_payments_pkey PRIMARY KEY (payment_id)
);

create table deliveries (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  event_id uuid not null,
  event_type text not null,
  endpoint_id uuid not null,
  attempts integer not null,
  automatic_attempts integer not null,
  trigger text not null,
  next_attempt_at timestamp with time zone,
  resume_at timestamp with time zone,
  sending_since timestamp with time zone,
  cancel_requested boolean not null,
  delivered_at timestamp with time zone,
  constraint deliveries_pkey PRIMARY KEY (id),
  constraint deliveries_attempted CHECK (
CASE state
    WHEN 'sending'::text THEN attempts >= 1
    WHEN 'delivered'::text THEN attempts >= 1 AND delivered_at IS NOT NULL
    WHEN 'failed'::text THEN attempts >= 1 AND delivered_at IS NULL
    WHEN 'canceled'::text THEN delivered_at IS NULL
    ELSE true
END),
  constraint deliveries_cancel CHECK (NOT cancel_requested OR state = 'sending'::text),
  constraint deliveries_five_attempts CHECK (automatic_attempts >= 0 AND automatic_attempts <= 5 AND attempts >= automatic_attempts),
  constraint deliveries_planned CHECK ((state = 'pending'::text) = (next_attempt_at IS NOT NULL)),
  constraint deliveries_resume CHECK (resume_at IS NULL OR trigger = 'manual'::text AND (state = ANY (ARRAY['pending'::text, 'sending'::text]))),
  constraint deliveries_sending CHECK ((state = 'sending'::text) = (sending_since IS NOT NULL)),
  constraint deliveries_state CHECK (state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text, 'canceled'::text])),
  constraint deliveries_trigger CHECK (trigger = ANY (ARRAY['automatic'::text, 'manual'::text]))
);

create table delivery_attempts (
  delivery_id uuid not null,
  number integer not null,
  trigger text not null,
  worker uuid not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  duration_ms integer,
  outcome text,
  http_status integer,
  signed_s integer,
  response_snippet text,
  response_headers json,
  constraint delivery_attempts_pkey PRIMARY KEY (delivery_id, number),
  constraint delivery_attempts_finished CHECK ((outcome IS NULL) = (finished_at IS NULL)),
  constraint delivery_attempts_trigger CHECK (trigger = ANY (ARRAY['automatic'::text, 'manual'::text]))
);

create table delivery_claims (
  id uuid not null,
  worker uuid not null,
  claimed_at timestamp with time zone not null,
  deliveries uuid[] not null,
  constraint delivery_claims_pkey PRIMARY KEY (id)
);

create table deposit_addresses (
  address text not null,
  payment_id uuid not null,
  merchant_id uuid not null,
  treasury text not null,
  counter bigint not null,
  constraint deposit_addresses_pkey PRIMARY KEY (address),
  constraint deposit_addresses_of_payment UNIQUE (payment_id, treasury),
  constraint deposit_addresses_once UNIQUE (merchant_id, counter),
  constraint deposit_addresses_address_check CHECK (address ~ '^0x[0-9a-f]*$'::text AND length(address) = 42),
  constraint deposit_addresses_treasury_check CHECK (treasury ~ '^0x[0-9a-f]*$'::text AND length(treasury) = 42)
);

create table disputes (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  payment_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  reason text not null,
  description text,
  uncategorized_text text,
  customer_communication text,
  shipping_tracking_number text,
  refund_policy text,
  evidence_due_by timestamp with time zone not null,
  constraint disputes_pkey PRIMARY KEY (id),
  constraint disputes_amount CHECK (amount_minor >= 1 AND amount_minor <= '9007199254740991'::bigint),
  constraint disputes_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint disputes_description CHECK (length(description) <= 1000),
  constraint disputes_due CHECK (evidence_due_by > created_at),
  constraint disputes_evidence CHECK (length(uncategorized_text) <= 2000 AND length(customer_communication) <= 2000 AND length(shipping_tracking_number) <= 2000 AND length(refund_policy) <= 2000),
  constraint disputes_evidence_fits CHECK ((COALESCE(octet_length(to_json(uncategorized_text)::text), 0) + COALESCE(octet_length(to_json(customer_communication)::text), 0) + COALESCE(octet_length(to_json(shipping_tracking_number)::text), 0) + COALESCE(octet_length(to_json(refund_policy)::text), 0)) <= 18432),
  constraint disputes_reason CHECK (reason = ANY (ARRAY['fraudulent'::text, 'product_not_received'::text, 'product_unacceptable'::text, 'duplicate'::text, 'credit_not_processed'::text, 'general'::text])),
  constraint disputes_sandbox CHECK (NOT livemode),
  constraint disputes_state CHECK (state = ANY (ARRAY['needs_response'::text, 'under_review'::text, 'won'::text, 'lost'::text]))
);

create table document_series (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  document_kind text not null,
  year integer not null,
  test_clock_id uuid,
  first_number integer not null,
  last_number integer not null,
  last_issued_at timestamp with time zone,
  last_document_hash text,
  constraint document_series_pkey PRIMARY KEY (id),
  constraint document_series_document_kind CHECK (document_kind = ANY (ARRAY['invoice'::text, 'credit_note'::text])),
  constraint document_series_hash CHECK (last_document_hash ~ '^[0-9a-f]*$'::text AND length(last_document_hash) = 64),
  constraint document_series_last CHECK (num_nulls(last_issued_at, last_document_hash) =
CASE state
    WHEN 'unused'::text THEN 2
    ELSE 0
END),
  constraint document_series_numbers CHECK (first_number >= 1 AND
CASE state
    WHEN 'unused'::text THEN last_number = (first_number - 1)
    ELSE last_number >= first_number
END),
  constraint document_series_state CHECK (state = ANY (ARRAY['unused'::text, 'in_use'::text])),
  constraint document_series_test_clock CHECK (test_clock_id IS NULL OR NOT livemode),
  constraint document_series_year CHECK (year = 0 OR year >= 2000 AND year <= 9999)
);

create table dropped_parts (
  part text not null,
  day date not null,
  dropped bigint not null,
  last_id uuid not null,
  dropped_at timestamp with time zone not null,
  digest bytea not null,
  constraint dropped_parts_pkey PRIMARY KEY (part, day),
  constraint dropped_parts_count CHECK (dropped > 0),
  constraint dropped_parts_part CHECK (part = ANY (ARRAY['attempt_bodies'::text, 'deliveries'::text, 'history'::text]))
);

create table dropped_places (
  actor uuid not null,
  rev integer not null,
  era integer,
  xid xid8,
  seq bigint not null,
  merchant_id uuid,
  livemode boolean,
  dropped_at timestamp with time zone not null,
  constraint dropped_places_pkey PRIMARY KEY (actor, rev),
  constraint dropped_places_feed CHECK ((rev > 0) = (era IS NOT NULL) AND (rev > 0) = (xid IS NOT NULL))
);

create table eras (
  era integer not null,
  cluster text not null,
  postmaster_started timestamp with time zone not null,
  constraint eras_pkey PRIMARY KEY (era)
);

create table events (
  id uuid not null,
  kind text not null,
  actor uuid not null,
  rev integer not null,
  type text not null,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  object text not null,
  created_at timestamp with time zone not null,
  era integer not null,
  xid xid8 not null default pg_current_xact_id(),
  seq bigint not null generated always as identity,
  digest bytea,
  constraint events_pkey PRIMARY KEY (id)
);

create unlogged table export_tickets (
  hash bytea not null,
  merchant_id uuid not null,
  session_id uuid not null,
  request json not null,
  expires_at timestamp with time zone not null default (now() + '00:01:00'::interval),
  constraint export_tickets_pkey PRIMARY KEY (hash)
);

create table feed_cursors (
  reader text not null,
  era integer not null,
  xid xid8 not null,
  seq bigint not null,
  constraint feed_cursors_pkey PRIMARY KEY (reader)
);

create table idempotency_keys (
  merchant_id uuid not null,
  livemode boolean not null,
  key text not null,
  fingerprint bytea not null,
  status integer not null,
  body text not null,
  is_refund boolean not null,
  created_at timestamp with time zone not null,
  record_id uuid not null,
  constraint idempotency_keys_pkey PRIMARY KEY (merchant_id, livemode, key),
  constraint idempotency_keys_fingerprint CHECK (length(fingerprint) = 32),
  constraint idempotency_keys_key CHECK (key ~ '^[ -~]{1,255}$'::text),
  constraint idempotency_keys_status CHECK (status >= 200 AND status <= 299)
);

create table inbox_requests (
  seq bigint not null generated always as identity,
  id uuid not null,
  endpoint_id uuid not null,
  received_at timestamp with time zone not null,
  headers json not null,
  body text not null,
  signature_valid boolean not null,
  constraint inbox_requests_pkey PRIMARY KEY (id),
  constraint inbox_requests_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id)
);

create unlogged table inspector_tickets (
  hash bytea not null,
  session_id uuid not null,
  expires_at timestamp with time zone not null default (now() + '00:01:00'::interval),
  constraint inspector_tickets_pkey PRIMARY KEY (hash)
);

create table invites (
  id uuid not null,
  merchant_id uuid not null,
  role text not null,
  email text,
  token_hash bytea not null,
  created_by uuid not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  accepted_by uuid,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  seq bigint not null generated always as identity,
  constraint invites_pkey PRIMARY KEY (id),
  constraint invites_token_once UNIQUE (token_hash),
  constraint invites_accepted CHECK ((accepted_at IS NULL) = (accepted_by IS NULL)),
  constraint invites_email CHECK (length(email) <= 254),
  constraint invites_end CHECK (accepted_at IS NULL OR revoked_at IS NULL),
  constraint invites_role CHECK (role = ANY (ARRAY['owner'::text, 'developer'::text, 'viewer'::text])),
  constraint invites_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES accounts(id),
  constraint invites_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id),
  constraint invites_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table invoice_documents (
  invoice_id uuid not null,
  credit_note_id uuid,
  pdf bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint invoice_documents_once UNIQUE NULLS NOT DISTINCT (invoice_id, credit_note_id),
  constraint invoice_documents_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(id)
);

create table invoices (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  customer_id uuid not null,
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
  subscription_id uuid,
  period_index integer,
  period_start timestamp with time zone,
  period_end timestamp with time zone,
  number text,
  series_id uuid,
  sequence integer,
  issued_at timestamp with time zone,
  issue_date text,
  due_at timestamp with time zone,
  seller jsonb,
  customer jsonb,
  party_salt text,
  party_hash text,
  document_hash text,
  previous_document_hash text,
  reminders jsonb not null,
  retained_until timestamp with time zone,
  credit_applied_minor bigint not null,
  payment_link_id uuid,
  token_hash text,
  sealed_token text,
  customer_erased boolean not null,
  credit_notes_minor bigint not null,
  amount_paid_minor bigint not null,
  amount_processing_minor numeric(78,0) not null,
  amount_overpaid_minor bigint not null,
  amount_refunded_minor bigint not null,
  uncredited_refunds_minor bigint not null,
  allocations jsonb not null,
  credit_note_ids jsonb not null,
  overdue boolean not null,
  due_passed boolean not null,
  reminders_passed integer not null,
  reminded_offset integer,
  reminded_at timestamp with time zone,
  paid_at timestamp with time zone,
  voided_at timestamp with time zone,
  void_reason text,
  constraint invoices_pkey PRIMARY KEY (id),
  constraint invoices_amounts CHECK (LEAST(credit_applied_minor::numeric, credit_notes_minor::numeric, amount_paid_minor::numeric, amount_processing_minor, amount_overpaid_minor::numeric) >= 0::numeric AND
CASE
    WHEN state = 'deleted'::text THEN total_minor = 0 AND (credit_applied_minor + credit_notes_minor + amount_paid_minor) = 0
    WHEN state = 'draft'::text THEN ((credit_applied_minor + credit_notes_minor + amount_paid_minor)::numeric + amount_processing_minor + amount_overpaid_minor::numeric) = 0::numeric
    WHEN state = ANY (ARRAY['open'::text, 'uncollectible'::text]) THEN total_minor > (credit_applied_minor + credit_notes_minor + amount_paid_minor)
    WHEN state = ANY (ARRAY['paid'::text, 'void'::text]) THEN total_minor = (credit_applied_minor + credit_notes_minor + amount_paid_minor)
    ELSE true
END),
  constraint invoices_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint invoices_due_terms CHECK (days_until_due >= 0 AND days_until_due <= 365 AND due_date ~ '^\d{4}-\d\d-\d\d$'::text AND (number IS NOT NULL OR num_nonnulls(days_until_due, due_date) <= 1)),
  constraint invoices_hashes CHECK (document_hash ~ '^[0-9a-f]*$'::text AND length(document_hash) = 64 AND previous_document_hash ~ '^[0-9a-f]*$'::text AND length(previous_document_hash) = 64 AND token_hash ~ '^[0-9a-f]*$'::text AND length(token_hash) = 64 AND party_hash ~ '^[0-9a-f]*$'::text AND length(party_hash) = 64),
  constraint invoices_issue_date CHECK (issue_date ~ '^\d{4}-\d\d-\d\d$'::text AND (issue_date COLLATE "C") <= (due_date COLLATE "C")),
  constraint invoices_issued CHECK (
CASE
    WHEN state = ANY (ARRAY['draft'::text, 'deleted'::text]) THEN num_nonnulls(number, series_id, sequence, issued_at, issue_date, due_at, document_hash, previous_document_hash, party_hash, retained_until) = 0
    WHEN state = ANY (ARRAY['open'::text, 'paid'::text, 'uncollectible'::text, 'void'::text]) THEN num_nulls(number, series_id, sequence, issued_at, issue_date, due_date, due_at, document_hash, party_hash, retained_until, token_hash, sealed_token) = 0
    ELSE true
END),
  constraint invoices_lines CHECK (
CASE state
    WHEN 'deleted'::text THEN jsonb_array_length(lines) = 0
    ELSE jsonb_array_length(lines) >= 1 AND jsonb_array_length(lines) <= 100
END),
  constraint invoices_overdue CHECK (NOT overdue OR state = 'open'::text),
  constraint invoices_paid CHECK ((state = 'paid'::text) = (paid_at IS NOT NULL)),
  constraint invoices_parties CHECK ((customer IS NULL) = (party_salt IS NULL) AND (number IS NOT NULL OR num_nonnulls(seller, customer) = 0) AND (number IS NULL OR customer IS NOT NULL OR customer_erased)),
  constraint invoices_payable_draft CHECK (
CASE state
    WHEN 'draft'::text THEN (num_nonnulls(payment_link_id, token_hash, sealed_token) = ANY (ARRAY[0, 3])) AND (payment_link_id IS NULL OR subscription_id IS NOT NULL)
    WHEN 'deleted'::text THEN num_nonnulls(payment_link_id, token_hash, sealed_token) = 0
    ELSE true
END),
  constraint invoices_period CHECK ((subscription_id IS NULL) = (period_index IS NULL) AND period_index >= 0 AND (period_start IS NULL) = (period_end IS NULL) AND period_start < period_end AND (subscription_id IS NOT NULL OR period_start IS NULL)),
  constraint invoices_reminders CHECK (reminders_passed >= 0 AND reminders_passed <= jsonb_array_length(reminders)),
  constraint invoices_sequence CHECK (sequence >= 1),
  constraint invoices_state CHECK (state = ANY (ARRAY['draft'::text, 'open'::text, 'paid'::text, 'uncollectible'::text, 'void'::text, 'deleted'::text])),
  constraint invoices_tax_behavior CHECK (tax_behavior = ANY (ARRAY['exclusive'::text, 'inclusive'::text])),
  constraint invoices_test_clock CHECK (test_clock_id IS NULL OR NOT livemode),
  constraint invoices_texts CHECK (length(reference) <= 200 AND length(order_number) <= 200 AND length(notes) <= 2000 AND length(void_reason) <= 1000),
  constraint invoices_total CHECK (total_minor = (subtotal_minor + tax_minor) AND total_minor >= 0 AND total_minor <= '9007199254740991'::bigint),
  constraint invoices_void CHECK ((state = 'void'::text) = (voided_at IS NOT NULL) AND (void_reason IS NULL OR state = 'void'::text))
);

create table json_layouts (
  id integer not null,
  template text not null,
  constraint json_layouts_pkey PRIMARY KEY (id)
);

create table logos (
  name text not null,
  bytes bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint logos_pkey PRIMARY KEY (name),
  constraint logos_bytes CHECK (length(bytes) >= 1 AND length(bytes) <= 262144),
  constraint logos_name CHECK (name ~ '^[0-9a-f]{64}[.](png|jpg|webp)$'::text)
);

create table machine_flows (
  span text not null,
  starts_at timestamp with time zone not null,
  kind text not null,
  from_state text not null,
  to_state text not null,
  taken bigint not null,
  constraint machine_flows_pkey PRIMARY KEY (span, starts_at, kind, from_state, to_state)
);

create table machine_states (
  kind text not null,
  state text not null,
  actors bigint not null,
  constraint machine_states_pkey PRIMARY KEY (kind, state)
);

create table machine_stays (
  span text not null,
  starts_at timestamp with time zone not null,
  kind text not null,
  state text not null,
  duration smallint not null,
  stays bigint not null,
  constraint machine_stays_pkey PRIMARY KEY (span, starts_at, kind, state, duration)
);

create table machine_versions (
  kind text not null,
  version integer not null,
  constraint machine_versions_pkey PRIMARY KEY (kind, version)
);

create table members (
  merchant_id uuid not null,
  account_id uuid not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  seq bigint not null generated always as identity,
  constraint members_pkey PRIMARY KEY (merchant_id, account_id),
  constraint members_role CHECK (role = ANY (ARRAY['owner'::text, 'developer'::text, 'viewer'::text])),
  constraint members_account FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint members_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table merchant_settings (
  merchant_id uuid not null,
  livemode boolean not null,
  confirmations jsonb not null default '{}'::jsonb,
  tolerance_bps integer not null default 50,
  late_policy text not null default 'accept_stablecoins'::text,
  refund_mode text not null default 'manual'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint merchant_settings_pkey PRIMARY KEY (merchant_id, livemode),
  constraint merchant_settings_late_policy CHECK (late_policy = ANY (ARRAY['accept_stablecoins'::text, 'needs_attention'::text])),
  constraint merchant_settings_refund_mode CHECK (refund_mode = ANY (ARRAY['manual'::text, 'signer'::text])),
  constraint merchant_settings_tolerance CHECK (tolerance_bps >= 0 AND tolerance_bps <= 1000),
  constraint merchant_settings_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table merchants (
  id uuid not null,
  name text not null,
  api_version text not null default '2026-11-20'::text,
  logo text,
  accent_color text,
  support_email text,
  support_url text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint merchants_pkey PRIMARY KEY (id),
  constraint merchants_branding CHECK (length(support_url) <= 2048 AND length(support_email) <= 254 AND accent_color ~ '^#[0-9a-f]{6}$'::text),
  constraint merchants_name CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint merchants_logo_fkey FOREIGN KEY (logo) REFERENCES logos(name)
);

create table merged_customers (
  customer_id uuid not null,
  survivor_id uuid not null,
  constraint merged_customers_pkey PRIMARY KEY (customer_id),
  constraint merged_customers_other CHECK (customer_id <> survivor_id)
);

create table migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table native_balances (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  mined_at timestamp with time zone not null,
  balance numeric(78,0) not null,
  has_code boolean not null default false,
  looked_at timestamp with time zone not null default now(),
  constraint native_balances_pkey PRIMARY KEY (chain_id, address, block_number),
  constraint native_balances_balance_check CHECK (balance >= 0::numeric)
);

create table noticed_transfers (
  chain_id bigint not null,
  tx_hash text not null,
  refund_id uuid not null,
  from_address text,
  noticed_at timestamp with time zone not null default now(),
  looks integer not null default 0,
  next_look_at timestamp with time zone not null default now(),
  constraint noticed_transfers_pkey PRIMARY KEY (chain_id, tx_hash, refund_id)
);

create table payment_links (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  amount_minor bigint not null,
  currency text not null,
  title text,
  description text,
  reference text,
  assets jsonb,
  max_payments integer,
  window_minutes integer not null,
  expires_at timestamp with time zone,
  success_url text,
  metadata jsonb not null,
  hidden boolean not null default false,
  payments_opened integer not null,
  payments_processing integer not null,
  payments_count integer not null,
  deactivated_at timestamp with time zone,
  constraint payment_links_pkey PRIMARY KEY (id),
  constraint payment_links_amount CHECK (amount_minor >= 1 AND amount_minor <= '9007199254740991'::bigint),
  constraint payment_links_completed CHECK (
CASE state
    WHEN 'active'::text THEN max_payments IS NULL OR payments_count < max_payments
    WHEN 'completed'::text THEN COALESCE(payments_count >= max_payments, false)
    ELSE true
END),
  constraint payment_links_counts CHECK (payments_opened >= 0 AND payments_processing >= 0 AND payments_count >= 0),
  constraint payment_links_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint payment_links_deactivated CHECK ((state = 'deactivated'::text) = (deactivated_at IS NOT NULL)),
  constraint payment_links_expired CHECK (state <> 'expired'::text OR expires_at IS NOT NULL),
  constraint payment_links_hidden CHECK (NOT hidden OR (state = ANY (ARRAY['active'::text, 'deactivated'::text])) AND max_payments IS NULL AND expires_at IS NULL AND reference IS NULL),
  constraint payment_links_max_payments CHECK (max_payments >= 1),
  constraint payment_links_state CHECK (state = ANY (ARRAY['active'::text, 'deactivated'::text, 'completed'::text, 'expired'::text])),
  constraint payment_links_texts CHECK (length(title) <= 200 AND length(description) <= 1000 AND length(reference) <= 200 AND length(success_url) <= 2048),
  constraint payment_links_window CHECK (window_minutes >= 5 AND window_minutes <= 10080)
);

create table payment_sums (
  merchant_id uuid not null,
  livemode boolean not null,
  span text not null,
  breakdown text not null,
  starts_at timestamp without time zone not null,
  currency text not null,
  key text collate "C" not null,
  opened integer not null,
  converted integer not null,
  picked integer not null,
  seen integer not null,
  succeeded integer not null,
  failed integer not null,
  expired integer not null,
  canceled integer not null,
  late integer not null,
  volume_minor numeric not null,
  refunds integer not null,
  refunded_minor numeric not null,
  pay_times integer[],
  final_times integer[],
  constraint payment_sums_pkey PRIMARY KEY (merchant_id, livemode, span, breakdown, starts_at, currency, key),
  constraint payment_sums_breakdown CHECK (breakdown = ANY (ARRAY['all'::text, 'asset'::text, 'link'::text])),
  constraint payment_sums_span CHECK (span = ANY (ARRAY['quarter'::text, 'day'::text])),
  constraint payment_sums_times CHECK (breakdown <> 'link'::text OR num_nonnulls(pay_times, final_times) = 0)
);

create table payments (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  payment_link_id uuid not null,
  customer_id uuid,
  invoice_id uuid,
  amount_minor bigint not null,
  currency text not null,
  customer_email text not null,
  customer_name text,
  reference text,
  metadata jsonb not null,
  tolerance_bps integer not null,
  late_policy text not null,
  expires_at timestamp with time zone not null,
  chain_id bigint,
  asset text,
  token_address text,
  decimals integer,
  address text,
  amount_expected numeric(78,0),
  confirmations_required integer,
  pegged boolean,
  quote_rate text,
  quote_source text,
  quote_expires_at timestamp with time zone,
  scan bigint not null,
  amount_received numeric(78,0) not null,
  amount_final numeric(78,0) not null,
  received_minor bigint not null,
  payer_address text,
  tx_hash text,
  block_number bigint,
  stray text,
  final_strays integer not null,
  announced jsonb not null,
  collection_unexplained boolean not null,
  window_lengthened boolean not null,
  exception text,
  failure_reason text,
  attention boolean not null,
  refunds_reserved_minor bigint not null,
  amount_refunded_minor bigint not null,
  constraint payments_pkey PRIMARY KEY (id),
  constraint payments_address CHECK (address ~ '^0x[0-9a-fA-F]*$'::text AND length(address) = 42),
  constraint payments_amount CHECK (amount_minor >= 1 AND amount_minor <= '9007199254740991'::bigint),
  constraint payments_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint payments_customer CHECK (length(customer_email) <= 254 AND length(customer_name) <= 200),
  constraint payments_due CHECK (amount_expected > 0::numeric),
  constraint payments_enough CHECK (
CASE state
    WHEN 'processing'::text THEN COALESCE((amount_received * 10000::numeric) >= (amount_expected * (10000 - tolerance_bps)::numeric), false)
    WHEN 'pending'::text THEN amount_expected IS NULL OR (amount_received * 10000::numeric) < (amount_expected * (10000 - tolerance_bps)::numeric)
    ELSE true
END),
  constraint payments_exception CHECK (exception = ANY (ARRAY['underpaid'::text, 'overpaid'::text, 'late'::text, 'wrong_asset'::text, 'wrong_chain'::text])),
  constraint payments_failure CHECK ((state = 'failed'::text) = (failure_reason IS NOT NULL)),
  constraint payments_failure_reason CHECK (failure_reason = ANY (ARRAY['reverted'::text, 'wrong_recipient'::text, 'wrong_asset'::text, 'wrong_chain'::text, 'amount_mismatch'::text, 'underpaid'::text])),
  constraint payments_late_policy CHECK (late_policy = ANY (ARRAY['accept_stablecoins'::text, 'needs_attention'::text])),
  constraint payments_pick CHECK ((num_nulls(chain_id, asset, decimals, address, amount_expected, confirmations_required, pegged) = ANY (ARRAY[0, 7])) AND (token_address IS NULL OR asset IS NOT NULL)),
  constraint payments_quote CHECK ((num_nulls(quote_rate, quote_source, quote_expires_at) = ANY (ARRAY[0, 3])) AND (quote_rate IS NULL OR asset IS NOT NULL)),
  constraint payments_received CHECK (received_minor::numeric = LEAST(COALESCE(div(amount_final * amount_minor::numeric, amount_expected), 0::numeric), '9007199254740991'::bigint::numeric)),
  constraint payments_reference CHECK (length(reference) <= 200),
  constraint payments_refunds CHECK (0 <= amount_refunded_minor AND amount_refunded_minor <= refunds_reserved_minor AND refunds_reserved_minor <= received_minor),
  constraint payments_refunds_when_over CHECK ((state <> ALL (ARRAY['pending'::text, 'processing'::text])) OR refunds_reserved_minor = 0),
  constraint payments_state CHECK (state = ANY (ARRAY['pending'::text, 'processing'::text, 'success'::text, 'failed'::text, 'expired'::text, 'canceled'::text])),
  constraint payments_stray CHECK ((stray = ANY (ARRAY['wrong_asset'::text, 'wrong_chain'::text])) AND (stray IS NOT NULL OR final_strays = 0)),
  constraint payments_success CHECK (state <> 'success'::text OR amount_final > 0::numeric OR final_strays > 0),
  constraint payments_sums CHECK (0::numeric <= amount_final AND amount_final <= amount_received AND (amount_expected IS NOT NULL OR amount_received = 0::numeric)),
  constraint payments_tolerance CHECK (tolerance_bps >= 0 AND tolerance_bps <= 9999),
  constraint payments_tx_hash CHECK (tx_hash ~ '^0x[0-9a-f]*$'::text AND length(tx_hash) = 66)
);

create table plans (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  name text not null,
  description text,
  currency text not null,
  tax_behavior text not null,
  lines jsonb not null,
  taxes jsonb not null,
  subtotal_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  "interval" text not null,
  interval_count integer not null,
  trial_days integer not null,
  lead_days integer not null,
  grace_days integer not null,
  max_periods integer,
  activation text not null,
  after_grace text not null,
  assets jsonb,
  reference text,
  metadata jsonb not null,
  constraint plans_pkey PRIMARY KEY (id),
  constraint plans_activation CHECK (activation = ANY (ARRAY['on_payment'::text, 'immediate'::text])),
  constraint plans_after_grace CHECK (after_grace = ANY (ARRAY['cancel'::text, 'pause'::text])),
  constraint plans_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint plans_days CHECK (LEAST(lead_days, grace_days) >= 0 AND GREATEST(lead_days, grace_days) < (interval_count *
CASE "interval"
    WHEN 'day'::text THEN 1
    WHEN 'week'::text THEN 7
    WHEN 'month'::text THEN 28
    ELSE 365
END)),
  constraint plans_interval CHECK (("interval" = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text])) AND interval_count >= 1 AND interval_count <= 12),
  constraint plans_lines CHECK (jsonb_array_length(lines) >= 1 AND jsonb_array_length(lines) <= 20),
  constraint plans_max_periods CHECK (max_periods >= 1 AND max_periods <= 10000),
  constraint plans_state CHECK (state = ANY (ARRAY['active'::text, 'archived'::text])),
  constraint plans_tax_behavior CHECK (tax_behavior = ANY (ARRAY['exclusive'::text, 'inclusive'::text])),
  constraint plans_texts CHECK (length(name) >= 1 AND length(name) <= 200 AND length(description) <= 1000 AND length(reference) <= 200),
  constraint plans_total CHECK (total_minor = (subtotal_minor + tax_minor) AND total_minor >= 0 AND total_minor <= '9007199254740991'::bigint),
  constraint plans_trial CHECK (trial_days >= 0 AND trial_days <= 730)
);

create table receiving_addresses (
  merchant_id uuid not null,
  livemode boolean not null,
  chain_id bigint,
  address text not null,
  updated_at timestamp with time zone not null default now(),
  constraint receiving_addresses_once UNIQUE NULLS NOT DISTINCT (merchant_id, livemode, chain_id),
  constraint receiving_addresses_address CHECK (address ~ '^0x[0-9a-fA-F]*$'::text AND length(address) = 42),
  constraint receiving_addresses_chain CHECK (chain_id >= 1 AND chain_id <= '9007199254740991'::bigint),
  constraint receiving_addresses_settings FOREIGN KEY (merchant_id, livemode) REFERENCES merchant_settings(merchant_id, livemode)
);

create table recovery_codes (
  account_id uuid not null,
  hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (account_id, hash),
  constraint recovery_codes_hash CHECK (length(hash) = 32),
  constraint recovery_codes_account FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table recovery_secrets (
  id uuid not null,
  sealed_secret text not null,
  next_counter bigint not null default 0,
  counted_at timestamp with time zone not null default now(),
  constraint recovery_secrets_pkey PRIMARY KEY (id),
  constraint recovery_secrets_id_fkey FOREIGN KEY (id) REFERENCES merchants(id)
);

create table refund_beginnings (
  refund_id uuid not null,
  final_number bigint not null,
  head_number bigint not null,
  epoch text,
  constraint refund_beginnings_pkey PRIMARY KEY (refund_id)
);

create table refund_claims (
  id uuid not null,
  secret_hash bytea not null,
  sealed_secret text not null,
  expires_at timestamp with time zone not null,
  constraint refund_claims_pkey PRIMARY KEY (id),
  constraint refund_claims_secret_hash_once UNIQUE (secret_hash),
  constraint refund_claims_secret_hash CHECK (length(secret_hash) = 32)
);

create table refund_destination_proofs (
  refund_id uuid not null,
  address text not null,
  message text not null,
  signature text not null,
  proven_at timestamp with time zone not null,
  constraint refund_destination_proofs_pkey PRIMARY KEY (refund_id),
  constraint refund_destination_proofs_address CHECK (address ~ '^0x[0-9a-fA-F]*$'::text AND length(address) = 42),
  constraint refund_destination_proofs_signature CHECK (signature ~ '^0x[0-9a-f]*$'::text AND length(signature) = 132)
);

create table refund_destinations (
  refund_id uuid not null,
  chain_id bigint not null,
  to_address text not null,
  token_address text,
  amount numeric(78,0) not null,
  until timestamp with time zone,
  native_until timestamp with time zone,
  constraint refund_destinations_pkey PRIMARY KEY (refund_id)
);

create table refund_judgements (
  refund_id uuid not null,
  rev integer not null,
  why text not null,
  constraint refund_judgements_pkey PRIMARY KEY (refund_id, rev),
  constraint refund_judgements_why CHECK (why = ANY (ARRAY['nodes_disagree'::text, 'balance_unknown'::text, 'balance_unclear'::text, 'possibly_earlier'::text, 'nonce_unclear'::text, 'stray_transfer'::text]))
);

create table refund_looks (
  refund_id uuid not null,
  chain_id bigint not null,
  tx_hash text not null,
  block_number bigint,
  looks integer not null default 0,
  next_look_at timestamp with time zone not null default now(),
  doubt text,
  person_from timestamp with time zone,
  chain_lost boolean not null default false,
  constraint refund_looks_pkey PRIMARY KEY (refund_id),
  constraint refund_looks_doubt CHECK (doubt = ANY (ARRAY['transaction_unknown'::text, 'nodes_disagree'::text, 'balance_unknown'::text, 'balance_unclear'::text, 'possibly_earlier'::text])),
  constraint refund_looks_person CHECK ((doubt IS NULL) = (person_from IS NULL)),
  constraint refund_looks_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]*$'::text AND length(tx_hash) = 66)
);

create table refund_rises (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  refund_id uuid not null,
  constraint refund_rises_pkey PRIMARY KEY (chain_id, address, block_number)
);

create table refund_signer_limits (
  signer_id uuid not null,
  currency text not null,
  per_refund_minor bigint not null,
  per_day_minor bigint not null,
  constraint refund_signer_limits_pkey PRIMARY KEY (signer_id, currency),
  constraint refund_signer_limits_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint refund_signer_limits_per_day_minor_check CHECK (per_day_minor >= 1 AND per_day_minor <= '9007199254740991'::bigint),
  constraint refund_signer_limits_per_refund_minor_check CHECK (per_refund_minor >= 1 AND per_refund_minor <= '9007199254740991'::bigint),
  constraint refund_signer_limits_signer_id_fkey FOREIGN KEY (signer_id) REFERENCES refund_signers(id)
);

create table refund_signers (
  id uuid not null,
  merchant_id uuid not null,
  chain_id bigint not null,
  epoch text,
  address text not null,
  sealed_key text,
  first_nonce bigint not null,
  era integer not null default current_era(),
  created_at timestamp with time zone not null default now(),
  removed_at timestamp with time zone,
  constraint refund_signers_pkey PRIMARY KEY (id),
  constraint refund_signers_address CHECK (address ~ '^0x[0-9a-f]*$'::text AND length(address) = 42),
  constraint refund_signers_chain CHECK (chain_id >= 1 AND chain_id <= '9007199254740991'::bigint),
  constraint refund_signers_key CHECK (removed_at IS NOT NULL OR (epoch IS NULL) = (sealed_key IS NOT NULL)),
  constraint refund_signers_nonce CHECK (first_nonce >= 0),
  constraint refund_signers_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table refund_warnings (
  refund_id uuid not null,
  why text not null,
  warned_at timestamp with time zone not null default now(),
  constraint refund_warnings_pkey PRIMARY KEY (refund_id, why)
);

create table refunds (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  payment_id uuid not null,
  invoice_id uuid,
  credit_note_id uuid,
  amount_minor bigint not null,
  currency text not null,
  reason text,
  metadata jsonb not null,
  chain_id bigint not null,
  asset text not null,
  token_address text,
  amount numeric(78,0) not null,
  destination text,
  tx_hash text,
  confirmations integer not null,
  failure_reason text,
  attention boolean not null,
  stray_tx_hash text,
  constraint refunds_pkey PRIMARY KEY (id),
  constraint refunds_amount CHECK (amount_minor >= 1 AND amount_minor <= '9007199254740991'::bigint AND amount >= 0::numeric),
  constraint refunds_confirmations CHECK (confirmations >= 0),
  constraint refunds_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint refunds_destination CHECK (
CASE state
    WHEN 'requires_destination'::text THEN destination IS NULL
    WHEN 'canceled'::text THEN true
    ELSE destination IS NOT NULL
END),
  constraint refunds_destination_form CHECK (destination ~ '^0x[0-9a-fA-F]*$'::text AND length(destination) = 42),
  constraint refunds_failure CHECK ((state = 'failed'::text) = (failure_reason IS NOT NULL)),
  constraint refunds_failure_reason CHECK (failure_reason = ANY (ARRAY['reverted'::text, 'wrong_recipient'::text, 'wrong_asset'::text, 'amount_mismatch'::text, 'dropped'::text, 'unproven'::text])),
  constraint refunds_reason CHECK (reason = ANY (ARRAY['requested_by_customer'::text, 'duplicate'::text, 'fraudulent'::text, 'overpayment'::text, 'late_payment'::text, 'other'::text])),
  constraint refunds_state CHECK (state = ANY (ARRAY['requires_destination'::text, 'requires_signature'::text, 'processing'::text, 'processed'::text, 'failed'::text, 'canceled'::text])),
  constraint refunds_stray CHECK (NOT attention OR stray_tx_hash IS NOT NULL),
  constraint refunds_transaction CHECK ((state = ANY (ARRAY['processing'::text, 'processed'::text, 'failed'::text])) = (tx_hash IS NOT NULL)),
  constraint refunds_tx_hash CHECK (tx_hash ~ '^0x[0-9a-f]*$'::text AND length(tx_hash) = 66 AND stray_tx_hash ~ '^0x[0-9a-f]*$'::text AND length(stray_tx_hash) = 66)
);

create table retention_progress (
  part text not null,
  era integer not null,
  xid xid8 not null,
  seq bigint not null,
  step integer not null,
  dropped bigint not null,
  before timestamp with time zone,
  completed_at timestamp with time zone,
  held text,
  constraint retention_progress_pkey PRIMARY KEY (part),
  constraint retention_progress_before CHECK ((dropped > 0) <= (before IS NOT NULL)),
  constraint retention_progress_held CHECK (held = ANY (ARRAY['audit'::text, 'broken'::text, 'failed'::text]))
);

create table security_events (
  id uuid not null default new_uuidv7(),
  merchant_id uuid,
  account_id uuid,
  actor text not null,
  address text,
  action text not null,
  details json not null,
  at timestamp with time zone not null default clock_timestamp(),
  seq bigint not null generated always as identity,
  constraint security_events_pkey PRIMARY KEY (id),
  constraint security_events_action CHECK (action ~ '^[a-z_]+\.[a-z_]+$'::text)
);

create table sessions (
  id uuid not null,
  account_id uuid not null,
  token_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamp with time zone not null default now(),
  proven_at timestamp with time zone not null default now(),
  second_factor_at timestamp with time zone,
  last_used_at timestamp with time zone not null default now(),
  address text not null,
  network text not null,
  user_agent text,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_hash CHECK (length(token_hash) = 32 AND length(previous_hash) = 32),
  constraint sessions_user_agent CHECK (length(user_agent) <= 300),
  constraint sessions_account FOREIGN KEY (account_id) REFERENCES accounts(id)
);

create table signed_transactions (
  signer_id uuid not null,
  nonce bigint not null,
  attempt integer not null,
  chain_id bigint not null,
  tx_hash text not null,
  raw text not null,
  gas bigint not null,
  max_fee numeric(78,0) not null,
  tip numeric(78,0),
  taken_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint signed_transactions_pkey PRIMARY KEY (signer_id, nonce, attempt),
  constraint signed_transactions_attempt_check CHECK (attempt >= 1),
  constraint signed_transactions_raw_check CHECK (raw ~ '^0x[0-9a-f]+$'::text),
  constraint signed_transactions_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]*$'::text AND length(tx_hash) = 66)
);

create table signer_nonces (
  signer_id uuid not null,
  nonce bigint not null,
  refund_id uuid,
  state text not null,
  sent_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint signer_nonces_pkey PRIMARY KEY (signer_id, nonce),
  constraint signer_nonces_nonce_check CHECK (nonce >= 0),
  constraint signer_nonces_state CHECK (state = ANY (ARRAY['open'::text, 'mined'::text, 'dropped'::text]))
);

create table signing_waits (
  refund_id uuid not null,
  signer_id uuid not null,
  reason text not null,
  tries integer not null default 1,
  next_try_at timestamp with time zone not null,
  since timestamp with time zone not null default now(),
  begun_at timestamp with time zone not null default now(),
  native_chain_id bigint,
  constraint signing_waits_pkey PRIMARY KEY (refund_id),
  constraint signing_waits_reason CHECK (reason = ANY (ARRAY['no_answer'::text, 'no_gas'::text, 'no_funds'::text, 'nonce_ahead'::text, 'refused'::text, 'unreadable_key'::text, 'unsettled'::text, 'fault'::text, 'on_hold'::text, 'over_refund_limit'::text, 'over_day_limit'::text, 'by_hand'::text]))
);

create table simulations (
  payment_id uuid not null,
  holder uuid not null,
  reorganizes boolean not null,
  idempotency_key text,
  seq bigint not null generated always as identity,
  touched_at timestamp with time zone not null,
  backend integer not null,
  backend_start timestamp with time zone not null,
  constraint simulations_pkey PRIMARY KEY (payment_id)
);

create table submissions (
  payment_id uuid not null,
  tx_hash text not null,
  chain_id bigint not null,
  block_number bigint,
  looks integer not null default 0,
  next_look_at timestamp with time zone not null default now(),
  constraint submissions_pkey PRIMARY KEY (payment_id, tx_hash),
  constraint submissions_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]*$'::text AND length(tx_hash) = 66)
);

create table subscription_runs (
  only_one boolean not null,
  last_at timestamp with time zone not null,
  outage_from timestamp with time zone,
  outage_until timestamp with time zone,
  constraint subscription_runs_pkey PRIMARY KEY (only_one),
  constraint subscription_runs_only_one CHECK (only_one),
  constraint subscription_runs_outage CHECK ((outage_from IS NULL) = (outage_until IS NULL) AND outage_from < outage_until)
);

create table subscriptions (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  customer_id uuid not null,
  test_clock_id uuid,
  plan_id uuid,
  source text not null,
  payer jsonb,
  trial_key text,
  verified boolean not null,
  currency text not null,
  tax_behavior text not null,
  lines jsonb not null,
  taxes jsonb not null,
  subtotal_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  "interval" text not null,
  interval_count integer not null,
  anchor_at timestamp with time zone not null,
  anchor_given boolean not null,
  trial_ends_at timestamp with time zone,
  lead_days integer not null,
  grace_days integer not null,
  max_periods integer,
  activation text not null,
  after_grace text not null,
  assets jsonb,
  reference text,
  metadata jsonb not null,
  period_index integer,
  invoiced_index integer,
  latest_invoice_id uuid,
  unpaid jsonb not null,
  first_due_at timestamp with time zone,
  trial_ending_sent boolean not null,
  owed_index integer,
  grace_ends_at timestamp with time zone,
  pause_at_period_end boolean not null,
  paused_at timestamp with time zone,
  resumes_at timestamp with time zone,
  resume_index integer,
  cancel_at_period_end boolean not null,
  canceled_at timestamp with time zone,
  canceled_by_customer boolean not null,
  ended_at timestamp with time zone,
  end_reason text,
  pending_change jsonb,
  token_hash text not null,
  sealed_token text not null,
  constraint subscriptions_pkey PRIMARY KEY (id),
  constraint subscriptions_activation CHECK (activation = ANY (ARRAY['on_payment'::text, 'immediate'::text])),
  constraint subscriptions_after_grace CHECK (after_grace = ANY (ARRAY['cancel'::text, 'pause'::text])),
  constraint subscriptions_cadence CHECK (("interval" = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text])) AND interval_count >= 1 AND interval_count <= 12),
  constraint subscriptions_canceling CHECK (NOT cancel_at_period_end OR (state = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text]))),
  constraint subscriptions_currency CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint subscriptions_days CHECK (LEAST(lead_days, grace_days) >= 0 AND GREATEST(lead_days, grace_days) < (interval_count *
CASE "interval"
    WHEN 'day'::text THEN 1
    WHEN 'week'::text THEN 7
    WHEN 'month'::text THEN 28
    ELSE 365
END)),
  constraint subscriptions_ended CHECK ((state = ANY (ARRAY['canceled'::text, 'expired'::text, 'completed'::text])) = (ended_at IS NOT NULL) AND (ended_at IS NULL) = (end_reason IS NULL) AND
CASE state
    WHEN 'canceled'::text THEN (end_reason = ANY (ARRAY['requested'::text, 'customer'::text, 'unpaid'::text])) AND canceled_at IS NOT NULL
    WHEN 'expired'::text THEN end_reason = 'incomplete'::text
    WHEN 'completed'::text THEN end_reason = 'completed'::text
    ELSE true
END),
  constraint subscriptions_invoiced CHECK ((invoiced_index IS NULL OR latest_invoice_id IS NOT NULL) AND invoiced_index >= 0 AND (state <> 'active'::text OR COALESCE(invoiced_index, '-1'::integer) >= period_index)),
  constraint subscriptions_lines CHECK (jsonb_array_length(lines) >= 1 AND jsonb_array_length(lines) <= 20),
  constraint subscriptions_max_periods CHECK (max_periods >= 1),
  constraint subscriptions_past_due CHECK ((state = 'past_due'::text) = (owed_index IS NOT NULL) AND (owed_index IS NULL) = (grace_ends_at IS NULL)),
  constraint subscriptions_paused CHECK ((state = 'paused'::text) = (paused_at IS NOT NULL) AND (resume_index IS NULL OR state = 'paused'::text) AND (NOT pause_at_period_end OR (state = ANY (ARRAY['active'::text, 'past_due'::text])))),
  constraint subscriptions_payer CHECK (source <> 'merchant'::text OR num_nonnulls(payer, trial_key) = 0),
  constraint subscriptions_period CHECK (
CASE
    WHEN state = ANY (ARRAY['new'::text, 'incomplete'::text, 'trialing'::text]) THEN period_index IS NULL
    WHEN state = ANY (ARRAY['active'::text, 'completed'::text]) THEN period_index IS NOT NULL
    ELSE true
END AND period_index >= 0 AND (period_index < max_periods OR max_periods IS NULL)),
  constraint subscriptions_reference CHECK (length(reference) <= 200),
  constraint subscriptions_source CHECK (source = ANY (ARRAY['merchant'::text, 'checkout'::text])),
  constraint subscriptions_state CHECK (state = ANY (ARRAY['new'::text, 'incomplete'::text, 'trialing'::text, 'active'::text, 'past_due'::text, 'paused'::text, 'canceled'::text, 'expired'::text, 'completed'::text])),
  constraint subscriptions_tax_behavior CHECK (tax_behavior = ANY (ARRAY['exclusive'::text, 'inclusive'::text])),
  constraint subscriptions_test_clock CHECK (test_clock_id IS NULL OR NOT livemode),
  constraint subscriptions_token CHECK (token_hash ~ '^[0-9a-f]*$'::text AND length(token_hash) = 64),
  constraint subscriptions_total CHECK (total_minor = (subtotal_minor + tax_minor) AND total_minor >= 0 AND total_minor <= '9007199254740991'::bigint),
  constraint subscriptions_trial CHECK (anchor_at = trial_ends_at)
);

create table test_clocks (
  id uuid not null,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null,
  now timestamp with time zone not null,
  target timestamp with time zone,
  constraint test_clocks_pkey PRIMARY KEY (id),
  constraint test_clocks_mode CHECK (NOT livemode),
  constraint test_clocks_state CHECK (state = ANY (ARRAY['ready'::text, 'advancing'::text, 'deleted'::text])),
  constraint test_clocks_target CHECK ((state = 'advancing'::text) = (target IS NOT NULL) AND now <= target)
);

create table timers (
  actor uuid not null,
  name text not null,
  kind text not null,
  generation integer not null,
  due_at timestamp with time zone not null,
  failures integer not null default 0,
  planned boolean not null default false,
  test_clock_id uuid,
  retry_at timestamp with time zone,
  constraint timers_pkey PRIMARY KEY (actor, name)
);

create table transfer_sums (
  payment_id uuid not null,
  chain_id bigint not null,
  block_number bigint not null,
  block_hash text not null,
  mined_at timestamp with time zone not null,
  token_address text,
  state text not null,
  transfers integer not null,
  amount numeric not null,
  tx_hash text not null,
  log_index integer not null,
  from_address text,
  constraint transfer_sums_amount_check CHECK (amount > 0::numeric),
  constraint transfer_sums_state_check CHECK (state = ANY (ARRAY['seen'::text, 'final'::text])),
  constraint transfer_sums_transfers_check CHECK (transfers > 0)
);

create table transfers (
  chain_id bigint not null,
  tx_hash text not null,
  log_index integer not null,
  block_number bigint not null,
  block_hash text not null,
  mined_at timestamp with time zone not null,
  payment_id uuid not null,
  token_address text,
  from_address text,
  to_address text not null,
  amount numeric(78,0) not null,
  state text not null,
  agreed boolean not null default false,
  constraint transfers_pkey PRIMARY KEY (chain_id, block_hash, tx_hash, log_index),
  constraint transfers_amount_check CHECK (amount > 0::numeric),
  constraint transfers_state_check CHECK (state = ANY (ARRAY['seen'::text, 'final'::text, 'orphaned'::text])),
  constraint transfers_tx_hash_check CHECK (tx_hash ~ '^0x[0-9a-f]*$'::text AND length(tx_hash) = 66)
);

create table transitions (
  actor uuid not null,
  command uuid not null,
  merchant_id uuid,
  at timestamp with time zone not null,
  actor_created_at timestamp with time zone not null,
  xid xid8 not null default pg_current_xact_id(),
  seq bigint not null generated always as identity (cache 1000),
  era integer not null,
  rev integer not null,
  livemode boolean,
  keyed boolean not null,
  kind text not null,
  event text not null,
  from_state text,
  to_state text not null,
  cause text,
  digest bytea,
  context text not null,
  constraint transitions_pkey PRIMARY KEY (actor, rev),
  constraint transitions_first CHECK ((rev = 1) = (from_state IS NULL)),
  constraint transitions_owner CHECK ((merchant_id IS NULL) = (livemode IS NULL))
);

create table unclear_nonces (
  signer_id uuid not null,
  nonce bigint not null,
  searches integer not null default 1,
  next_search_at timestamp with time zone not null,
  since timestamp with time zone not null default now(),
  constraint unclear_nonces_pkey PRIMARY KEY (signer_id, nonce)
);

create table unexplained_collections (
  chain_id bigint not null,
  address text not null,
  payment_id uuid not null,
  block_number bigint not null,
  constraint unexplained_collections_pkey PRIMARY KEY (chain_id, address)
);

create table unsettled_payments (
  payment_id uuid not null,
  chain_id bigint not null,
  step bigint not null,
  reported_rev integer,
  constraint unsettled_payments_pkey PRIMARY KEY (payment_id)
);

create table waiting_addresses (
  chain_id bigint not null,
  address text not null,
  merchant_id uuid not null,
  last_block bigint not null,
  empty_number bigint,
  empty_hash text,
  constraint waiting_addresses_pkey PRIMARY KEY (chain_id, address),
  constraint waiting_addresses_empty CHECK (num_nulls(empty_number, empty_hash) = ANY (ARRAY[0, 2]))
);

create table webhook_endpoints (
  id uuid not null,
  merchant_id uuid not null,
  livemode boolean not null,
  url text not null,
  description text,
  event_types text[] not null,
  state text not null,
  disabled_reason text,
  sealed_secret text not null,
  previous_sealed_secret text,
  previous_until timestamp with time zone,
  enabled_at timestamp with time zone not null,
  last_success_at timestamp with time zone,
  inbox_token text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seq bigint not null generated always as identity,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_inbox CHECK (inbox_token IS NULL OR NOT livemode),
  constraint webhook_endpoints_previous CHECK ((previous_sealed_secret IS NULL) = (previous_until IS NULL)),
  constraint webhook_endpoints_reason CHECK ((state = 'disabled'::text) = (disabled_reason IS NOT NULL) AND (disabled_reason = ANY (ARRAY['by_merchant'::text, 'no_success'::text, 'gone'::text]))),
  constraint webhook_endpoints_state CHECK (state = ANY (ARRAY['enabled'::text, 'disabled'::text, 'deleted'::text])),
  constraint webhook_endpoints_texts CHECK (length(url) >= 1 AND length(url) <= 2048 AND length(description) <= 1000),
  constraint webhook_endpoints_types CHECK (cardinality(event_types) > 0),
  constraint webhook_endpoints_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table webhook_subscriptions (
  seq bigint not null generated always as identity,
  endpoint_id uuid not null,
  merchant_id uuid not null,
  livemode boolean not null,
  event_type text not null,
  opened_at timestamp with time zone not null,
  opened_era integer not null,
  opened_snapshot pg_snapshot not null,
  closed_at timestamp with time zone,
  closed_era integer,
  closed_snapshot pg_snapshot,
  constraint webhook_subscriptions_pkey PRIMARY KEY (seq),
  constraint webhook_subscriptions_closed CHECK ((closed_at IS NULL) = (closed_era IS NULL) AND (closed_at IS NULL) = (closed_snapshot IS NULL))
);

create unlogged table workers (
  id text not null,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamp with time zone not null default now(),
  beats bigint not null default 0,
  beat_at timestamp with time zone not null default now(),
  constraint workers_pkey PRIMARY KEY (id)
);

CREATE INDEX api_keys_merchant ON public.api_keys USING btree (merchant_id, livemode, seq);

CREATE INDEX attempts_at ON public.attempts USING btree (at);
CREATE INDEX attempts_subject ON public.attempts USING btree (subject, at);

CREATE INDEX audits_list ON public.audits USING btree (seq);
CREATE UNIQUE INDEX audits_one_running ON public.audits USING btree (status) WHERE (status = 'running'::text);

CREATE INDEX billing_settings_moving ON public.billing_settings USING btree (merchant_id) WHERE (sums_time_zone <> time_zone);

CREATE INDEX credit_balances_left ON public.credit_balances USING btree (customer_id) WHERE (balance_minor > 0);

CREATE INDEX credit_entries_list ON public.credit_entries USING btree (customer_id, seq);
CREATE INDEX credit_entries_of_credit_note ON public.credit_entries USING btree (credit_note_id) WHERE (credit_note_id IS NOT NULL);
CREATE INDEX credit_entries_of_invoice ON public.credit_entries USING btree (invoice_id) WHERE (invoice_id IS NOT NULL);

CREATE INDEX credit_notes_list ON public.credit_notes USING btree (merchant_id, livemode, seq);
CREATE INDEX credit_notes_of_customer ON public.credit_notes USING btree (customer_id, seq);
CREATE INDEX credit_notes_of_invoice ON public.credit_notes USING btree (invoice_id, seq);
CREATE UNIQUE INDEX credit_notes_sequence_once ON public.credit_notes USING btree (series_id, sequence);

CREATE INDEX customer_emails_of_customer ON public.customer_emails USING btree (customer_id);

CREATE INDEX customers_by_company ON public.customers USING btree (merchant_id, livemode, lower(company) COLLATE "C") WHERE (company IS NOT NULL);
CREATE INDEX customers_by_name ON public.customers USING btree (merchant_id, livemode, lower(name) COLLATE "C") WHERE (name IS NOT NULL);
CREATE INDEX customers_list ON public.customers USING btree (merchant_id, livemode, seq) WHERE (state <> 'merged'::text);
CREATE UNIQUE INDEX customers_reference_once ON public.customers USING btree (merchant_id, livemode, reference) WHERE ((reference IS NOT NULL) AND (state <> 'merged'::text));

CREATE INDEX deeper_payments_due ON public.deeper_payments USING btree (chain_id, number);

CREATE INDEX deliveries_due ON public.deliveries USING btree (endpoint_id, next_attempt_at) WHERE (state = 'pending'::text);
CREATE UNIQUE INDEX deliveries_event_once ON public.deliveries USING btree (event_id, endpoint_id);
CREATE INDEX deliveries_feed ON public.deliveries USING btree (next_attempt_at, endpoint_id) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_list ON public.deliveries USING btree (endpoint_id, state, event_type, seq);

CREATE INDEX disputes_by_payment ON public.disputes USING btree (merchant_id, livemode, payment_id, seq);
CREATE INDEX disputes_by_state ON public.disputes USING btree (merchant_id, livemode, state, seq);
CREATE INDEX disputes_list ON public.disputes USING btree (merchant_id, livemode, seq);
CREATE UNIQUE INDEX disputes_open_once ON public.disputes USING btree (payment_id) WHERE (state = ANY (ARRAY['needs_response'::text, 'under_review'::text]));

CREATE INDEX document_series_list ON public.document_series USING btree (merchant_id, livemode, seq);
CREATE UNIQUE INDEX document_series_once ON public.document_series USING btree (merchant_id, livemode, document_kind, year, test_clock_id) NULLS NOT DISTINCT;

CREATE INDEX dropped_places_old ON public.dropped_places USING btree (dropped_at);

CREATE INDEX events_by_type ON public.events USING btree (list_key(merchant_id, livemode, type), seq);
CREATE INDEX events_list ON public.events USING btree (merchant_id, livemode, seq);
CREATE INDEX events_of_object ON public.events USING btree (actor, seq);

CREATE INDEX idempotency_keys_of_record ON public.idempotency_keys USING btree (record_id);
CREATE INDEX idempotency_keys_old ON public.idempotency_keys USING btree (created_at) WHERE (NOT is_refund);

CREATE INDEX inbox_requests_latest ON public.inbox_requests USING btree (endpoint_id, seq);

CREATE INDEX invites_merchant ON public.invites USING btree (merchant_id, seq) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));

CREATE INDEX invoices_by_due_date ON public.invoices USING btree (merchant_id, livemode, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX invoices_by_issue ON public.invoices USING btree (merchant_id, livemode, issued_at) WHERE (issued_at IS NOT NULL);
CREATE INDEX invoices_by_number ON public.invoices USING btree (merchant_id, livemode, number) WHERE (number IS NOT NULL);
CREATE INDEX invoices_by_payment_time ON public.invoices USING btree (merchant_id, livemode, paid_at) WHERE (paid_at IS NOT NULL);
CREATE INDEX invoices_by_reference ON public.invoices USING btree (merchant_id, livemode, reference) WHERE (reference IS NOT NULL);
CREATE INDEX invoices_by_state ON public.invoices USING btree (merchant_id, livemode, state, seq);
CREATE INDEX invoices_list ON public.invoices USING btree (merchant_id, livemode, seq) WHERE (state <> 'deleted'::text);
CREATE INDEX invoices_of_customer ON public.invoices USING btree (customer_id, seq);
CREATE INDEX invoices_of_link ON public.invoices USING btree (payment_link_id) WHERE (payment_link_id IS NOT NULL);
CREATE INDEX invoices_of_subscription ON public.invoices USING btree (subscription_id, seq) WHERE (subscription_id IS NOT NULL);
CREATE INDEX invoices_open_of_customer ON public.invoices USING btree (customer_id) WHERE (state = 'open'::text);
CREATE INDEX invoices_overdue_list ON public.invoices USING btree (merchant_id, livemode, seq) WHERE overdue;
CREATE UNIQUE INDEX invoices_period_once ON public.invoices USING btree (subscription_id, period_index) WHERE ((subscription_id IS NOT NULL) AND (state <> ALL (ARRAY['void'::text, 'deleted'::text])));
CREATE UNIQUE INDEX invoices_sequence_once ON public.invoices USING btree (series_id, sequence) WHERE (sequence IS NOT NULL);
CREATE UNIQUE INDEX invoices_token_once ON public.invoices USING btree (token_hash) WHERE (token_hash IS NOT NULL);
CREATE INDEX invoices_waiting ON public.invoices USING btree (id) WHERE ((test_clock_id IS NULL) AND has_passed_times(state, due_passed, overdue, reminders, reminders_passed));
CREATE INDEX invoices_waiting_by_clock ON public.invoices USING btree (test_clock_id, id) WHERE ((test_clock_id IS NOT NULL) AND has_passed_times(state, due_passed, overdue, reminders, reminders_passed));
CREATE INDEX invoices_with_erased_party ON public.invoices USING btree (retained_until) WHERE (customer_erased AND (customer IS NOT NULL));

CREATE INDEX members_account ON public.members USING btree (account_id);

CREATE INDEX merchants_logo ON public.merchants USING btree (logo) WHERE (logo IS NOT NULL);

CREATE INDEX merged_customers_of_survivor ON public.merged_customers USING btree (survivor_id);

CREATE INDEX noticed_transfers_due ON public.noticed_transfers USING btree (chain_id, next_look_at);
CREATE INDEX noticed_transfers_reported ON public.noticed_transfers USING btree (refund_id) WHERE (from_address IS NULL);

CREATE INDEX payment_links_by_state ON public.payment_links USING btree (merchant_id, livemode, state, seq) WHERE (NOT hidden);
CREATE INDEX payment_links_hidden_by_state ON public.payment_links USING btree (merchant_id, livemode, state, seq) WHERE hidden;
CREATE INDEX payment_links_hidden_list ON public.payment_links USING btree (merchant_id, livemode, seq) WHERE hidden;
CREATE INDEX payment_links_list ON public.payment_links USING btree (merchant_id, livemode, seq) WHERE (NOT hidden);
CREATE UNIQUE INDEX payment_links_reference_once ON public.payment_links USING btree (merchant_id, livemode, reference) WHERE (reference IS NOT NULL);

CREATE INDEX payment_sums_quarters ON public.payment_sums USING btree (starts_at) WHERE ((span = 'quarter'::text) AND (breakdown = 'all'::text));

CREATE UNIQUE INDEX payments_address_once ON public.payments USING btree (decode(substr(address, 3), 'hex'::text)) WHERE (address IS NOT NULL);
CREATE INDEX payments_by_customer ON public.payments USING btree (customer_id, state, seq) WHERE (customer_id IS NOT NULL);
CREATE INDEX payments_by_email ON public.payments USING btree (merchant_id, livemode, lower(customer_email) COLLATE "C");
CREATE INDEX payments_by_link ON public.payments USING btree (payment_link_id, state, seq);
CREATE INDEX payments_by_payer ON public.payments USING btree (list_key(merchant_id, livemode, payer_address), state, seq) WHERE (payer_address IS NOT NULL);
CREATE INDEX payments_by_reference ON public.payments USING btree (list_key(merchant_id, livemode, reference), state, seq) WHERE (reference IS NOT NULL);
CREATE INDEX payments_by_state ON public.payments USING btree (merchant_id, livemode, state, seq);
CREATE INDEX payments_in_native ON public.payments USING btree (chain_id, updated_at) WHERE ((token_address IS NULL) AND (chain_id IS NOT NULL));
CREATE INDEX payments_list ON public.payments USING btree (merchant_id, livemode, seq);
CREATE INDEX payments_open ON public.payments USING btree (chain_id, updated_at) WHERE (state = ANY (ARRAY['pending'::text, 'processing'::text]));
CREATE INDEX payments_open_in_native ON public.payments USING btree (chain_id) WHERE ((token_address IS NULL) AND (chain_id IS NOT NULL) AND (state = ANY (ARRAY['pending'::text, 'processing'::text])));
CREATE INDEX payments_waiting ON public.payments USING btree (chain_id, expires_at) WHERE ((state = 'pending'::text) AND (amount_final = amount_received));
CREATE INDEX payments_with_attention ON public.payments USING btree (merchant_id, livemode, seq) WHERE attention;

CREATE INDEX plans_by_name ON public.plans USING btree (merchant_id, livemode, lower(name) COLLATE "C");
CREATE INDEX plans_by_state ON public.plans USING btree (merchant_id, livemode, state, seq);
CREATE INDEX plans_list ON public.plans USING btree (merchant_id, livemode, seq);
CREATE UNIQUE INDEX plans_reference_once ON public.plans USING btree (merchant_id, livemode, reference) WHERE (reference IS NOT NULL);

CREATE INDEX refund_destinations_native ON public.refund_destinations USING btree (chain_id, native_until) WHERE (native_until IS NOT NULL);
CREATE INDEX refund_destinations_to ON public.refund_destinations USING btree (chain_id, to_address);
CREATE INDEX refund_destinations_until ON public.refund_destinations USING btree (until) WHERE (until IS NOT NULL);

CREATE INDEX refund_looks_doubted ON public.refund_looks USING btree (person_from) WHERE (person_from IS NOT NULL);
CREATE INDEX refund_looks_due ON public.refund_looks USING btree (chain_id, next_look_at);

CREATE UNIQUE INDEX refund_signers_key_once ON public.refund_signers USING btree (chain_id, address) WHERE (sealed_key IS NOT NULL);
CREATE UNIQUE INDEX refund_signers_of_merchant ON public.refund_signers USING btree (merchant_id, chain_id) WHERE ((epoch IS NULL) AND (removed_at IS NULL));
CREATE UNIQUE INDEX refund_signers_of_sandbox ON public.refund_signers USING btree (merchant_id, chain_id, epoch) WHERE (epoch IS NOT NULL);

CREATE INDEX refunds_by_destination ON public.refunds USING btree (list_key(merchant_id, livemode, lower(destination)), state, seq) WHERE (destination IS NOT NULL);
CREATE INDEX refunds_by_payment ON public.refunds USING btree (merchant_id, livemode, payment_id, seq);
CREATE INDEX refunds_by_state ON public.refunds USING btree (merchant_id, livemode, state, seq);
CREATE INDEX refunds_by_stray_tx_hash ON public.refunds USING hash (stray_tx_hash) WHERE (stray_tx_hash IS NOT NULL);
CREATE INDEX refunds_by_tx_hash ON public.refunds USING hash (tx_hash) WHERE (tx_hash IS NOT NULL);
CREATE INDEX refunds_list ON public.refunds USING btree (merchant_id, livemode, seq);
CREATE INDEX refunds_open ON public.refunds USING btree (merchant_id, state, chain_id) WHERE (state = ANY (ARRAY['requires_destination'::text, 'requires_signature'::text, 'processing'::text]));
CREATE UNIQUE INDEX refunds_transaction_once ON public.refunds USING btree (chain_id, tx_hash) WHERE (state = ANY (ARRAY['processing'::text, 'processed'::text]));
CREATE INDEX refunds_unsigned ON public.refunds USING btree (chain_id, merchant_id, livemode, updated_at) WHERE (state = 'requires_signature'::text);
CREATE INDEX refunds_unsigned_in_native ON public.refunds USING btree (chain_id, merchant_id, livemode) WHERE ((state = 'requires_signature'::text) AND (token_address IS NULL));
CREATE INDEX refunds_with_attention ON public.refunds USING btree (merchant_id, livemode, seq) WHERE attention;

CREATE INDEX security_events_merchant ON public.security_events USING btree (merchant_id, seq);
CREATE INDEX security_events_merchant_action ON public.security_events USING btree (merchant_id, action, seq);

CREATE INDEX sessions_account_network ON public.sessions USING btree (account_id, network, created_at);
CREATE INDEX sessions_account_used ON public.sessions USING btree (account_id, last_used_at);

CREATE UNIQUE INDEX signed_transactions_once ON public.signed_transactions USING btree (chain_id, tx_hash);

CREATE INDEX signer_nonces_of_refund ON public.signer_nonces USING btree (refund_id);
CREATE INDEX signer_nonces_open ON public.signer_nonces USING btree (signer_id, nonce) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX signer_nonces_open_once ON public.signer_nonces USING btree (refund_id) WHERE (state = 'open'::text);
CREATE INDEX signer_nonces_recent ON public.signer_nonces USING btree (signer_id, created_at);

CREATE INDEX signing_waits_begun ON public.signing_waits USING btree (begun_at) WHERE (next_try_at < 'infinity'::timestamp with time zone);
CREATE INDEX signing_waits_due ON public.signing_waits USING btree (signer_id, next_try_at) WHERE (next_try_at < 'infinity'::timestamp with time zone);
CREATE INDEX signing_waits_in_native ON public.signing_waits USING btree (native_chain_id) WHERE ((next_try_at = 'infinity'::timestamp with time zone) AND (native_chain_id IS NOT NULL));
CREATE INDEX signing_waits_of_signer ON public.signing_waits USING btree (signer_id);

CREATE INDEX submissions_due ON public.submissions USING btree (chain_id, next_look_at);

CREATE INDEX subscriptions_by_state ON public.subscriptions USING btree (merchant_id, livemode, state, seq);
CREATE INDEX subscriptions_income ON public.subscriptions USING btree (merchant_id, livemode, state) INCLUDE (currency, subtotal_minor, "interval", interval_count) WHERE (state = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text, 'paused'::text]));
CREATE INDEX subscriptions_incomplete_visits ON public.subscriptions USING btree (merchant_id, livemode, seq) WHERE ((state = 'incomplete'::text) AND (source = 'checkout'::text));
CREATE INDEX subscriptions_list ON public.subscriptions USING btree (merchant_id, livemode, seq);
CREATE INDEX subscriptions_of_clock ON public.subscriptions USING btree (test_clock_id) WHERE (test_clock_id IS NOT NULL);
CREATE INDEX subscriptions_of_customer ON public.subscriptions USING btree (customer_id, seq);
CREATE INDEX subscriptions_of_plan ON public.subscriptions USING btree (plan_id, seq) WHERE (plan_id IS NOT NULL);
CREATE UNIQUE INDEX subscriptions_token_once ON public.subscriptions USING btree (token_hash);
CREATE UNIQUE INDEX subscriptions_trial_once ON public.subscriptions USING btree (plan_id, trial_key) WHERE (trial_key IS NOT NULL);

CREATE INDEX test_clocks_advancing ON public.test_clocks USING btree (id) WHERE (state = 'advancing'::text);
CREATE INDEX test_clocks_list ON public.test_clocks USING btree (merchant_id, livemode, seq) WHERE (state <> 'deleted'::text);

CREATE INDEX timers_due ON public.timers USING btree (due_at) WHERE ((NOT planned) AND (test_clock_id IS NULL));
CREATE INDEX timers_due_by_clock ON public.timers USING btree (test_clock_id, due_at) WHERE (test_clock_id IS NOT NULL);
CREATE INDEX timers_failing ON public.timers USING btree (kind) WHERE (failures >= 3);
CREATE INDEX timers_planned ON public.timers USING btree (kind, due_at, actor) WHERE (planned AND (test_clock_id IS NULL));

CREATE UNIQUE INDEX transfer_sums_once ON public.transfer_sums USING btree (payment_id, block_number, chain_id, ((md5(((block_hash || COALESCE(token_address, ''::text)) || state)))::uuid));

CREATE INDEX transfers_by_tx_hash ON public.transfers USING hash (tx_hash);
CREATE UNIQUE INDEX transfers_counted_once ON public.transfers USING btree (chain_id, tx_hash, log_index) WHERE (state <> 'orphaned'::text);
CREATE INDEX transfers_lost ON public.transfers USING btree (payment_id) WHERE ((state = 'orphaned'::text) AND agreed);
CREATE INDEX transfers_of_payment ON public.transfers USING btree (payment_id, block_number);
CREATE INDEX transfers_seen ON public.transfers USING btree (chain_id, block_number) WHERE (state = 'seen'::text);
CREATE INDEX transfers_to_agree_on ON public.transfers USING btree (chain_id, block_number) WHERE ((state = 'seen'::text) AND (NOT agreed));

CREATE INDEX transitions_by_state ON public.transitions USING btree (kind, to_state);
CREATE UNIQUE INDEX transitions_command_once ON public.transitions USING btree (actor, command) WHERE keyed;
CREATE INDEX transitions_feed ON public.transitions USING btree (era, xid, seq);
CREATE INDEX transitions_of_merchant ON public.transitions USING btree (list_key(merchant_id, livemode, ''::text), era, xid);

CREATE INDEX unexplained_collections_of_payment ON public.unexplained_collections USING btree (payment_id);

CREATE INDEX waiting_addresses_of_merchant ON public.waiting_addresses USING btree (merchant_id, chain_id);

CREATE UNIQUE INDEX webhook_endpoints_inbox_token ON public.webhook_endpoints USING btree (inbox_token);
CREATE INDEX webhook_endpoints_list ON public.webhook_endpoints USING btree (merchant_id, livemode, seq) WHERE (state <> 'deleted'::text);
CREATE UNIQUE INDEX webhook_endpoints_one_inbox ON public.webhook_endpoints USING btree (merchant_id) WHERE ((inbox_token IS NOT NULL) AND (state <> 'deleted'::text));

CREATE UNIQUE INDEX webhook_subscriptions_once ON public.webhook_subscriptions USING btree (endpoint_id, event_type) WHERE (closed_at IS NULL);
CREATE INDEX webhook_subscriptions_open ON public.webhook_subscriptions USING btree (merchant_id, livemode, event_type) INCLUDE (endpoint_id) WHERE (closed_at IS NULL);

create view refunds_by_hand as
 SELECT id,
    chain_id,
    token_address
   FROM refunds r
  WHERE state = 'requires_signature'::text AND ((EXISTS ( SELECT
           FROM signing_waits w
          WHERE w.refund_id = r.id AND w.next_try_at = 'infinity'::timestamp with time zone)) OR NOT (EXISTS ( SELECT
           FROM working_signers s
          WHERE s.merchant_id = r.merchant_id AND s.chain_id = r.chain_id AND s.livemode = r.livemode)));

create view settings as
 SELECT m.id AS merchant_id,
    s.livemode,
    m.name,
    m.logo,
    m.accent_color,
    m.support_email,
    m.support_url,
    ( SELECT a.address
           FROM receiving_addresses a
          WHERE a.merchant_id = m.id AND a.livemode = s.livemode AND a.chain_id IS NULL) AS receiving_address,
    ( SELECT COALESCE(jsonb_object_agg(a.chain_id, a.address), '{}'::jsonb) AS "coalesce"
           FROM receiving_addresses a
          WHERE a.merchant_id = m.id AND a.livemode = s.livemode AND a.chain_id IS NOT NULL) AS receiving_addresses,
    s.confirmations,
    s.tolerance_bps,
    s.late_policy,
    s.refund_mode,
    s.created_at,
    GREATEST(m.updated_at, s.updated_at) AS updated_at
   FROM merchants m
     JOIN merchant_settings s ON s.merchant_id = m.id;

create view working_signers as
 SELECT s.id,
    s.merchant_id,
    s.chain_id,
    m.livemode
   FROM refund_signers s
     JOIN merchant_settings m ON m.merchant_id = s.merchant_id AND m.refund_mode = 'signer'::text
  WHERE s.epoch IS NULL AND s.removed_at IS NULL;

CREATE OR REPLACE FUNCTION public.accept_invite(hash bytea, account uuid, actor text, address text, new_email text, new_password_hash text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  invited invites;
begin
  select * into invited from invites where token_hash = hash;
  perform from merchants where id = invited.merchant_id for no key update;
  -- Read again now that the merchant is locked.
  select * into invited from invites
  where token_hash = hash and accepted_at is null and revoked_at is null and expires_at > now();
  if not found then
    return 'missing';
  end if;
  if invited.email <> coalesce(new_email, (select email from accounts where id = account)) then
    return 'other_email';
  end if;
  if exists (select from members where merchant_id = invited.merchant_id and account_id = account) then
    return 'member_already';
  end if;

  if new_email is not null then
    if not create_account(account, new_email, new_password_hash) then
      return 'email_taken';
    end if;
    perform record_security_event(null, account, actor, address, 'account.created');
  end if;
  insert into members (merchant_id, account_id, role) values (invited.merchant_id, account, invited.role);
  update invites set accepted_at = now(), accepted_by = account, updated_at = now() where id = invited.id;
  perform record_security_event(invited.merchant_id, account, actor, address, 'invite.accepted',
    json_build_object('role', invited.role));
  return 'accepted';
end $function$;

CREATE OR REPLACE FUNCTION public.actors_of_customer(customer uuid, after_state text, after_seq bigint, most integer)
 RETURNS TABLE(actors uuid[], last_state text, last_seq bigint)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  with page as materialized (
    select id, merchant_id, livemode, state, seq from payments
    where customer_id = customer and (state, seq) > (after_state, after_seq)
    order by state, seq
    limit most
  )
  select array(
      select id from page
      union all
      select d.id from page p
      join disputes d on d.merchant_id = p.merchant_id and d.livemode = p.livemode and d.payment_id = p.id),
    state, seq
  from page order by state desc, seq desc limit 1
$function$;

CREATE OR REPLACE FUNCTION public.add_json_layouts(layouts json_layouts[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  for attempt in 1 .. 2 loop
    if not exists (
      select from unnest(layouts) l left join json_layouts known on known.id = l.id
      where known.template is distinct from l.template)
    then
      return;
    end if;
    insert into json_layouts select l.* from unnest(layouts) l order by l.id on conflict do nothing;
  end loop;
  raise exception 'two layouts of JSON objects have the same id';
end $function$;

CREATE OR REPLACE FUNCTION public.add_payment_sum_rows(added payment_sums[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  known integer;
begin
  update payment_sums s set
    opened = s.opened + a.opened,
    converted = s.converted + a.converted,
    picked = s.picked + a.picked,
    seen = s.seen + a.seen,
    succeeded = s.succeeded + a.succeeded,
    failed = s.failed + a.failed,
    expired = s.expired + a.expired,
    canceled = s.canceled + a.canceled,
    late = s.late + a.late,
    volume_minor = s.volume_minor + a.volume_minor,
    refunds = s.refunds + a.refunds,
    refunded_minor = s.refunded_minor + a.refunded_minor,
    pay_times = case when a.pay_times is null then s.pay_times else added_times(s.pay_times || a.pay_times) end,
    final_times = case when a.final_times is null then s.final_times else added_times(s.final_times || a.final_times) end
  from unnest(added) a
  where (s.merchant_id, s.livemode, s.span, s.breakdown, s.starts_at, s.currency, s.key)
    = (a.merchant_id, a.livemode, a.span, a.breakdown, a.starts_at, a.currency, a.key);
  get diagnostics known = row_count;
  if known < cardinality(added) then
    insert into payment_sums
    select a.* from unnest(added) a
    where not exists (
      select from payment_sums s
      where (s.merchant_id, s.livemode, s.span, s.breakdown, s.starts_at, s.currency, s.key)
        = (a.merchant_id, a.livemode, a.span, a.breakdown, a.starts_at, a.currency, a.key));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.add_payment_sums(most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  taken integer;
  actors uuid[];
  revs integer[];
begin
  -- A statement of its own: it locks the cursor, so that the next ones see what move_payment_sums() has committed.
  select count(*), array_agg(actor) filter (where kind in ('payment', 'refund')),
    array_agg(rev) filter (where kind in ('payment', 'refund'))
  into taken, actors, revs
  from take_feed_page('payments', most);
  if actors is not null then
    perform add_to_customer_totals(actors, revs);
    perform add_to_payment_sums(actors, revs);
  end if;
  return taken;
end $function$;

CREATE OR REPLACE FUNCTION public.add_refund_signer(signer uuid, merchant uuid, chain bigint, at_address text, sealed text, begins bigint, limits json, actor text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  known refund_signers;
  outcome text := 'added';
begin
  perform pg_advisory_xact_lock(hashtextextended('refund signers', 0));
  select * into known from refund_signers
  where merchant_id = merchant and chain_id = chain and epoch is null and removed_at is null;
  if known.address = at_address then
    signer := known.id;
    outcome := 'changed';
    delete from refund_signer_limits where signer_id = signer;
  elsif known.id is not null then
    return 'has_another';
  elsif exists (select from refund_signers where chain_id = chain and address = at_address and sealed_key is not null) then
    return 'taken';
  else
    insert into refund_signers (id, merchant_id, chain_id, address, sealed_key, first_nonce)
    values (signer, merchant, chain, at_address, sealed, begins);
  end if;
  insert into refund_signer_limits (signer_id, currency, per_refund_minor, per_day_minor)
  select signer, l.currency, l."perRefundMinor", l."perDayMinor"
  from json_to_recordset(limits) as l(currency text, "perRefundMinor" bigint, "perDayMinor" bigint);
  if outcome = 'added' then
    -- A refund that is being created holds these locks: it is committed before, or sees this signer.
    perform from merchant_settings where merchant_id = merchant order by livemode for no key update;
    perform leave_to_hand(merchant, chain, null);
  else
    -- Retries immediately. What exceeded a limit stays to be signed by hand, also if it is allowed now.
    delete from signing_waits where signer_id = signer and next_try_at < 'infinity';
  end if;
  perform record_security_event(merchant, null, actor, null, 'refund_signer.' || outcome,
    json_build_object('chainId', chain, 'address', at_address, 'limits', limits));
  return outcome;
end $function$;

CREATE OR REPLACE FUNCTION public.add_to_credit_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared(hashtext('customers'), customer_lock(new.customer_id));
  new.customer_id := survivor_of(new.customer_id);
  -- After the lock: the commit that erases a customer holds it.
  if exists (select from customers where id = new.customer_id and erased_at is not null) then
    raise exception 'the customer is erased' using errcode = 'check_violation', constraint = 'customer_remains';
  end if;
  insert into credit_balances as b (customer_id, currency, balance_minor)
  values (new.customer_id, new.currency, 0)
  on conflict (customer_id, currency) do nothing;
  update credit_balances b set balance_minor = b.balance_minor + new.amount_minor
  where b.customer_id = new.customer_id and b.currency = new.currency
  returning b.balance_minor into new.balance_minor;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.add_to_customer_totals(actors uuid[], revs integer[])
 RETURNS void
 LANGUAGE sql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  insert into customer_totals as s (
    customer_id, currency, payments_count, volume_minor, refunded_minor, first_payment_at, last_payment_at)
  select c.customer_id, c.currency, sum(c.payments), sum(c.volume), sum(c.refunded), min(c.paid_at), max(c.paid_at)
  from unnest(actors, revs) as these (actor, rev)
  -- The limit leaves only the primary key.
  cross join lateral (
    select * from transitions t where t.actor = these.actor and t.rev = these.rev limit 1) t
  cross join lateral customer_change(t.actor, t.kind, t.from_state, t.to_state, t.at) c
  group by c.customer_id, c.currency
  on conflict (customer_id, currency) do update set
    payments_count = s.payments_count + excluded.payments_count,
    volume_minor = s.volume_minor + excluded.volume_minor,
    refunded_minor = s.refunded_minor + excluded.refunded_minor,
    first_payment_at = least(s.first_payment_at, excluded.first_payment_at),
    last_payment_at = greatest(s.last_payment_at, excluded.last_payment_at)
$function$;

CREATE OR REPLACE FUNCTION public.add_to_payment_sums(actors uuid[], revs integer[])
 RETURNS void
 LANGUAGE sql
AS $function$
  select add_payment_sum_rows(array(select r from payment_sum_rows(actors, revs) r))
$function$;

CREATE OR REPLACE FUNCTION public.added_times(times integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select array_agg(time_count(class, payments) order by class)
  from (
    select (time >> 22)::smallint as class, sum(time & 4194303)::bigint as payments
    from unnest(times) time
    group by 1) added
$function$;

CREATE OR REPLACE FUNCTION public.agree_on_transfers(chain bigint, logs json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- Serialized with the statements that read on, rewind and finalize, because they update the same rows in another
  -- order.
  perform from chain_cursors where chain_id = chain for update;
  update transfers t set agreed = true
  from json_to_recordset(logs) as l(
    tx_hash text, log_index integer, block_hash text, token_address text, to_address text, amount numeric)
  where t.chain_id = chain and t.block_hash = l.block_hash and t.tx_hash = l.tx_hash and t.log_index = l.log_index
    and (t.state, t.token_address, t.to_address, t.amount)
      is not distinct from ('seen'::text, l.token_address, l.to_address, l.amount);
end $function$;

CREATE OR REPLACE FUNCTION public.ask_for_jobs(specs graphile_worker.job_spec[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  missing graphile_worker.job_spec[] := specs;
  added text[];
begin
  loop
    added := array(select key from graphile_worker.add_jobs(missing));
    exit when cardinality(added) = cardinality(missing);
    missing := array(
      select spec from unnest(missing) as spec
      where spec.job_key is not null and spec.job_key <> all(array_remove(added, null)));
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.asset_key(context json)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE((((context ->> 'chainId'::text) || ':'::text) || (context ->> 'asset'::text)), ''::text);

CREATE OR REPLACE FUNCTION public.attempt_wait(its_subject text, allowed integer, per interval)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  oldest timestamptz;
begin
  -- Attempts in the future do not count: the clock was set back, and must not lock the subject out.
  select at into oldest from attempts
  where subject = its_subject and at > clock_timestamp() - per and at <= clock_timestamp()
  order by at desc offset allowed - 1 limit 1;
  return case when oldest is not null then greatest(1, ceil(extract(epoch from oldest + per - clock_timestamp()))) end;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_is_dead(audits)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((($1).status = 'running'::text) AND (($1).beat_at < (now() - '00:01:00'::interval)));

CREATE OR REPLACE FUNCTION public.authorize_change(merchant uuid, caller uuid, roles text[])
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform from merchants where id = merchant for no key update;
  return caller is null or exists (
    select from members where merchant_id = merchant and account_id = caller and role = any(roles));
end $function$;

CREATE OR REPLACE FUNCTION public.await_collection()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into waiting_addresses (chain_id, address, merchant_id, last_block)
  select f.chain_id, d.address, d.merchant_id, max(f.block_number)
  from changed f
  join deposit_addresses d on d.address = f.to_address
  where f.state = 'final'
  group by f.chain_id, d.address, d.merchant_id
  order by f.chain_id, d.address
  on conflict (chain_id, address) do update set last_block = excluded.last_block
  where waiting_addresses.last_block < excluded.last_block;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.await_simulation(payment uuid, whose uuid)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  with mine as (
    update simulations
    set touched_at = clock_timestamp(), backend = a.pid, backend_start = a.backend_start
    from pg_stat_get_activity(pg_backend_pid()) a
    where payment_id = payment and holder = whose returning seq, reorganizes)
  select not exists (
    select from simulations s
    where s.seq < mine.seq and (s.reorganizes or mine.reorganizes) and is_acted(s))
  from mine
$function$;

CREATE OR REPLACE FUNCTION public.begin_refund_warnings(chains_on bigint[], most integer)
 RETURNS TABLE(refund_id uuid, chain_id bigint, why text)
 LANGUAGE sql
AS $function$
  with needing as materialized (
    select * from refunds_needing_attention(chains_on) n where n.why not in ('stray_transfer', 'nonce_unclear')),
  over as (
    delete from refund_warnings w
    where not exists (select from needing n where n.refund_id = w.refund_id and n.why = w.why)),
  begun as (
    insert into refund_warnings (refund_id, why)
    select n.refund_id, n.why from needing n
    where not exists (select from refund_warnings w where w.refund_id = n.refund_id and w.why = n.why)
    order by n.refund_id limit most
    -- Another process has just logged it.
    on conflict do nothing
    returning refund_warnings.refund_id, refund_warnings.why)
  select n.refund_id, n.chain_id, n.why from begun b join needing n on n.refund_id = b.refund_id and n.why = b.why
$function$;

CREATE OR REPLACE FUNCTION public.begin_simulation(payment uuid, whose uuid, reorganization boolean, key text)
 RETURNS SETOF simulations
 LANGUAGE plpgsql
AS $function$
begin
  -- Scenarios run in the order of `seq`: without the lock a lower number could become visible later.
  perform pg_advisory_xact_lock(hashtextextended('simulations', 0));
  delete from simulations s where not is_acted(s);
  insert into simulations (payment_id, holder, reorganizes, idempotency_key, touched_at, backend, backend_start)
  select payment, whose, reorganization, key, clock_timestamp(), a.pid, a.backend_start
  from pg_stat_get_activity(pg_backend_pid()) a
  on conflict do nothing;
  return query select * from simulations s where s.payment_id = payment;
end $function$;

CREATE OR REPLACE FUNCTION public.beginning_before(refund refunds, sent_hash text)
 RETURNS SETOF refund_beginnings
 LANGUAGE sql
 STABLE
AS $function$
  select b.* from refund_beginnings b join chain_cursors c on c.epoch is not distinct from b.epoch
  where b.refund_id = refund.id and c.chain_id = refund.chain_id
    and not exists (
      select from signed_transactions t join signer_nonces n using (signer_id, nonce)
      where t.chain_id = refund.chain_id and t.tx_hash = sent_hash and n.refund_id = refund.id)
$function$;

CREATE OR REPLACE FUNCTION public.billing_figures(merchant uuid, mode boolean, begins timestamp with time zone, ends timestamp with time zone)
 RETURNS TABLE(currency text, invoiced numeric, paid numeric, overdue numeric, overdue_count integer, credit numeric, mrr numeric, trialing integer, active integer, past_due integer, paused integer)
 LANGUAGE sql
 STABLE ROWS 10
AS $function$
  select currency, sum(total_minor), 0::numeric, 0::numeric, 0, 0::numeric, 0::numeric, 0, 0, 0, 0
  from invoices
  where merchant_id = merchant and livemode = mode and issued_at >= begins and issued_at < ends and state <> 'void'
  group by currency
  union all
  select currency, 0, sum(total_minor - credit_notes_minor), 0, 0, 0, 0, 0, 0, 0, 0
  from invoices
  where merchant_id = merchant and livemode = mode and paid_at >= begins and paid_at < ends
  group by currency
  union all
  select currency, 0, 0, sum(total_minor - credit_applied_minor - credit_notes_minor - amount_paid_minor), count(*), 0, 0,
    0, 0, 0, 0
  from invoices
  where merchant_id = merchant and livemode = mode and invoices.overdue
  group by currency
  union all
  select b.currency, 0, 0, 0, 0, sum(b.balance_minor), 0, 0, 0, 0, 0
  from credit_balances b join customers c on c.id = b.customer_id
  where b.balance_minor > 0 and c.merchant_id = merchant and c.livemode = mode
  group by b.currency
  union all
  -- By month and without tax, rounded for each subscription.
  select currency, 0, 0, 0, 0, 0,
    coalesce(sum(round(case "interval"
      when 'day' then subtotal_minor * 365.0 / 12 when 'week' then subtotal_minor * 52.0 / 12
      when 'month' then subtotal_minor else subtotal_minor / 12.0 end / interval_count))
      filter (where state in ('active', 'past_due')), 0),
    count(*) filter (where state = 'trialing'), count(*) filter (where state = 'active'),
    count(*) filter (where state = 'past_due'), count(*) filter (where state = 'paused')
  from subscriptions
  where merchant_id = merchant and livemode = mode and state in ('trialing', 'active', 'past_due', 'paused')
  group by currency
$function$;

CREATE OR REPLACE FUNCTION public.call_writes(writes write_entry[], of_new boolean, skip integer[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  write write_entry;
begin
  foreach write in array writes loop
    if write.is_new = of_new and (skip is null or write.g <> all(skip)) then
      execute format('select %I($1, $2)', write.name) using write.actor, write.given;
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.cancel_timers(entries canceled_entry[], skip integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  delete from timers t
  using unnest(entries) r
  where t.actor = r.actor and t.name = r.name and (skip is null or r.g <> all(skip));
end $function$;

CREATE OR REPLACE FUNCTION public.catch_up(chain bigint, from_number bigint, from_hash text, numbers bigint[], hashes text[], times timestamp with time zone[], logs json, unproven json)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  last integer := cardinality(numbers);
  at_step bigint;
  concerned uuid[];
begin
  perform from chain_cursors where chain_id = chain and final_number = from_number for update;
  if not found then
    raise exception 'chain % has blocks that are not final', chain using errcode = 'PM002';
  end if;
  at_step := move_cursor(chain, from_number, from_hash, numbers[last], hashes[last], times[last], numbers[last]);
  delete from chain_blocks where chain_id = chain;
  insert into chain_blocks (chain_id, number, hash, mined_at) values (chain, numbers[last], hashes[last], times[last]);
  if logs::text <> '[]' then
    concerned := write_transfers(chain, numbers, hashes, times, logs, 'final', true);
    perform notice_refund_transfers(chain, logs);
  end if;
  concerned := concerned || note_unproven_transfers(chain, unproven);
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $function$;

CREATE OR REPLACE FUNCTION public.change_billing_settings(merchant uuid, changes jsonb, next_number integer, caller uuid, actor text, address text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  before jsonb;
  changed jsonb;
begin
  if not authorize_change(merchant, caller, '{owner}') then
    return 'not_allowed';
  end if;
  select to_jsonb(b) into before from billing_settings b where merchant_id = merchant;
  if changes ? 'time_zone' and changes->>'time_zone' <> before->>'time_zone'
    and (before->>'time_zone_changed_at')::timestamptz > now() - interval '24 hours' then
    return 'too_soon';
  end if;

  update billing_settings b set
    legal_name = case when changes ? 'legal_name' then changes->>'legal_name' else b.legal_name end,
    address = case when changes ? 'address' then nullif(changes->'address', 'null') else b.address end,
    tax_id = case when changes ? 'tax_id' then changes->>'tax_id' else b.tax_id end,
    time_zone = coalesce(changes->>'time_zone', b.time_zone),
    time_zone_changed_at = case
      when changes->>'time_zone' <> b.time_zone then now() else b.time_zone_changed_at end,
    invoice_prefix = coalesce(changes->>'invoice_prefix', b.invoice_prefix),
    credit_note_prefix = coalesce(changes->>'credit_note_prefix', b.credit_note_prefix),
    number_pattern = coalesce(changes->>'number_pattern', b.number_pattern),
    restart = coalesce(changes->>'restart', b.restart),
    days_until_due = coalesce((changes->>'days_until_due')::integer, b.days_until_due),
    tax_rate_bps = coalesce((changes->>'tax_rate_bps')::integer, b.tax_rate_bps),
    tax_behavior = coalesce(changes->>'tax_behavior', b.tax_behavior),
    reminders = coalesce(changes->'reminders', b.reminders),
    notes = case when changes ? 'notes' then changes->>'notes' else b.notes end,
    retention_years = coalesce((changes->>'retention_years')::integer, b.retention_years)
  where merchant_id = merchant;

  select changed_fields(before,
    to_jsonb(b) || jsonb_strip_nulls(jsonb_build_object('next_number', next_number)) - 'time_zone_changed_at')
  into changed from billing_settings b where merchant_id = merchant;
  if changed is null then
    return 'changed';
  end if;
  update billing_settings set updated_at = now() where merchant_id = merchant;
  perform record_security_event(merchant, caller, actor, address, 'settings.changed',
    json_build_object('changed', changed));
  return 'changed';
end $function$;

CREATE OR REPLACE FUNCTION public.change_member(merchant uuid, member uuid, new_role text, caller uuid, actor text, address text, details jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  old_role text;
  owners integer;
  revoked integer := 0;
begin
  if not authorize_change(merchant, caller, '{owner}') then
    return 'not_owner';
  end if;
  select role into old_role from members where merchant_id = merchant and account_id = member;
  if old_role is null then
    return 'missing';
  end if;
  select count(*) into owners from members where merchant_id = merchant and role = 'owner';
  if old_role = 'owner' and new_role is distinct from 'owner' and owners = 1 then
    return 'last_owner';
  end if;
  if new_role = old_role then
    return 'changed';
  end if;

  if new_role is null then
    delete from members where merchant_id = merchant and account_id = member;
  else
    update members set role = new_role, updated_at = now() where merchant_id = merchant and account_id = member;
  end if;
  if old_role = 'owner' then
    -- Or the member could return by an invite of their own.
    update invites set revoked_at = now(), updated_at = now()
    where merchant_id = merchant and created_by = member and accepted_at is null and revoked_at is null;
    get diagnostics revoked = row_count;
  end if;
  perform record_security_event(merchant, caller, actor, address,
    case when new_role is null then 'member.removed' else 'member.role_changed' end,
    (details || jsonb_build_object('from', old_role, 'to', new_role, 'invitesRevoked', revoked))::json);
  return 'changed';
end $function$;

CREATE OR REPLACE FUNCTION public.change_password(account uuid, known_hash text, new_hash text, but_one uuid, actor text, from_address text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  update accounts set password_hash = new_hash, updated_at = clock_timestamp()
  where id = account and (known_hash is null or password_hash = known_hash);
  if not found then
    return false;
  end if;
  perform record_security_event(null, account, actor, from_address, 'password.changed', '{}'::json);
  perform end_sessions(account, null, but_one, actor, from_address);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.change_settings(merchant uuid, mode boolean, changes jsonb, caller uuid, actor text, address text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  before jsonb;
  changed jsonb;
begin
  if not authorize_change(merchant, caller, case
    when changes ?| array['receiving_address', 'receiving_addresses'] then array['owner'] else array['owner', 'developer'] end)
  then
    return 'not_allowed';
  end if;
  select to_jsonb(v) - 'updated_at' into before from settings v where merchant_id = merchant and livemode = mode;
  if exists (
    select from unnest(array['confirmations', 'receiving_addresses']) field
    where (select count(*) from jsonb_object_keys(
      jsonb_strip_nulls((before->field) || coalesce(changes->field, '{}')))) > 100) then
    return 'too_many';
  end if;

  update merchants m set
    name = coalesce(changes->>'name', m.name),
    accent_color = case when changes ? 'accent_color' then changes->>'accent_color' else m.accent_color end,
    support_email = case when changes ? 'support_email' then changes->>'support_email' else m.support_email end,
    support_url = case when changes ? 'support_url' then changes->>'support_url' else m.support_url end
  where id = merchant;
  update merchant_settings s set
    confirmations = jsonb_strip_nulls(s.confirmations || coalesce(changes->'confirmations', '{}')),
    tolerance_bps = coalesce((changes->>'tolerance_bps')::integer, s.tolerance_bps),
    late_policy = coalesce(changes->>'late_policy', s.late_policy),
    refund_mode = coalesce(changes->>'refund_mode', s.refund_mode)
  where merchant_id = merchant and livemode = mode;

  -- The address for all chains has no chain id.
  with given as (
    select key::bigint as chain, value from jsonb_each_text(coalesce(changes->'receiving_addresses', '{}'))
    union all select null, changes->>'receiving_address' where changes ? 'receiving_address'),
  gone as (
    delete from receiving_addresses a using given g
    where a.merchant_id = merchant and a.livemode = mode and a.chain_id is not distinct from g.chain and g.value is null)
  insert into receiving_addresses (merchant_id, livemode, chain_id, address)
  select merchant, mode, chain, value from given where value is not null
  on conflict on constraint receiving_addresses_once do update set address = excluded.address, updated_at = now();

  select changed_fields(before, to_jsonb(v) - 'updated_at') into changed
  from settings v where merchant_id = merchant and livemode = mode;
  if changed is null then
    return 'changed';
  end if;

  update merchants set updated_at = now()
  where id = merchant
    and changed ?| array['name', 'accentColor', 'supportEmail', 'supportUrl'];
  update merchant_settings set updated_at = now() where merchant_id = merchant and livemode = mode;
  perform record_security_event(merchant, caller, actor, address, 'settings.changed',
    json_build_object('livemode', mode, 'changed', changed));
  return 'changed';
end $function$;

CREATE OR REPLACE FUNCTION public.change_webhook_endpoint(endpoint uuid, merchant uuid, changes jsonb, caller uuid, actor text, address text, details jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  its webhook_endpoints;
  new_state text;
  fields text[] := array(select jsonb_object_keys(changes - 'status'));
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  select * into its from webhook_endpoints
  where id = endpoint and merchant_id = merchant and state <> 'deleted' for no key update;
  if not found then
    return 'missing';
  end if;
  new_state := coalesce(changes ->> 'status', its.state);
  if its.state = 'disabled' and new_state = 'enabled' and exists (
    select from deliveries where endpoint_id = endpoint and state in ('pending', 'sending') and not cancel_requested)
  then
    return 'canceling';
  end if;

  if cardinality(fields) > 0 then
    update webhook_endpoints set
      url = coalesce(changes ->> 'url', url),
      description = case when changes ? 'description' then changes ->> 'description' else description end,
      event_types = case when changes ? 'eventTypes'
        then array(select jsonb_array_elements_text(changes -> 'eventTypes')) else event_types end,
      updated_at = later_than(updated_at)
    where id = endpoint;
  end if;
  if its.state = 'enabled' and new_state = 'disabled' then
    perform stop_webhook_endpoint(endpoint, 'disabled', 'by_merchant');
  elsif its.state = 'disabled' and new_state = 'enabled' then
    update webhook_endpoints set state = 'enabled', disabled_reason = null,
      enabled_at = later_than(enabled_at), updated_at = later_than(updated_at)
    where id = endpoint;
    perform renew_subscriptions(endpoint);
  elsif changes ? 'eventTypes' then
    perform renew_subscriptions(endpoint);
  end if;

  if cardinality(fields) > 0 then
    perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.changed',
      (details || jsonb_build_object('fields', fields))::json);
  end if;
  if its.state <> new_state then
    perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.' || new_state, details::json);
  end if;
  return 'changed';
end $function$;

CREATE OR REPLACE FUNCTION public.changed_fields(before jsonb, after jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select jsonb_object_agg(
    -- The log names fields as the API does.
    lower(left(key, 1)) || substr(replace(initcap(replace(key, '_', ' ')), ' ', ''), 2),
    jsonb_build_object('from', before->key, 'to', value))
  from jsonb_each(after) where value is distinct from before->key
$function$;

CREATE OR REPLACE FUNCTION public.check_era()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  latest eras;
  identity text := identify_cluster();
begin
  perform pg_advisory_xact_lock(hashtext('paymachine eras'));
  select * into latest from eras order by era desc limit 1;
  if latest.cluster is distinct from identity then
    insert into eras values (coalesce(latest.era, 0) + 1, identity, pg_postmaster_start_time())
    returning * into latest;
  elsif latest.postmaster_started <> pg_postmaster_start_time() then
    update eras set postmaster_started = pg_postmaster_start_time() where era = latest.era;
  end if;
  return latest.era;
end $function$;

CREATE OR REPLACE FUNCTION public.check_signature()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  signing refund_signers;
begin
  select * into signing from refund_signers where id = new.signer_id for share;
  -- In the sandbox nothing is signed by hand.
  if signing.epoch is not null then
    return null;
  end if;
  -- The database may have been restored since the signature was made.
  if is_on_hold(signing) then
    raise exception 'the signer is on hold'
      using errcode = 'check_violation', constraint = 'signer_nonces_not_on_hold';
  end if;
  perform hold_settings(signing.merchant_id);
  -- With the locks held, what is read from here on does not change until the commit ends.
  if not exists (
      select from working_signers w join refunds r on r.livemode = w.livemode
      where w.id = new.signer_id and r.id = new.refund_id)
    or exists (select from signing_waits where refund_id = new.refund_id and next_try_at = 'infinity') then
    raise exception 'the signer may not sign this refund'
      using errcode = 'check_violation', constraint = 'signer_nonces_are_signed_for';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.claim_deliveries(claim uuid, worker uuid, now_at timestamp with time zone, its_version integer, asked delivery_asking[])
 RETURNS TABLE(id uuid, rev integer, created_at timestamp with time zone, due_at timestamp with time zone, attempts integer, automatic_attempts integer, trigger text, resume_at timestamp with time zone, delivered_at timestamp with time zone, merchant_id uuid, livemode boolean, endpoint_id uuid, endpoint_version text, event_id uuid, event_type text, event_created text, api_version text, object text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
begin
  return query
  with picked as materialized (
    select p.id, p.next_attempt_at as due_at, w.updated_at as endpoint_version
    from unnest(asked) a
    join webhook_endpoints w on w.id = a.endpoint_id and w.state = 'enabled'
    cross join lateral (
      select d.id, d.next_attempt_at
      from deliveries d
      where d.state = 'pending'
        -- A range of the index by endpoint, as row comparisons. With conditions on single columns, a planner without
        -- statistics reads the index by time, which contains the due deliveries of all endpoints.
        and (d.endpoint_id, d.next_attempt_at) >= (a.endpoint_id, ms_time(a.low_ms))
        and (d.endpoint_id, d.next_attempt_at) <= (a.endpoint_id, now_at)
        and d.version = its_version and not is_leased(d.lease, d.leased_until, null, now_at)
      order by d.endpoint_id, d.next_attempt_at
      limit a.want
      -- Concurrent senders claim different rows.
      for update skip locked) p
  ), claimed as (
    update deliveries d set
      state = 'sending', rev = d.rev + 1, attempts = d.attempts + 1,
      automatic_attempts = d.automatic_attempts + case d.trigger when 'automatic' then 1 else 0 end,
      next_attempt_at = null, sending_since = now_at, updated_at = now_at
    from picked p
    where d.id = p.id
    returning d.*, p.due_at, p.endpoint_version
  ), opened as (
    insert into delivery_attempts (delivery_id, number, trigger, worker, started_at)
    select c.id, c.attempts, c.trigger, claim_deliveries.worker, now_at from claimed c
  ), held as (
    insert into delivery_claims (id, worker, claimed_at, deliveries)
    select claim, claim_deliveries.worker, now_at, array_agg(c.id) from claimed c having count(*) > 0
  )
  select c.id, c.rev, c.created_at, c.due_at, c.attempts, c.automatic_attempts, c.trigger, c.resume_at, c.delivered_at,
    c.merchant_id, c.livemode, c.endpoint_id, c.endpoint_version::text,
    c.event_id, c.event_type, floor(extract(epoch from e.created_at))::text, e.api_version, json_of(e.object)::text
  from claimed c
  join events e on e.id = c.event_id;
end $function$;

CREATE OR REPLACE FUNCTION public.claim_noticed_transfers(chain bigint, most integer)
 RETURNS SETOF noticed_transfers
 LANGUAGE sql
AS $function$
  with due as (
    select tx_hash, refund_id from noticed_transfers
    where chain_id = chain and next_look_at <= now()
    order by looks, next_look_at limit most
    -- Another worker has claimed it.
    for update skip locked)
  update noticed_transfers n
  set looks = n.looks + 1, next_look_at = next_look(n.looks)
  from due where n.chain_id = chain and n.tx_hash = due.tx_hash and n.refund_id = due.refund_id
  returning n.*
$function$;

CREATE OR REPLACE FUNCTION public.claim_refund_looks(chain bigint, final_to bigint, most integer)
 RETURNS SETOF refund_looks
 LANGUAGE sql
AS $function$
  update refund_looks
  set looks = looks + 1, next_look_at = next_look(looks)
  -- No join: without statistics the planner would read all rows.
  where refund_id = any (array(
    select refund_id from refund_looks
    where chain_id = chain and next_look_at <= now() and (block_number is null or block_number <= final_to)
    order by looks, next_look_at limit most
    -- Another worker has claimed it.
    for update skip locked))
  returning *
$function$;

CREATE OR REPLACE FUNCTION public.claim_submissions(chain bigint, final_to bigint, most integer)
 RETURNS SETOF submissions
 LANGUAGE plpgsql
AS $function$
begin
  -- Usually none is due, and then this query is all that is done.
  if not exists (select from submissions where chain_id = chain and next_look_at <= now()) then
    return;
  end if;

  delete from submissions s using payments p
  where s.chain_id = chain and s.next_look_at <= now()
    and p.id = s.payment_id and p.state not in ('pending', 'processing');

  -- Money that is seen decides the payment, and a reorg may still revert it.
  update submissions s
  set chain_id = coalesce(p.chain_id, s.chain_id), looks = 0, block_number = null,
    next_look_at = now() + case when p.chain_id <> s.chain_id then interval '0' else interval '10 seconds' end
  from payments p
  where s.chain_id = chain and s.next_look_at <= now() and p.id = s.payment_id
    and (p.state <> 'pending' or p.amount_received > 0 or p.chain_id is distinct from s.chain_id);

  return query
    with due as (
      select s.payment_id, s.tx_hash from submissions s
      where s.chain_id = chain and s.next_look_at <= now() and (s.block_number is null or s.block_number <= final_to)
        -- Recorded transfers are notified first.
        and not exists (
          select from unsettled_payments u join payments p on p.id = u.payment_id
          where u.payment_id = s.payment_id and u.reported_rev is distinct from p.rev)
      order by s.looks, s.next_look_at limit most
      -- Another worker has claimed it.
      for update skip locked)
    update submissions s
    set looks = s.looks + 1, next_look_at = next_look(s.looks)
    from due where s.payment_id = due.payment_id and s.tx_hash = due.tx_hash
    returning s.*;
end $function$;

CREATE OR REPLACE FUNCTION public.close_nonce(signer uuid, number bigint, how text, mined text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update signer_nonces n set state = how
  where n.signer_id = signer and n.nonce = number and n.state = 'open'
    and not exists (
      select from refunds r
      join signed_transactions t on t.signer_id = n.signer_id and t.nonce = n.nonce and t.tx_hash = r.tx_hash
      where r.id = n.refund_id and r.state = 'processing' and r.tx_hash is distinct from mined);
  if found then
    delete from unclear_nonces where signer_id = signer and nonce = number;
  end if;
  update refund_signers set sealed_key = null
  where id = signer and removed_at is not null and sealed_key is not null
    and not exists (select from signer_nonces where signer_id = signer and state = 'open');
end $function$;

CREATE OR REPLACE FUNCTION public.close_unclear_nonces(refund uuid, given json)
 RETURNS void
 LANGUAGE sql
AS $function$
  select close_nonce(n.signer_id, n.nonce, case when (given->>'isDropped')::boolean then 'dropped' else 'mined' end, null)
  from signer_nonces n join unclear_nonces u using (signer_id, nonce)
  where n.refund_id = refund and n.state = 'open'
$function$;

CREATE OR REPLACE FUNCTION public.commit_actors(batch integer, now_at timestamp with time zone, holder uuid, connected boolean, seen_in integer, update_writers text[], updates text[], insert_writers text[], inserts text[], steps step_entry[], layouts json_layouts[], contexts text, objects text, writes write_entry[], armed timer_entry[], canceled canceled_entry[], jobs job_entry[], payloads json, clocks clock_entry[])
 RETURNS integer[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET lock_timeout TO '250ms'
AS $function$
declare
  this_era integer := current_era();
  answer integer[];
  conflicts integer[];
  refused json;
  duplicates json[];
  missing graphile_worker.job_spec[];
begin
  if seen_in <> this_era then
    raise exception 'rows were read from another server' using errcode = 'PM004';
  end if;

  perform add_json_layouts(layouts);

  if clocks is not null then
    conflicts := nullif(find_moved_clocks(clocks), '{}');
  end if;

  if connected then
    for n in 1 .. cardinality(update_writers) loop
      answer := lock_rows(update_writers[n], updates[n], holder, now_at);
      conflicts := conflicts || nullif(answer, '{}');
    end loop;
  end if;

  for n in 1 .. cardinality(update_writers) loop
    answer := update_rows(update_writers[n], updates[n], conflicts, holder, now_at);
    conflicts := conflicts || nullif(answer, '{}');
  end loop;

  if canceled is not null then
    perform cancel_timers(canceled, conflicts);
  end if;

  if writes is not null then
    perform call_writes(writes, false, conflicts);
  end if;

  -- Lists are locked from here on.
  for n in 1 .. cardinality(insert_writers) loop
    refused := insert_rows(insert_writers[n], inserts[n], conflicts, now_at);
    if refused is not null then
      duplicates := duplicates || array(select json_array_elements(refused));
    end if;
  end loop;
  if cardinality(duplicates) > 0 then
    raise exception 'rows exist already' using errcode = 'PM001',
      detail = json_build_object('batch', batch, 'duplicates', array_to_json(duplicates))::text;
  end if;
  if writes is not null then
    perform call_writes(writes, true, conflicts);
  end if;

  insert into transitions (
    actor, command, merchant_id, at, actor_created_at, era, rev, livemode, keyed, kind, event, from_state, to_state, cause,
    digest, context)
  select actor, command, merchant_id, now_at, ms_time(created_ms), this_era, rev, livemode, keyed, kind, event, from_state,
    to_state, cause,
    transition_digest(actor, rev, kind, command, event, from_state, to_state, cause, context, now_at,
      merchant_id, livemode, ms_time(created_ms)),
    context
  from rows from (unnest(steps), unnest(string_to_array(contexts, E'\n'))) as r(
    g, actor, rev, kind, command, keyed, event, from_state, to_state, cause, created_ms, merchant_id, livemode,
    event_id, event_type, api_version, context)
  where to_state is not null and (conflicts is null or g <> all(conflicts));

  if objects is not null then
    perform lock_list('events', array(
      select merchant_id from unnest(steps) where event_id is not null and (conflicts is null or g <> all(conflicts))));
    insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era, digest)
    select event_id, kind, actor, rev, event_type, merchant_id, livemode, api_version, object, now_at, this_era,
      event_digest(event_id, actor, rev, event_type, merchant_id, livemode, api_version, object, now_at)
    from rows from (unnest(steps), unnest(string_to_array(objects, E'\n'))) as r(
      g, actor, rev, kind, command, keyed, event, from_state, to_state, cause, created_ms, merchant_id, livemode,
      event_id, event_type, api_version, object)
    where event_id is not null and (conflicts is null or g <> all(conflicts));
  end if;

  if armed is not null then
    -- Without `on conflict`, which takes half as long again: a timer that was armed before is among the canceled ones.
    insert into timers (actor, name, kind, generation, due_at, planned, test_clock_id)
    select actor, name, kind, generation, ms_time(due_ms), planned, clock from unnest(armed)
    where conflicts is null or g <> all(conflicts);
  end if;

  if jobs is not null then
    missing := find_missing(jobs, payloads, conflicts);
    -- Once per commit: its notification takes a lock that all committing transactions of the cluster share.
    if cardinality(missing) > 0 then
      perform ask_for_jobs(missing);
    end if;
  end if;
  return conflicts;
end $function$;

CREATE OR REPLACE FUNCTION public.count_attempt(subjects text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- No limit counts attempts older than an hour. Deletes a few rows at a time, and none that another statement is
  -- deleting. Uses now(), which an index condition can use; clock_timestamp() would be compared with every row.
  delete from attempts where ctid = any (array(
    select ctid from attempts where at < now() - interval '1 hour' order by at limit 20 for update skip locked));
  insert into attempts select s, clock_timestamp() from unnest(subjects) as s;
end $function$;

CREATE OR REPLACE FUNCTION public.count_customer_totals()
 RETURNS TABLE(customer_id uuid, currency text, payments_count bigint, volume_minor numeric, refunded_minor numeric)
 LANGUAGE sql
 STABLE
AS $function$
  select customer_id, currency, sum(payments)::bigint, sum(volume), sum(refunded)
  from (
    select customer_id, currency, payments_count as payments, volume_minor as volume, refunded_minor as refunded
    from customer_totals
    union all
    select c.customer_id, c.currency, c.payments, c.volume, c.refunded
    from feed_cursors here
    join transitions t on (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq)
    cross join lateral customer_change(t.actor, t.kind, t.from_state, t.to_state, t.at) c
    where here.reader = 'payments') changes
  group by customer_id, currency
$function$;

CREATE OR REPLACE FUNCTION public.count_payment_sums()
 RETURNS SETOF payment_sums
 LANGUAGE sql
 STABLE
AS $function$
  select * from payment_sums
  union all
  select * from payment_sum_rows(
    array(select t.actor from transitions t join feed_cursors here on here.reader = 'payments'
      where (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq) order by t.era, t.xid, t.seq),
    array(select t.rev from transitions t join feed_cursors here on here.reader = 'payments'
      where (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq) order by t.era, t.xid, t.seq))
$function$;

CREATE OR REPLACE FUNCTION public.count_states()
 RETURNS TABLE(kind text, state text, actors bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select kind, state, sum(change)::bigint
  from (
    select kind, state, actors as change from machine_states
    union all
    select t.kind, c.state, c.change
    from feed_cursors here
    join transitions t on (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq)
    cross join lateral (values (t.to_state, 1), (t.from_state, -1)) as c(state, change)
    where here.reader = 'machines' and t.from_state is distinct from t.to_state and c.state is not null) changes
  group by kind, state
$function$;

CREATE OR REPLACE FUNCTION public.count_transitions(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  added integer;
begin
  with page as materialized (
    select *, date_trunc('minute', at, 'UTC') as minute from take_feed_page('machines', most)
  ), arrows as materialized (
    select kind, from_state, to_state, minute, count(*) as taken
    from page
    where from_state is distinct from to_state
    group by 1, 2, 3, 4
  ), states as (
    insert into machine_states as s (kind, state, actors)
    select kind, state, sum(change)
    from (
      select kind, to_state as state, taken as change from arrows
      union all
      select kind, from_state, -taken from arrows where from_state is not null) changes
    group by kind, state
    having sum(change) <> 0
    on conflict (kind, state) do update set actors = s.actors + excluded.actors
  ), flows as (
    insert into machine_flows as f (span, starts_at, kind, from_state, to_state, taken)
    select span, date_trunc(span, minute, 'UTC'), kind, from_state, to_state, sum(taken)
    from arrows cross join unnest(array['minute', 'hour', 'day', 'week']) as span
    where from_state is not null
    group by 1, 2, 3, 4, 5
    on conflict (span, starts_at, kind, from_state, to_state) do update set taken = f.taken + excluded.taken
  ), ended as materialized (
    -- At most about fifty stays of a state in a page, each of which stands for `weight` stays: finding the beginning of
    -- a stay takes longer than everything else here.
    select actor, kind, rev, from_state, at, minute, weight
    from (
      select *, (count(*) over alike + 49) / 50 as weight, row_number() over alike as place
      from page
      where from_state <> to_state
      window alike as (partition by kind, from_state)) numbered
    where place % weight = 0
  ), measured as materialized (
    select e.kind, e.from_state, e.minute, duration_class(ms_between(entered.at, e.at)) as duration, sum(weight) as stays
    from ended e
    cross join lateral (
      select t.at from transitions t
      where t.actor = e.actor and t.rev < e.rev and t.to_state = e.from_state and t.from_state is distinct from t.to_state
      order by t.rev desc
      limit 1) entered
    group by 1, 2, 3, 4
  ), stays as (
    insert into machine_stays as s (span, starts_at, kind, state, duration, stays)
    select span, date_trunc(span, minute, 'UTC'), kind, from_state, duration, sum(stays)
    from measured cross join unnest(array['minute', 'hour', 'day', 'week']) as span
    group by 1, 2, 3, 4, 5
    on conflict (span, starts_at, kind, state, duration) do update set stays = s.stays + excluded.stays
  )
  select count(*) into added from page;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION public.create_account(new_id uuid, new_email text, new_hash text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  is_first boolean := not exists (select from accounts);
begin
  if is_first then
    -- Of two concurrent first accounts, the second waits here and is not the first.
    perform pg_advisory_xact_lock(hashtext('paymachine first account'));
    is_first := not exists (select from accounts);
  end if;
  insert into accounts (id, email, password_hash, operator) values (new_id, new_email, new_hash, is_first)
  on conflict on constraint accounts_email_once do nothing;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION public.create_api_key(key uuid, merchant uuid, key_livemode boolean, key_name text, key_scopes text[], key_expires_at timestamp with time zone, key_tag text, key_last4 text, key_hash bytea, caller uuid, actor text, address text, details json)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  insert into api_keys (id, merchant_id, livemode, name, scopes, expires_at, tag, last4, hash, api_version)
  select key, id, key_livemode, key_name, key_scopes, key_expires_at, key_tag, key_last4, key_hash, api_version
  from merchants where id = merchant;
  if not found then
    return 'missing';
  end if;
  perform record_security_event(merchant, caller, actor, address, 'api_key.created', details);
  return 'created';
end $function$;

CREATE OR REPLACE FUNCTION public.create_invite(invite uuid, merchant uuid, invite_role text, invite_email text, hash bytea, caller uuid, actor text, address text, details json)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  if not authorize_change(merchant, caller, '{owner}') then
    return 'not_owner';
  end if;
  insert into invites (id, merchant_id, role, email, token_hash, created_by, expires_at)
  values (invite, merchant, invite_role, invite_email, hash, caller, now() + interval '7 days');
  perform record_security_event(merchant, caller, actor, address, 'invite.created', details);
  return 'created';
end $function$;

CREATE OR REPLACE FUNCTION public.create_merchant(id uuid, name text, owner uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into merchants (id, name) values (create_merchant.id, create_merchant.name);
  insert into merchant_settings (merchant_id, livemode) values (create_merchant.id, false), (create_merchant.id, true);
  insert into billing_settings (merchant_id) values (create_merchant.id);
  insert into members (merchant_id, account_id, role) values (create_merchant.id, owner, 'owner');
end $function$;

CREATE OR REPLACE FUNCTION public.create_webhook_endpoint(endpoint uuid, merchant uuid, its_livemode boolean, its_url text, its_description text, its_types text[], its_sealed_secret text, most integer, caller uuid, actor text, address text, details json, its_inbox_token text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  now_at timestamptz;
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  if not exists (select from merchants where id = merchant) then
    return 'missing';
  end if;
  if most <= (
    select count(*) from webhook_endpoints where merchant_id = merchant and livemode = its_livemode and state <> 'deleted')
  then
    return 'too_many';
  end if;
  if its_inbox_token is not null and exists (
    select from webhook_endpoints where merchant_id = merchant and inbox_token is not null and state <> 'deleted')
  then
    return 'has_inbox';
  end if;
  now_at := date_trunc('milliseconds', clock_timestamp());
  insert into webhook_endpoints (
    id, merchant_id, livemode, url, description, event_types, state, sealed_secret, inbox_token, enabled_at, created_at,
    updated_at)
  values (endpoint, merchant, its_livemode, its_url, its_description, its_types, 'enabled', its_sealed_secret,
    its_inbox_token, now_at, now_at, now_at);
  perform renew_subscriptions(endpoint);
  perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.created', details);
  return 'created';
end $function$;

CREATE OR REPLACE FUNCTION public.current_era()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  latest eras;
begin
  select * into latest from eras order by era desc limit 1;
  if latest.postmaster_started = pg_postmaster_start_time() and latest.cluster like '%.' || 'eras'::regclass::oid then
    return latest.era;
  end if;
  return check_era();
end $function$;

CREATE OR REPLACE FUNCTION public.customer_change(its_actor uuid, its_kind text, its_from text, its_to text, its_time timestamp with time zone)
 RETURNS TABLE(customer_id uuid, currency text, payments integer, volume bigint, refunded bigint, paid_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select p.customer_id, p.currency, 1, p.amount_minor, 0::bigint, its_time
  from payments p
  where its_kind = 'payment' and its_to = 'success' and its_from <> 'success'
    and p.id = its_actor and p.customer_id is not null
  union all
  select p.customer_id, r.currency, 0, 0::bigint, r.amount_minor, null::timestamptz
  from refunds r join payments p on p.id = r.payment_id
  where its_kind = 'refund' and its_to = 'processed' and its_from <> 'processed'
    and r.id = its_actor and p.customer_id is not null
$function$;

CREATE OR REPLACE FUNCTION public.customer_lock(customer uuid)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select uuid_hash(customer) & 255
$function$;

CREATE OR REPLACE FUNCTION public.deepen_payments(chain bigint, at_number bigint, at_hash text, to_number bigint)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  head chain_cursors;
  at_step bigint;
  due uuid[];
begin
  select * into head from chain_cursors where chain_id = chain for update;
  at_step := move_cursor(chain, at_number, at_hash, at_number, at_hash, head.mined_at, 0);
  update chain_cursors set deep_number = greatest(deep_number, to_number) where chain_id = chain;
  with locked as materialized (
    select payment_id from deeper_payments where chain_id = chain and number <= to_number order by payment_id for update),
  gone as (
    delete from deeper_payments d using locked where d.payment_id = locked.payment_id returning d.payment_id)
  select array_agg(payment_id) into due from gone;
  perform touch_payments(chain, at_step, due);
  return coalesce(cardinality(due), 0);
end $function$;

CREATE OR REPLACE FUNCTION public.define_actor_table(actor_table text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  writer text := define_commit_rows(actor_table);
  assignments text := (
    select string_agg(format('%1$I = r.%1$I', attname), ', ' order by attnum) from pg_attribute
    where attrelid = actor_table::regclass and attnum > 0 and not attisdropped
      and attname not in ('id', 'created_at', 'updated_at', 'lease', 'leased_until', 'seq')
  );
  texts text := (
    select string_agg(format('%I::text', attname), ', ' order by attnum) from pg_attribute
    where attrelid = (writer || '_entry')::regclass and attnum > 0 and not attisdropped and attname not in ('g', 'was', 'seen')
  );
begin
  -- All rows in one JSON value, each as the texts of its columns in the order of an entry, after the transaction that
  -- wrote it: the driver takes longer over a row than over all its values. Returns a table so that the planner inlines
  -- the query.
  execute format($f$
    create or replace function read_%2$s(ids uuid[]) returns table (found json) language sql stable as $b$
      select array_to_json(array_agg(array[xmin::text, %3$s])) from %1$I where id = any(ids)
    $b$ $f$, actor_table, writer, texts);

  -- Locks the rows in id order, so that two commits cannot deadlock. Returns the groups whose rows have changed, do not
  -- exist, or are leased to another holder.
  execute format($f$
    create or replace function lock_%2$s(entries %2$s_entry[], holder uuid, now_at timestamptz)
    returns integer[] language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $b$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from %1$I where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $b$ $f$, actor_table, writer);

  -- Returns the groups whose rows are not as they were decided on. The entries are sorted by id, and so are the locks
  -- that are taken. A commit ends the lease that it was decided under.
  execute format($f$
    create or replace function update_%3$s(entries %3$s_entry[], skip integer[], holder uuid, now_at timestamptz)
    returns integer[] language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $b$
    declare
      moved integer;
      answer integer[];
    begin
      update %1$I t set %2$s, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from %1$I t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $b$ $f$, actor_table, assignments, writer);

  -- Leases the rows to one holder, except those that are locked or leased: see lease.ts.
  execute format($f$
    create or replace function lease_%1$s(ids uuid[], holder uuid, now_at timestamptz, until timestamptz)
    returns void language plpgsql set enable_seqscan = off as $b$
    begin
      update %1$I set lease = holder, leased_until = until
      where id in (select id from %1$I where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $b$ $f$, actor_table);
  perform define_writers();
end $function$;

CREATE OR REPLACE FUNCTION public.define_commit_rows(row_table text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  writer text := latest_writer(row_table);
  columns text;
  types text;
  given text;
  same_key text;
  key text;
  sorted text;
  -- Tables that a merchant's lists read draw `seq` under lock_list().
  is_listed boolean := 2 = (
    select count(*) from pg_attribute where attrelid = row_table::regclass and attname in ('merchant_id', 'seq'));
begin
  select string_agg(format('%I', attname), ', ' order by attnum),
    string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum),
    -- The time of the commit, unless the row has one: parsing a time costs as much as the rest of a row.
    string_agg(
      format(case when attname in ('created_at', 'updated_at') then 'coalesce(r.%I, now_at)' else 'r.%I' end, attname),
      ', ' order by attnum)
  into columns, types, given
  from pg_attribute
  where attrelid = row_table::regclass and attnum > 0 and not attisdropped and attidentity = '';

  select string_agg(format('t.%1$I = e.%1$I', a.attname), ' and ') filter (where i.indisprimary),
    string_agg(format('%I', a.attname), ', ') filter (where i.indisprimary),
    -- Two commits that insert the same keys must insert them in the same order, or they deadlock.
    string_agg(format('r.%I', a.attname), ', ' order by i.indisprimary, i.indexrelid, a.attnum)
  into same_key, key, sorted
  from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
  where i.indrelid = row_table::regclass and i.indisunique;

  if writer is null or types <> (
    select string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum)
    from pg_attribute where attrelid = (writer || '_entry')::regclass and attname not in ('g', 'was', 'seen'))
  then
    writer := format('%s_v%s', row_table, coalesce(substring(writer from '\d+$')::integer, 0) + 1);
    execute format('create type %s_entry as (g integer, was integer, seen xid, %s)', writer, types);
  end if;

  execute format($f$
    create or replace function insert_%7$s(entries %7$s_entry[], skip integer[], now_at timestamptz)
    returns json language plpgsql as $b$
    declare
      wanted integer;
      made integer;
      absent %7$s_entry;
      violated text;
      refused json[];
    begin
      %9$s
      insert into %1$I (%2$s)
      select %5$s from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by %4$s
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, %8$s
        from (select *, row_number() over (partition by %6$s) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from %1$I t where %3$s and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into %1$I (%2$s) select %5$s from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of %1$s exist already';
      end if;
      return array_to_json(refused);
    end $b$ $f$, row_table, columns, same_key, sorted, given, key, writer,
    (select string_agg('e.' || trim(c), ', ') from unnest(string_to_array(columns, ',')) c),
    case when is_listed then format($l$perform lock_list(%L, array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));$l$, row_table) else '' end);
  perform define_writers();
  return writer;
end $function$;

CREATE OR REPLACE FUNCTION public.define_writers()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  writing record;
  cases text;
begin
  for writing in
    select * from (values
      ('lock', 'holder uuid, now_at timestamptz', 'holder, now_at', 'integer[]'),
      ('update', 'skip integer[], holder uuid, now_at timestamptz', 'skip, holder, now_at', 'integer[]'),
      ('insert', 'skip integer[], now_at timestamptz', 'skip, now_at', 'json')
    ) w(verb, parameters, arguments, answer)
  loop
    select string_agg(format('when %L then return %I(entries::%I[], %s);',
      writer, writing.verb || '_' || writer, writer || '_entry', writing.arguments), E'\n    ' order by writer)
    into cases
    from (select left(typname, -length('_entry')) as writer from pg_type
      where typname ~ '_v\d+_entry$' and typtype = 'c' and typnamespace = current_schema()::regnamespace) w
    where exists (select from pg_proc
      where proname = writing.verb || '_' || writer and pronamespace = current_schema()::regnamespace);
    execute format($f$
      create or replace function %1$s_rows(writer text, entries text, %2$s)
      returns %3$s language plpgsql as $b$
      begin
        case writer
          %4$s
        end case;
      end $b$ $f$, writing.verb, writing.parameters, writing.answer, coalesce(cases, 'when null then return null;'));
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.delete_webhook_endpoint(endpoint uuid, merchant uuid, caller uuid, actor text, address text, details json)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  perform from webhook_endpoints
  where id = endpoint and merchant_id = merchant and state <> 'deleted' for no key update;
  if not found then
    return 'missing';
  end if;
  perform stop_webhook_endpoint(endpoint, 'deleted', null);
  delete from inbox_requests where endpoint_id = endpoint;
  perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.deleted', details);
  return 'deleted';
end $function$;

CREATE OR REPLACE FUNCTION public.delivery_types(endpoint uuid, its_state text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE ROWS 10
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
  with recursive types (event_type) as (
    (select d.event_type from deliveries d
     where d.endpoint_id = endpoint and d.state = its_state
     order by d.event_type limit 1)
    union all
    select later.event_type from types cross join lateral (
      select d.event_type from deliveries d
      where d.endpoint_id = endpoint and d.state = its_state and d.event_type > types.event_type
      order by d.event_type limit 1) later
  )
  select event_type from types
$function$;

CREATE OR REPLACE FUNCTION public.differing_payment_sums()
 RETURNS TABLE(merchant_id uuid)
 LANGUAGE sql
 STABLE
AS $function$
  with sums as materialized (
    select s.*, coalesce(b.sums_time_zone, 'UTC') as sums_time_zone
    from count_payment_sums() s left join billing_settings b using (merchant_id)
  ), compared as (
    -- The whole of a quarter-hour or day, and its parts.
    select part || ' of ' || s.span as what, s.starts_at as place, case s.breakdown when 'all' then 1 else -1 end as sign, s.*
    from unnest(array['asset', 'link']) as part join sums s on s.breakdown in ('all', part)
    union all
    -- The parts of a day and of its quarter-hours.
    select s.breakdown || ' ' || s.key, d.day, case s.span when 'day' then 1 else -1 end, s.*
    from sums s
    cross join lateral (
      select case s.span when 'day' then s.starts_at
        else date_trunc('day', s.starts_at at time zone 'UTC' at time zone s.sums_time_zone) end as day) d
    where s.breakdown <> 'all' and d.day > first_quarter() + interval '2 days'
  ), happened as (
    select p.merchant_id, p.livemode, p.currency, coalesce(p.chain_id || ':' || p.asset, '') as key, p.created_at as at,
      1 as opened, (p.state = 'success')::integer as converted, 0 as succeeded, 0::numeric as volume, 0 as refunds,
      0::numeric as refunded
    from payments p
    union all
    select t.merchant_id, t.livemode, p.currency, asset_key(json_of(t.context)), t.at, 0, 0, 1, p.amount_minor, 0, 0
    from transitions t join payments p on p.id = t.actor
    where t.kind = 'payment' and t.to_state = 'success' and t.from_state <> 'success'
    union all
    select t.merchant_id, t.livemode, r.currency, r.chain_id || ':' || r.asset, t.at, 0, 0, 0, 0, 1, r.amount_minor
    from transitions t join refunds r on r.id = t.actor
    where t.kind = 'refund' and t.to_state = 'processed' and t.from_state <> 'processed'
  ), counted as (
    -- By quarter-hour while it is kept, and in all.
    select h.merchant_id, h.livemode, h.currency, h.key, q.place, 1 as sign, h.opened, h.converted, h.succeeded, h.volume,
      h.refunds, h.refunded
    from happened h
    cross join lateral (values
      (null), (date_bin('15 minutes', h.at at time zone 'UTC', 'epoch'))) as q (place)
    where q.place is null or q.place >= first_quarter()
    union all
    select s.merchant_id, s.livemode, s.currency, s.key, case s.span when 'quarter' then s.starts_at end, -1, s.opened,
      s.converted, s.succeeded, s.volume_minor, s.refunds, s.refunded_minor
    from sums s
    where s.breakdown = 'asset' and (s.span = 'day' or s.starts_at >= first_quarter())
  )
  select merchant_id from compared
  group by what, place, merchant_id, livemode, currency
  having row(sum(sign * opened), sum(sign * converted), sum(sign * picked), sum(sign * seen), sum(sign * succeeded),
    sum(sign * failed), sum(sign * expired), sum(sign * canceled), sum(sign * late), sum(sign * volume_minor),
    sum(sign * refunds), sum(sign * refunded_minor)) <> row(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  union
  select merchant_id from counted
  group by merchant_id, livemode, currency, key, place
  having row(sum(sign * opened), sum(sign * converted), sum(sign * succeeded), sum(sign * volume), sum(sign * refunds),
    sum(sign * refunded)) <> row(0, 0, 0, 0, 0, 0)
$function$;

CREATE OR REPLACE FUNCTION public.disable_mfa(account uuid, actor text, from_address text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  update accounts set mfa_secret = null, mfa_enabled_at = null, mfa_last_step = null, updated_at = clock_timestamp()
  where id = account and mfa_enabled_at is not null;
  if not found then
    return false;
  end if;
  delete from recovery_codes where account_id = account;
  perform record_security_event(null, account, actor, from_address, 'mfa.disabled', '{}'::json);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.disable_webhook_endpoint(endpoint uuid, reason text, judged_enabled_at timestamp with time zone, details json)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  its webhook_endpoints;
begin
  select * into its from webhook_endpoints
  where id = endpoint and state = 'enabled' and enabled_at = judged_enabled_at for no key update;
  if not found then
    return 'unchanged';
  end if;
  perform stop_webhook_endpoint(endpoint, 'disabled', reason);
  perform record_security_event(its.merchant_id, null, 'service', null, 'webhook_endpoint.disabled', details);
  return 'disabled';
end $function$;

CREATE OR REPLACE FUNCTION public.draw_counter(merchant uuid)
 RETURNS TABLE(counter bigint, sealed text)
 LANGUAGE plpgsql
AS $function$
begin
  perform current_era();
  return query
    update recovery_secrets s set next_counter = s.next_counter + 1, counted_at = now() where s.id = merchant
    returning s.next_counter - 1, s.sealed_secret;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_attempt_bodies(its_step integer, to_era integer, to_xid xid8, to_seq bigint, ids uuid[], before timestamp with time zone)
 RETURNS TABLE(dropped integer, locked integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  found_ids uuid[];
  found_numbers integer[];
  created timestamptz[];
begin
  perform take_retention('attempt_bodies', its_step);
  if not found then
    return;
  end if;
  select coalesce(array_agg(delivery_id), '{}'), coalesce(array_agg(number), '{}'), array_agg(created_at)
  into found_ids, found_numbers, created
  from (
    select a.delivery_id, a.number, d.created_at from deliveries d join delivery_attempts a on a.delivery_id = d.id
    where a.delivery_id = any(ids) and a.finished_at < before
      and (a.response_snippet is not null or a.response_headers is not null)
    order by a.delivery_id, a.number
    for update of a skip locked) a;
  perform record_dropped('attempt_bodies', before, found_ids, created);
  update delivery_attempts a set response_snippet = null, response_headers = null
  from unnest(found_ids, found_numbers) as gone (id, number)
  where a.delivery_id = gone.id and a.number = gone.number;
  dropped := cardinality(found_ids);
  select count(*) into locked from delivery_attempts a
  where a.delivery_id = any(ids) and a.finished_at < before
    and (a.response_snippet is not null or a.response_headers is not null);
  if locked = 0 then
    perform pass_retention('attempt_bodies', to_era, to_xid, to_seq);
  end if;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_deliveries(its_step integer, to_era integer, to_xid xid8, to_seq bigint, ids uuid[], before timestamp with time zone)
 RETURNS TABLE(dropped integer, locked integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  free uuid[];
begin
  perform take_retention('deliveries', its_step);
  if not found then
    return;
  end if;
  -- The sums of states count what exists. Their reader has added all of these, see find_old_actors(), and waits until this is
  -- committed. Locked first: a wait for the reader must not hold deliveries, which a merchant may be sending again.
  perform from feed_cursors where reader = 'machines' for update;
  free := array(
    select d.id from deliveries d where d.id = any(ids) and is_old_delivery(d, before) order by d.id for update skip locked);
  -- The erasure of a customer changes attempts, in another order: this waits for none of them.
  with held as materialized (
    select delivery_id, number from delivery_attempts where delivery_id = any(free) for update skip locked
  )
  select array(
    select f.id from unnest(free) as f (id)
    where not exists (
      select from delivery_attempts a
      where a.delivery_id = f.id
        and not exists (select from held h where h.delivery_id = a.delivery_id and h.number = a.number))
    order by f.id)
  into free;
  perform record_dropped('deliveries', before, free, array(select created_at from deliveries where id = any(free) order by id));
  update machine_states s set actors = s.actors - gone.actors
  from (select state, count(*) as actors from deliveries where id = any(free) group by state) gone
  where s.kind = 'delivery' and s.state = gone.state;
  with gone as (
    delete from transitions where actor = any(free) returning *
  )
  insert into dropped_places (actor, rev, era, xid, seq, merchant_id, livemode, dropped_at)
  select actor, rev, era, xid, seq, merchant_id, livemode, now() from gone;
  delete from delivery_attempts where delivery_id = any(free);
  with gone as (
    delete from deliveries where id = any(free) returning *
  )
  insert into dropped_places (actor, rev, seq, merchant_id, livemode, dropped_at)
  select id, 0, seq, merchant_id, livemode, now() from gone;
  dropped := cardinality(free);
  select count(*) into locked from deliveries d where d.id = any(ids) and is_old_delivery(d, before);
  if locked = 0 then
    perform pass_retention('deliveries', to_era, to_xid, to_seq);
  end if;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_history(its_step integer, to_era integer, to_xid xid8, to_seq bigint, ids uuid[], before timestamp with time zone, most integer DEFAULT 10000)
 RETURNS TABLE(dropped integer, locked integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  gone uuid[];
  created timestamptz[];
  its_before timestamptz := before;
begin
  perform take_retention('history', its_step);
  if not found then
    return;
  end if;
  with dropping as (
    delete from transitions t
    using (select actor, rev from old_entries(ids, its_before) order by actor, rev limit most) old
    where t.actor = old.actor and t.rev = old.rev
    returning t.*
  ), places as (
    insert into dropped_places (actor, rev, era, xid, seq, merchant_id, livemode, dropped_at)
    select actor, rev, era, xid, seq, merchant_id, livemode, now() from dropping
  )
  select coalesce(array_agg(actor), '{}'), coalesce(array_agg(actor_created_at), '{}') into gone, created from dropping;
  perform record_dropped('history', its_before, gone, created);
  dropped := cardinality(gone);
  select count(*) into locked from old_entries(ids, its_before);
  if locked = 0 then
    perform pass_retention('history', to_era, to_xid, to_seq);
  end if;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.dropped_part_digest(part text, day date, dropped bigint, last_id uuid, dropped_at timestamp with time zone)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN SUBSTRING(sha256(convert_to(concat_ws(chr(31), part, (day - '2000-01-01'::date), dropped, last_id, EXTRACT(epoch FROM dropped_at)), 'UTF8'::name)) FROM 1 FOR 8);

CREATE OR REPLACE FUNCTION public.duration_class(ms double precision)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (round((ln((GREATEST(ms, (0)::double precision) + (1)::double precision)) / (0.09531017980432493)::double precision)))::smallint;

CREATE OR REPLACE FUNCTION public.enable_mfa(account uuid, known_secret text, step bigint, recovery_hashes bytea[], actor text, from_address text, OUT outcome text, OUT wait integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  perform from accounts where id = account and mfa_secret = known_secret and mfa_enabled_at is null for no key update;
  if not found then
    outcome := 'conflict';
    return;
  end if;
  select * into outcome, wait from use_code(account, step, null, actor, from_address, 'step_up.failed');
  if outcome = 'right' then
    update accounts set mfa_enabled_at = clock_timestamp(), updated_at = clock_timestamp() where id = account;
    delete from recovery_codes where account_id = account;
    insert into recovery_codes (account_id, hash) select account, h from unnest(recovery_hashes) as h;
    perform record_security_event(null, account, actor, from_address, 'mfa.enabled', '{}'::json);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.end_claims(before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
  delete from delivery_claims c
  where c.claimed_at < before and not exists (
    select from unnest(c.deliveries) as held(id)
    join deliveries d on d.id = held.id and d.sending_since = c.claimed_at)
$function$;

CREATE OR REPLACE FUNCTION public.end_sessions(account uuid, only_one uuid, but_one uuid, actor text, from_address text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  ended integer;
begin
  perform from accounts where id = account for no key update;
  update sessions set ended_at = clock_timestamp()
  where account_id = account and ended_at is null
    and last_used_at > clock_timestamp() - interval '30 days'
    and (only_one is null or id = only_one) and (but_one is null or id <> but_one);
  get diagnostics ended = row_count;
  if ended > 0 then
    perform record_security_event(null, account, actor, from_address, 'session.ended', json_build_object('sessions', ended));
  end if;
  return ended;
end $function$;

CREATE OR REPLACE FUNCTION public.erase_copies(actors uuid[], fields json)
 RETURNS TABLE(rewritten integer, under_way integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  made integer;
begin
  rewritten := 0;
  -- The lock waits for a claim that has read the event before.
  select count(*) filter (where open.state = 'sending') into under_way
  from (
    select d.state from events e join deliveries d on d.event_id = e.id and d.state in ('pending', 'sending')
    where e.actor = any(actors)
    order by d.id
    for no key update of d) open;

  with found as materialized (
    select e.id, c.copy
    from events e
    cross join lateral (select json_of(e.object) as object offset 0) o
    cross join lateral (select erased_copy(o.object, fields)::text as copy offset 0) c
    where e.actor = any(actors) and c.copy <> o.object::text
    limit 125
  )
  update events e set object = f.copy,
    digest = event_digest(e.id, e.actor, e.rev, e.type, e.merchant_id, e.livemode, e.api_version, f.copy, e.created_at)
  from found f where e.id = f.id;
  get diagnostics made = row_count;
  rewritten := rewritten + made;

  -- A response may repeat the request.
  with found as materialized (
    select a.delivery_id, a.number
    from events e join deliveries d on d.event_id = e.id join delivery_attempts a on a.delivery_id = d.id
    where e.actor = any(actors) and (a.response_snippet is not null or a.response_headers is not null)
    limit 125
  )
  update delivery_attempts a set response_snippet = null, response_headers = null
  from found f where a.delivery_id = f.delivery_id and a.number = f.number;
  get diagnostics made = row_count;
  rewritten := rewritten + made;

  with found as materialized (
    select k.merchant_id, k.livemode, k.key, c.copy
    from idempotency_keys k cross join lateral (select erased_copy(k.body::json, fields)::text as copy offset 0) c
    where k.record_id = any(actors) and c.copy <> k.body
    limit 125
  )
  update idempotency_keys k set body = f.copy
  from found f where k.merchant_id = f.merchant_id and k.livemode = f.livemode and k.key = f.key;
  get diagnostics made = row_count;
  rewritten := rewritten + made;

  -- The body is made again, as in src/webhooks/body.ts: anyone who knows the address of an inbox can send one that begins
  -- like it. An inbox has at most 100 requests.
  with requests as materialized (
    select r.id, r.body,
      substring(r.body from '^\{"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"')::uuid as event
    from webhook_endpoints w join inbox_requests r on r.endpoint_id = w.id
    where w.inbox_token is not null
      and w.merchant_id = (select merchant_id from transitions where actor = actors[1] order by rev limit 1)
  ), found as materialized (
    select r.id, c.copy
    from requests r join events e on e.id = r.event and e.actor = any(actors)
    cross join lateral (
      select format('{"id":"%s","type":%s,"created":%s,"livemode":%s,"api_version":%s,"data":{"object":%s}}', e.id,
        to_json(e.type), floor(extract(epoch from e.created_at)), to_json(e.livemode), to_json(e.api_version), json_of(e.object)) as copy
      offset 0) c
    where r.body <> c.copy
  )
  update inbox_requests r set body = f.copy from found f where r.id = f.id;
  get diagnostics made = row_count;
  rewritten := rewritten + made;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.erase_customer(customer uuid, given json)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  family uuid[] := array(select customer union all select customer_id from merged_customers where survivor_id = customer);
  its customers;
begin
  select * into its from customers where id = customer;
  -- Tables in the order in which commits lock them.
  update disputes d set description = null, uncategorized_text = null, customer_communication = null,
    shipping_tracking_number = null, refund_policy = null, updated_at = its.updated_at
  from (
    select id from disputes
    where merchant_id = its.merchant_id and livemode = its.livemode
      and payment_id = any(array(select p.id from payments p where p.customer_id = any(family)))
    order by id
    for no key update) found
  where d.id = found.id;
  perform erase_invoices(family, its.updated_at);
  perform erase_payments(family, its.email, its.updated_at);
  perform erase_subscriptions(family, its.updated_at);

  -- From here on no credit and no payment of the customer is committed. The list is locked first, in the order of commits
  -- that write entries; commits that create payments do not wait: see join_customer().
  perform lock_list('credit_entries', array[its.merchant_id]);
  perform pg_advisory_xact_lock(hashtext('customers'), lock)
  from (select distinct customer_lock(member) as lock from unnest(family) member order by lock) locks;
  if exists (select from uses_of_customer(customer)) then
    raise exception 'the customer is in use' using errcode = 'check_violation', constraint = 'customer_in_use';
  end if;
  -- Invoices that were issued with nothing due, and payments that were opened and have ended, since the first time.
  perform erase_invoices(family, its.updated_at);
  perform erase_payments(family, its.email, its.updated_at);
  perform erase_subscriptions(family, its.updated_at);

  update customers c set email = its.email, name = null, company = null, tax_id = null, address = null, locale = null,
    reference = null, metadata = '{}', erased_at = its.erased_at, updated_at = its.updated_at
  where id = any(family) and id <> customer;
  delete from customer_emails where customer_id = any(family);
  perform record_security_event(its.merchant_id, (given->>'accountId')::uuid, given->>'by', null, 'customer.erased',
    json_build_object('customer', given->>'id', 'livemode', its.livemode));
end $function$;

CREATE OR REPLACE FUNCTION public.erase_invoices(customers uuid[], now_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  update invoices i set customer_erased = true,
    updated_at = case when test_clock_id is null then now_at else updated_at end
  from (
    select id from invoices
    where customer_id = any(customers) and state <> 'deleted' and not customer_erased
    order by id
    for no key update) found
  where i.id = found.id
$function$;

CREATE OR REPLACE FUNCTION public.erase_payments(customers uuid[], its_email text, now_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  update payments p set customer_email = its_email, customer_name = null, late_policy = 'needs_attention', updated_at = now_at
  from (
    select id from payments
    where customer_id = any(customers) and (customer_email <> its_email or customer_name is not null)
    order by id
    for no key update) found
  where p.id = found.id
$function$;

CREATE OR REPLACE FUNCTION public.erase_subscriptions(customers uuid[], now_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  update subscriptions s set payer = null, trial_key = null,
    updated_at = case when test_clock_id is null then now_at else updated_at end
  from (
    select id from subscriptions
    where customer_id = any(customers) and (payer is not null or trial_key is not null)
    order by id
    for no key update) found
  where s.id = found.id
$function$;

CREATE OR REPLACE FUNCTION public.erased_copy(copy json, fields json)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when fields->(copy->>'object') is null then copy else (
    select ('{' || string_agg(to_json(f.key)::text || ':' || coalesce(w.value, f.value)::text, ',' order by f.n) || '}')::json
    from json_each(copy) with ordinality f(key, value, n)
    left join json_each(fields->(copy->>'object')) w on w.key = f.key) end
$function$;

CREATE OR REPLACE FUNCTION public.event_digest(id uuid, actor uuid, rev integer, type text, merchant_id uuid, livemode boolean, api_version text, object text, created_at timestamp with time zone)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN SUBSTRING(sha256(convert_to(concat_ws(chr(31), id, actor, rev, type, merchant_id, livemode, api_version, object, EXTRACT(epoch FROM created_at)), 'UTF8'::name)) FROM 1 FOR 8);

CREATE OR REPLACE FUNCTION public.fan_out_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  endpoints uuid[];
begin
  -- In order, so that commits and changes cannot deadlock.
  perform pg_advisory_xact_lock_shared(hashtext('webhook_subscriptions'), lock)
  from (select distinct merchant_lock(merchant_id) as lock from new_events order by lock) locks;

  -- A separate statement, for a snapshot after the locks. Most events have no subscriber, and this check costs a
  -- quarter of starting the statement below. Here and below `limit` and `offset` keep the planner from comparing every
  -- subscription with every event.
  if not exists (
    select from new_events e
    cross join lateral (
      select from webhook_subscriptions s
      where s.merchant_id = e.merchant_id and s.livemode = e.livemode and s.event_type = e.type and s.closed_at is null
      limit 1) s)
  then
    return null;
  end if;

  with made as (
    insert into deliveries (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, event_id, event_type, endpoint_id,
      attempts, automatic_attempts, trigger, next_attempt_at, cancel_requested)
    select new_uuidv7(), 'pending', 1, 1, e.created_at, e.created_at, e.merchant_id, e.livemode, e.id, e.type,
      s.endpoint_id, 0, 0, 'automatic', e.created_at, false
    from new_events e
    cross join lateral (
      select endpoint_id from webhook_subscriptions
      where merchant_id = e.merchant_id and livemode = e.livemode and event_type = e.type and closed_at is null
        and (e.kind <> 'webhook_endpoint' or endpoint_id = e.actor)
      offset 0) s
    returning endpoint_id
  )
  select array_agg(distinct endpoint_id) into endpoints from made;

  -- The senders listen for this. A notification holds 8,000 bytes; an empty one means any endpoint.
  if endpoints is not null then
    perform pg_notify('deliveries', case when cardinality(endpoints) <= 200 then array_to_string(endpoints, ',') else '' end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.finalize_blocks(chain bigint, at_number bigint, at_hash text, read_at bigint, up_to bigint, logs json, asked_again text[], unproven json)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  head chain_cursors;
  at_step bigint;
  reported_count integer;
  found uuid[];
  lost uuid[];
  lost_in text[];
  added uuid[];
  concerned uuid[];
begin
  select * into head from chain_cursors where chain_id = chain for update;
  -- A transfer that a balance check has recorded meanwhile was not read again, and must not be orphaned for that.
  if head.step <> read_at then
    raise exception 'chain % has changed since it was read', chain using errcode = 'PM002';
  end if;
  at_step := move_cursor(chain, at_number, at_hash, at_number, at_hash, head.mined_at, up_to);

  -- Each transfer is updated by its key, and then the rest. One statement that compares all with all took six seconds
  -- for 5,000 transfers and two minutes for 20,000.
  with reported as materialized (
    select * from read_transfers(chain, head.final_number, up_to, logs)),
  there as (
    update transfers t set state = 'final', mined_at = reported.mined_at
    from reported
    where t.chain_id = chain and t.block_hash = reported.block_hash and t.tx_hash = reported.tx_hash
      and t.log_index = reported.log_index
      -- Written so that only the index of the key matches.
      and (t.state, t.token_address, t.payment_id, t.amount)
        is not distinct from ('seen'::text, reported.token_address, reported.payment_id, reported.amount)
    returning t.payment_id)
  select (select array_agg(payment_id) from there), (select count(*) from reported) into found, reported_count;

  with gone as (
    update transfers set state = 'orphaned'
    where chain_id = chain and state = 'seen' and block_number <= up_to
    returning payment_id, token_address, to_address, block_number, block_hash),
  -- Balances that were compared with transfers which do not exist are read again: of native currency, and of an address
  -- that was collected from, where the transfer explained the amount.
  doubted as (
    delete from native_balances c using gone
    where (gone.token_address is null or c.has_code)
      and c.chain_id = chain and c.address = gone.to_address and c.block_number >= gone.block_number)
  select array_agg(payment_id),
    array_agg(distinct block_hash) filter (where token_address is not null and block_hash <> all (asked_again))
  into lost, lost_in from gone;
  if lost_in is not null then
    raise exception 'transfers of chain % were not found again', chain
      using errcode = 'PM005', detail = array_to_json(lost_in)::text;
  end if;

  -- Usually all of them existed.
  if reported_count > coalesce(cardinality(found), 0) then
    select write_transfers(chain, array_agg(number), array_agg(hash), array_agg(mined_at), logs, 'final', true) into added
    from chain_blocks where chain_id = chain and number > head.final_number and number <= up_to;
  end if;

  concerned := found || lost || added || note_unproven_transfers(chain, unproven);
  delete from chain_blocks where chain_id = chain and number < up_to;
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $function$;

CREATE OR REPLACE FUNCTION public.find_armed(actors uuid[], names text[])
 RETURNS TABLE(actor uuid, name text, generation integer)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  select t.actor, t.name, t.generation
  from unnest(actors, names) as a(actor, name)
  join timers t on t.actor = a.actor and t.name = a.name
$function$;

CREATE OR REPLACE FUNCTION public.find_due_between(after timestamp with time zone, until timestamp with time zone)
 RETURNS TABLE(endpoint_id uuid, due_at timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
  select due.endpoint_id, min(due.next_attempt_at)
  from (
    select d.endpoint_id, d.next_attempt_at
    from deliveries d
    where d.state = 'pending' and d.next_attempt_at > after and d.next_attempt_at <= until
    order by d.next_attempt_at
    offset 0
  ) due
  group by due.endpoint_id
$function$;

CREATE OR REPLACE FUNCTION public.find_due_endpoints(now_at timestamp with time zone)
 RETURNS TABLE(endpoint_id uuid, due_at timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
  with recursive due as (
    (select endpoint_id, next_attempt_at from deliveries where state = 'pending'
     order by endpoint_id, next_attempt_at limit 1)
    union all
    select later.* from due cross join lateral (
      select d.endpoint_id, d.next_attempt_at from deliveries d
      where d.state = 'pending' and d.endpoint_id > due.endpoint_id
      order by d.endpoint_id, d.next_attempt_at limit 1) later
  )
  select due.endpoint_id, due.next_attempt_at from due where due.next_attempt_at <= now_at
$function$;

CREATE OR REPLACE FUNCTION public.find_finished_actors(actors uuid[], revs integer[])
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  with last as materialized (select * from unnest(actors, revs) as t (id, rev)),
  finished as (
    select a.id from last join payments a using (id, rev) where is_finished(a)
    union all
    select a.id from last join payment_links a using (id, rev) where is_finished(a)
    union all
    select a.id from last join refunds a using (id, rev) where is_finished(a)
    union all
    select a.id from last join disputes a using (id, rev) where is_finished(a)
    union all
    select a.id from last join customers a using (id, rev) where is_finished(a)
    union all
    select a.id from last join invoices a using (id, rev) where is_finished(a)
    union all
    select a.id from last join subscriptions a using (id, rev) where is_finished(a)
    union all
    select a.id from last join plans a using (id, rev) where is_finished(a)
    union all
    select a.id from last join test_clocks a using (id, rev) where is_finished(a)
  )
  select id from finished f where not exists (select from timers m where m.actor = f.id)
$function$;

CREATE OR REPLACE FUNCTION public.find_kept_answer(merchant uuid, its_livemode boolean, its_key text)
 RETURNS TABLE(fingerprint bytea, status integer, body text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  -- Not clock_timestamp(), which an index condition cannot use.
  delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where not is_refund and created_at < now() - interval '30 days'
    order by created_at limit 5 for update skip locked));
  delete from idempotency_keys k
  where k.merchant_id = merchant and k.livemode = its_livemode and k.key = its_key
    and not k.is_refund and k.created_at < now() - interval '30 days';
  return query
    select k.fingerprint, k.status, k.body from idempotency_keys k
    where k.merchant_id = merchant and k.livemode = its_livemode and k.key = its_key;
end $function$;

CREATE OR REPLACE FUNCTION public.find_locked_deliveries(ids uuid[])
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return query
  with free as materialized (
    select d.id from deliveries d where d.id = any(ids) order by d.id for update skip locked
  )
  select d.id from deliveries d where d.id = any(ids) and d.id not in (select f.id from free f);
end $function$;

CREATE OR REPLACE FUNCTION public.find_lost_deliveries(before timestamp with time zone, most integer)
 RETURNS SETOF deliveries
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
  select d.*
  from delivery_claims c
  cross join unnest(c.deliveries) as held(id)
  join deliveries d on d.id = held.id and d.sending_since = c.claimed_at
  where c.claimed_at < before
  limit most
$function$;

CREATE OR REPLACE FUNCTION public.find_missing(asked job_entry[], payloads json, skip integer[])
 RETURNS graphile_worker.job_spec[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  return array(
    select (r.task, r.payload, null, r.run_at, null, r.key, null, null)::graphile_worker.job_spec
    from rows from (unnest(asked), json_array_elements(payloads)) as r(gs, task, effect, run_at, key, payload)
    left join lateral (
      select j.id, j.updated_at from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      where j.key = r.key and t.identifier = r.task
        and j.is_available and j.attempts = 0 and j.run_at <= clock_timestamp()
        and j.payload::jsonb - 'effect' = r.payload::jsonb - 'effect'
      for key share of j skip locked) awaited on true
    where (skip is null or not r.gs <@ skip)
      and case
        when awaited.id is null then true
        when awaited.updated_at between clock_timestamp() - interval '50 ms' and clock_timestamp() then false
        else pg_try_advisory_xact_lock(hashtext('repeated wake-ups'), hashtext(r.key))
      end
    -- Keys are locked in sorted order.
    order by coalesce(r.key, r.effect));
end $function$;

CREATE OR REPLACE FUNCTION public.find_moved_clocks(seen clock_entry[])
 RETURNS integer[]
 LANGUAGE plpgsql
AS $function$
begin
  return array(
    select s.g
    from (select g, clock, now_ms from unnest(seen) order by clock) s
    left join lateral (select now from test_clocks where id = s.clock for update) c on true
    where c.now is distinct from ms_time(s.now_ms));
end $function$;

CREATE OR REPLACE FUNCTION public.find_old_actors(its_part text, before timestamp with time zone, most integer)
 RETURNS TABLE(step integer, era integer, xid xid8, seq bigint, actors uuid[])
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  here retention_progress;
  passed feed_cursors;
begin
  select * into here from retention_progress where part = its_part;
  select * into passed from feed_cursors order by era, xid, seq limit 1;
  return query
  with page as materialized (
    select era, xid, seq, actor, rev, at from transitions
    where (era, xid, seq) > (here.era, here.xid, here.seq) and (era, xid, seq) <= (passed.era, passed.xid, passed.seq)
    order by era, xid, seq
    limit most
  ), following as materialized (
    select min(t.at) as at
    from (select era, xid, seq, at from page order by era desc, xid desc, seq desc limit 1) last
    cross join lateral (
      select t.at from transitions t
      where (t.era, t.xid, t.seq) > (last.era, last.xid, last.seq)
      order by t.era, t.xid, t.seq
      limit 10 * most) t
    where last.at >= before
  ), old as materialized (
    select * from (
      select p.*, least(f.at, min(p.at) over (order by era desc, xid desc, seq desc)) < before as is_old
      from page p cross join following f) aged
    where is_old
  )
  select here.step, last.era, last.xid, last.seq, case its_part
    when 'attempt_bodies' then array(
      select distinct d.id from old o join deliveries d on d.id = o.actor order by d.id)
    when 'deliveries' then array(
      select d.id from old o join deliveries d on d.id = o.actor and d.rev = o.rev order by d.id)
    else array(
      select id from find_finished_actors(array(select actor from old order by actor, rev), array(select rev from old order by actor, rev)) id
      order by id) end
  from (select era, xid, seq from old order by era desc, xid desc, seq desc limit 1) last;
end $function$;

CREATE OR REPLACE FUNCTION public.find_taken(actors uuid[], commands uuid[], every boolean)
 RETURNS TABLE(actor uuid, command uuid)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  select a.actor, a.command from unnest(actors, commands) as a(actor, command)
  cross join lateral (
    select 1 from transitions h where not every and h.keyed and h.actor = a.actor and h.command = a.command
    union all
    select 1 from transitions h where every and h.actor = a.actor and h.command = a.command
    limit 1) taken
$function$;

CREATE OR REPLACE FUNCTION public.first_quarter()
 RETURNS timestamp without time zone
 LANGUAGE sql
 STABLE
RETURN (date_trunc('day'::text, (now() AT TIME ZONE 'UTC'::text)) - '401 days'::interval);

CREATE OR REPLACE FUNCTION public.forget_signing_wait(refund uuid, given json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from signing_waits where refund_id = refund) then
    -- The settings first, as in leave_to_hand(), or the two could deadlock.
    perform hold_settings(merchant_id) from refunds where id = refund;
    delete from signing_waits where refund_id = refund;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.forget_unexplained_collections(chain bigint, above bigint)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
declare
  concerned uuid[];
begin
  with gone as (
    delete from unexplained_collections where chain_id = chain and block_number > above returning payment_id)
  select array_agg(payment_id) into concerned from gone;
  return concerned;
end $function$;

CREATE OR REPLACE FUNCTION public.has_lost_agreed(payment uuid, chain bigint, token text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from transfers lost
    where lost.payment_id = payment and lost.state = 'orphaned' and lost.agreed
      and lost.chain_id = chain and lost.token_address is not distinct from token
      and not exists (
        select from transfers t
        where t.state <> 'orphaned' and t.chain_id = chain and t.tx_hash = lost.tx_hash and t.log_index = lost.log_index))
$function$;

CREATE OR REPLACE FUNCTION public.has_passed_times(state text, due_passed boolean, overdue boolean, reminders jsonb, reminders_passed integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select state = 'open' and (
    (due_passed and not overdue)
    or jsonb_array_length(jsonb_path_query_array(reminders, '$[*] ? (@.sentAt != null)')) < reminders_passed)
$function$;

CREATE OR REPLACE FUNCTION public.hold_settings(merchant uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from merchant_settings where merchant_id = merchant order by livemode for share;
end $function$;

CREATE OR REPLACE FUNCTION public.identify_cluster()
 RETURNS text
 LANGUAGE sql
AS $function$
  select concat_ws('.', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
    nullif(current_setting('paymachine.files_made_at', true), ''),
    (select oid from pg_database where datname = current_database()), 'eras'::regclass::oid)
$function$;

CREATE OR REPLACE FUNCTION public.insert_checkouts_v1(entries checkouts_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent checkouts_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into checkouts (payment_id, secret_hash)
      select r.payment_id, r.secret_hash from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.payment_id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.payment_id, e.secret_hash
        from (select *, row_number() over (partition by payment_id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from checkouts t where t.payment_id = e.payment_id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into checkouts (payment_id, secret_hash) select r.payment_id, r.secret_hash from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of checkouts exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_credit_entries_v1(entries credit_entries_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent credit_entries_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('credit_entries', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, balance_minor, invoice_id, payment_id, credit_note_id, note, created_at)
      select r.customer_id, r.currency, r.id, r.merchant_id, r.livemode, r.type, r.amount_minor, r.balance_minor, r.invoice_id, r.payment_id, r.credit_note_id, r.note, coalesce(r.created_at, now_at) from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.customer_id, r.currency, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.customer_id, e.currency, e.id, e.merchant_id, e.livemode, e.type, e.amount_minor, e.balance_minor, e.invoice_id, e.payment_id, e.credit_note_id, e.note, e.created_at
        from (select *, row_number() over (partition by customer_id, currency, id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from credit_entries t where t.customer_id = e.customer_id and t.currency = e.currency and t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, balance_minor, invoice_id, payment_id, credit_note_id, note, created_at) select r.customer_id, r.currency, r.id, r.merchant_id, r.livemode, r.type, r.amount_minor, r.balance_minor, r.invoice_id, r.payment_id, r.credit_note_id, r.note, coalesce(r.created_at, now_at) from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of credit_entries exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_credit_notes_v1(entries credit_notes_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent credit_notes_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('credit_notes', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into credit_notes (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, invoice_id, customer_id, test_clock_id, reason, currency, tax_behavior, lines, taxes, subtotal_minor, tax_minor, total_minor, due_reduced_minor, credit_minor, refunds_minor, refund_ids, note, number, series_id, sequence, issued_at, issue_date, document_hash, previous_document_hash)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.invoice_id, r.customer_id, r.test_clock_id, r.reason, r.currency, r.tax_behavior, r.lines, r.taxes, r.subtotal_minor, r.tax_minor, r.total_minor, r.due_reduced_minor, r.credit_minor, r.refunds_minor, r.refund_ids, r.note, r.number, r.series_id, r.sequence, r.issued_at, r.issue_date, r.document_hash, r.previous_document_hash from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.series_id, r.sequence, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.api_version, e.invoice_id, e.customer_id, e.test_clock_id, e.reason, e.currency, e.tax_behavior, e.lines, e.taxes, e.subtotal_minor, e.tax_minor, e.total_minor, e.due_reduced_minor, e.credit_minor, e.refunds_minor, e.refund_ids, e.note, e.number, e.series_id, e.sequence, e.issued_at, e.issue_date, e.document_hash, e.previous_document_hash
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from credit_notes t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into credit_notes (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, invoice_id, customer_id, test_clock_id, reason, currency, tax_behavior, lines, taxes, subtotal_minor, tax_minor, total_minor, due_reduced_minor, credit_minor, refunds_minor, refund_ids, note, number, series_id, sequence, issued_at, issue_date, document_hash, previous_document_hash) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.invoice_id, r.customer_id, r.test_clock_id, r.reason, r.currency, r.tax_behavior, r.lines, r.taxes, r.subtotal_minor, r.tax_minor, r.total_minor, r.due_reduced_minor, r.credit_minor, r.refunds_minor, r.refund_ids, r.note, r.number, r.series_id, r.sequence, r.issued_at, r.issue_date, r.document_hash, r.previous_document_hash from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of credit_notes exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_customer_emails_v1(entries customer_emails_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent customer_emails_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into customer_emails (merchant_id, livemode, email_key, customer_id, email)
      select r.merchant_id, r.livemode, r.email_key, r.customer_id, r.email from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.merchant_id, r.livemode, r.email_key
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.merchant_id, e.livemode, e.email_key, e.customer_id, e.email
        from (select *, row_number() over (partition by merchant_id, livemode, email_key) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from customer_emails t where t.merchant_id = e.merchant_id and t.livemode = e.livemode and t.email_key = e.email_key and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into customer_emails (merchant_id, livemode, email_key, customer_id, email) select r.merchant_id, r.livemode, r.email_key, r.customer_id, r.email from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of customer_emails exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_customers_v1(entries customers_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent customers_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('customers', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into customers (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, email, name, company, tax_id, address, locale, reference, source, metadata, merged_into_id, test_clock_id, erased_at, erased_by)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.email, r.name, r.company, r.tax_id, r.address, r.locale, r.reference, r.source, r.metadata, r.merged_into_id, r.test_clock_id, r.erased_at, r.erased_by from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.merchant_id, r.livemode, r.reference, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.api_version, e.email, e.name, e.company, e.tax_id, e.address, e.locale, e.reference, e.source, e.metadata, e.merged_into_id, e.test_clock_id, e.erased_at, e.erased_by
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from customers t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into customers (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, email, name, company, tax_id, address, locale, reference, source, metadata, merged_into_id, test_clock_id, erased_at, erased_by) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.email, r.name, r.company, r.tax_id, r.address, r.locale, r.reference, r.source, r.metadata, r.merged_into_id, r.test_clock_id, r.erased_at, r.erased_by from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of customers exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_deliveries_v1(entries deliveries_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent deliveries_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('deliveries', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into deliveries (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, event_id, event_type, endpoint_id, attempts, automatic_attempts, trigger, next_attempt_at, resume_at, sending_since, cancel_requested, delivered_at)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.event_id, r.event_type, r.endpoint_id, r.attempts, r.automatic_attempts, r.trigger, r.next_attempt_at, r.resume_at, r.sending_since, r.cancel_requested, r.delivered_at from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.event_id, r.endpoint_id, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.event_id, e.event_type, e.endpoint_id, e.attempts, e.automatic_attempts, e.trigger, e.next_attempt_at, e.resume_at, e.sending_since, e.cancel_requested, e.delivered_at
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from deliveries t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into deliveries (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, event_id, event_type, endpoint_id, attempts, automatic_attempts, trigger, next_attempt_at, resume_at, sending_since, cancel_requested, delivered_at) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.event_id, r.event_type, r.endpoint_id, r.attempts, r.automatic_attempts, r.trigger, r.next_attempt_at, r.resume_at, r.sending_since, r.cancel_requested, r.delivered_at from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of deliveries exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_deposit_addresses_v1(entries deposit_addresses_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent deposit_addresses_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
      select r.address, r.payment_id, r.merchant_id, r.treasury, r.counter from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.merchant_id, r.counter, r.payment_id, r.treasury, r.address
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.address, e.payment_id, e.merchant_id, e.treasury, e.counter
        from (select *, row_number() over (partition by address) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from deposit_addresses t where t.address = e.address and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter) select r.address, r.payment_id, r.merchant_id, r.treasury, r.counter from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of deposit_addresses exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_disputes_v1(entries disputes_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent disputes_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('disputes', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into disputes (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, payment_id, amount_minor, currency, reason, description, uncategorized_text, customer_communication, shipping_tracking_number, refund_policy, evidence_due_by)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.payment_id, r.amount_minor, r.currency, r.reason, r.description, r.uncategorized_text, r.customer_communication, r.shipping_tracking_number, r.refund_policy, r.evidence_due_by from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.payment_id, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.api_version, e.payment_id, e.amount_minor, e.currency, e.reason, e.description, e.uncategorized_text, e.customer_communication, e.shipping_tracking_number, e.refund_policy, e.evidence_due_by
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from disputes t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into disputes (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, payment_id, amount_minor, currency, reason, description, uncategorized_text, customer_communication, shipping_tracking_number, refund_policy, evidence_due_by) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.payment_id, r.amount_minor, r.currency, r.reason, r.description, r.uncategorized_text, r.customer_communication, r.shipping_tracking_number, r.refund_policy, r.evidence_due_by from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of disputes exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_document_series_v1(entries document_series_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent document_series_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('document_series', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into document_series (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, document_kind, year, test_clock_id, first_number, last_number, last_issued_at, last_document_hash)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.document_kind, r.year, r.test_clock_id, r.first_number, r.last_number, r.last_issued_at, r.last_document_hash from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.merchant_id, r.livemode, r.document_kind, r.year, r.test_clock_id, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.document_kind, e.year, e.test_clock_id, e.first_number, e.last_number, e.last_issued_at, e.last_document_hash
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from document_series t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into document_series (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, document_kind, year, test_clock_id, first_number, last_number, last_issued_at, last_document_hash) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.document_kind, r.year, r.test_clock_id, r.first_number, r.last_number, r.last_issued_at, r.last_document_hash from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of document_series exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_idempotency_keys_v1(entries idempotency_keys_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent idempotency_keys_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into idempotency_keys (merchant_id, livemode, key, fingerprint, status, body, is_refund, created_at, record_id)
      select r.merchant_id, r.livemode, r.key, r.fingerprint, r.status, r.body, r.is_refund, coalesce(r.created_at, now_at), r.record_id from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.merchant_id, r.livemode, r.key
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.merchant_id, e.livemode, e.key, e.fingerprint, e.status, e.body, e.is_refund, e.created_at, e.record_id
        from (select *, row_number() over (partition by merchant_id, livemode, key) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from idempotency_keys t where t.merchant_id = e.merchant_id and t.livemode = e.livemode and t.key = e.key and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into idempotency_keys (merchant_id, livemode, key, fingerprint, status, body, is_refund, created_at, record_id) select r.merchant_id, r.livemode, r.key, r.fingerprint, r.status, r.body, r.is_refund, coalesce(r.created_at, now_at), r.record_id from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of idempotency_keys exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_invoices_v1(entries invoices_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent invoices_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('invoices', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into invoices (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, customer_id, test_clock_id, currency, tax_behavior, lines, taxes, subtotal_minor, tax_minor, total_minor, days_until_due, due_date, reference, order_number, notes, assets, reminder_offsets, metadata, subscription_id, period_index, period_start, period_end, number, series_id, sequence, issued_at, issue_date, due_at, seller, customer, party_salt, party_hash, document_hash, previous_document_hash, reminders, retained_until, credit_applied_minor, payment_link_id, token_hash, sealed_token, customer_erased, credit_notes_minor, amount_paid_minor, amount_processing_minor, amount_overpaid_minor, amount_refunded_minor, uncredited_refunds_minor, allocations, credit_note_ids, overdue, due_passed, reminders_passed, reminded_offset, reminded_at, paid_at, voided_at, void_reason)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.customer_id, r.test_clock_id, r.currency, r.tax_behavior, r.lines, r.taxes, r.subtotal_minor, r.tax_minor, r.total_minor, r.days_until_due, r.due_date, r.reference, r.order_number, r.notes, r.assets, r.reminder_offsets, r.metadata, r.subscription_id, r.period_index, r.period_start, r.period_end, r.number, r.series_id, r.sequence, r.issued_at, r.issue_date, r.due_at, r.seller, r.customer, r.party_salt, r.party_hash, r.document_hash, r.previous_document_hash, r.reminders, r.retained_until, r.credit_applied_minor, r.payment_link_id, r.token_hash, r.sealed_token, r.customer_erased, r.credit_notes_minor, r.amount_paid_minor, r.amount_processing_minor, r.amount_overpaid_minor, r.amount_refunded_minor, r.uncredited_refunds_minor, r.allocations, r.credit_note_ids, r.overdue, r.due_passed, r.reminders_passed, r.reminded_offset, r.reminded_at, r.paid_at, r.voided_at, r.void_reason from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.series_id, r.sequence, r.subscription_id, r.period_index, r.token_hash, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.api_version, e.customer_id, e.test_clock_id, e.currency, e.tax_behavior, e.lines, e.taxes, e.subtotal_minor, e.tax_minor, e.total_minor, e.days_until_due, e.due_date, e.reference, e.order_number, e.notes, e.assets, e.reminder_offsets, e.metadata, e.subscription_id, e.period_index, e.period_start, e.period_end, e.number, e.series_id, e.sequence, e.issued_at, e.issue_date, e.due_at, e.seller, e.customer, e.party_salt, e.party_hash, e.document_hash, e.previous_document_hash, e.reminders, e.retained_until, e.credit_applied_minor, e.payment_link_id, e.token_hash, e.sealed_token, e.customer_erased, e.credit_notes_minor, e.amount_paid_minor, e.amount_processing_minor, e.amount_overpaid_minor, e.amount_refunded_minor, e.uncredited_refunds_minor, e.allocations, e.credit_note_ids, e.overdue, e.due_passed, e.reminders_passed, e.reminded_offset, e.reminded_at, e.paid_at, e.voided_at, e.void_reason
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from invoices t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into invoices (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, customer_id, test_clock_id, currency, tax_behavior, lines, taxes, subtotal_minor, tax_minor, total_minor, days_until_due, due_date, reference, order_number, notes, assets, reminder_offsets, metadata, subscription_id, period_index, period_start, period_end, number, series_id, sequence, issued_at, issue_date, due_at, seller, customer, party_salt, party_hash, document_hash, previous_document_hash, reminders, retained_until, credit_applied_minor, payment_link_id, token_hash, sealed_token, customer_erased, credit_notes_minor, amount_paid_minor, amount_processing_minor, amount_overpaid_minor, amount_refunded_minor, uncredited_refunds_minor, allocations, credit_note_ids, overdue, due_passed, reminders_passed, reminded_offset, reminded_at, paid_at, voided_at, void_reason) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.customer_id, r.test_clock_id, r.currency, r.tax_behavior, r.lines, r.taxes, r.subtotal_minor, r.tax_minor, r.total_minor, r.days_until_due, r.due_date, r.reference, r.order_number, r.notes, r.assets, r.reminder_offsets, r.metadata, r.subscription_id, r.period_index, r.period_start, r.period_end, r.number, r.series_id, r.sequence, r.issued_at, r.issue_date, r.due_at, r.seller, r.customer, r.party_salt, r.party_hash, r.document_hash, r.previous_document_hash, r.reminders, r.retained_until, r.credit_applied_minor, r.payment_link_id, r.token_hash, r.sealed_token, r.customer_erased, r.credit_notes_minor, r.amount_paid_minor, r.amount_processing_minor, r.amount_overpaid_minor, r.amount_refunded_minor, r.uncredited_refunds_minor, r.allocations, r.credit_note_ids, r.overdue, r.due_passed, r.reminders_passed, r.reminded_offset, r.reminded_at, r.paid_at, r.voided_at, r.void_reason from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of invoices exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_payment_links_v1(entries payment_links_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent payment_links_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('payment_links', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into payment_links (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, amount_minor, currency, title, description, reference, assets, max_payments, window_minutes, expires_at, success_url, metadata, hidden, payments_opened, payments_processing, payments_count, deactivated_at)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.amount_minor, r.currency, r.title, r.description, r.reference, r.assets, r.max_payments, r.window_minutes, r.expires_at, r.success_url, r.metadata, r.hidden, r.payments_opened, r.payments_processing, r.payments_count, r.deactivated_at from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.merchant_id, r.livemode, r.reference, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.amount_minor, e.currency, e.title, e.description, e.reference, e.assets, e.max_payments, e.window_minutes, e.expires_at, e.success_url, e.metadata, e.hidden, e.payments_opened, e.payments_processing, e.payments_count, e.deactivated_at
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from payment_links t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into payment_links (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, amount_minor, currency, title, description, reference, assets, max_payments, window_minutes, expires_at, success_url, metadata, hidden, payments_opened, payments_processing, payments_count, deactivated_at) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.amount_minor, r.currency, r.title, r.description, r.reference, r.assets, r.max_payments, r.window_minutes, r.expires_at, r.success_url, r.metadata, r.hidden, r.payments_opened, r.payments_processing, r.payments_count, r.deactivated_at from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of payment_links exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_payments_v1(entries payments_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent payments_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('payments', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into payments (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, payment_link_id, customer_id, invoice_id, amount_minor, currency, customer_email, customer_name, reference, metadata, tolerance_bps, late_policy, expires_at, chain_id, asset, token_address, decimals, address, amount_expected, confirmations_required, pegged, quote_rate, quote_source, quote_expires_at, scan, amount_received, amount_final, received_minor, payer_address, tx_hash, block_number, stray, final_strays, announced, collection_unexplained, window_lengthened, exception, failure_reason, attention, refunds_reserved_minor, amount_refunded_minor)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.payment_link_id, r.customer_id, r.invoice_id, r.amount_minor, r.currency, r.customer_email, r.customer_name, r.reference, r.metadata, r.tolerance_bps, r.late_policy, r.expires_at, r.chain_id, r.asset, r.token_address, r.decimals, r.address, r.amount_expected, r.confirmations_required, r.pegged, r.quote_rate, r.quote_source, r.quote_expires_at, r.scan, r.amount_received, r.amount_final, r.received_minor, r.payer_address, r.tx_hash, r.block_number, r.stray, r.final_strays, r.announced, r.collection_unexplained, r.window_lengthened, r.exception, r.failure_reason, r.attention, r.refunds_reserved_minor, r.amount_refunded_minor from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.api_version, e.payment_link_id, e.customer_id, e.invoice_id, e.amount_minor, e.currency, e.customer_email, e.customer_name, e.reference, e.metadata, e.tolerance_bps, e.late_policy, e.expires_at, e.chain_id, e.asset, e.token_address, e.decimals, e.address, e.amount_expected, e.confirmations_required, e.pegged, e.quote_rate, e.quote_source, e.quote_expires_at, e.scan, e.amount_received, e.amount_final, e.received_minor, e.payer_address, e.tx_hash, e.block_number, e.stray, e.final_strays, e.announced, e.collection_unexplained, e.window_lengthened, e.exception, e.failure_reason, e.attention, e.refunds_reserved_minor, e.amount_refunded_minor
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from payments t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into payments (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, payment_link_id, customer_id, invoice_id, amount_minor, currency, customer_email, customer_name, reference, metadata, tolerance_bps, late_policy, expires_at, chain_id, asset, token_address, decimals, address, amount_expected, confirmations_required, pegged, quote_rate, quote_source, quote_expires_at, scan, amount_received, amount_final, received_minor, payer_address, tx_hash, block_number, stray, final_strays, announced, collection_unexplained, window_lengthened, exception, failure_reason, attention, refunds_reserved_minor, amount_refunded_minor) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.payment_link_id, r.customer_id, r.invoice_id, r.amount_minor, r.currency, r.customer_email, r.customer_name, r.reference, r.metadata, r.tolerance_bps, r.late_policy, r.expires_at, r.chain_id, r.asset, r.token_address, r.decimals, r.address, r.amount_expected, r.confirmations_required, r.pegged, r.quote_rate, r.quote_source, r.quote_expires_at, r.scan, r.amount_received, r.amount_final, r.received_minor, r.payer_address, r.tx_hash, r.block_number, r.stray, r.final_strays, r.announced, r.collection_unexplained, r.window_lengthened, r.exception, r.failure_reason, r.attention, r.refunds_reserved_minor, r.amount_refunded_minor from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of payments exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_plans_v1(entries plans_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent plans_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('plans', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into plans (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, name, description, currency, tax_behavior, lines, taxes, subtotal_minor, tax_minor, total_minor, "interval", interval_count, trial_days, lead_days, grace_days, max_periods, activation, after_grace, assets, reference, metadata)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.name, r.description, r.currency, r.tax_behavior, r.lines, r.taxes, r.subtotal_minor, r.tax_minor, r.total_minor, r."interval", r.interval_count, r.trial_days, r.lead_days, r.grace_days, r.max_periods, r.activation, r.after_grace, r.assets, r.reference, r.metadata from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.merchant_id, r.livemode, r.reference, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.name, e.description, e.currency, e.tax_behavior, e.lines, e.taxes, e.subtotal_minor, e.tax_minor, e.total_minor, e."interval", e.interval_count, e.trial_days, e.lead_days, e.grace_days, e.max_periods, e.activation, e.after_grace, e.assets, e.reference, e.metadata
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from plans t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into plans (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, name, description, currency, tax_behavior, lines, taxes, subtotal_minor, tax_minor, total_minor, "interval", interval_count, trial_days, lead_days, grace_days, max_periods, activation, after_grace, assets, reference, metadata) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.name, r.description, r.currency, r.tax_behavior, r.lines, r.taxes, r.subtotal_minor, r.tax_minor, r.total_minor, r."interval", r.interval_count, r.trial_days, r.lead_days, r.grace_days, r.max_periods, r.activation, r.after_grace, r.assets, r.reference, r.metadata from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of plans exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_refund_claims_v1(entries refund_claims_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent refund_claims_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into refund_claims (id, secret_hash, sealed_secret, expires_at)
      select r.id, r.secret_hash, r.sealed_secret, r.expires_at from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.secret_hash, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.secret_hash, e.sealed_secret, e.expires_at
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from refund_claims t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into refund_claims (id, secret_hash, sealed_secret, expires_at) select r.id, r.secret_hash, r.sealed_secret, r.expires_at from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of refund_claims exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_refund_destination_proofs_v1(entries refund_destination_proofs_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent refund_destination_proofs_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into refund_destination_proofs (refund_id, address, message, signature, proven_at)
      select r.refund_id, r.address, r.message, r.signature, r.proven_at from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.refund_id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.refund_id, e.address, e.message, e.signature, e.proven_at
        from (select *, row_number() over (partition by refund_id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from refund_destination_proofs t where t.refund_id = e.refund_id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into refund_destination_proofs (refund_id, address, message, signature, proven_at) select r.refund_id, r.address, r.message, r.signature, r.proven_at from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of refund_destination_proofs exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_refund_judgements_v1(entries refund_judgements_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent refund_judgements_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into refund_judgements (refund_id, rev, why)
      select r.refund_id, r.rev, r.why from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.refund_id, r.rev
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.refund_id, e.rev, e.why
        from (select *, row_number() over (partition by refund_id, rev) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from refund_judgements t where t.refund_id = e.refund_id and t.rev = e.rev and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into refund_judgements (refund_id, rev, why) select r.refund_id, r.rev, r.why from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of refund_judgements exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_refund_rises_v1(entries refund_rises_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent refund_rises_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into refund_rises (chain_id, address, block_number, refund_id)
      select r.chain_id, r.address, r.block_number, r.refund_id from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.chain_id, r.address, r.block_number
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.chain_id, e.address, e.block_number, e.refund_id
        from (select *, row_number() over (partition by chain_id, address, block_number) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from refund_rises t where t.chain_id = e.chain_id and t.address = e.address and t.block_number = e.block_number and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into refund_rises (chain_id, address, block_number, refund_id) select r.chain_id, r.address, r.block_number, r.refund_id from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of refund_rises exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_refunds_v1(entries refunds_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent refunds_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('refunds', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into refunds (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, payment_id, invoice_id, credit_note_id, amount_minor, currency, reason, metadata, chain_id, asset, token_address, amount, destination, tx_hash, confirmations, failure_reason, attention, stray_tx_hash)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.payment_id, r.invoice_id, r.credit_note_id, r.amount_minor, r.currency, r.reason, r.metadata, r.chain_id, r.asset, r.token_address, r.amount, r.destination, r.tx_hash, r.confirmations, r.failure_reason, r.attention, r.stray_tx_hash from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.chain_id, r.tx_hash, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.api_version, e.payment_id, e.invoice_id, e.credit_note_id, e.amount_minor, e.currency, e.reason, e.metadata, e.chain_id, e.asset, e.token_address, e.amount, e.destination, e.tx_hash, e.confirmations, e.failure_reason, e.attention, e.stray_tx_hash
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from refunds t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into refunds (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, payment_id, invoice_id, credit_note_id, amount_minor, currency, reason, metadata, chain_id, asset, token_address, amount, destination, tx_hash, confirmations, failure_reason, attention, stray_tx_hash) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.payment_id, r.invoice_id, r.credit_note_id, r.amount_minor, r.currency, r.reason, r.metadata, r.chain_id, r.asset, r.token_address, r.amount, r.destination, r.tx_hash, r.confirmations, r.failure_reason, r.attention, r.stray_tx_hash from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of refunds exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_rows(writer text, entries text, skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
      begin
        case writer
          when 'checkouts_v1' then return insert_checkouts_v1(entries::checkouts_v1_entry[], skip, now_at);
    when 'credit_entries_v1' then return insert_credit_entries_v1(entries::credit_entries_v1_entry[], skip, now_at);
    when 'credit_notes_v1' then return insert_credit_notes_v1(entries::credit_notes_v1_entry[], skip, now_at);
    when 'customer_emails_v1' then return insert_customer_emails_v1(entries::customer_emails_v1_entry[], skip, now_at);
    when 'customers_v1' then return insert_customers_v1(entries::customers_v1_entry[], skip, now_at);
    when 'deliveries_v1' then return insert_deliveries_v1(entries::deliveries_v1_entry[], skip, now_at);
    when 'deposit_addresses_v1' then return insert_deposit_addresses_v1(entries::deposit_addresses_v1_entry[], skip, now_at);
    when 'disputes_v1' then return insert_disputes_v1(entries::disputes_v1_entry[], skip, now_at);
    when 'document_series_v1' then return insert_document_series_v1(entries::document_series_v1_entry[], skip, now_at);
    when 'idempotency_keys_v1' then return insert_idempotency_keys_v1(entries::idempotency_keys_v1_entry[], skip, now_at);
    when 'invoices_v1' then return insert_invoices_v1(entries::invoices_v1_entry[], skip, now_at);
    when 'payment_links_v1' then return insert_payment_links_v1(entries::payment_links_v1_entry[], skip, now_at);
    when 'payments_v1' then return insert_payments_v1(entries::payments_v1_entry[], skip, now_at);
    when 'plans_v1' then return insert_plans_v1(entries::plans_v1_entry[], skip, now_at);
    when 'refund_claims_v1' then return insert_refund_claims_v1(entries::refund_claims_v1_entry[], skip, now_at);
    when 'refund_destination_proofs_v1' then return insert_refund_destination_proofs_v1(entries::refund_destination_proofs_v1_entry[], skip, now_at);
    when 'refund_judgements_v1' then return insert_refund_judgements_v1(entries::refund_judgements_v1_entry[], skip, now_at);
    when 'refund_rises_v1' then return insert_refund_rises_v1(entries::refund_rises_v1_entry[], skip, now_at);
    when 'refunds_v1' then return insert_refunds_v1(entries::refunds_v1_entry[], skip, now_at);
    when 'signed_transactions_v1' then return insert_signed_transactions_v1(entries::signed_transactions_v1_entry[], skip, now_at);
    when 'signer_nonces_v1' then return insert_signer_nonces_v1(entries::signer_nonces_v1_entry[], skip, now_at);
    when 'subscriptions_v1' then return insert_subscriptions_v1(entries::subscriptions_v1_entry[], skip, now_at);
    when 'test_clocks_v1' then return insert_test_clocks_v1(entries::test_clocks_v1_entry[], skip, now_at);
        end case;
      end $function$;

CREATE OR REPLACE FUNCTION public.insert_signed_transactions_v1(entries signed_transactions_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent signed_transactions_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into signed_transactions (signer_id, nonce, attempt, chain_id, tx_hash, raw, gas, max_fee, tip, taken_at, created_at)
      select r.signer_id, r.nonce, r.attempt, r.chain_id, r.tx_hash, r.raw, r.gas, r.max_fee, r.tip, r.taken_at, coalesce(r.created_at, now_at) from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.chain_id, r.tx_hash, r.signer_id, r.nonce, r.attempt
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.signer_id, e.nonce, e.attempt, e.chain_id, e.tx_hash, e.raw, e.gas, e.max_fee, e.tip, e.taken_at, e.created_at
        from (select *, row_number() over (partition by signer_id, nonce, attempt) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from signed_transactions t where t.signer_id = e.signer_id and t.nonce = e.nonce and t.attempt = e.attempt and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into signed_transactions (signer_id, nonce, attempt, chain_id, tx_hash, raw, gas, max_fee, tip, taken_at, created_at) select r.signer_id, r.nonce, r.attempt, r.chain_id, r.tx_hash, r.raw, r.gas, r.max_fee, r.tip, r.taken_at, coalesce(r.created_at, now_at) from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of signed_transactions exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_signer_nonces_v1(entries signer_nonces_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent signer_nonces_v1_entry;
      violated text;
      refused json[];
    begin
      
      insert into signer_nonces (signer_id, nonce, refund_id, state, sent_at, created_at)
      select r.signer_id, r.nonce, r.refund_id, r.state, r.sent_at, coalesce(r.created_at, now_at) from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.refund_id, r.signer_id, r.nonce
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.signer_id, e.nonce, e.refund_id, e.state, e.sent_at, e.created_at
        from (select *, row_number() over (partition by signer_id, nonce) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from signer_nonces t where t.signer_id = e.signer_id and t.nonce = e.nonce and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into signer_nonces (signer_id, nonce, refund_id, state, sent_at, created_at) select r.signer_id, r.nonce, r.refund_id, r.state, r.sent_at, coalesce(r.created_at, now_at) from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of signer_nonces exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_subscriptions_v1(entries subscriptions_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent subscriptions_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('subscriptions', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into subscriptions (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, customer_id, test_clock_id, plan_id, source, payer, trial_key, verified, currency, tax_behavior, lines, taxes, subtotal_minor, tax_minor, total_minor, "interval", interval_count, anchor_at, anchor_given, trial_ends_at, lead_days, grace_days, max_periods, activation, after_grace, assets, reference, metadata, period_index, invoiced_index, latest_invoice_id, unpaid, first_due_at, trial_ending_sent, owed_index, grace_ends_at, pause_at_period_end, paused_at, resumes_at, resume_index, cancel_at_period_end, canceled_at, canceled_by_customer, ended_at, end_reason, pending_change, token_hash, sealed_token)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.customer_id, r.test_clock_id, r.plan_id, r.source, r.payer, r.trial_key, r.verified, r.currency, r.tax_behavior, r.lines, r.taxes, r.subtotal_minor, r.tax_minor, r.total_minor, r."interval", r.interval_count, r.anchor_at, r.anchor_given, r.trial_ends_at, r.lead_days, r.grace_days, r.max_periods, r.activation, r.after_grace, r.assets, r.reference, r.metadata, r.period_index, r.invoiced_index, r.latest_invoice_id, r.unpaid, r.first_due_at, r.trial_ending_sent, r.owed_index, r.grace_ends_at, r.pause_at_period_end, r.paused_at, r.resumes_at, r.resume_index, r.cancel_at_period_end, r.canceled_at, r.canceled_by_customer, r.ended_at, r.end_reason, r.pending_change, r.token_hash, r.sealed_token from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.plan_id, r.trial_key, r.token_hash, r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.api_version, e.customer_id, e.test_clock_id, e.plan_id, e.source, e.payer, e.trial_key, e.verified, e.currency, e.tax_behavior, e.lines, e.taxes, e.subtotal_minor, e.tax_minor, e.total_minor, e."interval", e.interval_count, e.anchor_at, e.anchor_given, e.trial_ends_at, e.lead_days, e.grace_days, e.max_periods, e.activation, e.after_grace, e.assets, e.reference, e.metadata, e.period_index, e.invoiced_index, e.latest_invoice_id, e.unpaid, e.first_due_at, e.trial_ending_sent, e.owed_index, e.grace_ends_at, e.pause_at_period_end, e.paused_at, e.resumes_at, e.resume_index, e.cancel_at_period_end, e.canceled_at, e.canceled_by_customer, e.ended_at, e.end_reason, e.pending_change, e.token_hash, e.sealed_token
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from subscriptions t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into subscriptions (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, api_version, customer_id, test_clock_id, plan_id, source, payer, trial_key, verified, currency, tax_behavior, lines, taxes, subtotal_minor, tax_minor, total_minor, "interval", interval_count, anchor_at, anchor_given, trial_ends_at, lead_days, grace_days, max_periods, activation, after_grace, assets, reference, metadata, period_index, invoiced_index, latest_invoice_id, unpaid, first_due_at, trial_ending_sent, owed_index, grace_ends_at, pause_at_period_end, paused_at, resumes_at, resume_index, cancel_at_period_end, canceled_at, canceled_by_customer, ended_at, end_reason, pending_change, token_hash, sealed_token) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.api_version, r.customer_id, r.test_clock_id, r.plan_id, r.source, r.payer, r.trial_key, r.verified, r.currency, r.tax_behavior, r.lines, r.taxes, r.subtotal_minor, r.tax_minor, r.total_minor, r."interval", r.interval_count, r.anchor_at, r.anchor_given, r.trial_ends_at, r.lead_days, r.grace_days, r.max_periods, r.activation, r.after_grace, r.assets, r.reference, r.metadata, r.period_index, r.invoiced_index, r.latest_invoice_id, r.unpaid, r.first_due_at, r.trial_ending_sent, r.owed_index, r.grace_ends_at, r.pause_at_period_end, r.paused_at, r.resumes_at, r.resume_index, r.cancel_at_period_end, r.canceled_at, r.canceled_by_customer, r.ended_at, r.end_reason, r.pending_change, r.token_hash, r.sealed_token from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of subscriptions exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.insert_test_clocks_v1(entries test_clocks_v1_entry[], skip integer[], now_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
    declare
      wanted integer;
      made integer;
      absent test_clocks_v1_entry;
      violated text;
      refused json[];
    begin
      perform lock_list('test_clocks', array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));
      insert into test_clocks (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, now, target)
      select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.now, r.target from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by r.id
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, e.id, e.state, e.rev, e.version, e.lease, e.leased_until, e.created_at, e.updated_at, e.merchant_id, e.livemode, e.now, e.target
        from (select *, row_number() over (partition by id) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from test_clocks t where t.id = e.id and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into test_clocks (id, state, rev, version, lease, leased_until, created_at, updated_at, merchant_id, livemode, now, target) select r.id, r.state, r.rev, r.version, r.lease, r.leased_until, coalesce(r.created_at, now_at), coalesce(r.updated_at, now_at), r.merchant_id, r.livemode, r.now, r.target from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of test_clocks exist already';
      end if;
      return array_to_json(refused);
    end $function$;

CREATE OR REPLACE FUNCTION public.is_acted(s simulations)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  select s.touched_at > clock_timestamp() - interval '4 seconds'
    or s.touched_at > clock_timestamp() - interval '15 seconds' and exists (
      select from pg_stat_get_activity(s.backend) a where a.backend_start = s.backend_start)
$function$;

CREATE OR REPLACE FUNCTION public.is_finished(customers)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (($1).state = ANY (ARRAY['merged'::text, 'erased'::text]));

CREATE OR REPLACE FUNCTION public.is_finished(disputes)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (($1).state = ANY (ARRAY['won'::text, 'lost'::text]));

CREATE OR REPLACE FUNCTION public.is_finished(invoices)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((($1).state = ANY (ARRAY['paid'::text, 'void'::text, 'deleted'::text])) AND (($1).amount_processing_minor = (0)::numeric));

CREATE OR REPLACE FUNCTION public.is_finished(payment_links)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((($1).state <> 'active'::text) AND (($1).payments_processing = 0));

CREATE OR REPLACE FUNCTION public.is_finished(payments)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  select $1.state in ('success', 'failed', 'expired', 'canceled') and not $1.attention
    and $1.refunds_reserved_minor = $1.amount_refunded_minor
    and not exists (select from unsettled_payments u where u.payment_id = $1.id)
$function$;

CREATE OR REPLACE FUNCTION public.is_finished(plans)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (($1).state = 'archived'::text);

CREATE OR REPLACE FUNCTION public.is_finished(refunds)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((($1).state = ANY (ARRAY['processed'::text, 'canceled'::text])) AND (NOT ($1).attention));

CREATE OR REPLACE FUNCTION public.is_finished(subscriptions)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (($1).state = ANY (ARRAY['canceled'::text, 'expired'::text, 'completed'::text]));

CREATE OR REPLACE FUNCTION public.is_finished(test_clocks)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (($1).state = 'deleted'::text);

CREATE OR REPLACE FUNCTION public.is_leased(lease uuid, leased_until timestamp with time zone, holder uuid, now_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select lease is not null and lease is distinct from holder
    and leased_until > now_at and leased_until <= now_at + interval '10 s'
$function$;

CREATE OR REPLACE FUNCTION public.is_native_signed_by_hand(chain bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
  with recursive whose as (
    (select merchant_id, livemode from refunds
      where chain_id = chain and state = 'requires_signature' and token_address is null
      order by merchant_id, livemode limit 1)
    union all
    select next.merchant_id, next.livemode
    from whose w cross join lateral (
      select r.merchant_id, r.livemode from refunds r
      where r.chain_id = chain and r.state = 'requires_signature' and r.token_address is null
        and (r.merchant_id, r.livemode) > (w.merchant_id, w.livemode)
      order by r.merchant_id, r.livemode limit 1) next)
  select exists (
      select from signing_waits w
      -- By its key alone: hence the offset.
      cross join lateral (select state from refunds where id = w.refund_id offset 0) r
      where w.native_chain_id = chain and w.next_try_at = 'infinity' and r.state = 'requires_signature')
    or exists (
      select from whose w
      where not exists (
        select from working_signers s
        where s.merchant_id = w.merchant_id and s.livemode = w.livemode and s.chain_id = chain offset 0))
$function$;

CREATE OR REPLACE FUNCTION public.is_of_dropped_history(sums payment_sums, before timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN COALESCE((before > ((sums).starts_at AT TIME ZONE CASE (sums).span WHEN 'quarter'::text THEN 'UTC'::text ELSE COALESCE((SELECT billing_settings.sums_time_zone FROM billing_settings WHERE (billing_settings.merchant_id = (is_of_dropped_history.sums).merchant_id)), 'UTC'::text) END)), false);

CREATE OR REPLACE FUNCTION public.is_old_delivery(its deliveries, before timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (((its).state = ANY (ARRAY['delivered'::text, 'failed'::text, 'canceled'::text])) AND ((its).updated_at < before));

CREATE OR REPLACE FUNCTION public.is_on_hold(signer refund_signers)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  select signer.epoch is null and signer.era < current_era()
$function$;

CREATE OR REPLACE FUNCTION public.is_settled(row_era integer, row_xid xid8)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select row_era < (select max(era) from eras) or row_xid < pg_snapshot_xmin(pg_current_snapshot())
$function$;

CREATE OR REPLACE FUNCTION public.is_treasury_of(refund refunds, from_address text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
      select from receiving_addresses a
      where a.merchant_id = refund.merchant_id and a.livemode = refund.livemode
        and coalesce(a.chain_id, refund.chain_id) = refund.chain_id and lower(a.address) = from_address)
    or exists (
      select from deposit_addresses d where d.payment_id = refund.payment_id and d.treasury = from_address)
$function$;

CREATE OR REPLACE FUNCTION public.join_customer(record uuid, given json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  its_customer uuid := given->>'customer';
  is_locked boolean := pg_try_advisory_xact_lock_shared(hashtext('customers'), customer_lock(its_customer));
begin
  -- A separate statement, for a snapshot after the lock.
  if not is_locked or exists (select from customers where id = its_customer and erased_at is not null) then
    raise exception 'the customer is erased, or is being changed'
    using errcode = 'check_violation', constraint = 'customer_remains';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.join_invoice(record uuid, given json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  its_state text;
begin
  select state into its_state from invoices where id = (given->>'invoice')::uuid for share skip locked;
  if not found then
    raise exception 'the invoice is being changed' using errcode = 'check_violation', constraint = 'invoice_unlocked';
  end if;
  if its_state not in ('draft', 'open', 'uncollectible') then
    raise exception 'the invoice is settled' using errcode = 'check_violation', constraint = 'invoice_unsettled';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.join_plan(record uuid, given json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from plans where id = (given->>'plan')::uuid and state = 'active' for share skip locked;
  if not found then
    raise exception 'the plan is archived, or is being changed'
    using errcode = 'check_violation', constraint = 'plan_remains';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.json_of(stored text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
declare
  parts text[];
begin
  if left(stored, 1) = '{' then
    return stored;
  end if;
  parts := array_replace(string_to_array(stored, E'\t'), '', 'null');
  return (select format(template, variadic parts[2:]) from json_layouts where id = parts[1]::integer);
end $function$;

CREATE OR REPLACE FUNCTION public.known_native_amount(chain bigint, to_whom text, after_number bigint, up_to bigint)
 RETURNS numeric
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(sum(t.amount), 0)
  from deposit_addresses d
  cross join transfers_of(d.payment_id) t
  where d.address = to_whom and t.to_address = d.address and t.chain_id = chain and t.token_address is null and t.state <> 'orphaned'
    and t.block_number > after_number and t.block_number <= up_to
$function$;

CREATE OR REPLACE FUNCTION public.later_than(before timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
AS $function$
  select greatest(date_trunc('milliseconds', clock_timestamp()), before + interval '1 ms')
$function$;

CREATE OR REPLACE FUNCTION public.latest_writer(row_table text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select left(typname, -length('_entry')) from pg_type
  where typname ~ ('^' || row_table || '_v\d+_entry$')
  order by substring(typname from '_v(\d+)_entry$')::integer desc
  limit 1
$function$;

CREATE OR REPLACE FUNCTION public.lease_credit_notes(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update credit_notes set lease = holder, leased_until = until
      where id in (select id from credit_notes where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_customers(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update customers set lease = holder, leased_until = until
      where id in (select id from customers where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_deliveries(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update deliveries set lease = holder, leased_until = until
      where id in (select id from deliveries where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_disputes(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update disputes set lease = holder, leased_until = until
      where id in (select id from disputes where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_document_series(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update document_series set lease = holder, leased_until = until
      where id in (select id from document_series where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_invoices(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update invoices set lease = holder, leased_until = until
      where id in (select id from invoices where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_payment_links(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update payment_links set lease = holder, leased_until = until
      where id in (select id from payment_links where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_payments(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update payments set lease = holder, leased_until = until
      where id in (select id from payments where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_plans(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update plans set lease = holder, leased_until = until
      where id in (select id from plans where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_refunds(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update refunds set lease = holder, leased_until = until
      where id in (select id from refunds where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_subscriptions(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update subscriptions set lease = holder, leased_until = until
      where id in (select id from subscriptions where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.lease_test_clocks(ids uuid[], holder uuid, now_at timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
    begin
      update test_clocks set lease = holder, leased_until = until
      where id in (select id from test_clocks where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $function$;

CREATE OR REPLACE FUNCTION public.leave_refund_to_hand(refund uuid, given json)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, native_chain_id)
  select r.id,
    coalesce((
      select s.id from refund_signers s
      where s.merchant_id = r.merchant_id and s.chain_id = r.chain_id and s.removed_at is null),
      '00000000-0000-0000-0000-000000000000'),
    'by_hand', 'infinity', case when r.token_address is null then r.chain_id end
  from refunds r
  where r.id = refund and r.state = 'requires_signature'
    and not exists (
      select from signer_nonces n join signed_transactions t using (signer_id, nonce)
      where n.refund_id = r.id and t.tx_hash = given->>'txHash')
    and not exists (
      select from refund_signers s
      where s.merchant_id = r.merchant_id and s.chain_id = r.chain_id and s.epoch is not null)
  on conflict (refund_id) do update set reason = excluded.reason, next_try_at = excluded.next_try_at, since = now()
  where w.next_try_at < 'infinity'
$function$;

CREATE OR REPLACE FUNCTION public.leave_refunds_of_mode_to_hand()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform leave_to_hand(new.merchant_id, null, new.livemode);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.leave_to_hand(merchant uuid, chain bigint, mode boolean)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, native_chain_id)
  select r.id, s.id, 'by_hand', 'infinity', case when r.token_address is null then r.chain_id end
  from refund_signers s join refunds r on r.merchant_id = s.merchant_id and r.chain_id = s.chain_id
  where s.merchant_id = merchant and s.epoch is null and s.removed_at is null and r.state = 'requires_signature'
    and s.chain_id = coalesce(chain, s.chain_id) and r.livemode = coalesce(mode, r.livemode)
  order by r.id
  on conflict (refund_id) do update set reason = excluded.reason, next_try_at = excluded.next_try_at, since = now()
  where w.next_try_at < 'infinity'
$function$;

CREATE OR REPLACE FUNCTION public.limit_visits(record uuid, given json)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  its subscriptions;
begin
  select * into its from subscriptions where id = record;
  perform from subscriptions
  where merchant_id = its.merchant_id and livemode = its.livemode and state = 'incomplete' and source = 'checkout'
    and seq < its.seq
  offset (given->>'most')::integer - 1 limit 1;
  if found then
    raise exception 'too many subscriptions are not paid'
    using errcode = 'check_violation', constraint = 'subscriptions_incomplete_most';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.list_key(merchant uuid, mode boolean, common text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN uuid_hash_extended(merchant, hashtextextended(common, ((mode)::integer)::bigint));

CREATE OR REPLACE FUNCTION public.list_unsigned(chain bigint, sandbox boolean, touched_before timestamp with time zone, most integer)
 RETURNS TABLE(refund_id uuid)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  with whose as materialized (
    select merchant_id, livemode from working_signers where chain_id = chain and not sandbox
    union
    select merchant_id, livemode from refunds where chain_id = chain and state = 'requires_signature' and sandbox),
  untried as (
    select r.id, 0 as tries, r.updated_at from whose o cross join lateral (
      select id, updated_at from refunds r
      where r.chain_id = chain and r.merchant_id = o.merchant_id and r.livemode = o.livemode
        and r.state = 'requires_signature' and r.updated_at < touched_before
        and not exists (select from signing_waits w where w.refund_id = r.id)
      order by r.updated_at limit most) r),
  tried as (
    select w.* from refund_signers s cross join lateral (
      select r.id, w.tries, r.updated_at from signing_waits w
      cross join lateral (select * from refunds where id = w.refund_id offset 0) r
      where w.signer_id = s.id and w.next_try_at <= now() and w.next_try_at < 'infinity'
        and r.chain_id = chain and r.state = 'requires_signature' and r.updated_at < touched_before
        and exists (select from whose o where o.merchant_id = r.merchant_id and o.livemode = r.livemode)
      order by w.next_try_at limit 10 * most) w
    where s.chain_id = chain)
  select id from (select * from untried union all select * from tried) u
  order by tries, updated_at limit most
$function$;

CREATE OR REPLACE FUNCTION public.lock_attempts(subjects text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  key integer;
begin
  -- In one order, so that two statements cannot deadlock.
  for key in select distinct hashtext(s) from unnest(subjects) as s order by 1 loop
    perform pg_advisory_xact_lock(hashtext('paymachine attempts'), key);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.lock_credit_notes_v1(entries credit_notes_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from credit_notes where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_customers_v1(entries customers_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from customers where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_deliveries_v1(entries deliveries_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from deliveries where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_disputes_v1(entries disputes_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from disputes where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_document_series_v1(entries document_series_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from document_series where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_invoices_v1(entries invoices_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from invoices where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_list(list text, merchants uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET lock_timeout TO '5s'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtext(list), lock)
  from (select distinct merchant_lock(merchant) as lock from unnest(merchants) as merchant order by lock) locks;
end $function$;

CREATE OR REPLACE FUNCTION public.lock_payment_links_v1(entries payment_links_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from payment_links where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_payments_v1(entries payments_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from payments where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_plans_v1(entries plans_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from plans where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_refunds_v1(entries refunds_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from refunds where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_rows(writer text, entries text, holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
AS $function$
      begin
        case writer
          when 'credit_notes_v1' then return lock_credit_notes_v1(entries::credit_notes_v1_entry[], holder, now_at);
    when 'customers_v1' then return lock_customers_v1(entries::customers_v1_entry[], holder, now_at);
    when 'deliveries_v1' then return lock_deliveries_v1(entries::deliveries_v1_entry[], holder, now_at);
    when 'disputes_v1' then return lock_disputes_v1(entries::disputes_v1_entry[], holder, now_at);
    when 'document_series_v1' then return lock_document_series_v1(entries::document_series_v1_entry[], holder, now_at);
    when 'invoices_v1' then return lock_invoices_v1(entries::invoices_v1_entry[], holder, now_at);
    when 'payment_links_v1' then return lock_payment_links_v1(entries::payment_links_v1_entry[], holder, now_at);
    when 'payments_v1' then return lock_payments_v1(entries::payments_v1_entry[], holder, now_at);
    when 'plans_v1' then return lock_plans_v1(entries::plans_v1_entry[], holder, now_at);
    when 'refunds_v1' then return lock_refunds_v1(entries::refunds_v1_entry[], holder, now_at);
    when 'subscriptions_v1' then return lock_subscriptions_v1(entries::subscriptions_v1_entry[], holder, now_at);
    when 'test_clocks_v1' then return lock_test_clocks_v1(entries::test_clocks_v1_entry[], holder, now_at);
        end case;
      end $function$;

CREATE OR REPLACE FUNCTION public.lock_subscriptions_v1(entries subscriptions_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from subscriptions where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.lock_test_clocks_v1(entries test_clocks_v1_entry[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from test_clocks where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $function$;

CREATE OR REPLACE FUNCTION public.looked_at_refund(refund uuid)
 RETURNS SETOF refunds
 LANGUAGE sql
 STABLE
AS $function$
  select * from refunds where id = refund offset 0
$function$;

CREATE OR REPLACE FUNCTION public.lose_refund_looks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update refund_looks set chain_lost = true, block_number = null, looks = 0, next_look_at = now()
  -- In order, so that two transactions cannot deadlock.
  where refund_id in (select refund_id from refund_looks where chain_id = new.chain_id order by refund_id for update);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.merchant_lock(merchant uuid)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select uuid_hash(merchant) & 255
$function$;

CREATE OR REPLACE FUNCTION public.merge_customer(customer uuid, given json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  survivor uuid := given->>'into';
  its customers;
begin
  select * into its from customers where id = customer;
  -- Before the lock of the ledger, in the order of commits that write entries.
  perform lock_list('credit_entries', array[its.merchant_id]);
  perform pg_advisory_xact_lock(hashtext('customers'), customer_lock(customer));
  update customer_emails set customer_id = survivor where customer_id = customer;
  insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, note, created_at)
  select moved.customer_id, b.currency, new_uuidv7(), its.merchant_id, its.livemode, 'adjustment', moved.amount,
    'Customer merged', now()
  from credit_balances b
  cross join lateral (values (customer, -b.balance_minor), (survivor, b.balance_minor)) as moved(customer_id, amount)
  where b.customer_id = customer and b.balance_minor > 0;
  update merged_customers set survivor_id = survivor where survivor_id = customer;
  insert into merged_customers values (customer, survivor);
end $function$;

CREATE OR REPLACE FUNCTION public.move_cursor(chain bigint, from_number bigint, from_hash text, to_number bigint, to_hash text, to_time timestamp with time zone, final bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  new_step bigint;
begin
  update chain_cursors
  set number = to_number, hash = to_hash, mined_at = to_time, final_number = greatest(final_number, final), step = step + 1,
    moved_at = now()
  where chain_id = chain and number = from_number and hash = from_hash
  returning step into new_step;
  if not found then
    raise exception 'the cursor of chain % has moved', chain using errcode = 'PM002';
  end if;
  return new_step;
end $function$;

CREATE OR REPLACE FUNCTION public.move_payment_sums(merchant uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  its billing_settings;
  -- The first day that is made again, and when it began in the zone before.
  first_day timestamp;
  begins timestamp;
begin
  -- Its reader waits, and reads the new zone afterwards.
  perform from feed_cursors where reader = 'payments' for update;
  select * into its from billing_settings where merchant_id = merchant for update;
  first_day := date_trunc('day', first_quarter()) + interval '2 days';
  begins := first_day at time zone its.sums_time_zone at time zone 'UTC';
  update billing_settings set sums_time_zone = time_zone where merchant_id = merchant;
  delete from payment_sums
  where merchant_id = merchant and span = 'day' and breakdown in ('all', 'asset', 'link') and starts_at >= first_day;
  perform add_payment_sum_rows(array(
    select row(merchant_id, livemode, 'day', breakdown, day, currency, key, sum(opened), sum(converted), sum(picked),
      sum(seen), sum(succeeded), sum(failed), sum(expired), sum(canceled), sum(late), sum(volume_minor), sum(refunds),
      sum(refunded_minor),
      added_times(string_to_array(string_agg(array_to_string(pay_times, ','), ','), ',')::integer[]),
      added_times(string_to_array(string_agg(array_to_string(final_times, ','), ','), ',')::integer[]))::payment_sums
    from payment_sums q
    cross join lateral (
      select greatest(date_trunc('day', q.starts_at at time zone 'UTC' at time zone its.time_zone),
        first_day - interval '1 day') as day) d
    where merchant_id = merchant and span = 'quarter' and breakdown in ('all', 'asset', 'link') and starts_at >= begins
    group by merchant_id, livemode, breakdown, day, currency, key));
end $function$;

CREATE OR REPLACE FUNCTION public.move_test_clock(clock uuid)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  its test_clocks;
  next timestamptz;
begin
  select * into its from test_clocks where id = clock for update;
  if its.state is distinct from 'advancing' then
    return 'ended';
  end if;
  -- Separate statements, for a snapshot after the lock.
  if exists (select from timers where test_clock_id = clock and due_at <= its.now) or test_clock_waits(clock) then
    return 'waiting';
  end if;
  if its.now = its.target then
    return 'arrived';
  end if;
  select min(due_at) into next from timers where test_clock_id = clock and due_at <= its.target;
  update test_clocks set now = coalesce(next, its.target), updated_at = later_than(updated_at) where id = clock;
  return 'moved';
end $function$;

CREATE OR REPLACE FUNCTION public.ms_between(since timestamp with time zone, until timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((EXTRACT(epoch FROM until))::double precision - (EXTRACT(epoch FROM since))::double precision) * (1000)::double precision);

CREATE OR REPLACE FUNCTION public.ms_time(ms bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select to_timestamp(ms::float8 / 1000)
$function$;

CREATE OR REPLACE FUNCTION public.new_uuidv7()
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$function$;

CREATE OR REPLACE FUNCTION public.next_look(looks integer)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select now() + least(power(2, least(looks, 9)), 300) * interval '1 second'
$function$;

CREATE OR REPLACE FUNCTION public.next_span(span text, at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
RETURN (date_trunc(span, (at - '00:00:00.000001'::interval), 'UTC'::text) + CASE span WHEN 'minute'::text THEN '00:01:00'::interval WHEN 'hour'::text THEN '01:00:00'::interval WHEN 'day'::text THEN '24:00:00'::interval ELSE '168:00:00'::interval END);

CREATE OR REPLACE FUNCTION public.note_unproven_transfers(chain bigint, logs json)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
declare
  concerned uuid[];
begin
  if logs::text = '[]' then
    return null;
  end if;
  with noted as (
    insert into unexplained_collections (chain_id, address, payment_id, block_number)
    select chain, d.address, d.payment_id, min(l.block_number)
    from json_to_recordset(logs) as l(to_address text, block_number bigint)
    join deposit_addresses d on d.address = l.to_address
    group by d.address, d.payment_id
    on conflict (chain_id, address) do update set block_number = excluded.block_number
    where excluded.block_number < unexplained_collections.block_number
    returning payment_id)
  select array_agg(payment_id) into concerned from noted;
  return concerned;
end $function$;

CREATE OR REPLACE FUNCTION public.notice_given_up_transaction(refund uuid, given json)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into noticed_transfers (chain_id, tx_hash, refund_id)
  select chain_id, given->>'txHash', id from refunds where id = refund
  on conflict (chain_id, tx_hash, refund_id) do update set from_address = null
$function$;

CREATE OR REPLACE FUNCTION public.notice_refund_transfers(chain bigint, logs json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- Usually there is none, and then this query is all that is done.
  if not exists (select from refund_destinations where chain_id = chain) then
    return;
  end if;
  insert into noticed_transfers (chain_id, tx_hash, refund_id, from_address)
  select distinct on (l.tx_hash, d.refund_id) chain, l.tx_hash, d.refund_id, l.from_address
  from json_to_recordset(logs) as l(
    tx_hash text, token_address text, from_address text, to_address text, amount numeric)
  join refund_destinations d
    on d.chain_id = chain and d.to_address = l.to_address
    and d.token_address is not distinct from l.token_address and d.amount = l.amount
  where l.from_address is not null
  order by l.tx_hash, d.refund_id
  on conflict do nothing;
end $function$;

CREATE OR REPLACE FUNCTION public.notice_reported_transaction(chain bigint, hash text, refund uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into noticed_transfers as n (chain_id, tx_hash, refund_id)
  select chain, hash, refund
  where (select count(*) from noticed_transfers where refund_id = refund and from_address is null) < 20
  on conflict (chain_id, tx_hash, refund_id) do update set from_address = null, looks = 0, next_look_at = now()
$function$;

CREATE OR REPLACE FUNCTION public.old_entries(ids uuid[], before timestamp with time zone)
 RETURNS TABLE(actor uuid, rev integer)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  with ends as materialized (
    select its.id, last.rev, last.to_state
    from unnest(ids) as its (id)
    cross join lateral (
      select last.rev, last.to_state from transitions last where last.actor = its.id order by last.rev desc limit 1) last
  )
  select t.actor, t.rev
  from find_finished_actors(array(select id from ends order by id), array(select rev from ends order by id)) as its (id)
  join ends last on last.id = its.id
  cross join lateral (
    select max(e.rev) as rev from transitions e
    where e.actor = its.id and e.to_state = last.to_state and e.from_state is distinct from e.to_state) entered
  join transitions t on t.actor = its.id and t.rev < last.rev and t.rev is distinct from entered.rev
  where t.at < before
    -- By it a payment is known to be counted as late: see payment_sum_changes().
    and t.event <> 'late_finalized'
$function$;

CREATE OR REPLACE FUNCTION public.open_session(new_id uuid, account uuid, new_hash bytea, actor text, from_address text, from_network text, from_agent text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from accounts where id = account for no key update;
  insert into sessions (id, account_id, token_hash, address, network, user_agent)
  values (new_id, account, new_hash, from_address, from_network, from_agent);
  update sessions set ended_at = clock_timestamp() where ended_at is null and id in (
    select id from sessions where account_id = account and ended_at is null and id <> new_id
    order by last_used_at desc offset 99);
  delete from sessions where account_id = account and last_used_at < clock_timestamp() - interval '60 days';
  perform record_security_event(null, account, actor, from_address, 'session.signed_in', '{}'::json);
end $function$;

CREATE OR REPLACE FUNCTION public.orphan_elsewhere(chain bigint, logs json)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
declare
  concerned uuid[];
begin
  with gone as (
    update transfers t set state = 'orphaned'
    from json_to_recordset(logs) as l(tx_hash text, log_index integer, block_hash text)
    where t.chain_id = chain and t.tx_hash = l.tx_hash and t.log_index = l.log_index
      and t.state = 'seen' and t.block_hash <> l.block_hash
    returning t.payment_id)
  select array_agg(payment_id) into concerned from gone;
  return concerned;
end $function$;

CREATE OR REPLACE FUNCTION public.pass_retention(its_part text, to_era integer, to_xid xid8, to_seq bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  update retention_progress set era = to_era, xid = to_xid, seq = to_seq where part = its_part
$function$;

CREATE OR REPLACE FUNCTION public.payment_link_key(id uuid, link payment_links)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((link).hidden OR ((link).max_payments = 1)) THEN 'single_use'::text ELSE (id)::text END;

CREATE OR REPLACE FUNCTION public.payment_sum_changes(actors uuid[], revs integer[])
 RETURNS TABLE(merchant_id uuid, livemode boolean, at timestamp with time zone, currency text, asset text, link text, opened integer, converted integer, picked integer, seen integer, succeeded integer, failed integer, expired integer, canceled integer, late integer, volume bigint, refunds integer, refunded bigint, pay_time smallint, final_time smallint)
 LANGUAGE sql
 STABLE ROWS 5000
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  with these as materialized (
    select t.*, case t.kind when 'payment' then asset_key(json_of(t.context)) end as asset
    from unnest(actors, revs) as asked (actor, rev)
    -- The limit leaves only the primary key: while statistics are old, a join would read all transitions of payments for
    -- each of these.
    cross join lateral (select * from transitions t where t.actor = asked.actor and t.rev = asked.rev limit 1) t
    where t.kind = 'payment'
        and (t.from_state is distinct from t.to_state or t.event in ('asset_picked', 'late_finalized'))
      or t.kind = 'refund' and t.to_state = 'processed' and t.from_state <> 'processed'
  ), known as materialized (
    select t.merchant_id, t.livemode, t.at, t.actor_created_at, t.event, t.to_state, t.asset,
      p.currency, p.amount_minor as amount, payment_link_key(p.payment_link_id, l) as link,
      t.from_state is null as opens,
      t.from_state <> t.to_state as moves,
      before.asset as asset_before,
      coalesce(before.asset <> t.asset, false) as changes_asset,
      seen.at as seen_at,
      t.event in ('late_accepted', 'late_finalized') and not exists (
        select from transitions b
        where b.actor = t.actor and b.rev < t.rev and b.event in ('late_accepted', 'late_finalized')) as is_late
    from these t
    join payments p on p.id = t.actor
    left join payment_links l on l.id = p.payment_link_id
    left join lateral (
      select asset_key(json_of(b.context)) as asset from transitions b
      where t.event in ('asset_picked', 'accept') and b.actor = t.actor and b.rev < t.rev
      order by b.rev desc
      limit 1) before on true
    left join lateral (
      select b.at from transitions b
      where t.to_state in ('processing', 'success') and b.actor = t.actor and b.rev < t.rev and b.to_state = 'processing'
      order by b.rev
      limit 1) seen on true
    where t.kind = 'payment'
  )
  select k.merchant_id, k.livemode, c.at, k.currency, c.asset, k.link, c.opened, c.converted,
    (c.happened and k.event = 'asset_picked' and k.asset_before = '')::integer,
    (c.happened and k.moves and k.to_state = 'processing' and k.seen_at is null)::integer,
    (c.happened and k.moves and k.to_state = 'success')::integer,
    (c.happened and k.moves and k.to_state = 'failed')::integer,
    (c.happened and k.moves and k.to_state = 'expired')::integer,
    (c.happened and k.moves and k.to_state = 'canceled')::integer,
    (c.happened and k.is_late)::integer,
    case when c.happened and k.moves and k.to_state = 'success' then k.amount else 0 end, 0, 0::bigint,
    case when c.happened and k.moves and k.to_state = 'processing' and k.seen_at is null
      then time_class(ms_between(k.actor_created_at, k.at)) end,
    case when c.happened and k.moves and k.to_state = 'success' and k.seen_at is not null
      then time_class(ms_between(k.seen_at, k.at)) end
  from known k
  cross join lateral (values
    (k.actor_created_at, k.asset, (k.opens or k.changes_asset)::integer,
      (k.moves and k.to_state = 'success')::integer, false),
    (k.actor_created_at, k.asset_before, -k.changes_asset::integer, 0, false),
    (k.at, k.asset, 0, 0, true)
  ) as c (at, asset, opened, converted, happened)
  where c.happened or c.opened <> 0 or c.converted <> 0
  union all
  select t.merchant_id, t.livemode, t.at, r.currency, r.chain_id || ':' || r.asset, payment_link_key(p.payment_link_id, l),
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, r.amount_minor, null, null
  from these t
  join refunds r on r.id = t.actor
  join payments p on p.id = r.payment_id
  left join payment_links l on l.id = p.payment_link_id
  where t.kind = 'refund'
$function$;

CREATE OR REPLACE FUNCTION public.payment_sum_rows(actors uuid[], revs integer[])
 RETURNS SETOF payment_sums
 LANGUAGE sql
 STABLE
AS $function$
  with changes as materialized (
    select c.*, date_bin('15 minutes', c.at at time zone 'UTC', 'epoch') as quarter,
      date_trunc('day', c.at at time zone coalesce(b.sums_time_zone, 'UTC')) as day
    from payment_sum_changes(actors, revs) c
    left join billing_settings b on b.merchant_id = c.merchant_id
  ), sums as (
    select merchant_id, livemode, s.span, s.breakdown, s.starts_at, currency, s.key, sum(opened) as opened,
      sum(converted) as converted, sum(picked) as picked, sum(seen) as seen, sum(succeeded) as succeeded,
      sum(failed) as failed, sum(expired) as expired, sum(canceled) as canceled, sum(late) as late,
      sum(volume) as volume, sum(refunds) as refunds, sum(refunded) as refunded
    from (
      select merchant_id, livemode, quarter, day, currency, asset, link, sum(opened) as opened,
        sum(converted) as converted, sum(picked) as picked, sum(seen) as seen, sum(succeeded) as succeeded,
        sum(failed) as failed, sum(expired) as expired, sum(canceled) as canceled, sum(late) as late,
        sum(volume) as volume, sum(refunds) as refunds, sum(refunded) as refunded
      from changes
      group by merchant_id, livemode, quarter, day, currency, asset, link) c
    cross join lateral (values
      ('quarter', 'all', c.quarter, ''), ('quarter', 'asset', c.quarter, c.asset), ('quarter', 'link', c.quarter, c.link),
      ('day', 'all', c.day, ''), ('day', 'asset', c.day, c.asset), ('day', 'link', c.day, c.link)
    ) as s (span, breakdown, starts_at, key)
    where s.span = 'day' or s.starts_at >= first_quarter()
    group by merchant_id, livemode, s.span, s.breakdown, s.starts_at, currency, s.key
  ), times as (
    select merchant_id, livemode, span, breakdown, starts_at, currency, key,
      array_agg(time_count(class, payments) order by class) filter (where is_final is false) as pay,
      array_agg(time_count(class, payments) order by class) filter (where is_final) as final
    from (
      select merchant_id, livemode, s.span, s.breakdown, s.starts_at, currency, s.key, is_final, class,
        sum(payments)::bigint as payments
      from (
        select merchant_id, livemode, quarter, day, currency, asset, m.is_final, m.class, count(*) as payments
        from changes cross join lateral (values (false, pay_time), (true, final_time)) as m (is_final, class)
        where m.class is not null
        group by merchant_id, livemode, quarter, day, currency, asset, m.is_final, m.class) c
      cross join lateral (values
        ('quarter', 'all', c.quarter, ''), ('quarter', 'asset', c.quarter, c.asset),
        ('day', 'all', c.day, ''), ('day', 'asset', c.day, c.asset)
      ) as s (span, breakdown, starts_at, key)
      group by merchant_id, livemode, s.span, s.breakdown, s.starts_at, currency, s.key, is_final, class) classes
    group by merchant_id, livemode, span, breakdown, starts_at, currency, key
  )
  select merchant_id, livemode, span, breakdown, starts_at, currency, key, opened::integer, converted::integer,
    picked::integer, seen::integer, succeeded::integer, failed::integer, expired::integer, canceled::integer,
    late::integer, volume, refunds::integer, refunded, pay, final
  from sums
  left join times using (merchant_id, livemode, span, breakdown, starts_at, currency, key)
$function$;

CREATE OR REPLACE FUNCTION public.payment_sums_as_of()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  select coalesce((
    select t.at
    from feed_cursors here
    cross join lateral (
      select at from transitions
      where (era, xid, seq) > (here.era, here.xid, here.seq)
      order by era, xid, seq
      limit 1) t
    where here.reader = 'payments'), now())
$function$;

CREATE OR REPLACE FUNCTION public.precedes(commit_era integer, commit_xid xid8, change_era integer, change_snapshot pg_snapshot)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select commit_era < change_era or (commit_era = change_era and pg_visible_in_snapshot(commit_xid, change_snapshot))
$function$;

CREATE OR REPLACE FUNCTION public.prove_session(session uuid, account uuid, by_code boolean, actor text, from_address text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  update sessions
  set proven_at = clock_timestamp(),
    second_factor_at = case when by_code then clock_timestamp() else second_factor_at end
  where id = session and account_id = account and ended_at is null;
  if not found then
    return false;
  end if;
  perform record_security_event(null, account, actor, from_address, 'session.stepped_up', '{}'::json);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.prune_machine_sums()
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from machine_flows
  where span = 'minute' and starts_at < now() - interval '2 hours'
    or span <> 'minute' and starts_at < now() - interval '31 days';
  delete from machine_stays
  where span = 'minute' and starts_at < now() - interval '2 hours'
    or span = 'hour' and starts_at < now() - interval '25 hours'
    or span in ('day', 'week') and starts_at < now() - interval '31 days';
$function$;

CREATE OR REPLACE FUNCTION public.prune_payment_sums()
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from payment_sums where span = 'quarter' and starts_at < first_quarter()
$function$;

CREATE OR REPLACE FUNCTION public.read_credit_notes_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, api_version::text, invoice_id::text, customer_id::text, test_clock_id::text, reason::text, currency::text, tax_behavior::text, lines::text, taxes::text, subtotal_minor::text, tax_minor::text, total_minor::text, due_reduced_minor::text, credit_minor::text, refunds_minor::text, refund_ids::text, note::text, number::text, series_id::text, sequence::text, issued_at::text, issue_date::text, document_hash::text, previous_document_hash::text])) from credit_notes where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_customers_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, api_version::text, email::text, name::text, company::text, tax_id::text, address::text, locale::text, reference::text, source::text, metadata::text, merged_into_id::text, test_clock_id::text, erased_at::text, erased_by::text])) from customers where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_deliveries_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, event_id::text, event_type::text, endpoint_id::text, attempts::text, automatic_attempts::text, trigger::text, next_attempt_at::text, resume_at::text, sending_since::text, cancel_requested::text, delivered_at::text])) from deliveries where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_disputes_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, api_version::text, payment_id::text, amount_minor::text, currency::text, reason::text, description::text, uncategorized_text::text, customer_communication::text, shipping_tracking_number::text, refund_policy::text, evidence_due_by::text])) from disputes where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_document_series_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, document_kind::text, year::text, test_clock_id::text, first_number::text, last_number::text, last_issued_at::text, last_document_hash::text])) from document_series where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_invoices_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, api_version::text, customer_id::text, test_clock_id::text, currency::text, tax_behavior::text, lines::text, taxes::text, subtotal_minor::text, tax_minor::text, total_minor::text, days_until_due::text, due_date::text, reference::text, order_number::text, notes::text, assets::text, reminder_offsets::text, metadata::text, subscription_id::text, period_index::text, period_start::text, period_end::text, number::text, series_id::text, sequence::text, issued_at::text, issue_date::text, due_at::text, seller::text, customer::text, party_salt::text, party_hash::text, document_hash::text, previous_document_hash::text, reminders::text, retained_until::text, credit_applied_minor::text, payment_link_id::text, token_hash::text, sealed_token::text, customer_erased::text, credit_notes_minor::text, amount_paid_minor::text, amount_processing_minor::text, amount_overpaid_minor::text, amount_refunded_minor::text, uncredited_refunds_minor::text, allocations::text, credit_note_ids::text, overdue::text, due_passed::text, reminders_passed::text, reminded_offset::text, reminded_at::text, paid_at::text, voided_at::text, void_reason::text])) from invoices where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_payment_links_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, amount_minor::text, currency::text, title::text, description::text, reference::text, assets::text, max_payments::text, window_minutes::text, expires_at::text, success_url::text, metadata::text, hidden::text, payments_opened::text, payments_processing::text, payments_count::text, deactivated_at::text])) from payment_links where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_payments_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, api_version::text, payment_link_id::text, customer_id::text, invoice_id::text, amount_minor::text, currency::text, customer_email::text, customer_name::text, reference::text, metadata::text, tolerance_bps::text, late_policy::text, expires_at::text, chain_id::text, asset::text, token_address::text, decimals::text, address::text, amount_expected::text, confirmations_required::text, pegged::text, quote_rate::text, quote_source::text, quote_expires_at::text, scan::text, amount_received::text, amount_final::text, received_minor::text, payer_address::text, tx_hash::text, block_number::text, stray::text, final_strays::text, announced::text, collection_unexplained::text, window_lengthened::text, exception::text, failure_reason::text, attention::text, refunds_reserved_minor::text, amount_refunded_minor::text])) from payments where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_plans_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, name::text, description::text, currency::text, tax_behavior::text, lines::text, taxes::text, subtotal_minor::text, tax_minor::text, total_minor::text, "interval"::text, interval_count::text, trial_days::text, lead_days::text, grace_days::text, max_periods::text, activation::text, after_grace::text, assets::text, reference::text, metadata::text])) from plans where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_refunds_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, api_version::text, payment_id::text, invoice_id::text, credit_note_id::text, amount_minor::text, currency::text, reason::text, metadata::text, chain_id::text, asset::text, token_address::text, amount::text, destination::text, tx_hash::text, confirmations::text, failure_reason::text, attention::text, stray_tx_hash::text])) from refunds where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_subscriptions_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, api_version::text, customer_id::text, test_clock_id::text, plan_id::text, source::text, payer::text, trial_key::text, verified::text, currency::text, tax_behavior::text, lines::text, taxes::text, subtotal_minor::text, tax_minor::text, total_minor::text, "interval"::text, interval_count::text, anchor_at::text, anchor_given::text, trial_ends_at::text, lead_days::text, grace_days::text, max_periods::text, activation::text, after_grace::text, assets::text, reference::text, metadata::text, period_index::text, invoiced_index::text, latest_invoice_id::text, unpaid::text, first_due_at::text, trial_ending_sent::text, owed_index::text, grace_ends_at::text, pause_at_period_end::text, paused_at::text, resumes_at::text, resume_index::text, cancel_at_period_end::text, canceled_at::text, canceled_by_customer::text, ended_at::text, end_reason::text, pending_change::text, token_hash::text, sealed_token::text])) from subscriptions where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_test_clocks_v1(ids uuid[])
 RETURNS TABLE(found json)
 LANGUAGE sql
 STABLE
AS $function$
      select array_to_json(array_agg(array[xmin::text, id::text, state::text, rev::text, version::text, lease::text, leased_until::text, created_at::text, updated_at::text, merchant_id::text, livemode::text, now::text, target::text])) from test_clocks where id = any(ids)
    $function$;

CREATE OR REPLACE FUNCTION public.read_transfers(chain bigint, behind bigint, up_to bigint, logs json)
 RETURNS TABLE(tx_hash text, log_index integer, block_number bigint, block_hash text, mined_at timestamp with time zone, payment_id uuid, token_address text, from_address text, to_address text, amount numeric)
 LANGUAGE sql
 STABLE
AS $function$
  select l.tx_hash, l.log_index, l.block_number, l.block_hash, b.mined_at, d.payment_id,
    l.token_address, l.from_address, l.to_address, l.amount
  from json_to_recordset(logs) as l(
    tx_hash text, log_index integer, block_number bigint, block_hash text,
    token_address text, from_address text, to_address text, amount numeric)
  join chain_blocks b on b.chain_id = chain and b.number = l.block_number and b.hash = l.block_hash
  join deposit_addresses d on d.address = l.to_address
  where l.block_number > behind and l.block_number <= up_to
$function$;

CREATE OR REPLACE FUNCTION public.rebuild_machine_sums(tables json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  here feed_cursors;
begin
  perform from feed_cursors where reader = 'machines' for update;
  delete from machine_states;
  delete from machine_flows;
  delete from machine_stays;
  -- One statement, so that rows and transitions are those of one moment. What is not settled is added by the next page.
  execute (
    select format($q$
      with counted as (%s),
      last as materialized (
        select era, xid, seq from transitions where is_settled(era, xid) order by era desc, xid desc, seq desc limit 1
      ), passed as (
        update feed_cursors c set era = last.era, xid = last.xid, seq = last.seq from last where c.reader = 'machines'
      )
      insert into machine_states (kind, state, actors)
      select kind, state, sum(change)
      from (
        select kind, state, change from counted
        union all
        select t.kind, c.state, -c.change
        from transitions t
        left join last on true
        cross join lateral (values (t.to_state, 1), (t.from_state, -1)) as c(state, change)
        where (last.era is null or (t.era, t.xid, t.seq) > (last.era, last.xid, last.seq))
          and t.from_state is distinct from t.to_state and c.state is not null) changes
      group by kind, state $q$,
      string_agg(format('select %L as kind, state, count(*) as change from %I group by state', key, value), ' union all '))
    from json_each_text(tables));

  select * into here from feed_cursors where reader = 'machines';
  insert into machine_flows (span, starts_at, kind, from_state, to_state, taken)
  select span, date_trunc(span, at, 'UTC'), kind, from_state, to_state, count(*)
  from transitions cross join unnest(array['minute', 'hour', 'day', 'week']) as span
  where (era, xid, seq) <= (here.era, here.xid, here.seq) and from_state <> to_state and at > now() - interval '31 days'
  group by 1, 2, 3, 4, 5;
  insert into machine_stays (span, starts_at, kind, state, duration, stays)
  select span, date_trunc(span, m.at, 'UTC'), m.kind, m.from_state, duration_class(ms_between(entered.at, m.at)), count(*)
  from transitions m
  cross join lateral (
    select e.at from transitions e
    where e.actor = m.actor and e.rev < m.rev and e.to_state = m.from_state and e.from_state is distinct from e.to_state
    order by e.rev desc
    limit 1) entered
  cross join unnest(array['minute', 'hour', 'day', 'week']) as span
  where (m.era, m.xid, m.seq) <= (here.era, here.xid, here.seq) and m.from_state <> m.to_state
    and m.at > now() - interval '31 days'
  group by 1, 2, 3, 4, 5;
  perform prune_machine_sums();
end $function$;

CREATE OR REPLACE FUNCTION public.rebuild_payment_sums()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
declare
  here feed_cursors;
  place feed_cursors;
  actors uuid[];
  revs integer[];
  complete_since timestamptz;
begin
  -- Both wait until this is committed: the reader, and the dropping of history.
  select before into complete_since from retention_progress where part = 'history' for update;
  select * into here from feed_cursors where reader = 'payments' for update;
  delete from payment_sums s where not is_of_dropped_history(s, complete_since);
  place := ('payments', 0, '0', 0);
  loop
    select array_agg(actor), array_agg(rev), (array_agg(era))[count(*)], (array_agg(xid))[count(*)],
      (array_agg(seq))[count(*)]
    into actors, revs, place.era, place.xid, place.seq
    from (
      select actor, rev, era, xid, seq from transitions
      where (era, xid, seq) > (place.era, place.xid, place.seq) and (era, xid, seq) <= (here.era, here.xid, here.seq)
      order by era, xid, seq
      limit 20000) page;
    exit when actors is null;
    perform add_payment_sum_rows(array(
      select r from payment_sum_rows(actors, revs) r where not is_of_dropped_history(r, complete_since)));
  end loop;
  return complete_since;
end $function$;

CREATE OR REPLACE FUNCTION public.reclaim_deliveries(claim uuid)
 RETURNS TABLE(id uuid, rev integer, created_at timestamp with time zone, due_at timestamp with time zone, attempts integer, automatic_attempts integer, trigger text, resume_at timestamp with time zone, delivered_at timestamp with time zone, merchant_id uuid, livemode boolean, endpoint_id uuid, endpoint_version text, event_id uuid, event_type text, event_created text, api_version text, object text)
 LANGUAGE sql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
  select d.id, d.rev, d.created_at, c.claimed_at, d.attempts, d.automatic_attempts, d.trigger, d.resume_at, d.delivered_at,
    d.merchant_id, d.livemode, d.endpoint_id, w.updated_at::text,
    d.event_id, d.event_type, floor(extract(epoch from e.created_at))::text, e.api_version, json_of(e.object)::text
  from delivery_claims c
  cross join unnest(c.deliveries) as held(id)
  join deliveries d on d.id = held.id and d.sending_since = c.claimed_at
  join webhook_endpoints w on w.id = d.endpoint_id
  join events e on e.id = d.event_id
  where c.id = claim
$function$;

CREATE OR REPLACE FUNCTION public.record_attempts(command uuid, outcomes delivery_outcome[], layouts json_layouts[], contexts text, jobs json, answered uuid[], finished uuid[], around uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET lock_timeout TO '250ms'
AS $function$
declare
  changed_count integer;
  moved uuid[];
  this_era integer := current_era();
begin
  -- An attempt that was recorded as lost stays lost. Rows are looked up one by one, which `offset` ensures: a join
  -- would read all attempts and compare each with every outcome. An attempt that another process is recording has
  -- another ctid once that commits, and is skipped: it is finished.
  update delivery_attempts a set
    finished_at = ms_time(o.at_ms), duration_ms = o.duration_ms,
    outcome = o.outcome, http_status = o.http_status, response_snippet = o.response_snippet,
    signed_s = o.signed_s, response_headers = o.response_headers
  from unnest(outcomes) o
  cross join lateral (
    select t.ctid from delivery_attempts t
    where t.delivery_id = o.id and t.number = o.number and t.finished_at is null
    offset 0) t
  where a.ctid = t.ctid;

  perform add_json_layouts(layouts);
  -- The condition is on the rev, which every change raises. With a condition on the state, the planner uses an index
  -- that contains the state and that it believes almost empty, which halves the throughput.
  with changed as (
    update deliveries d set
      state = o.state, rev = d.rev + 1, trigger = o.trigger, next_attempt_at = ms_time(o.next_attempt_ms),
      resume_at = ms_time(o.resume_ms), delivered_at = ms_time(o.delivered_ms), sending_since = null,
      cancel_requested = false, updated_at = ms_time(o.at_ms)
    from rows from (unnest(outcomes), unnest(string_to_array(contexts, E'\n'))) as o(
      id, was, number, event, state, trigger, next_attempt_ms, resume_ms, delivered_ms, at_ms,
      outcome, duration_ms, http_status, response_snippet, signed_s, response_headers, context)
    where d.id = o.id and d.rev = o.was and (around is null or d.id <> all(around))
    returning d.id, d.rev, d.merchant_id, d.livemode, d.created_at, d.updated_at as at, o.event, o.state, o.context
  )
  insert into transitions (
    actor, command, merchant_id, at, actor_created_at, era, rev, livemode, keyed, kind, event, from_state, to_state, cause,
    digest, context)
  select id, record_attempts.command, merchant_id, at, created_at, this_era, rev, livemode, false, 'delivery', event,
    'sending', state, 'sender',
    transition_digest(id, rev, 'delivery', record_attempts.command, event, 'sending', state, 'sender', context, at,
      merchant_id, livemode, created_at),
    context
  from changed;
  get diagnostics changed_count = row_count;
  if changed_count < cardinality(outcomes) then
    moved := array(
      select o.id from unnest(outcomes) o
      where not exists (select from deliveries d where d.id = o.id and d.rev = o.was + 1
        and d.xmin::text = (pg_current_xact_id()::text::bigint & 4294967295)::text));
  end if;

  -- A delivery that has changed is still claimed until it is decided.
  if finished is not null and moved is null then
    delete from delivery_claims where id = any(finished);
  end if;
  -- In order, because another sender may update the same rows. updated_at is for changes of the settings.
  if answered is not null then
    update webhook_endpoints set
      last_success_at = greatest(last_success_at, (select ms_time(max(o.at_ms)) from unnest(outcomes) o))
    -- A locked endpoint is skipped: it is updated a minute later.
    where id in (select id from webhook_endpoints where id = any(answered) order by id for no key update skip locked);
  end if;
  if jobs is not null then
    perform ask_for_jobs(array(
      select (task, payload, null, null, null, key, null, null)::graphile_worker.job_spec
      from json_to_recordset(jobs) as j(task text, payload json, key text)
      order by key));
  end if;
  return moved;
end $function$;

CREATE OR REPLACE FUNCTION public.record_blocks(chain bigint, from_number bigint, from_hash text, hashes text[], times timestamp with time zone[], logs json, by_all boolean)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  last integer := cardinality(hashes);
  numbers bigint[];
  at_step bigint;
  concerned uuid[];
begin
  at_step := move_cursor(chain, from_number, from_hash, from_number + last, hashes[last], times[last], 0);
  insert into chain_blocks (chain_id, number, hash, mined_at)
  select chain, from_number + n, hash, mined_at from unnest(hashes, times) with ordinality as b(hash, mined_at, n);
  -- Most blocks have no transfers to record.
  if logs::text <> '[]' then
    numbers := array(select generate_series(from_number + 1, from_number + last));
    concerned := write_transfers(chain, numbers, hashes, times, logs, 'seen', by_all);
    perform notice_refund_transfers(chain, logs);
  end if;
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $function$;

CREATE OR REPLACE FUNCTION public.record_dropped(its_part text, its_before timestamp with time zone, ids uuid[], created timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into dropped_parts as p (part, day, dropped, last_id, dropped_at, digest)
  select its_part, day, dropped, last_id, now(), dropped_part_digest(its_part, day, dropped, last_id, now())
  from (
    select (at at time zone 'UTC')::date as day, count(*) as dropped, (array_agg(id order by id desc))[1] as last_id
    from unnest(ids, created) as gone (id, at)
    group by 1) days
  order by day
  on conflict (part, day) do update set
    dropped = p.dropped + excluded.dropped, last_id = excluded.last_id, dropped_at = excluded.dropped_at,
    digest = dropped_part_digest(p.part, p.day, p.dropped + excluded.dropped, excluded.last_id, excluded.dropped_at);
  update retention_progress set
    dropped = dropped + cardinality(ids), step = step + 1,
    before = case when ids <> '{}' then greatest(before, its_before) else before end
  where part = its_part;
  delete from dropped_places where ctid = any (array(
    select ctid from dropped_places where dropped_at < now() - interval '1 day'
    order by dropped_at limit 4 * cardinality(ids) for update skip locked));
end $function$;

CREATE OR REPLACE FUNCTION public.record_inbox_request(endpoint uuid, request uuid, at timestamp with time zone, its_headers json, its_body text, is_valid boolean)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform from webhook_endpoints
  where id = endpoint and inbox_token is not null and state <> 'deleted' for no key update;
  if not found then
    return false;
  end if;
  insert into inbox_requests (id, endpoint_id, received_at, headers, body, signature_valid)
  values (request, endpoint, at, its_headers, its_body, is_valid);
  delete from inbox_requests
  where endpoint_id = endpoint and seq <= (
    select seq from inbox_requests where endpoint_id = endpoint order by seq desc offset 100 limit 1);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.record_native_balances(chain bigint, looks json, points json, transfers_found json)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  head chain_cursors;
  at_step bigint;
  counted text[];
  concerned uuid[];
begin
  -- Serialized with other checks and with recording and rewinding blocks.
  select * into head from chain_cursors where chain_id = chain for update;

  select array_agg(l.address) into counted
  from json_to_recordset(looks) as l(
    address text, from_number bigint, to_number bigint, final_number bigint, known numeric)
  where l.from_number is not distinct from (
      select max(block_number) from native_balances c where c.chain_id = chain and c.address = l.address)
    and l.known = known_native_amount(chain, l.address, coalesce(l.from_number, 0), l.to_number)
    and not exists (
      select from json_to_recordset(points) as p(address text, number bigint, hash text)
      where p.address = l.address and p.number > l.final_number and not exists (
        select from chain_blocks b where b.chain_id = chain and b.number = p.number and b.hash = p.hash));

  insert into native_balances (chain_id, address, block_number, mined_at, balance, has_code)
  select chain, address, number, mined_at, balance, has_code
  from json_to_recordset(points) as p(
    address text, number bigint, mined_at timestamptz, balance numeric, has_code boolean)
  where address = any(counted);

  -- A rewind ends at the final block, so lower balances are not compared again.
  delete from native_balances c
  using (
    select address, max(block_number) as kept from native_balances
    where chain_id = chain and address = any(counted) and block_number <= head.final_number group by address) as f
  where c.chain_id = chain and c.address = f.address and c.block_number < f.kept;

  with written as (
    insert into transfers (
      chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
      to_address, amount, state, agreed)
    -- Two nodes have agreed on the balances.
    select chain, f.tx_hash, f.log_index, f.number, f.hash, f.mined_at, d.payment_id, null, f.from_address,
      f.address, f.amount, case when f.number <= head.final_number then 'final' else 'seen' end, true
    from json_to_recordset(transfers_found) as f(
      address text, tx_hash text, log_index integer, number bigint, hash text, mined_at timestamptz,
      from_address text, amount numeric)
    join deposit_addresses d on d.address = f.address
    where f.address = any(counted) and not exists (
      select from transfers t
      where t.chain_id = chain and t.tx_hash = f.tx_hash and t.log_index = f.log_index and t.state <> 'orphaned')
    -- Its block was dropped and has returned.
    on conflict (chain_id, block_hash, tx_hash, log_index) do update
    set state = excluded.state, amount = excluded.amount, mined_at = excluded.mined_at, agreed = true
    returning payment_id),
  unexplained as (
    insert into unexplained_collections (chain_id, address, payment_id, block_number)
    select chain, d.address, d.payment_id, l.unexplained_in
    from json_to_recordset(looks) as l(address text, unexplained_in bigint)
    join deposit_addresses d on d.address = l.address
    where l.unexplained_in is not null and l.address = any(counted)
    on conflict do nothing
    returning payment_id)
  select array_agg(payment_id) into concerned
  from (select payment_id from written union all select payment_id from unexplained) as changed;

  if concerned is not null then
    update chain_cursors set step = step + 1 where chain_id = chain returning step into at_step;
    perform touch_payments(chain, at_step, concerned);
  end if;
  return coalesce(cardinality(counted), 0);
end $function$;

CREATE OR REPLACE FUNCTION public.record_refund_beginning(refund uuid, given json)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into refund_beginnings (refund_id, final_number, head_number, epoch)
  select r.id, c.final_number, c.number, c.epoch
  from refunds r join chain_cursors c on c.chain_id = r.chain_id
  where r.id = refund
$function$;

CREATE OR REPLACE FUNCTION public.record_security_event(merchant uuid, account uuid, actor text, address text, action text, details json DEFAULT '{}'::json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  its uuid;
  merchant_ids uuid[] := array(select merchant_id from members where account_id = account and merchant is null order by 1);
begin
  if merchant is not null or cardinality(merchant_ids) = 0 then
    merchant_ids := array[merchant];
  end if;
  foreach its in array merchant_ids loop
    perform pg_advisory_xact_lock(hashtextextended('security_events ' || its, 0)) where its is not null;
    insert into security_events (merchant_id, account_id, actor, address, action, details)
    values (its, account, actor, address, action, details);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.recover_webhook_endpoint(endpoint uuid, merchant uuid, recovery uuid, since timestamp with time zone, caller uuid, actor text, address text, details json)
 RETURNS TABLE(outcome text, found integer)
 LANGUAGE plpgsql
AS $function$
declare
  its webhook_endpoints;
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return query select 'not_allowed', 0;
    return;
  end if;
  select * into its from webhook_endpoints where id = endpoint and merchant_id = merchant and state <> 'deleted';
  if its.state = 'enabled' then
    perform graphile_worker.add_job('recover-deliveries', json_build_object(
      'endpointId', endpoint, 'recoveryId', recovery, 'since', since, 'cause', actor));
    perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.recovered', details);
    return query select 'asked', count(*)::integer from deliveries
      where endpoint_id = endpoint and state in ('failed', 'canceled') and created_at >= since;
  else
    return query select case its.state when 'disabled' then 'disabled' else 'missing' end, 0;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.refunds_needing_attention(chains_on bigint[])
 RETURNS TABLE(refund_id uuid, merchant_id uuid, chain_id bigint, why text)
 LANGUAGE sql
 STABLE
AS $function$
  select id, merchant_id, chain_id, 'stray_transfer' from refunds where attention
  union all
  select r.id, r.merchant_id, r.chain_id, 'claim_expired'
  from refunds r join refund_claims c on c.id = r.id
  where r.state = 'requires_destination' and c.expires_at <= now()
  union all
  select r.id, r.merchant_id, r.chain_id, l.doubt
  from refund_looks l join refunds r on r.id = l.refund_id
  where l.person_from <= now()
  union all
  -- Signed, and not known to be mined or dropped.
  select r.id, r.merchant_id, r.chain_id, 'nonce_unclear'
  from unclear_nonces join signer_nonces n using (signer_id, nonce) join refunds r on r.id = n.refund_id
  where r.state = 'processing'
  union all
  -- Retried for a day. A refund that no signer is to sign any more is shown to be signed by hand.
  select r.id, r.merchant_id, r.chain_id, w.reason
  from signing_waits w
  join refunds r on r.id = w.refund_id
  join refund_signers s on s.id = w.signer_id and s.removed_at is null
  where w.next_try_at < 'infinity' and w.begun_at <= now() - interval '1 day' and r.state = 'requires_signature'
    and (s.epoch is not null or exists (
      select from working_signers o where o.id = s.id and o.livemode = r.livemode))
  union all
  -- Signed a day ago. It continues to be broadcast.
  select r.id, r.merchant_id, r.chain_id, 'not_mined'
  from signer_nonces n join refunds r on r.id = n.refund_id
  where n.state = 'open' and n.created_at <= now() - interval '1 day' and r.state = 'processing'
    and not exists (select from unclear_nonces u where u.signer_id = n.signer_id and u.nonce = n.nonce)
  union all
  select id, merchant_id, chain_id, 'chain_off' from refunds
  where state in ('requires_destination', 'requires_signature', 'processing') and not chain_id = any(chains_on)
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change_of_credit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'entries of the credit ledger never change';
end $function$;

CREATE OR REPLACE FUNCTION public.release_refund_signer(signer uuid, begins bigint, actor text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  released refund_signers;
  left_to_hand bigint;
begin
  update refund_signers s set era = current_era(), first_nonce = greatest(first_nonce, begins)
  where id = signer and removed_at is null and is_on_hold(s)
  returning * into released;
  if released.id is null then
    return null;
  end if;
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, native_chain_id)
  select r.id, signer, 'by_hand', 'infinity', r.chain_id
  from refunds r
  where r.merchant_id = released.merchant_id and r.chain_id = released.chain_id and r.state = 'requires_signature'
    and r.token_address is null
    and exists (select from transitions t where t.actor = r.id and t.rev = 1 and t.era < released.era)
  order by r.id
  on conflict (refund_id) do update set reason = excluded.reason, next_try_at = excluded.next_try_at, since = now()
  where w.next_try_at < 'infinity';
  get diagnostics left_to_hand = row_count;
  delete from signing_waits where signer_id = signer and next_try_at < 'infinity';
  perform record_security_event(released.merchant_id, null, actor, null, 'refund_signer.released',
    json_build_object('chainId', released.chain_id, 'address', released.address, 'firstNonce', released.first_nonce));
  return left_to_hand;
end $function$;

CREATE OR REPLACE FUNCTION public.remember_emptiness(chain bigint, at_number bigint, at_hash text, found json)
 RETURNS void
 LANGUAGE sql
AS $function$
  update waiting_addresses w
  set empty_number = case when l.empty then at_number end, empty_hash = case when l.empty then at_hash end
  from (
    select w.address, f.empty
    from json_to_recordset(found) as f(address text, empty boolean)
    join waiting_addresses w on w.chain_id = chain and w.address = f.address
    -- The first empty block is kept: it is final before later ones.
    where f.empty is distinct from coalesce(w.empty_number >= w.last_block, false)
      and (not f.empty or w.last_block <= at_number)
    for update of w skip locked) as l
  where w.chain_id = chain and w.address = l.address
$function$;

CREATE OR REPLACE FUNCTION public.remove_expired_parties(most integer)
 RETURNS TABLE(invoices integer, documents integer)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  due uuid[] := array(
    select id from invoices
    where customer_erased and customer is not null and retained_until < now()
    order by retained_until
    limit most
    for no key update skip locked);
begin
  -- Separate statements, for a snapshot after the locks: a document may have been stored in between.
  delete from invoice_documents
  where ctid = any(array(select ctid from invoice_documents where invoice_id = any(due) limit most));
  get diagnostics documents = row_count;
  update invoices i set customer = null, party_salt = null,
    updated_at = case when test_clock_id is null then now() else updated_at end
  where id = any(due) and not exists (select from invoice_documents d where d.invoice_id = i.id);
  get diagnostics invoices = row_count;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.remove_refund_signer(merchant uuid, chain bigint, actor text)
 RETURNS TABLE(removed text, still_open bigint)
 LANGUAGE plpgsql
AS $function$
declare
  gone refund_signers;
begin
  perform pg_advisory_xact_lock(hashtextextended('refund signers', 0));
  update refund_signers set removed_at = now()
  where merchant_id = merchant and chain_id = chain and epoch is null and removed_at is null
  returning * into gone;
  if gone.id is null then
    return;
  end if;
  select count(*) into still_open from signer_nonces where signer_id = gone.id and state = 'open';
  if still_open = 0 then
    update refund_signers set sealed_key = null where id = gone.id;
  end if;
  delete from signing_waits where signer_id = gone.id and next_try_at < 'infinity';
  perform record_security_event(merchant, null, actor, null, 'refund_signer.removed',
    json_build_object('chainId', chain, 'address', gone.address));
  removed := gone.address;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.renew_subscriptions(endpoint uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  its webhook_endpoints;
  wanted text[];
  this_snapshot pg_snapshot;
  this_era integer := current_era();
begin
  select * into its from webhook_endpoints where id = endpoint;
  -- Test events are delivered like all events, to one endpoint.
  wanted := case when its.state = 'enabled' then its.event_types || 'webhook_endpoint.test'::text else '{}' end;
  perform pg_advisory_xact_lock(hashtext('webhook_subscriptions'), merchant_lock(its.merchant_id));
  -- A separate statement, for a snapshot after the lock.
  select pg_current_snapshot() into this_snapshot;

  update webhook_subscriptions set closed_at = clock_timestamp(), closed_era = this_era, closed_snapshot = this_snapshot
  where endpoint_id = endpoint and closed_at is null and event_type <> all (wanted);

  insert into webhook_subscriptions (
    endpoint_id, merchant_id, livemode, event_type, opened_at, opened_era, opened_snapshot)
  select endpoint, its.merchant_id, its.livemode, t, clock_timestamp(), this_era, this_snapshot
  from unnest(wanted) t
  where not exists (
    select from webhook_subscriptions s where s.endpoint_id = endpoint and s.event_type = t and s.closed_at is null);
end $function$;

CREATE OR REPLACE FUNCTION public.replace_recovery_codes(account uuid, step bigint, recovery bytea, recovery_hashes bytea[], actor text, from_address text, OUT outcome text, OUT wait integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  perform from accounts where id = account and mfa_enabled_at is not null for no key update;
  if not found then
    outcome := 'conflict';
    return;
  end if;
  select * into outcome, wait from use_code(account, step, recovery, actor, from_address, 'step_up.failed');
  if outcome = 'right' then
    delete from recovery_codes where account_id = account;
    insert into recovery_codes (account_id, hash) select account, h from unnest(recovery_hashes) as h;
    perform record_security_event(null, account, actor, from_address, 'mfa.recovery_codes_replaced', '{}'::json);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.report_retention(its_part text, outcome text)
 RETURNS void
 LANGUAGE sql
AS $function$
  with here as (
    select part from retention_progress where part = its_part for update skip locked
  ), news as (
    select nullif(nullif(outcome, 'done'), 'off') as held, case outcome
      when 'done' then case when completed_at >= date_trunc('day', now(), 'UTC') then completed_at else now() end
      when 'off' then null else completed_at end as completed_at
    from retention_progress where part = its_part
  )
  update retention_progress p set held = n.held, completed_at = n.completed_at
  from here, news n
  where p.part = here.part and (p.held, p.completed_at) is distinct from (n.held, n.completed_at)
$function$;

CREATE OR REPLACE FUNCTION public.restart_chain_state(chain bigint, from_number bigint, from_hash text, block json, of_epoch text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  first record;
  at_step bigint;
  concerned uuid[];
begin
  select * into first from json_to_record(block) as b(number bigint, hash text, mined_at timestamptz);
  update chain_cursors
  set number = first.number, hash = first.hash, mined_at = first.mined_at, final_number = first.number,
    begun_number = first.number, deep_number = first.number, step = step + 1, epoch = of_epoch, stopped_at = null,
    lost_before = now(), moved_at = now()
  where chain_id = chain and number = from_number and hash = from_hash
  returning step into at_step;
  if not found then
    raise exception 'the cursor of chain % has moved', chain using errcode = 'PM002';
  end if;
  delete from chain_blocks where chain_id = chain;
  delete from native_balances where chain_id = chain;
  insert into chain_blocks (chain_id, number, hash, mined_at) values (chain, first.number, first.hash, first.mined_at);

  with lost as (
    update transfers set state = 'orphaned' where chain_id = chain and state = 'seen' returning payment_id),
  -- The blocks that they waited for will not arrive, or prove nothing.
  waiting as (
    delete from deeper_payments where chain_id = chain returning payment_id)
  select array_agg(payment_id) into concerned
  from (select payment_id from lost union all select payment_id from waiting) as changed;
  -- Every address is checked again on the current chain.
  concerned := concerned || forget_unexplained_collections(chain, -1);
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $function$;

CREATE OR REPLACE FUNCTION public.revoke_api_key(key uuid, merchant uuid, caller uuid, actor text, address text, details json)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  update api_keys set revoked_at = now(), updated_at = now()
  where id = key and merchant_id = merchant and revoked_at is null;
  if found then
    perform record_security_event(merchant, caller, actor, address, 'api_key.revoked', details);
    return 'revoked';
  end if;
  return case when exists (select from api_keys where id = key and merchant_id = merchant) then 'revoked' else 'missing' end;
end $function$;

CREATE OR REPLACE FUNCTION public.revoke_invite(invite uuid, merchant uuid, caller uuid, actor text, address text, details json)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  if not authorize_change(merchant, caller, '{owner}') then
    return 'not_owner';
  end if;
  update invites set revoked_at = now(), updated_at = now()
  where id = invite and merchant_id = merchant and accepted_at is null and revoked_at is null;
  if not found then
    return 'missing';
  end if;
  perform record_security_event(merchant, caller, actor, address, 'invite.revoked', details);
  return 'revoked';
end $function$;

CREATE OR REPLACE FUNCTION public.rewind_blocks(chain bigint, from_number bigint, from_hash text, to_number bigint)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  fork chain_blocks;
  at_step bigint;
  concerned uuid[];
begin
  select * into fork from chain_blocks where chain_id = chain and number = to_number;
  if not found then
    raise exception 'chain % has no block % to rewind to', chain, to_number using errcode = 'PM003';
  end if;
  at_step := move_cursor(chain, from_number, from_hash, fork.number, fork.hash, fork.mined_at, 0);
  delete from chain_blocks where chain_id = chain and number > to_number;
  delete from native_balances where chain_id = chain and block_number > to_number;
  with lost as (
    update transfers set state = 'orphaned'
    where chain_id = chain and block_number > to_number and state = 'seen'
    returning payment_id)
  select array_agg(payment_id) into concerned from lost;
  concerned := concerned || forget_unexplained_collections(chain, to_number);
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $function$;

CREATE OR REPLACE FUNCTION public.rotate_api_key(key uuid, merchant uuid, overlap interval, key_tag text, key_last4 text, key_hash bytea, caller uuid, actor text, address text, details json)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  if overlap > interval '0' and exists (
    select from api_keys where id = key and merchant_id = merchant and revoked_at is null and previous_until > now()) then
    return 'overlapping';
  end if;
  update api_keys set
    tag = key_tag,
    last4 = key_last4,
    hash = key_hash,
    previous_hash = case when overlap > interval '0' then hash end,
    previous_until = case when overlap > interval '0' then now() + overlap end,
    updated_at = now()
  where id = key and merchant_id = merchant and revoked_at is null and (expires_at is null or expires_at > now());
  if found then
    perform record_security_event(merchant, caller, actor, address, 'api_key.rotated', details);
    return 'rotated';
  end if;
  return case when exists (select from api_keys where id = key and merchant_id = merchant) then 'ended' else 'missing' end;
end $function$;

CREATE OR REPLACE FUNCTION public.rotate_session(session uuid, shown bytea, successor bytea, from_address text, OUT outcome text, OUT account uuid, OUT current_hash bytea)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  held sessions;
begin
  select * into held from sessions where id = session for update;
  if held.id is null or held.ended_at is not null or held.last_used_at < clock_timestamp() - interval '30 days' then
    outcome := 'dead';
    return;
  end if;
  outcome := 'rotated';
  account := held.account_id;
  if held.token_hash = shown then
    current_hash := successor;
    update sessions
    set token_hash = successor, previous_hash = shown, rotated_at = clock_timestamp(), last_used_at = clock_timestamp(),
      address = from_address
    where id = session;
  elsif held.previous_hash = shown
    -- In both directions, because the clock may have been set back.
    and clock_timestamp() - held.rotated_at between interval '-10 seconds' and interval '10 seconds' then
    current_hash := held.token_hash;
  else
    outcome := 'replayed';
    update sessions set ended_at = clock_timestamp() where id = session;
    perform record_security_event(null, account, 'anonymous', from_address, 'session.replayed', '{}'::json);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.rotate_webhook_secret(endpoint uuid, merchant uuid, overlap interval, new_sealed_secret text, caller uuid, actor text, address text, details json)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  if overlap > interval '0' and exists (
    select from webhook_endpoints
    where id = endpoint and merchant_id = merchant and state <> 'deleted' and previous_until > clock_timestamp())
  then
    return 'overlapping';
  end if;
  update webhook_endpoints set
    previous_sealed_secret = case when overlap > interval '0' then sealed_secret end,
    previous_until = case when overlap > interval '0' then clock_timestamp() + overlap end,
    sealed_secret = new_sealed_secret,
    updated_at = later_than(updated_at)
  where id = endpoint and merchant_id = merchant and state <> 'deleted';
  if not found then
    return 'missing';
  end if;
  perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.secret_rotated', details);
  return 'rotated';
end $function$;

CREATE OR REPLACE FUNCTION public.set_logo(merchant uuid, new_name text, new_bytes bytea, caller uuid, actor text, address text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  old_name text;
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  select logo into old_name from merchants where id = merchant;
  if new_name is not distinct from old_name then
    return 'changed';
  end if;
  -- Both files in one order, so that two merchants who exchange their logos do not wait for each other.
  perform from logos where name in (old_name, new_name) order by name for update;
  if new_name is not null then
    insert into logos (name, bytes) values (new_name, new_bytes) on conflict (name) do update set name = excluded.name;
  end if;
  update merchants set logo = new_name, updated_at = now() where id = merchant;
  delete from logos where name = old_name and not exists (select from merchants where logo = old_name);
  perform record_security_event(merchant, caller, actor, address, 'settings.changed',
    json_build_object('changed', json_build_object('logo', json_build_object('from', old_name, 'to', new_name))));
  return 'changed';
end $function$;

CREATE OR REPLACE FUNCTION public.set_operator(account uuid, is_operator boolean, actor text, from_address text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  update accounts set operator = is_operator, updated_at = clock_timestamp()
  where id = account and operator <> is_operator;
  if not found then
    return false;
  end if;
  perform record_security_event(null, account, actor, from_address,
    case when is_operator then 'operator.added' else 'operator.removed' end, '{}'::json);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.set_up_mfa(account uuid, new_secret text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  update accounts set mfa_secret = new_secret, mfa_last_step = null, updated_at = clock_timestamp()
  where id = account and mfa_enabled_at is null;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION public.settle_customer_email()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  owner uuid := survivor_of(new.customer_id);
begin
  if exists (select from customers where id = owner and erased_at is not null) then
    delete from customer_emails e
    where e.merchant_id = new.merchant_id and e.livemode = new.livemode and e.email_key = new.email_key;
  elsif owner <> new.customer_id then
    update customer_emails e set customer_id = owner
    where e.merchant_id = new.merchant_id and e.livemode = new.livemode and e.email_key = new.email_key;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.settle_emptiness(merchant uuid, chain bigint, at_number bigint, at_hash text, is_final boolean)
 RETURNS void
 LANGUAGE sql
AS $function$
  with locked as materialized (
    select address from waiting_addresses
    where merchant_id = merchant and chain_id = chain and empty_number = at_number and empty_hash = at_hash
    for update skip locked),
  gone as (
    delete from waiting_addresses w using locked
    where is_final and w.chain_id = chain and w.address = locked.address and w.last_block <= at_number)
  update waiting_addresses w set empty_number = null, empty_hash = null
  from locked
  where not is_final and w.chain_id = chain and w.address = locked.address
$function$;

CREATE OR REPLACE FUNCTION public.sign_in(account uuid, known_hash text, code_given boolean, step bigint, recovery bytea, pass text, session uuid, token_hash bytea, actor text, from_address text, from_network text, from_agent text, OUT outcome text, OUT wait integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  found_account accounts;
begin
  -- Locks out a concurrent change of the password, which ends the sessions that it finds.
  select * into found_account from accounts where id = account for no key update;
  if found_account.password_hash is distinct from known_hash then
    outcome := 'changed';
    return;
  end if;
  if found_account.mfa_enabled_at is not null then
    if not code_given then
      perform count_attempt(array[pass]);
      outcome := 'mfa_required';
      return;
    end if;
    select * into outcome, wait from use_code(account, step, recovery, actor, from_address, 'sign_in.failed');
    if outcome = 'wrong' then
      perform count_attempt(array[pass]);
    end if;
    if outcome <> 'right' then
      return;
    end if;
  end if;
  perform open_session(session, account, token_hash, actor, from_address, from_network, from_agent);
  if found_account.mfa_enabled_at is not null then
    update sessions set second_factor_at = clock_timestamp() where id = session;
  end if;
  outcome := 'signed_in';
end $function$;

CREATE OR REPLACE FUNCTION public.sign_up(mode text, code_shown boolean, account uuid, new_email text, new_hash text, merchant uuid, merchant_name text, session uuid, token_hash bytea, actor text, from_address text, from_network text, from_agent text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  empty boolean := not exists (select from accounts);
begin
  if empty then
    -- Of two concurrent first accounts, the second waits here and is not the first.
    perform pg_advisory_xact_lock(hashtext('paymachine first account'));
    empty := not exists (select from accounts);
  end if;
  if mode = 'closed' or (mode = 'first' and not empty) or (empty and not code_shown) then
    return 'closed';
  elsif not create_account(account, new_email, new_hash) then
    return 'email_taken';
  end if;
  perform create_merchant(merchant, merchant_name, account);
  perform open_session(session, account, token_hash, actor, from_address, from_network, from_agent);
  perform record_security_event(merchant, account, actor, from_address, 'account.created', '{}'::json);
  return 'signed_up';
end $function$;

CREATE OR REPLACE FUNCTION public.skip_counters()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    update recovery_secrets set next_counter = next_counter + 20000 + floor(random() * 10000)::bigint, counted_at = now();
  else
    update recovery_secrets
    set next_counter = next_counter + least(20000, floor(extract(epoch from now() - counted_at) / 300))::bigint,
      counted_at = now()
    where counted_at < now() - interval '5 minutes';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.spans_since(since timestamp with time zone, finest text)
 RETURNS TABLE(span text, starts_at timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 35
AS $function$
  with first as (select next_span(finest, since) as minute),
  hours as (select *, next_span('hour', minute) as hour from first),
  days as (select *, next_span('day', hour) as day from hours),
  weeks as (select *, next_span('week', day) as week from days)
  select s.span, s.starts_at
  from weeks cross join lateral (
    select 'minute', generate_series(minute, hour - interval '1 minute', interval '1 minute')
    union all
    select 'hour', generate_series(hour, day - interval '1 hour', interval '1 hour')
    union all
    select 'day', generate_series(day, week - interval '24 hours', interval '24 hours')
    union all
    select 'week', generate_series(week, now(), interval '168 hours')) s (span, starts_at)
  where s.starts_at <= now()
$function$;

CREATE OR REPLACE FUNCTION public.start_audit(by text, account uuid DEFAULT NULL::uuid)
 RETURNS SETOF audits
 LANGUAGE plpgsql
AS $function$
declare
  started audits;
begin
  perform pg_advisory_xact_lock(hashtext('paymachine audits'));
  update audits a set status = 'failed', finished_at = a.beat_at where audit_is_dead(a);
  insert into audits (started_by, account_id) values (by, account)
  on conflict (status) where status = 'running' do nothing returning * into started;
  if started.id is null then
    return;
  end if;
  if by <> 'command' then
    perform graphile_worker.add_job('run-audit', json_build_object('auditId', started.id));
  end if;
  return next started;
end $function$;

CREATE OR REPLACE FUNCTION public.start_nightly_audit()
 RETURNS SETOF audits
 LANGUAGE plpgsql
AS $function$
declare
  due timestamptz := (date_trunc('day', now() at time zone 'utc' - interval '3 h') + interval '3 h') at time zone 'utc';
begin
  if (select min(applied_at) > due from migrations)
    or exists (select from audits a where a.started_at >= due and a.status <> 'failed' and not audit_is_dead(a))
    or (select count(*) >= 3 from audits a where a.started_at >= due)
  then
    return;
  end if;
  return query select * from start_audit('schedule');
end $function$;

CREATE OR REPLACE FUNCTION public.stop_webhook_endpoint(endpoint uuid, new_state text, reason text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update webhook_endpoints set state = new_state, disabled_reason = reason, updated_at = later_than(updated_at)
  where id = endpoint;
  perform renew_subscriptions(endpoint);
  perform graphile_worker.add_job('cancel-deliveries', json_build_object('endpointId', endpoint));
end $function$;

CREATE OR REPLACE FUNCTION public.submit_transaction(payment uuid, chain bigint, hash text, most integer)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  made integer;
begin
  -- Without the lock, two concurrent calls could exceed the limit.
  perform pg_advisory_xact_lock(hashtextextended('submissions ' || payment, 0));
  insert into submissions (payment_id, chain_id, tx_hash)
  select payment, chain, hash where (select count(*) from submissions where payment_id = payment) < most
  on conflict do nothing;
  get diagnostics made = row_count;
  return case
    when made = 1 then 'kept'
    when exists (select from submissions where payment_id = payment and tx_hash = hash) then 'known'
    else 'too_many'
  end;
end $function$;

CREATE OR REPLACE FUNCTION public.sum_transfers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from changed) then
    return null;
  end if;
  delete from transfer_sums where ctid = any(array(
    select s.ctid
    from (select distinct payment_id, chain_id, block_number from changed) b
    cross join lateral (
      select ctid from transfer_sums
      where payment_id = b.payment_id and block_number = b.block_number and chain_id = b.chain_id offset 0) s));
  insert into transfer_sums (
    payment_id, chain_id, block_number, block_hash, mined_at, token_address, state, transfers, amount,
    tx_hash, log_index, from_address)
  select b.payment_id, b.chain_id, b.block_number, s.block_hash, s.mined_at, s.token_address, s.state, s.transfers, s.amount,
    s.tx_hash, s.log_index, s.from_address
  from (
    select distinct payment_id, chain_id, block_number from changed order by payment_id, chain_id, block_number) b
  cross join lateral (
    select t.block_hash, t.token_address, t.state, max(t.mined_at) as mined_at, count(*) as transfers,
      sum(t.amount) as amount, max(t.log_index) as log_index,
      (array_agg(t.tx_hash order by t.log_index desc, t.tx_hash desc))[1] as tx_hash,
      (array_agg(t.from_address order by t.log_index desc, t.tx_hash desc))[1] as from_address
    from (
      select * from transfers
      where payment_id = b.payment_id and block_number = b.block_number and chain_id = b.chain_id offset 0) t
    where t.state <> 'orphaned'
    group by t.block_hash, t.token_address, t.state) s;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.sums_of(payment uuid)
 RETURNS SETOF transfer_sums
 LANGUAGE sql
 STABLE
AS $function$
  select * from transfer_sums where payment_id = payment offset 0
$function$;

CREATE OR REPLACE FUNCTION public.survivor_of(customer uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((select survivor_id from merged_customers where customer_id = customer), customer)
$function$;

CREATE OR REPLACE FUNCTION public.take_attempt(subjects text[], allowed integer, per interval, pass text, OUT wait integer, OUT passed boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  -- The statement changes nothing else. Losing the attempts of the last moment in a crash costs less than a disk flush
  -- for every attempt.
  perform set_config('synchronous_commit', 'off', true);
  delete from attempts where ctid = (
    select ctid from attempts where subject = pass and at > clock_timestamp() - per
    order by at limit 1 for update skip locked);
  passed := found;
  if passed then
    return;
  end if;
  perform lock_attempts(subjects);
  select max(attempt_wait(s, allowed, per)) into wait from unnest(subjects) as s;
  if wait is null then
    perform count_attempt(subjects);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.take_audit(audit uuid)
 RETURNS integer
 LANGUAGE sql
AS $function$
  update audits a set attempt = a.attempt + 1, beat_at = now()
  where a.id = audit and a.status = 'running' and not audit_is_dead(a)
  returning a.attempt
$function$;

CREATE OR REPLACE FUNCTION public.take_feed_page(its_reader text, most integer)
 RETURNS TABLE(actor uuid, kind text, rev integer, from_state text, to_state text, at timestamp with time zone)
 LANGUAGE plpgsql
 ROWS 5000
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  here feed_cursors;
  newest integer := (select max(era) from eras);
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
begin
  perform from feed_cursors c
  where c.reader = its_reader and exists (
    select from transitions t
    where (t.era, t.xid, t.seq) > (c.era, c.xid, c.seq) and (t.era < newest or t.xid < horizon));
  if not found then
    return;
  end if;
  select * into here from feed_cursors where reader = its_reader for update skip locked;
  if here.reader is null then
    return;
  end if;

  return query
  with page as materialized (
    select era, xid, seq, actor, kind, rev, from_state, to_state, at
    from transitions
    where (era, xid, seq) > (here.era, here.xid, here.seq) and (era < newest or xid < horizon)
    order by era, xid, seq
    limit most
  ), passed as (
    update feed_cursors c set era = last.era, xid = last.xid, seq = last.seq
    from (select era, xid, seq from page order by era desc, xid desc, seq desc limit 1) last
    where c.reader = its_reader
  )
  select actor, kind, rev, from_state, to_state, at from page;
end $function$;

CREATE OR REPLACE FUNCTION public.take_retention(its_part text, its_step integer)
 RETURNS SETOF retention_progress
 LANGUAGE sql
AS $function$
  select * from retention_progress where part = its_part and step = its_step for update skip locked
$function$;

CREATE OR REPLACE FUNCTION public.test_clock_waits(clock uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from invoices
    where test_clock_id = clock and has_passed_times(state, due_passed, overdue, reminders, reminders_passed))
$function$;

CREATE OR REPLACE FUNCTION public.test_webhook_endpoint(endpoint uuid, merchant uuid, event uuid, rendered text, caller uuid)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  its webhook_endpoints;
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  select * into its from webhook_endpoints
  where id = endpoint and merchant_id = merchant and state <> 'deleted' for no key update;
  if not found then
    return 'missing';
  end if;
  if its.state <> 'enabled' then
    return 'disabled';
  end if;
  perform lock_list('events', array[merchant]);
  insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era, digest)
  select event, 'webhook_endpoint', endpoint, 0, 'webhook_endpoint.test', merchant, its.livemode, api_version, rendered,
    now_at, current_era(),
    event_digest(event, endpoint, 0, 'webhook_endpoint.test', merchant, its.livemode, api_version, rendered, now_at)
  from merchants where id = merchant;
  return 'sent';
end $function$;

CREATE OR REPLACE FUNCTION public.time_class(ms double precision)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (duration_class(ms) / 2);

CREATE OR REPLACE FUNCTION public.time_count(class smallint, payments bigint)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((class)::integer << 22) | (LEAST(payments, (4194303)::bigint))::integer);

CREATE OR REPLACE FUNCTION public.totals_of_customer(customer uuid)
 RETURNS TABLE(currency text, payments_count bigint, volume_minor bigint, refunded_minor bigint, open_minor bigint, overdue_minor bigint, credit_minor bigint, first_payment_at timestamp with time zone, last_payment_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  with family as materialized (
    select customer as id where not exists (select from merged_customers where customer_id = customer)
    union all
    select customer_id from merged_customers where survivor_id = customer
  ), paid as (
    select t.currency, sum(t.payments_count)::bigint as payments_count,
      least(sum(t.volume_minor), 9007199254740991)::bigint as volume_minor,
      least(sum(t.refunded_minor), 9007199254740991)::bigint as refunded_minor,
      min(t.first_payment_at) as first_payment_at, max(t.last_payment_at) as last_payment_at
    from customer_totals t where t.customer_id in (select id from family)
    group by t.currency
  ), owed as (
    select i.currency, least(sum(due.minor), 9007199254740991)::bigint as open_minor,
      least(coalesce(sum(due.minor) filter (where i.overdue), 0), 9007199254740991)::bigint as overdue_minor
    from invoices i
    cross join lateral (
      select i.total_minor - i.credit_applied_minor - i.credit_notes_minor - i.amount_paid_minor as minor) due
    where i.customer_id in (select id from family) and i.state = 'open'
    group by i.currency
  )
  select currency, coalesce(p.payments_count, 0), coalesce(p.volume_minor, 0), coalesce(p.refunded_minor, 0),
    coalesce(o.open_minor, 0), coalesce(o.overdue_minor, 0), coalesce(c.balance_minor, 0), p.first_payment_at,
    p.last_payment_at
  from paid p
  full join owed o using (currency)
  full join (
    select b.currency, b.balance_minor from credit_balances b where b.customer_id = customer
      and not exists (select from merged_customers m where m.customer_id = customer)
  ) c using (currency)
  order by currency
$function$;

CREATE OR REPLACE FUNCTION public.touch_payments(chain bigint, at_step bigint, payments uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if payments is null then
    return;
  end if;
  -- Most are not marked. `on conflict` writes a record more to the log for each row.
  begin
    insert into unsettled_payments (payment_id, chain_id, step)
    select distinct id, chain, at_step from unnest(payments) as id order by id;
  exception when unique_violation then
    insert into unsettled_payments (payment_id, chain_id, step)
    select distinct id, chain, at_step from unnest(payments) as id order by id
    on conflict (payment_id) do update set chain_id = excluded.chain_id, step = excluded.step, reported_rev = null;
  end;
end $function$;

CREATE OR REPLACE FUNCTION public.transfers_of(payment uuid)
 RETURNS SETOF transfers
 LANGUAGE sql
 STABLE
AS $function$
  select * from transfers where payment_id = payment offset 0
$function$;

CREATE OR REPLACE FUNCTION public.transition_digest(actor uuid, rev integer, kind text, command uuid, event text, from_state text, to_state text, cause text, context text, at timestamp with time zone, merchant_id uuid, livemode boolean, actor_created_at timestamp with time zone)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN SUBSTRING(sha256(convert_to(concat_ws(chr(31), actor, rev, kind, command, event, COALESCE(from_state, ''::text), to_state, COALESCE(cause, ''::text), context, EXTRACT(epoch FROM at), merchant_id, livemode, EXTRACT(epoch FROM actor_created_at)), 'UTF8'::name)) FROM 1 FOR 8);

CREATE OR REPLACE FUNCTION public.unwatch_refund_transaction(refund uuid, given json)
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from refund_looks where refund_id = refund
$function$;

CREATE OR REPLACE FUNCTION public.update_credit_notes_v1(entries credit_notes_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update credit_notes t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, api_version = r.api_version, invoice_id = r.invoice_id, customer_id = r.customer_id, test_clock_id = r.test_clock_id, reason = r.reason, currency = r.currency, tax_behavior = r.tax_behavior, lines = r.lines, taxes = r.taxes, subtotal_minor = r.subtotal_minor, tax_minor = r.tax_minor, total_minor = r.total_minor, due_reduced_minor = r.due_reduced_minor, credit_minor = r.credit_minor, refunds_minor = r.refunds_minor, refund_ids = r.refund_ids, note = r.note, number = r.number, series_id = r.series_id, sequence = r.sequence, issued_at = r.issued_at, issue_date = r.issue_date, document_hash = r.document_hash, previous_document_hash = r.previous_document_hash, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from credit_notes t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_customers_v1(entries customers_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update customers t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, api_version = r.api_version, email = r.email, name = r.name, company = r.company, tax_id = r.tax_id, address = r.address, locale = r.locale, reference = r.reference, source = r.source, metadata = r.metadata, merged_into_id = r.merged_into_id, test_clock_id = r.test_clock_id, erased_at = r.erased_at, erased_by = r.erased_by, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from customers t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_deliveries_v1(entries deliveries_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update deliveries t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, event_id = r.event_id, event_type = r.event_type, endpoint_id = r.endpoint_id, attempts = r.attempts, automatic_attempts = r.automatic_attempts, trigger = r.trigger, next_attempt_at = r.next_attempt_at, resume_at = r.resume_at, sending_since = r.sending_since, cancel_requested = r.cancel_requested, delivered_at = r.delivered_at, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from deliveries t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_disputes_v1(entries disputes_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update disputes t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, api_version = r.api_version, payment_id = r.payment_id, amount_minor = r.amount_minor, currency = r.currency, reason = r.reason, description = r.description, uncategorized_text = r.uncategorized_text, customer_communication = r.customer_communication, shipping_tracking_number = r.shipping_tracking_number, refund_policy = r.refund_policy, evidence_due_by = r.evidence_due_by, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from disputes t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_document_series_v1(entries document_series_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update document_series t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, document_kind = r.document_kind, year = r.year, test_clock_id = r.test_clock_id, first_number = r.first_number, last_number = r.last_number, last_issued_at = r.last_issued_at, last_document_hash = r.last_document_hash, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from document_series t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_invoices_v1(entries invoices_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update invoices t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, api_version = r.api_version, customer_id = r.customer_id, test_clock_id = r.test_clock_id, currency = r.currency, tax_behavior = r.tax_behavior, lines = r.lines, taxes = r.taxes, subtotal_minor = r.subtotal_minor, tax_minor = r.tax_minor, total_minor = r.total_minor, days_until_due = r.days_until_due, due_date = r.due_date, reference = r.reference, order_number = r.order_number, notes = r.notes, assets = r.assets, reminder_offsets = r.reminder_offsets, metadata = r.metadata, subscription_id = r.subscription_id, period_index = r.period_index, period_start = r.period_start, period_end = r.period_end, number = r.number, series_id = r.series_id, sequence = r.sequence, issued_at = r.issued_at, issue_date = r.issue_date, due_at = r.due_at, seller = r.seller, customer = r.customer, party_salt = r.party_salt, party_hash = r.party_hash, document_hash = r.document_hash, previous_document_hash = r.previous_document_hash, reminders = r.reminders, retained_until = r.retained_until, credit_applied_minor = r.credit_applied_minor, payment_link_id = r.payment_link_id, token_hash = r.token_hash, sealed_token = r.sealed_token, customer_erased = r.customer_erased, credit_notes_minor = r.credit_notes_minor, amount_paid_minor = r.amount_paid_minor, amount_processing_minor = r.amount_processing_minor, amount_overpaid_minor = r.amount_overpaid_minor, amount_refunded_minor = r.amount_refunded_minor, uncredited_refunds_minor = r.uncredited_refunds_minor, allocations = r.allocations, credit_note_ids = r.credit_note_ids, overdue = r.overdue, due_passed = r.due_passed, reminders_passed = r.reminders_passed, reminded_offset = r.reminded_offset, reminded_at = r.reminded_at, paid_at = r.paid_at, voided_at = r.voided_at, void_reason = r.void_reason, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from invoices t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_payment_links_v1(entries payment_links_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update payment_links t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, amount_minor = r.amount_minor, currency = r.currency, title = r.title, description = r.description, reference = r.reference, assets = r.assets, max_payments = r.max_payments, window_minutes = r.window_minutes, expires_at = r.expires_at, success_url = r.success_url, metadata = r.metadata, hidden = r.hidden, payments_opened = r.payments_opened, payments_processing = r.payments_processing, payments_count = r.payments_count, deactivated_at = r.deactivated_at, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from payment_links t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_payments_v1(entries payments_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update payments t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, api_version = r.api_version, payment_link_id = r.payment_link_id, customer_id = r.customer_id, invoice_id = r.invoice_id, amount_minor = r.amount_minor, currency = r.currency, customer_email = r.customer_email, customer_name = r.customer_name, reference = r.reference, metadata = r.metadata, tolerance_bps = r.tolerance_bps, late_policy = r.late_policy, expires_at = r.expires_at, chain_id = r.chain_id, asset = r.asset, token_address = r.token_address, decimals = r.decimals, address = r.address, amount_expected = r.amount_expected, confirmations_required = r.confirmations_required, pegged = r.pegged, quote_rate = r.quote_rate, quote_source = r.quote_source, quote_expires_at = r.quote_expires_at, scan = r.scan, amount_received = r.amount_received, amount_final = r.amount_final, received_minor = r.received_minor, payer_address = r.payer_address, tx_hash = r.tx_hash, block_number = r.block_number, stray = r.stray, final_strays = r.final_strays, announced = r.announced, collection_unexplained = r.collection_unexplained, window_lengthened = r.window_lengthened, exception = r.exception, failure_reason = r.failure_reason, attention = r.attention, refunds_reserved_minor = r.refunds_reserved_minor, amount_refunded_minor = r.amount_refunded_minor, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from payments t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_plans_v1(entries plans_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update plans t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, name = r.name, description = r.description, currency = r.currency, tax_behavior = r.tax_behavior, lines = r.lines, taxes = r.taxes, subtotal_minor = r.subtotal_minor, tax_minor = r.tax_minor, total_minor = r.total_minor, "interval" = r."interval", interval_count = r.interval_count, trial_days = r.trial_days, lead_days = r.lead_days, grace_days = r.grace_days, max_periods = r.max_periods, activation = r.activation, after_grace = r.after_grace, assets = r.assets, reference = r.reference, metadata = r.metadata, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from plans t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_refunds_v1(entries refunds_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update refunds t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, api_version = r.api_version, payment_id = r.payment_id, invoice_id = r.invoice_id, credit_note_id = r.credit_note_id, amount_minor = r.amount_minor, currency = r.currency, reason = r.reason, metadata = r.metadata, chain_id = r.chain_id, asset = r.asset, token_address = r.token_address, amount = r.amount, destination = r.destination, tx_hash = r.tx_hash, confirmations = r.confirmations, failure_reason = r.failure_reason, attention = r.attention, stray_tx_hash = r.stray_tx_hash, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from refunds t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_rows(writer text, entries text, skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
AS $function$
      begin
        case writer
          when 'credit_notes_v1' then return update_credit_notes_v1(entries::credit_notes_v1_entry[], skip, holder, now_at);
    when 'customers_v1' then return update_customers_v1(entries::customers_v1_entry[], skip, holder, now_at);
    when 'deliveries_v1' then return update_deliveries_v1(entries::deliveries_v1_entry[], skip, holder, now_at);
    when 'disputes_v1' then return update_disputes_v1(entries::disputes_v1_entry[], skip, holder, now_at);
    when 'document_series_v1' then return update_document_series_v1(entries::document_series_v1_entry[], skip, holder, now_at);
    when 'invoices_v1' then return update_invoices_v1(entries::invoices_v1_entry[], skip, holder, now_at);
    when 'payment_links_v1' then return update_payment_links_v1(entries::payment_links_v1_entry[], skip, holder, now_at);
    when 'payments_v1' then return update_payments_v1(entries::payments_v1_entry[], skip, holder, now_at);
    when 'plans_v1' then return update_plans_v1(entries::plans_v1_entry[], skip, holder, now_at);
    when 'refunds_v1' then return update_refunds_v1(entries::refunds_v1_entry[], skip, holder, now_at);
    when 'subscriptions_v1' then return update_subscriptions_v1(entries::subscriptions_v1_entry[], skip, holder, now_at);
    when 'test_clocks_v1' then return update_test_clocks_v1(entries::test_clocks_v1_entry[], skip, holder, now_at);
        end case;
      end $function$;

CREATE OR REPLACE FUNCTION public.update_subscriptions_v1(entries subscriptions_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update subscriptions t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, api_version = r.api_version, customer_id = r.customer_id, test_clock_id = r.test_clock_id, plan_id = r.plan_id, source = r.source, payer = r.payer, trial_key = r.trial_key, verified = r.verified, currency = r.currency, tax_behavior = r.tax_behavior, lines = r.lines, taxes = r.taxes, subtotal_minor = r.subtotal_minor, tax_minor = r.tax_minor, total_minor = r.total_minor, "interval" = r."interval", interval_count = r.interval_count, anchor_at = r.anchor_at, anchor_given = r.anchor_given, trial_ends_at = r.trial_ends_at, lead_days = r.lead_days, grace_days = r.grace_days, max_periods = r.max_periods, activation = r.activation, after_grace = r.after_grace, assets = r.assets, reference = r.reference, metadata = r.metadata, period_index = r.period_index, invoiced_index = r.invoiced_index, latest_invoice_id = r.latest_invoice_id, unpaid = r.unpaid, first_due_at = r.first_due_at, trial_ending_sent = r.trial_ending_sent, owed_index = r.owed_index, grace_ends_at = r.grace_ends_at, pause_at_period_end = r.pause_at_period_end, paused_at = r.paused_at, resumes_at = r.resumes_at, resume_index = r.resume_index, cancel_at_period_end = r.cancel_at_period_end, canceled_at = r.canceled_at, canceled_by_customer = r.canceled_by_customer, ended_at = r.ended_at, end_reason = r.end_reason, pending_change = r.pending_change, token_hash = r.token_hash, sealed_token = r.sealed_token, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from subscriptions t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.update_test_clocks_v1(entries test_clocks_v1_entry[], skip integer[], holder uuid, now_at timestamp with time zone)
 RETURNS integer[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
    declare
      moved integer;
      answer integer[];
    begin
      update test_clocks t set state = r.state, rev = r.rev, version = r.version, merchant_id = r.merchant_id, livemode = r.livemode, now = r.now, target = r.target, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from test_clocks t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $function$;

CREATE OR REPLACE FUNCTION public.use_code(account uuid, step bigint, recovery bytea, actor text, from_address text, failure text, OUT outcome text, OUT wait integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  subject text := 'code:' || account;
begin
  perform from accounts where id = account for no key update;
  wait := attempt_wait(subject, 5, interval '5 minutes');
  if wait is not null then
    outcome := 'wait';
    return;
  end if;
  outcome := 'right';
  update accounts set mfa_last_step = step where id = account and step > coalesce(mfa_last_step, -1);
  if found then
    return;
  end if;
  update recovery_codes set used_at = clock_timestamp() where account_id = account and hash = recovery and used_at is null;
  if found then
    perform record_security_event(null, account, actor, from_address, 'mfa.recovery_code_used', '{}'::json);
    return;
  end if;
  outcome := 'wrong';
  perform count_attempt(array[subject]);
  perform record_security_event(null, account, actor, from_address, failure, '{"reason": "code"}'::json);
end $function$;

CREATE OR REPLACE FUNCTION public.uses_of_customer(customer uuid)
 RETURNS TABLE(kind text, id uuid)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  with family as materialized (
    select customer as id union all select customer_id from merged_customers where survivor_id = customer
  )
  select 'payment', p.id
  from family f join payments p on p.customer_id = f.id and p.state in ('pending', 'processing')
  union all
  select 'refund', r.id
  from family f join payments p on p.customer_id = f.id
  join refunds r on r.merchant_id = p.merchant_id and r.livemode = p.livemode and r.payment_id = p.id
  where r.state not in ('processed', 'canceled')
  union all
  select 'invoice', i.id
  from family f join invoices i on i.customer_id = f.id and i.state in ('draft', 'open', 'uncollectible')
  union all
  select 'subscription', s.id
  from family f join subscriptions s on s.customer_id = f.id and s.ended_at is null
  union all
  -- Its credit.
  select 'customer', b.customer_id
  from family f join credit_balances b on b.customer_id = f.id and b.balance_minor <> 0
$function$;

CREATE OR REPLACE FUNCTION public.wait_for_settings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform hold_settings(new.merchant_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.wait_to_sign(refund uuid, signer uuid, why text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  before text;
  is_for_hand boolean := why in ('over_refund_limit', 'over_day_limit');
begin
  -- A commit that is signing it either comes first or is refused.
  if is_for_hand and not exists (
    select from refunds where id = refund and state = 'requires_signature' for update) then
    return false;
  end if;
  select reason into before from signing_waits where refund_id = refund;
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, native_chain_id)
  select r.id, signer, why, case when is_for_hand then 'infinity' else next_look(0) end,
    case when r.token_address is null then r.chain_id end
  from refunds r where r.id = refund and r.state = 'requires_signature'
  on conflict (refund_id) do update set
    signer_id = excluded.signer_id, reason = why,
    tries = w.tries + 1,
    next_try_at = case when is_for_hand then 'infinity' else next_look(w.tries) end,
    since = case when w.reason = why then w.since else now() end
  -- It was left to be signed by hand meanwhile.
  where w.next_try_at < 'infinity';
  return found and before is distinct from why;
end $function$;

CREATE OR REPLACE FUNCTION public.watch_refund_destination(refund uuid, given json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  its refunds;
  is_over boolean := given->>'state' in ('processed', 'failed', 'canceled');
  may_come boolean;
begin
  select * into its from refunds where id = refund;
  -- Only the signer has what it is about to sign (as in `refunds_by_hand`).
  may_come := its.token_address is null and given->>'state' <> 'requires_signature' and (
    exists (select from signing_waits w where w.refund_id = refund and w.next_try_at = 'infinity')
    or not exists (
      select from working_signers s
      where s.merchant_id = its.merchant_id and s.chain_id = its.chain_id and s.livemode = its.livemode));
  insert into refund_destinations (refund_id, chain_id, to_address, token_address, amount, until, native_until)
  values (refund, its.chain_id, lower(its.destination), lower(its.token_address), its.amount,
    case when is_over then now() + interval '30 days' end, case when may_come then now() + interval '1 hour' end)
  on conflict (refund_id) do update
  set until = excluded.until, native_until = greatest(refund_destinations.native_until, excluded.native_until);
  if is_over then
    delete from refund_destinations where refund_id in (
      -- Two commits that delete the same rows would wait for each other.
      select refund_id from refund_destinations where until < now() limit 10 for update skip locked);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.watch_refund_transaction(refund uuid, given json)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into refund_looks (refund_id, chain_id, tx_hash)
  select id, chain_id, given->>'txHash' from refunds where id = refund
  on conflict (refund_id) do update
  set tx_hash = excluded.tx_hash, block_number = null, looks = 0, next_look_at = now(),
    doubt = null, person_from = null, chain_lost = false
$function$;

CREATE OR REPLACE FUNCTION public.write_transfers(chain bigint, numbers bigint[], hashes text[], times timestamp with time zone[], logs json, as_state text, by_all boolean)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
declare
  concerned uuid[];
  orphaned uuid[];
begin
  for attempt in 1 .. 2 loop
    begin
      with written as (
        insert into transfers (
          chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
          to_address, amount, state, agreed)
        select chain, l.tx_hash, l.log_index, l.block_number, l.block_hash, b.mined_at, d.payment_id,
          l.token_address, l.from_address, l.to_address, l.amount, as_state, by_all
        from json_to_recordset(logs) as l(
          tx_hash text, log_index integer, block_number bigint, block_hash text,
          token_address text, from_address text, to_address text, amount numeric)
        join unnest(numbers, hashes, times) as b(number, hash, mined_at)
          on b.number = l.block_number and b.hash = l.block_hash
        join deposit_addresses d on d.address = l.to_address
        -- A transfer that is final in another block counts there. Only a restarted sandbox has such transfers.
        where not exists (
          select from transfers f
          where f.chain_id = chain and f.tx_hash = l.tx_hash and f.log_index = l.log_index
            and f.state = 'final' and f.block_hash <> l.block_hash)
        -- The block has returned, or a node reports something else of it: the latest report is stored.
        on conflict (chain_id, block_hash, tx_hash, log_index) do update
        set mined_at = excluded.mined_at, payment_id = excluded.payment_id, token_address = excluded.token_address,
          from_address = excluded.from_address, to_address = excluded.to_address, amount = excluded.amount,
          state = excluded.state, agreed = excluded.agreed
        where transfers.state = 'orphaned'
        returning payment_id)
      select array_agg(payment_id) into concerned from written;
      return orphaned || concerned;
    exception when unique_violation then
      -- A node has reported it in another block before, too early. Which is right shows when it is final.
      if attempt = 2 then
        raise;
      end if;
      orphaned := orphan_elsewhere(chain, logs);
    end;
  end loop;
end $function$;

CREATE TRIGGER chain_cursors_lose_refund_looks AFTER UPDATE OF epoch ON chain_cursors FOR EACH ROW EXECUTE FUNCTION lose_refund_looks();

CREATE TRIGGER credit_entries_add_to_balance BEFORE INSERT ON credit_entries FOR EACH ROW EXECUTE FUNCTION add_to_credit_balance();
CREATE TRIGGER credit_entries_never_change BEFORE DELETE OR UPDATE ON credit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change_of_credit();

CREATE TRIGGER customer_emails_settle AFTER INSERT ON customer_emails FOR EACH ROW EXECUTE FUNCTION settle_customer_email();

CREATE TRIGGER counters_skipped_after_restart AFTER UPDATE ON eras FOR EACH ROW WHEN (new.postmaster_started <> old.postmaster_started) EXECUTE FUNCTION skip_counters();
CREATE TRIGGER counters_skipped_in_new_era AFTER INSERT ON eras FOR EACH ROW WHEN (new.era > 1) EXECUTE FUNCTION skip_counters();

CREATE TRIGGER events_fan_out AFTER INSERT ON events REFERENCING NEW TABLE AS new_events FOR EACH STATEMENT EXECUTE FUNCTION fan_out_events();

CREATE TRIGGER merchants_leave_refunds_to_hand AFTER UPDATE OF refund_mode ON merchant_settings FOR EACH ROW WHEN (old.refund_mode <> 'signer'::text AND new.refund_mode = 'signer'::text) EXECUTE FUNCTION leave_refunds_of_mode_to_hand();

CREATE TRIGGER refunds_wait_for_settings AFTER INSERT OR UPDATE OF state ON refunds FOR EACH ROW WHEN (new.state = 'requires_signature'::text) EXECUTE FUNCTION wait_for_settings();

CREATE TRIGGER signer_nonces_are_signed_for AFTER INSERT ON signer_nonces FOR EACH ROW WHEN (new.refund_id IS NOT NULL) EXECUTE FUNCTION check_signature();

CREATE TRIGGER transfers_await_collection_when_changed AFTER UPDATE ON transfers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION await_collection();
CREATE TRIGGER transfers_await_collection_when_written AFTER INSERT ON transfers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION await_collection();
CREATE TRIGGER transfers_summed_when_changed AFTER UPDATE ON transfers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_transfers();
CREATE TRIGGER transfers_summed_when_written AFTER INSERT ON transfers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_transfers();
