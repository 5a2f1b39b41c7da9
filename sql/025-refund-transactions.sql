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

create function look_at_refund() returns trigger language plpgsql as $$
begin
  if new.state <> 'processing' then
    delete from refund_looks where refund_id = new.id;
    -- Nodes that lose receipts, or a reorganisation, may have had it given up: for a day it is looked for still.
    if new.state = 'requires_signature' or new.state = 'failed' and new.failure_reason = 'dropped' then
      insert into noticed_transfers (chain_id, tx_hash, refund_id) values (new.chain_id, old.tx_hash, new.id)
      on conflict (chain_id, tx_hash, refund_id) do update set from_address = null;
    end if;
    return null;
  end if;
  insert into refund_looks (refund_id, chain_id, tx_hash) values (new.id, new.chain_id, new.tx_hash)
  on conflict (refund_id) do update
  set tx_hash = excluded.tx_hash, block_number = null, looks = 0, next_look_at = now(),
    doubt = null, person_from = null, chain_lost = false;
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

-- An epoch is of the sandbox alone, and written down when its chain is another one, or an older state of itself: what
-- was found there may be nowhere now, or in a block that the new one reaches in days.
create function lose_refund_looks() returns trigger language plpgsql as $$
begin
  update refund_looks set chain_lost = true, block_number = null, looks = 0, next_look_at = now()
  -- In order: two commits that hold some of them would wait for each other.
  where refund_id in (select refund_id from refund_looks where chain_id = new.chain_id order by refund_id for update);
  return null;
end $$;
create trigger chain_cursors_lose_refund_looks after update of epoch on chain_cursors
for each row execute function lose_refund_looks();

-- Takes those of a chain that are due and may decide something, the least looked at first, and puts their next
-- look off. `final_to`: up to there the chain is final.
create function claim_refund_looks(chain bigint, final_to bigint, most integer) returns setof refund_looks
language sql as $$
  update refund_looks
  set looks = looks + 1, next_look_at = next_look(looks)
  -- Not joined: before there are statistics that goes through all that is looked at.
  where refund_id = any (array(
    select refund_id from refund_looks
    where chain_id = chain and next_look_at <= now() and (block_number is null or block_number <= final_to)
    order by looks, next_look_at limit most
    -- Another worker has them.
    for update skip locked))
  returning *
$$;

-- The one that a look is of, found by its key: the offset keeps the planner from joining it with all that are processing.
create function looked_at_refund(refund uuid) returns setof refunds language sql stable as $$
  select * from refunds where id = refund offset 0
$$;

-- Rises of balances that have paid refunds: coins that a contract has sent on, which are told by no log, and which no
-- other refund is paid with.
create table refund_rises (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  refund_id uuid not null,
  primary key (chain_id, address, block_number)
);
select define_commit_rows('refund_rises');

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

create function keep_refund_destination() returns trigger language plpgsql as $$
declare
  -- What a signer means to sign nobody else was shown (as in `refunds_by_hand`).
  may_come boolean := new.token_address is null and new.state <> 'requires_signature' and (
    exists (select from signing_waits w where w.refund_id = new.id and w.next_try_at = 'infinity')
    or not exists (
      select from working_signers s
      where s.merchant_id = new.merchant_id and s.chain_id = new.chain_id and s.livemode = new.livemode));
begin
  insert into refund_destinations (refund_id, chain_id, to_address, token_address, amount, until, coins_until)
  select new.id, new.chain_id, lower(new.destination), lower(new.token_address), new.amount,
    case when new.state in ('processed', 'failed', 'canceled') then now() + interval '30 days' end,
    case when may_come then now() + interval '1 hour' end
  on conflict (refund_id) do update
  set until = excluded.until, coins_until = greatest(refund_destinations.coins_until, excluded.coins_until);
  if new.state in ('processed', 'failed', 'canceled') then
    delete from refund_destinations where refund_id in (
      -- Two commits that forget the same ones would wait for each other.
      select refund_id from refund_destinations where until < now() limit 10 for update skip locked);
  end if;
  return null;
end $$;

create trigger refunds_destination_is_kept_from_the_start after insert on refunds
for each row when (new.destination is not null)
execute function keep_refund_destination();
-- Triggers run in the order of their names: this one before what forgets that it was left to be signed by hand.
create trigger refunds_destination_is_kept after update of state on refunds
for each row when (new.destination is not null and old.state is distinct from new.state)
execute function keep_refund_destination();

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

-- Somebody says of a transaction that it pays a refund which takes none: it is looked at, and counts if it moved the
-- money. As many as a person may try, not as many as a program can make up.
create function notice_told_transaction(chain bigint, hash text, refund uuid) returns void language sql as $$
  insert into noticed_transfers as n (chain_id, tx_hash, refund_id)
  select chain, hash, refund
  where (select count(*) from noticed_transfers where refund_id = refund and from_address is null) < 20
  on conflict (chain_id, tx_hash, refund_id) do update set from_address = null, looks = 0, next_look_at = now()
$$;

-- Writes down those of these that send a refund's amount of its asset to its destination.
create function notice_refund_transfers(chain bigint, logs json) returns void language plpgsql as $$
begin
  -- Nearly always, and then this is all that it costs.
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

-- Whether it is an address that a refund's merchant is paid at, or that of the payment's money went to.
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
    -- Another worker has them.
    for update skip locked)
  update noticed_transfers n
  set looks = n.looks + 1, next_look_at = next_look(n.looks)
  from due where n.chain_id = chain and n.tx_hash = due.tx_hash and n.refund_id = due.refund_id
  returning n.*
$$;
