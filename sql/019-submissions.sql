-- Hashes of transactions that customers say they have paid with. They change nothing by themselves: whoever
-- reads the payment's chain asks what became of them (src/chain/watch/submissions.ts).
create table submissions (
  payment_id uuid not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  -- The payment's, when it was looked at last.
  chain_id bigint not null,
  -- The block that it was found in, when it was not final yet; until that is final nobody looks again.
  block_number bigint,
  -- In vain so far, since it was last found anywhere.
  looks integer not null default 0,
  next_look_at timestamptz not null default now(),
  primary key (payment_id, tx_hash)
);
create index submissions_due on submissions (chain_id, next_look_at);

-- Keeps a hash, of so many different ones for a payment; false for one more.
create function submit_transaction(payment uuid, chain bigint, hash text, most integer) returns boolean
language plpgsql as $$
begin
  -- Two at once would both find room for one.
  perform pg_advisory_xact_lock(hashtextextended('submissions ' || payment, 0));
  insert into submissions (payment_id, chain_id, tx_hash)
  select payment, chain, hash where (select count(*) from submissions where payment_id = payment) < most
  on conflict do nothing;
  return exists (select from submissions where payment_id = payment and tx_hash = hash);
end $$;
