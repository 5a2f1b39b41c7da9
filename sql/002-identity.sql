-- Accounts and their second factors, merchants and their members, API keys, invites, sessions, and the log of what
-- changed who may do what.
--
-- All times are the database's, so that every process counts alike; clock_timestamp() where a
-- function may have waited for a lock, since now() is when it began to wait.

create table accounts (
  id uuid not null,
  -- As the program normalises it: two spellings of one address are one account.
  email text not null,
  password_hash text not null,
  -- Sealed. While mfa_enabled_at is null it has been shown but not confirmed, and protects nothing.
  mfa_secret text,
  mfa_enabled_at timestamptz,
  -- The step of the last code used: codes of this step and of earlier ones are spent.
  mfa_last_step bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_pkey primary key (id),
  constraint accounts_email_once unique (email),
  constraint accounts_email_normal check (email = lower(btrim(email) collate "C") and length(email) <= 254),
  constraint accounts_mfa_secret check (mfa_enabled_at is null or mfa_secret is not null)
);

create table recovery_codes (
  account_id uuid not null,
  hash bytea not null,
  used_at timestamptz,
  constraint recovery_codes_pkey primary key (account_id, hash),
  constraint recovery_codes_account foreign key (account_id) references accounts,
  constraint recovery_codes_hash check (length(hash) = 32)
);

-- What is limited, and when it was tried: `password` or `code` or `sign-up`, and an address or the
-- hash of an e-mail address, whether there is such an account or not.
create table attempts (
  subject text not null,
  at timestamptz not null
);
create index attempts_subject on attempts (subject, at);
-- Finds what is too old to count.
create index attempts_at on attempts (at);

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
  constraint members_account foreign key (account_id) references accounts,
  constraint members_role check (role in ('owner', 'developer', 'viewer'))
);
-- The merchants of somebody who signs in.
create index members_account on members (account_id);

-- Who changed what, from where and when. Only ever added to, and kept when what it tells of is gone.
create table security_events (
  id uuid not null default new_uuidv7(),
  -- Null: of an account that is no member anywhere, or of nobody.
  merchant_id uuid,
  -- Whose account acted or was acted on.
  account_id uuid,
  -- Who did it: an id as on the wire (usr_…, key_…), `operator`, or `anonymous`.
  actor text not null,
  -- Where they came from; null for an operator.
  address text,
  action text not null,
  details json not null,
  at timestamptz not null default clock_timestamp(),
  seq bigint generated always as identity,

  constraint security_events_pkey primary key (id),
  constraint security_events_action check (action ~ '^[a-z_]+\.[a-z_]+$')
);
-- A merchant's log pages by exactly this, one action or all.
create index security_events_merchant on security_events (merchant_id, seq);
create index security_events_merchant_action on security_events (merchant_id, action, seq);

-- API keys: how a merchant's server says who it is.
create table api_keys (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  name text not null,
  scopes text[] not null,
  -- Pinned when the key was made: what its requests are answered in unless they say otherwise.
  api_version text not null,
  -- The part of the secret that may be seen anywhere, and its end.
  tag text not null,
  last4 text not null,
  -- SHA-256 of the secret: 256 random bits need no slow hash, and nobody can read them back.
  hash bytea not null,
  -- The secret before this one, as long as both are good.
  previous_hash bytea,
  previous_until timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Keys of a merchant are added under its lock, so that they become visible in this order.
  seq bigint generated always as identity,

  constraint api_keys_hash_once unique (hash),
  constraint api_keys_previous_hash_once unique (previous_hash),
  constraint api_keys_hashes check (length(hash) = 32 and length(previous_hash) = 32),
  constraint api_keys_previous check ((previous_hash is null) = (previous_until is null)),
  constraint api_keys_name check (length(name) between 1 and 200),
  constraint api_keys_scopes check (
    cardinality(scopes) > 0
    and scopes <@ array['*', 'payments:read', 'payment_links:write', 'refunds:write', 'disputes:write']
  )
);
-- A merchant's keys of one mode, page by page.
create index api_keys_merchant on api_keys (merchant_id, livemode, seq);

-- Invites: links that an owner passes on, each good for one membership.
create table invites (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  role text not null,
  -- Whom it is meant for; null: whoever holds the link.
  email text,
  -- SHA-256 of the token in the link, which is stored nowhere.
  token_hash bytea not null,
  created_by uuid not null references accounts,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid references accounts,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Rows of a merchant are added under its lock, as members are.
  seq bigint generated always as identity,

  constraint invites_token_once unique (token_hash),
  constraint invites_role check (role in ('owner', 'developer', 'viewer')),
  constraint invites_email check (length(email) <= 254),
  constraint invites_accepted check ((accepted_at is null) = (accepted_by is null)),
  constraint invites_end check (accepted_at is null or revoked_at is null)
);
-- A merchant's list.
create index invites_merchant on invites (merchant_id, seq) where accepted_at is null and revoked_at is null;

-- Sessions: where somebody is signed in, and the ways to get there. Whoever locks both an account and
-- its sessions begins with the account.

create table sessions (
  id uuid not null,
  account_id uuid not null,
  -- Of the refresh token that is good now, and of the one before it, which is good for ten seconds more.
  token_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamptz not null default now(),
  -- When a password or a code was given last; sensitive changes ask for a recent one.
  proven_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  address text not null,
  -- What limits count the address by from which it was opened: an IPv4 address or an IPv6 /64. A refresh changes
  -- the address and not this.
  network text not null,
  user_agent text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint sessions_pkey primary key (id),
  constraint sessions_account foreign key (account_id) references accounts,
  constraint sessions_hash check (length(token_hash) = 32 and length(previous_hash) = 32),
  constraint sessions_user_agent check (length(user_agent) <= 300)
);
-- An account's own sessions: its list, and ending them all.
create index sessions_account_used on sessions (account_id, last_used_at);
-- Whether the account has signed in from a network lately, which decides by what its password checks are limited.
create index sessions_account_network on sessions (account_id, network, created_at);
