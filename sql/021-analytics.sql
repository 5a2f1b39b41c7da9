-- What happened with the payments of each merchant, counted by the time at which it happened: by quarter-hour for 400 days,
-- and by day for ever. Kept by the reader of the feed that keeps the totals of customers: see add_payment_sums().
create table payment_sums (
  merchant_id uuid not null,
  livemode boolean not null,
  span text not null,
  -- The whole of the merchant, or one part: an asset on a chain, or a payment link.
  breakdown text not null,
  -- Of a quarter-hour in UTC, and of a day in billing_settings.sums_time_zone.
  starts_at timestamp not null,
  currency text not null,
  -- Of an asset `<chain ID>:<asset>`, empty before one is picked. Of a link its ID, or `single_use` for all links that are
  -- paid once.
  key text collate "C" not null,

  -- In the span in which the payment was opened: how many were opened, and how many of these are successful by now.
  opened integer not null,
  converted integer not null,
  -- In the span in which it happened.
  picked integer not null,
  seen integer not null,
  succeeded integer not null,
  failed integer not null,
  expired integer not null,
  canceled integer not null,
  late integer not null,
  volume_minor numeric not null,
  refunds integer not null,
  refunded_minor numeric not null,
  -- How many payments took so long from their opening until they were seen, and from then until success: see time_count().
  -- Null: none, and for links, of which a shop may have many.
  pay_times integer[],
  final_times integer[],

  constraint payment_sums_pkey primary key (merchant_id, livemode, span, breakdown, starts_at, currency, key),
  constraint payment_sums_span check (span in ('quarter', 'day')),
  constraint payment_sums_times check (breakdown <> 'link' or num_nonnulls(pay_times, final_times) = 0),
  constraint payment_sums_breakdown check (breakdown in ('all', 'asset', 'link'))
);
-- Quarter-hours that are older than 400 days are deleted by this.
create index payment_sums_quarters on payment_sums (starts_at) where span = 'quarter' and breakdown = 'all';
insert into feed_cursors values ('payments', 0, '0', 0);
