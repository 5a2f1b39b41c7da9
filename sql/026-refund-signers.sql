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

-- In a later era than its own a signer signs nothing: the database may be a restored backup. What the key has signed
-- after that backup is unknown here, and any miner may still have it, whatever the nodes say. Neither the same refunds
-- nor the same nonces may be signed again before an operator has released it. The chain cannot show that nothing is
-- outstanding: a signed transaction that no node knows stays valid until its nonce is used. Of the sandbox no money
-- is lost.
create function is_on_hold(signer refund_signers) returns boolean language sql as $$
  select signer.epoch is null and signer.era < current_era()
$$;

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

select define_commit_rows('signer_nonces');
select define_commit_rows('signed_transactions');

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
-- What has been in vain for so long that a person must look (sql/027-refund-attention.sql).
create index signing_waits_begun on signing_waits (begun_at) where next_try_at < 'infinity';

create index signing_waits_due on signing_waits (signer_id, next_try_at) where next_try_at < 'infinity';
create index signing_waits_in_coins on signing_waits (coins_on) where next_try_at = 'infinity' and coins_on is not null;

-- What is over for good waits for nobody.
create function forget_signing_wait() returns trigger language plpgsql as $$
begin
  if exists (select from signing_waits where refund_id = new.id) then
    -- As whoever leaves what waits to hand: the settings first, or two would wait for each other.
    perform hold_settings(new.merchant_id);
    delete from signing_waits where refund_id = new.id;
  end if;
  return null;
end $$;
-- By its name after the one that looks whether it was left to hand (sql/025-refund-transactions.sql).
create trigger refunds_forget_their_signing_wait after update of state on refunds
for each row when (new.state in ('processed', 'canceled') and old.state <> new.state)
execute function forget_signing_wait();

-- Those that wait to be signed, by whoever looks after their chain.
create index refunds_unsigned on refunds (chain_id, merchant_id, livemode, updated_at)
where state = 'requires_signature';

-- Those of a chain that its signers should sign now: the new ones first, the longest of them, then of what has been due
-- the longest that which was tried the least. Each signer is asked for few, and each wait for its refund by its key
-- (hence laterals and offset): there may be as many as have come while a wallet was empty. In the sandbox whoever has
-- asked for a refund has a signer.
create function list_unsigned(chain bigint, sandbox boolean, touched_before timestamptz, most integer)
returns table (refund_id uuid) language sql stable
-- A plan is kept from when the table was empty, and every question here is one for an index.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with whose as materialized (
    select merchant_id, livemode from working_signers where chain_id = chain and not sandbox
    union
    select merchant_id, livemode from refunds where chain_id = chain and state = 'requires_signature' and sandbox),
  untried as (
    select r.id, 0 as tries, r.updated_at from whose o cross join lateral (
      select id, updated_at from refunds r
      where r.chain_id = chain and r.merchant_id = o.merchant_id and r.livemode = o.livemode
        and r.state = 'requires_signature' and r.updated_at < touched_before
        and not exists (select from signing_waits w where w.refund_id = r.id)
      order by r.updated_at limit most) r),
  tried as (
    select w.* from refund_signers s cross join lateral (
      select r.id, w.tries, r.updated_at from signing_waits w
      cross join lateral (select * from refunds where id = w.refund_id offset 0) r
      where w.signer_id = s.id and w.next_try_at <= now() and w.next_try_at < 'infinity'
        and r.chain_id = chain and r.state = 'requires_signature' and r.updated_at < touched_before
        and exists (select from whose o where o.merchant_id = r.merchant_id and o.livemode = r.livemode)
      order by w.next_try_at limit 10 * most) w
    where s.chain_id = chain)
  select id from (select * from untried union all select * from tried) u
  order by tries, updated_at limit most
$$;

-- Those that wait for somebody to sign them by hand: their merchant has no signer for them, or it has left them alone
-- for good. No signer signs them any more, whatever is set up later.
create view refunds_by_hand as
select r.id, r.chain_id, r.token_address from refunds r
where r.state = 'requires_signature' and (
  exists (select from signing_waits w where w.refund_id = r.id and w.next_try_at = 'infinity')
  or not exists (
    select from working_signers s
    where s.merchant_id = r.merchant_id and s.chain_id = r.chain_id and s.livemode = r.livemode));

create index refunds_unsigned_in_coins on refunds (chain_id, merchant_id, livemode)
where state = 'requires_signature' and token_address is null;

-- Whether one of `refunds_by_hand` is in coins: blocks are read in full then (src/chain/watch/coins/sent.ts), so it is
-- asked at every step of the reading. It goes by merchants, of which each is looked at once, however many of their
-- refunds wait for a signer; of what is left to hand the waits themselves know.
create function are_coins_signed_by_hand(chain bigint) returns boolean language sql stable
-- A plan is kept from when the table was empty, and every question here is one for an index.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  with recursive whose as (
    (select merchant_id, livemode from refunds
      where chain_id = chain and state = 'requires_signature' and token_address is null
      order by merchant_id, livemode limit 1)
    union all
    select next.merchant_id, next.livemode
    from whose w cross join lateral (
      select r.merchant_id, r.livemode from refunds r
      where r.chain_id = chain and r.state = 'requires_signature' and r.token_address is null
        and (r.merchant_id, r.livemode) > (w.merchant_id, w.livemode)
      order by r.merchant_id, r.livemode limit 1) next)
  select exists (
      select from signing_waits w
      -- By its key, and by nothing else: hence the offset.
      cross join lateral (select state from refunds where id = w.refund_id offset 0) r
      where w.coins_on = chain and w.next_try_at = 'infinity' and r.state = 'requires_signature')
    or exists (
      select from whose w
      where not exists (
        select from working_signers s
        where s.merchant_id = w.merchant_id and s.livemode = w.livemode and s.chain_id = chain offset 0))
$$;

-- Keeps a merchant's signer from being turned on or off, or added, until this commit is over. Both modes, and always in
-- this order, as whoever adds one does: a commit may hold refunds of both, and two would wait for each other. A
-- merchant has both rows as long as it is there (`create_merchant`).
create function hold_settings(merchant uuid) returns void language plpgsql as $$
begin
  perform from merchant_settings where merchant_id = merchant order by livemode for share;
end $$;

-- Whoever turns a signer on leaves what waits by then to be signed by hand, and sees nothing of what is only being
-- made: that is there before, or comes after and is the signer's. Nobody is shown it in between.
create function wait_for_settings() returns trigger language plpgsql as $$
begin
  perform hold_settings(new.merchant_id);
  return null;
end $$;
create trigger refunds_wait_for_settings_from_the_start after insert on refunds
for each row when (new.state = 'requires_signature') execute function wait_for_settings();
create trigger refunds_wait_for_settings after update of state on refunds
for each row when (new.state = 'requires_signature' and old.state <> 'requires_signature')
execute function wait_for_settings();

-- A signature is the last to hear that its signer is removed or off, or its refund left to be signed by hand: whoever
-- signs may have read the books long ago. So the commit itself looks, and whoever changes one of these waits for the
-- commits that have looked already, and comes after them.
create function check_signature() returns trigger language plpgsql as $$
declare
  signing refund_signers;
begin
  select * into signing from refund_signers where id = new.signer_id for share;
  -- In the sandbox nobody is shown what to sign.
  if signing.epoch is not null then
    return null;
  end if;
  -- The database may have been restored since the signature was made.
  if is_on_hold(signing) then
    raise exception 'the signer is on hold'
      using errcode = 'check_violation', constraint = 'signer_nonces_not_on_hold';
  end if;
  perform hold_settings(signing.merchant_id);
  -- The locks are there: what is read from here on stays so until this commit is over.
  if not exists (
      select from working_signers w join refunds r on r.livemode = w.livemode
      where w.id = new.signer_id and r.id = new.refund_id)
    or exists (select from signing_waits where refund_id = new.refund_id and next_try_at = 'infinity') then
    raise exception 'the refund is not the signer''s to sign'
      using errcode = 'check_violation', constraint = 'signer_nonces_are_signed_for';
  end if;
  return null;
end $$;

-- A number that is only used up is nobody's money.
create trigger signer_nonces_are_signed_for after insert on signer_nonces
for each row when (new.refund_id is not null) execute function check_signature();

-- Keeps why a refund waits. Answers whether that is news: an operator is told once.
create function wait_to_sign(refund uuid, signer uuid, why text) returns boolean language plpgsql as $$
declare
  before text;
  is_for_hand boolean := why in ('over_refund_limit', 'over_day_limit');
begin
  -- Whoever is about to sign it comes first or sees this.
  if is_for_hand and not exists (
    select from refunds where id = refund and state = 'requires_signature' for update) then
    return false;
  end if;
  select reason into before from signing_waits where refund_id = refund;
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, coins_on)
  select r.id, signer, why, case when is_for_hand then 'infinity' else next_look(0) end,
    case when r.token_address is null then r.chain_id end
  from refunds r where r.id = refund and r.state = 'requires_signature'
  on conflict (refund_id) do update set
    signer_id = excluded.signer_id, reason = why,
    tries = w.tries + 1,
    next_try_at = case when is_for_hand then 'infinity' else next_look(w.tries) end,
    since = case when w.reason = why then w.since else now() end
  -- Somebody else has left it to be signed by hand meanwhile.
  where w.next_try_at < 'infinity';
  return found and before is distinct from why;
end $$;

-- Leaves what waits to be signed by hand to that, once a signer could: the transaction has been shown, and may be out.
create function leave_to_hand(merchant uuid, chain bigint, mode boolean) returns void language sql as $$
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, coins_on)
  select r.id, s.id, 'by_hand', 'infinity', case when r.token_address is null then r.chain_id end
  from refund_signers s join refunds r on r.merchant_id = s.merchant_id and r.chain_id = s.chain_id
  where s.merchant_id = merchant and s.epoch is null and s.removed_at is null and r.state = 'requires_signature'
    and s.chain_id = coalesce(chain, s.chain_id) and r.livemode = coalesce(mode, r.livemode)
  order by r.id
  on conflict (refund_id) do update set reason = excluded.reason, next_try_at = excluded.next_try_at, since = now()
  where w.next_try_at < 'infinity'
$$;

create function leave_refunds_of_mode_to_hand() returns trigger language plpgsql as $$
begin
  perform leave_to_hand(new.merchant_id, null, new.livemode);
  return null;
end $$;

create trigger merchants_leave_refunds_to_hand after update of refund_mode on merchant_settings
for each row when (old.refund_mode <> 'signer' and new.refund_mode = 'signer')
execute function leave_refunds_of_mode_to_hand();

-- One that has failed and is to be signed again stays with whoever has signed it: what was shown to be signed by hand may
-- be out beside the transaction that was named for it, also where a signer is set up only later. In the sandbox nobody
-- was shown anything.
create function leave_again_to_hand() returns trigger language plpgsql as $$
begin
  if exists (
      select from signer_nonces n join signed_transactions t using (signer_id, nonce)
      where n.refund_id = new.id and t.tx_hash = old.tx_hash)
    or exists (
      select from refund_signers s
      where s.merchant_id = new.merchant_id and s.chain_id = new.chain_id and s.epoch is not null) then
    return null;
  end if;
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, coins_on)
  values (
    new.id,
    coalesce((
      select s.id from refund_signers s
      where s.merchant_id = new.merchant_id and s.chain_id = new.chain_id and s.removed_at is null),
      '00000000-0000-0000-0000-000000000000'),
    'by_hand', 'infinity', case when new.token_address is null then new.chain_id end)
  on conflict (refund_id) do update set reason = excluded.reason, next_try_at = excluded.next_try_at, since = now()
  where w.next_try_at < 'infinity';
  return null;
end $$;

create trigger refunds_again_to_hand after update on refunds
for each row when (old.state in ('failed', 'processing') and new.state = 'requires_signature')
execute function leave_again_to_hand();

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

-- Notes that a nonce is over, and erases the key of a removed signer with the last one. `mined`: which of its
-- transactions is mined. Not while its refund waits for another of them: it must be told first, of one that somebody
-- has just signed too.
create function close_nonce(signer uuid, number bigint, how text, mined text) returns void language plpgsql as $$
begin
  update signer_nonces n set state = how
  where n.signer_id = signer and n.nonce = number and n.state = 'open'
    and not exists (
      select from refunds r
      join signed_transactions t on t.signer_id = n.signer_id and t.nonce = n.nonce and t.tx_hash = r.tx_hash
      where r.id = n.refund_id and r.state = 'processing' and r.tx_hash is distinct from mined);
  if found then
    delete from unclear_nonces where signer_id = signer and nonce = number;
  end if;
  update refund_signers set sealed_key = null
  where id = signer and removed_at is not null and sealed_key is not null
    and not exists (select from signer_nonces where signer_id = signer and state = 'open');
end $$;

-- Adds a signer with its limits, or gives the one that has this key other limits. Answers `added`, `changed`,
-- `has_another` when the merchant has one on this chain, or `taken` when the key is somebody else's.
create function add_refund_signer(
  signer uuid, merchant uuid, chain bigint, at_address text, sealed text, begins bigint, limits json, actor text
) returns text language plpgsql as $$
declare
  known refund_signers;
  outcome text := 'added';
begin
  perform pg_advisory_xact_lock(hashtextextended('refund signers', 0));
  select * into known from refund_signers
  where merchant_id = merchant and chain_id = chain and epoch is null and removed_at is null;
  if known.address = at_address then
    signer := known.id;
    outcome := 'changed';
    delete from refund_signer_limits where signer_id = signer;
  elsif known.id is not null then
    return 'has_another';
  elsif exists (select from refund_signers where chain_id = chain and address = at_address and sealed_key is not null) then
    return 'taken';
  else
    insert into refund_signers (id, merchant_id, chain_id, address, sealed_key, first_nonce)
    values (signer, merchant, chain, at_address, sealed, begins);
  end if;
  insert into refund_signer_limits (signer_id, currency, per_refund_minor, per_day_minor)
  select signer, l.currency, l."perRefundMinor", l."perDayMinor"
  from json_to_recordset(limits) as l(currency text, "perRefundMinor" bigint, "perDayMinor" bigint);
  if outcome = 'added' then
    -- What is being made holds them, and comes first or sees this one.
    perform from merchant_settings where merchant_id = merchant order by livemode for no key update;
    perform leave_to_hand(merchant, chain, null);
  else
    -- Tried at once. What was too much stays with who has been shown it, also if it is allowed now.
    delete from signing_waits where signer_id = signer and next_try_at < 'infinity';
  end if;
  perform record_security_event(merchant, null, actor, null, 'refund_signer.' || outcome,
    json_build_object('chainId', chain, 'address', at_address, 'limits', limits));
  return outcome;
end $$;

-- Ends the hold of a signer and has its waiting refunds tried immediately. `begins`: the highest nonce that its chain
-- counts, from where it goes on. Refunds of earlier eras in native currency are left to be signed by hand: a transfer of
-- a token carries the id of its refund, so the chain shows which of those are paid, but not which of these. Answers how
-- many are left, or nothing when it was not on hold.
create function release_refund_signer(signer uuid, begins bigint, actor text) returns bigint language plpgsql as $$
declare
  released refund_signers;
  left_to_hand bigint;
begin
  update refund_signers s set era = current_era(), first_nonce = greatest(first_nonce, begins)
  where id = signer and removed_at is null and is_on_hold(s)
  returning * into released;
  if released.id is null then
    return null;
  end if;
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, coins_on)
  select r.id, signer, 'by_hand', 'infinity', r.chain_id
  from refunds r
  where r.merchant_id = released.merchant_id and r.chain_id = released.chain_id and r.state = 'requires_signature'
    and r.token_address is null
    and exists (select from transitions t where t.actor = r.id and t.rev = 1 and t.era < released.era)
  order by r.id
  on conflict (refund_id) do update set reason = excluded.reason, next_try_at = excluded.next_try_at, since = now()
  where w.next_try_at < 'infinity';
  get diagnostics left_to_hand = row_count;
  delete from signing_waits where signer_id = signer and next_try_at < 'infinity';
  perform record_security_event(released.merchant_id, null, actor, null, 'refund_signer.released',
    json_build_object('chainId', released.chain_id, 'address', released.address, 'firstNonce', released.first_nonce));
  return left_to_hand;
end $$;

-- From now on it signs nothing new. Answers its address and how much of what it has signed is open, or nothing.
create function remove_refund_signer(merchant uuid, chain bigint, actor text)
returns table (removed text, still_open bigint) language plpgsql as $$
declare
  gone refund_signers;
begin
  perform pg_advisory_xact_lock(hashtextextended('refund signers', 0));
  update refund_signers set removed_at = now()
  where merchant_id = merchant and chain_id = chain and epoch is null and removed_at is null
  returning * into gone;
  if gone.id is null then
    return;
  end if;
  select count(*) into still_open from signer_nonces where signer_id = gone.id and state = 'open';
  if still_open = 0 then
    update refund_signers set sealed_key = null where id = gone.id;
  end if;
  delete from signing_waits where signer_id = gone.id and next_try_at < 'infinity';
  perform record_security_event(merchant, null, actor, null, 'refund_signer.removed',
    json_build_object('chainId', chain, 'address', gone.address));
  removed := gone.address;
  return next;
end $$;
