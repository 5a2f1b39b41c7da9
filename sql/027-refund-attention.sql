-- Refunds that wait for something which does not come by itself, by their merchant.
create index refunds_open on refunds (merchant_id, state, chain_id)
where state in ('requires_destination', 'requires_signature', 'processing');

-- Which refunds a person must look at, and why; one may be there for several reasons. `stray_transfer` a person
-- dismisses. Everything else is derived, and ends when its cause does. `chains_on`: those that are switched on.
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
  -- Signed, and neither mined nor lost as far as anybody can show.
  select r.id, r.merchant_id, r.chain_id, 'number_unclear'
  from unclear_nonces join signer_nonces n using (signer_id, nonce) join refunds r on r.id = n.refund_id
  where r.state = 'processing'
  union all
  -- Tried again and again, for a day. What nobody is on to sign any more is shown to be signed by hand.
  select r.id, r.merchant_id, r.chain_id, w.reason
  from signing_waits w
  join refunds r on r.id = w.refund_id
  join refund_signers s on s.id = w.signer_id and s.removed_at is null
  where w.next_try_at < 'infinity' and w.begun_at <= now() - interval '1 day' and r.state = 'requires_signature'
    and (s.epoch is not null or exists (
      select from working_signers o where o.id = s.id and o.livemode = r.livemode))
  union all
  -- Signed a day ago, and offered more for as often as that is done.
  select r.id, r.merchant_id, r.chain_id, 'not_mined'
  from signer_nonces n join refunds r on r.id = n.refund_id
  where n.state = 'open' and n.created_at <= now() - interval '1 day' and r.state = 'processing'
    and not exists (select from unclear_nonces u where u.signer_id = n.signer_id and u.nonce = n.nonce)
  union all
  select id, merchant_id, chain_id, 'chain_off' from refunds
  where state in ('requires_destination', 'requires_signature', 'processing') and not chain_id = any(chains_on)
$$;

-- What was logged of them, so that each is told once, whichever process looks.
create table refund_warnings (
  refund_id uuid not null,
  why text not null,
  warned_at timestamptz not null default now(),
  primary key (refund_id, why)
);

-- Those that nobody was warned of yet, so many at most; what is over is told anew should it begin again. Of a transfer
-- and of an unclear number whoever has seen it warns, who knows more of it.
create function begin_refund_warnings(chains_on bigint[], most integer)
returns table (refund_id uuid, chain_id bigint, why text) language sql as $$
  with needing as materialized (
    select * from refunds_needing_attention(chains_on) n where n.why not in ('stray_transfer', 'number_unclear')),
  over as (
    delete from refund_warnings w
    where not exists (select from needing n where n.refund_id = w.refund_id and n.why = w.why)),
  begun as (
    insert into refund_warnings (refund_id, why)
    select n.refund_id, n.why from needing n
    where not exists (select from refund_warnings w where w.refund_id = n.refund_id and w.why = n.why)
    order by n.refund_id limit most
    -- Another process has just told of it.
    on conflict do nothing
    returning refund_warnings.refund_id, refund_warnings.why)
  select n.refund_id, n.chain_id, n.why from begun b join needing n on n.refund_id = b.refund_id and n.why = b.why
$$;
