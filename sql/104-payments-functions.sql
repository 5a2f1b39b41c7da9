-- The functions of 004-payments.sql.

select define_actor_table('payments');
select define_actor_table('payment_links');
select define_commit_rows('checkouts');
select define_actor_table('disputes');
select define_commit_rows('idempotency_keys');

-- Returns the answer that is stored under a key. Each call also deletes this key if it is older than 30 days, and a few other
-- such keys, except those that another call is deleting. A call adds at most one key, so old keys do not accumulate.
create function find_kept_answer(merchant uuid, its_livemode boolean, its_key text)
returns table (fingerprint bytea, status integer, body text) language plpgsql
-- Plans are cached from when the table was empty. Every query here has an index.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  -- Not clock_timestamp(), which an index condition cannot use.
  delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where not is_refund and created_at < now() - interval '30 days'
    order by created_at limit 5 for update skip locked));
  delete from idempotency_keys k
  where k.merchant_id = merchant and k.livemode = its_livemode and k.key = its_key
    and not k.is_refund and k.created_at < now() - interval '30 days';
  return query
    select k.fingerprint, k.status, k.body from idempotency_keys k
    where k.merchant_id = merchant and k.livemode = its_livemode and k.key = its_key;
end $$;
