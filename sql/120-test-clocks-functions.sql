-- The functions of 020-test-clocks.sql.

select define_actor_table('test_clocks');

-- Whether something that is due by the clock waits, without a timer, until a payment is not `processing` any more. Another
-- kind adds one query here.
create function test_clock_waits(clock uuid) returns boolean language sql stable as $$
  select exists (
    select from invoices
    where test_clock_id = clock and has_passed_times(state, due_passed, overdue, reminders, reminders_passed))
$$;

-- Moves an advancing clock to the time at which something is due next, or to its target. Returns `waiting` and moves nothing
-- while something is still due, `arrived` at the target, and `ended` if the clock does not advance.
-- The lock waits for the commits of the clock's actors, which hold it: see find_moved_clocks(). So no timer is
-- armed with an earlier time afterwards, and no two processes move the clock for the same reason.
create function move_test_clock(clock uuid) returns text language plpgsql as $$
declare
  its test_clocks;
  next timestamptz;
begin
  select * into its from test_clocks where id = clock for update;
  if its.state is distinct from 'advancing' then
    return 'ended';
  end if;
  -- Separate statements, for a snapshot after the lock.
  if exists (select from timers where test_clock_id = clock and due_at <= its.now) or test_clock_waits(clock) then
    return 'waiting';
  end if;
  if its.now = its.target then
    return 'arrived';
  end if;
  select min(due_at) into next from timers where test_clock_id = clock and due_at <= its.target;
  update test_clocks set now = coalesce(next, its.target), updated_at = later_than(updated_at) where id = clock;
  return 'moved';
end $$;
