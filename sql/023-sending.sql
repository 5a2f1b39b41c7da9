-- How deliveries are sent: their attempts, and the step that a sender takes over and over. A step records what
-- came of attempts and takes up the next ones, in one statement that is committed before their first byte.

create table delivery_attempts (
  delivery_id uuid not null,
  number integer not null,
  trigger text not null,
  -- The process that has made it.
  worker uuid not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  duration_ms integer,
  -- Null while it is open. `lost`: whoever had it is gone, and nobody knows whether it was sent.
  outcome text,
  http_status integer,
  response_snippet text,
  constraint delivery_attempts_pkey primary key (delivery_id, number),
  constraint delivery_attempts_trigger check (trigger in ('automatic', 'manual')),
  constraint delivery_attempts_finished check ((outcome is null) = (finished_at is null))
);

-- What a step has taken up, until all of it is recorded. An index of open attempts would have to be written
-- to twice for each of them; this is one row for hundreds.
create table delivery_claims (
  -- Chosen by the sender, who asks again by it when the answer was lost.
  id uuid primary key,
  worker uuid not null,
  claimed_at timestamptz not null,
  deliveries uuid[] not null
);

-- What came of an attempt, and where its delivery is then, as its machine has decided. Times are milliseconds, which
-- cost a tenth of a date's text.
create type delivery_outcome as (
  id uuid, was integer, number integer, event text, state text, trigger text,
  next_attempt_ms bigint, resume_ms bigint, delivered_ms bigint, at_ms bigint,
  outcome text, duration_ms integer, http_status integer, response_snippet text
);

-- An endpoint with work, how much of it may be taken up, and the time before which nothing of it is due: beyond that
-- lie the index entries of what was taken up before, which an idle transaction keeps from being cleared away.
create type delivery_asking as (endpoint_id uuid, want integer, low_ms bigint);

create function ms_time(ms bigint) returns timestamptz language sql immutable as $$
  select to_timestamp(ms::float8 / 1000)
$$;

-- Writes down what came of attempts. The outcomes come sorted by id, so that of two statements that change the same
-- rows one waits for the other. Answers the deliveries that have moved on since they were decided on: what came of
-- their attempts is written down all the same, and what that means for them is to be decided anew. So are those in
-- `around`, whose rows another transaction has locked: only their attempts are written.
-- Planner settings, here and below: a plan is kept from when a table was empty, and the planner cannot know how
-- long an array is. Every join is one look-up by key for each entry.
create function record_attempts(
  command uuid, outcomes delivery_outcome[], contexts json, jobs json, answered uuid[], finished uuid[], around uuid[]
) returns uuid[] language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan set lock_timeout = '250ms' as $$
declare
  changed integer;
  moved uuid[];
  this_era integer := current_era();
begin
  -- Whoever was taken for lost has nothing to say any more. Looked up one by one, to which `offset` keeps the
  -- planner: joined, it walks all attempts there are and compares each with every outcome. An attempt that somebody
  -- else is recording meanwhile has another ctid when that is committed, and is left alone: it is finished then.
  update delivery_attempts a set
    finished_at = ms_time(o.at_ms), duration_ms = o.duration_ms,
    outcome = o.outcome, http_status = o.http_status, response_snippet = o.response_snippet
  from unnest(outcomes) o
  cross join lateral (
    select t.ctid from delivery_attempts t
    where t.delivery_id = o.id and t.number = o.number and t.finished_at is null
    offset 0) t
  where a.ctid = t.ctid;

  -- The rev is the fence: every change raises it. With a fence by state instead, the planner finds the rows by an
  -- index that has the state in it and that it believes almost empty, which takes half of the throughput.
  update deliveries d set
    state = o.state, rev = d.rev + 1, trigger = o.trigger, next_attempt_at = ms_time(o.next_attempt_ms),
    resume_at = ms_time(o.resume_ms), delivered_at = ms_time(o.delivered_ms), sending_since = null,
    cancel_requested = false, updated_at = ms_time(o.at_ms)
  from unnest(outcomes) o
  where d.id = o.id and d.rev = o.was and (around is null or d.id <> all(around));
  get diagnostics changed = row_count;
  if changed < cardinality(outcomes) then
    moved := array(
      select o.id from unnest(outcomes) o
      where not exists (select from deliveries d where d.id = o.id and d.rev = o.was + 1
        and d.xmin::text = (pg_current_xact_id()::text::bigint & 4294967295)::text));
  end if;

  insert into transitions (
    actor, rev, kind, command, keyed, event, from_state, to_state, cause, context, at, era, digest)
  select r.id, r.was + 1, 'delivery', record_attempts.command, false, r.event, 'sending', r.state, 'sender', r.context,
    ms_time(r.at_ms), this_era,
    transition_digest(r.id, r.was + 1, 'delivery', record_attempts.command, r.event, 'sending', r.state, 'sender', r.context,
      ms_time(r.at_ms))
  from rows from (unnest(outcomes), json_array_elements(contexts)) as r(
    id, was, number, event, state, trigger, next_attempt_ms, resume_ms, delivered_ms, at_ms,
    outcome, duration_ms, http_status, response_snippet, context)
  where moved is null or r.id <> all (moved);

  -- What has moved on is still held, for as long as it is not decided.
  if finished is not null and moved is null then
    delete from delivery_claims where id = any(finished);
  end if;
  -- In order, since another sender may write down the same. The row's updated_at is for what people change.
  if answered is not null then
    update webhook_endpoints set
      last_success_at = greatest(last_success_at, (select ms_time(max(o.at_ms)) from unnest(outcomes) o))
    -- An endpoint that is locked is passed over: a minute later it is noted again.
    where id in (select id from webhook_endpoints where id = any(answered) order by id for no key update skip locked);
  end if;
  if jobs is not null then
    perform ask_for_jobs(array(
      select (task, payload, null, null, null, key, null, null)::graphile_worker.job_spec
      from json_to_recordset(jobs) as j(task text, payload json, key text)
      order by key));
  end if;
  return moved;
end $$;

-- Of these deliveries, those that another transaction has locked. Waits for no lock.
create function find_locked_deliveries(ids uuid[]) returns setof uuid language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
begin
  return query
  with free as materialized (
    select d.id from deliveries d where d.id = any(ids) order by d.id for update skip locked
  )
  select d.id from deliveries d where d.id = any(ids) and d.id not in (select f.id from free f);
end $$;

-- Takes up what is due of the given endpoints, each by its share: what the machine does on `attempt_started`, for
-- hundreds at once. Nothing is taken of an endpoint that is not enabled, and nothing that somebody else holds.
create function claim_deliveries(
  claim uuid, worker uuid, now_at timestamptz, its_version integer, asked delivery_asking[]
) returns table (
  id uuid, rev integer, created_at timestamptz, due_at timestamptz, attempts integer, automatic_attempts integer, trigger text,
  resume_at timestamptz, delivered_at timestamptz, merchant_id uuid, livemode boolean, endpoint_id uuid,
  endpoint_version text, event_id uuid, event_type text, event_created text, api_version text, object text
) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set enable_sort = off set enable_incremental_sort = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  this_era integer := current_era();
begin
  return query
  with picked as materialized (
    select p.id, p.next_attempt_at as due_at, w.updated_at as endpoint_version
    from unnest(asked) a
    join webhook_endpoints w on w.id = a.endpoint_id and w.state = 'enabled'
    cross join lateral (
      select d.id, d.next_attempt_at
      from deliveries d
      where d.state = 'pending'
        -- A span of the index by endpoint. Said of the columns one by one, a planner without statistics walks the
        -- index by time, in which everything lies that is due of anybody.
        and (d.endpoint_id, d.next_attempt_at) >= (a.endpoint_id, ms_time(a.low_ms))
        and (d.endpoint_id, d.next_attempt_at) <= (a.endpoint_id, now_at)
        and d.version = its_version and not is_leased(d.lease, d.leased_until, null, now_at)
      order by d.endpoint_id, d.next_attempt_at
      limit a.want
      -- Several senders ask at once, and each takes what the others have not.
      for update skip locked) p
  ), claimed as (
    update deliveries d set
      state = 'sending', rev = d.rev + 1, attempts = d.attempts + 1,
      automatic_attempts = d.automatic_attempts + case d.trigger when 'automatic' then 1 else 0 end,
      next_attempt_at = null, sending_since = now_at, updated_at = now_at
    from picked p
    where d.id = p.id
    returning d.*, p.due_at, p.endpoint_version
  ), opened as (
    insert into delivery_attempts (delivery_id, number, trigger, worker, started_at)
    select c.id, c.attempts, c.trigger, claim_deliveries.worker, now_at from claimed c
  ), held as (
    insert into delivery_claims (id, worker, claimed_at, deliveries)
    select claim, claim_deliveries.worker, now_at, array_agg(c.id) from claimed c having count(*) > 0
  ), history as (
    insert into transitions (
      actor, rev, kind, command, keyed, event, from_state, to_state, cause, context, at, era, digest)
    select c.id, c.rev, 'delivery', claim, false, 'attempt_started', 'pending', 'sending', 'sender', c.context,
      now_at, this_era,
      transition_digest(c.id, c.rev, 'delivery', claim, 'attempt_started', 'pending', 'sending', 'sender', c.context, now_at)
    from (
      select id, rev, json_build_object('attempts', attempts, 'automaticAttempts', automatic_attempts, 'trigger', trigger,
        'nextAttemptAt', null) as context
      from claimed offset 0) c
  )
  select c.id, c.rev, c.created_at, c.due_at, c.attempts, c.automatic_attempts, c.trigger, c.resume_at, c.delivered_at,
    c.merchant_id, c.livemode, c.endpoint_id, c.endpoint_version::text,
    c.event_id, c.event_type, floor(extract(epoch from e.created_at))::text, e.api_version, e.object::text
  from claimed c
  join events e on e.id = c.event_id;
end $$;

-- What a claim has taken up, for the sender who did not get the answer.
create function reclaim_deliveries(claim uuid) returns table (
  id uuid, rev integer, created_at timestamptz, due_at timestamptz, attempts integer, automatic_attempts integer, trigger text,
  resume_at timestamptz, delivered_at timestamptz, merchant_id uuid, livemode boolean, endpoint_id uuid,
  endpoint_version text, event_id uuid, event_type text, event_created text, api_version text, object text
) language sql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  select d.id, d.rev, d.created_at, c.claimed_at, d.attempts, d.automatic_attempts, d.trigger, d.resume_at, d.delivered_at,
    d.merchant_id, d.livemode, d.endpoint_id, w.updated_at::text,
    d.event_id, d.event_type, floor(extract(epoch from e.created_at))::text, e.api_version, e.object::text
  from delivery_claims c
  cross join unnest(c.deliveries) as held(id)
  join deliveries d on d.id = held.id and d.sending_since = c.claimed_at
  join webhook_endpoints w on w.id = d.endpoint_id
  join events e on e.id = d.event_id
  where c.id = claim
$$;

-- Attempts of which nothing was heard since they were taken up, so long ago that whoever had them is gone.
create function find_lost_deliveries(before timestamptz, most integer) returns setof deliveries language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  select d.*
  from delivery_claims c
  cross join unnest(c.deliveries) as held(id)
  join deliveries d on d.id = held.id and d.sending_since = c.claimed_at
  where c.claimed_at < before
  limit most
$$;

-- Ends claims of that age of which nothing is under way any more.
create function end_claims(before timestamptz) returns void language sql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  delete from delivery_claims c
  where c.claimed_at < before and not exists (
    select from unnest(c.deliveries) as held(id)
    join deliveries d on d.id = held.id and d.sending_since = c.claimed_at)
$$;

-- The endpoints with something that becomes due in a span of time, each with when the first of it does. The order
-- inside keeps the planner, which may not sort, to the index by time: the one by endpoint is grouped already, and
-- a million rows long.
create function find_due_between(after timestamptz, until timestamptz)
returns table (endpoint_id uuid, due_at timestamptz) language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  select due.endpoint_id, min(due.next_attempt_at)
  from (
    select d.endpoint_id, d.next_attempt_at
    from deliveries d
    where d.state = 'pending' and d.next_attempt_at > after and d.next_attempt_at <= until
    order by d.next_attempt_at
    offset 0
  ) due
  group by due.endpoint_id
$$;

-- The endpoints with something due, each with when that was: by walking from one to the next in the index.
create function find_due_endpoints(now_at timestamptz) returns table (endpoint_id uuid, due_at timestamptz)
language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  with recursive due as (
    (select endpoint_id, next_attempt_at from deliveries where state = 'pending'
     order by endpoint_id, next_attempt_at limit 1)
    union all
    select later.* from due cross join lateral (
      select d.endpoint_id, d.next_attempt_at from deliveries d
      where d.state = 'pending' and d.endpoint_id > due.endpoint_id
      order by d.endpoint_id, d.next_attempt_at limit 1) later
  )
  select due.endpoint_id, due.next_attempt_at from due where due.next_attempt_at <= now_at
$$;
