-- Refunds: machines/refund.ts. That refunds never exceed what was received is a constraint of the payment's row.
create table refunds (
  like actor_columns including all,
  api_version text not null,
  payment_id uuid not null,
  -- The invoice of the payment.
  invoice_id uuid,
  -- The credit note that the refund was issued with: it takes back no credit.
  credit_note_id uuid,
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
  -- Nothing is signed before the destination is named.
  constraint refunds_destination check (
    case state
      when 'requires_destination' then destination is null
      when 'canceled' then true
      else destination is not null
    end
  ),
  constraint refunds_destination_form check (destination ~ '^0x[0-9a-fA-F]*$' and length(destination) = 42),
  -- The transaction is known from `processing` on, and kept with its verdict.
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

-- A transaction pays one refund. The transaction of a failed refund may be named again, and fails again.
create unique index refunds_transaction_once on refunds (chain_id, tx_hash) where state in ('processing', 'processed');

-- A merchant's list pages by this.
create index refunds_list on refunds (merchant_id, livemode, seq);

-- GET /v1/refunds?status=, ?paymentId=, ?q=, and refunds that need attention.
create index refunds_by_state on refunds (merchant_id, livemode, state, seq);
create index refunds_by_payment on refunds (merchant_id, livemode, payment_id, seq);
create index refunds_by_destination on refunds (list_key(merchant_id, livemode, lower(destination)), state, seq)
where destination is not null;
create index refunds_by_tx_hash on refunds using hash (tx_hash) where tx_hash is not null;
create index refunds_by_stray_tx_hash on refunds using hash (stray_tx_hash) where stray_tx_hash is not null;
create index refunds_with_attention on refunds (merchant_id, livemode, seq) where attention;

-- Refunds that wait to be signed, by the chain of their signer.
create index refunds_unsigned on refunds (chain_id, merchant_id, livemode, updated_at)
where state = 'requires_signature';

create index refunds_unsigned_in_native on refunds (chain_id, merchant_id, livemode)
where state = 'requires_signature' and token_address is null;

-- A merchant's refunds that wait for something.
create index refunds_open on refunds (merchant_id, state, chain_id)
where state in ('requires_destination', 'requires_signature', 'processing');

-- Claims: the customer names the destination of the refund on a page of its own, which is found by a secret.
create table refund_claims (
  -- The refund.
  id uuid primary key,
  -- SHA-256 of the secret, which is 256 random bits: the hash opens no page.
  secret_hash bytea not null,
  -- The merchant can read the page's address at any time, to send it again.
  sealed_secret text not null,
  expires_at timestamptz not null,

  constraint refund_claims_secret_hash_once unique (secret_hash),
  constraint refund_claims_secret_hash check (length(secret_hash) = 32)
);

-- Proof that the person who named a refund's destination on its page controls that address: the message that its key
-- signed. Inserted in the commit that names it.
create table refund_destination_proofs (
  refund_id uuid primary key,
  address text not null,
  message text not null,
  signature text not null,
  proven_at timestamptz not null,

  constraint refund_destination_proofs_address check (address ~ '^0x[0-9a-fA-F]*$' and length(address) = 42),
  constraint refund_destination_proofs_signature check (signature ~ '^0x[0-9a-f]*$' and length(signature) = 132)
);

-- Transactions that refunds are said to be paid with, until the chain decides: the reader of the refund's chain looks
-- them up (src/chain/refunds/watch.ts).
create table refund_looks (
  refund_id uuid primary key,
  chain_id bigint not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  -- The block it was found in, which is not final: it is looked up again when this block is.
  block_number bigint,
  -- Failed looks since it was last found.
  looks integer not null default 0,
  next_look_at timestamptz not null default now(),
  -- Why the transaction cannot be decided yet, and when that starts to need a person's attention.
  doubt text constraint refund_looks_doubt check (
    doubt in ('transaction_unknown', 'nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier')
  ),
  person_from timestamptz,
  -- In the sandbox: its chain has been replaced since, and the transaction may be lost.
  chain_lost boolean not null default false,

  constraint refund_looks_person check ((doubt is null) = (person_from is null))
);
create index refund_looks_due on refund_looks (chain_id, next_look_at);
create index refund_looks_doubted on refund_looks (person_from) where person_from is not null;

-- Balance rises that have paid refunds: native currency that a contract has sent, which appears in no log. A rise pays
-- one refund.
create table refund_rises (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  refund_id uuid not null,
  primary key (chain_id, address, block_number)
);

-- The destinations that transfers are compared with as blocks are read, from when they are named. After the end of a
-- refund, a transfer that may be its own is still noticed for thirty days. Native currency is noticed only where blocks
-- are read in full, which is while a refund in native currency waits to be signed by hand and for an hour after that,
-- as the signed transaction may still be mined (src/chain/watch/native/transfers.ts); and only where the transaction
-- goes to the destination itself. What a contract sends, such as a Safe, appears in no log, and its transaction has to
-- be named.
create table refund_destinations (
  refund_id uuid primary key,
  chain_id bigint not null,
  to_address text not null,
  -- Null: native currency.
  token_address text,
  amount numeric(78, 0) not null,
  -- Null while a transfer is expected.
  until timestamptz,
  -- Of a refund in native currency that was signed by hand: until then blocks are read in full for it.
  native_until timestamptz
);
create index refund_destinations_to on refund_destinations (chain_id, to_address);
create index refund_destinations_until on refund_destinations (until) where until is not null;
-- Whether a block must be read in full is queried for every block.
create index refund_destinations_native on refund_destinations (chain_id, native_until) where native_until is not null;

-- Transfers that may pay a refund, until they were looked up (src/chain/refunds/noticed-transfers.ts).
create table noticed_transfers (
  chain_id bigint not null,
  tx_hash text not null,
  refund_id uuid not null,
  -- Null: a client has named it for the refund, which has given it up since or could not take it.
  from_address text,
  noticed_at timestamptz not null default now(),
  looks integer not null default 0,
  next_look_at timestamptz not null default now(),
  primary key (chain_id, tx_hash, refund_id)
);
create index noticed_transfers_due on noticed_transfers (chain_id, next_look_at);
create index noticed_transfers_reported on noticed_transfers (refund_id) where from_address is null;

-- Warnings that were logged, so that each is logged once, whichever process looks.
create table refund_warnings (
  refund_id uuid not null,
  why text not null,
  warned_at timestamptz not null default now(),
  primary key (refund_id, why)
);

-- How far its chain had been read when a refund was requested: transactions in blocks up to there paid for something
-- else. Blocks are compared, because the clocks of chains and servers may differ. No row where the chain had not been
-- read.
create table refund_beginnings (
  refund_id uuid primary key,
  final_number bigint not null,
  -- Above the final block, a reorg may since have mined later transactions in lower blocks.
  head_number bigint not null,
  -- Another of the sandbox's chains has other block numbers.
  epoch text
);

-- Decisions by people about transactions of refunds that the chain could not decide, and `why` they were asked.
-- Inserted in the commit of the refund's transition, whose rev it has.
create table refund_judgements (
  refund_id uuid not null,
  rev integer not null,
  -- `stray_transfer`: the refund had failed, and its transaction had moved money all the same.
  why text not null constraint refund_judgements_why check (
    why in ('nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier', 'nonce_unclear', 'stray_transfer')
  ),
  primary key (refund_id, rev)
);
