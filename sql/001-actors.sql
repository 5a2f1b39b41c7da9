-- The durable-actor core: what every machine shares. It knows nothing of payments. Its functions are in
-- 101-actors-functions.sql, except those that the defaults and indexes of tables need.

-- Lets one statement write a record and the rows that refer to it.
create function new_uuidv7() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- Feeds are ordered by transaction id, and transaction ids start again when a dump is restored into another cluster. An
-- era is a run of transaction ids that can be compared. It also ends when a dump is restored within the cluster: refund
-- signers and deposit addresses must know that what was written after the backup is lost.
create table eras (
  era integer primary key,
  -- By identify_cluster(), when the era began.
  cluster text not null,
  -- Changes with every start of the server, so a commit only needs to compare this column.
  postmaster_started timestamptz not null
);

-- The cluster's system identifier and timeline, and the OIDs of the database and of this table. A standby that was
-- promoted before it had received everything has another timeline, and assigns again the transaction ids that the lost
-- end of the old one had used. A restored dump has another table, a copy by `create database … template` another
-- database. A copy of the cluster's files has another time at which they were made, which the embedded server sets; a snapshot
-- of its disk differs in nothing.
create function identify_cluster() returns text language sql as $$
  select concat_ws('.', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
    nullif(current_setting('paymachine.files_made_at', true), ''),
    (select oid from pg_database where datname = current_database()), 'eras'::regclass::oid)
$$;

-- Returns the current era. Starts a new one when the cluster is not the one that wrote last.
create function check_era() returns integer language plpgsql as $$
declare
  latest eras;
  identity text := identify_cluster();
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

-- Called in every commit, so it reads the cluster's identity only once after each restart of the server. A dump that was
-- restored since then, while processes kept running, shows in the table's OID.
create function current_era() returns integer language plpgsql as $$
declare
  latest eras;
begin
  select * into latest from eras order by era desc limit 1;
  if latest.postmaster_started = pg_postmaster_start_time() and latest.cluster like '%.' || 'eras'::regclass::oid then
    return latest.era;
  end if;
  return check_era();
end $$;

-- The field names of stored JSON objects, which are the greater part of a small object. History and events hold the values
-- only: see json_of().
create table json_layouts (
  -- By hash of the template, so that it is the same in every database: see src/actors/json-layouts.ts.
  id integer primary key,
  -- For format(): `{"currency":%s,"txHash":%s}`.
  template text not null
);

-- The object that a stored text means: the id of its layout and the JSON of each value, separated by tabs. Nothing stands
-- for null. A text that is a JSON object means itself.
create function json_of(stored text) returns json language plpgsql stable parallel safe as $$
declare
  parts text[];
begin
  if left(stored, 1) = '{' then
    return stored;
  end if;
  parts := array_replace(string_to_array(stored, E'\t'), '', 'null');
  return (select format(template, variadic parts[2:]) from json_layouts where id = parts[1]::integer);
end $$;

-- The key of a merchant's records in one mode that share a value, in eight bytes. Two such sets may have the same key,
-- so a query by the key compares merchant, mode and value too.
create function list_key(merchant uuid, mode boolean, common text) returns bigint language sql immutable parallel safe
return uuid_hash_extended(merchant, hashtextextended(common, mode::integer));

-- Every change of every actor: audit trail, inspector feed and replay are the same rows. A kind may name events that
-- are not recorded here because other tables hold them. The columns are ordered so that no padding is lost: this is the
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
  -- Orders the rows of one transaction. Numbers are drawn a thousand at a time, because nothing else depends on them.
  seq bigint generated always as identity (cache 1000),
  era integer not null,
  rev integer not null,
  livemode boolean,
  -- The caller chose the command's id and may send the command again: see transitions_command_once.
  keyed boolean not null,
  kind text not null,
  event text not null,
  from_state text,
  to_state text not null,
  -- What sent the command: an API key, a user, a task or a timer; and the ID of its request. See src/http/causes.ts.
  cause text,
  -- By transition_digest(): the audit finds a row that was changed after its commit.
  digest bytea,
  -- An allow-list of fields, as they were after this change: see json_of().
  context text not null,
  constraint transitions_pkey primary key (actor, rev),
  constraint transitions_first check ((rev = 1) = (from_state is null)),
  constraint transitions_owner check ((merchant_id is null) = (livemode is null))
);
-- The feed: readFeed() pages by this.
create index transitions_feed on transitions (era, xid, seq);
-- An actor takes a command at most once, whichever process sends it again and however late.
create unique index transitions_command_once on transitions (actor, command) where keyed;
-- A merchant's stream pages by this. With the key it is two thirds as wide as with the columns, and the few rows of one
-- transaction are sorted when they are read.
create index transitions_of_merchant on transitions (list_key(merchant_id, livemode, ''), era, xid);
-- An operator's list of the transitions into a rare state. Equal keys share an entry of six bytes a row; with the feed's
-- columns it was 90. The latest transitions into a frequent state are found by reading the feed backwards.
create index transitions_by_state on transitions (kind, to_state);

-- Public events. Rendered once, in the commit of their transition, and never changed.
create table events (
  id uuid primary key,
  kind text not null,
  actor uuid not null,
  rev integer not null,
  type text not null,
  merchant_id uuid not null,
  livemode boolean not null,
  api_version text not null,
  -- As it was rendered: see json_of().
  object text not null,
  created_at timestamptz not null,
  -- The transaction that wrote the event, which is that of its transition.
  era integer not null,
  xid xid8 not null default pg_current_xact_id(),
  -- Its place in the merchant's list: see lock_list().
  seq bigint generated always as identity,
  -- By event_digest().
  digest bytea
);
-- A merchant's event list pages by this.
create index events_list on events (merchant_id, livemode, seq);

-- GET /v1/events?type=. Every commit with events writes to this index, at a different place for each type. An index on
-- the columns themselves is twice as wide, and maintaining it cost more than inserting the event and maintaining all
-- its other indexes.
create index events_by_type on events (list_key(merchant_id, livemode, type), seq);

-- GET /v1/events?objectId=.
create index events_of_object on events (actor, seq);

-- XState's `after`, stored. The commit that enters a state inserts the row and the commit that leaves the state deletes
-- it.
create table timers (
  actor uuid not null,
  -- The delay and the state it belongs to: `window.payment.pending`.
  name text not null,
  kind text not null,
  -- The rev that armed the timer. A process that fires a timer of an earlier generation finds a different number here.
  generation integer not null,
  due_at timestamptz not null,
  -- How often firing the timer failed. Each failure postpones it, so that it does not delay other timers.
  failures integer not null default 0,
  -- Fired by the loop of its kind, not by the timer loop: see `hasPlannedTimers` in src/actors/kind.ts.
  planned boolean not null default false,
  -- Set: the timer is due by this test clock, whose time need not be the real one. See 020-test-clocks.sql.
  test_clock_id uuid,
  -- When a timer that failed and is planned, or of a test clock, is tried again, in real time. Its due time stays.
  retry_at timestamptz,
  constraint timers_pkey primary key (actor, name)
);
-- The timer loop reads the timers that are due first. Planned ones may be due and wait, any number of them, so they have an
-- index of their own.
create index timers_due on timers (due_at) where not planned and test_clock_id is null;
create index timers_planned on timers (kind, due_at, actor) where planned and test_clock_id is null;
-- The same for each test clock, of both.
create index timers_due_by_clock on timers (test_clock_id, due_at) where test_clock_id is not null;
-- The list of stuck actors reads the few timers whose event fails again and again.
create index timers_failing on timers (kind) where failures >= 3;

-- The machine versions that have run on this database. A server does not start unless it can read the rows of all of
-- them.
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
  -- The holder of a lease on the actor, and when the lease ends: see lease.ts.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its place in lists: see lock_list(). A delivery is written under the lock of the list of events.
  seq bigint generated always as identity,
  merchant_id uuid not null,
  livemode boolean not null
);

-- The arguments of a commit are arrays of these types: Postgres parses an array literal in a third of the time of
-- json_to_recordset(). `g` is the group: the connected commands that are committed together or not at all.
-- An entry holds a transition and the event that it publishes, if any, because parsing takes a fifth of a commit.
-- Further events of a transition follow as entries without `to_state`, and so does the event of a transition that is
-- not recorded. Times are in milliseconds, which are parsed in a tenth of the time of a date.
create type step_entry as (
  g integer, actor uuid, rev integer, kind text, command uuid, keyed boolean, event text,
  from_state text, to_state text, cause text, created_ms bigint, merchant_id uuid, livemode boolean,
  event_id uuid, event_type text, api_version text
);
create type timer_entry as (
  g integer, actor uuid, name text, kind text, generation integer, due_ms bigint, planned boolean, clock uuid
);
-- A function to call with an actor's id and the arguments that its action gave. `is_new`: the commit inserts the actor.
create type write_entry as (g integer, actor uuid, is_new boolean, name text, given json);
-- The time of a test clock that a group was decided with.
create type clock_entry as (g integer, clock uuid, now_ms bigint);
create type canceled_entry as (g integer, actor uuid, name text);
-- A job that several groups request by one key is added when any of the groups is committed.
create type job_entry as (gs integer[], task text, effect text, run_at timestamptz, key text);
