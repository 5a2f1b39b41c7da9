-- Money that waits where customers sent it: every address a final transfer went to, until it was found
-- empty in a block that is final as well. So who asks for balances asks about these and no others,
-- however many addresses a merchant has emptied.
create table waiting_addresses (
  chain_id bigint not null,
  address text not null,
  merchant_id uuid not null,
  -- Of the last final transfer: that it was empty before that says nothing.
  last_block bigint not null,
  -- The first block since then in which it was found empty. A reorganisation may fill it again.
  empty_number bigint,
  empty_hash text,
  constraint waiting_addresses_pkey primary key (chain_id, address),
  constraint waiting_addresses_empty check (num_nulls(empty_number, empty_hash) in (0, 2))
);

-- All of a merchant's on one chain, by which they are asked for.
create index waiting_addresses_of_merchant on waiting_addresses (merchant_id, chain_id);

create function await_collection() returns trigger language plpgsql as $$
begin
  insert into waiting_addresses (chain_id, address, merchant_id, last_block)
  select f.chain_id, d.address, d.merchant_id, max(f.block_number)
  from changed f
  join deposit_addresses d on d.address = f.to_address
  where f.state = 'final'
  group by f.chain_id, d.address, d.merchant_id
  order by f.chain_id, d.address
  on conflict (chain_id, address) do update set last_block = excluded.last_block
  where waiting_addresses.last_block < excluded.last_block;
  return null;
end $$;

-- By trigger: whatever makes a transfer final, its money is not overlooked.
create trigger transfers_await_collection_when_written after insert on transfers
referencing new table as changed for each statement execute function await_collection();
create trigger transfers_await_collection_when_changed after update on transfers
referencing new table as changed for each statement execute function await_collection();

-- Remembers what of a merchant's addresses on one chain was found empty in a block, and what was not.
-- Rows that the chain's reader has locked are passed over: neither waits for the other.
create function remember_emptiness(chain bigint, at_number bigint, at_hash text, found json)
returns void language sql as $$
  update waiting_addresses w
  set empty_number = case when l.empty then at_number end, empty_hash = case when l.empty then at_hash end
  from (
    select w.address, f.empty
    from json_to_recordset(found) as f(address text, empty boolean)
    join waiting_addresses w on w.chain_id = chain and w.address = f.address
    -- The first emptiness stays: it is final before later ones are.
    where f.empty is distinct from coalesce(w.empty_number >= w.last_block, false)
      and (not f.empty or w.last_block <= at_number)
    for update of w skip locked) as l
  where w.chain_id = chain and w.address = l.address
$$;

-- Forgets what was empty in a block that the chain still has, now that it is final, and asks again about
-- what was empty in one that it has no more.
create function settle_emptiness(merchant uuid, chain bigint, at_number bigint, at_hash text, is_final boolean)
returns void language sql as $$
  with locked as materialized (
    select address from waiting_addresses
    where merchant_id = merchant and chain_id = chain and empty_number = at_number and empty_hash = at_hash
    for update skip locked),
  gone as (
    delete from waiting_addresses w using locked
    where is_final and w.chain_id = chain and w.address = locked.address and w.last_block <= at_number)
  update waiting_addresses w set empty_number = null, empty_hash = null
  from locked
  where not is_final and w.chain_id = chain and w.address = locked.address
$$;
