-- What is dropped when it is older than the operator keeps it: the responses of webhook endpoints, deliveries with their
-- attempts and their history, and most of the history of actors that are finished. See
-- src/server/retention.ts.

-- How far each part was dropped. Everything that ends is in the feed of transitions, so the feed is walked once, in its order,
-- and needs no index by time.
create table retention_progress (
  part text primary key,
  -- The last transition that was looked at.
  era integer not null,
  xid xid8 not null,
  seq bigint not null,
  -- Rises with every change. What was found before another process has moved the place is not dropped.
  step integer not null,
  -- The sum of dropped_parts, by which the audit finds that one of its rows is missing.
  dropped bigint not null,
  -- Nothing that has happened since then was dropped. Null: nothing was dropped.
  before timestamptz,
  -- When it was last looked through and nothing was left to drop. Null: not yet, or everything is kept.
  completed_at timestamptz,
  -- Why the rest is kept: the last audit had findings, the audit of what would be dropped next had, or an error. Null if nothing
  -- is held back.
  held text,
  constraint retention_progress_before check ((dropped > 0) <= (before is not null)),
  constraint retention_progress_held check (held in ('audit', 'broken', 'failed'))
);
insert into retention_progress
values ('attempt_bodies', 0, '0', 0, 0, 0), ('deliveries', 0, '0', 0, 0, 0), ('history', 0, '0', 0, 0, 0);

-- One row for each part and day, written in the commit that drops something of it. The audit expects what is missing to be
-- exactly what is counted here.
create table dropped_parts (
  part text not null,
  -- The day in UTC on which the deliveries, or the actors of the history, were created.
  day date not null,
  -- Attempts whose response was dropped, deliveries, or transitions.
  dropped bigint not null,
  -- The delivery or the actor of which something was dropped last.
  last_id uuid not null,
  dropped_at timestamptz not null,
  -- By dropped_part_digest(): the audit finds a row that was changed.
  digest bytea not null,
  constraint dropped_parts_pkey primary key (part, day),
  constraint dropped_parts_part check (part in ('attempt_bodies', 'deliveries', 'history')),
  constraint dropped_parts_count check (dropped > 0)
);

-- Where dropped deliveries and transitions were in lists, for a day: a client that has read a page goes on after its last row.
create table dropped_places (
  actor uuid not null,
  -- Of the transition. 0: the delivery itself, in lists of deliveries.
  rev integer not null,
  -- In the feed. Null for a delivery.
  era integer,
  xid xid8,
  seq bigint not null,
  merchant_id uuid,
  livemode boolean,
  dropped_at timestamptz not null,
  constraint dropped_places_pkey primary key (actor, rev),
  constraint dropped_places_feed check ((rev > 0) = (era is not null) and (rev > 0) = (xid is not null))
);
-- Finds those that are older than a day: see record_dropped().
create index dropped_places_old on dropped_places (dropped_at);
