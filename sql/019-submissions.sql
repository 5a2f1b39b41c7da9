-- Hashes of transactions that customers say they have paid with. They change nothing by themselves: whoever
-- reads the payment's chain asks what became of them (src/chain/watch/submissions.ts).
create table submissions (
  payment_id uuid not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  -- The payment's, when it was looked at last.
  chain_id bigint not null,
  -- It was found, and not deep enough: nobody looks again before this block is final.
  block_number bigint,
  -- In vain so far, since it was last found anywhere.
  looks integer not null default 0,
  next_look_at timestamptz not null default now(),
  primary key (payment_id, tx_hash)
);
create index submissions_due on submissions (chain_id, next_look_at);

-- Keeps a hash, of so many different ones for a payment: `kept`, `known`, or `too_many`.
create function submit_transaction(payment uuid, chain bigint, hash text, most integer) returns text
language plpgsql as $$
declare
  made integer;
begin
  -- Two at once would both find room for one.
  perform pg_advisory_xact_lock(hashtextextended('submissions ' || payment, 0));
  insert into submissions (payment_id, chain_id, tx_hash)
  select payment, chain, hash where (select count(*) from submissions where payment_id = payment) < most
  on conflict do nothing;
  get diagnostics made = row_count;
  return case
    when made = 1 then 'kept'
    when exists (select from submissions where payment_id = payment and tx_hash = hash) then 'known'
    else 'too_many'
  end;
end $$;

-- When to look again for what was looked for in vain so often: in a second, in two, and so on up to five minutes.
create function next_look(looks integer) returns timestamptz language sql stable as $$
  select now() + least(power(2, least(looks, 9)), 300) * interval '1 second'
$$;

-- Takes those of a chain that are due and may decide something, the least looked at first, and puts their next
-- look off. `final_to`: up to there the chain is final.
create function claim_submissions(chain bigint, final_to bigint, most integer) returns setof submissions
language plpgsql as $$
begin
  -- Nearly always, and then this is all that it costs.
  if not exists (select from submissions where chain_id = chain and next_look_at <= now()) then
    return;
  end if;

  delete from submissions s using payments p
  where s.chain_id = chain and s.next_look_at <= now()
    and p.id = s.payment_id and p.state not in ('pending', 'processing');

  -- Money that is seen decides by itself, and may yet be reorganised away.
  update submissions s
  set chain_id = coalesce(p.chain_id, s.chain_id), looks = 0, block_number = null,
    next_look_at = now() + case when p.chain_id <> s.chain_id then interval '0' else interval '10 seconds' end
  from payments p
  where s.chain_id = chain and s.next_look_at <= now() and p.id = s.payment_id
    and (p.state <> 'pending' or p.amount_received > 0 or p.chain_id is distinct from s.chain_id);

  return query
    with due as (
      select s.payment_id, s.tx_hash from submissions s
      where s.chain_id = chain and s.next_look_at <= now() and (s.block_number is null or s.block_number <= final_to)
        -- What the books have of it is told first.
        and not exists (
          select from unsettled_payments u join payments p on p.id = u.payment_id
          where u.payment_id = s.payment_id and u.told_rev is distinct from p.rev)
      order by s.looks, s.next_look_at limit most
      -- Another worker has them.
      for update skip locked)
    update submissions s
    set looks = s.looks + 1, next_look_at = next_look(s.looks)
    from due where s.payment_id = due.payment_id and s.tx_hash = due.tx_hash
    returning s.*;
end $$;
