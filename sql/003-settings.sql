-- A merchant's settings. What moves money is set for each mode, the rest for both.
create table merchant_settings (
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  -- Chain id to number of confirmations, for chains whose default the merchant has changed.
  confirmations jsonb not null default '{}',
  -- The part of a payment that may be missing, in hundredths of a percent: exchanges deduct a fee from what they send.
  tolerance_bps integer not null default 50,
  late_policy text not null default 'accept_stablecoins',
  refund_mode text not null default 'manual',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint merchant_settings_pkey primary key (merchant_id, livemode),
  constraint merchant_settings_tolerance check (tolerance_bps between 0 and 1000),
  constraint merchant_settings_late_policy check (late_policy in ('accept_stablecoins', 'needs_attention')),
  constraint merchant_settings_refund_mode check (refund_mode in ('manual', 'signer'))
);

-- The merchant's own addresses. A deposit address that was given to a customer keeps the one that it was computed with.
create table receiving_addresses (
  merchant_id uuid not null,
  livemode boolean not null,
  -- Null: all chains without a row of their own.
  chain_id bigint,
  -- With its EIP-55 checksum.
  address text not null,
  updated_at timestamptz not null default now(),

  constraint receiving_addresses_once unique nulls not distinct (merchant_id, livemode, chain_id),
  constraint receiving_addresses_settings foreign key (merchant_id, livemode) references merchant_settings,
  constraint receiving_addresses_chain check (chain_id between 1 and 9007199254740991),
  constraint receiving_addresses_address check (address ~ '^0x[0-9a-fA-F]*$' and length(address) = 42)
);

-- All settings, one row for each mode.
create view settings as
select m.id as merchant_id, s.livemode, m.name, m.logo, m.accent_color, m.support_email, m.support_url,
  (select address from receiving_addresses a
    where a.merchant_id = m.id and a.livemode = s.livemode and chain_id is null) as receiving_address,
  (select coalesce(jsonb_object_agg(chain_id, address), '{}') from receiving_addresses a
    where a.merchant_id = m.id and a.livemode = s.livemode and chain_id is not null) as receiving_addresses,
  s.confirmations, s.tolerance_bps, s.late_policy, s.refund_mode,
  s.created_at, greatest(m.updated_at, s.updated_at) as updated_at
from merchants m join merchant_settings s on s.merchant_id = m.id;
