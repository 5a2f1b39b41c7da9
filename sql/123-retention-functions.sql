-- The functions of 023-retention.sql.

create function dropped_part_digest(part text, day date, dropped bigint, last_id uuid, dropped_at timestamptz)
returns bytea language sql stable parallel safe
return substring(sha256(convert_to(
  concat_ws(chr(31), part, day - date '2000-01-01', dropped, last_id, extract(epoch from dropped_at)), 'UTF8')) for 8);

-- Whether a delivery has ended and may be dropped. One that is sent again becomes a delivery of today.
-- Both parameters have names: Postgres writes one without, beside one with a name, as "", and no dump could be restored.
create function is_old_delivery(its deliveries, before timestamptz) returns boolean language sql stable
return its.state in ('delivered', 'failed', 'canceled') and its.updated_at < before;

-- Whether nothing about an actor is open, by its kind: the history of a kind without such a function is kept. An actor is looked
-- at once, at its last transition, so one that is open for another reason keeps its history until it has a further one. See
-- docs/decisions/0009-old-rows-by-the-feed.md.
create function is_finished(payments) returns boolean language sql stable
set enable_seqscan = off as $$
  select $1.state in ('success', 'failed', 'expired', 'canceled') and not $1.attention
    and $1.refunds_reserved_minor = $1.amount_refunded_minor
    and not exists (select from unsettled_payments u where u.payment_id = $1.id)
$$;
create function is_finished(payment_links) returns boolean language sql stable
return $1.state <> 'active' and $1.payments_processing = 0;
-- One that has failed can be retried.
create function is_finished(refunds) returns boolean language sql stable
return $1.state in ('processed', 'canceled') and not $1.attention;
create function is_finished(disputes) returns boolean language sql stable
return $1.state in ('won', 'lost');
create function is_finished(customers) returns boolean language sql stable
return $1.state in ('merged', 'erased');
create function is_finished(invoices) returns boolean language sql stable
return $1.state in ('paid', 'void', 'deleted') and $1.amount_processing_minor = 0;
create function is_finished(subscriptions) returns boolean language sql stable
return $1.state in ('canceled', 'expired', 'completed');
create function is_finished(plans) returns boolean language sql stable
return $1.state = 'archived';
create function is_finished(test_clocks) returns boolean language sql stable
return $1.state = 'deleted';

-- The finished ones among the actors whose last transition is one of these.
create function find_finished_actors(actors uuid[], revs integer[]) returns setof uuid language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with last as materialized (select * from unnest(actors, revs) as t (id, rev)),
  finished as (
    select a.id from last join payments a using (id, rev) where is_finished(a)
    union all
    select a.id from last join payment_links a using (id, rev) where is_finished(a)
    union all
    select a.id from last join refunds a using (id, rev) where is_finished(a)
    union all
    select a.id from last join disputes a using (id, rev) where is_finished(a)
    union all
    select a.id from last join customers a using (id, rev) where is_finished(a)
    union all
    select a.id from last join invoices a using (id, rev) where is_finished(a)
    union all
    select a.id from last join subscriptions a using (id, rev) where is_finished(a)
    union all
    select a.id from last join plans a using (id, rev) where is_finished(a)
    union all
    select a.id from last join test_clocks a using (id, rev) where is_finished(a)
  )
  select id from finished f where not exists (select from timers m where m.actor = f.id)
$$;

-- The next actors of a part, among `most` transitions that the readers of the feed have passed. The place is that of the last
-- of these transitions; there is no row when none is older than `before`. An actor is found by its last transition, so one
-- that is open is passed, and found again after it has ended.
create function find_old_actors(its_part text, before timestamptz, most integer)
returns table (step integer, era integer, xid xid8, seq bigint, actors uuid[]) language plpgsql stable
-- A plan from when the table was empty would read all of it.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  here retention_progress;
  passed feed_cursors;
begin
  select * into here from retention_progress where part = its_part;
  select * into passed from feed_cursors order by era, xid, seq limit 1;
  return query
  with page as materialized (
    select era, xid, seq, actor, rev, at from transitions
    where (era, xid, seq) > (here.era, here.xid, here.seq) and (era, xid, seq) <= (passed.era, passed.xid, passed.seq)
    order by era, xid, seq
    limit most
  ), following as materialized (
    select min(t.at) as at
    from (select era, xid, seq, at from page order by era desc, xid desc, seq desc limit 1) last
    cross join lateral (
      select t.at from transitions t
      where (t.era, t.xid, t.seq) > (last.era, last.xid, last.seq)
      order by t.era, t.xid, t.seq
      limit 10 * most) t
    where last.at >= before
  ), old as materialized (
    select * from (
      select p.*, least(f.at, min(p.at) over (order by era desc, xid desc, seq desc)) < before as is_old
      from page p cross join following f) aged
    where is_old
  )
  select here.step, last.era, last.xid, last.seq, case its_part
    when 'attempt_bodies' then array(
      select distinct d.id from old o join deliveries d on d.id = o.actor order by d.id)
    when 'deliveries' then array(
      select d.id from old o join deliveries d on d.id = o.actor and d.rev = o.rev order by d.id)
    else array(
      select id from find_finished_actors(array(select actor from old order by actor, rev), array(select rev from old order by actor, rev)) id
      order by id) end
  from (select era, xid, seq from old order by era desc, xid desc, seq desc limit 1) last;
end $$;

-- Takes the place of a part for a change. There is no row when another process has moved it or is moving it.
create function take_retention(its_part text, its_step integer) returns setof retention_progress language sql as $$
  select * from retention_progress where part = its_part and step = its_step for update skip locked
$$;

-- Records what is dropped: for each row the delivery or the actor, and when it was created. Each call also deletes places of
-- rows that were dropped more than a day ago, more than were added for it, so that they do not accumulate.
create function record_dropped(its_part text, its_before timestamptz, ids uuid[], created timestamptz[]) returns void
language plpgsql as $$
begin
  insert into dropped_parts as p (part, day, dropped, last_id, dropped_at, digest)
  select its_part, day, dropped, last_id, now(), dropped_part_digest(its_part, day, dropped, last_id, now())
  from (
    select (at at time zone 'UTC')::date as day, count(*) as dropped, (array_agg(id order by id desc))[1] as last_id
    from unnest(ids, created) as gone (id, at)
    group by 1) days
  order by day
  on conflict (part, day) do update set
    dropped = p.dropped + excluded.dropped, last_id = excluded.last_id, dropped_at = excluded.dropped_at,
    digest = dropped_part_digest(p.part, p.day, p.dropped + excluded.dropped, excluded.last_id, excluded.dropped_at);
  update retention_progress set
    dropped = dropped + cardinality(ids), step = step + 1,
    before = case when ids <> '{}' then greatest(before, its_before) else before end
  where part = its_part;
  delete from dropped_places where ctid = any (array(
    select ctid from dropped_places where dropped_at < now() - interval '1 day'
    order by dropped_at limit 4 * cardinality(ids) for update skip locked));
end $$;

-- Moves the place of a part, after record_dropped().
create function pass_retention(its_part text, to_era integer, to_xid xid8, to_seq bigint) returns void language sql as $$
  update retention_progress set era = to_era, xid = to_xid, seq = to_seq where part = its_part
$$;

-- Drops the responses to attempts of these deliveries that ended before a time, and moves the place of the part. Returns the
-- number of attempts, and of those that another transaction has locked: then the place stays. No row: see take_retention().
create function drop_attempt_bodies(
  its_step integer, to_era integer, to_xid xid8, to_seq bigint, ids uuid[], before timestamptz
) returns table (dropped integer, locked integer) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  found_ids uuid[];
  found_numbers integer[];
  created timestamptz[];
begin
  perform take_retention('attempt_bodies', its_step);
  if not found then
    return;
  end if;
  select coalesce(array_agg(delivery_id), '{}'), coalesce(array_agg(number), '{}'), array_agg(created_at)
  into found_ids, found_numbers, created
  from (
    select a.delivery_id, a.number, d.created_at from deliveries d join delivery_attempts a on a.delivery_id = d.id
    where a.delivery_id = any(ids) and a.finished_at < before
      and (a.response_snippet is not null or a.response_headers is not null)
    order by a.delivery_id, a.number
    for update of a skip locked) a;
  perform record_dropped('attempt_bodies', before, found_ids, created);
  update delivery_attempts a set response_snippet = null, response_headers = null
  from unnest(found_ids, found_numbers) as gone (id, number)
  where a.delivery_id = gone.id and a.number = gone.number;
  dropped := cardinality(found_ids);
  select count(*) into locked from delivery_attempts a
  where a.delivery_id = any(ids) and a.finished_at < before
    and (a.response_snippet is not null or a.response_headers is not null);
  if locked = 0 then
    perform pass_retention('attempt_bodies', to_era, to_xid, to_seq);
  end if;
  return next;
end $$;

-- Drops deliveries with their attempts and their history, and moves the place of the part. Returns the same.
create function drop_deliveries(
  its_step integer, to_era integer, to_xid xid8, to_seq bigint, ids uuid[], before timestamptz
) returns table (dropped integer, locked integer) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  free uuid[];
begin
  perform take_retention('deliveries', its_step);
  if not found then
    return;
  end if;
  -- The sums of states count what exists. Their reader has added all of these, see find_old_actors(), and waits until this is
  -- committed. Locked first: a wait for the reader must not hold deliveries, which a merchant may be sending again.
  perform from feed_cursors where reader = 'machines' for update;
  free := array(
    select d.id from deliveries d where d.id = any(ids) and is_old_delivery(d, before) order by d.id for update skip locked);
  -- The erasure of a customer changes attempts, in another order: this waits for none of them.
  with held as materialized (
    select delivery_id, number from delivery_attempts where delivery_id = any(free) for update skip locked
  )
  select array(
    select f.id from unnest(free) as f (id)
    where not exists (
      select from delivery_attempts a
      where a.delivery_id = f.id
        and not exists (select from held h where h.delivery_id = a.delivery_id and h.number = a.number))
    order by f.id)
  into free;
  perform record_dropped('deliveries', before, free, array(select created_at from deliveries where id = any(free) order by id));
  update machine_states s set actors = s.actors - gone.actors
  from (select state, count(*) as actors from deliveries where id = any(free) group by state) gone
  where s.kind = 'delivery' and s.state = gone.state;
  with gone as (
    delete from transitions where actor = any(free) returning *
  )
  insert into dropped_places (actor, rev, era, xid, seq, merchant_id, livemode, dropped_at)
  select actor, rev, era, xid, seq, merchant_id, livemode, now() from gone;
  delete from delivery_attempts where delivery_id = any(free);
  with gone as (
    delete from deliveries where id = any(free) returning *
  )
  insert into dropped_places (actor, rev, seq, merchant_id, livemode, dropped_at)
  select id, 0, seq, merchant_id, livemode, now() from gone;
  dropped := cardinality(free);
  select count(*) into locked from deliveries d where d.id = any(ids) and is_old_delivery(d, before);
  if locked = 0 then
    perform pass_retention('deliveries', to_era, to_xid, to_seq);
  end if;
  return next;
end $$;

-- Drops the history of these actors but the entries that are needed, see old_entries(), and moves the place of the part. At
-- most `most` entries: a payment link may have any number. Returns how many, and how many are left; the place stays while some
-- are. Entries are never changed, so nothing is locked, and actors go on: a transition that is committed meanwhile is the same as
-- one that follows.
create function drop_history(
  its_step integer, to_era integer, to_xid xid8, to_seq bigint, ids uuid[], before timestamptz, most integer default 10000
) returns table (dropped integer, locked integer) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  gone uuid[];
  created timestamptz[];
  its_before timestamptz := before;
begin
  perform take_retention('history', its_step);
  if not found then
    return;
  end if;
  with dropping as (
    delete from transitions t
    using (select actor, rev from old_entries(ids, its_before) order by actor, rev limit most) old
    where t.actor = old.actor and t.rev = old.rev
    returning t.*
  ), places as (
    insert into dropped_places (actor, rev, era, xid, seq, merchant_id, livemode, dropped_at)
    select actor, rev, era, xid, seq, merchant_id, livemode, now() from dropping
  )
  select coalesce(array_agg(actor), '{}'), coalesce(array_agg(actor_created_at), '{}') into gone, created from dropping;
  perform record_dropped('history', its_before, gone, created);
  dropped := cardinality(gone);
  select count(*) into locked from old_entries(ids, its_before);
  if locked = 0 then
    perform pass_retention('history', to_era, to_xid, to_seq);
  end if;
  return next;
end $$;

-- The entries of these histories that are not needed any more. The last one is, that by which the actor came into its state, and
-- those of late money. None of an actor that has gone on and is not finished.
create function old_entries(ids uuid[], before timestamptz) returns table (actor uuid, rev integer) language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with ends as materialized (
    select its.id, last.rev, last.to_state
    from unnest(ids) as its (id)
    cross join lateral (
      select last.rev, last.to_state from transitions last where last.actor = its.id order by last.rev desc limit 1) last
  )
  select t.actor, t.rev
  from find_finished_actors(array(select id from ends order by id), array(select rev from ends order by id)) as its (id)
  join ends last on last.id = its.id
  cross join lateral (
    select max(e.rev) as rev from transitions e
    where e.actor = its.id and e.to_state = last.to_state and e.from_state is distinct from e.to_state) entered
  join transitions t on t.actor = its.id and t.rev < last.rev and t.rev is distinct from entered.rev
  where t.at < before
    -- By it a payment is known to be counted as late: see payment_sum_changes().
    and t.event <> 'late_finalized'
$$;

-- Records how a check of a part has ended: `done`, nothing is left to drop; `off`, all is kept; or why the rest is held back. A
-- row that is locked is being changed by a process that records it itself, or by a rebuild: the next check records it.
create function report_retention(its_part text, outcome text) returns void language sql as $$
  with here as (
    select part from retention_progress where part = its_part for update skip locked
  ), news as (
    select nullif(nullif(outcome, 'done'), 'off') as held, case outcome
      when 'done' then case when completed_at >= date_trunc('day', now(), 'UTC') then completed_at else now() end
      when 'off' then null else completed_at end as completed_at
    from retention_progress where part = its_part
  )
  update retention_progress p set held = n.held, completed_at = n.completed_at
  from here, news n
  where p.part = here.part and (p.held, p.completed_at) is distinct from (n.held, n.completed_at)
$$;
