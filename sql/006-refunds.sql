-- Refunds: machines/refund.ts. That they never exceed what was received is a rule of the payment's row.
create table refunds (
  like actor_columns including all,
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

-- GET /v1/refunds?status= and ?paymentId=, and refunds that need attention.
create index refunds_by_state on refunds (merchant_id, livemode, state, seq);
create index refunds_by_payment on refunds (merchant_id, livemode, payment_id, seq);
create index refunds_with_attention on refunds (merchant_id, livemode, seq) where attention;

-- Those that wait to be signed, by whoever looks after their chain.
create index refunds_unsigned on refunds (chain_id, merchant_id, livemode, updated_at)
where state = 'requires_signature';

create index refunds_unsigned_in_coins on refunds (chain_id, merchant_id, livemode)
where state = 'requires_signature' and token_address is null;

-- Refunds that wait for something which does not come by itself, by their merchant.
create index refunds_open on refunds (merchant_id, state, chain_id)
where state in ('requires_destination', 'requires_signature', 'processing');

-- Refunds whose customers are asked where to: each has a page of its own, found by a secret.
create table refund_claims (
  -- The refund's.
  id uuid primary key,
  -- SHA-256 of the secret, which is 256 random bits: what stands here finds a page for nobody.
  secret_hash bytea not null,
  -- The merchant is shown the page's address as often as they look, and may send it on again.
  sealed_secret text not null,
  expires_at timestamptz not null,

  constraint refund_claims_secret_hash_once unique (secret_hash),
  constraint refund_claims_secret_hash check (length(secret_hash) = 32)
);

-- Whoever named the destination of a refund by its page and has shown that it is theirs: the words that its key has
-- signed. In the commit that names it.
create table refund_destination_proofs (
  refund_id uuid primary key,
  address text not null,
  message text not null,
  signature text not null,
  proven_at timestamptz not null,

  constraint refund_destination_proofs_address check (address ~ '^0x[0-9a-fA-F]*$' and length(address) = 42),
  constraint refund_destination_proofs_signature check (signature ~ '^0x[0-9a-f]*$' and length(signature) = 132)
);

-- Transactions that refunds are said to be paid with, until the chain has said what they are: whoever reads the
-- refund's chain asks (src/chain/refunds/watch.ts).
create table refund_looks (
  refund_id uuid primary key,
  chain_id bigint not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  -- It was found in this block, which is not final: nobody looks again before it is.
  block_number bigint,
  -- In vain so far, since it was last found anywhere.
  looks integer not null default 0,
  next_look_at timestamptz not null default now(),
  -- Why nothing can be said of it yet, and from when on that is for a person to look at.
  doubt text constraint refund_looks_doubt check (
    doubt in ('transaction_unknown', 'nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier')
  ),
  person_from timestamptz,
  -- In the sandbox: its chain has come back as another one since, which may have lost it.
  chain_lost boolean not null default false,

  constraint refund_looks_person check ((doubt is null) = (person_from is null))
);
create index refund_looks_due on refund_looks (chain_id, next_look_at);
create index refund_looks_doubted on refund_looks (person_from) where person_from is not null;

-- Rises of balances that have paid refunds: coins that a contract has sent on, which are told by no log, and which no
-- other refund is paid with.
create table refund_rises (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  refund_id uuid not null,
  primary key (chain_id, address, block_number)
);

-- What transfers are compared with as blocks are read: where refunds go to, from when that is known. Once a refund is
-- over, a transfer that may be of it is still noticed for thirty days. Coins are noticed where blocks are read in
-- full, which they are while a refund in coins waits to be signed by hand, and for an hour after that, when what was
-- signed may still be mined (src/chain/watch/coins/sent.ts); and where their transaction goes to the destination
-- itself: what a contract sends on, as a Safe does that a merchant is paid at, is told by no log, and its transaction
-- has to be named.
create table refund_destinations (
  refund_id uuid primary key,
  chain_id bigint not null,
  to_address text not null,
  -- Null: the chain's own coin.
  token_address text,
  amount numeric(78, 0) not null,
  -- Null while a transfer is waited for.
  until timestamptz,
  -- Of one in coins that has left what was to be signed by hand: until then blocks are read in full for it.
  coins_until timestamptz
);
create index refund_destinations_to on refund_destinations (chain_id, to_address);
create index refund_destinations_until on refund_destinations (until) where until is not null;
-- Whether blocks are to be read in full is asked at every one.
create index refund_destinations_coins on refund_destinations (chain_id, coins_until) where coins_until is not null;

-- Transfers that may be those of refunds, until somebody has looked (src/chain/refunds/noticed.ts).
create table noticed_transfers (
  chain_id bigint not null,
  tx_hash text not null,
  refund_id uuid not null,
  -- Null: somebody has said that it pays the refund, which has given it up since, or could not take it.
  from_address text,
  noticed_at timestamptz not null default now(),
  looks integer not null default 0,
  next_look_at timestamptz not null default now(),
  primary key (chain_id, tx_hash, refund_id)
);
create index noticed_transfers_due on noticed_transfers (chain_id, next_look_at);
create index noticed_transfers_told on noticed_transfers (refund_id) where from_address is null;

-- What was logged of them, so that each is told once, whichever process looks.
create table refund_warnings (
  refund_id uuid not null,
  why text not null,
  warned_at timestamptz not null default now(),
  primary key (refund_id, why)
);

-- How far the books of its chain were when a refund was asked for: what is mined in a block up to there was for something
-- else. Blocks are compared, because the clocks of chains and of houses need not agree. None where the books had not begun.
create table refund_beginnings (
  refund_id uuid primary key,
  final_number bigint not null,
  -- Above the final one a reorganisation may have mined anew, and lower, what was sent since.
  head_number bigint not null,
  -- Another one of the sandbox's chains counts otherwise.
  epoch text
);

-- What people have said of the transactions of refunds where their chain could not: `why` they were asked. It comes in the
-- commit that tells the refund, whose revision it is.
create table refund_judgements (
  refund_id uuid not null,
  rev integer not null,
  -- `stray_transfer`: it had failed, and its transaction had moved money all the same.
  why text not null constraint refund_judgements_why check (
    why in ('nodes_disagree', 'balance_unknown', 'balance_unclear', 'possibly_earlier', 'number_unclear', 'stray_transfer')
  ),
  primary key (refund_id, rev)
);
