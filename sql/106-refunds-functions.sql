-- The functions of 006-refunds.sql.

select define_actor_table('refunds');
select define_commit_rows('refund_claims');
select define_commit_rows('refund_destination_proofs');
select define_commit_rows('refund_rises');
select define_commit_rows('refund_judgements');

-- What the transitions of a refund write besides its row: the actions that machines/refund.ts names (`writes` in
-- src/kinds/refund.ts), called in the commit. A later step of the same commit may have changed the row again, so the
-- state of the step is an argument.

-- Has the transaction looked up until its chain decides.
create function watch_refund_transaction(refund uuid, given json) returns void language sql as $$
  insert into refund_looks (refund_id, chain_id, tx_hash)
  select id, chain_id, given->>'txHash' from refunds where id = refund
  on conflict (refund_id) do update
  set tx_hash = excluded.tx_hash, block_number = null, looks = 0, next_look_at = now(),
    doubt = null, person_from = null, chain_lost = false
$$;

create function unwatch_refund_transaction(refund uuid, given json) returns void language sql as $$
  delete from refund_looks where refund_id = refund
$$;

-- It may have been given up because a node lost the receipt or because of a reorg, so it is looked up for another day.
create function notice_given_up_transaction(refund uuid, given json) returns void language sql as $$
  insert into noticed_transfers (chain_id, tx_hash, refund_id)
  select chain_id, given->>'txHash', id from refunds where id = refund
  on conflict (chain_id, tx_hash, refund_id) do update set from_address = null
$$;

create function watch_refund_destination(refund uuid, given json) returns void language plpgsql as $$
declare
  its refunds;
  is_over boolean := given->>'state' in ('processed', 'failed', 'canceled');
  may_come boolean;
begin
  select * into its from refunds where id = refund;
  -- Only the signer has what it is about to sign (as in `refunds_by_hand`).
  may_come := its.token_address is null and given->>'state' <> 'requires_signature' and (
    exists (select from signing_waits w where w.refund_id = refund and w.next_try_at = 'infinity')
    or not exists (
      select from working_signers s
      where s.merchant_id = its.merchant_id and s.chain_id = its.chain_id and s.livemode = its.livemode));
  insert into refund_destinations (refund_id, chain_id, to_address, token_address, amount, until, native_until)
  values (refund, its.chain_id, lower(its.destination), lower(its.token_address), its.amount,
    case when is_over then now() + interval '30 days' end, case when may_come then now() + interval '1 hour' end)
  on conflict (refund_id) do update
  set until = excluded.until, native_until = greatest(refund_destinations.native_until, excluded.native_until);
  if is_over then
    delete from refund_destinations where refund_id in (
      -- Two commits that delete the same rows would wait for each other.
      select refund_id from refund_destinations where until < now() limit 10 for update skip locked);
  end if;
end $$;

create function record_refund_beginning(refund uuid, given json) returns void language sql as $$
  insert into refund_beginnings (refund_id, final_number, head_number, epoch)
  select r.id, c.final_number, c.number, c.epoch
  from refunds r join chain_cursors c on c.chain_id = r.chain_id
  where r.id = refund
$$;

-- The epoch of the sandbox's chain is updated when the chain was replaced or restored to an older state. What was found
-- before may not exist now, or be in a block that the new chain reaches days later.
create function lose_refund_looks() returns trigger language plpgsql as $$
begin
  update refund_looks set chain_lost = true, block_number = null, looks = 0, next_look_at = now()
  -- In order, so that two transactions cannot deadlock.
  where refund_id in (select refund_id from refund_looks where chain_id = new.chain_id order by refund_id for update);
  return null;
end $$;

-- A trigger, so that restarting a chain's state does not need to know of refunds.
create trigger chain_cursors_lose_refund_looks after update of epoch on chain_cursors
for each row execute function lose_refund_looks();

-- Claims a chain's transactions that are due and can decide something, those with the fewest looks first, and postpones
-- their next look. `final_to`: up to there the chain is final.
create function claim_refund_looks(chain bigint, final_to bigint, most integer) returns setof refund_looks
language sql as $$
  update refund_looks
  set looks = looks + 1, next_look_at = next_look(looks)
  -- No join: without statistics the planner would read all rows.
  where refund_id = any (array(
    select refund_id from refund_looks
    where chain_id = chain and next_look_at <= now() and (block_number is null or block_number <= final_to)
    order by looks, next_look_at limit most
    -- Another worker has claimed it.
    for update skip locked))
  returning *
$$;

-- The refund by its key. The offset keeps the planner from joining all refunds in `processing`.
create function looked_at_refund(refund uuid) returns setof refunds language sql stable as $$
  select * from refunds where id = refund offset 0
$$;

-- Records that a client has named a transaction for a refund that cannot take one: it is looked up, and counts if it
-- moved the money. The number per refund is limited.
create function notice_reported_transaction(chain bigint, hash text, refund uuid) returns void language sql as $$
  insert into noticed_transfers as n (chain_id, tx_hash, refund_id)
  select chain, hash, refund
  where (select count(*) from noticed_transfers where refund_id = refund and from_address is null) < 20
  on conflict (chain_id, tx_hash, refund_id) do update set from_address = null, looks = 0, next_look_at = now()
$$;

-- Records the logs that send a refund's amount of its asset to its destination.
create function notice_refund_transfers(chain bigint, logs json) returns void language plpgsql as $$
begin
  -- Usually there is none, and then this query is all that is done.
  if not exists (select from refund_destinations where chain_id = chain) then
    return;
  end if;
  insert into noticed_transfers (chain_id, tx_hash, refund_id, from_address)
  select distinct on (l.tx_hash, d.refund_id) chain, l.tx_hash, d.refund_id, l.from_address
  from json_to_recordset(logs) as l(
    tx_hash text, token_address text, from_address text, to_address text, amount numeric)
  join refund_destinations d
    on d.chain_id = chain and d.to_address = l.to_address
    and d.token_address is not distinct from l.token_address and d.amount = l.amount
  where l.from_address is not null
  order by l.tx_hash, d.refund_id
  on conflict do nothing;
end $$;

-- Whether it is an address of the refund's merchant, or the treasury of the payment.
create function is_treasury_of(refund refunds, from_address text) returns boolean language sql stable as $$
  select exists (
      select from receiving_addresses a
      where a.merchant_id = refund.merchant_id and a.livemode = refund.livemode
        and coalesce(a.chain_id, refund.chain_id) = refund.chain_id and lower(a.address) = from_address)
    or exists (
      select from deposit_addresses d where d.payment_id = refund.payment_id and d.treasury = from_address)
$$;

create function claim_noticed_transfers(chain bigint, most integer) returns setof noticed_transfers
language sql as $$
  with due as (
    select tx_hash, refund_id from noticed_transfers
    where chain_id = chain and next_look_at <= now()
    order by looks, next_look_at limit most
    -- Another worker has claimed it.
    for update skip locked)
  update noticed_transfers n
  set looks = n.looks + 1, next_look_at = next_look(n.looks)
  from due where n.chain_id = chain and n.tx_hash = due.tx_hash and n.refund_id = due.refund_id
  returning n.*
$$;

-- The refunds that need a person's attention, and why; one may have several reasons. A person dismisses
-- `stray_transfer`. All others are derived and end with their cause. `chains_on`: the chains that are enabled.
create function refunds_needing_attention(chains_on bigint[])
returns table (refund_id uuid, merchant_id uuid, chain_id bigint, why text) language sql stable as $$
  select id, merchant_id, chain_id, 'stray_transfer' from refunds where attention
  union all
  select r.id, r.merchant_id, r.chain_id, 'claim_expired'
  from refunds r join refund_claims c on c.id = r.id
  where r.state = 'requires_destination' and c.expires_at <= now()
  union all
  select r.id, r.merchant_id, r.chain_id, l.doubt
  from refund_looks l join refunds r on r.id = l.refund_id
  where l.person_from <= now()
  union all
  -- Signed, and not known to be mined or dropped.
  select r.id, r.merchant_id, r.chain_id, 'nonce_unclear'
  from unclear_nonces join signer_nonces n using (signer_id, nonce) join refunds r on r.id = n.refund_id
  where r.state = 'processing'
  union all
  -- Retried for a day. A refund that no signer is to sign any more is shown to be signed by hand.
  select r.id, r.merchant_id, r.chain_id, w.reason
  from signing_waits w
  join refunds r on r.id = w.refund_id
  join refund_signers s on s.id = w.signer_id and s.removed_at is null
  where w.next_try_at < 'infinity' and w.begun_at <= now() - interval '1 day' and r.state = 'requires_signature'
    and (s.epoch is not null or exists (
      select from working_signers o where o.id = s.id and o.livemode = r.livemode))
  union all
  -- Signed a day ago. It continues to be broadcast.
  select r.id, r.merchant_id, r.chain_id, 'not_mined'
  from signer_nonces n join refunds r on r.id = n.refund_id
  where n.state = 'open' and n.created_at <= now() - interval '1 day' and r.state = 'processing'
    and not exists (select from unclear_nonces u where u.signer_id = n.signer_id and u.nonce = n.nonce)
  union all
  select id, merchant_id, chain_id, 'chain_off' from refunds
  where state in ('requires_destination', 'requires_signature', 'processing') and not chain_id = any(chains_on)
$$;

-- Returns up to `most` reasons that were not logged yet, and records them as logged. A reason that has ended is logged
-- again if it returns. Stray transfers and unclear nonces are logged where they are found, with more detail.
create function begin_refund_warnings(chains_on bigint[], most integer)
returns table (refund_id uuid, chain_id bigint, why text) language sql as $$
  with needing as materialized (
    select * from refunds_needing_attention(chains_on) n where n.why not in ('stray_transfer', 'nonce_unclear')),
  over as (
    delete from refund_warnings w
    where not exists (select from needing n where n.refund_id = w.refund_id and n.why = w.why)),
  begun as (
    insert into refund_warnings (refund_id, why)
    select n.refund_id, n.why from needing n
    where not exists (select from refund_warnings w where w.refund_id = n.refund_id and w.why = n.why)
    order by n.refund_id limit most
    -- Another process has just logged it.
    on conflict do nothing
    returning refund_warnings.refund_id, refund_warnings.why)
  select n.refund_id, n.chain_id, n.why from begun b join needing n on n.refund_id = b.refund_id and n.why = b.why
$$;

-- The beginning of a refund, where it proves something about a transaction: one that a signer of this server signed for
-- the refund is later, in any block.
create function beginning_before(refund refunds, sent_hash text) returns setof refund_beginnings language sql stable as $$
  select b.* from refund_beginnings b join chain_cursors c on c.epoch is not distinct from b.epoch
  where b.refund_id = refund.id and c.chain_id = refund.chain_id
    and not exists (
      select from signed_transactions t join signer_nonces n using (signer_id, nonce)
      where t.chain_id = refund.chain_id and t.tx_hash = sent_hash and n.refund_id = refund.id)
$$;
