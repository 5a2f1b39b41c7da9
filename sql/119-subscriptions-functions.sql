-- The functions of 019-subscriptions.sql.

-- Called in the commit that gives a subscription the price of a plan. Refuses it when the plan is archived, and while another
-- commit is changing the plan: the command is made again. It does not wait, because commits hold locks of lists here, and
-- that commit may be waiting for one of these. The lock keeps the plan from being archived before this commit ends.
create function join_plan(record uuid, given json) returns void language plpgsql as $$
begin
  perform from plans where id = (given->>'plan')::uuid and state = 'active' for share skip locked;
  if not found then
    raise exception 'the plan is archived, or is being changed'
    using errcode = 'check_violation', constraint = 'plan_remains';
  end if;
end $$;

-- Called in the commit in which a visitor of the page of a plan subscribes without a trial. Refuses it when so many subscriptions
-- of the merchant that began before it are not paid. The commit holds the lock of the merchant's list, so commits count one
-- after the other, and the subscriptions of one commit in the order in which they were inserted.
create function limit_visits(record uuid, given json) returns void language plpgsql set enable_seqscan = off as $$
declare
  its subscriptions;
begin
  select * into its from subscriptions where id = record;
  perform from subscriptions
  where merchant_id = its.merchant_id and livemode = its.livemode and state = 'incomplete' and source = 'checkout'
    and seq < its.seq
  offset (given->>'most')::integer - 1 limit 1;
  if found then
    raise exception 'too many subscriptions are not paid'
    using errcode = 'check_violation', constraint = 'subscriptions_incomplete_most';
  end if;
end $$;

select define_actor_table('subscriptions');

-- Erases what customers that are being erased have typed on the pages of plans. Rows are locked in id order, as in commits.
create function erase_subscriptions(customers uuid[], now_at timestamptz) returns void language sql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  update subscriptions s set payer = null, trial_key = null,
    updated_at = case when test_clock_id is null then now_at else updated_at end
  from (
    select id from subscriptions
    where customer_id = any(customers) and (payer is not null or trial_key is not null)
    order by id
    for no key update) found
  where s.id = found.id
$$;
