-- The toy the core is shown with: a lamp that burns for a while when it is switched on.
create table lamps (
  id uuid primary key,
  state text not null,
  rev integer not null,
  version integer not null,
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  room text,
  switched integer not null,
  burn_ms integer not null,
  constraint lamps_state check (state in ('off', 'on', 'broken')),
  constraint lamps_switched_limit check (switched <= 1000000)
);
create unique index lamps_room_once on lamps (room);
select define_actor_table('lamps');

create table sightings (
  tx text primary key,
  lamp uuid not null
);
select define_commit_rows('sightings');
