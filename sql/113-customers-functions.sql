-- The functions of 013-customers.sql.

select define_actor_table('customers');
select define_commit_rows('customer_emails');
select define_commit_rows('credit_entries');

-- The customer whose records these are now.
create function survivor_of(customer uuid) returns uuid language sql stable as $$
  select coalesce((select survivor_id from merged_customers where customer_id = customer), customer)
$$;

-- A transaction that writes to the ledger of a customer holds this lock in shared mode, and a merge holds it exclusively.
-- 256 locks for all customers, because a commit must not fill the server's lock table.
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
  currency text, payments_count bigint, volume_minor bigint, refunded_minor bigint, open_minor bigint,
  overdue_minor bigint, credit_minor bigint, first_payment_at timestamptz, last_payment_at timestamptz
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
  ), owed as (
    select i.currency, sum(due.minor)::bigint as open_minor,
      coalesce(sum(due.minor) filter (where i.overdue), 0)::bigint as overdue_minor
    from invoices i
    cross join lateral (
      select i.total_minor - i.credit_applied_minor - i.credit_notes_minor - i.amount_paid_minor as minor) due
    where i.customer_id in (select id from family) and i.state = 'open'
    group by i.currency
  )
  select currency, coalesce(p.payments_count, 0), coalesce(p.volume_minor, 0), coalesce(p.refunded_minor, 0),
    coalesce(o.open_minor, 0), coalesce(o.overdue_minor, 0), coalesce(c.balance_minor, 0), p.first_payment_at,
    p.last_payment_at
  from paid p
  full join owed o using (currency)
  full join (
    select b.currency, b.balance_minor from credit_balances b where b.customer_id = customer
      and not exists (select from merged_customers m where m.customer_id = customer)
  ) c using (currency)
  order by currency
$$;

-- Adds the next transitions of the feed to the totals of customers, and moves the cursor past them. Returns how many it
-- read. The figures of a payment and of a refund that are added here never change.
create function add_customer_totals(most integer) returns integer language plpgsql
-- A plan from when the table was empty would read all of it.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  added integer;
begin
  with page as materialized (
    select * from take_feed_page('customers', most)
  ), totals as (
    insert into customer_totals as s (
      customer_id, currency, payments_count, volume_minor, refunded_minor, first_payment_at, last_payment_at)
    select customer_id, currency, sum(payments), sum(volume), sum(refunded), min(paid_at), max(paid_at)
    from page t cross join lateral customer_change(t.actor, t.kind, t.from_state, t.to_state, t.at)
    group by customer_id, currency
    on conflict (customer_id, currency) do update set
      payments_count = s.payments_count + excluded.payments_count,
      volume_minor = s.volume_minor + excluded.volume_minor,
      refunded_minor = s.refunded_minor + excluded.refunded_minor,
      first_payment_at = least(s.first_payment_at, excluded.first_payment_at),
      last_payment_at = greatest(s.last_payment_at, excluded.last_payment_at)
  )
  select count(*) into added from page;
  return added;
end $$;

-- What a transition adds to the totals of its customer: no row for most of them.
create function customer_change(its_actor uuid, its_kind text, its_from text, its_to text, its_time timestamptz)
returns table (
  customer_id uuid, currency text, payments integer, volume bigint, refunded bigint, paid_at timestamptz
) language sql stable as $$
  select p.customer_id, p.currency, 1, p.amount_minor, 0::bigint, its_time
  from payments p
  where its_kind = 'payment' and its_to = 'success' and its_from <> 'success'
    and p.id = its_actor and p.customer_id is not null
  union all
  select p.customer_id, r.currency, 0, 0::bigint, r.amount_minor, null::timestamptz
  from refunds r join payments p on p.id = r.payment_id
  where its_kind = 'refund' and its_to = 'processed' and its_from <> 'processed'
    and r.id = its_actor and p.customer_id is not null
$$;

-- The totals exactly as this statement sees the tables: the sums, and the transitions that the reader of the feed has not
-- added yet.
create function count_customer_totals() returns table (
  customer_id uuid, currency text, payments_count bigint, volume_minor bigint, refunded_minor bigint
) language sql stable as $$
  select customer_id, currency, sum(payments)::bigint, sum(volume)::bigint, sum(refunded)::bigint
  from (
    select customer_id, currency, payments_count as payments, volume_minor as volume, refunded_minor as refunded
    from customer_totals
    union all
    select c.customer_id, c.currency, c.payments, c.volume, c.refunded
    from feed_cursors here
    join transitions t on (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq)
    cross join lateral customer_change(t.actor, t.kind, t.from_state, t.to_state, t.at) c
    where here.reader = 'customers') changes
  group by customer_id, currency
$$;
