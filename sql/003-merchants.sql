-- Merchants, who may act for them, and the log of what changed who may do what.

-- Made by the database, so that one statement can write a record and the rows that belong to it.
create function new_uuidv7() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

create table merchants (
  id uuid primary key,
  name text not null,
  api_version text not null default '2026-11-20',
  -- What customers see of the merchant, in both modes.
  logo_url text,
  accent_color text,
  support_email text,
  support_url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint merchants_name check (length(name) between 1 and 200),
  constraint merchants_branding check (
    length(logo_url) <= 2048 and length(support_url) <= 2048 and length(support_email) <= 254
    and accent_color ~ '^#[0-9a-f]{6}$'
  )
);

create table members (
  merchant_id uuid not null references merchants,
  account_id uuid not null,
  role text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Rows of a merchant are added under its lock, so that they become visible in this order: a list
  -- that goes on from a cursor skips none.
  seq bigint generated always as identity,

  constraint members_pkey primary key (merchant_id, account_id),
  constraint members_role check (role in ('owner', 'developer', 'viewer'))
);
-- The merchants of somebody who signs in.
create index members_account on members (account_id);

create table merchant_settings (
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  -- Chain id to a number of confirmations, where it is not the chain's own.
  confirmations jsonb not null default '{}',
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

-- Where a merchant's money ends up. An address given to a customer keeps the one it was made with.
create table receiving_addresses (
  merchant_id uuid not null,
  livemode boolean not null,
  -- Null: every chain that has no row of its own.
  chain_id bigint,
  -- With the checksum of EIP-55.
  address text not null,
  updated_at timestamptz not null default now(),

  constraint receiving_addresses_once unique nulls not distinct (merchant_id, livemode, chain_id),
  constraint receiving_addresses_settings foreign key (merchant_id, livemode) references merchant_settings,
  constraint receiving_addresses_chain check (chain_id between 1 and 9007199254740991),
  constraint receiving_addresses_address check (address ~ '^0x[0-9a-fA-F]{40}$')
);

-- Who changed what, from where and when. Only ever added to, and kept when what it tells of is gone.
create table security_events (
  id uuid not null default new_uuidv7(),
  -- Null: not of one merchant, such as a sign-in.
  merchant_id uuid,
  -- Whose account acted or was acted on.
  account_id uuid,
  -- Who did it: an id as on the wire (usr_…, key_…), `operator`, or `anonymous`.
  actor text not null,
  -- Where they came from; null for an operator.
  address text,
  action text not null,
  details json not null,
  at timestamptz not null default now(),
  seq bigint generated always as identity,

  constraint security_events_pkey primary key (id),
  constraint security_events_action check (action ~ '^[a-z_]+\.[a-z_]+$')
);
-- A merchant's log pages by exactly this, one action or all.
create index security_events_merchant on security_events (merchant_id, seq);
create index security_events_merchant_action on security_events (merchant_id, action, seq);
create index security_events_account on security_events (account_id, seq);

-- Called in the statement that makes the change, after it.
-- The lock makes the events of a merchant visible in the order of seq, so that no reader with a
-- cursor skips one. It is the last lock that a statement takes, and of one merchant only: two that
-- write events cannot wait for each other.
create function record_security_event(
  merchant uuid, account uuid, actor text, address text, action text, details json default '{}'
) returns void language plpgsql as $$
begin
  if merchant is not null then
    perform pg_advisory_xact_lock(hashtextextended('security_events ' || merchant, 0));
  end if;
  insert into security_events (merchant_id, account_id, actor, address, action, details)
  values (merchant, account, actor, address, action, details);
end $$;

-- A merchant with its settings in both modes. Its event is its caller's to record, who knows who asked.
create function create_merchant(id uuid, name text, owner uuid) returns void language plpgsql as $$
begin
  insert into merchants (id, name) values (create_merchant.id, create_merchant.name);
  insert into merchant_settings (merchant_id, livemode) values (create_merchant.id, false), (create_merchant.id, true);
  insert into members (merchant_id, account_id, role) values (create_merchant.id, owner, 'owner');
end $$;
