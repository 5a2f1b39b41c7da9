-- Subscriptions: machines/subscription.ts.
create table subscriptions (
  like actor_columns including all,
  api_version text not null,
  -- As it was when the subscription was created: see survivor_of().
  customer_id uuid not null,
  -- That of its customer.
  test_clock_id uuid,
  plan_id uuid,
  source text not null,
  -- What the visitor of the page of a plan has typed: it is all that the documents show until `verified`.
  payer jsonb,
  -- The e-mail address, compared as in customer_emails, of a trial that began on the page of the plan.
  trial_key text,
  verified boolean not null,
  -- What a period costs, as its invoice says it.
  currency text not null,
  tax_behavior text not null,
  lines jsonb not null,
  taxes jsonb not null,
  subtotal_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  "interval" text not null,
  interval_count integer not null,
  -- All periods are counted from it.
  anchor_at timestamptz not null,
  anchor_given boolean not null,
  trial_ends_at timestamptz,
  lead_days integer not null,
  grace_days integer not null,
  max_periods integer,
  activation text not null,
  after_grace text not null,
  assets jsonb,
  reference text,
  metadata jsonb not null,
  -- Null before the first period.
  period_index integer,
  invoiced_index integer,
  latest_invoice_id uuid,
  unpaid jsonb not null,
  first_due_at timestamptz,
  trial_ending_sent boolean not null,
  owed_index integer,
  grace_ends_at timestamptz,
  pause_at_period_end boolean not null,
  paused_at timestamptz,
  resumes_at timestamptz,
  resume_index integer,
  cancel_at_period_end boolean not null,
  canceled_at timestamptz,
  canceled_by_customer boolean not null,
  ended_at timestamptz,
  end_reason text,
  pending_change jsonb,
  -- Of the address of its page, which holds the token.
  token_hash text not null,
  sealed_token text not null,

  -- No commit ends in `new`.
  constraint subscriptions_state check (
    state in ('new', 'incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled', 'expired', 'completed')
  ),
  constraint subscriptions_test_clock check (test_clock_id is null or not livemode),
  constraint subscriptions_source check (source in ('merchant', 'checkout')),
  constraint subscriptions_payer check (source <> 'merchant' or num_nonnulls(payer, trial_key) = 0),
  constraint subscriptions_currency check (currency ~ '^[A-Z]{3}$'),
  constraint subscriptions_tax_behavior check (tax_behavior in ('exclusive', 'inclusive')),
  constraint subscriptions_lines check (jsonb_array_length(lines) between 1 and 20),
  constraint subscriptions_total check (
    total_minor = subtotal_minor + tax_minor and total_minor between 0 and 9007199254740991
  ),
  constraint subscriptions_cadence check (
    "interval" in ('day', 'week', 'month', 'year') and interval_count between 1 and 12
  ),
  constraint subscriptions_trial check (anchor_at = trial_ends_at),
  constraint subscriptions_days check (
    least(lead_days, grace_days) >= 0
    and greatest(lead_days, grace_days)
      < interval_count * case "interval" when 'day' then 1 when 'week' then 7 when 'month' then 28 else 365 end
  ),
  constraint subscriptions_max_periods check (max_periods >= 1),
  constraint subscriptions_token check (token_hash ~ '^[0-9a-f]*$' and length(token_hash) = 64),
  constraint subscriptions_activation check (activation in ('on_payment', 'immediate')),
  constraint subscriptions_after_grace check (after_grace in ('cancel', 'pause')),
  constraint subscriptions_reference check (length(reference) <= 200),
  constraint subscriptions_period check (
    case when state in ('new', 'incomplete', 'trialing') then period_index is null
      when state in ('active', 'completed') then period_index is not null
      else true end
    and period_index >= 0 and (period_index < max_periods or max_periods is null)
  ),
  constraint subscriptions_invoiced check (
    (invoiced_index is null or latest_invoice_id is not null) and invoiced_index >= 0
    and (state <> 'active' or coalesce(invoiced_index, -1) >= period_index)
  ),
  constraint subscriptions_past_due check (
    (state = 'past_due') = (owed_index is not null) and (owed_index is null) = (grace_ends_at is null)
  ),
  constraint subscriptions_paused check (
    (state = 'paused') = (paused_at is not null) and (resume_index is null or state = 'paused')
    and (not pause_at_period_end or state in ('active', 'past_due'))
  ),
  constraint subscriptions_canceling check (not cancel_at_period_end or state in ('trialing', 'active', 'past_due')),
  constraint subscriptions_ended check (
    (state in ('canceled', 'expired', 'completed')) = (ended_at is not null)
    and (ended_at is null) = (end_reason is null)
    and case state
      when 'canceled' then end_reason in ('requested', 'customer', 'unpaid') and canceled_at is not null
      when 'expired' then end_reason = 'incomplete'
      when 'completed' then end_reason = 'completed'
      else true end
  )
);

-- A trial on the page of a plan is given once for an e-mail address.
create unique index subscriptions_trial_once on subscriptions (plan_id, trial_key) where trial_key is not null;
-- How many subscriptions were begun on the pages of a merchant's plans and not paid.
create index subscriptions_incomplete_visits on subscriptions (merchant_id, livemode, seq)
where state = 'incomplete' and source = 'checkout';

-- The page of a subscription is found by its token.
create unique index subscriptions_token_once on subscriptions (token_hash);

-- A merchant's list pages by these, and by ?status=, ?customerId=, ?planId=.
create index subscriptions_list on subscriptions (merchant_id, livemode, seq);
create index subscriptions_by_state on subscriptions (merchant_id, livemode, state, seq);
-- What subscriptions bring in by month: billing_figures().
create index subscriptions_income on subscriptions (merchant_id, livemode, state)
include (currency, subtotal_minor, "interval", interval_count) where state in ('trialing', 'active', 'past_due', 'paused');
create index subscriptions_of_customer on subscriptions (customer_id, seq);
create index subscriptions_of_plan on subscriptions (plan_id, seq) where plan_id is not null;
-- Deleting a test clock cancels its subscriptions.
create index subscriptions_of_clock on subscriptions (test_clock_id) where test_clock_id is not null;

-- When the timers of subscriptions were fired last, and when they were not for more than ten minutes: see
-- src/server/subscription-loop.ts.
create table subscription_runs (
  only_one boolean not null,
  last_at timestamptz not null,
  outage_from timestamptz,
  outage_until timestamptz,

  constraint subscription_runs_pkey primary key (only_one),
  constraint subscription_runs_only_one check (only_one),
  constraint subscription_runs_outage check ((outage_from is null) = (outage_until is null) and outage_from < outage_until)
);
