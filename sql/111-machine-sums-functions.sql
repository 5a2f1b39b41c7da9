-- Durations that differ by less than a tenth share a class. A class is converted back with `1.1 ^ class - 1`. In floating
-- point, which takes a hundredth of the time of numeric.
create function duration_class(ms float8) returns smallint language sql immutable parallel safe
return round(ln(greatest(ms, 0) + 1) / 0.09531017980432493)::smallint;

create function ms_between(since timestamptz, until timestamptz) returns float8 language sql immutable parallel safe
return (extract(epoch from until)::float8 - extract(epoch from since)::float8) * 1000;

-- The beginning of the next span, or of the one that begins at this time. Weeks begin on Monday, in UTC.
create function next_span(span text, at timestamptz) returns timestamptz language sql immutable
return date_trunc(span, at - interval '1 microsecond', 'UTC') + case span
  when 'minute' then interval '1 minute' when 'hour' then interval '1 hour'
  when 'day' then interval '24 hours' else interval '168 hours' end;

-- The spans that cover the time from a moment until now: weeks, and shorter ones up to the first Monday. For 30 days they are
-- at most 5 weeks, 6 days and 23 hours. `finest`: the moment is moved to the next beginning of such a span.
create function spans_since(since timestamptz, finest text) returns table (span text, starts_at timestamptz)
language sql stable rows 35 as $$
  with first as (select next_span(finest, since) as minute),
  hours as (select *, next_span('hour', minute) as hour from first),
  days as (select *, next_span('day', hour) as day from hours),
  weeks as (select *, next_span('week', day) as week from days)
  select s.span, s.starts_at
  from weeks cross join lateral (
    select 'minute', generate_series(minute, hour - interval '1 minute', interval '1 minute')
    union all
    select 'hour', generate_series(hour, day - interval '1 hour', interval '1 hour')
    union all
    select 'day', generate_series(day, week - interval '24 hours', interval '24 hours')
    union all
    select 'week', generate_series(week, now(), interval '168 hours')) s (span, starts_at)
  where s.starts_at <= now()
$$;

-- The next transitions for a reader of the feed, at most `most`. Its cursor moves past them in the same transaction. None
-- while there is nothing to add, so that nothing is written, and while another process is adding.
create function take_feed_page(its_reader text, most integer) returns table (
  actor uuid, kind text, rev integer, from_state text, to_state text, at timestamptz
) language plpgsql rows 5000
-- A plan from when the table was empty would read all of it.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  here feed_cursors;
  newest integer := (select max(era) from eras);
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
begin
  perform from feed_cursors c
  where c.reader = its_reader and exists (
    select from transitions t
    where (t.era, t.xid, t.seq) > (c.era, c.xid, c.seq) and (t.era < newest or t.xid < horizon));
  if not found then
    return;
  end if;
  select * into here from feed_cursors where reader = its_reader for update skip locked;
  if here.reader is null then
    return;
  end if;

  return query
  with page as materialized (
    select era, xid, seq, actor, kind, rev, from_state, to_state, at
    from transitions
    where (era, xid, seq) > (here.era, here.xid, here.seq) and (era < newest or xid < horizon)
    order by era, xid, seq
    limit most
  ), passed as (
    update feed_cursors c set era = last.era, xid = last.xid, seq = last.seq
    from (select era, xid, seq from page order by era desc, xid desc, seq desc limit 1) last
    where c.reader = its_reader
  )
  select actor, kind, rev, from_state, to_state, at from page;
end $$;

-- Adds the next transitions of the feed to the sums, and moves the cursor past them. Returns how many it added.
create function count_transitions(most integer) returns integer language plpgsql
-- A plan from when the table was empty would read all of it.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  added integer;
begin
  with page as materialized (
    select *, date_trunc('minute', at, 'UTC') as minute from take_feed_page('machines', most)
  ), arrows as materialized (
    select kind, from_state, to_state, minute, count(*) as taken
    from page
    where from_state is distinct from to_state
    group by 1, 2, 3, 4
  ), states as (
    insert into machine_states as s (kind, state, actors)
    select kind, state, sum(change)
    from (
      select kind, to_state as state, taken as change from arrows
      union all
      select kind, from_state, -taken from arrows where from_state is not null) changes
    group by kind, state
    having sum(change) <> 0
    on conflict (kind, state) do update set actors = s.actors + excluded.actors
  ), flows as (
    insert into machine_flows as f (span, starts_at, kind, from_state, to_state, taken)
    select span, date_trunc(span, minute, 'UTC'), kind, from_state, to_state, sum(taken)
    from arrows cross join unnest(array['minute', 'hour', 'day', 'week']) as span
    where from_state is not null
    group by 1, 2, 3, 4, 5
    on conflict (span, starts_at, kind, from_state, to_state) do update set taken = f.taken + excluded.taken
  ), ended as materialized (
    -- At most about fifty stays of a state in a page, each of which stands for `weight` stays: finding the beginning of
    -- a stay takes longer than everything else here.
    select actor, kind, rev, from_state, at, minute, weight
    from (
      select *, (count(*) over alike + 49) / 50 as weight, row_number() over alike as place
      from page
      where from_state <> to_state
      window alike as (partition by kind, from_state)) numbered
    where place % weight = 0
  ), measured as materialized (
    select e.kind, e.from_state, e.minute, duration_class(ms_between(entered.at, e.at)) as duration, sum(weight) as stays
    from ended e
    cross join lateral (
      select t.at from transitions t
      where t.actor = e.actor and t.rev < e.rev and t.to_state = e.from_state and t.from_state is distinct from t.to_state
      order by t.rev desc
      limit 1) entered
    group by 1, 2, 3, 4
  ), stays as (
    insert into machine_stays as s (span, starts_at, kind, state, duration, stays)
    select span, date_trunc(span, minute, 'UTC'), kind, from_state, duration, sum(stays)
    from measured cross join unnest(array['minute', 'hour', 'day', 'week']) as span
    group by 1, 2, 3, 4, 5
    on conflict (span, starts_at, kind, state, duration) do update set stays = s.stays + excluded.stays
  )
  select count(*) into added from page;
  return added;
end $$;

-- Deletes the sums of times that no window shows.
create function prune_machine_sums() returns void language sql as $$
  delete from machine_flows
  where span = 'minute' and starts_at < now() - interval '2 hours'
    or span <> 'minute' and starts_at < now() - interval '31 days';
  delete from machine_stays
  where span = 'minute' and starts_at < now() - interval '2 hours'
    or span = 'hour' and starts_at < now() - interval '25 hours'
    or span in ('day', 'week') and starts_at < now() - interval '31 days';
$$;

-- The number of actors in each state, exactly as this statement sees the tables: the sums, and the transitions that the
-- reader of the feed has not added yet.
create function count_states() returns table (kind text, state text, actors bigint) language sql stable as $$
  select kind, state, sum(change)::bigint
  from (
    select kind, state, actors as change from machine_states
    union all
    select t.kind, c.state, c.change
    from feed_cursors here
    join transitions t on (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq)
    cross join lateral (values (t.to_state, 1), (t.from_state, -1)) as c(state, change)
    where here.reader = 'machines' and t.from_state is distinct from t.to_state and c.state is not null) changes
  group by kind, state
$$;

-- Makes the sums from the rows of the actors and from their transitions of the last 31 days. `tables`: by kind.
create function rebuild_machine_sums(tables json) returns void language plpgsql as $$
declare
  here feed_cursors;
begin
  perform from feed_cursors where reader = 'machines' for update;
  delete from machine_states;
  delete from machine_flows;
  delete from machine_stays;
  -- One statement, so that rows and transitions are those of one moment. What is not settled is added by the next page.
  execute (
    select format($q$
      with counted as (%s),
      last as materialized (
        select era, xid, seq from transitions where is_settled(era, xid) order by era desc, xid desc, seq desc limit 1
      ), passed as (
        update feed_cursors c set era = last.era, xid = last.xid, seq = last.seq from last where c.reader = 'machines'
      )
      insert into machine_states (kind, state, actors)
      select kind, state, sum(change)
      from (
        select kind, state, change from counted
        union all
        select t.kind, c.state, -c.change
        from transitions t
        left join last on true
        cross join lateral (values (t.to_state, 1), (t.from_state, -1)) as c(state, change)
        where (last.era is null or (t.era, t.xid, t.seq) > (last.era, last.xid, last.seq))
          and t.from_state is distinct from t.to_state and c.state is not null) changes
      group by kind, state $q$,
      string_agg(format('select %L as kind, state, count(*) as change from %I group by state', key, value), ' union all '))
    from json_each_text(tables));

  select * into here from feed_cursors where reader = 'machines';
  insert into machine_flows (span, starts_at, kind, from_state, to_state, taken)
  select span, date_trunc(span, at, 'UTC'), kind, from_state, to_state, count(*)
  from transitions cross join unnest(array['minute', 'hour', 'day', 'week']) as span
  where (era, xid, seq) <= (here.era, here.xid, here.seq) and from_state <> to_state and at > now() - interval '31 days'
  group by 1, 2, 3, 4, 5;
  insert into machine_stays (span, starts_at, kind, state, duration, stays)
  select span, date_trunc(span, m.at, 'UTC'), m.kind, m.from_state, duration_class(ms_between(entered.at, m.at)), count(*)
  from transitions m
  cross join lateral (
    select e.at from transitions e
    where e.actor = m.actor and e.rev < m.rev and e.to_state = m.from_state and e.from_state is distinct from e.to_state
    order by e.rev desc
    limit 1) entered
  cross join unnest(array['minute', 'hour', 'day', 'week']) as span
  where (m.era, m.xid, m.seq) <= (here.era, here.xid, here.seq) and m.from_state <> m.to_state
    and m.at > now() - interval '31 days'
  group by 1, 2, 3, 4, 5;
  perform prune_machine_sums();
end $$;
