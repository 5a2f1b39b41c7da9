-- The functions of 005-chain.sql.

select define_commit_rows('deposit_addresses');

-- With `offset` the planner looks them up by the payment, whatever else is asked of them. One without statistics would
-- take an index by chain, in which everything lies that was ever sent there.
create function transfers_of(payment uuid) returns setof transfers language sql stable as $$
  select * from transfers where payment_id = payment offset 0
$$;

create function sums_of(payment uuid) returns setof transfer_sums language sql stable as $$
  select * from transfer_sums where payment_id = payment offset 0
$$;

-- Adds the blocks of these transfers up again, those of their own chain only: two chains that have transfers to one
-- payment at the same height must not write each other's rows. With `offset` and `ctid` rows are looked up by their indexes, whatever
-- the planner knows of tables that were empty when it looked.
create function sum_transfers() returns trigger language plpgsql as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  delete from transfer_sums where ctid = any(array(
    select s.ctid
    from (select distinct payment_id, chain_id, block_number from changed) b
    cross join lateral (
      select ctid from transfer_sums
      where payment_id = b.payment_id and block_number = b.block_number and chain_id = b.chain_id offset 0) s));
  insert into transfer_sums (
    payment_id, chain_id, block_number, block_hash, mined_at, token_address, state, transfers, amount,
    tx_hash, log_index, from_address)
  select b.payment_id, b.chain_id, b.block_number, s.block_hash, s.mined_at, s.token_address, s.state, s.transfers, s.amount,
    s.tx_hash, s.log_index, s.from_address
  from (
    select distinct payment_id, chain_id, block_number from changed order by payment_id, chain_id, block_number) b
  cross join lateral (
    select t.block_hash, t.token_address, t.state, max(t.mined_at) as mined_at, count(*) as transfers,
      sum(t.amount) as amount, max(t.log_index) as log_index,
      (array_agg(t.tx_hash order by t.log_index desc, t.tx_hash desc))[1] as tx_hash,
      (array_agg(t.from_address order by t.log_index desc, t.tx_hash desc))[1] as from_address
    from (
      select * from transfers
      where payment_id = b.payment_id and block_number = b.block_number and chain_id = b.chain_id offset 0) t
    where t.state <> 'orphaned'
    group by t.block_hash, t.token_address, t.state) s;
  return null;
end $$;

-- By trigger: whatever writes a transfer or loses it, the sums are those of the transfers.
create trigger transfers_summed_when_written after insert on transfers
referencing new table as changed for each statement execute function sum_transfers();
create trigger transfers_summed_when_changed after update on transfers
referencing new table as changed for each statement execute function sum_transfers();

-- Once in a transaction, and all at once: see move_cursor.
create function touch_payments(chain bigint, at_step bigint, payments uuid[]) returns void language plpgsql as $$
begin
  if payments is null then
    return;
  end if;
  insert into unsettled_payments (payment_id, chain_id, step)
  select distinct id, chain, at_step from unnest(payments) as id order by id
  on conflict (payment_id) do update set chain_id = excluded.chain_id, step = excluded.step, told_rev = null;
end $$;

-- Moves a chain's cursor from the block it is believed to be at, or raises PM002: another process was
-- quicker, or a restored database knows less. Answers the new step.
create function move_cursor(
  chain bigint, from_number bigint, from_hash text, to_number bigint, to_hash text, to_time timestamptz, final bigint
) returns bigint language plpgsql as $$
declare
  new_step bigint;
begin
  update chain_cursors
  set number = to_number, hash = to_hash, mined_at = to_time, final_number = greatest(final_number, final), step = step + 1
  where chain_id = chain and number = from_number and hash = from_hash
  returning step into new_step;
  if not found then
    raise exception 'the cursor of chain % is not where it was', chain using errcode = 'PM002';
  end if;
  return new_step;
end $$;

-- Two nodes have got to a block: the payments that waited for it are told again. Answers how many.
create function deepen_payments(chain bigint, at_number bigint, at_hash text, to_number bigint)
returns integer language plpgsql as $$
declare
  head chain_cursors;
  at_step bigint;
  due uuid[];
begin
  select * into head from chain_cursors where chain_id = chain for update;
  at_step := move_cursor(chain, at_number, at_hash, at_number, at_hash, head.mined_at, 0);
  update chain_cursors set deep_number = greatest(deep_number, to_number) where chain_id = chain;
  with locked as materialized (
    select payment_id from deeper_payments where chain_id = chain and number <= to_number order by payment_id for update),
  gone as (
    delete from deeper_payments d using locked where d.payment_id = locked.payment_id returning d.payment_id)
  select array_agg(payment_id) into due from gone;
  perform touch_payments(chain, at_step, due);
  return coalesce(cardinality(due), 0);
end $$;

-- A transaction stands in one block of a chain: whoever tells it in these has it nowhere else. Answers whose they were.
create function orphan_elsewhere(chain bigint, logs json) returns uuid[] language plpgsql as $$
declare
  concerned uuid[];
begin
  with gone as (
    update transfers t set state = 'orphaned'
    from json_to_recordset(logs) as l(tx_hash text, log_index integer, block_hash text)
    where t.chain_id = chain and t.tx_hash = l.tx_hash and t.log_index = l.log_index
      and t.state = 'seen' and t.block_hash <> l.block_hash
    returning t.payment_id)
  select array_agg(payment_id) into concerned from gone;
  return concerned;
end $$;

-- Records that two nodes have told of these transfers in these blocks. A transfer that only one node ever told of is
-- forgotten when that node takes it back, and lengthens no window.
create function agree_on_transfers(chain bigint, logs json) returns void language plpgsql as $$
begin
  -- In turn with the statements that read on, rewind and finalize: they update the same rows in another order.
  perform from chain_cursors where chain_id = chain for update;
  update transfers t set agreed = true
  from json_to_recordset(logs) as l(
    tx_hash text, log_index integer, block_hash text, token_address text, to_address text, amount numeric)
  where t.chain_id = chain and t.block_hash = l.block_hash and t.tx_hash = l.tx_hash and t.log_index = l.log_index
    and (t.state, t.token_address, t.to_address, t.amount)
      is not distinct from ('seen'::text, l.token_address, l.to_address, l.amount);
end $$;

-- Whether a transfer of what the payment is to be paid in, of which two nodes had told, is in the chain no more.
create function has_lost_agreed(payment uuid, chain bigint, token text) returns boolean language sql stable as $$
  select exists (
    select from transfers lost
    where lost.payment_id = payment and lost.state = 'orphaned' and lost.agreed
      and lost.chain_id = chain and lost.token_address is not distinct from token
      and not exists (
        select from transfers t
        where t.state <> 'orphaned' and t.chain_id = chain and t.tx_hash = lost.tx_hash and t.log_index = lost.log_index))
$$;

-- Writes down those of these logs that went to an address of ours in one of these blocks. Answers whose they are.
-- `by_all`: there is no other node that could be asked.
create function write_transfers(
  chain bigint, numbers bigint[], hashes text[], times timestamptz[], logs json, as_state text, by_all boolean
) returns uuid[] language plpgsql as $$
declare
  concerned uuid[];
  orphaned uuid[];
begin
  for attempt in 1 .. 2 loop
    begin
      with written as (
        insert into transfers (
          chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
          to_address, amount, state, agreed)
        select chain, l.tx_hash, l.log_index, l.block_number, l.block_hash, b.mined_at, d.payment_id,
          l.token_address, l.from_address, l.to_address, l.amount, as_state, by_all
        from json_to_recordset(logs) as l(
          tx_hash text, log_index integer, block_number bigint, block_hash text,
          token_address text, from_address text, to_address text, amount numeric)
        join unnest(numbers, hashes, times) as b(number, hash, mined_at)
          on b.number = l.block_number and b.hash = l.block_hash
        join deposit_addresses d on d.address = l.to_address
        -- What is final in another block counts there. Only a sandbox that was begun anew has such transfers.
        where not exists (
          select from transfers f
          where f.chain_id = chain and f.tx_hash = l.tx_hash and f.log_index = l.log_index
            and f.state = 'final' and f.block_hash <> l.block_hash)
        -- The block was there before, and has come back, or something else was told of it: with what is told of it now.
        on conflict (chain_id, block_hash, tx_hash, log_index) do update
        set mined_at = excluded.mined_at, payment_id = excluded.payment_id, token_address = excluded.token_address,
          from_address = excluded.from_address, to_address = excluded.to_address, amount = excluded.amount,
          state = excluded.state, agreed = excluded.agreed
        where transfers.state = 'orphaned'
        returning payment_id)
      select array_agg(payment_id) into concerned from written;
      return orphaned || concerned;
    exception when unique_violation then
      -- A node has told it in another block before, be it too soon. Which of them is right shows when it is final.
      if attempt = 2 then
        raise;
      end if;
      orphaned := orphan_elsewhere(chain, logs);
    end;
  end loop;
end $$;

-- Writes down blocks that follow the cursor, the highest last, and those of their transfers that go to an address of
-- ours, and moves the cursor behind them: all of it or nothing. Answers how many transfers of ours there were.
-- It waits for the disk, although blocks can be read again: who reads them here and tells payments of them goes on
-- doing so when the server has lost them and is back.
create function record_blocks(
  chain bigint, from_number bigint, from_hash text, hashes text[], times timestamptz[], logs json, by_all boolean
) returns integer language plpgsql as $$
declare
  last integer := cardinality(hashes);
  numbers bigint[];
  at_step bigint;
  concerned uuid[];
begin
  at_step := move_cursor(chain, from_number, from_hash, from_number + last, hashes[last], times[last], 0);
  insert into chain_blocks (chain_id, number, hash, mined_at)
  select chain, from_number + n, hash, mined_at from unnest(hashes, times) with ordinality as b(hash, mined_at, n);
  -- Of most blocks nothing is told.
  if logs::text <> '[]' then
    numbers := array(select generate_series(from_number + 1, from_number + last));
    concerned := write_transfers(chain, numbers, hashes, times, logs, 'seen', by_all);
    perform notice_refund_transfers(chain, logs);
  end if;
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $$;

-- Goes back to a block that the chain still has. What was above it is orphaned, final transfers excepted:
-- those were read again by then, and who is told otherwise is told a lie.
create function rewind_blocks(chain bigint, from_number bigint, from_hash text, to_number bigint)
returns integer language plpgsql as $$
declare
  fork chain_blocks;
  at_step bigint;
  concerned uuid[];
begin
  select * into fork from chain_blocks where chain_id = chain and number = to_number;
  if not found then
    raise exception 'chain % has no block % to go back to', chain, to_number using errcode = 'PM003';
  end if;
  at_step := move_cursor(chain, from_number, from_hash, fork.number, fork.hash, fork.mined_at, 0);
  delete from chain_blocks where chain_id = chain and number > to_number;
  delete from coin_looks where chain_id = chain and block_number > to_number;
  with lost as (
    update transfers set state = 'orphaned'
    where chain_id = chain and block_number > to_number and state = 'seen'
    returning payment_id)
  select array_agg(payment_id) into concerned from lost;
  concerned := concerned || forget_unexplained_collections(chain, to_number);
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $$;

-- Those of these logs that went to an address of ours, in blocks of the books behind one and up to another.
create function transfers_told(chain bigint, behind bigint, up_to bigint, logs json)
returns table (
  tx_hash text, log_index integer, block_number bigint, block_hash text, mined_at timestamptz, payment_id uuid,
  token_address text, from_address text, to_address text, amount numeric
) language sql stable as $$
  select l.tx_hash, l.log_index, l.block_number, l.block_hash, b.mined_at, d.payment_id,
    l.token_address, l.from_address, l.to_address, l.amount
  from json_to_recordset(logs) as l(
    tx_hash text, log_index integer, block_number bigint, block_hash text,
    token_address text, from_address text, to_address text, amount numeric)
  join chain_blocks b on b.chain_id = chain and b.number = l.block_number and b.hash = l.block_hash
  join deposit_addresses d on d.address = l.to_address
  where l.block_number > behind and l.block_number <= up_to
$$;

-- Makes final what stands up to a block, as it was read again at a step: `logs` are all transfers of those blocks. One
-- that was not found again never was, and one that was passed over the first time is final at once: a node
-- that leaves some out says so in no way. So what is not found in a block is believed only of those that were asked
-- about by themselves; PM005 names the others. Blocks below are forgotten: nothing goes back behind them.
-- `unproven`: see note_unproven_transfers.
create function finalize_blocks(
  chain bigint, at_number bigint, at_hash text, read_at bigint, up_to bigint, logs json, asked_again text[],
  unproven json
) returns integer language plpgsql as $$
declare
  head chain_cursors;
  at_step bigint;
  all_told integer;
  found uuid[];
  lost uuid[];
  lost_in text[];
  added uuid[];
  concerned uuid[];
begin
  select * into head from chain_cursors where chain_id = chain for update;
  -- What a look at balances has written down meanwhile was not read again, and is not gone for that.
  if head.step <> read_at then
    raise exception 'the books of chain % are not what they were', chain using errcode = 'PM002';
  end if;
  at_step := move_cursor(chain, at_number, at_hash, at_number, at_hash, head.mined_at, up_to);

  -- Each by its key, and then what is left: as one statement, which looks for each among all the others, 5,000 took
  -- six seconds and 20,000 two minutes.
  with told as materialized (
    select * from transfers_told(chain, head.final_number, up_to, logs)),
  there as (
    update transfers t set state = 'final', mined_at = told.mined_at
    from told
    where t.chain_id = chain and t.block_hash = told.block_hash and t.tx_hash = told.tx_hash
      and t.log_index = told.log_index
      -- Spelled so that no other index than that of the key is taken for these.
      and (t.state, t.token_address, t.payment_id, t.amount)
        is not distinct from ('seen'::text, told.token_address, told.payment_id, told.amount)
    returning t.payment_id)
  select (select array_agg(payment_id) from there), (select count(*) from told) into found, all_told;

  with gone as (
    update transfers set state = 'orphaned'
    where chain_id = chain and state = 'seen' and block_number <= up_to
    returning payment_id, token_address, to_address, block_number, block_hash),
  -- Looks that were compared with transfers that do not exist are taken again: of native currency, and of an address
  -- that was collected from, where the transfer explained what had been collected.
  doubted as (
    delete from coin_looks c using gone
    where (gone.token_address is null or c.has_code)
      and c.chain_id = chain and c.address = gone.to_address and c.block_number >= gone.block_number)
  select array_agg(payment_id),
    array_agg(distinct block_hash) filter (where token_address is not null and block_hash <> all (asked_again))
  into lost, lost_in from gone;
  if lost_in is not null then
    raise exception 'transfers of chain % are not found again', chain
      using errcode = 'PM005', detail = array_to_json(lost_in)::text;
  end if;

  -- As a rule all of them were there.
  if all_told > coalesce(cardinality(found), 0) then
    select write_transfers(chain, array_agg(number), array_agg(hash), array_agg(mined_at), logs, 'final', true) into added
    from chain_blocks where chain_id = chain and number > head.final_number and number <= up_to;
  end if;

  concerned := found || lost || added || note_unproven_transfers(chain, unproven);
  delete from chain_blocks where chain_id = chain and number < up_to;
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $$;

-- Writes down final blocks that follow the cursor, of which only those with transfers of ours are told, and the
-- last one: the books have no others above their final block, so none is missing there, and no transfer that could be
-- found not to be. `logs` are all transfers to us of all the blocks, as they were read to be final. Answers how many
-- there were. `unproven`: see note_unproven_transfers.
create function catch_up(
  chain bigint, from_number bigint, from_hash text, numbers bigint[], hashes text[], times timestamptz[], logs json,
  unproven json
) returns integer language plpgsql as $$
declare
  last integer := cardinality(numbers);
  at_step bigint;
  concerned uuid[];
begin
  perform from chain_cursors where chain_id = chain and final_number = from_number for update;
  if not found then
    raise exception 'chain % has blocks that are not final', chain using errcode = 'PM002';
  end if;
  at_step := move_cursor(chain, from_number, from_hash, numbers[last], hashes[last], times[last], numbers[last]);
  delete from chain_blocks where chain_id = chain;
  insert into chain_blocks (chain_id, number, hash, mined_at) values (chain, numbers[last], hashes[last], times[last]);
  if logs::text <> '[]' then
    concerned := write_transfers(chain, numbers, hashes, times, logs, 'final', true);
    perform notice_refund_transfers(chain, logs);
  end if;
  concerned := concerned || note_unproven_transfers(chain, unproven);
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $$;

-- Begins a chain's books anew at a block: of the sandbox, where a chain may come back as another one, and of any chain
-- that began in blocks which are not there. What was not final on the old one never was, what was final stays. Steps go
-- on rising: payments refuse older ones.
create function begin_books_anew(chain bigint, from_number bigint, from_hash text, block json, of_epoch text)
returns integer language plpgsql as $$
declare
  first record;
  at_step bigint;
  concerned uuid[];
begin
  select * into first from json_to_record(block) as b(number bigint, hash text, mined_at timestamptz);
  update chain_cursors
  set number = first.number, hash = first.hash, mined_at = first.mined_at, final_number = first.number,
    begun_number = first.number, deep_number = first.number, step = step + 1, epoch = of_epoch, stopped_at = null,
    lost_before = now()
  where chain_id = chain and number = from_number and hash = from_hash
  returning step into at_step;
  if not found then
    raise exception 'the cursor of chain % is not where it was', chain using errcode = 'PM002';
  end if;
  delete from chain_blocks where chain_id = chain;
  delete from coin_looks where chain_id = chain;
  insert into chain_blocks (chain_id, number, hash, mined_at) values (chain, first.number, first.hash, first.mined_at);

  with lost as (
    update transfers set state = 'orphaned' where chain_id = chain and state = 'seen' returning payment_id),
  -- The blocks that they waited for come never, or say nothing.
  waiting as (
    delete from deeper_payments where chain_id = chain returning payment_id)
  select array_agg(payment_id) into concerned
  from (select payment_id from lost union all select payment_id from waiting) as changed;
  -- Every address is looked at again, on the chain that is there now.
  concerned := concerned || forget_unexplained_collections(chain, -1);
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $$;

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

-- Keeps a hash, of so many different ones for a payment: `kept`, `known`, or `too_many`.
create function submit_transaction(payment uuid, chain bigint, hash text, most integer) returns text
language plpgsql as $$
declare
  made integer;
begin
  -- Two at once would both find room for one.
  perform pg_advisory_xact_lock(hashtextextended('submissions ' || payment, 0));
  insert into submissions (payment_id, chain_id, tx_hash)
  select payment, chain, hash where (select count(*) from submissions where payment_id = payment) < most
  on conflict do nothing;
  get diagnostics made = row_count;
  return case
    when made = 1 then 'kept'
    when exists (select from submissions where payment_id = payment and tx_hash = hash) then 'known'
    else 'too_many'
  end;
end $$;

-- When to look again for what was looked for in vain so often: in a second, in two, and so on up to five minutes.
create function next_look(looks integer) returns timestamptz language sql stable as $$
  select now() + least(power(2, least(looks, 9)), 300) * interval '1 second'
$$;

-- Takes those of a chain that are due and may decide something, the least looked at first, and puts their next
-- look off. `final_to`: up to there the chain is final.
create function claim_submissions(chain bigint, final_to bigint, most integer) returns setof submissions
language plpgsql as $$
begin
  -- Nearly always, and then this is all that it costs.
  if not exists (select from submissions where chain_id = chain and next_look_at <= now()) then
    return;
  end if;

  delete from submissions s using payments p
  where s.chain_id = chain and s.next_look_at <= now()
    and p.id = s.payment_id and p.state not in ('pending', 'processing');

  -- Money that is seen decides by itself, and may yet be reorganised away.
  update submissions s
  set chain_id = coalesce(p.chain_id, s.chain_id), looks = 0, block_number = null,
    next_look_at = now() + case when p.chain_id <> s.chain_id then interval '0' else interval '10 seconds' end
  from payments p
  where s.chain_id = chain and s.next_look_at <= now() and p.id = s.payment_id
    and (p.state <> 'pending' or p.amount_received > 0 or p.chain_id is distinct from s.chain_id);

  return query
    with due as (
      select s.payment_id, s.tx_hash from submissions s
      where s.chain_id = chain and s.next_look_at <= now() and (s.block_number is null or s.block_number <= final_to)
        -- What the books have of it is told first.
        and not exists (
          select from unsettled_payments u join payments p on p.id = u.payment_id
          where u.payment_id = s.payment_id and u.told_rev is distinct from p.rev)
      order by s.looks, s.next_look_at limit most
      -- Another worker has them.
      for update skip locked)
    update submissions s
    set looks = s.looks + 1, next_look_at = next_look(s.looks)
    from due where s.payment_id = due.payment_id and s.tx_hash = due.tx_hash
    returning s.*;
end $$;

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

-- Whether it is still acted. Rows are touched every second (src/sandbox/simulate/turn.ts): one that was not touched for
-- four is over, and after fifteen where the session is still there that touched it last, as that of a process which is
-- slow. A session may also end because its connection was lost: the next touch is by another one.
create function is_acted(s simulations) returns boolean language sql as $$
  select s.touched_at > clock_timestamp() - interval '4 seconds'
    or s.touched_at > clock_timestamp() - interval '15 seconds' and exists (
      select from pg_stat_get_activity(s.backend) a where a.backend_start = s.backend_start)
$$;

-- Takes a payment for a scenario. Answers who has it now.
create function begin_simulation(payment uuid, whose uuid, reorganization boolean, key text)
returns setof simulations language plpgsql as $$
begin
  -- Turns go by number: without this one could be drawn first and be seen last.
  perform pg_advisory_xact_lock(hashtextextended('simulations', 0));
  delete from simulations s where not is_acted(s);
  insert into simulations (payment_id, holder, reorganizes, idempotency_key, touched_at, backend, backend_start)
  select payment, whose, reorganization, key, clock_timestamp(), a.pid, a.backend_start
  from pg_stat_get_activity(pg_backend_pid()) a
  on conflict do nothing;
  return query select * from simulations s where s.payment_id = payment;
end $$;

-- Touches a row and answers whether it is its turn; nothing when it has been lost. A reorganisation waits for
-- all that came before it, and all that come after wait for it.
create function await_simulation(payment uuid, whose uuid) returns boolean language sql as $$
  with mine as (
    update simulations
    set touched_at = clock_timestamp(), backend = a.pid, backend_start = a.backend_start
    from pg_stat_get_activity(pg_backend_pid()) a
    where payment_id = payment and holder = whose returning seq, reorganizes)
  select not exists (
    select from simulations s
    where s.seq < mine.seq and (s.reorganizes or mine.reorganizes) and is_acted(s))
  from mine
$$;
