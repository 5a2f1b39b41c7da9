-- Webhook endpoints, what they want to be told, and how an event reaches them: in its own commit.

create table webhook_endpoints (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  url text not null,
  description text,
  -- What it wants while it is enabled; webhook_subscriptions says since when.
  event_types text[] not null,
  state text not null,
  disabled_reason text,
  -- Sealed for 'webhook secret' and this id, like the one before it, which signs too as long as it overlaps.
  sealed_secret text not null,
  previous_sealed_secret text,
  previous_until timestamptz,
  -- When it was enabled last.
  enabled_at timestamptz not null,
  -- A hint: the sender writes it once a minute at most.
  last_success_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its place in lists. Who makes one has locked the merchant's row, so they become visible in this order.
  seq bigint generated always as identity,

  constraint webhook_endpoints_state check (state in ('enabled', 'disabled', 'deleted')),
  constraint webhook_endpoints_texts check (length(url) between 1 and 2048 and length(description) <= 1000),
  constraint webhook_endpoints_types check (cardinality(event_types) > 0),
  constraint webhook_endpoints_reason check (
    (state = 'disabled') = (disabled_reason is not null)
    and disabled_reason in ('by_merchant', 'no_success', 'gone')
  ),
  constraint webhook_endpoints_previous check ((previous_sealed_secret is null) = (previous_until is null))
);
-- A merchant's list pages by exactly this.
create index webhook_endpoints_list on webhook_endpoints (merchant_id, livemode, seq) where state <> 'deleted';

-- One row for each type and period in which an enabled endpoint wanted it. Only ever added to and closed,
-- so that the audit can tell for each event of the past to which endpoints it had to go.
create table webhook_subscriptions (
  seq bigint generated always as identity primary key,
  endpoint_id uuid not null,
  merchant_id uuid not null,
  livemode boolean not null,
  event_type text not null,
  opened_at timestamptz not null,
  -- Which commits came before it was opened: see precedes().
  opened_era integer not null,
  opened_snapshot pg_snapshot not null,
  closed_at timestamptz,
  closed_era integer,
  closed_snapshot pg_snapshot,

  constraint webhook_subscriptions_closed check (
    (closed_at is null) = (closed_era is null) and (closed_at is null) = (closed_snapshot is null)
  )
);
create unique index webhook_subscriptions_once on webhook_subscriptions (endpoint_id, event_type) where closed_at is null;
-- The fan-out asks this for each event.
create index webhook_subscriptions_open on webhook_subscriptions (merchant_id, livemode, event_type) include (endpoint_id)
where closed_at is null;

-- Commits with events take these locks of their merchants shared, changes of subscriptions exclusively. So
-- a change waits for the commits that have read subscriptions, and who comes after reads what it has changed.
-- Whether a commit had its events fanned out before subscriptions were changed. The snapshot is taken under
-- the lock above: a commit that is visible in it has had the lock before, any other will have it after.
create function precedes(commit_era integer, commit_xid xid8, change_era integer, change_snapshot pg_snapshot)
returns boolean language sql immutable parallel safe as $$
  select commit_era < change_era or (commit_era = change_era and pg_visible_in_snapshot(commit_xid, change_snapshot))
$$;

-- Brings the subscriptions in line with what the endpoint's row says by now. Takes the lock, so it comes
-- after every row lock of its statement but the log's and the jobs'.
create function renew_subscriptions(endpoint uuid) returns void language plpgsql as $$
declare
  its webhook_endpoints;
  wanted text[];
  this_snapshot pg_snapshot;
  this_era integer := current_era();
begin
  select * into its from webhook_endpoints where id = endpoint;
  -- Test events go the way of all events, to the endpoint they are for.
  wanted := case when its.state = 'enabled' then its.event_types || 'webhook_endpoint.test'::text else '{}' end;
  perform pg_advisory_xact_lock(hashtext('webhook_subscriptions'), merchant_lock(its.merchant_id));
  -- A statement of its own, for a snapshot from after the lock.
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

-- Tells every endpoint that is subscribed, in the commit of the event: the deliveries as
-- machines/delivery.ts begins them, their history, and one notice of all of them to whoever sends.
-- Planner settings: plans are kept from when the tables were empty, and for batches of any size.
create function fan_out_events() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
declare
  endpoints uuid[];
begin
  -- In order, so that two commits and two changes never wait for each other.
  perform pg_advisory_xact_lock_shared(hashtext('webhook_subscriptions'), lock)
  from (select distinct merchant_lock(merchant_id) as lock from new_events order by lock) locks;

  -- A statement of its own, for a snapshot from after the locks. Most events are nobody's, and to ask first
  -- costs them a quarter of beginning the statement below for nothing.
  -- Here and below `limit` and `offset` keep the planner from turning it around, to try every subscription on every event.
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
    returning id, endpoint_id, created_at
  ), history as (
    insert into transitions (
      actor, rev, kind, command, keyed, event, from_state, to_state, cause, context, at, era, digest)
    select id, 1, 'delivery', command, false, 'create', null, 'pending', null, context, created_at, current_era(),
      transition_digest(id, 1, 'delivery', command, 'create', null, 'pending', null, context, created_at)
    from (
      select id, created_at, gen_random_uuid() as command,
        json_build_object('attempts', 0, 'automaticAttempts', 0, 'trigger', 'automatic', 'nextAttemptAt',
          to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as context
      from made offset 0) made
  )
  select array_agg(distinct endpoint_id) into endpoints from made;

  -- Whoever sends listens (src/webhooks/ears.ts). A notice holds 8,000 bytes; an empty one is for whom it may concern.
  if endpoints is not null then
    perform pg_notify('deliveries', case when cardinality(endpoints) <= 200 then array_to_string(endpoints, ',') else '' end);
  end if;
  return null;
end $$;

create trigger events_fan_out after insert on events
referencing new table as new_events for each statement execute function fan_out_events();

-- Now, and never the moment that was written before: whoever remembers an endpoint goes by updated_at.
create function later_than(before timestamptz) returns timestamptz language sql volatile as $$
  select greatest(date_trunc('milliseconds', clock_timestamp()), before + interval '1 ms')
$$;

-- What people do to an endpoint begins here: the merchant's row first, as in all that they change, then the
-- endpoint's.
create function may_change_webhooks(merchant uuid, caller uuid) returns boolean language plpgsql as $$
declare
  caller_role text := lock_merchant_for(merchant, caller);
begin
  return caller is null or coalesce(caller_role in ('owner', 'developer'), false);
end $$;

-- `created`, `not_allowed`, `missing` (there is no such merchant), or `too_many` of that mode.
create function create_webhook_endpoint(
  endpoint uuid, merchant uuid, its_livemode boolean, its_url text, its_description text, its_types text[],
  its_sealed_secret text, most integer, caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
declare
  now_at timestamptz;
begin
  if not may_change_webhooks(merchant, caller) then
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
  now_at := date_trunc('milliseconds', clock_timestamp());
  insert into webhook_endpoints (
    id, merchant_id, livemode, url, description, event_types, state, sealed_secret, enabled_at, created_at, updated_at)
  values (endpoint, merchant, its_livemode, its_url, its_description, its_types, 'enabled', its_sealed_secret,
    now_at, now_at, now_at);
  perform renew_subscriptions(endpoint);
  perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.created', details);
  return 'created';
end $$;

-- Ends what an endpoint is told, and asks for its open deliveries to be canceled. To be called with its row locked.
create function silence_webhook_endpoint(endpoint uuid, new_state text, reason text) returns void language plpgsql as $$
begin
  update webhook_endpoints set state = new_state, disabled_reason = reason, updated_at = later_than(updated_at)
  where id = endpoint;
  perform renew_subscriptions(endpoint);
  perform graphile_worker.add_job('cancel-deliveries', json_build_object('endpointId', endpoint));
end $$;

-- Changes what `changes` names of: url, description, eventTypes, status. `changed`, `not_allowed`, `missing`, or
-- `canceling`: an endpoint is not enabled while deliveries from before it was disabled are open, or they
-- would be sent after all.
create function change_webhook_endpoint(
  endpoint uuid, merchant uuid, changes jsonb, caller uuid, actor text, address text, details jsonb
) returns text language plpgsql as $$
declare
  its webhook_endpoints;
  new_state text;
  fields text[] := array(select jsonb_object_keys(changes - 'status'));
begin
  if not may_change_webhooks(merchant, caller) then
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
    perform silence_webhook_endpoint(endpoint, 'disabled', 'by_merchant');
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

-- What the service does by itself: `disabled`, or `unchanged` when it is not enabled any more, or was enabled anew
-- since it was judged (`judged_enabled_at` is the enabled_at it was judged by).
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
  perform silence_webhook_endpoint(endpoint, 'disabled', reason);
  perform record_security_event(its.merchant_id, null, 'service', null, 'webhook_endpoint.disabled', details);
  return 'disabled';
end $$;

-- `deleted`, `not_allowed` or `missing`.
create function delete_webhook_endpoint(
  endpoint uuid, merchant uuid, caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not may_change_webhooks(merchant, caller) then
    return 'not_allowed';
  end if;
  perform from webhook_endpoints
  where id = endpoint and merchant_id = merchant and state <> 'deleted' for no key update;
  if not found then
    return 'missing';
  end if;
  perform silence_webhook_endpoint(endpoint, 'deleted', null);
  perform record_security_event(merchant, caller, actor, address, 'webhook_endpoint.deleted', details);
  return 'deleted';
end $$;

-- The secret before this one signs beside it for the overlap, or not at all any more. While one still does
-- after an earlier rotation there is no place for a third: `overlapping`, or a double click would end the one
-- that receivers use. `rotated`, `not_allowed` or `missing`.
create function rotate_webhook_secret(
  endpoint uuid, merchant uuid, overlap interval, new_sealed_secret text,
  caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not may_change_webhooks(merchant, caller) then
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

-- Makes an event that goes to this endpoint and nobody else. Its delivery is fanned out like any other, so
-- what is locked here is what keeps the endpoint as it is. `sent`, `not_allowed`, `missing`, or `disabled`.
create function test_webhook_endpoint(
  endpoint uuid, merchant uuid, event uuid, rendered json, caller uuid
) returns text language plpgsql as $$
declare
  its webhook_endpoints;
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  if not may_change_webhooks(merchant, caller) then
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

-- Asks for what an endpoint has not got since then to be sent again. Answers `asked` and how much it is for now,
-- or `not_allowed`, `missing` or `disabled`.
create function recover_webhook_endpoint(
  endpoint uuid, merchant uuid, recovery uuid, since timestamptz, caller uuid, actor text, address text, details json
) returns table (outcome text, found integer) language plpgsql as $$
declare
  its webhook_endpoints;
begin
  if not may_change_webhooks(merchant, caller) then
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
