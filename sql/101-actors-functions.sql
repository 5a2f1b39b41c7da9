-- The functions of 001-actors.sql: how commits read and write actors, and how the functions of a table are generated.

-- Adds the layouts that are missing, before texts that need them. Almost always there is none.
create function add_json_layouts(layouts json_layouts[]) returns void language plpgsql as $$
begin
  for attempt in 1 .. 2 loop
    if not exists (
      select from unnest(layouts) l left join json_layouts known on known.id = l.id
      where known.template is distinct from l.template)
    then
      return;
    end if;
    insert into json_layouts select l.* from unnest(layouts) l order by l.id on conflict do nothing;
  end loop;
  raise exception 'two layouts of JSON objects have the same id';
end $$;

-- Eight bytes, because digests are compared and not searched. Plain SQL, so that the planner inlines them.
create function transition_digest(
  actor uuid, rev integer, kind text, command uuid, event text, from_state text, to_state text, cause text, context text,
  at timestamptz, merchant_id uuid, livemode boolean, actor_created_at timestamptz
) returns bytea language sql stable parallel safe
return substring(sha256(convert_to(concat_ws(chr(31), actor, rev, kind, command, event, coalesce(from_state, ''), to_state,
  coalesce(cause, ''), context, extract(epoch from at), merchant_id, livemode, extract(epoch from actor_created_at)),
  'UTF8')) for 8);

create function ms_time(ms bigint) returns timestamptz language sql immutable as $$
  select to_timestamp(ms::float8 / 1000)
$$;

create function event_digest(
  id uuid, actor uuid, rev integer, type text, merchant_id uuid, livemode boolean, api_version text, object text,
  created_at timestamptz
) returns bytea language sql stable parallel safe
return substring(sha256(convert_to(concat_ws(chr(31), id, actor, rev, type, merchant_id, livemode, api_version, object,
  extract(epoch from created_at)), 'UTF8')) for 8);

-- A merchant's records are listed in the order of `seq` and become visible in that order: a commit takes this lock
-- before it draws the first number for a list and holds it until its rows are visible. So a reader that continues after
-- any record misses no record that is committed later and reads none twice. The order of transaction ids does not
-- guarantee that, because a transaction that began earlier may commit after a reader has passed its place.
-- Rows and timers are locked before lists, so that a commit that waits for a row does not delay the list. Commits alone
-- take this lock. They hold it until their WAL is flushed, so the timeout is longer than that for rows.
create function lock_list(list text, merchants uuid[]) returns void language plpgsql set lock_timeout = '5s' as $$
begin
  perform pg_advisory_xact_lock(hashtext(list), lock)
  from (select distinct merchant_lock(merchant) as lock from unnest(merchants) as merchant order by lock) locks;
end $$;

-- 256 locks for all merchants, because a batch with hundreds of merchants must not fill the server's lock table.
create function merchant_lock(merchant uuid) returns integer language sql immutable as $$
  select uuid_hash(merchant) & 255
$$;

-- A writer is how commits write to a table: the type `<writer>_entry` and the functions named after it. Writers are
-- numbered (`payments_v2`), because processes of the version before a migration continue to use the old one. Before the
-- table's columns an entry has `g`, its group; `was`, the rev that was decided on; and `seen`, the transaction that
-- wrote the row that was decided on. A lease changes the row and keeps its rev; `seen` prevents a command that was
-- decided before the lease from committing after it.
create function latest_writer(row_table text) returns text language sql stable as $$
  select left(typname, -length('_entry')) from pg_type
  where typname ~ ('^' || row_table || '_v\d+_entry$')
  order by substring(typname from '_v(\d+)_entry$')::integer desc
  limit 1
$$;

-- Lets commands insert rows into a table in their commit: an actor's first row, or a row of another table such as an
-- idempotency key. A row that conflicts with an existing one, by any unique key, refuses its command. Generates the
-- writer from the catalog and returns its name. A migration that changes the columns calls this again.
create function define_commit_rows(row_table text) returns text language plpgsql as $$
declare
  writer text := latest_writer(row_table);
  columns text;
  types text;
  given text;
  same_key text;
  key text;
  sorted text;
  -- Tables that a merchant's lists read draw `seq` under lock_list().
  is_listed boolean := 2 = (
    select count(*) from pg_attribute where attrelid = row_table::regclass and attname in ('merchant_id', 'seq'));
begin
  select string_agg(format('%I', attname), ', ' order by attnum),
    string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum),
    -- The time of the commit, unless the row has one: parsing a time costs as much as the rest of a row.
    string_agg(
      format(case when attname in ('created_at', 'updated_at') then 'coalesce(r.%I, now_at)' else 'r.%I' end, attname),
      ', ' order by attnum)
  into columns, types, given
  from pg_attribute
  where attrelid = row_table::regclass and attnum > 0 and not attisdropped and attidentity = '';

  select string_agg(format('t.%1$I = e.%1$I', a.attname), ' and ') filter (where i.indisprimary),
    string_agg(format('%I', a.attname), ', ') filter (where i.indisprimary),
    -- Two commits that insert the same keys must insert them in the same order, or they deadlock.
    string_agg(format('r.%I', a.attname), ', ' order by i.indisprimary, i.indexrelid, a.attnum)
  into same_key, key, sorted
  from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
  where i.indrelid = row_table::regclass and i.indisunique;

  if writer is null or types <> (
    select string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum)
    from pg_attribute where attrelid = (writer || '_entry')::regclass and attname not in ('g', 'was', 'seen'))
  then
    writer := format('%s_v%s', row_table, coalesce(substring(writer from '\d+$')::integer, 0) + 1);
    execute format('create type %s_entry as (g integer, was integer, seen xid, %s)', writer, types);
  end if;

  execute format($f$
    create or replace function insert_%7$s(entries %7$s_entry[], skip integer[], now_at timestamptz)
    returns json language plpgsql as $b$
    declare
      wanted integer;
      made integer;
      absent %7$s_entry;
      violated text;
      refused json[];
    begin
      %9$s
      insert into %1$I (%2$s)
      select %5$s from unnest(entries) r
      where skip is null or r.g <> all(skip)
      order by %4$s
      on conflict do nothing;
      get diagnostics made = row_count;
      select count(*) into wanted from unnest(entries) where skip is null or g <> all(skip);
      if made = wanted then
        return null;
      end if;
      -- Absent are the rows that this transaction did not insert, and the duplicates of a row that it did insert.
      -- Inserting one by itself shows which constraint refuses it. The conflicting row is certain to be committed when
      -- no row of the batch was inserted.
      for absent in
        select e.g, e.was, e.seen, %8$s
        from (select *, row_number() over (partition by %6$s) as twin from unnest(entries)) e
        where (skip is null or e.g <> all(skip)) and (twin > 1 or not exists (
          select from %1$I t where %3$s and t.xmin = pg_current_xact_id()::xid))
      loop
        begin
          insert into %1$I (%2$s) select %5$s from unnest(array[absent]) r;
        exception when unique_violation then
          get stacked diagnostics violated = constraint_name;
          refused := refused || json_build_object('g', absent.g, 'constraint', violated, 'certain', made = 0);
        end;
      end loop;
      if refused is null then
        raise exception 'cannot determine which rows of %1$s exist already';
      end if;
      return array_to_json(refused);
    end $b$ $f$, row_table, columns, same_key, sorted, given, key, writer,
    (select string_agg('e.' || trim(c), ', ') from unnest(string_to_array(columns, ',')) c),
    case when is_listed then format($l$perform lock_list(%L, array(
        select merchant_id from unnest(entries) where skip is null or g <> all(skip)));$l$, row_table) else '' end);
  perform define_writers();
  return writer;
end $$;

-- Generates the functions that call a writer's functions by its name, with one branch for each writer. Executing a text
-- that contains the name would be parsed and planned in every commit, which took a tenth of a small one.
create function define_writers() returns void language plpgsql as $$
declare
  writing record;
  cases text;
begin
  for writing in
    select * from (values
      ('lock', 'holder uuid, now_at timestamptz', 'holder, now_at', 'integer[]'),
      ('update', 'skip integer[], holder uuid, now_at timestamptz', 'skip, holder, now_at', 'integer[]'),
      ('insert', 'skip integer[], now_at timestamptz', 'skip, now_at', 'json')
    ) w(verb, parameters, arguments, answer)
  loop
    select string_agg(format('when %L then return %I(entries::%I[], %s);',
      writer, writing.verb || '_' || writer, writer || '_entry', writing.arguments), E'\n    ' order by writer)
    into cases
    from (select left(typname, -length('_entry')) as writer from pg_type
      where typname ~ '_v\d+_entry$' and typtype = 'c' and typnamespace = current_schema()::regnamespace) w
    where exists (select from pg_proc
      where proname = writing.verb || '_' || writer and pronamespace = current_schema()::regnamespace);
    execute format($f$
      create or replace function %1$s_rows(writer text, entries text, %2$s)
      returns %3$s language plpgsql as $b$
      begin
        case writer
          %4$s
        end case;
      end $b$ $f$, writing.verb, writing.parameters, writing.answer, coalesce(cases, 'when null then return null;'));
  end loop;
end $$;

-- Generates the writer of a machine's table and the functions that read, lock, update and lease its rows.
-- Planner settings: a plan is cached from when the table was empty, and the planner does not know how long an array is.
-- Every join here is one primary-key lookup per entry, so no other plan is allowed.
create function define_actor_table(actor_table text) returns void language plpgsql as $$
declare
  writer text := define_commit_rows(actor_table);
  assignments text := (
    select string_agg(format('%1$I = r.%1$I', attname), ', ' order by attnum) from pg_attribute
    where attrelid = actor_table::regclass and attnum > 0 and not attisdropped
      and attname not in ('id', 'created_at', 'updated_at', 'lease', 'leased_until', 'seq')
  );
  texts text := (
    select string_agg(format('%I::text', attname), ', ' order by attnum) from pg_attribute
    where attrelid = (writer || '_entry')::regclass and attnum > 0 and not attisdropped and attname not in ('g', 'was', 'seen')
  );
begin
  -- All rows in one JSON value, each as the texts of its columns in the order of an entry, after the transaction that
  -- wrote it: the driver takes longer over a row than over all its values. Returns a table so that the planner inlines
  -- the query.
  execute format($f$
    create or replace function read_%2$s(ids uuid[]) returns table (found json) language sql stable as $b$
      select array_to_json(array_agg(array[xmin::text, %3$s])) from %1$I where id = any(ids)
    $b$ $f$, actor_table, writer, texts);

  -- Locks the rows in id order, so that two commits cannot deadlock. Returns the groups whose rows have changed, do not
  -- exist, or are leased to another holder.
  execute format($f$
    create or replace function lock_%2$s(entries %2$s_entry[], holder uuid, now_at timestamptz)
    returns integer[] language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $b$
    begin
      return array(
        select r.g
        from (select g, id, was, seen from unnest(entries) order by id) r
        left join lateral (select rev, lease, leased_until, xmin from %1$I where id = r.id for update) t on true
        where t.rev is distinct from r.was or t.xmin is distinct from r.seen or is_leased(t.lease, t.leased_until, holder, now_at));
    end $b$ $f$, actor_table, writer);

  -- Returns the groups whose rows are not as they were decided on. The entries are sorted by id, and so are the locks
  -- that are taken. A commit ends the lease that it was decided under.
  execute format($f$
    create or replace function update_%3$s(entries %3$s_entry[], skip integer[], holder uuid, now_at timestamptz)
    returns integer[] language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $b$
    declare
      moved integer;
      answer integer[];
    begin
      update %1$I t set %2$s, updated_at = coalesce(r.updated_at, now_at), lease = null, leased_until = null
      from unnest(entries) r
      where t.id = r.id and t.rev = r.was and t.xmin = r.seen
        and not is_leased(t.lease, t.leased_until, holder, now_at)
        and (skip is null or r.g <> all(skip));
      get diagnostics moved = row_count;
      if moved < cardinality(entries) then
        answer := array(
          select g from unnest(entries) r
          where (skip is null or g <> all(skip))
            and not exists (select from %1$I t where t.id = r.id and t.rev = r.rev
              and t.xmin = pg_current_xact_id()::xid));
      end if;
      return answer;
    end $b$ $f$, actor_table, assignments, writer);

  -- Leases the rows to one holder, except those that are locked or leased: see lease.ts.
  execute format($f$
    create or replace function lease_%1$s(ids uuid[], holder uuid, now_at timestamptz, until timestamptz)
    returns void language plpgsql set enable_seqscan = off as $b$
    begin
      update %1$I set lease = holder, leased_until = until
      where id in (select id from %1$I where id = any(ids) order by id for update skip locked)
        and not is_leased(lease, leased_until, holder, now_at);
    end $b$ $f$, actor_table);
  perform define_writers();
end $$;

-- A lease that ends later than any lease can was written by a process whose clock is wrong. It is ignored.
create function is_leased(lease uuid, leased_until timestamptz, holder uuid, now_at timestamptz)
returns boolean language sql stable as $$
  select lease is not null and lease is distinct from holder
    and leased_until > now_at and leased_until <= now_at + interval '10 s'
$$;

-- Which of these commands their actors have taken before. Stable, so that it has the snapshot of the calling statement.
-- `every` searches an actor's whole history: after a lost answer the command may be one whose id the dispatcher drew,
-- and the index does not have those. A join, because `exists` within an expression may be answered from a hash table of
-- the whole history.
create function find_taken(actors uuid[], commands uuid[], every boolean)
returns table (actor uuid, command uuid) language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  select a.actor, a.command from unnest(actors, commands) as a(actor, command)
  cross join lateral (
    select 1 from transitions h where not every and h.keyed and h.actor = a.actor and h.command = a.command
    union all
    select 1 from transitions h where every and h.actor = a.actor and h.command = a.command
    limit 1) taken
$$;

-- The generations of the timers that are armed, in the same snapshot.
create function find_armed(actors uuid[], names text[])
returns table (actor uuid, name text, generation integer) language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  select t.actor, t.name, t.generation
  from unnest(actors, names) as a(actor, name)
  join timers t on t.actor = a.actor and t.name = a.name
$$;

create function cancel_timers(entries canceled_entry[], skip integer[]) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  delete from timers t
  using unnest(entries) r
  where t.actor = r.actor and t.name = r.name and (skip is null or r.g <> all(skip));
end $$;

-- Calls the functions that actions name (`writes` of a kind). They may wait for row locks, so those of existing actors
-- run before any list is locked. Those of new actors need the inserted row.
create function call_writes(writes write_entry[], of_new boolean, skip integer[]) returns void language plpgsql as $$
declare
  write write_entry;
begin
  foreach write in array writes loop
    if write.is_new = of_new and (skip is null or write.g <> all(skip)) then
      execute format('select %I($1, $2)', write.name) using write.actor, write.given;
    end if;
  end loop;
end $$;

-- The jobs to add. A wake-up that is already queued and that no worker has taken is not added again: adding it takes a
-- fifth of a small commit, and commits that add the same job wait for each other, including for the disk. The key-share
-- lock on the queued job keeps workers from taking it until this commit is visible. A job that is locked by a worker
-- counts as taken.
-- Workers skip a locked job, so a job that is needed all the time must be added again now and then: after 50 ms, by one
-- commit at a time, whose update does not conflict with the key-share locks of the others.
create function find_missing(asked job_entry[], payloads json, skip integer[])
returns graphile_worker.job_spec[] language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return array(
    select (r.task, r.payload, null, r.run_at, null, r.key, null, null)::graphile_worker.job_spec
    from rows from (unnest(asked), json_array_elements(payloads)) as r(gs, task, effect, run_at, key, payload)
    left join lateral (
      select j.id, j.updated_at from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      where j.key = r.key and t.identifier = r.task
        and j.is_available and j.attempts = 0 and j.run_at <= clock_timestamp()
        and j.payload::jsonb - 'effect' = r.payload::jsonb - 'effect'
      for key share of j skip locked) awaited on true
    where (skip is null or not r.gs <@ skip)
      and case
        when awaited.id is null then true
        when awaited.updated_at between clock_timestamp() - interval '50 ms' and clock_timestamp() then false
        else pg_try_advisory_xact_lock(hashtext('repeated wake-ups'), hashtext(r.key))
      end
    -- Keys are locked in sorted order.
    order by coalesce(r.key, r.effect));
end $$;

-- Adds all jobs. graphile_worker.add_jobs() leaves out a job whose key a worker is taking at that moment: the existing
-- job is not yet locked when add_jobs() looks for it, and is locked when it is to be replaced. A second call adds the
-- job.
create function ask_for_jobs(specs graphile_worker.job_spec[]) returns void language plpgsql as $$
declare
  missing graphile_worker.job_spec[] := specs;
  added text[];
begin
  loop
    added := array(select key from graphile_worker.add_jobs(missing));
    exit when cardinality(added) = cardinality(missing);
    missing := array(
      select spec from unnest(missing) as spec
      where spec.job_key is not null and spec.job_key <> all(array_remove(added, null)));
  end loop;
end $$;

-- The groups that were decided with another time than their test clock has now. The clocks stay locked until the commit, so a
-- clock moves only when all timers that were armed with its time are visible: see move_test_clock(). Not in shared mode: two
-- commits that then also change the clock would wait for each other.
create function find_moved_clocks(seen clock_entry[]) returns integer[] language plpgsql as $$
begin
  return array(
    select s.g
    from (select g, clock, now_ms from unnest(seen) order by clock) s
    left join lateral (select now from test_clocks where id = s.clock for update) c on true
    where c.now is distinct from ms_time(s.now_ms));
end $$;

-- Commits everything that a batch of commands decided or, per group of connected commands, nothing. Returns the groups
-- that must be decided again because their rows have changed. Raises PM001 with the groups and constraints in its
-- detail, and writes nothing, when a row that it would insert exists. The detail repeats the number of the batch,
-- because a driver may attribute an error to the wrong statement.
-- `contexts` and `objects` have a line for each step, as json_of() reads it.
-- `updates` and `inserts` are array literals, each for the writer at the same position, with entries sorted by id and
-- the arrays sorted by writer, so that locks are taken in one order. `connected`: some group changes two rows, and
-- neither may be written before both are known to be unchanged. `seen_in`: the era of the transactions in `seen`. In
-- another era the same transaction ids mean other transactions: PM004.
create function commit_actors(
  batch integer, now_at timestamptz, holder uuid, connected boolean, seen_in integer,
  update_writers text[], updates text[], insert_writers text[], inserts text[],
  steps step_entry[], layouts json_layouts[], contexts text, objects text, writes write_entry[], armed timer_entry[], canceled canceled_entry[],
  jobs job_entry[], payloads json, clocks clock_entry[]
) returns integer[] language plpgsql
-- Planning for every batch took longer than the statements themselves (0.6 ms of a commit's 1.9 ms).
set plan_cache_mode = force_generic_plan
-- Commits lock a row for milliseconds. A row that is locked for longer is locked by a stalled process or by an open
-- session, and every command of the batch waits.
set lock_timeout = '250ms' as $$
declare
  this_era integer := current_era();
  answer integer[];
  conflicts integer[];
  refused json;
  duplicates json[];
  missing graphile_worker.job_spec[];
begin
  if seen_in <> this_era then
    raise exception 'rows were read from another server' using errcode = 'PM004';
  end if;

  perform add_json_layouts(layouts);

  if clocks is not null then
    conflicts := nullif(find_moved_clocks(clocks), '{}');
  end if;

  if connected then
    for n in 1 .. cardinality(update_writers) loop
      answer := lock_rows(update_writers[n], updates[n], holder, now_at);
      conflicts := conflicts || nullif(answer, '{}');
    end loop;
  end if;

  for n in 1 .. cardinality(update_writers) loop
    answer := update_rows(update_writers[n], updates[n], conflicts, holder, now_at);
    conflicts := conflicts || nullif(answer, '{}');
  end loop;

  if canceled is not null then
    perform cancel_timers(canceled, conflicts);
  end if;

  if writes is not null then
    perform call_writes(writes, false, conflicts);
  end if;

  -- Lists are locked from here on.
  for n in 1 .. cardinality(insert_writers) loop
    refused := insert_rows(insert_writers[n], inserts[n], conflicts, now_at);
    if refused is not null then
      duplicates := duplicates || array(select json_array_elements(refused));
    end if;
  end loop;
  if cardinality(duplicates) > 0 then
    raise exception 'rows exist already' using errcode = 'PM001',
      detail = json_build_object('batch', batch, 'duplicates', array_to_json(duplicates))::text;
  end if;
  if writes is not null then
    perform call_writes(writes, true, conflicts);
  end if;

  insert into transitions (
    actor, command, merchant_id, at, actor_created_at, era, rev, livemode, keyed, kind, event, from_state, to_state, cause,
    digest, context)
  select actor, command, merchant_id, now_at, ms_time(created_ms), this_era, rev, livemode, keyed, kind, event, from_state,
    to_state, cause,
    transition_digest(actor, rev, kind, command, event, from_state, to_state, cause, context, now_at,
      merchant_id, livemode, ms_time(created_ms)),
    context
  from rows from (unnest(steps), unnest(string_to_array(contexts, E'\n'))) as r(
    g, actor, rev, kind, command, keyed, event, from_state, to_state, cause, created_ms, merchant_id, livemode,
    event_id, event_type, api_version, context)
  where to_state is not null and (conflicts is null or g <> all(conflicts));

  if objects is not null then
    perform lock_list('events', array(
      select merchant_id from unnest(steps) where event_id is not null and (conflicts is null or g <> all(conflicts))));
    insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era, digest)
    select event_id, kind, actor, rev, event_type, merchant_id, livemode, api_version, object, now_at, this_era,
      event_digest(event_id, actor, rev, event_type, merchant_id, livemode, api_version, object, now_at)
    from rows from (unnest(steps), unnest(string_to_array(objects, E'\n'))) as r(
      g, actor, rev, kind, command, keyed, event, from_state, to_state, cause, created_ms, merchant_id, livemode,
      event_id, event_type, api_version, object)
    where event_id is not null and (conflicts is null or g <> all(conflicts));
  end if;

  if armed is not null then
    -- Without `on conflict`, which takes half as long again: a timer that was armed before is among the canceled ones.
    insert into timers (actor, name, kind, generation, due_at, planned, test_clock_id)
    select actor, name, kind, generation, ms_time(due_ms), planned, clock from unnest(armed)
    where conflicts is null or g <> all(conflicts);
  end if;

  if jobs is not null then
    missing := find_missing(jobs, payloads, conflicts);
    -- Once per commit: its notification takes a lock that all committing transactions of the cluster share.
    if cardinality(missing) > 0 then
      perform ask_for_jobs(missing);
    end if;
  end if;
  return conflicts;
end $$;

-- Whether a reader that pages by (era, xid, seq) may pass a row: no row that sorts before it can still be committed.
-- The rows of a running transaction sort by when it started, so a reader that passed newer rows as they appear would
-- skip those of a slower transaction. Older eras have ended.
create function is_settled(row_era integer, row_xid xid8) returns boolean language sql stable as $$
  select row_era < (select max(era) from eras) or row_xid < pg_snapshot_xmin(pg_current_snapshot())
$$;
