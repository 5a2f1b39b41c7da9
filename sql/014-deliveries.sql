-- Webhook deliveries: machines/delivery.ts. One per event and endpoint.
create table deliveries (
  id uuid primary key,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its place in lists. It is written with its event, under the lock of the list of events.
  seq bigint generated always as identity,

  merchant_id uuid not null,
  livemode boolean not null,
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
  -- Never more than five requests that nobody asked for, whatever crashes.
  constraint deliveries_five_attempts check (automatic_attempts between 0 and 5 and attempts >= automatic_attempts),
  constraint deliveries_planned check ((state = 'pending') = (next_attempt_at is not null)),
  -- The attempt is written down before its first byte, and whoever died over it is found by its age.
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

-- An event goes to an endpoint as one delivery, however often it is fanned out.
create unique index deliveries_event_once on deliveries (event_id, endpoint_id);

-- The claim: the due rows of chosen endpoints, earliest first.
create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where state = 'pending';
-- The feed: endpoints that have become due since somebody last looked.
create index deliveries_feed on deliveries (next_attempt_at, endpoint_id) where state = 'pending';

-- An endpoint's list, state by state: one of a single state pages by exactly this, one of all merges
-- them. A second index without the state would be written to in every change of every delivery.
create index deliveries_list on deliveries (endpoint_id, state, seq);

select define_actor_table('deliveries');
