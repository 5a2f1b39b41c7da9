-- Settings for invoices, the same for both modes.
create table billing_settings (
  merchant_id uuid primary key references merchants,
  legal_name text,
  address jsonb,
  tax_id text,
  time_zone text not null default 'UTC',
  -- It may change once a day: the series and the due dates of documents depend on it.
  time_zone_changed_at timestamptz,
  -- In which the days of payment_sums are counted. It differs from time_zone until they are made anew.
  sums_time_zone text not null default 'UTC',
  invoice_prefix text not null default 'INV',
  credit_note_prefix text not null default 'CN',
  number_pattern text not null default '{prefix}-{year}-{number:4}',
  restart text not null default 'yearly',
  days_until_due integer not null default 14,
  tax_rate_bps integer not null default 0,
  tax_behavior text not null default 'exclusive',
  -- In days from the due date.
  reminders jsonb not null default '[-3, 0, 7, 14]',
  notes text,
  retention_years integer not null default 10,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint billing_settings_texts check (length(legal_name) <= 200 and length(tax_id) <= 200 and length(notes) <= 2000),
  constraint billing_settings_restart check (restart in ('yearly', 'never')),
  constraint billing_settings_days_until_due check (days_until_due between 0 and 365),
  constraint billing_settings_tax_rate check (tax_rate_bps between 0 and 10000),
  constraint billing_settings_tax_behavior check (tax_behavior in ('exclusive', 'inclusive')),
  constraint billing_settings_reminders check (jsonb_array_length(reminders) <= 8),
  constraint billing_settings_retention check (retention_years between 1 and 50)
);
create index billing_settings_moving on billing_settings (merchant_id) where sums_time_zone <> time_zone;

-- Numbers of documents: machines/document-series.ts. The row is the counter, and a number is given in the statement that
-- raises it: whatever crashes or is rolled back, no number is left out. A sequence or `max + 1` would not promise that.
create table document_series (
  like actor_columns including all,
  document_kind text not null,
  -- 0: numbers do not restart every year.
  year integer not null,
  -- The documents of the customers of a test clock are a series of their own.
  test_clock_id uuid,
  first_number integer not null,
  last_number integer not null,
  last_issued_at timestamptz,
  last_document_hash text,

  constraint document_series_state check (state in ('unused', 'in_use')),
  constraint document_series_document_kind check (document_kind in ('invoice', 'credit_note')),
  constraint document_series_year check (year = 0 or year between 2000 and 9999),
  constraint document_series_test_clock check (test_clock_id is null or not livemode),
  constraint document_series_numbers check (
    first_number >= 1 and (case state when 'unused' then last_number = first_number - 1 else last_number >= first_number end)
  ),
  constraint document_series_last check (
    num_nulls(last_issued_at, last_document_hash) = case state when 'unused' then 2 else 0 end
  ),
  constraint document_series_hash check (last_document_hash ~ '^[0-9a-f]*$' and length(last_document_hash) = 64)
);

create unique index document_series_once on document_series (merchant_id, livemode, document_kind, year, test_clock_id)
nulls not distinct;

create index document_series_list on document_series (merchant_id, livemode, seq);
