-- Plans: machines/plan.ts.
create table plans (
  like actor_columns including all,
  name text not null,
  description text,
  currency text not null,
  tax_behavior text not null,
  lines jsonb not null,
  taxes jsonb not null,
  subtotal_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  "interval" text not null,
  interval_count integer not null,
  trial_days integer not null,
  lead_days integer not null,
  grace_days integer not null,
  max_periods integer,
  activation text not null,
  after_grace text not null,
  assets jsonb,
  reference text,
  metadata jsonb not null,

  constraint plans_state check (state in ('active', 'archived')),
  constraint plans_texts check (
    length(name) between 1 and 200 and length(description) <= 1000 and length(reference) <= 200
  ),
  constraint plans_currency check (currency ~ '^[A-Z]{3}$'),
  constraint plans_tax_behavior check (tax_behavior in ('exclusive', 'inclusive')),
  constraint plans_lines check (jsonb_array_length(lines) between 1 and 20),
  constraint plans_total check (
    total_minor = subtotal_minor + tax_minor and total_minor between 0 and 9007199254740991
  ),
  constraint plans_interval check ("interval" in ('day', 'week', 'month', 'year') and interval_count between 1 and 12),
  constraint plans_trial check (trial_days between 0 and 730),
  -- Less than the shortest period: see src/billing/periods.ts.
  constraint plans_days check (
    least(lead_days, grace_days) >= 0
    and greatest(lead_days, grace_days)
      < interval_count * case "interval" when 'day' then 1 when 'week' then 7 when 'month' then 28 else 365 end
  ),
  constraint plans_max_periods check (max_periods between 1 and 10000),
  constraint plans_activation check (activation in ('on_payment', 'immediate')),
  constraint plans_after_grace check (after_grace in ('cancel', 'pause'))
);

create unique index plans_reference_once on plans (merchant_id, livemode, reference) where reference is not null;

-- A merchant's list pages by these, also with ?status=.
create index plans_list on plans (merchant_id, livemode, seq);
-- Beginnings of names, in any case.
create index plans_by_name on plans (merchant_id, livemode, lower(name) collate "C");
create index plans_by_state on plans (merchant_id, livemode, state, seq);
