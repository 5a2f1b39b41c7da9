-- The processes that run tasks. A row is the identity of one worker: it comes when the worker starts
-- to take jobs and goes when it has stopped, or when the others find that it beats no more.
-- Unlogged: a beat is worth nothing after a crash of the server, and this way beating writes no log
-- and waits for no disk. Workers whose row vanished take it for their end and start anew.
create unlogged table workers (
  -- What graphile-worker writes into locked_by of every job this worker takes.
  id text not null,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null default now(),
  -- A worker lives as long as this number moves. No time is compared with another: clocks may step.
  beats bigint not null default 0,
  -- For people to look at.
  beat_at timestamptz not null default now(),
  constraint workers_pkey primary key (id)
);
