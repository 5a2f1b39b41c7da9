-- Refunds: machines/refund.ts. That they never exceed what was received is a rule of the payment's row.
create table refunds (
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
  reason text,
  metadata jsonb not null,
  chain_id bigint not null,
  asset text not null,
  token_address text,
  amount numeric(78, 0) not null,
  destination text,
  tx_hash text,
  confirmations integer not null,
  failure_reason text,
  attention boolean not null,
  stray_tx_hash text,

  constraint refunds_state check (
    state in ('requires_destination', 'requires_signature', 'processing', 'processed', 'failed', 'canceled')
  ),
  constraint refunds_amount check (amount_minor between 1 and 9007199254740991 and amount >= 0),
  constraint refunds_currency check (currency ~ '^[A-Z]{3}$'),
  constraint refunds_reason check (
    reason in ('requested_by_customer', 'duplicate', 'fraudulent', 'overpayment', 'late_payment', 'other')
  ),
  -- Nothing is signed before somebody has said where to.
  constraint refunds_destination check (
    case state
      when 'requires_destination' then destination is null
      when 'canceled' then true
      else destination is not null
    end
  ),
  constraint refunds_destination_form check (destination ~ '^0x[0-9a-fA-F]*$' and length(destination) = 42),
  -- The transaction is known from `processing` on, and kept with the verdict on it.
  constraint refunds_transaction check ((state in ('processing', 'processed', 'failed')) = (tx_hash is not null)),
  constraint refunds_tx_hash check (
    tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66 and stray_tx_hash ~ '^0x[0-9a-f]*$' and length(stray_tx_hash) = 66
  ),
  constraint refunds_confirmations check (confirmations >= 0),
  constraint refunds_failure check ((state = 'failed') = (failure_reason is not null)),
  constraint refunds_failure_reason check (
    failure_reason in ('reverted', 'wrong_recipient', 'wrong_asset', 'amount_mismatch', 'dropped', 'unproven')
  ),
  constraint refunds_stray check (not attention or stray_tx_hash is not null)
);

-- A transaction pays one refund. One that failed may be offered again, and will fail again.
create unique index refunds_transaction_once on refunds (chain_id, tx_hash) where state in ('processing', 'processed');

-- A merchant's list pages by exactly this.
create index refunds_list on refunds (merchant_id, livemode, seq);

select define_actor_table('refunds');
