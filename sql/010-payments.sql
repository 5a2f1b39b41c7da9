-- Payments: machines/payment.ts. The machine decides; every rule it promises stands here a second
-- time, so that neither a bug nor a person at a prompt can write what it would never have decided.
--
-- The tables of machines have no foreign keys between them: each would lock the other row in every
-- commit, in an order the core does not choose, and a link's row in the commits of all its payments.
-- Records that belong together are written in one bundle, and the audit looks for orphans.
create table payments (
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
  -- The version its events are rendered in: the merchant's, when the payment was opened.
  api_version text not null,
  payment_link_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  customer_email text not null,
  customer_name text,
  reference text,
  metadata jsonb not null,
  tolerance_bps integer not null,
  late_policy text not null,
  expires_at timestamptz not null,

  chain_id bigint,
  asset text,
  token_address text,
  decimals integer,
  address text,
  amount_expected numeric(78, 0),
  confirmations_required integer,
  pegged boolean,
  quote_rate text,
  quote_source text,
  quote_expires_at timestamptz,

  scan bigint not null,
  amount_received numeric(78, 0) not null,
  amount_final numeric(78, 0) not null,
  received_minor bigint not null,
  payer_address text,
  tx_hash text,
  block_number bigint,
  stray text,
  -- How many of its transfers are final.
  final_strays integer not null,
  -- The transactions that "seen" events were sent for, each with its kind; bounded by the machine.
  announced jsonb not null,
  collection_unexplained boolean not null,
  window_lengthened boolean not null,
  exception text,
  failure_reason text,
  attention boolean not null,
  refunds_reserved_minor bigint not null,
  amount_refunded_minor bigint not null,

  constraint payments_state check (state in ('pending', 'processing', 'success', 'failed', 'expired', 'canceled')),
  -- A safe integer: amounts are numbers in JSON.
  constraint payments_amount check (amount_minor between 1 and 9007199254740991),
  constraint payments_currency check (currency ~ '^[A-Z]{3}$'),
  constraint payments_customer check (length(customer_email) <= 254 and length(customer_name) <= 200),
  constraint payments_reference check (length(reference) <= 200),
  -- At 10,000 nothing at all would be enough.
  constraint payments_tolerance check (tolerance_bps between 0 and 9999),
  constraint payments_late_policy check (late_policy in ('accept_stablecoins', 'needs_attention')),

  -- An asset is picked whole or not at all.
  constraint payments_pick check (
    num_nulls(chain_id, asset, decimals, address, amount_expected, confirmations_required, pegged) in (0, 7)
    and (token_address is null or asset is not null)
  ),
  constraint payments_quote check (
    num_nulls(quote_rate, quote_source, quote_expires_at) in (0, 3) and (quote_rate is null or asset is not null)
  ),
  constraint payments_due check (amount_expected > 0),
  -- A count in a pattern (`{64}`) takes ten times as long as the rest of it, in every write.
  constraint payments_address check (address ~ '^0x[0-9a-fA-F]*$' and length(address) = 42),
  constraint payments_tx_hash check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),

  -- Nothing is received without an asset, and nothing is final that is not received.
  constraint payments_sums check (
    0 <= amount_final and amount_final <= amount_received and (amount_expected is not null or amount_received = 0)
  ),
  -- What can be refunded is what is final, at the payment's own quote, rounded down.
  constraint payments_received check (
    received_minor = least(coalesce(div(amount_final * amount_minor, amount_expected), 0), 9007199254740991)
  ),
  -- Enough is seen in `processing` and too little in `pending`: waiting for finality is the difference.
  constraint payments_enough check (
    case state
      when 'processing' then coalesce(amount_received * 10000 >= amount_expected * (10000 - tolerance_bps), false)
      when 'pending' then amount_expected is null or amount_received * 10000 < amount_expected * (10000 - tolerance_bps)
      else true
    end
  ),
  -- No success without final money, of whatever asset a merchant has accepted it in.
  constraint payments_success check (state <> 'success' or amount_final > 0 or final_strays > 0),
  constraint payments_failure check ((state = 'failed') = (failure_reason is not null)),
  constraint payments_failure_reason check (
    failure_reason in ('reverted', 'wrong_recipient', 'wrong_asset', 'wrong_chain', 'amount_mismatch', 'underpaid')
  ),
  constraint payments_stray check (stray in ('wrong_asset', 'wrong_chain') and (stray is not null or final_strays = 0)),
  constraint payments_exception check (
    exception in ('underpaid', 'overpaid', 'late', 'wrong_asset', 'wrong_chain')
  ),
  -- Whatever happens at once, refunds never exceed what was received.
  constraint payments_refunds check (
    0 <= amount_refunded_minor and amount_refunded_minor <= refunds_reserved_minor
    and refunds_reserved_minor <= received_minor
  ),
  constraint payments_refunds_when_over check (state not in ('pending', 'processing') or refunds_reserved_minor = 0)
);

-- An address pays one payment, however it is spelled.
create unique index payments_address_once on payments (lower(address)) where address is not null;

-- A merchant's list pages by exactly this.
create index payments_list on payments (merchant_id, livemode, seq);

select define_actor_table('payments');
