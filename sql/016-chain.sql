-- What the chains have shown: how far each has been read, and every transfer to an address that was
-- ever given out. Payments are told of it by commands of their own (src/chain/watch/settle.ts), so a
-- crash between the two is a delay and nothing else.

-- How far a chain has been read, and by which block. `step` rises with every change of a chain's books:
-- sums are read at a step, and a payment refuses those of an older one.
create table chain_cursors (
  chain_id bigint primary key,
  number bigint not null check (number >= 0),
  hash text not null check (hash ~ '^0x[0-9a-f]*$' and length(hash) = 66),
  -- The block's own time. The windows of payments that the chain is to pay are over when it has been read past their end.
  mined_at timestamptz not null,
  -- Where and when reading began. Until a transfer has become final, a chain that has other blocks is read anew.
  begun_number bigint not null default 0,
  begun_at timestamptz not null default now(),
  -- Up to here transfers are final, and have been read again as such.
  final_number bigint not null check (final_number <= number),
  step bigint not null,
  -- How many blocks a payment waits for here as a rule, as the house is set up. A payment that requires more has a
  -- merchant who asked for more, and waits for both: for the chain's finality, and to be so deep. One that does
  -- not waits for finality alone; where the chain says itself what is final, its number is a guess for people.
  confirmations integer,
  -- Up to here two nodes have got, as far as a payment waited for it: the one that is read may make blocks up.
  deep_number bigint not null default 0,
  -- Whether its money is worth anything: what is not is nothing to a live payment. Null until it was read on once.
  livemode boolean,
  -- Which of the sandbox's chains the books are of: a development node may come back with another one.
  epoch text,
  -- When the books were begun anew, of the sandbox alone: what was mined before is of a chain that is lost.
  lost_before timestamptz,
  -- Since when the chain has other blocks than those that were final: none of it is read, and nobody is offered to
  -- pay there. Null where it has the block at the cursor.
  stopped_at timestamptz
);

-- The blocks above the final one, by which a fork is found. Lower ones cannot change any more.
create table chain_blocks (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  mined_at timestamptz not null,
  primary key (chain_id, number)
);

-- What the addresses of a merchant's payments are made of, beside the treasury; the merchant downloads it
-- once and finds every address again without this database.
create table recovery_secrets (
  -- The merchant's.
  id uuid primary key references merchants,
  sealed_secret text not null,
  -- Numbers that were drawn and not used are no harm: recovery looks beyond them.
  next_counter bigint not null default 0
);

-- Every address that was ever given out, on all chains: money may come late, and on another chain. One
-- that was keeps the treasury it was made with.
create table deposit_addresses (
  address text primary key check (address ~ '^0x[0-9a-f]*$' and length(address) = 42),
  payment_id uuid not null,
  merchant_id uuid not null,
  treasury text not null check (treasury ~ '^0x[0-9a-f]*$' and length(treasury) = 42),
  counter bigint not null,
  constraint deposit_addresses_once unique (merchant_id, counter),
  -- A payment that changes its asset is asked for at the same address, wherever that leads to the same treasury.
  constraint deposit_addresses_of_payment unique (payment_id, treasury)
);
select define_commit_rows('deposit_addresses');

create table transfers (
  chain_id bigint not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  log_index integer not null,
  block_number bigint not null,
  block_hash text not null,
  mined_at timestamptz not null,
  payment_id uuid not null,
  -- Null: the chain's own coin.
  token_address text,
  from_address text,
  to_address text not null,
  amount numeric(78, 0) not null check (amount > 0),
  -- `orphaned`: its block is no part of the chain any more. It may come back, or in another block.
  state text not null check (state in ('seen', 'final', 'orphaned')),
  -- Two nodes have told of it while it was seen, or the only node: see agree_on_transfers.
  agreed boolean not null default false,
  primary key (chain_id, block_hash, tx_hash, log_index)
);

-- Whatever the chain does, a transfer counts once.
create unique index transfers_counted_once on transfers (chain_id, tx_hash, log_index) where state <> 'orphaned';
create index transfers_of_payment on transfers (payment_id, block_number);
-- Whoever asks by the block asks about what may still be lost.
create index transfers_seen on transfers (chain_id, block_number) where state = 'seen';
-- Until a second node has told of them. Most transfers are in here for a second.
create index transfers_to_agree_on on transfers (chain_id, block_number) where state = 'seen' and not agreed;

-- Of a payment to which one of them was lost.
create index transfers_lost on transfers (payment_id) where state = 'orphaned' and agreed;

-- With `offset` the planner looks them up by the payment, whatever else is asked of them. One without statistics would
-- take an index by chain, in which everything lies that was ever sent there.
create function transfers_of(payment uuid) returns setof transfers language sql stable as $$
  select * from transfers where payment_id = payment offset 0
$$;

-- What the transfers of one block add up to, by payment and asset. Payments are judged by these sums: anyone can send
-- 100,000 transfers to an address, and it took 2.5 s and 51 MB to read all of them whenever another one arrived.
create table transfer_sums (
  payment_id uuid not null,
  chain_id bigint not null,
  block_number bigint not null,
  block_hash text not null,
  mined_at timestamptz not null,
  token_address text,
  state text not null check (state in ('seen', 'final')),
  transfers integer not null check (transfers > 0),
  amount numeric not null check (amount > 0),
  -- Of the last of these transfers.
  tx_hash text not null,
  log_index integer not null,
  from_address text,
  constraint transfer_sums_once unique nulls not distinct
    (payment_id, block_number, chain_id, block_hash, token_address, state)
);

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

-- Payments whose transfers have changed since they were told. A row stays until the payment knows.
create table unsettled_payments (
  payment_id uuid primary key,
  chain_id bigint not null,
  step bigint not null,
  -- Null: it is to be told. Else all is told, as the payment was at this rev, but money that came after its window or
  -- its price, of which a pending one is told at its end. One that has changed since is told once more.
  told_rev integer
);

-- Payments whose money is final and not yet as deep as their merchant asked for. They are told again when their
-- chain has got to the block, as two nodes say: until then, however many wait, nobody looks at them.
create table deeper_payments (
  payment_id uuid primary key,
  chain_id bigint not null,
  number bigint not null
);
create index deeper_payments_due on deeper_payments (chain_id, number);

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

-- The windows that may be over, of each chain and of payments without one, the oldest first.
create index payments_waiting on payments (chain_id, expires_at) where state = 'pending' and amount_final = amount_received;

-- Payments that may still be paid, by the chain that is to pay them.
create index payments_open on payments (chain_id, updated_at) where state in ('pending', 'processing');
