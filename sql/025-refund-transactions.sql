-- Transactions that refunds are said to be paid with, until the chain has said what they are: whoever reads the
-- refund's chain asks (src/chain/refunds/watch.ts).
create table refund_looks (
  refund_id uuid primary key,
  chain_id bigint not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  -- It was found in this block, which is not final: nobody looks again before it is.
  block_number bigint,
  -- In vain so far, since it was last found anywhere.
  looks integer not null default 0,
  next_look_at timestamptz not null default now()
);
create index refund_looks_due on refund_looks (chain_id, next_look_at);

create function look_at_refund() returns trigger language plpgsql as $$
begin
  if new.state <> 'processing' then
    delete from refund_looks where refund_id = new.id;
    return null;
  end if;
  insert into refund_looks (refund_id, chain_id, tx_hash) values (new.id, new.chain_id, new.tx_hash)
  on conflict (refund_id) do update
  set tx_hash = excluded.tx_hash, block_number = null, looks = 0, next_look_at = now();
  return null;
end $$;

-- By trigger: whoever names a refund's transaction, or replaces it, it is looked at.
create trigger refunds_are_looked_at_from_the_start after insert on refunds
for each row when (new.state = 'processing') execute function look_at_refund();
create trigger refunds_are_looked_at after update of state, tx_hash on refunds
for each row when (
  (old.state = 'processing' or new.state = 'processing')
  and (old.state, old.tx_hash) is distinct from (new.state, new.tx_hash))
execute function look_at_refund();

-- Takes those of a chain that are due and may decide something, the least looked at first, and puts their next
-- look off: a second, two, and so on up to five minutes. `final_to`: up to there the chain is final.
create function claim_refund_looks(chain bigint, final_to bigint, most integer) returns setof refund_looks
language plpgsql as $$
begin
  -- Nearly always, and then this is all that it costs.
  if not exists (select from refund_looks where chain_id = chain and next_look_at <= now()) then
    return;
  end if;
  return query
    with due as (
      select refund_id from refund_looks
      where chain_id = chain and next_look_at <= now() and (block_number is null or block_number <= final_to)
      order by looks, next_look_at limit most
      -- Another worker has them.
      for update skip locked)
    update refund_looks l
    set looks = l.looks + 1, next_look_at = now() + least(power(2, least(l.looks, 9)), 300) * interval '1 second'
    from due where l.refund_id = due.refund_id
    returning l.*;
end $$;
