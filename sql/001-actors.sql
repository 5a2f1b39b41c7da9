-- The durable-actor core: what every machine shares. It knows nothing of payments. Its functions are in
-- 101-actors-functions.sql, except those that the defaults and indexes of tables need.

-- Made by the database, so that one statement can write a record and the rows that belong to it.
create function new_uuidv7() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- Transaction ids order the feeds below, and they start anew when a dump is restored into another
-- cluster. An era is a run of comparable transaction ids: it rises with the cluster's identity.
create table eras (
  era integer primary key,
  -- The cluster's own number, and the timeline its log is on: a standby that was promoted before it
  -- had everything gives out again what the lost end of the old timeline had used.
  cluster text not null,
  -- Changes with every start of the server, so that a commit need only compare this.
  postmaster_started timestamptz not null
);

-- The current era; opens a new one when the cluster is not the one that was written to last.
create function check_era() returns integer language plpgsql as $$
declare
  latest eras;
  identity text := (select system_identifier from pg_control_system())
    || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
begin
  perform pg_advisory_xact_lock(hashtext('paymachine eras'));
  select * into latest from eras order by era desc limit 1;
  if latest.cluster is distinct from identity then
    insert into eras values (coalesce(latest.era, 0) + 1, identity, pg_postmaster_start_time())
    returning * into latest;
  elsif latest.postmaster_started <> pg_postmaster_start_time() then
    update eras set postmaster_started = pg_postmaster_start_time() where era = latest.era;
  end if;
  return latest.era;
end $$;

-- Cheap enough for every commit: a server that has restarted since is looked at closely, once.
create function current_era() returns integer language plpgsql as $$
declare
  latest eras;
begin
  select * into latest from eras order by era desc limit 1;
  if latest.postmaster_started = pg_postmaster_start_time() then
    return latest.era;
  end if;
  return check_era();
end $$;

-- Every change of every actor: audit trail, inspector feed and replay are the same rows. A kind may name events that are
-- not recorded here because another table holds them. The columns are in an order that wastes no padding: this is the
-- largest table.
create table transitions (
  actor uuid not null,
  command uuid not null,
  -- Of the actor; null where it has none.
  merchant_id uuid,
  at timestamptz not null,
  -- When the actor was created, for readers that count an actor in the period of its creation.
  actor_created_at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  -- Orders the rows of one transaction; drawn a thousand at a time, since nothing else is read into it.
  seq bigint generated always as identity (cache 1000),
  era integer not null,
  rev integer not null,
  livemode boolean,
  -- The caller chose the command's id and may send it again; see transitions_command_once.
  keyed boolean not null,
  kind text not null,
  event text not null,
  from_state text,
  to_state text not null,
  -- Who or what asked: an API key, a user, a task, a timer.
  cause text,
  -- By transition_digest(): the audit finds a row that was changed after its commit.
  digest bytea,
  -- An allow-list of fields, as they were after this change.
  context json not null,
  constraint transitions_pkey primary key (actor, rev),
  constraint transitions_first check ((rev = 1) = (from_state is null)),
  constraint transitions_owner check ((merchant_id is null) = (livemode is null))
);
-- The feed: readFeed() pages by exactly this.
create index transitions_feed on transitions (era, xid, seq);
-- A command is carried out once per actor, whoever sends it again and whenever.
create unique index transitions_command_once on transitions (actor, command) where keyed;
-- A merchant's stream pages by this.
create index transitions_of_merchant on transitions (merchant_id, livemode, era, xid, seq);
-- An operator's list of the transitions into a rare state. Equal keys share an entry of six bytes a row; with the feed's
-- columns it was 90. The latest transitions into a frequent state are found by reading the feed backwards.
create index transitions_by_state on transitions (kind, to_state);

-- What the outside is told. Rendered once, in the commit of the transition, and never changed.
create table events (
  id uuid primary key,
  kind text not null,
  actor uuid not null,
  rev integer not null,
  type text not null,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  -- json, not jsonb: the text is kept as it was rendered.
  object json not null,
  created_at timestamptz not null,
  -- The transaction that wrote it: the one of its transition.
  era integer not null,
  xid xid8 not null default pg_current_xact_id(),
  -- Its place in the merchant's list: see lock_list().
  seq bigint generated always as identity,
  -- By event_digest(), as of transitions.
  digest bytea
);
-- A merchant's event list pages by exactly this.
create index events_list on events (merchant_id, livemode, seq);

-- A merchant's records of one mode that have one thing in common, in eight bytes. Two such lists may share a key: whoever
-- asks by it compares what it was made of too.
create function list_key(merchant uuid, mode boolean, common text) returns bigint language sql immutable parallel safe
return uuid_hash_extended(merchant, hashtextextended(common, mode::integer));

-- GET /v1/events?type=. Every commit writes here, at as many places as there are types: with the columns themselves,
-- twice as wide and compared one by one, it cost more than the event and all its other indexes together.
create index events_by_type on events (list_key(merchant_id, livemode, type), seq);

-- XState's `after`, durable. The row goes in the commit that enters a state and leaves in the one that leaves it.
create table timers (
  actor uuid not null,
  -- The delay and the state it belongs to: `window.payment.pending`.
  name text not null,
  kind text not null,
  -- The rev that armed it. A timer of an earlier generation that is still in flight finds another one here.
  generation integer not null,
  due_at timestamptz not null,
  -- How often firing ended in a fault; each fault postpones it, so that it cannot starve the others.
  failures integer not null default 0,
  constraint timers_pkey primary key (actor, name)
);
-- The timer loop reads the earliest due.
create index timers_due on timers (due_at);

-- Which versions of a machine have ever run here; a start checks that it can read what they wrote.
create table machine_versions (
  kind text not null,
  version integer not null,
  constraint machine_versions_pkey primary key (kind, version)
);

-- The columns that every table of actors begins with, by `like actor_columns including all`. Holds no rows.
create table actor_columns (
  id uuid primary key,
  state text not null,
  rev integer not null,
  -- Of the machine that wrote the row.
  version integer not null,
  -- The process that has the actor to itself, and until when: see lease.ts.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its place in lists: see lock_list(). A delivery is written under the lock of the list of events.
  seq bigint generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null
);

-- What a commit is given, in arrays: a text literal of rows is parsed in a third of the time that
-- json_to_recordset takes. `g` is the group of connected commands that stand or fall together.
-- A step is a row of history and the event it publishes, if any, in one entry: parsing is a fifth of
-- a commit. Where it publishes several, the others follow in entries of their own, without `to_state`; so does the event
-- of a step that is not recorded. Times are in milliseconds, which cost a tenth of a date's text.
create type step_entry as (
  g integer, actor uuid, rev integer, kind text, command uuid, keyed boolean, event text,
  from_state text, to_state text, cause text, created_ms bigint, merchant_id uuid, livemode boolean,
  event_id uuid, event_type text, api_version text
);
create type timer_entry as (g integer, actor uuid, name text, kind text, generation integer, due_ms bigint);
-- A function to call with an actor and what the action gave it. `is_new`: the commit inserts the actor.
create type write_entry as (g integer, actor uuid, is_new boolean, name text, given json);
create type canceled_entry as (g integer, actor uuid, name text);
-- A job that several groups ask for by one key is added when any of them is committed.
create type job_entry as (gs integer[], task text, effect text, run_at timestamptz, key text);
