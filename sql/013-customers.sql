-- Customers: machines/customer.ts.
create table customers (
  like actor_columns including all,
  api_version text not null,
  email text not null,
  name text,
  company text,
  tax_id text,
  address jsonb,
  locale text,
  reference text,
  source text not null,
  metadata jsonb not null,
  merged_into_id uuid,
  -- The clock whose time its invoices have, in test mode.
  test_clock_id uuid,
  -- Customers that were merged into an erased one are erased with it, and keep their state.
  erased_at timestamptz,
  -- The account of the member who has erased it.
  erased_by uuid,

  constraint customers_state check (state in ('active', 'merged', 'erasing', 'erased')),
  constraint customers_texts check (
    length(email) <= 254 and length(name) <= 200 and length(company) <= 200 and length(tax_id) <= 200
    and length(locale) <= 35 and length(reference) <= 200
  ),
  constraint customers_source check (source in ('merchant', 'checkout')),
  constraint customers_merged check ((state = 'merged') = (merged_into_id is not null) and merged_into_id <> id),
  constraint customers_test_clock check (test_clock_id is null or not livemode),
  constraint customers_erased check (state = 'merged' or (state in ('erasing', 'erased')) = (erased_at is not null)),
  constraint customers_erased_fields check (
    erased_at is null or (
      email like '%@erased.invalid' and metadata = '{}'
      and num_nonnulls(name, company, tax_id, locale, reference) = 0 and coalesce(address, 'null') = 'null')
  )
);

-- A merged customer frees its reference.
create unique index customers_reference_once on customers (merchant_id, livemode, reference)
where reference is not null and state <> 'merged';

-- A merchant's list pages by this. Merged customers are not in it.
create index customers_list on customers (merchant_id, livemode, seq) where state <> 'merged';

-- GET /v1/customers?q=: beginnings of names, in any case.
create index customers_by_name on customers (merchant_id, livemode, lower(name) collate "C") where name is not null;
create index customers_by_company on customers (merchant_id, livemode, lower(company) collate "C")
where company is not null;

-- The e-mail addresses by which a customer is found: its own and its aliases. An address belongs to one customer. Written
-- in the commit that creates or changes the customer.
create table customer_emails (
  merchant_id uuid not null,
  livemode boolean not null,
  -- The form in which addresses are compared: emailKey() in src/access/email.ts. Searched by its beginning.
  email_key text collate "C" not null,
  customer_id uuid not null,
  -- As it was entered.
  email text not null,

  constraint customer_emails_pkey primary key (merchant_id, livemode, email_key)
);
create index customer_emails_of_customer on customer_emails (customer_id);

-- Merged customers, each with the one that has taken its place. Payments and totals keep the customer that they were
-- written for, so merging a customer with a million payments changes none of them.
create table merged_customers (
  customer_id uuid primary key,
  survivor_id uuid not null,
  constraint merged_customers_other check (customer_id <> survivor_id)
);
create index merged_customers_of_survivor on merged_customers (survivor_id);

-- The sums of the successful payments and processed refunds of a customer, kept by one reader of the feed: see
-- add_payment_sums(). A column of the customer would make the payments of a shop whose customers share one e-mail
-- address wait for each other.
create table customer_totals (
  customer_id uuid not null,
  currency text not null,
  payments_count bigint not null,
  -- Sums of amounts of up to 2^53 - 1: a bigint would overflow after a thousand of them, and stop the reader for all merchants.
  volume_minor numeric not null,
  refunded_minor numeric not null,
  first_payment_at timestamptz,
  last_payment_at timestamptz,
  constraint customer_totals_pkey primary key (customer_id, currency)
);

-- The credit ledger. Entries are rows of commands and never change. The trigger of the table keeps the balances.
create table credit_entries (
  -- First in the key, so that a commit locks balances in this order.
  customer_id uuid not null,
  currency text not null,
  id uuid not null,
  merchant_id uuid not null,
  livemode boolean not null,
  type text not null,
  amount_minor bigint not null,
  -- After this entry. Set by the trigger.
  balance_minor bigint,
  invoice_id uuid,
  payment_id uuid,
  credit_note_id uuid,
  note text,
  created_at timestamptz not null,
  -- Its place in the list: see lock_list().
  seq bigint generated always as identity,

  constraint credit_entries_pkey primary key (customer_id, currency, id),
  constraint credit_entries_type check (
    type in ('overpayment', 'credit_note', 'applied', 'released', 'refunded', 'adjustment')
  ),
  constraint credit_entries_currency check (currency ~ '^[A-Z]{3}$'),
  constraint credit_entries_amount check (amount_minor <> 0 and abs(amount_minor) <= 9007199254740991),
  constraint credit_entries_balance check (balance_minor is not null and balance_minor >= 0),
  constraint credit_entries_note check (length(note) <= 1000)
);
-- A customer's list pages by this.
create index credit_entries_list on credit_entries (customer_id, seq);

-- What was applied to an invoice, and released.
create index credit_entries_of_invoice on credit_entries (invoice_id) where invoice_id is not null;

-- What a credit note added.
create index credit_entries_of_credit_note on credit_entries (credit_note_id) where credit_note_id is not null;

create table credit_balances (
  customer_id uuid not null,
  currency text not null,
  balance_minor bigint not null,
  constraint credit_balances_pkey primary key (customer_id, currency),
  -- Credit is never spent twice, however many requests spend it concurrently.
  constraint credit_balances_range check (balance_minor between 0 and 9007199254740991)
);
-- The credit of a merchant: billing_figures().
create index credit_balances_left on credit_balances (customer_id) where balance_minor > 0;
