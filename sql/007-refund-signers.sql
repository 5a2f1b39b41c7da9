-- Keys that sign the refunds of one merchant on one chain, and everything that was ever signed with them.
create table refund_signers (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  chain_id bigint not null,
  -- In the sandbox: the epoch of its chain. Another chain counts nonces from zero.
  epoch text,
  address text not null,
  -- Null in the sandbox, where the key is derived from the merchant's id, and after it was erased.
  sealed_key text,
  -- The chain's nonce when the signer was added or released. Every nonce from here on is in `signer_nonces`.
  first_nonce bigint not null,
  -- The era in which it was added or last released: see is_on_hold().
  era integer not null default current_era(),
  created_at timestamptz not null default now(),
  -- It signs nothing new since then. Its key is erased as soon as none of its transactions is open.
  removed_at timestamptz,

  constraint refund_signers_address check (address ~ '^0x[0-9a-f]*$' and length(address) = 42),
  constraint refund_signers_nonce check (first_nonce >= 0),
  constraint refund_signers_chain check (chain_id between 1 and 9007199254740991),
  constraint refund_signers_key check (removed_at is not null or (epoch is null) = (sealed_key is not null))
);
create unique index refund_signers_of_merchant on refund_signers (merchant_id, chain_id)
where epoch is null and removed_at is null;
create unique index refund_signers_of_sandbox on refund_signers (merchant_id, chain_id, epoch) where epoch is not null;
-- Two merchants with one key would use each nonce twice, and one could spend what the other has deposited.
create unique index refund_signers_key_once on refund_signers (chain_id, address) where sealed_key is not null;

-- The signers of a merchant's refunds on a chain, by mode. What shows a transaction to be signed by hand and what signs
-- it both use this view: if they differed, a refund would be paid twice.
create view working_signers as
select s.id, s.merchant_id, s.chain_id, m.livemode
from refund_signers s
join merchant_settings m on m.merchant_id = s.merchant_id and m.refund_mode = 'signer'
where s.epoch is null and s.removed_at is null;

-- How much a signer may sign without a person, in minor units; nothing in a currency without a row.
create table refund_signer_limits (
  signer_id uuid not null references refund_signers,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  per_refund_minor bigint not null check (per_refund_minor between 1 and 9007199254740991),
  per_day_minor bigint not null check (per_day_minor between 1 and 9007199254740991),
  primary key (signer_id, currency)
);

-- Every nonce that a signer has used. The row is inserted in the commit of the refund's transition, so a process that
-- loses the race for a nonce has signed nothing: no nonce is used twice and none is skipped.
create table signer_nonces (
  signer_id uuid not null,
  nonce bigint not null check (nonce >= 0),
  -- Null: a nonce gap, filled by a transfer of zero to the signer itself.
  refund_id uuid,
  -- `mined`: one of its transactions is final. `dropped`: none can be mined any more.
  state text not null constraint signer_nonces_state check (state in ('open', 'mined', 'dropped')),
  -- When a node last accepted one of its transactions.
  sent_at timestamptz,
  created_at timestamptz not null,
  primary key (signer_id, nonce)
);
-- While one transaction of a refund can still be mined, no other is signed.
create unique index signer_nonces_open_once on signer_nonces (refund_id) where state = 'open';
create index signer_nonces_open on signer_nonces (signer_id, nonce) where state = 'open';
-- What was signed in the last day.
create index signer_nonces_recent on signer_nonces (signer_id, created_at);
create index signer_nonces_of_refund on signer_nonces (refund_id);

-- The transactions that were signed for a nonce: the first, and each replacement at a higher fee. All are kept, because
-- any of them may be mined.
create table signed_transactions (
  signer_id uuid not null,
  nonce bigint not null,
  attempt integer not null check (attempt >= 1),
  chain_id bigint not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  -- The signed bytes, which are sent every time.
  raw text not null check (raw ~ '^0x[0-9a-f]+$'),
  gas bigint not null,
  -- Per unit of gas; the gas price where a chain has no priority fee.
  max_fee numeric(78, 0) not null,
  tip numeric(78, 0),
  -- When a node first accepted it; null while none has. It is not replaced before.
  taken_at timestamptz,
  created_at timestamptz not null,
  primary key (signer_id, nonce, attempt)
);
create unique index signed_transactions_once on signed_transactions (chain_id, tx_hash);

-- Why a refund is not signed yet, and when it is tried again: never where it is left to be signed by hand, because a
-- person is shown the transaction then and may send it at any time.
create table signing_waits (
  refund_id uuid primary key,
  signer_id uuid not null,
  reason text not null constraint signing_waits_reason check (
    reason in ('no_answer', 'no_gas', 'no_funds', 'nonce_ahead', 'refused', 'unreadable_key', 'unsettled',
      'fault', 'on_hold', 'over_refund_limit', 'over_day_limit', 'by_hand')
  ),
  tries integer not null default 1,
  next_try_at timestamptz not null,
  -- Of this reason.
  since timestamptz not null default now(),
  -- Of all reasons: a retry may fail for another reason.
  begun_at timestamptz not null default now(),
  -- The chain of a refund in native currency.
  native_chain_id bigint
);
create index signing_waits_of_signer on signing_waits (signer_id);
-- Retried for so long that a person must look (sql/106-refunds-functions.sql).
create index signing_waits_begun on signing_waits (begun_at) where next_try_at < 'infinity';

create index signing_waits_due on signing_waits (signer_id, next_try_at) where next_try_at < 'infinity';
create index signing_waits_in_native on signing_waits (native_chain_id)
where next_try_at = 'infinity' and native_chain_id is not null;

-- Refunds that wait to be signed by hand: their merchant has no signer for them, or they were left to be signed by
-- hand. No signer signs these, whatever is set up later.
create view refunds_by_hand as
select r.id, r.chain_id, r.token_address from refunds r
where r.state = 'requires_signature' and (
  exists (select from signing_waits w where w.refund_id = r.id and w.next_try_at = 'infinity')
  or not exists (
    select from working_signers s
    where s.merchant_id = r.merchant_id and s.chain_id = r.chain_id and s.livemode = r.livemode));

-- Open nonces that the chain has used, where no node shows by which transaction: the refund may be paid or not. Only a
-- transaction shown in its block decides, and it is searched for repeatedly. Meanwhile the refund needs a person's
-- attention.
create table unclear_nonces (
  signer_id uuid not null,
  nonce bigint not null,
  searches integer not null default 1,
  next_search_at timestamptz not null,
  since timestamptz not null default now(),
  primary key (signer_id, nonce)
);
