-- Runs of the audit (src/audit), which checks every invariant of the database. A row is inserted when a run is requested.
create table audits (
  id uuid not null default new_uuidv7(),
  status text not null default 'running',
  -- What started it: the schedule of each night, an operator, or `bun run audit`.
  started_by text not null,
  -- The operator.
  account_id uuid,
  started_at timestamptz not null default now(),
  -- Renewed every few seconds by the process that runs it: see audit_is_dead(). A requested run that no worker takes
  -- ends the same way.
  beat_at timestamptz not null default now(),
  -- Rises when a worker takes the run. After a worker was killed, another takes it: then the first writes nothing.
  attempt integer not null default 0,
  finished_at timestamptz,
  -- Of each finished check: name, status, count and sample.
  checks json not null default '[]',
  -- Its place in the list. Starts are serialized, so runs become visible in this order.
  seq bigint generated always as identity,

  constraint audits_pkey primary key (id),
  constraint audits_status check (status in ('running', 'clean', 'findings', 'failed')),
  constraint audits_started_by check (started_by in ('schedule', 'operator', 'command')),
  constraint audits_account check ((started_by = 'operator') = (account_id is not null)),
  constraint audits_finished check ((status = 'running') = (finished_at is null))
);
-- At most one run at a time, whichever process starts it.
create unique index audits_one_running on audits (status) where status = 'running';
create index audits_list on audits (seq);
