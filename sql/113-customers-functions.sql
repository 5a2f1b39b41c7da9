-- The functions of 013-customers.sql.

select define_actor_table('customers');
select define_commit_rows('customer_emails');
select define_commit_rows('credit_entries');

-- The customer whose records these are now.
create function survivor_of(customer uuid) returns uuid language sql stable as $$
  select coalesce((select survivor_id from merged_customers where customer_id = customer), customer)
$$;

-- Whoever writes to the ledger of a customer holds this lock in shared mode, and a merge holds it exclusively. 256 locks
-- for all customers, because a commit must not fill the server's lock table.
create function customer_lock(customer uuid) returns integer language sql immutable as $$
  select uuid_hash(customer) & 255
$$;

-- Adds an entry to the balance of its customer. The update locks the balance, so concurrent entries are added one after
-- the other; credit_balances_range refuses an entry that would make it negative.
create function add_to_credit_balance() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('customers'), customer_lock(new.customer_id));
  new.customer_id := survivor_of(new.customer_id);
  insert into credit_balances as b (customer_id, currency, balance_minor)
  values (new.customer_id, new.currency, 0)
  on conflict (customer_id, currency) do nothing;
  update credit_balances b set balance_minor = b.balance_minor + new.amount_minor
  where b.customer_id = new.customer_id and b.currency = new.currency
  returning b.balance_minor into new.balance_minor;
  return new;
end $$;

-- A trigger, because entries are rows of commands of several machines, and each must change the balance.
create trigger credit_entries_add_to_balance before insert on credit_entries
for each row execute function add_to_credit_balance();

create function refuse_change_of_credit() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the credit ledger never change';
end $$;

create trigger credit_entries_never_change before update or delete on credit_entries
for each row execute function refuse_change_of_credit();

-- What merging a customer writes besides its row: its e-mail addresses, its credit and the customers that were merged
-- into it before belong to the survivor. The rows of both customers are locked.
create function merge_customer(customer uuid, given json) returns void language plpgsql as $$
declare
  survivor uuid := given->>'into';
  its customers;
begin
  select * into its from customers where id = customer;
  -- Before the lock of the ledger, in the order of commits that write entries.
  perform lock_list('credit_entries', array[its.merchant_id]);
  perform pg_advisory_xact_lock(hashtext('customers'), customer_lock(customer));
  update customer_emails set customer_id = survivor where customer_id = customer;
  insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, note, created_at)
  select moved.customer_id, b.currency, new_uuidv7(), its.merchant_id, its.livemode, 'adjustment', moved.amount,
    'Customer merged', now()
  from credit_balances b
  cross join lateral (values (customer, -b.balance_minor), (survivor, b.balance_minor)) as moved(customer_id, amount)
  where b.customer_id = customer and b.balance_minor > 0;
  update merged_customers set survivor_id = survivor where survivor_id = customer;
  insert into merged_customers values (customer, survivor);
end $$;

-- The sums of a customer with those of all customers that were merged into it. Nothing for a merged customer.
create function totals_of_customer(customer uuid) returns table (
  currency text, payments_count bigint, volume_minor bigint, refunded_minor bigint, credit_minor bigint,
  first_payment_at timestamptz, last_payment_at timestamptz
) language sql stable as $$
  with family as materialized (
    select customer as id where not exists (select from merged_customers where customer_id = customer)
    union all
    select customer_id from merged_customers where survivor_id = customer
  ), paid as (
    select t.currency, sum(t.payments_count)::bigint as payments_count, sum(t.volume_minor)::bigint as volume_minor,
      sum(t.refunded_minor)::bigint as refunded_minor, min(t.first_payment_at) as first_payment_at,
      max(t.last_payment_at) as last_payment_at
    from customer_totals t where t.customer_id in (select id from family)
    group by t.currency
  )
  select currency, coalesce(p.payments_count, 0), coalesce(p.volume_minor, 0), coalesce(p.refunded_minor, 0),
    coalesce(c.balance_minor, 0), p.first_payment_at, p.last_payment_at
  from paid p
  full join (
    select b.currency, b.balance_minor from credit_balances b where b.customer_id = customer
      and not exists (select from merged_customers m where m.customer_id = customer)
  ) c using (currency)
  order by currency
$$;
