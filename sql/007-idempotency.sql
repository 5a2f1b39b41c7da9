-- Idempotency keys: what a request was answered, kept in the commit that did its work.
create table idempotency_keys (
  merchant_id uuid not null,
  livemode boolean not null,
  key text not null,
  -- SHA-256 of method, path and canonical JSON: the same key with anything else is a mistake.
  fingerprint bytea not null,
  status integer not null,
  -- The very bytes of the first answer.
  body text not null,
  -- These are kept for good: money that went out twice does not come back.
  is_refund boolean not null,
  created_at timestamptz not null,
  -- The record that was answered with: the audit looks for the keys of refunds.
  record_id uuid not null,

  constraint idempotency_keys_pkey primary key (merchant_id, livemode, key),
  constraint idempotency_keys_key check (key ~ '^[ -~]{1,255}$'),
  constraint idempotency_keys_fingerprint check (length(fingerprint) = 32),
  -- A refusal leaves its key free.
  constraint idempotency_keys_status check (status between 200 and 299)
);
-- Finds what is old enough to be forgotten.
create index idempotency_keys_old on idempotency_keys (created_at) where not is_refund;

-- What is kept under a key. Each question forgets a few that are older than 30 days, and none that
-- another is forgetting: a question brings one key at most, so the old ones never pile up.
create function find_kept_answer(merchant uuid, its_livemode boolean, its_key text)
returns table (fingerprint bytea, status integer, body text) language plpgsql
-- A plan is kept from when the table was empty, and every question here is one for an index.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  -- Not clock_timestamp(), which no index can be asked for: every key would be looked at.
  delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where not is_refund and created_at < now() - interval '30 days'
    order by created_at limit 5 for update skip locked));
  return query
    select k.fingerprint, k.status, k.body from idempotency_keys k
    where k.merchant_id = merchant and k.livemode = its_livemode and k.key = its_key;
end $$;

select define_commit_rows('idempotency_keys');
