-- The machine the core is measured with; every command of it is a row of history, a public event,
-- a timer armed or canceled, and a job asked for.
create table meters (
  id uuid primary key,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ticks integer not null,
  amount_minor bigint not null,
  currency text not null,
  owner text not null,
  due_ms integer not null,
  constraint meters_state check (state in ('low', 'high'))
) with (fillfactor = 70);
select define_actor_table('meters');
