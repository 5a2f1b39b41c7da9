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
  -- After the lock: the commit that erases a customer holds it.
  if exists (select from customers where id = new.customer_id and erased_at is not null) then
    raise exception 'the customer is erased' using errcode = 'check_violation', constraint = 'customer_remains';
  end if;
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

-- A batch may hold a new address of a customer and then its merging or erasure, whose functions run before rows are inserted.
create function settle_customer_email() returns trigger language plpgsql as $$
declare
  owner uuid := survivor_of(new.customer_id);
begin
  if exists (select from customers where id = owner and erased_at is not null) then
    delete from customer_emails e
    where e.merchant_id = new.merchant_id and e.livemode = new.livemode and e.email_key = new.email_key;
  elsif owner <> new.customer_id then
    update customer_emails e set customer_id = owner
    where e.merchant_id = new.merchant_id and e.livemode = new.livemode and e.email_key = new.email_key;
  end if;
  return null;
end $$;

create trigger customer_emails_settle after insert on customer_emails
for each row execute function settle_customer_email();

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

-- The sums of a customer with those of all customers that were merged into it. Nothing for a merged customer. A sum that a
-- JSON number cannot hold is the largest that it can.
create function totals_of_customer(customer uuid) returns table (
  currency text, payments_count bigint, volume_minor bigint, refunded_minor bigint, open_minor bigint,
  overdue_minor bigint, credit_minor bigint, first_payment_at timestamptz, last_payment_at timestamptz
) language sql stable as $$
  with family as materialized (
    select customer as id where not exists (select from merged_customers where customer_id = customer)
    union all
    select customer_id from merged_customers where survivor_id = customer
  ), paid as (
    select t.currency, sum(t.payments_count)::bigint as payments_count,
      least(sum(t.volume_minor), 9007199254740991)::bigint as volume_minor,
      least(sum(t.refunded_minor), 9007199254740991)::bigint as refunded_minor,
      min(t.first_payment_at) as first_payment_at, max(t.last_payment_at) as last_payment_at
    from customer_totals t where t.customer_id in (select id from family)
    group by t.currency
  ), owed as (
    select i.currency, least(sum(due.minor), 9007199254740991)::bigint as open_minor,
      least(coalesce(sum(due.minor) filter (where i.overdue), 0), 9007199254740991)::bigint as overdue_minor
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

-- Adds transitions to the totals of customers: see add_payment_sums(). The figures of a payment and of a refund that are
-- added here never change.
create function add_to_customer_totals(actors uuid[], revs integer[]) returns void language sql
-- A plan from when the tables were empty would read all of them.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  insert into customer_totals as s (
    customer_id, currency, payments_count, volume_minor, refunded_minor, first_payment_at, last_payment_at)
  select c.customer_id, c.currency, sum(c.payments), sum(c.volume), sum(c.refunded), min(c.paid_at), max(c.paid_at)
  from unnest(actors, revs) as these (actor, rev)
  -- The limit leaves only the primary key.
  cross join lateral (
    select * from transitions t where t.actor = these.actor and t.rev = these.rev limit 1) t
  cross join lateral customer_change(t.actor, t.kind, t.from_state, t.to_state, t.at) c
  group by c.customer_id, c.currency
  on conflict (customer_id, currency) do update set
    payments_count = s.payments_count + excluded.payments_count,
    volume_minor = s.volume_minor + excluded.volume_minor,
    refunded_minor = s.refunded_minor + excluded.refunded_minor,
    first_payment_at = least(s.first_payment_at, excluded.first_payment_at),
    last_payment_at = greatest(s.last_payment_at, excluded.last_payment_at)
$$;

-- The totals exactly as this statement sees the tables: the sums, and the transitions that the reader of the feed has not
-- added yet.
create function count_customer_totals() returns table (
  customer_id uuid, currency text, payments_count bigint, volume_minor numeric, refunded_minor numeric
) language sql stable as $$
  select customer_id, currency, sum(payments)::bigint, sum(volume), sum(refunded)
  from (
    select customer_id, currency, payments_count as payments, volume_minor as volume, refunded_minor as refunded
    from customer_totals
    union all
    select c.customer_id, c.currency, c.payments, c.volume, c.refunded
    from feed_cursors here
    join transitions t on (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq)
    cross join lateral customer_change(t.actor, t.kind, t.from_state, t.to_state, t.at) c
    where here.reader = 'payments') changes
  group by customer_id, currency
$$;

-- The records that keep a customer from being erased, by the names of their kinds. Another kind adds one query here.
create function uses_of_customer(customer uuid) returns table (kind text, id uuid) language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with family as materialized (
    select customer as id union all select customer_id from merged_customers where survivor_id = customer
  )
  select 'payment', p.id
  from family f join payments p on p.customer_id = f.id and p.state in ('pending', 'processing')
  union all
  select 'refund', r.id
  from family f join payments p on p.customer_id = f.id
  join refunds r on r.merchant_id = p.merchant_id and r.livemode = p.livemode and r.payment_id = p.id
  where r.state not in ('processed', 'canceled')
  union all
  select 'invoice', i.id
  from family f join invoices i on i.customer_id = f.id and i.state in ('draft', 'open', 'uncollectible')
  union all
  select 'subscription', s.id
  from family f join subscriptions s on s.customer_id = f.id and s.ended_at is null
  union all
  -- Its credit.
  select 'customer', b.customer_id
  from family f join credit_balances b on b.customer_id = f.id and b.balance_minor <> 0
$$;

-- Called in the commit that creates a record for a customer. Refuses it when the customer is erased, and while the customer
-- is being erased or merged: the creation is tried again. It does not wait, because commits hold locks of lists here, and
-- the commit that erases the customer may be waiting for one of these.
create function join_customer(record uuid, given json) returns void language plpgsql as $$
declare
  its_customer uuid := given->>'customer';
  is_locked boolean := pg_try_advisory_xact_lock_shared(hashtext('customers'), customer_lock(its_customer));
begin
  -- A separate statement, for a snapshot after the lock.
  if not is_locked or exists (select from customers where id = its_customer and erased_at is not null) then
    raise exception 'the customer is erased, or is being changed'
    using errcode = 'check_violation', constraint = 'customer_remains';
  end if;
end $$;

-- Erases what the payments of customers contain about them. Money that arrives later is for the merchant to decide about.
-- Rows are locked in id order, as in commits. Their rev stays, and their histories have no personal data: a command that
-- was decided before conflicts, because another transaction has written its row.
create function erase_payments(customers uuid[], its_email text, now_at timestamptz) returns void language sql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  update payments p set customer_email = its_email, customer_name = null, late_policy = 'needs_attention', updated_at = now_at
  from (
    select id from payments
    where customer_id = any(customers) and (customer_email <> its_email or customer_name is not null)
    order by id
    for no key update) found
  where p.id = found.id
$$;

-- What erasing a customer writes besides its row: the personal data in its payments, their disputes, its e-mail addresses, a
-- mark in its invoices, and the customers that were merged into it. Copies of these records are erased later: see erase_copies().
create function erase_customer(customer uuid, given json) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  family uuid[] := array(select customer union all select customer_id from merged_customers where survivor_id = customer);
  its customers;
begin
  select * into its from customers where id = customer;
  -- Tables in the order in which commits lock them.
  update disputes d set description = null, uncategorized_text = null, customer_communication = null,
    shipping_tracking_number = null, refund_policy = null, updated_at = its.updated_at
  from (
    select id from disputes
    where merchant_id = its.merchant_id and livemode = its.livemode
      and payment_id = any(array(select p.id from payments p where p.customer_id = any(family)))
    order by id
    for no key update) found
  where d.id = found.id;
  perform erase_invoices(family, its.updated_at);
  perform erase_payments(family, its.email, its.updated_at);
  perform erase_subscriptions(family, its.updated_at);

  -- From here on no credit and no payment of the customer is committed. The list is locked first, in the order of commits
  -- that write entries; commits that create payments do not wait: see join_customer().
  perform lock_list('credit_entries', array[its.merchant_id]);
  perform pg_advisory_xact_lock(hashtext('customers'), lock)
  from (select distinct customer_lock(member) as lock from unnest(family) member order by lock) locks;
  if exists (select from uses_of_customer(customer)) then
    raise exception 'the customer is in use' using errcode = 'check_violation', constraint = 'customer_in_use';
  end if;
  -- Invoices that were issued with nothing due, and payments that were opened and have ended, since the first time.
  perform erase_invoices(family, its.updated_at);
  perform erase_payments(family, its.email, its.updated_at);
  perform erase_subscriptions(family, its.updated_at);

  update customers c set email = its.email, name = null, company = null, tax_id = null, address = null, locale = null,
    reference = null, metadata = '{}', erased_at = its.erased_at, updated_at = its.updated_at
  where id = any(family) and id <> customer;
  delete from customer_emails where customer_id = any(family);
  perform record_security_event(its.merchant_id, (given->>'accountId')::uuid, given->>'by', null, 'customer.erased',
    json_build_object('customer', given->>'id', 'livemode', its.livemode));
end $$;

-- A copy of a record with other values for the fields in `fields`, which has them by the `object` of records. All other
-- fields keep their text. Records of other kinds stay as they are.
create function erased_copy(copy json, fields json) returns json language sql immutable parallel safe as $$
  select case when fields->(copy->>'object') is null then copy else (
    select ('{' || string_agg(to_json(f.key)::text || ':' || coalesce(w.value, f.value)::text, ',' order by f.n) || '}')::json
    from json_each(copy) with ordinality f(key, value, n)
    left join json_each(fields->(copy->>'object')) w on w.key = f.key) end
$$;

-- Erases the personal data in the stored copies of records: at most 125 rows of each table. `rewritten`: the number of rows.
-- `under_way`: attempts of deliveries that were started before, whose outcomes will be recorded.
-- The digest of an event says that it was not changed by other means, so it is made again here.
create function erase_copies(actors uuid[], fields json) returns table (rewritten integer, under_way integer)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  made integer;
begin
  rewritten := 0;
  -- The lock waits for a claim that has read the event before.
  select count(*) filter (where open.state = 'sending') into under_way
  from (
    select d.state from events e join deliveries d on d.event_id = e.id and d.state in ('pending', 'sending')
    where e.actor = any(actors)
    order by d.id
    for no key update of d) open;

  with found as materialized (
    select e.id, c.copy
    from events e
    cross join lateral (select json_of(e.object) as object offset 0) o
    cross join lateral (select erased_copy(o.object, fields)::text as copy offset 0) c
    where e.actor = any(actors) and c.copy <> o.object::text
    limit 125
  )
  update events e set object = f.copy,
    digest = event_digest(e.id, e.actor, e.rev, e.type, e.merchant_id, e.livemode, e.api_version, f.copy, e.created_at)
  from found f where e.id = f.id;
  get diagnostics made = row_count;
  rewritten := rewritten + made;

  -- A response may repeat the request.
  with found as materialized (
    select a.delivery_id, a.number
    from events e join deliveries d on d.event_id = e.id join delivery_attempts a on a.delivery_id = d.id
    where e.actor = any(actors) and (a.response_snippet is not null or a.response_headers is not null)
    limit 125
  )
  update delivery_attempts a set response_snippet = null, response_headers = null
  from found f where a.delivery_id = f.delivery_id and a.number = f.number;
  get diagnostics made = row_count;
  rewritten := rewritten + made;

  with found as materialized (
    select k.merchant_id, k.livemode, k.key, c.copy
    from idempotency_keys k cross join lateral (select erased_copy(k.body::json, fields)::text as copy offset 0) c
    where k.record_id = any(actors) and c.copy <> k.body
    limit 125
  )
  update idempotency_keys k set body = f.copy
  from found f where k.merchant_id = f.merchant_id and k.livemode = f.livemode and k.key = f.key;
  get diagnostics made = row_count;
  rewritten := rewritten + made;

  -- The body is made again, as in src/webhooks/body.ts: anyone who knows the address of an inbox can send one that begins
  -- like it. An inbox has at most 100 requests.
  with requests as materialized (
    select r.id, r.body,
      substring(r.body from '^\{"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"')::uuid as event
    from webhook_endpoints w join inbox_requests r on r.endpoint_id = w.id
    where w.inbox_token is not null
      and w.merchant_id = (select merchant_id from transitions where actor = actors[1] order by rev limit 1)
  ), found as materialized (
    select r.id, c.copy
    from requests r join events e on e.id = r.event and e.actor = any(actors)
    cross join lateral (
      select format('{"id":"%s","type":%s,"created":%s,"livemode":%s,"api_version":%s,"data":{"object":%s}}', e.id,
        to_json(e.type), floor(extract(epoch from e.created_at)), to_json(e.livemode), to_json(e.api_version), json_of(e.object)) as copy
      offset 0) c
    where r.body <> c.copy
  )
  update inbox_requests r set body = f.copy from found f where r.id = f.id;
  get diagnostics made = row_count;
  rewritten := rewritten + made;
  return next;
end $$;

-- A page of the payments of a customer, with their disputes, in the order of the index, and the place of the last payment.
create function actors_of_customer(customer uuid, after_state text, after_seq bigint, most integer)
returns table (actors uuid[], last_state text, last_seq bigint) language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with page as materialized (
    select id, merchant_id, livemode, state, seq from payments
    where customer_id = customer and (state, seq) > (after_state, after_seq)
    order by state, seq
    limit most
  )
  select array(
      select id from page
      union all
      select d.id from page p
      join disputes d on d.merchant_id = p.merchant_id and d.livemode = p.livemode and d.payment_id = p.id),
    state, seq
  from page order by state desc, seq desc limit 1
$$;
