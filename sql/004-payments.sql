-- Payments: machines/payment.ts. The machine decides. The rules that it promises are constraints as well, so that
-- neither a bug nor a manual statement can write a row that breaks them.
--
-- The tables of machines have no foreign keys to each other. A foreign key would lock the other row in every commit, in
-- an order that the core does not choose, and a link's row in the commits of all its payments. Records that belong
-- together are written in one bundle, and the audit looks for orphans.
create table payments (
  like actor_columns including all,
  -- The API version of its events: the merchant's when the payment was opened.
  api_version text not null,
  payment_link_id uuid not null,
  -- The customer of the e-mail address when the payment was opened: see merged_customers. Null: none is known.
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
  -- How many of its transfers in an unexpected asset or on another chain are final.
  final_strays integer not null,
  -- The transactions for which a "seen" event was published, each with its kind. The machine limits their number.
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
  -- At 10,000 a payment of nothing would be enough.
  constraint payments_tolerance check (tolerance_bps between 0 and 9999),
  constraint payments_late_policy check (late_policy in ('accept_stablecoins', 'needs_attention')),

  -- The columns of an asset are set together.
  constraint payments_pick check (
    num_nulls(chain_id, asset, decimals, address, amount_expected, confirmations_required, pegged) in (0, 7)
    and (token_address is null or asset is not null)
  ),
  constraint payments_quote check (
    num_nulls(quote_rate, quote_source, quote_expires_at) in (0, 3) and (quote_rate is null or asset is not null)
  ),
  constraint payments_due check (amount_expected > 0),
  -- A repetition count in the pattern (`{64}`) takes ten times as long as the rest of the check.
  constraint payments_address check (address ~ '^0x[0-9a-fA-F]*$' and length(address) = 42),
  constraint payments_tx_hash check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),

  -- Nothing is received before an asset is picked, and the final amount is a part of the received one.
  constraint payments_sums check (
    0 <= amount_final and amount_final <= amount_received and (amount_expected is not null or amount_received = 0)
  ),
  -- What can be refunded is the final amount at the payment's quote, rounded down.
  constraint payments_received check (
    received_minor = least(coalesce(div(amount_final * amount_minor, amount_expected), 0), 9007199254740991)
  ),
  -- `processing` has received enough and `pending` has not.
  constraint payments_enough check (
    case state
      when 'processing' then coalesce(amount_received * 10000 >= amount_expected * (10000 - tolerance_bps), false)
      when 'pending' then amount_expected is null or amount_received * 10000 < amount_expected * (10000 - tolerance_bps)
      else true
    end
  ),
  -- A success has final money, in any asset that the merchant has accepted.
  constraint payments_success check (state <> 'success' or amount_final > 0 or final_strays > 0),
  constraint payments_failure check ((state = 'failed') = (failure_reason is not null)),
  constraint payments_failure_reason check (
    failure_reason in ('reverted', 'wrong_recipient', 'wrong_asset', 'wrong_chain', 'amount_mismatch', 'underpaid')
  ),
  constraint payments_stray check (stray in ('wrong_asset', 'wrong_chain') and (stray is not null or final_strays = 0)),
  constraint payments_exception check (
    exception in ('underpaid', 'overpaid', 'late', 'wrong_asset', 'wrong_chain')
  ),
  -- Refunds never exceed what was received, however many are requested concurrently.
  constraint payments_refunds check (
    0 <= amount_refunded_minor and amount_refunded_minor <= refunds_reserved_minor
    and refunds_reserved_minor <= received_minor
  ),
  constraint payments_refunds_when_over check (state not in ('pending', 'processing') or refunds_reserved_minor = 0)
);

-- An address belongs to one payment, in any spelling.
create unique index payments_address_once on payments (decode(substr(address, 3), 'hex')) where address is not null;

-- A merchant's list pages by this.
create index payments_list on payments (merchant_id, livemode, seq);

-- GET /v1/payments?status=, ?paymentLinkId=, ?customerId=, ?reference=, ?q=, and payments that need attention. Without an index of its
-- own, a filter that matches few rows reads the merchant's whole history for one page. A list of several states merges
-- the states, so that every filter combines with them.
create index payments_by_state on payments (merchant_id, livemode, state, seq);
create index payments_by_link on payments (payment_link_id, state, seq);
create index payments_by_customer on payments (customer_id, state, seq) where customer_id is not null;
create index payments_by_reference on payments (list_key(merchant_id, livemode, reference), state, seq)
where reference is not null;
create index payments_by_payer on payments (list_key(merchant_id, livemode, payer_address), state, seq)
where payer_address is not null;
-- Beginnings of e-mail addresses, in any case.
create index payments_by_email on payments (merchant_id, livemode, lower(customer_email) collate "C");
create index payments_with_attention on payments (merchant_id, livemode, seq) where attention;

-- Windows that may have ended, by chain, and those of payments without a chain, the oldest first.
create index payments_waiting on payments (chain_id, expires_at) where state = 'pending' and amount_final = amount_received;

-- Payments that can still be paid, by chain.
create index payments_open on payments (chain_id, updated_at) where state in ('pending', 'processing');

-- Payments that wait for native currency. While there is one, blocks are read in full and balances are checked.
create index payments_open_in_native on payments (chain_id)
where token_address is null and chain_id is not null and state in ('pending', 'processing');

-- Payments that waited for native currency until recently, whose customers may be late.
create index payments_in_native on payments (chain_id, updated_at) where token_address is null and chain_id is not null;

-- Payment links: machines/payment-link.ts.
create table payment_links (
  like actor_columns including all,
  amount_minor bigint not null,
  currency text not null,
  title text,
  description text,
  reference text,
  -- A list of {chainId, asset}; null: all that the server offers.
  assets jsonb,
  max_payments integer,
  window_minutes integer not null,
  expires_at timestamptz,
  success_url text,
  metadata jsonb not null,
  -- The link behind an invoice, which has no page of its own.
  hidden boolean not null default false,
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
  -- The count may exceed the maximum, because payments that are open when it is reached continue.
  constraint payment_links_counts check (payments_opened >= 0 and payments_processing >= 0 and payments_count >= 0),
  constraint payment_links_completed check (
    case state
      when 'active' then max_payments is null or payments_count < max_payments
      when 'completed' then coalesce(payments_count >= max_payments, false)
      else true
    end
  ),
  constraint payment_links_deactivated check ((state = 'deactivated') = (deactivated_at is not null)),
  constraint payment_links_expired check (state <> 'expired' or expires_at is not null),
  -- The invoice decides what can be paid, and until when.
  constraint payment_links_hidden check (
    not hidden or (state in ('active', 'deactivated') and max_payments is null and expires_at is null and reference is null))
);

-- A second request for a link with the same reference is answered with the first link, even a closed one.
create unique index payment_links_reference_once on payment_links (merchant_id, livemode, reference)
where reference is not null;

-- A merchant's list pages by these, also with ?status=. The links of invoices are a list of their own, so that a merchant
-- with many invoices finds its other links.
create index payment_links_list on payment_links (merchant_id, livemode, seq) where not hidden;
create index payment_links_by_state on payment_links (merchant_id, livemode, state, seq) where not hidden;
create index payment_links_hidden_list on payment_links (merchant_id, livemode, seq) where hidden;
create index payment_links_hidden_by_state on payment_links (merchant_id, livemode, state, seq) where hidden;

-- Client secrets, by which a customer's browser authenticates for its payment. Created with the checkout and shown
-- once.
create table checkouts (
  payment_id uuid primary key,
  -- SHA-256 of the client secret, which is 256 random bits.
  secret_hash bytea not null,

  constraint checkouts_secret_hash check (length(secret_hash) = 32)
);

-- Disputes: machines/dispute.ts. They exist in test mode only.
create table disputes (
  like actor_columns including all,
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
  -- Events contain the evidence, and receivers accept events of up to 20 KiB. Measured as JSON, which may spell a
  -- character in six bytes.
  constraint disputes_evidence_fits check (
    coalesce(octet_length(to_json(uncategorized_text)::text), 0)
    + coalesce(octet_length(to_json(customer_communication)::text), 0)
    + coalesce(octet_length(to_json(shipping_tracking_number)::text), 0)
    + coalesce(octet_length(to_json(refund_policy)::text), 0) <= 18432
  ),
  constraint disputes_due check (evidence_due_by > created_at)
);

-- A payment has at most one open dispute.
create unique index disputes_open_once on disputes (payment_id) where state in ('needs_response', 'under_review');

-- A merchant's list pages by this.
create index disputes_list on disputes (merchant_id, livemode, seq);

-- GET /v1/disputes?status= and ?paymentId=.
create index disputes_by_state on disputes (merchant_id, livemode, state, seq);
create index disputes_by_payment on disputes (merchant_id, livemode, payment_id, seq);

-- Idempotency keys: the answer to a request, stored in the commit that carried it out.
create table idempotency_keys (
  merchant_id uuid not null,
  livemode boolean not null,
  key text not null,
  -- SHA-256 of method, path and canonical JSON: the same key with another request is refused.
  fingerprint bytea not null,
  status integer not null,
  -- The bytes of the first answer.
  body text not null,
  -- Keys of refunds are never deleted, because a refund that is sent twice cannot be reverted.
  is_refund boolean not null,
  created_at timestamptz not null,
  -- The record in the answer. The audit looks for the keys of refunds.
  record_id uuid not null,

  constraint idempotency_keys_pkey primary key (merchant_id, livemode, key),
  constraint idempotency_keys_key check (key ~ '^[ -~]{1,255}$'),
  constraint idempotency_keys_fingerprint check (length(fingerprint) = 32),
  -- Refusals are not stored: the key can be used again.
  constraint idempotency_keys_status check (status between 200 and 299)
);
-- Finds the answers that contain a record: the personal data in them is erased with a customer.
create index idempotency_keys_of_record on idempotency_keys (record_id);
-- Finds the keys that are old enough to be deleted.
create index idempotency_keys_old on idempotency_keys (created_at) where not is_refund;
