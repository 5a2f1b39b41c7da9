-- The functions of 007-refund-signers.sql.

select define_commit_rows('signer_nonces');
select define_commit_rows('signed_transactions');

-- In a later era than its own a signer signs nothing: the database may be a restored backup. What the key has signed
-- after that backup is unknown here, and any miner may still have it, whatever the nodes say. Neither the same refunds
-- nor the same nonces may be signed again before an operator has released it. The chain cannot show that nothing is
-- outstanding: a signed transaction that no node knows stays valid until its nonce is used. Of the sandbox no money
-- is lost.
create function is_on_hold(signer refund_signers) returns boolean language sql as $$
  select signer.epoch is null and signer.era < current_era()
$$;

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

-- The only trigger on refunds: the lock must be held whatever writes the row, and before any row of `signing_waits` is
-- locked, as by what leaves the waiting refunds to be signed by hand.
create trigger refunds_wait_for_settings after insert or update of state on refunds
for each row when (new.state = 'requires_signature') execute function wait_for_settings();

-- What is over for good waits for nobody (an action of machines/refund.ts).
create function forget_signing_wait(refund uuid, given json) returns void language plpgsql as $$
begin
  if exists (select from signing_waits where refund_id = refund) then
    -- As whoever leaves what waits to hand: the settings first, or two would wait for each other.
    perform hold_settings(merchant_id) from refunds where id = refund;
    delete from signing_waits where refund_id = refund;
  end if;
end $$;

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
-- was shown anything. An action of machines/refund.ts; one that is sent again in the same commit does not wait.
create function leave_refund_to_hand(refund uuid, given json) returns void language sql as $$
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, coins_on)
  select r.id,
    coalesce((
      select s.id from refund_signers s
      where s.merchant_id = r.merchant_id and s.chain_id = r.chain_id and s.removed_at is null),
      '00000000-0000-0000-0000-000000000000'),
    'by_hand', 'infinity', case when r.token_address is null then r.chain_id end
  from refunds r
  where r.id = refund and r.state = 'requires_signature'
    and not exists (
      select from signer_nonces n join signed_transactions t using (signer_id, nonce)
      where n.refund_id = r.id and t.tx_hash = given->>'txHash')
    and not exists (
      select from refund_signers s
      where s.merchant_id = r.merchant_id and s.chain_id = r.chain_id and s.epoch is not null)
  on conflict (refund_id) do update set reason = excluded.reason, next_try_at = excluded.next_try_at, since = now()
  where w.next_try_at < 'infinity'
$$;

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

-- Numbers that the chain has used, nobody could show by what, are over with their refund: it may be signed again. An
-- action of machines/refund.ts.
create function close_unclear_nonces(refund uuid, given json) returns void language sql as $$
  select close_nonce(n.signer_id, n.nonce, case when (given->>'isDropped')::boolean then 'dropped' else 'mined' end, null)
  from signer_nonces n join unclear_nonces u using (signer_id, nonce)
  where n.refund_id = refund and n.state = 'open'
$$;

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
