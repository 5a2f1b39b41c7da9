-- Webhook endpoints, their subscriptions, and deliveries with their attempts. An event's deliveries are created in its
-- commit.

create table webhook_endpoints (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  url text not null,
  description text,
  -- The types it subscribes to while it is enabled; webhook_subscriptions has the time since which.
  event_types text[] not null,
  state text not null,
  disabled_reason text,
  -- Sealed for 'webhook secret' and this id, like the previous secret, which signs too until the overlap ends.
  sealed_secret text not null,
  previous_sealed_secret text,
  previous_until timestamptz,
  -- When it was last enabled.
  enabled_at timestamptz not null,
  -- An estimate: the sender updates it at most once a minute.
  last_success_at timestamptz,
  -- The secret part of an inbox's URL. Null for all other endpoints.
  inbox_token text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its place in lists. Endpoints are inserted under the lock of the merchant's row, so they become visible in this
  -- order.
  seq bigint generated always as identity,

  constraint webhook_endpoints_state check (state in ('enabled', 'disabled', 'deleted')),
  constraint webhook_endpoints_texts check (length(url) between 1 and 2048 and length(description) <= 1000),
  constraint webhook_endpoints_types check (cardinality(event_types) > 0),
  constraint webhook_endpoints_reason check (
    (state = 'disabled') = (disabled_reason is not null)
    and disabled_reason in ('by_merchant', 'no_success', 'gone')
  ),
  constraint webhook_endpoints_inbox check (inbox_token is null or not livemode),
  constraint webhook_endpoints_previous check ((previous_sealed_secret is null) = (previous_until is null))
);
-- A merchant's list pages by this.
create index webhook_endpoints_list on webhook_endpoints (merchant_id, livemode, seq) where state <> 'deleted';

-- Requests to an inbox find it by its token.
create unique index webhook_endpoints_inbox_token on webhook_endpoints (inbox_token);
create unique index webhook_endpoints_one_inbox on webhook_endpoints (merchant_id)
where inbox_token is not null and state <> 'deleted';

-- The latest requests to inboxes: see record_inbox_request().
create table inbox_requests (
  seq bigint generated always as identity,
  id uuid primary key,
  endpoint_id uuid not null references webhook_endpoints,
  received_at timestamptz not null,
  headers json not null,
  body text not null,
  signature_valid boolean not null
);
create index inbox_requests_latest on inbox_requests (endpoint_id, seq);

-- One row for each type and period in which an enabled endpoint was subscribed. Rows are only inserted and closed, so
-- the audit can determine for each past event to which endpoints it had to be sent.
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
-- Used by the fan-out of each event.
create index webhook_subscriptions_open on webhook_subscriptions (merchant_id, livemode, event_type) include (endpoint_id)
where closed_at is null;

-- Webhook deliveries: machines/delivery.ts. One per event and endpoint.
create table deliveries (
  like actor_columns including all,
  event_id uuid not null,
  event_type text not null,
  endpoint_id uuid not null,
  attempts integer not null,
  automatic_attempts integer not null,
  trigger text not null,
  next_attempt_at timestamptz,
  resume_at timestamptz,
  sending_since timestamptz,
  cancel_requested boolean not null,
  delivered_at timestamptz,

  constraint deliveries_state check (state in ('pending', 'sending', 'delivered', 'failed', 'canceled')),
  constraint deliveries_trigger check (trigger in ('automatic', 'manual')),
  -- At most five automatic attempts, whatever crashes.
  constraint deliveries_five_attempts check (automatic_attempts between 0 and 5 and attempts >= automatic_attempts),
  constraint deliveries_planned check ((state = 'pending') = (next_attempt_at is not null)),
  -- The attempt is recorded before its first byte. An attempt whose process has died is found by its age.
  constraint deliveries_sending check ((state = 'sending') = (sending_since is not null)),
  constraint deliveries_cancel check (not cancel_requested or state = 'sending'),
  constraint deliveries_resume check (resume_at is null or (trigger = 'manual' and state in ('pending', 'sending'))),
  constraint deliveries_attempted check (
    case state
      when 'sending' then attempts >= 1
      when 'delivered' then attempts >= 1 and delivered_at is not null
      when 'failed' then attempts >= 1 and delivered_at is null
      when 'canceled' then delivered_at is null
      else true
    end
  )
);

-- An event has one delivery to an endpoint, however often it is fanned out.
create unique index deliveries_event_once on deliveries (event_id, endpoint_id);

-- Claims take the due rows of chosen endpoints, earliest first.
create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where state = 'pending';
-- Endpoints with deliveries that have become due since a time.
create index deliveries_feed on deliveries (next_attempt_at, endpoint_id) where state = 'pending';

-- The list of an endpoint in one state and of one type pages by this; lists of several endpoints, states or types merge
-- them: see delivery_types(). Further indexes would be written in every change of a delivery.
create index deliveries_list on deliveries (endpoint_id, state, event_type, seq);

-- The attempts of deliveries. A sender repeats one step, which records the outcomes of attempts and claims the next
-- deliveries, in one statement that is committed before the first byte of the new attempts is sent.

create table delivery_attempts (
  delivery_id uuid not null,
  number integer not null,
  trigger text not null,
  -- The process that makes the attempt.
  worker uuid not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  duration_ms integer,
  -- Null while it is open. `lost`: its process has died, and whether it was sent is unknown.
  outcome text,
  http_status integer,
  -- The time of the request's signature, in Unix seconds. Null when nothing was sent.
  signed_s integer,
  response_snippet text,
  response_headers json,
  constraint delivery_attempts_pkey primary key (delivery_id, number),
  constraint delivery_attempts_trigger check (trigger in ('automatic', 'manual')),
  constraint delivery_attempts_finished check ((outcome is null) = (finished_at is null))
);

-- The deliveries that a step has claimed, until all their outcomes are recorded. One row for hundreds of attempts,
-- where an index of open attempts would be written twice for each.
create table delivery_claims (
  -- Chosen by the sender, which uses it to read the claim again if the answer was lost.
  id uuid primary key,
  worker uuid not null,
  claimed_at timestamptz not null,
  deliveries uuid[] not null
);

-- The outcome of an attempt, and the state of its delivery after it, as decided by its machine. Times are in milliseconds,
-- which are parsed in a tenth of the time of a date.
create type delivery_outcome as (
  id uuid, was integer, number integer, event text, state text, trigger text,
  next_attempt_ms bigint, resume_ms bigint, delivered_ms bigint, at_ms bigint,
  outcome text, duration_ms integer, http_status integer, response_snippet text,
  signed_s integer, response_headers json
);

-- An endpoint with due deliveries, how many may be claimed, and a time before which none is due. Earlier index entries
-- are of deliveries that were claimed before; a long transaction keeps them from being removed.
create type delivery_asking as (endpoint_id uuid, want integer, low_ms bigint);
