-- Money in a chain's own coin. A transaction that carries it is read from its block and stands among the transfers
-- with log index -1. What a contract sends on is in no block's list and in no log: the balance of the address has
-- risen, nothing more. Such a transfer has log index -2, and for a transaction hash a name that is made of its
-- chain, address and block.

-- What addresses held at blocks of the books. Each was compared with the one before it and the transfers between:
-- where more was there than these explain, the rise is a transfer itself by now; where less was there, it has been
-- collected, and counting goes on from what is left.
create table coin_looks (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  mined_at timestamptz not null,
  balance numeric(78, 0) not null check (balance >= 0),
  -- A deposit address has code once it was collected from.
  has_code boolean not null default false,
  looked_at timestamptz not null default now(),
  primary key (chain_id, address, block_number)
);

-- Addresses that something was collected from, where neither logs nor balances show what had come: it came in the block
-- of the collection, or no node has the states any more. And addresses that a token of CHAINS_FILE logged transfers to,
-- where no node has the states any more and the address holds less now. A person must look.
create table unexplained_collections (
  chain_id bigint not null,
  address text not null,
  payment_id uuid not null,
  -- The first block that shows it. When that block is removed, so is the row, and the address is looked at again.
  block_number bigint not null,
  primary key (chain_id, address)
);
create index unexplained_collections_of_payment on unexplained_collections (payment_id);

-- Records the addresses of token transfers that are not credited because their balances cannot be compared any more.
-- Returns the payments for which this is new.
create function note_unproven_transfers(chain bigint, logs json) returns uuid[] language plpgsql as $$
declare
  concerned uuid[];
begin
  if logs::text = '[]' then
    return null;
  end if;
  with noted as (
    insert into unexplained_collections (chain_id, address, payment_id, block_number)
    select chain, d.address, d.payment_id, min(l.block_number)
    from json_to_recordset(logs) as l(to_address text, block_number bigint)
    join deposit_addresses d on d.address = l.to_address
    group by d.address, d.payment_id
    on conflict (chain_id, address) do update set block_number = excluded.block_number
    where excluded.block_number < unexplained_collections.block_number
    returning payment_id)
  select array_agg(payment_id) into concerned from noted;
  return concerned;
end $$;

-- Removes what blocks above this one left unexplained. Returns the payments for which it is removed.
create function forget_unexplained_collections(chain bigint, above bigint) returns uuid[] language plpgsql as $$
declare
  concerned uuid[];
begin
  with gone as (
    delete from unexplained_collections where chain_id = chain and block_number > above returning payment_id)
  select array_agg(payment_id) into concerned from gone;
  return concerned;
end $$;

-- Payments that wait for coins: while there is one, blocks are read in full and balances looked at.
create index payments_open_in_coins on payments (chain_id)
where token_address is null and chain_id is not null and state in ('pending', 'processing');

-- And those that did until a moment ago, whose customers may be a moment late.
create index payments_in_coins on payments (chain_id, updated_at) where token_address is null and chain_id is not null;

-- What the books explain of an address's balance: the coins it was sent after one block and up to another.
create function known_coins(chain bigint, to_whom text, after_number bigint, up_to bigint)
returns numeric language sql stable as $$
  select coalesce(sum(t.amount), 0)
  from deposit_addresses d
  cross join transfers_of(d.payment_id) t
  where d.address = to_whom and t.to_address = d.address and t.chain_id = chain and t.token_address is null and t.state <> 'orphaned'
    and t.block_number > after_number and t.block_number <= up_to
$$;

-- Writes down what addresses held (`points`), and the transfers that were found by it. A look counts only if the
-- books still say what it was compared with (the look before it, the sum between, the blocks it was taken at):
-- two who look at once would otherwise count a rise twice. Its blocks were final by then or are in the books: one that
-- others have become final in the place of is in neither. Answers how many looks did.
create function record_coin_looks(chain bigint, looks json, points json, transfers_found json)
returns integer language plpgsql as $$
declare
  head chain_cursors;
  at_step bigint;
  counted text[];
  concerned uuid[];
begin
  -- One after the other, and beside nobody who records or rewinds blocks.
  select * into head from chain_cursors where chain_id = chain for update;

  select array_agg(l.address) into counted
  from json_to_recordset(looks) as l(
    address text, from_number bigint, to_number bigint, final_number bigint, known numeric)
  where l.from_number is not distinct from (
      select max(block_number) from coin_looks c where c.chain_id = chain and c.address = l.address)
    and l.known = known_coins(chain, l.address, coalesce(l.from_number, 0), l.to_number)
    and not exists (
      select from json_to_recordset(points) as p(address text, number bigint, hash text)
      where p.address = l.address and p.number > l.final_number and not exists (
        select from chain_blocks b where b.chain_id = chain and b.number = p.number and b.hash = p.hash));

  insert into coin_looks (chain_id, address, block_number, mined_at, balance, has_code)
  select chain, address, number, mined_at, balance, has_code
  from json_to_recordset(points) as p(
    address text, number bigint, mined_at timestamptz, balance numeric, has_code boolean)
  where address = any(counted);

  -- What is final is where a rewind ends: below that nothing is compared again.
  delete from coin_looks c
  using (
    select address, max(block_number) as kept from coin_looks
    where chain_id = chain and address = any(counted) and block_number <= head.final_number group by address) as f
  where c.chain_id = chain and c.address = f.address and c.block_number < f.kept;

  with written as (
    insert into transfers (
      chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
      to_address, amount, state, agreed)
    -- Two nodes have agreed on what is found by a look.
    select chain, f.tx_hash, f.log_index, f.number, f.hash, f.mined_at, d.payment_id, null, f.from_address,
      f.address, f.amount, case when f.number <= head.final_number then 'final' else 'seen' end, true
    from json_to_recordset(transfers_found) as f(
      address text, tx_hash text, log_index integer, number bigint, hash text, mined_at timestamptz,
      from_address text, amount numeric)
    join deposit_addresses d on d.address = f.address
    where f.address = any(counted) and not exists (
      select from transfers t
      where t.chain_id = chain and t.tx_hash = f.tx_hash and t.log_index = f.log_index and t.state <> 'orphaned')
    -- Its block was dropped and has come back.
    on conflict (chain_id, block_hash, tx_hash, log_index) do update
    set state = excluded.state, amount = excluded.amount, mined_at = excluded.mined_at, agreed = true
    returning payment_id),
  unexplained as (
    insert into unexplained_collections (chain_id, address, payment_id, block_number)
    select chain, d.address, d.payment_id, l.unexplained_in
    from json_to_recordset(looks) as l(address text, unexplained_in bigint)
    join deposit_addresses d on d.address = l.address
    where l.unexplained_in is not null and l.address = any(counted)
    on conflict do nothing
    returning payment_id)
  select array_agg(payment_id) into concerned
  from (select payment_id from written union all select payment_id from unexplained) as changed;

  if concerned is not null then
    update chain_cursors set step = step + 1 where chain_id = chain returning step into at_step;
    perform touch_payments(chain, at_step, concerned);
  end if;
  return coalesce(cardinality(counted), 0);
end $$;
