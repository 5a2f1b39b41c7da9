-- Disputes: machines/dispute.ts. They exist in test mode only.
create table disputes (
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
  evidence_due_by timestamptz not null,

  constraint disputes_state check (state in ('needs_response', 'under_review', 'won', 'lost')),
  constraint disputes_sandbox check (not livemode),
  constraint disputes_amount check (amount_minor between 1 and 9007199254740991),
  constraint disputes_currency check (currency ~ '^[A-Z]{3}$'),
  constraint disputes_reason check (
    reason in (
      'fraudulent', 'product_not_received', 'product_unacceptable', 'duplicate', 'credit_not_processed', 'general'
    )
  ),
  constraint disputes_description check (length(description) <= 1000),
  constraint disputes_evidence check (
    length(uncategorized_text) <= 2000 and length(customer_communication) <= 2000
    and length(shipping_tracking_number) <= 2000 and length(refund_policy) <= 2000
  ),
  -- Events carry it, and no receiver has to take more than 20 KiB of one. Of JSON, since that may spell a character
  -- in six bytes.
  constraint disputes_evidence_fits check (
    coalesce(octet_length(to_json(uncategorized_text)::text), 0)
    + coalesce(octet_length(to_json(customer_communication)::text), 0)
    + coalesce(octet_length(to_json(shipping_tracking_number)::text), 0)
    + coalesce(octet_length(to_json(refund_policy)::text), 0) <= 18432
  ),
  constraint disputes_due check (evidence_due_by > created_at)
);

-- One dispute of a payment is open at a time.
create unique index disputes_open_once on disputes (payment_id) where state in ('needs_response', 'under_review');

-- A merchant's list pages by exactly this.
create index disputes_list on disputes (merchant_id, livemode, seq);

select define_actor_table('disputes');
