-- The functions of 008-webhooks.sql.

select define_actor_table('deliveries');

-- Whether a commit had its events fanned out before subscriptions changed. Commits with events take the lock of their
-- merchants shared, changes of subscriptions take it exclusively, so a change waits for the commits that have read
-- subscriptions, and later commits read what it has changed. The snapshot is taken under the lock: a commit that is
-- visible in it had the lock before the change, any other will have it after.
create function precedes(commit_era integer, commit_xid xid8, change_era integer, change_snapshot pg_snapshot)
returns boolean language sql immutable parallel safe as $$
  select commit_era < change_era or (commit_era = change_era and pg_visible_in_snapshot(commit_xid, change_snapshot))
$$;

-- Updates the subscriptions to what the endpoint's row says now. Takes the lock, so it comes after all row locks of its
-- statement except those of the security log and of jobs.
create function renew_subscriptions(endpoint uuid) returns void language plpgsql as $$
declare
  its webhook_endpoints;
  wanted text[];
  this_snapshot pg_snapshot;
  this_era integer := current_era();
begin
  select * into its from webhook_endpoints where id = endpoint;
  -- Test events are delivered like all events, to one endpoint.
  wanted := case when its.state = 'enabled' then its.event_types || 'webhook_endpoint.test'::text else '{}' end;
  perform pg_advisory_xact_lock(hashtext('webhook_subscriptions'), merchant_lock(its.merchant_id));
  -- A separate statement, for a snapshot after the lock.
  select pg_current_snapshot() into this_snapshot;

  update webhook_subscriptions set closed_at = clock_timestamp(), closed_era = this_era, closed_snapshot = this_snapshot
  where endpoint_id = endpoint and closed_at is null and event_type <> all (wanted);

  insert into webhook_subscriptions (
    endpoint_id, merchant_id, livemode, event_type, opened_at, opened_era, opened_snapshot)
  select endpoint, its.merchant_id, its.livemode, t, clock_timestamp(), this_era, this_snapshot
  from unnest(wanted) t
  where not exists (
    select from webhook_subscriptions s where s.endpoint_id = endpoint and s.event_type = t and s.closed_at is null);
end $$;

-- Creates the deliveries to all subscribed endpoints in the commit of the event, as machines/delivery.ts begins them,
-- and notifies the senders once.
-- Planner settings: plans are cached from when the tables were empty, and for batches of any size.
create function fan_out_events() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
declare
  endpoints uuid[];
begin
  -- In order, so that commits and changes cannot deadlock.
  perform pg_advisory_xact_lock_shared(hashtext('webhook_subscriptions'), lock)
  from (select distinct merchant_lock(merchant_id) as lock from new_events order by lock) locks;

  -- A separate statement, for a snapshot after the locks. Most events have no subscriber, and this check costs a
  -- quarter of starting the statement below. Here and below `limit` and `offset` keep the planner from comparing every
  -- subscription with every event.
  if not exists (
    select from new_events e
    cross join lateral (
      select from webhook_subscriptions s
      where s.merchant_id = e.merchant_id and s.livemode = e.livemode and s.event_type = e.type and s.closed_at is null
      limit 1) s)
  then
    return null;
  end if;

  with made as (
    insert into deliveries (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, event_id, event_type, endpoint_id,
      attempts, automatic_attempts, trigger, next_attempt_at, cancel_requested)
    select new_uuidv7(), 'pending', 1, 1, e.created_at, e.created_at, e.merchant_id, e.livemode, e.id, e.type,
      s.endpoint_id, 0, 0, 'automatic', e.created_at, false
    from new_events e
    cross join lateral (
      select endpoint_id from webhook_subscriptions
      where merchant_id = e.merchant_id and livemode = e.livemode and event_type = e.type and closed_at is null
        and (e.kind <> 'webhook_endpoint' or endpoint_id = e.actor)
      offset 0) s
    returning endpoint_id
  )
  select array_agg(distinct endpoint_id) into endpoints from made;

  -- The senders listen for this. A notification holds 8,000 bytes; an empty one means any endpoint.
  if endpoints is not null then
    perform pg_notify('deliveries', case when cardinality(endpoints) <= 200 then array_to_string(endpoints, ',') else '' end);
  end if;
  return null;
end $$;

-- A trigger, because commits and test_webhook_endpoint() insert events, and none may be left out.
create trigger events_fan_out after insert on events
referencing new table as new_events for each statement execute function fan_out_events();

-- The types of an endpoint's deliveries in one state, one lookup in the index for each.
create function delivery_types(endpoint uuid, its_state text) returns setof text language sql stable rows 10
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
  with recursive types (event_type) as (
    (select d.event_type from deliveries d
     where d.endpoint_id = endpoint and d.state = its_state
     order by d.event_type limit 1)
    union all
    select later.event_type from types cross join lateral (
      select d.event_type from deliveries d
      where d.endpoint_id = endpoint and d.state = its_state and d.event_type > types.event_type
      order by d.event_type limit 1) later
  )
  select event_type from types
$$;

-- The current time, but later than the given one: caches of endpoints compare updated_at.
create function later_than(before timestamptz) returns timestamptz language sql volatile as $$
  select greatest(date_trunc('milliseconds', clock_timestamp()), before + interval '1 ms')
$$;

-- Changes of an endpoint lock the merchant's row first, by authorize_change(), and then the endpoint's.

-- Returns `created`, `not_allowed`, `missing` when there is no such merchant, `too_many` when the mode has `most`
-- endpoints, or `has_inbox` when the merchant has an inbox already.
create function create_webhook_endpoint(
  endpoint uuid, merchant uuid, its_livemode boolean, its_url text, its_description text, its_types text[],
  its_sealed_secret text, most integer, caller uuid, actor text, address text, details json,
  its_inbox_token text default null
) returns text language plpgsql as $$
declare
  now_at timestamptz;
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  if not exists (select from merchants where id = merchant) then
    return 'missing';
  end if;
  if most <= (
    select count(*) from webhook_endpoints where merchant_id = merchant and livemode = its_livemode and state <> 'deleted')
  then
    return 'too_many';
  end if;
  if its_inbox_token is not null and exists (
    select from webhook_endpoints where merchant_id = merchant and inbox_token is not null and state <> 'deleted')
  then
    return 'has_inbox';
  end if;
  now_at := date_trunc('milliseconds', clock_timestamp());
  insert into webhook_endpoints (
    id, merchant_id, livemode, url, description, event_types, state, sealed_secret, inbox_token, enabled_at, created_at,
    updated_at)
  values (endpoint, merchant, its_livemode, its_url, its_description, its_types, 'enabled', its_sealed_secret,
    its_inbox_token, now_at, now_at, now_at);
  perform renew_subscriptions(endpoint);
  perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.created', details);
  return 'created';
end $$;

-- Ends an endpoint's subscriptions and requests that its open deliveries are canceled. The caller holds its row lock.
create function stop_webhook_endpoint(endpoint uuid, new_state text, reason text) returns void language plpgsql as $$
begin
  update webhook_endpoints set state = new_state, disabled_reason = reason, updated_at = later_than(updated_at)
  where id = endpoint;
  perform renew_subscriptions(endpoint);
  perform graphile_worker.add_job('cancel-deliveries', json_build_object('endpointId', endpoint));
end $$;

-- Changes those of url, description, eventTypes and status that `changes` names. Returns `changed`, `not_allowed`,
-- `missing`, or `canceling`: an endpoint cannot be enabled while deliveries from before it was disabled are open,
-- because they would be sent after all.
create function change_webhook_endpoint(
  endpoint uuid, merchant uuid, changes jsonb, caller uuid, actor text, address text, details jsonb
) returns text language plpgsql as $$
declare
  its webhook_endpoints;
  new_state text;
  fields text[] := array(select jsonb_object_keys(changes - 'status'));
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  select * into its from webhook_endpoints
  where id = endpoint and merchant_id = merchant and state <> 'deleted' for no key update;
  if not found then
    return 'missing';
  end if;
  new_state := coalesce(changes ->> 'status', its.state);
  if its.state = 'disabled' and new_state = 'enabled' and exists (
    select from deliveries where endpoint_id = endpoint and state in ('pending', 'sending') and not cancel_requested)
  then
    return 'canceling';
  end if;

  if cardinality(fields) > 0 then
    update webhook_endpoints set
      url = coalesce(changes ->> 'url', url),
      description = case when changes ? 'description' then changes ->> 'description' else description end,
      event_types = case when changes ? 'eventTypes'
        then array(select jsonb_array_elements_text(changes -> 'eventTypes')) else event_types end,
      updated_at = later_than(updated_at)
    where id = endpoint;
  end if;
  if its.state = 'enabled' and new_state = 'disabled' then
    perform stop_webhook_endpoint(endpoint, 'disabled', 'by_merchant');
  elsif its.state = 'disabled' and new_state = 'enabled' then
    update webhook_endpoints set state = 'enabled', disabled_reason = null,
      enabled_at = later_than(enabled_at), updated_at = later_than(updated_at)
    where id = endpoint;
    perform renew_subscriptions(endpoint);
  elsif changes ? 'eventTypes' then
    perform renew_subscriptions(endpoint);
  end if;

  if cardinality(fields) > 0 then
    perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.changed',
      (details || jsonb_build_object('fields', fields))::json);
  end if;
  if its.state <> new_state then
    perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.' || new_state, details::json);
  end if;
  return 'changed';
end $$;

-- Disables an endpoint automatically. Returns `disabled`, or `unchanged` when it is not enabled any more or was enabled
-- again since it was judged (`judged_enabled_at` is its enabled_at at that time).
create function disable_webhook_endpoint(
  endpoint uuid, reason text, judged_enabled_at timestamptz, details json
) returns text language plpgsql as $$
declare
  its webhook_endpoints;
begin
  select * into its from webhook_endpoints
  where id = endpoint and state = 'enabled' and enabled_at = judged_enabled_at for no key update;
  if not found then
    return 'unchanged';
  end if;
  perform stop_webhook_endpoint(endpoint, 'disabled', reason);
  perform record_security_event(its.merchant_id, null, 'service', null, 'webhook_endpoint.disabled', details);
  return 'disabled';
end $$;

-- Returns `deleted`, `not_allowed` or `missing`.
create function delete_webhook_endpoint(
  endpoint uuid, merchant uuid, caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  perform from webhook_endpoints
  where id = endpoint and merchant_id = merchant and state <> 'deleted' for no key update;
  if not found then
    return 'missing';
  end if;
  perform stop_webhook_endpoint(endpoint, 'deleted', null);
  delete from inbox_requests where endpoint_id = endpoint;
  perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.deleted', details);
  return 'deleted';
end $$;

-- Stores a request to an inbox and deletes those before the latest 100. The row lock of the endpoint serializes requests,
-- and keeps one that is being deleted from getting another. Returns false if it was deleted.
create function record_inbox_request(
  endpoint uuid, request uuid, at timestamptz, its_headers json, its_body text, is_valid boolean
) returns boolean language plpgsql as $$
begin
  perform from webhook_endpoints
  where id = endpoint and inbox_token is not null and state <> 'deleted' for no key update;
  if not found then
    return false;
  end if;
  insert into inbox_requests (id, endpoint_id, received_at, headers, body, signature_valid)
  values (request, endpoint, at, its_headers, its_body, is_valid);
  delete from inbox_requests
  where endpoint_id = endpoint and seq <= (
    select seq from inbox_requests where endpoint_id = endpoint order by seq desc offset 100 limit 1);
  return true;
end $$;

-- Replaces the signing secret. The previous one also signs during the overlap, if any. Returns `overlapping` while an
-- earlier previous secret still signs, so that a double click does not end the secret that receivers use; otherwise
-- `rotated`, `not_allowed` or `missing`.
create function rotate_webhook_secret(
  endpoint uuid, merchant uuid, overlap interval, new_sealed_secret text,
  caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  if overlap > interval '0' and exists (
    select from webhook_endpoints
    where id = endpoint and merchant_id = merchant and state <> 'deleted' and previous_until > clock_timestamp())
  then
    return 'overlapping';
  end if;
  update webhook_endpoints set
    previous_sealed_secret = case when overlap > interval '0' then sealed_secret end,
    previous_until = case when overlap > interval '0' then clock_timestamp() + overlap end,
    sealed_secret = new_sealed_secret,
    updated_at = later_than(updated_at)
  where id = endpoint and merchant_id = merchant and state <> 'deleted';
  if not found then
    return 'missing';
  end if;
  perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.secret_rotated', details);
  return 'rotated';
end $$;

-- Creates an event for this endpoint alone. Its delivery is fanned out like any other, and the row lock keeps the
-- endpoint unchanged until then. Returns `sent`, `not_allowed`, `missing` or `disabled`.
create function test_webhook_endpoint(
  endpoint uuid, merchant uuid, event uuid, rendered text, caller uuid
) returns text language plpgsql as $$
declare
  its webhook_endpoints;
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  select * into its from webhook_endpoints
  where id = endpoint and merchant_id = merchant and state <> 'deleted' for no key update;
  if not found then
    return 'missing';
  end if;
  if its.state <> 'enabled' then
    return 'disabled';
  end if;
  perform lock_list('events', array[merchant]);
  insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era, digest)
  select event, 'webhook_endpoint', endpoint, 0, 'webhook_endpoint.test', merchant, its.livemode, api_version, rendered,
    now_at, current_era(),
    event_digest(event, endpoint, 0, 'webhook_endpoint.test', merchant, its.livemode, api_version, rendered, now_at)
  from merchants where id = merchant;
  return 'sent';
end $$;

-- Requests that deliveries since a time that failed or were canceled are sent again. Returns `asked` and how many there
-- are now, or `not_allowed`, `missing` or `disabled`.
create function recover_webhook_endpoint(
  endpoint uuid, merchant uuid, recovery uuid, since timestamptz, caller uuid, actor text, address text, details json
) returns table (outcome text, found integer) language plpgsql as $$
declare
  its webhook_endpoints;
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return query select 'not_allowed', 0;
    return;
  end if;
  select * into its from webhook_endpoints where id = endpoint and merchant_id = merchant and state <> 'deleted';
  if its.state = 'enabled' then
    perform graphile_worker.add_job('recover-deliveries', json_build_object(
      'endpointId', endpoint, 'recoveryId', recovery, 'since', since, 'cause', actor));
    perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.recovered', details);
    return query select 'asked', count(*)::integer from deliveries
      where endpoint_id = endpoint and state in ('failed', 'canceled') and created_at >= since;
  else
    return query select case its.state when 'disabled' then 'disabled' else 'missing' end, 0;
  end if;
end $$;

-- Records outcomes of attempts, sorted by id, so that two statements that change the same rows cannot deadlock. Returns
-- the deliveries that have changed since they were decided on: the outcomes of their attempts are recorded all the
-- same, and their next state is to be decided again. So are those in `around`, whose rows another transaction has
-- locked.
-- Planner settings, here and below: a plan is cached from when a table was empty, and the planner does not know how
-- long an array is. Every join is one lookup by key for each entry.
create function record_attempts(
  command uuid, outcomes delivery_outcome[], layouts json_layouts[], contexts text, jobs json, answered uuid[], finished uuid[], around uuid[]
) returns uuid[] language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan set lock_timeout = '250ms' as $$
declare
  changed_count integer;
  moved uuid[];
  this_era integer := current_era();
begin
  -- An attempt that was recorded as lost stays lost. Rows are looked up one by one, which `offset` ensures: a join
  -- would read all attempts and compare each with every outcome. An attempt that another process is recording has
  -- another ctid once that commits, and is skipped: it is finished.
  update delivery_attempts a set
    finished_at = ms_time(o.at_ms), duration_ms = o.duration_ms,
    outcome = o.outcome, http_status = o.http_status, response_snippet = o.response_snippet,
    signed_s = o.signed_s, response_headers = o.response_headers
  from unnest(outcomes) o
  cross join lateral (
    select t.ctid from delivery_attempts t
    where t.delivery_id = o.id and t.number = o.number and t.finished_at is null
    offset 0) t
  where a.ctid = t.ctid;

  perform add_json_layouts(layouts);
  -- The condition is on the rev, which every change raises. With a condition on the state, the planner uses an index
  -- that contains the state and that it believes almost empty, which halves the throughput.
  with changed as (
    update deliveries d set
      state = o.state, rev = d.rev + 1, trigger = o.trigger, next_attempt_at = ms_time(o.next_attempt_ms),
      resume_at = ms_time(o.resume_ms), delivered_at = ms_time(o.delivered_ms), sending_since = null,
      cancel_requested = false, updated_at = ms_time(o.at_ms)
    from rows from (unnest(outcomes), unnest(string_to_array(contexts, E'\n'))) as o(
      id, was, number, event, state, trigger, next_attempt_ms, resume_ms, delivered_ms, at_ms,
      outcome, duration_ms, http_status, response_snippet, signed_s, response_headers, context)
    where d.id = o.id and d.rev = o.was and (around is null or d.id <> all(around))
    returning d.id, d.rev, d.merchant_id, d.livemode, d.created_at, d.updated_at as at, o.event, o.state, o.context
  )
  insert into transitions (
    actor, command, merchant_id, at, actor_created_at, era, rev, livemode, keyed, kind, event, from_state, to_state, cause,
    digest, context)
  select id, record_attempts.command, merchant_id, at, created_at, this_era, rev, livemode, false, 'delivery', event,
    'sending', state, 'sender',
    transition_digest(id, rev, 'delivery', record_attempts.command, event, 'sending', state, 'sender', context, at,
      merchant_id, livemode, created_at),
    context
  from changed;
  get diagnostics changed_count = row_count;
  if changed_count < cardinality(outcomes) then
    moved := array(
      select o.id from unnest(outcomes) o
      where not exists (select from deliveries d where d.id = o.id and d.rev = o.was + 1
        and d.xmin::text = (pg_current_xact_id()::text::bigint & 4294967295)::text));
  end if;

  -- A delivery that has changed is still claimed until it is decided.
  if finished is not null and moved is null then
    delete from delivery_claims where id = any(finished);
  end if;
  -- In order, because another sender may update the same rows. updated_at is for changes of the settings.
  if answered is not null then
    update webhook_endpoints set
      last_success_at = greatest(last_success_at, (select ms_time(max(o.at_ms)) from unnest(outcomes) o))
    -- A locked endpoint is skipped: it is updated a minute later.
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

-- Which of these deliveries another transaction has locked. Waits for no lock.
create function find_locked_deliveries(ids uuid[]) returns setof uuid language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
begin
  return query
  with free as materialized (
    select d.id from deliveries d where d.id = any(ids) order by d.id for update skip locked
  )
  select d.id from deliveries d where d.id = any(ids) and d.id not in (select f.id from free f);
end $$;

-- Claims the due deliveries of the given endpoints, up to a number for each: what the machine does on
-- `attempt_started`, for hundreds at a time. Skips endpoints that are not enabled and deliveries that are locked or
-- leased.
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
        -- A range of the index by endpoint, as row comparisons. With conditions on single columns, a planner without
        -- statistics reads the index by time, which contains the due deliveries of all endpoints.
        and (d.endpoint_id, d.next_attempt_at) >= (a.endpoint_id, ms_time(a.low_ms))
        and (d.endpoint_id, d.next_attempt_at) <= (a.endpoint_id, now_at)
        and d.version = its_version and not is_leased(d.lease, d.leased_until, null, now_at)
      order by d.endpoint_id, d.next_attempt_at
      limit a.want
      -- Concurrent senders claim different rows.
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
  )
  select c.id, c.rev, c.created_at, c.due_at, c.attempts, c.automatic_attempts, c.trigger, c.resume_at, c.delivered_at,
    c.merchant_id, c.livemode, c.endpoint_id, c.endpoint_version::text,
    c.event_id, c.event_type, floor(extract(epoch from e.created_at))::text, e.api_version, json_of(e.object)::text
  from claimed c
  join events e on e.id = c.event_id;
end $$;

-- The deliveries of a claim, for a sender that did not get the answer.
create function reclaim_deliveries(claim uuid) returns table (
  id uuid, rev integer, created_at timestamptz, due_at timestamptz, attempts integer, automatic_attempts integer, trigger text,
  resume_at timestamptz, delivered_at timestamptz, merchant_id uuid, livemode boolean, endpoint_id uuid,
  endpoint_version text, event_id uuid, event_type text, event_created text, api_version text, object text
) language sql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  select d.id, d.rev, d.created_at, c.claimed_at, d.attempts, d.automatic_attempts, d.trigger, d.resume_at, d.delivered_at,
    d.merchant_id, d.livemode, d.endpoint_id, w.updated_at::text,
    d.event_id, d.event_type, floor(extract(epoch from e.created_at))::text, e.api_version, json_of(e.object)::text
  from delivery_claims c
  cross join unnest(c.deliveries) as held(id)
  join deliveries d on d.id = held.id and d.sending_since = c.claimed_at
  join webhook_endpoints w on w.id = d.endpoint_id
  join events e on e.id = d.event_id
  where c.id = claim
$$;

-- Attempts without an outcome whose claim is so old that its process has died.
create function find_lost_deliveries(before timestamptz, most integer) returns setof deliveries language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  select d.*
  from delivery_claims c
  cross join unnest(c.deliveries) as held(id)
  join deliveries d on d.id = held.id and d.sending_since = c.claimed_at
  where c.claimed_at < before
  limit most
$$;

-- Deletes claims of that age that have no open attempt.
create function end_claims(before timestamptz) returns void language sql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  delete from delivery_claims c
  where c.claimed_at < before and not exists (
    select from unnest(c.deliveries) as held(id)
    join deliveries d on d.id = held.id and d.sending_since = c.claimed_at)
$$;

-- The endpoints with deliveries that become due in a period, and when the first of them does. The inner order keeps the
-- planner, which may not sort, to the index by time; the index by endpoint is ordered for the grouping and a million
-- rows long.
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

-- The endpoints with due deliveries, and when the first is due: walks from one endpoint to the next in the index.
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
