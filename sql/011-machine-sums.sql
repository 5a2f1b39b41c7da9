-- What operators see of all machines: the number of actors in each state, how often each arrow was taken, and how long
-- actors stayed in a state. Kept by one reader of the feed, count_transitions(), because a row that every commit changed
-- would make them wait for each other. rebuild_machine_sums() makes the tables from the others.

-- The readers of the feed that keep sums, each with its place: everything up to it is in the sums of the reader. The
-- statement that adds to the sums moves the place.
create table feed_cursors (
  reader text primary key,
  era integer not null,
  xid xid8 not null,
  seq bigint not null
);
insert into feed_cursors values ('machines', 0, '0', 0);

create table machine_states (
  kind text not null,
  state text not null,
  actors bigint not null,
  constraint machine_states_pkey primary key (kind, state)
);

-- How often actors went from a state to another one, per minute for two hours, and per hour, day and week for 31 days. Each
-- transition is in a row of each span, so that a long window is read from few rows: see spans_since().
create table machine_flows (
  span text not null,
  starts_at timestamptz not null,
  kind text not null,
  from_state text not null,
  to_state text not null,
  taken bigint not null,
  constraint machine_flows_pkey primary key (span, starts_at, kind, from_state, to_state)
);

-- How many stays in a state ended, by duration, per minute for two hours, per hour for a day, and per day
-- and week for 31 days.
create table machine_stays (
  span text not null,
  starts_at timestamptz not null,
  kind text not null,
  state text not null,
  -- By duration_class().
  duration smallint not null,
  stays bigint not null,
  constraint machine_stays_pkey primary key (span, starts_at, kind, state, duration)
);
