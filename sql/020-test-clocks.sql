-- Test clocks: machines/test-clock.ts. The invoices and subscriptions of a clock's customers have its time. Which timers are
-- due is decided by it, and so are the times in these records. Payments, chains and deliveries have the real time.
create table test_clocks (
  like actor_columns including all,
  -- While the clock advances, move_test_clock() moves it from one due time to the next.
  now timestamptz not null,
  target timestamptz,

  constraint test_clocks_state check (state in ('ready', 'advancing', 'deleted')),
  constraint test_clocks_mode check (not livemode),
  constraint test_clocks_target check ((state = 'advancing') = (target is not null) and now <= target)
);

-- A merchant's list pages by this. Deleted clocks are not in it.
create index test_clocks_list on test_clocks (merchant_id, livemode, seq) where state <> 'deleted';
-- The clocks that have work: see src/server/test-clocks.ts.
create index test_clocks_advancing on test_clocks (id) where state = 'advancing';
