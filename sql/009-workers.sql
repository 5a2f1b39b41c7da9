-- The processes that run tasks. A row is the identity of one worker. It is inserted when the worker starts to take jobs
-- and deleted when the worker has stopped, or when other workers find that its heartbeat has stopped.
-- Unlogged: heartbeats are worth nothing after a crash of the server, and unlogged ones write no WAL and wait for no
-- disk. A worker whose row is gone stops and starts again.
create unlogged table workers (
  -- The value that graphile-worker writes to locked_by of the jobs of this worker.
  id text not null,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null default now(),
  -- A worker is alive as long as this number rises. Times are not compared, because clocks may be set.
  beats bigint not null default 0,
  -- Shown to operators. Nothing compares it.
  beat_at timestamptz not null default now(),
  constraint workers_pkey primary key (id)
);
