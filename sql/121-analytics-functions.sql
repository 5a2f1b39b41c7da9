-- The functions of 021-analytics.sql.

-- The asset of a payment by the context of a transition, as a key of payment_sums.
create function asset_key(context json) returns text language sql immutable parallel safe
return coalesce(context->>'chainId' || ':' || (context->>'asset'), '');

-- The link of a payment as a key of payment_sums.
create function payment_link_key(id uuid, link payment_links) returns text language sql immutable parallel safe
return case when link.hidden or link.max_payments = 1 then 'single_use' else id::text end;

-- Two classes of duration_class() together: percentiles of payments are within 10 %, and half as many counts are read.
create function time_class(ms float8) returns smallint language sql immutable parallel safe
return duration_class(ms) / 2;

-- How many payments took so long, as one number with the class above 22 bits for the count. A higher count, of 4 million in
-- one row, does not change percentiles.
create function time_count(class smallint, payments bigint) returns integer language sql immutable parallel safe
return class::integer << 22 | least(payments, 4194303)::integer;

-- What transitions add to the sums of their merchants: no row for most of them. Each figure is read from transitions and
-- from what never changes, so the history gives the same sums again. A payment that changes its asset moves among those
-- that were opened.
create function payment_sum_changes(actors uuid[], revs integer[]) returns table (
  merchant_id uuid, livemode boolean, at timestamptz, currency text, asset text, link text, opened integer,
  converted integer, picked integer, seen integer, succeeded integer, failed integer, expired integer, canceled integer,
  late integer, volume bigint, refunds integer, refunded bigint, pay_time smallint, final_time smallint
) language sql stable rows 5000
-- A plan from when the tables were empty would read all of them.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with these as materialized (
    select t.*, case t.kind when 'payment' then asset_key(json_of(t.context)) end as asset
    from unnest(actors, revs) as asked (actor, rev)
    -- The limit leaves only the primary key: while statistics are old, a join would read all transitions of payments for
    -- each of these.
    cross join lateral (select * from transitions t where t.actor = asked.actor and t.rev = asked.rev limit 1) t
    where t.kind = 'payment'
        and (t.from_state is distinct from t.to_state or t.event in ('asset_picked', 'late_finalized'))
      or t.kind = 'refund' and t.to_state = 'processed' and t.from_state <> 'processed'
  ), known as materialized (
    select t.merchant_id, t.livemode, t.at, t.actor_created_at, t.event, t.to_state, t.asset,
      p.currency, p.amount_minor as amount, payment_link_key(p.payment_link_id, l) as link,
      t.from_state is null as opens,
      t.from_state <> t.to_state as moves,
      before.asset as asset_before,
      coalesce(before.asset <> t.asset, false) as changes_asset,
      seen.at as seen_at,
      t.event in ('late_accepted', 'late_finalized') and not exists (
        select from transitions b
        where b.actor = t.actor and b.rev < t.rev and b.event in ('late_accepted', 'late_finalized')) as is_late
    from these t
    join payments p on p.id = t.actor
    left join payment_links l on l.id = p.payment_link_id
    left join lateral (
      select asset_key(json_of(b.context)) as asset from transitions b
      where t.event in ('asset_picked', 'accept') and b.actor = t.actor and b.rev < t.rev
      order by b.rev desc
      limit 1) before on true
    left join lateral (
      select b.at from transitions b
      where t.to_state in ('processing', 'success') and b.actor = t.actor and b.rev < t.rev and b.to_state = 'processing'
      order by b.rev
      limit 1) seen on true
    where t.kind = 'payment'
  )
  select k.merchant_id, k.livemode, c.at, k.currency, c.asset, k.link, c.opened, c.converted,
    (c.happened and k.event = 'asset_picked' and k.asset_before = '')::integer,
    (c.happened and k.moves and k.to_state = 'processing' and k.seen_at is null)::integer,
    (c.happened and k.moves and k.to_state = 'success')::integer,
    (c.happened and k.moves and k.to_state = 'failed')::integer,
    (c.happened and k.moves and k.to_state = 'expired')::integer,
    (c.happened and k.moves and k.to_state = 'canceled')::integer,
    (c.happened and k.is_late)::integer,
    case when c.happened and k.moves and k.to_state = 'success' then k.amount else 0 end, 0, 0::bigint,
    case when c.happened and k.moves and k.to_state = 'processing' and k.seen_at is null
      then time_class(ms_between(k.actor_created_at, k.at)) end,
    case when c.happened and k.moves and k.to_state = 'success' and k.seen_at is not null
      then time_class(ms_between(k.seen_at, k.at)) end
  from known k
  cross join lateral (values
    (k.actor_created_at, k.asset, (k.opens or k.changes_asset)::integer,
      (k.moves and k.to_state = 'success')::integer, false),
    (k.actor_created_at, k.asset_before, -k.changes_asset::integer, 0, false),
    (k.at, k.asset, 0, 0, true)
  ) as c (at, asset, opened, converted, happened)
  where c.happened or c.opened <> 0 or c.converted <> 0
  union all
  select t.merchant_id, t.livemode, t.at, r.currency, r.chain_id || ':' || r.asset, payment_link_key(p.payment_link_id, l),
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, r.amount_minor, null, null
  from these t
  join refunds r on r.id = t.actor
  join payments p on p.id = r.payment_id
  left join payment_links l on l.id = p.payment_link_id
  where t.kind = 'refund'
$$;

-- The first quarter-hour that is kept. Older times are known by day only. One day more than 400, because the API is asked for
-- 400 days of a time zone, the first of which can begin so much earlier.
create function first_quarter() returns timestamp language sql stable
return date_trunc('day', now() at time zone 'UTC') - interval '401 days';

-- What transitions add to payment_sums, as its rows. They are added up by asset and link before each becomes a row of each
-- span and breakdown: most payments of a page happen in the same quarter-hour.
create function payment_sum_rows(actors uuid[], revs integer[]) returns setof payment_sums language sql stable as $$
  with changes as materialized (
    select c.*, date_bin('15 minutes', c.at at time zone 'UTC', 'epoch') as quarter,
      date_trunc('day', c.at at time zone coalesce(b.sums_time_zone, 'UTC')) as day
    from payment_sum_changes(actors, revs) c
    left join billing_settings b on b.merchant_id = c.merchant_id
  ), sums as (
    select merchant_id, livemode, s.span, s.breakdown, s.starts_at, currency, s.key, sum(opened) as opened,
      sum(converted) as converted, sum(picked) as picked, sum(seen) as seen, sum(succeeded) as succeeded,
      sum(failed) as failed, sum(expired) as expired, sum(canceled) as canceled, sum(late) as late,
      sum(volume) as volume, sum(refunds) as refunds, sum(refunded) as refunded
    from (
      select merchant_id, livemode, quarter, day, currency, asset, link, sum(opened) as opened,
        sum(converted) as converted, sum(picked) as picked, sum(seen) as seen, sum(succeeded) as succeeded,
        sum(failed) as failed, sum(expired) as expired, sum(canceled) as canceled, sum(late) as late,
        sum(volume) as volume, sum(refunds) as refunds, sum(refunded) as refunded
      from changes
      group by merchant_id, livemode, quarter, day, currency, asset, link) c
    cross join lateral (values
      ('quarter', 'all', c.quarter, ''), ('quarter', 'asset', c.quarter, c.asset), ('quarter', 'link', c.quarter, c.link),
      ('day', 'all', c.day, ''), ('day', 'asset', c.day, c.asset), ('day', 'link', c.day, c.link)
    ) as s (span, breakdown, starts_at, key)
    where s.span = 'day' or s.starts_at >= first_quarter()
    group by merchant_id, livemode, s.span, s.breakdown, s.starts_at, currency, s.key
  ), times as (
    select merchant_id, livemode, span, breakdown, starts_at, currency, key,
      array_agg(time_count(class, payments) order by class) filter (where is_final is false) as pay,
      array_agg(time_count(class, payments) order by class) filter (where is_final) as final
    from (
      select merchant_id, livemode, s.span, s.breakdown, s.starts_at, currency, s.key, is_final, class,
        sum(payments)::bigint as payments
      from (
        select merchant_id, livemode, quarter, day, currency, asset, m.is_final, m.class, count(*) as payments
        from changes cross join lateral (values (false, pay_time), (true, final_time)) as m (is_final, class)
        where m.class is not null
        group by merchant_id, livemode, quarter, day, currency, asset, m.is_final, m.class) c
      cross join lateral (values
        ('quarter', 'all', c.quarter, ''), ('quarter', 'asset', c.quarter, c.asset),
        ('day', 'all', c.day, ''), ('day', 'asset', c.day, c.asset)
      ) as s (span, breakdown, starts_at, key)
      group by merchant_id, livemode, s.span, s.breakdown, s.starts_at, currency, s.key, is_final, class) classes
    group by merchant_id, livemode, span, breakdown, starts_at, currency, key
  )
  select merchant_id, livemode, span, breakdown, starts_at, currency, key, opened::integer, converted::integer,
    picked::integer, seen::integer, succeeded::integer, failed::integer, expired::integer, canceled::integer,
    late::integer, volume, refunds::integer, refunded, pay, final
  from sums
  left join times using (merchant_id, livemode, span, breakdown, starts_at, currency, key)
$$;

-- The counts of two or more arrays in one.
create function added_times(times integer[]) returns integer[] language sql immutable parallel safe as $$
  select array_agg(time_count(class, payments) order by class)
  from (
    select (time >> 22)::smallint as class, sum(time & 4194303)::bigint as payments
    from unnest(times) time
    group by 1) added
$$;

-- Adds rows to those of the same span and key. The caller holds the reader's cursor, so no other transaction does the same: `on
-- conflict` would write a lock of each row to the log before its update.
create function add_payment_sum_rows(added payment_sums[]) returns void language plpgsql
-- A plan from when the table was empty would read all of it.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  known integer;
begin
  update payment_sums s set
    opened = s.opened + a.opened,
    converted = s.converted + a.converted,
    picked = s.picked + a.picked,
    seen = s.seen + a.seen,
    succeeded = s.succeeded + a.succeeded,
    failed = s.failed + a.failed,
    expired = s.expired + a.expired,
    canceled = s.canceled + a.canceled,
    late = s.late + a.late,
    volume_minor = s.volume_minor + a.volume_minor,
    refunds = s.refunds + a.refunds,
    refunded_minor = s.refunded_minor + a.refunded_minor,
    pay_times = case when a.pay_times is null then s.pay_times else added_times(s.pay_times || a.pay_times) end,
    final_times = case when a.final_times is null then s.final_times else added_times(s.final_times || a.final_times) end
  from unnest(added) a
  where (s.merchant_id, s.livemode, s.span, s.breakdown, s.starts_at, s.currency, s.key)
    = (a.merchant_id, a.livemode, a.span, a.breakdown, a.starts_at, a.currency, a.key);
  get diagnostics known = row_count;
  if known < cardinality(added) then
    insert into payment_sums
    select a.* from unnest(added) a
    where not exists (
      select from payment_sums s
      where (s.merchant_id, s.livemode, s.span, s.breakdown, s.starts_at, s.currency, s.key)
        = (a.merchant_id, a.livemode, a.span, a.breakdown, a.starts_at, a.currency, a.key));
  end if;
end $$;

-- Adds transitions to the sums of payments.
create function add_to_payment_sums(actors uuid[], revs integer[]) returns void language sql as $$
  select add_payment_sum_rows(array(select r from payment_sum_rows(actors, revs) r))
$$;

-- Adds the next transitions of the feed to the totals of customers and to the sums of payments, and moves the cursor past
-- them, in one statement. Returns how many it read.
create function add_payment_sums(most integer) returns integer language plpgsql as $$
declare
  taken integer;
  actors uuid[];
  revs integer[];
begin
  -- A statement of its own: it locks the cursor, so that the next ones see what move_payment_sums() has committed.
  select count(*), array_agg(actor) filter (where kind in ('payment', 'refund')),
    array_agg(rev) filter (where kind in ('payment', 'refund'))
  into taken, actors, revs
  from take_feed_page('payments', most);
  if actors is not null then
    perform add_to_customer_totals(actors, revs);
    perform add_to_payment_sums(actors, revs);
  end if;
  return taken;
end $$;

-- The sums exactly as this statement sees the tables: those that are stored, and the transitions that the reader of the feed
-- has not added yet. A span and key may have several rows.
create function count_payment_sums() returns setof payment_sums language sql stable as $$
  select * from payment_sums
  union all
  select * from payment_sum_rows(
    array(select t.actor from transitions t join feed_cursors here on here.reader = 'payments'
      where (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq) order by t.era, t.xid, t.seq),
    array(select t.rev from transitions t join feed_cursors here on here.reader = 'payments'
      where (t.era, t.xid, t.seq) > (here.era, here.xid, here.seq) order by t.era, t.xid, t.seq))
$$;

-- The merchants whose sums do not agree with each other, or with their payments and refunds.
create function differing_payment_sums() returns table (merchant_id uuid) language sql stable as $$
  with sums as materialized (
    select s.*, coalesce(b.sums_time_zone, 'UTC') as sums_time_zone
    from count_payment_sums() s left join billing_settings b using (merchant_id)
  ), compared as (
    -- The whole of a quarter-hour or day, and its parts.
    select part || ' of ' || s.span as what, s.starts_at as place, case s.breakdown when 'all' then 1 else -1 end as sign, s.*
    from unnest(array['asset', 'link']) as part join sums s on s.breakdown in ('all', part)
    union all
    -- The parts of a day and of its quarter-hours.
    select s.breakdown || ' ' || s.key, d.day, case s.span when 'day' then 1 else -1 end, s.*
    from sums s
    cross join lateral (
      select case s.span when 'day' then s.starts_at
        else date_trunc('day', s.starts_at at time zone 'UTC' at time zone s.sums_time_zone) end as day) d
    where s.breakdown <> 'all' and d.day > first_quarter() + interval '2 days'
  ), happened as (
    select p.merchant_id, p.livemode, p.currency, coalesce(p.chain_id || ':' || p.asset, '') as key, p.created_at as at,
      1 as opened, (p.state = 'success')::integer as converted, 0 as succeeded, 0::numeric as volume, 0 as refunds,
      0::numeric as refunded
    from payments p
    union all
    select t.merchant_id, t.livemode, p.currency, asset_key(json_of(t.context)), t.at, 0, 0, 1, p.amount_minor, 0, 0
    from transitions t join payments p on p.id = t.actor
    where t.kind = 'payment' and t.to_state = 'success' and t.from_state <> 'success'
    union all
    select t.merchant_id, t.livemode, r.currency, r.chain_id || ':' || r.asset, t.at, 0, 0, 0, 0, 1, r.amount_minor
    from transitions t join refunds r on r.id = t.actor
    where t.kind = 'refund' and t.to_state = 'processed' and t.from_state <> 'processed'
  ), counted as (
    -- By quarter-hour while it is kept, and in all.
    select h.merchant_id, h.livemode, h.currency, h.key, q.place, 1 as sign, h.opened, h.converted, h.succeeded, h.volume,
      h.refunds, h.refunded
    from happened h
    cross join lateral (values
      (null), (date_bin('15 minutes', h.at at time zone 'UTC', 'epoch'))) as q (place)
    where q.place is null or q.place >= first_quarter()
    union all
    select s.merchant_id, s.livemode, s.currency, s.key, case s.span when 'quarter' then s.starts_at end, -1, s.opened,
      s.converted, s.succeeded, s.volume_minor, s.refunds, s.refunded_minor
    from sums s
    where s.breakdown = 'asset' and (s.span = 'day' or s.starts_at >= first_quarter())
  )
  select merchant_id from compared
  group by what, place, merchant_id, livemode, currency
  having row(sum(sign * opened), sum(sign * converted), sum(sign * picked), sum(sign * seen), sum(sign * succeeded),
    sum(sign * failed), sum(sign * expired), sum(sign * canceled), sum(sign * late), sum(sign * volume_minor),
    sum(sign * refunds), sum(sign * refunded_minor)) <> row(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  union
  select merchant_id from counted
  group by merchant_id, livemode, currency, key, place
  having row(sum(sign * opened), sum(sign * converted), sum(sign * succeeded), sum(sign * volume), sum(sign * refunds),
    sum(sign * refunded)) <> row(0, 0, 0, 0, 0, 0)
$$;

-- Whether a sum is of a time whose history was dropped. Such sums are kept as they are: what is left of the history would make
-- them too low.
create function is_of_dropped_history(sums payment_sums, before timestamptz) returns boolean language sql stable
return coalesce(before > sums.starts_at at time zone case sums.span when 'quarter' then 'UTC' else coalesce(
  (select sums_time_zone from billing_settings where merchant_id = sums.merchant_id), 'UTC') end, false);

-- Makes the sums of payments again from the history up to the reader's place, since the time before which history was dropped.
-- Returns that time: sums of earlier quarter-hours and days stay. Null: all are made again.
create function rebuild_payment_sums() returns timestamptz language plpgsql as $$
declare
  here feed_cursors;
  place feed_cursors;
  actors uuid[];
  revs integer[];
  complete_since timestamptz;
begin
  -- Both wait until this is committed: the reader, and the dropping of history.
  select before into complete_since from retention_progress where part = 'history' for update;
  select * into here from feed_cursors where reader = 'payments' for update;
  delete from payment_sums s where not is_of_dropped_history(s, complete_since);
  place := ('payments', 0, '0', 0);
  loop
    select array_agg(actor), array_agg(rev), (array_agg(era))[count(*)], (array_agg(xid))[count(*)],
      (array_agg(seq))[count(*)]
    into actors, revs, place.era, place.xid, place.seq
    from (
      select actor, rev, era, xid, seq from transitions
      where (era, xid, seq) > (place.era, place.xid, place.seq) and (era, xid, seq) <= (here.era, here.xid, here.seq)
      order by era, xid, seq
      limit 20000) page;
    exit when actors is null;
    perform add_payment_sum_rows(array(
      select r from payment_sum_rows(actors, revs) r where not is_of_dropped_history(r, complete_since)));
  end loop;
  return complete_since;
end $$;

-- Makes the days of a merchant whose time zone has changed from its quarter-hours. Older days keep the zone in which they
-- were counted, and a quarter-hour is in one day in either case.
create function move_payment_sums(merchant uuid) returns void language plpgsql as $$
declare
  its billing_settings;
  -- The first day that is made again, and when it began in the zone before.
  first_day timestamp;
  begins timestamp;
begin
  -- Its reader waits, and reads the new zone afterwards.
  perform from feed_cursors where reader = 'payments' for update;
  select * into its from billing_settings where merchant_id = merchant for update;
  first_day := date_trunc('day', first_quarter()) + interval '2 days';
  begins := first_day at time zone its.sums_time_zone at time zone 'UTC';
  update billing_settings set sums_time_zone = time_zone where merchant_id = merchant;
  delete from payment_sums
  where merchant_id = merchant and span = 'day' and breakdown in ('all', 'asset', 'link') and starts_at >= first_day;
  perform add_payment_sum_rows(array(
    select row(merchant_id, livemode, 'day', breakdown, day, currency, key, sum(opened), sum(converted), sum(picked),
      sum(seen), sum(succeeded), sum(failed), sum(expired), sum(canceled), sum(late), sum(volume_minor), sum(refunds),
      sum(refunded_minor),
      added_times(string_to_array(string_agg(array_to_string(pay_times, ','), ','), ',')::integer[]),
      added_times(string_to_array(string_agg(array_to_string(final_times, ','), ','), ',')::integer[]))::payment_sums
    from payment_sums q
    cross join lateral (
      select greatest(date_trunc('day', q.starts_at at time zone 'UTC' at time zone its.time_zone),
        first_day - interval '1 day') as day) d
    where merchant_id = merchant and span = 'quarter' and breakdown in ('all', 'asset', 'link') and starts_at >= begins
    group by merchant_id, livemode, breakdown, day, currency, key));
end $$;

-- The sums as they were when everything up to this time was in them: what was committed before it, they have.
create function payment_sums_as_of() returns timestamptz language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  select coalesce((
    select t.at
    from feed_cursors here
    cross join lateral (
      select at from transitions
      where (era, xid, seq) > (here.era, here.xid, here.seq)
      order by era, xid, seq
      limit 1) t
    where here.reader = 'payments'), now())
$$;

-- Deletes the quarter-hours that are no longer kept.
create function prune_payment_sums() returns void language sql as $$
  delete from payment_sums where span = 'quarter' and starts_at < first_quarter()
$$;

-- What a merchant has invoiced from one time to another, and what is overdue, credited and subscribed now. A currency may
-- have several rows.
create function billing_figures(merchant uuid, mode boolean, begins timestamptz, ends timestamptz) returns table (
  currency text, invoiced numeric, paid numeric, overdue numeric, overdue_count integer, credit numeric, mrr numeric,
  trialing integer, active integer, past_due integer, paused integer
) language sql stable rows 10 as $$
  select currency, sum(total_minor), 0::numeric, 0::numeric, 0, 0::numeric, 0::numeric, 0, 0, 0, 0
  from invoices
  where merchant_id = merchant and livemode = mode and issued_at >= begins and issued_at < ends and state <> 'void'
  group by currency
  union all
  select currency, 0, sum(total_minor - credit_notes_minor), 0, 0, 0, 0, 0, 0, 0, 0
  from invoices
  where merchant_id = merchant and livemode = mode and paid_at >= begins and paid_at < ends
  group by currency
  union all
  select currency, 0, 0, sum(total_minor - credit_applied_minor - credit_notes_minor - amount_paid_minor), count(*), 0, 0,
    0, 0, 0, 0
  from invoices
  where merchant_id = merchant and livemode = mode and invoices.overdue
  group by currency
  union all
  select b.currency, 0, 0, 0, 0, sum(b.balance_minor), 0, 0, 0, 0, 0
  from credit_balances b join customers c on c.id = b.customer_id
  where b.balance_minor > 0 and c.merchant_id = merchant and c.livemode = mode
  group by b.currency
  union all
  -- By month and without tax, rounded for each subscription.
  select currency, 0, 0, 0, 0, 0,
    coalesce(sum(round(case "interval"
      when 'day' then subtotal_minor * 365.0 / 12 when 'week' then subtotal_minor * 52.0 / 12
      when 'month' then subtotal_minor else subtotal_minor / 12.0 end / interval_count))
      filter (where state in ('active', 'past_due')), 0),
    count(*) filter (where state = 'trialing'), count(*) filter (where state = 'active'),
    count(*) filter (where state = 'past_due'), count(*) filter (where state = 'paused')
  from subscriptions
  where merchant_id = merchant and livemode = mode and state in ('trialing', 'active', 'past_due', 'paused')
  group by currency
$$;
