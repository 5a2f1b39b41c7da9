-- The functions of 007-refund-signers.sql.

select define_commit_rows('signer_nonces');
select define_commit_rows('signed_transactions');

-- A signer is on hold in any era later than its own: the database may be a restored backup. What the key has signed
-- after that backup is unknown here, and may still be mined. Neither the same refunds nor the same nonces may be signed
-- before an operator releases the signer. The chain cannot prove that nothing is outstanding: a signed transaction that
-- no node knows stays valid until its nonce is used. In the sandbox no money can be lost.
create function is_on_hold(signer refund_signers) returns boolean language sql as $$
  select signer.epoch is null and signer.era < current_era()
$$;

-- The refunds of a chain that its signers should sign now: first new ones, the oldest first, then those that are due
-- for a retry, with the fewest tries first. Each signer's refunds are limited, and each wait finds its refund by key
-- (hence laterals and offset): many may have accumulated while a wallet was empty. In the sandbox every merchant has a
-- signer.
create function list_unsigned(chain bigint, sandbox boolean, touched_before timestamptz, most integer)
returns table (refund_id uuid) language sql stable
-- Plans are cached from when the table was empty. Every query here has an index.
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

-- Whether one of `refunds_by_hand` is in native currency. Blocks are read in full then
-- (src/chain/watch/native/transfers.ts), so this is called at every step of reading. It visits each merchant once,
-- however many of their refunds wait for a signer. Refunds that were left to be signed by hand are found by their waits.
create function is_native_signed_by_hand(chain bigint) returns boolean language sql stable
-- Plans are cached from when the table was empty. Every query here has an index.
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
      -- By its key alone: hence the offset.
      cross join lateral (select state from refunds where id = w.refund_id offset 0) r
      where w.native_chain_id = chain and w.next_try_at = 'infinity' and r.state = 'requires_signature')
    or exists (
      select from whose w
      where not exists (
        select from working_signers s
        where s.merchant_id = w.merchant_id and s.livemode = w.livemode and s.chain_id = chain offset 0))
$$;

-- Prevents a merchant's signer from being enabled, disabled or added until this transaction ends. Locks the settings of
-- both modes, always in this order, as adding a signer does: a commit may hold refunds of both, and otherwise the two
-- could deadlock. Every merchant has both rows (create_merchant()).
create function hold_settings(merchant uuid) returns void language plpgsql as $$
begin
  perform from merchant_settings where merchant_id = merchant order by livemode for share;
end $$;

-- Enabling a signer leaves the refunds that wait at that moment to be signed by hand. A refund that is being created is
-- not visible to it: because of this lock the refund is either committed before, or comes after and is the signer's. It
-- is not shown to be signed by hand in between.
create function wait_for_settings() returns trigger language plpgsql as $$
begin
  perform hold_settings(new.merchant_id);
  return null;
end $$;

-- The only trigger on refunds. The lock must be held whatever statement writes the row, and it must be taken before any
-- row of `signing_waits` is locked, as leave_to_hand() does.
create trigger refunds_wait_for_settings after insert or update of state on refunds
for each row when (new.state = 'requires_signature') execute function wait_for_settings();

-- Deletes the wait of a refund that has ended (an action of machines/refund.ts).
create function forget_signing_wait(refund uuid, given json) returns void language plpgsql as $$
begin
  if exists (select from signing_waits where refund_id = refund) then
    -- The settings first, as in leave_to_hand(), or the two could deadlock.
    perform hold_settings(merchant_id) from refunds where id = refund;
    delete from signing_waits where refund_id = refund;
  end if;
end $$;

-- The process that signs may have read its data long before the commit. So the commit checks again that the signer is
-- enabled and not removed, and that the refund was not left to be signed by hand. A change of any of these waits for
-- commits that have checked already.
create function check_signature() returns trigger language plpgsql as $$
declare
  signing refund_signers;
begin
  select * into signing from refund_signers where id = new.signer_id for share;
  -- In the sandbox nothing is signed by hand.
  if signing.epoch is not null then
    return null;
  end if;
  -- The database may have been restored since the signature was made.
  if is_on_hold(signing) then
    raise exception 'the signer is on hold'
      using errcode = 'check_violation', constraint = 'signer_nonces_not_on_hold';
  end if;
  perform hold_settings(signing.merchant_id);
  -- With the locks held, what is read from here on does not change until the commit ends.
  if not exists (
      select from working_signers w join refunds r on r.livemode = w.livemode
      where w.id = new.signer_id and r.id = new.refund_id)
    or exists (select from signing_waits where refund_id = new.refund_id and next_try_at = 'infinity') then
    raise exception 'the signer may not sign this refund'
      using errcode = 'check_violation', constraint = 'signer_nonces_are_signed_for';
  end if;
  return null;
end $$;

-- A trigger, because the check must run in the commit that inserts the nonce, after the row of its refund is locked. A
-- nonce that only fills a gap moves no money.
create trigger signer_nonces_are_signed_for after insert on signer_nonces
for each row when (new.refund_id is not null) execute function check_signature();

-- Records why a refund waits. Returns whether the reason is new, so that it is logged once.
create function wait_to_sign(refund uuid, signer uuid, why text) returns boolean language plpgsql as $$
declare
  before text;
  is_for_hand boolean := why in ('over_refund_limit', 'over_day_limit');
begin
  -- A commit that is signing it either comes first or is refused.
  if is_for_hand and not exists (
    select from refunds where id = refund and state = 'requires_signature' for update) then
    return false;
  end if;
  select reason into before from signing_waits where refund_id = refund;
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, native_chain_id)
  select r.id, signer, why, case when is_for_hand then 'infinity' else next_look(0) end,
    case when r.token_address is null then r.chain_id end
  from refunds r where r.id = refund and r.state = 'requires_signature'
  on conflict (refund_id) do update set
    signer_id = excluded.signer_id, reason = why,
    tries = w.tries + 1,
    next_try_at = case when is_for_hand then 'infinity' else next_look(w.tries) end,
    since = case when w.reason = why then w.since else now() end
  -- It was left to be signed by hand meanwhile.
  where w.next_try_at < 'infinity';
  return found and before is distinct from why;
end $$;

-- Leaves the waiting refunds to be signed by hand when a signer becomes available: their transactions were shown, and
-- may have been sent.
create function leave_to_hand(merchant uuid, chain bigint, mode boolean) returns void language sql as $$
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, native_chain_id)
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

-- A trigger, because it must run in the statement that enables the signer, whatever changes the settings, and while that
-- statement has the row locked.
create trigger merchants_leave_refunds_to_hand after update of refund_mode on merchant_settings
for each row when (old.refund_mode <> 'signer' and new.refund_mode = 'signer')
execute function leave_refunds_of_mode_to_hand();

-- A refund that is to be signed again stays with the one that signed it before. What was shown to be signed by hand may
-- have been sent besides the transaction that was named for it, also where a signer is set up only later. In the
-- sandbox nothing is signed by hand. An action of machines/refund.ts. A refund that is sent again in the same commit
-- does not wait.
create function leave_refund_to_hand(refund uuid, given json) returns void language sql as $$
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, native_chain_id)
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

-- Closes a nonce, and erases the key of a removed signer with its last open nonce. `mined`: the transaction that was
-- mined. Not while the refund waits for another of the nonce's transactions: the refund must be notified first, also of
-- one that was signed just now.
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

-- Closes the unclear nonces of a refund that has ended, so that it can be signed again. An action of
-- machines/refund.ts.
create function close_unclear_nonces(refund uuid, given json) returns void language sql as $$
  select close_nonce(n.signer_id, n.nonce, case when (given->>'isDropped')::boolean then 'dropped' else 'mined' end, null)
  from signer_nonces n join unclear_nonces u using (signer_id, nonce)
  where n.refund_id = refund and n.state = 'open'
$$;

-- Adds a signer with its limits, or changes the limits of the one that has this key. Returns `added`, `changed`,
-- `has_another` when the merchant has a signer on this chain, or `taken` when another merchant has the key.
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
    -- A refund that is being created holds these locks: it is committed before, or sees this signer.
    perform from merchant_settings where merchant_id = merchant order by livemode for no key update;
    perform leave_to_hand(merchant, chain, null);
  else
    -- Retries immediately. What exceeded a limit stays to be signed by hand, also if it is allowed now.
    delete from signing_waits where signer_id = signer and next_try_at < 'infinity';
  end if;
  perform record_security_event(merchant, null, actor, null, 'refund_signer.' || outcome,
    json_build_object('chainId', chain, 'address', at_address, 'limits', limits));
  return outcome;
end $$;

-- Ends the hold of a signer and has its waiting refunds tried immediately. `begins`: the highest nonce that its chain
-- counts, from which it continues. Refunds of earlier eras in native currency are left to be signed by hand: a token
-- transfer carries the id of its refund, so the chain shows which of those are paid, but not which of these. Returns
-- how many are left, or null when the signer was not on hold.
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
  insert into signing_waits as w (refund_id, signer_id, reason, next_try_at, native_chain_id)
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

-- Removes a signer: it signs nothing new. Returns its address and how many of its nonces are open, or no row.
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
