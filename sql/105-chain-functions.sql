-- The functions of 005-chain.sql.

select define_commit_rows('deposit_addresses');

-- The next number of a merchant for a deposit address, and the sealed secret; no row until the merchant has one.
-- current_era() comes first: it notices that the database was restored, and then numbers are skipped before one is drawn.
create function draw_counter(merchant uuid) returns table (counter bigint, sealed text) language plpgsql as $$
begin
  perform current_era();
  return query
    update recovery_secrets s set next_counter = s.next_counter + 1, counted_at = now() where s.id = merchant
    returning s.next_counter - 1, s.sealed_secret;
end $$;

-- Skips the numbers that may have been drawn after the backup that this database is a copy of. Their addresses were
-- shown to customers: given out again, they would credit one payment with the money of another.
-- Recovery searches across 100,000 unused addresses, so a number of restores in a row may skip as many as here.
-- In a new era nothing says how many were drawn. The random part keeps two restores of one backup apart.
-- Any other restart may be that of a copy of the cluster's files, in which everything is as it was: it skips one number
-- for every five minutes since the last, which is 288 a day.
create function skip_counters() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update recovery_secrets set next_counter = next_counter + 20000 + floor(random() * 10000)::bigint, counted_at = now();
  else
    update recovery_secrets
    set next_counter = next_counter + least(20000, floor(extract(epoch from now() - counted_at) / 300))::bigint,
      counted_at = now()
    where counted_at < now() - interval '5 minutes';
  end if;
  return null;
end $$;

-- Triggers, because check_era() is of the core, which knows nothing of addresses, and because no number may be drawn
-- between the two. The first era is not that of a copy.
create trigger counters_skipped_in_new_era after insert on eras
for each row when (new.era > 1) execute function skip_counters();
create trigger counters_skipped_after_restart after update on eras
for each row when (new.postmaster_started <> old.postmaster_started) execute function skip_counters();

-- Because of `offset` the planner looks them up by payment, whatever other conditions a query has. A planner without
-- statistics would use an index by chain, which contains all transfers of the chain.
create function transfers_of(payment uuid) returns setof transfers language sql stable as $$
  select * from transfers where payment_id = payment offset 0
$$;

create function sums_of(payment uuid) returns setof transfer_sums language sql stable as $$
  select * from transfer_sums where payment_id = payment offset 0
$$;

-- Sums the blocks of these transfers again, on their own chain alone: two chains with transfers to one payment at the
-- same height must not write each other's rows. Because of `offset` and `ctid` rows are found by their indexes,
-- whatever the planner knows about tables that were empty when it cached its plan.
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

-- A trigger, because several functions write transfers, and in the same transaction the sums must be those of the
-- transfers.
create trigger transfers_summed_when_written after insert on transfers
referencing new table as changed for each statement execute function sum_transfers();
create trigger transfers_summed_when_changed after update on transfers
referencing new table as changed for each statement execute function sum_transfers();

-- Marks payments to be notified. Called once in a transaction, for all payments together: see move_cursor().
create function touch_payments(chain bigint, at_step bigint, payments uuid[]) returns void language plpgsql as $$
begin
  if payments is null then
    return;
  end if;
  -- Most are not marked. `on conflict` writes a record more to the log for each row.
  begin
    insert into unsettled_payments (payment_id, chain_id, step)
    select distinct id, chain, at_step from unnest(payments) as id order by id;
  exception when unique_violation then
    insert into unsettled_payments (payment_id, chain_id, step)
    select distinct id, chain, at_step from unnest(payments) as id order by id
    on conflict (payment_id) do update set chain_id = excluded.chain_id, step = excluded.step, reported_rev = null;
  end;
end $$;

-- Moves a chain's cursor from the block that it is expected at, and returns the new step. Raises PM002 when it is
-- elsewhere: another process was faster, or a restored database is behind.
create function move_cursor(
  chain bigint, from_number bigint, from_hash text, to_number bigint, to_hash text, to_time timestamptz, final bigint
) returns bigint language plpgsql as $$
declare
  new_step bigint;
begin
  update chain_cursors
  set number = to_number, hash = to_hash, mined_at = to_time, final_number = greatest(final_number, final), step = step + 1,
    moved_at = now()
  where chain_id = chain and number = from_number and hash = from_hash
  returning step into new_step;
  if not found then
    raise exception 'the cursor of chain % has moved', chain using errcode = 'PM002';
  end if;
  return new_step;
end $$;

-- Two nodes have reached a block: marks the payments that waited for it. Returns how many.
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

-- A transaction is in one block of a chain: transfers that a node reports in these blocks are orphaned in all others.
-- Returns their payments.
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

-- Records that two nodes have reported these transfers in these blocks. A transfer that only one node ever reported is
-- dropped when the node stops reporting it, and lengthens no window.
create function agree_on_transfers(chain bigint, logs json) returns void language plpgsql as $$
begin
  -- Serialized with the statements that read on, rewind and finalize, because they update the same rows in another
  -- order.
  perform from chain_cursors where chain_id = chain for update;
  update transfers t set agreed = true
  from json_to_recordset(logs) as l(
    tx_hash text, log_index integer, block_hash text, token_address text, to_address text, amount numeric)
  where t.chain_id = chain and t.block_hash = l.block_hash and t.tx_hash = l.tx_hash and t.log_index = l.log_index
    and (t.state, t.token_address, t.to_address, t.amount)
      is not distinct from ('seen'::text, l.token_address, l.to_address, l.amount);
end $$;

-- Whether a transfer of the payment's asset, which two nodes had reported, is not on the chain any more.
create function has_lost_agreed(payment uuid, chain bigint, token text) returns boolean language sql stable as $$
  select exists (
    select from transfers lost
    where lost.payment_id = payment and lost.state = 'orphaned' and lost.agreed
      and lost.chain_id = chain and lost.token_address is not distinct from token
      and not exists (
        select from transfers t
        where t.state <> 'orphaned' and t.chain_id = chain and t.tx_hash = lost.tx_hash and t.log_index = lost.log_index))
$$;

-- Records the logs that go to a deposit address, in these blocks. Returns their payments. `by_all`: there is no other
-- node that could be asked.
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
        -- A transfer that is final in another block counts there. Only a restarted sandbox has such transfers.
        where not exists (
          select from transfers f
          where f.chain_id = chain and f.tx_hash = l.tx_hash and f.log_index = l.log_index
            and f.state = 'final' and f.block_hash <> l.block_hash)
        -- The block has returned, or a node reports something else of it: the latest report is stored.
        on conflict (chain_id, block_hash, tx_hash, log_index) do update
        set mined_at = excluded.mined_at, payment_id = excluded.payment_id, token_address = excluded.token_address,
          from_address = excluded.from_address, to_address = excluded.to_address, amount = excluded.amount,
          state = excluded.state, agreed = excluded.agreed
        where transfers.state = 'orphaned'
        returning payment_id)
      select array_agg(payment_id) into concerned from written;
      return orphaned || concerned;
    exception when unique_violation then
      -- A node has reported it in another block before, too early. Which is right shows when it is final.
      if attempt = 2 then
        raise;
      end if;
      orphaned := orphan_elsewhere(chain, logs);
    end;
  end loop;
end $$;

-- Records blocks that follow the cursor, the highest last, and their transfers to deposit addresses, and moves the
-- cursor to the last block: all of it or nothing. Returns the number of transfers.
-- The commit is flushed to disk although blocks can be read again: the process that reads them and notifies payments
-- continues from what it has read, also when the server has lost the rows in a crash.
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
  -- Most blocks have no transfers to record.
  if logs::text <> '[]' then
    numbers := array(select generate_series(from_number + 1, from_number + last));
    concerned := write_transfers(chain, numbers, hashes, times, logs, 'seen', by_all);
    perform notice_refund_transfers(chain, logs);
  end if;
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $$;

-- Rewinds to a block that the chain still has. Transfers above it are orphaned, except final ones: those were read
-- twice, and a node that reports otherwise is wrong.
create function rewind_blocks(chain bigint, from_number bigint, from_hash text, to_number bigint)
returns integer language plpgsql as $$
declare
  fork chain_blocks;
  at_step bigint;
  concerned uuid[];
begin
  select * into fork from chain_blocks where chain_id = chain and number = to_number;
  if not found then
    raise exception 'chain % has no block % to rewind to', chain, to_number using errcode = 'PM003';
  end if;
  at_step := move_cursor(chain, from_number, from_hash, fork.number, fork.hash, fork.mined_at, 0);
  delete from chain_blocks where chain_id = chain and number > to_number;
  delete from native_balances where chain_id = chain and block_number > to_number;
  with lost as (
    update transfers set state = 'orphaned'
    where chain_id = chain and block_number > to_number and state = 'seen'
    returning payment_id)
  select array_agg(payment_id) into concerned from lost;
  concerned := concerned || forget_unexplained_collections(chain, to_number);
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $$;

-- The logs that go to a deposit address, in recorded blocks above one and up to another.
create function read_transfers(chain bigint, behind bigint, up_to bigint, logs json)
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

-- Finalizes the transfers up to a block, as they were read again at a step: `logs` are all transfers of those blocks. A
-- transfer that was not found again is orphaned; one that was missed the first time is final immediately. A node gives
-- no sign that it leaves transfers out, so a transfer counts as missing only in blocks that were queried individually;
-- error PM005 lists the blocks for which that is still to be done. Blocks below the final one are deleted: nothing
-- rewinds below it. `unproven`: see note_unproven_transfers().
create function finalize_blocks(
  chain bigint, at_number bigint, at_hash text, read_at bigint, up_to bigint, logs json, asked_again text[],
  unproven json
) returns integer language plpgsql as $$
declare
  head chain_cursors;
  at_step bigint;
  reported_count integer;
  found uuid[];
  lost uuid[];
  lost_in text[];
  added uuid[];
  concerned uuid[];
begin
  select * into head from chain_cursors where chain_id = chain for update;
  -- A transfer that a balance check has recorded meanwhile was not read again, and must not be orphaned for that.
  if head.step <> read_at then
    raise exception 'chain % has changed since it was read', chain using errcode = 'PM002';
  end if;
  at_step := move_cursor(chain, at_number, at_hash, at_number, at_hash, head.mined_at, up_to);

  -- Each transfer is updated by its key, and then the rest. One statement that compares all with all took six seconds
  -- for 5,000 transfers and two minutes for 20,000.
  with reported as materialized (
    select * from read_transfers(chain, head.final_number, up_to, logs)),
  there as (
    update transfers t set state = 'final', mined_at = reported.mined_at
    from reported
    where t.chain_id = chain and t.block_hash = reported.block_hash and t.tx_hash = reported.tx_hash
      and t.log_index = reported.log_index
      -- Written so that only the index of the key matches.
      and (t.state, t.token_address, t.payment_id, t.amount)
        is not distinct from ('seen'::text, reported.token_address, reported.payment_id, reported.amount)
    returning t.payment_id)
  select (select array_agg(payment_id) from there), (select count(*) from reported) into found, reported_count;

  with gone as (
    update transfers set state = 'orphaned'
    where chain_id = chain and state = 'seen' and block_number <= up_to
    returning payment_id, token_address, to_address, block_number, block_hash),
  -- Balances that were compared with transfers which do not exist are read again: of native currency, and of an address
  -- that was collected from, where the transfer explained the amount.
  doubted as (
    delete from native_balances c using gone
    where (gone.token_address is null or c.has_code)
      and c.chain_id = chain and c.address = gone.to_address and c.block_number >= gone.block_number)
  select array_agg(payment_id),
    array_agg(distinct block_hash) filter (where token_address is not null and block_hash <> all (asked_again))
  into lost, lost_in from gone;
  if lost_in is not null then
    raise exception 'transfers of chain % were not found again', chain
      using errcode = 'PM005', detail = array_to_json(lost_in)::text;
  end if;

  -- Usually all of them existed.
  if reported_count > coalesce(cardinality(found), 0) then
    select write_transfers(chain, array_agg(number), array_agg(hash), array_agg(mined_at), logs, 'final', true) into added
    from chain_blocks where chain_id = chain and number > head.final_number and number <= up_to;
  end if;

  concerned := found || lost || added || note_unproven_transfers(chain, unproven);
  delete from chain_blocks where chain_id = chain and number < up_to;
  perform touch_payments(chain, at_step, concerned);
  return coalesce(cardinality(concerned), 0);
end $$;

-- Records final blocks that follow the cursor: the blocks with transfers to deposit addresses and the last one. There
-- are no recorded blocks above the final one, so no block is missing and no transfer can be orphaned. `logs` are all
-- transfers of all the blocks, as they were read to be final. Returns the number of transfers. `unproven`: see
-- note_unproven_transfers().
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

-- Restarts the chain state at a block: of the sandbox, whose chain may be replaced, and of any chain whose first
-- recorded blocks do not exist. Transfers that were not final on the old chain are orphaned, final ones remain. Steps
-- continue to rise, because payments refuse older ones.
create function restart_chain_state(chain bigint, from_number bigint, from_hash text, block json, of_epoch text)
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
    lost_before = now(), moved_at = now()
  where chain_id = chain and number = from_number and hash = from_hash
  returning step into at_step;
  if not found then
    raise exception 'the cursor of chain % has moved', chain using errcode = 'PM002';
  end if;
  delete from chain_blocks where chain_id = chain;
  delete from native_balances where chain_id = chain;
  insert into chain_blocks (chain_id, number, hash, mined_at) values (chain, first.number, first.hash, first.mined_at);

  with lost as (
    update transfers set state = 'orphaned' where chain_id = chain and state = 'seen' returning payment_id),
  -- The blocks that they waited for will not arrive, or prove nothing.
  waiting as (
    delete from deeper_payments where chain_id = chain returning payment_id)
  select array_agg(payment_id) into concerned
  from (select payment_id from lost union all select payment_id from waiting) as changed;
  -- Every address is checked again on the current chain.
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

-- The part of an address's balance that recorded transfers explain: the native currency it was sent after one block and
-- up to another.
create function known_native_amount(chain bigint, to_whom text, after_number bigint, up_to bigint)
returns numeric language sql stable as $$
  select coalesce(sum(t.amount), 0)
  from deposit_addresses d
  cross join transfers_of(d.payment_id) t
  where d.address = to_whom and t.to_address = d.address and t.chain_id = chain and t.token_address is null and t.state <> 'orphaned'
    and t.block_number > after_number and t.block_number <= up_to
$$;

-- Records balances of addresses (`points`) and the transfers that they show. A check counts only if the recorded data
-- is still what it was compared with (the previous balance, the sum of transfers in between, the blocks it was read
-- at); otherwise two concurrent checks would count a rise twice. Its blocks are final or recorded; a block that a reorg
-- has replaced by a final one is neither. Returns how many checks counted.
create function record_native_balances(chain bigint, looks json, points json, transfers_found json)
returns integer language plpgsql as $$
declare
  head chain_cursors;
  at_step bigint;
  counted text[];
  concerned uuid[];
begin
  -- Serialized with other checks and with recording and rewinding blocks.
  select * into head from chain_cursors where chain_id = chain for update;

  select array_agg(l.address) into counted
  from json_to_recordset(looks) as l(
    address text, from_number bigint, to_number bigint, final_number bigint, known numeric)
  where l.from_number is not distinct from (
      select max(block_number) from native_balances c where c.chain_id = chain and c.address = l.address)
    and l.known = known_native_amount(chain, l.address, coalesce(l.from_number, 0), l.to_number)
    and not exists (
      select from json_to_recordset(points) as p(address text, number bigint, hash text)
      where p.address = l.address and p.number > l.final_number and not exists (
        select from chain_blocks b where b.chain_id = chain and b.number = p.number and b.hash = p.hash));

  insert into native_balances (chain_id, address, block_number, mined_at, balance, has_code)
  select chain, address, number, mined_at, balance, has_code
  from json_to_recordset(points) as p(
    address text, number bigint, mined_at timestamptz, balance numeric, has_code boolean)
  where address = any(counted);

  -- A rewind ends at the final block, so lower balances are not compared again.
  delete from native_balances c
  using (
    select address, max(block_number) as kept from native_balances
    where chain_id = chain and address = any(counted) and block_number <= head.final_number group by address) as f
  where c.chain_id = chain and c.address = f.address and c.block_number < f.kept;

  with written as (
    insert into transfers (
      chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, token_address, from_address,
      to_address, amount, state, agreed)
    -- Two nodes have agreed on the balances.
    select chain, f.tx_hash, f.log_index, f.number, f.hash, f.mined_at, d.payment_id, null, f.from_address,
      f.address, f.amount, case when f.number <= head.final_number then 'final' else 'seen' end, true
    from json_to_recordset(transfers_found) as f(
      address text, tx_hash text, log_index integer, number bigint, hash text, mined_at timestamptz,
      from_address text, amount numeric)
    join deposit_addresses d on d.address = f.address
    where f.address = any(counted) and not exists (
      select from transfers t
      where t.chain_id = chain and t.tx_hash = f.tx_hash and t.log_index = f.log_index and t.state <> 'orphaned')
    -- Its block was dropped and has returned.
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

-- Stores a submitted hash; a payment has at most `most` different ones. Returns `kept`, `known` or `too_many`.
create function submit_transaction(payment uuid, chain bigint, hash text, most integer) returns text
language plpgsql as $$
declare
  made integer;
begin
  -- Without the lock, two concurrent calls could exceed the limit.
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

-- When to look again after so many failed looks: after one second, two, and so on up to five minutes.
create function next_look(looks integer) returns timestamptz language sql stable as $$
  select now() + least(power(2, least(looks, 9)), 300) * interval '1 second'
$$;

-- Claims a chain's submitted transactions that are due and can decide something, those with the fewest looks first, and
-- postpones their next look. `final_to`: up to there the chain is final.
create function claim_submissions(chain bigint, final_to bigint, most integer) returns setof submissions
language plpgsql as $$
begin
  -- Usually none is due, and then this query is all that is done.
  if not exists (select from submissions where chain_id = chain and next_look_at <= now()) then
    return;
  end if;

  delete from submissions s using payments p
  where s.chain_id = chain and s.next_look_at <= now()
    and p.id = s.payment_id and p.state not in ('pending', 'processing');

  -- Money that is seen decides the payment, and a reorg may still revert it.
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
        -- Recorded transfers are notified first.
        and not exists (
          select from unsettled_payments u join payments p on p.id = u.payment_id
          where u.payment_id = s.payment_id and u.reported_rev is distinct from p.rev)
      order by s.looks, s.next_look_at limit most
      -- Another worker has claimed it.
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

-- A trigger, because several functions make transfers final, and each address with final money must be listed.
create trigger transfers_await_collection_when_written after insert on transfers
referencing new table as changed for each statement execute function await_collection();
create trigger transfers_await_collection_when_changed after update on transfers
referencing new table as changed for each statement execute function await_collection();

-- Records which of a merchant's addresses on one chain were found empty in a block and which were not. Rows that the
-- chain's reader has locked are skipped, so that neither waits for the other.
create function remember_emptiness(chain bigint, at_number bigint, at_hash text, found json)
returns void language sql as $$
  update waiting_addresses w
  set empty_number = case when l.empty then at_number end, empty_hash = case when l.empty then at_hash end
  from (
    select w.address, f.empty
    from json_to_recordset(found) as f(address text, empty boolean)
    join waiting_addresses w on w.chain_id = chain and w.address = f.address
    -- The first empty block is kept: it is final before later ones.
    where f.empty is distinct from coalesce(w.empty_number >= w.last_block, false)
      and (not f.empty or w.last_block <= at_number)
    for update of w skip locked) as l
  where w.chain_id = chain and w.address = l.address
$$;

-- Deletes the addresses that were empty in a block that is final now and still on the chain, and has those checked
-- again that were empty in a block that is gone.
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

-- Whether the scenario is running. Rows are updated every second (src/sandbox/simulate/turn.ts). A row that was not
-- updated for four seconds has ended; while the session that updated it last still exists, as that of a slow process
-- does, after fifteen. A session may also end because its connection was lost: the next update is made by another
-- session.
create function is_acted(s simulations) returns boolean language sql as $$
  select s.touched_at > clock_timestamp() - interval '4 seconds'
    or s.touched_at > clock_timestamp() - interval '15 seconds' and exists (
      select from pg_stat_get_activity(s.backend) a where a.backend_start = s.backend_start)
$$;

-- Reserves a payment for a scenario. Returns the row of the scenario that has it.
create function begin_simulation(payment uuid, whose uuid, reorganization boolean, key text)
returns setof simulations language plpgsql as $$
begin
  -- Scenarios run in the order of `seq`: without the lock a lower number could become visible later.
  perform pg_advisory_xact_lock(hashtextextended('simulations', 0));
  delete from simulations s where not is_acted(s);
  insert into simulations (payment_id, holder, reorganizes, idempotency_key, touched_at, backend, backend_start)
  select payment, whose, reorganization, key, clock_timestamp(), a.pid, a.backend_start
  from pg_stat_get_activity(pg_backend_pid()) a
  on conflict do nothing;
  return query select * from simulations s where s.payment_id = payment;
end $$;

-- Updates a row and returns whether the scenario may run; no row when it was lost. A scenario that reorganizes waits
-- for all earlier ones, and all later ones wait for it.
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
