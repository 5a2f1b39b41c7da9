-- Scenarios that are acted on the sandbox chain at this moment. The process that acts one touches its row again and
-- again. The row of a process that has ended counts no more, and what it has sent stays sent.
create table simulations (
  payment_id uuid primary key,
  holder uuid not null,
  -- Takes blocks back: no other scenario is acted meanwhile.
  reorganizes boolean not null,
  -- Of the request.
  idempotency_key text,
  seq bigint generated always as identity,
  touched_at timestamptz not null,
  -- The session that touched it last. It ends with its process.
  backend integer not null,
  backend_start timestamptz not null
);

-- Whether it is still acted. Rows are touched every second (src/sandbox/simulate/turn.ts): one that was not touched for
-- four is over, and after fifteen where the session is still there that touched it last, as that of a process which is
-- slow. A session may also end because its connection was lost: the next touch is by another one.
create function is_acted(s simulations) returns boolean language sql as $$
  select s.touched_at > clock_timestamp() - interval '4 seconds'
    or s.touched_at > clock_timestamp() - interval '15 seconds' and exists (
      select from pg_stat_get_activity(s.backend) a where a.backend_start = s.backend_start)
$$;

-- Takes a payment for a scenario. Answers who has it now.
create function begin_simulation(payment uuid, whose uuid, reorganization boolean, key text)
returns setof simulations language plpgsql as $$
begin
  -- Turns go by number: without this one could be drawn first and be seen last.
  perform pg_advisory_xact_lock(hashtextextended('simulations', 0));
  delete from simulations s where not is_acted(s);
  insert into simulations (payment_id, holder, reorganizes, idempotency_key, touched_at, backend, backend_start)
  select payment, whose, reorganization, key, clock_timestamp(), a.pid, a.backend_start
  from pg_stat_get_activity(pg_backend_pid()) a
  on conflict do nothing;
  return query select * from simulations s where s.payment_id = payment;
end $$;

-- Touches a row and answers whether it is its turn; nothing when it has been lost. A reorganisation waits for
-- all that came before it, and all that come after wait for it.
create function await_simulation(payment uuid, whose uuid) returns boolean language sql as $$
  with mine as (
    update simulations
    set touched_at = clock_timestamp(), backend = a.pid, backend_start = a.backend_start
    from pg_stat_get_activity(pg_backend_pid()) a
    where payment_id = payment and holder = whose returning seq, reorganizes)
  select not exists (
    select from simulations s
    where s.seq < mine.seq and (s.reorganizes or mine.reorganizes) and is_acted(s))
  from mine
$$;
