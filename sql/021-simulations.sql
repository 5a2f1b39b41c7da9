-- Scenarios that are acted on the sandbox chain at this moment. Whoever acts one keeps its row alive; that of a
-- process that has died ends by itself, and what it has sent stays sent.
create table simulations (
  payment_id uuid primary key,
  holder uuid not null,
  -- Takes blocks back: nobody acts beside it.
  reorganizes boolean not null,
  -- Of the request.
  idempotency_key text,
  seq bigint generated always as identity,
  until timestamptz not null
);

-- Takes a payment for a scenario. When another one has it, answers the key of its request, or nothing for none.
create function begin_simulation(payment uuid, whose uuid, reorganization boolean, key text, lasting interval)
returns table (taken boolean, by_key text) language plpgsql as $$
begin
  -- Turns go by number: without this one could be drawn first and be seen last.
  perform pg_advisory_xact_lock(hashtextextended('simulations', 0));
  delete from simulations where until < clock_timestamp();
  insert into simulations (payment_id, holder, reorganizes, idempotency_key, until)
  values (payment, whose, reorganization, key, clock_timestamp() + lasting)
  on conflict do nothing;
  return query select s.holder <> whose, s.idempotency_key from simulations s where s.payment_id = payment;
end $$;

-- Keeps a row alive and answers whether it is its turn; nothing when it has been lost. A reorganisation waits for
-- all that came before it, and all that come after wait for it.
create function await_simulation(payment uuid, whose uuid, lasting interval) returns boolean language sql as $$
  with mine as (
    update simulations set until = clock_timestamp() + lasting
    where payment_id = payment and holder = whose returning seq, reorganizes)
  select not exists (
    select from simulations s
    where s.seq < mine.seq and (s.reorganizes or mine.reorganizes) and s.until > clock_timestamp())
  from mine
$$;
