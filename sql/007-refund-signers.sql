-- Keys that sign the refunds of one merchant on one chain, and everything that was ever signed with them.
create table refund_signers (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  chain_id bigint not null,
  -- In the sandbox: which of its chains. Another one begins to count at nought.
  epoch text,
  address text not null,
  -- Null in the sandbox, where the key follows from the merchant's id, and once it is erased.
  sealed_key text,
  -- The chain's nonce when it was added or released: every nonce from here on is in `signer_nonces`.
  first_nonce bigint not null,
  -- The era in which it was added, or released last. See `is_on_hold`.
  era integer not null default current_era(),
  created_at timestamptz not null default now(),
  -- It signs nothing new since then. Its key is erased as soon as nothing that it has signed is open.
  removed_at timestamptz,

  constraint refund_signers_address check (address ~ '^0x[0-9a-f]*$' and length(address) = 42),
  constraint refund_signers_nonce check (first_nonce >= 0),
  constraint refund_signers_chain check (chain_id between 1 and 9007199254740991),
  constraint refund_signers_key check (removed_at is not null or (epoch is null) = (sealed_key is not null))
);
create unique index refund_signers_of_merchant on refund_signers (merchant_id, chain_id)
where epoch is null and removed_at is null;
create unique index refund_signers_of_sandbox on refund_signers (merchant_id, chain_id, epoch) where epoch is not null;
-- A key that two merchants share would use each nonce twice, and one could drain what the other has filled.
create unique index refund_signers_key_once on refund_signers (chain_id, address) where sealed_key is not null;

-- Who signs the refunds of a merchant on a chain, in which mode. Whoever shows a transaction to be signed by hand and
-- whoever signs it go by this one: where they differed, a refund would be paid twice.
create view working_signers as
select s.id, s.merchant_id, s.chain_id, m.livemode
from refund_signers s
join merchant_settings m on m.merchant_id = s.merchant_id and m.refund_mode = 'signer'
where s.epoch is null and s.removed_at is null;

-- How much a signer may give away by itself, in minor units; nothing in a currency without a row.
create table refund_signer_limits (
  signer_id uuid not null references refund_signers,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  per_refund_minor bigint not null check (per_refund_minor between 1 and 9007199254740991),
  per_day_minor bigint not null check (per_day_minor between 1 and 9007199254740991),
  primary key (signer_id, currency)
);

-- Every nonce that a signer has used. The row comes in the commit that tells the refund of its transaction, so
-- whoever loses the race for a number has signed nothing: no number is used twice and none is left out.
create table signer_nonces (
  signer_id uuid not null,
  nonce bigint not null check (nonce >= 0),
  -- Null: a number that the chain was waiting for and nobody had, used up by a transfer of nothing to itself.
  refund_id uuid,
  -- `mined`: one of its transactions is final. `dropped`: none can be mined any more.
  state text not null constraint signer_nonces_state check (state in ('open', 'mined', 'dropped')),
  -- When a node took one of its transactions last.
  sent_at timestamptz,
  created_at timestamptz not null,
  primary key (signer_id, nonce)
);
-- While one transaction of a refund may still be mined no other one is signed for it.
create unique index signer_nonces_open_once on signer_nonces (refund_id) where state = 'open';
create index signer_nonces_open on signer_nonces (signer_id, nonce) where state = 'open';
-- What was signed within the last day.
create index signer_nonces_recent on signer_nonces (signer_id, created_at);
create index signer_nonces_of_refund on signer_nonces (refund_id);

-- What was signed for a nonce: the first, and each that was to take the place of the one before at a higher fee.
-- Whichever is mined counts, so all are kept.
create table signed_transactions (
  signer_id uuid not null,
  nonce bigint not null,
  attempt integer not null check (attempt >= 1),
  chain_id bigint not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  -- Exactly what is sent, however often.
  raw text not null check (raw ~ '^0x[0-9a-f]+$'),
  gas bigint not null,
  -- Of one unit of gas; the whole price where a chain knows no tips.
  max_fee numeric(78, 0) not null,
  tip numeric(78, 0),
  -- When a node took it first; null while none has. It is outbid by the next attempt only then.
  taken_at timestamptz,
  created_at timestamptz not null,
  primary key (signer_id, nonce, attempt)
);
create unique index signed_transactions_once on signed_transactions (chain_id, tx_hash);

-- Why a refund that a signer should sign is not signed yet, and when it is tried again. Never where it is left to be
-- signed by hand: somebody is shown the transaction then, and may have sent it before anybody hears of that.
create table signing_waits (
  refund_id uuid primary key,
  signer_id uuid not null,
  reason text not null constraint signing_waits_reason check (
    reason in ('no_answer', 'no_gas', 'no_coins', 'nonce_ahead', 'refused', 'unreadable_key', 'unsettled',
      'fault', 'on_hold', 'over_refund_limit', 'over_day_limit', 'by_hand')
  ),
  tries integer not null default 1,
  next_try_at timestamptz not null,
  -- For this reason.
  since timestamptz not null default now(),
  -- For whatever reasons: what is tried again finds another one at times.
  begun_at timestamptz not null default now(),
  -- Of a refund in coins: their chain.
  coins_on bigint
);
create index signing_waits_of_signer on signing_waits (signer_id);
-- What has been in vain for so long that a person must look (sql/106-refunds-functions.sql).
create index signing_waits_begun on signing_waits (begun_at) where next_try_at < 'infinity';

create index signing_waits_due on signing_waits (signer_id, next_try_at) where next_try_at < 'infinity';
create index signing_waits_in_coins on signing_waits (coins_on) where next_try_at = 'infinity' and coins_on is not null;

-- Those that wait for somebody to sign them by hand: their merchant has no signer for them, or it has left them alone
-- for good. No signer signs them any more, whatever is set up later.
create view refunds_by_hand as
select r.id, r.chain_id, r.token_address from refunds r
where r.state = 'requires_signature' and (
  exists (select from signing_waits w where w.refund_id = r.id and w.next_try_at = 'infinity')
  or not exists (
    select from working_signers s
    where s.merchant_id = r.merchant_id and s.chain_id = r.chain_id and s.livemode = r.livemode));

-- Open numbers that the chain has used for good, and nobody can show by what: the refund may be paid or not. Only what
-- is shown in its block decides, and it is searched for again and again; until then it takes a person.
create table unclear_nonces (
  signer_id uuid not null,
  nonce bigint not null,
  searches integer not null default 1,
  next_search_at timestamptz not null,
  since timestamptz not null default now(),
  primary key (signer_id, nonce)
);
