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

select define_actor_table('subscriptions');
