-- Payment links: machines/payment-link.ts.
create table payment_links (
  id uuid primary key,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its place in lists: see lock_list().
  seq bigint generated always as identity,

  merchant_id uuid not null,
  livemode boolean not null,
  amount_minor bigint not null,
  currency text not null,
  title text,
  description text,
  reference text,
  -- A list of {chainId, asset} that nobody searches; null for whatever is offered.
  assets jsonb,
  max_payments integer,
  window_minutes integer not null,
  expires_at timestamptz,
  success_url text,
  metadata jsonb not null,
  payments_opened integer not null,
  payments_processing integer not null,
  payments_count integer not null,
  deactivated_at timestamptz,

  constraint payment_links_state check (state in ('active', 'deactivated', 'completed', 'expired')),
  constraint payment_links_amount check (amount_minor between 1 and 9007199254740991),
  constraint payment_links_currency check (currency ~ '^[A-Z]{3}$'),
  constraint payment_links_texts check (
    length(title) <= 200 and length(description) <= 1000 and length(reference) <= 200 and length(success_url) <= 2048
  ),
  -- 5 minutes to 7 days.
  constraint payment_links_window check (window_minutes between 5 and 10080),
  constraint payment_links_max_payments check (max_payments >= 1),
  -- The count may pass the maximum: payments that are open when it is reached run on.
  constraint payment_links_counts check (payments_opened >= 0 and payments_processing >= 0 and payments_count >= 0),
  constraint payment_links_completed check (
    case state
      when 'active' then max_payments is null or payments_count < max_payments
      when 'completed' then coalesce(payments_count >= max_payments, false)
      else true
    end
  ),
  constraint payment_links_deactivated check ((state = 'deactivated') = (deactivated_at is not null)),
  constraint payment_links_expired check (state <> 'expired' or expires_at is not null)
);

-- A shop that asks twice for the same order gets told about the first link, also when it is closed.
create unique index payment_links_reference_once on payment_links (merchant_id, livemode, reference)
where reference is not null;

-- A merchant's list pages by exactly this.
create index payment_links_list on payment_links (merchant_id, livemode, seq);

select define_actor_table('payment_links');
