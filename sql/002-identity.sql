-- Accounts and their second factors, merchants and their members, API keys, invites, sessions, and the security log.
--
-- All times are the database's, so that every process compares the same clock. Functions that may have waited for a
-- lock use clock_timestamp(), because now() is the time at which the statement began.

create table accounts (
  id uuid not null,
  -- As the program normalises it, so that two spellings of one address are one account.
  email text not null,
  password_hash text not null,
  -- Sealed. While mfa_enabled_at is null, the secret has been shown but not confirmed, and no code is required.
  mfa_secret text,
  mfa_enabled_at timestamptz,
  -- The step of the last code that was used. Codes of this step and of earlier steps are not accepted again.
  mfa_last_step bigint,
  -- May use the pages of the operator.
  operator boolean not null default false,
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

-- Attempts that are rate limited. The subject is `password`, `code` or `sign-up` with an IP address or the hash of an
-- e-mail address, whether that address has an account or not.
create table attempts (
  subject text not null,
  at timestamptz not null
);
create index attempts_subject on attempts (subject, at);
-- Finds the attempts that are too old to count.
create index attempts_at on attempts (at);

-- Logos of merchants, in files that are named by their SHA-256: equal files are stored once, and a file never changes.
create table logos (
  name text primary key,
  bytes bytea not null,
  created_at timestamptz not null default now(),
  constraint logos_name check (name ~ '^[0-9a-f]{64}[.](png|jpg|webp)$'),
  constraint logos_bytes check (length(bytes) between 1 and 262144)
);

create table merchants (
  id uuid primary key,
  name text not null,
  api_version text not null default '2026-11-20',
  -- Shown to customers, in both modes.
  logo text references logos,
  accent_color text,
  support_email text,
  support_url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint merchants_name check (length(name) between 1 and 200),
  constraint merchants_branding check (
    length(support_url) <= 2048 and length(support_email) <= 254
    and accent_color ~ '^#[0-9a-f]{6}$'
  )
);
-- Finds the merchants that use a file, before it is deleted.
create index merchants_logo on merchants (logo) where logo is not null;

create table members (
  merchant_id uuid not null references merchants,
  account_id uuid not null,
  role text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A merchant's rows are inserted under its lock, so they become visible in this order and a list that continues from
  -- a cursor skips none.
  seq bigint generated always as identity,

  constraint members_pkey primary key (merchant_id, account_id),
  constraint members_account foreign key (account_id) references accounts,
  constraint members_role check (role in ('owner', 'developer', 'viewer'))
);
-- The merchants of an account.
create index members_account on members (account_id);

-- The security log: who changed what, from where and when. Rows are only inserted, and kept when their subject is
-- deleted.
create table security_events (
  id uuid not null default new_uuidv7(),
  -- Null when the account is not a member of any merchant, or when there is no account.
  merchant_id uuid,
  -- The account that acted or was acted on.
  account_id uuid,
  -- Who acted: an id as in the API (usr_…, key_…), `operator` or `anonymous`.
  actor text not null,
  -- The IP address; null for an operator.
  address text,
  action text not null,
  details json not null,
  at timestamptz not null default clock_timestamp(),
  seq bigint generated always as identity,

  constraint security_events_pkey primary key (id),
  constraint security_events_action check (action ~ '^[a-z_]+\.[a-z_]+$')
);
-- A merchant's log pages by this, for one action or all.
create index security_events_merchant on security_events (merchant_id, seq);
create index security_events_merchant_action on security_events (merchant_id, action, seq);

-- API keys, by which a merchant's server authenticates.
create table api_keys (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  name text not null,
  scopes text[] not null,
  -- Set when the key is created: the API version of its requests that name none.
  api_version text not null,
  -- The beginning of the secret that may be shown anywhere, and its last four characters.
  tag text not null,
  last4 text not null,
  -- SHA-256 of the secret. A secret of 256 random bits needs no slow hash.
  hash bytea not null,
  -- The previous secret, while both are valid.
  previous_hash bytea,
  previous_until timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A merchant's keys are inserted under its lock, so they become visible in this order.
  seq bigint generated always as identity,

  constraint api_keys_hash_once unique (hash),
  constraint api_keys_previous_hash_once unique (previous_hash),
  constraint api_keys_hashes check (length(hash) = 32 and length(previous_hash) = 32),
  constraint api_keys_previous check ((previous_hash is null) = (previous_until is null)),
  constraint api_keys_name check (length(name) between 1 and 200),
  -- The program knows the scopes: src/resources.ts. A null becomes `?`.
  constraint api_keys_scopes check (
    cardinality(scopes) > 0
    and array_to_string(scopes, ' ', '?') ~ '^(\*|[a-z_]+:(read|write))( (\*|[a-z_]+:(read|write)))*$'
  )
);
-- A merchant's list of keys in one mode.
create index api_keys_merchant on api_keys (merchant_id, livemode, seq);

-- Invites: links that an owner sends, each valid for one membership.
create table invites (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  role text not null,
  -- The e-mail address that the account must have; null: any account that has the link.
  email text,
  -- SHA-256 of the token in the link. The token is not stored.
  token_hash bytea not null,
  created_by uuid not null references accounts,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid references accounts,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A merchant's rows are inserted under its lock, as for members.
  seq bigint generated always as identity,

  constraint invites_token_once unique (token_hash),
  constraint invites_role check (role in ('owner', 'developer', 'viewer')),
  constraint invites_email check (length(email) <= 254),
  constraint invites_accepted check ((accepted_at is null) = (accepted_by is null)),
  constraint invites_end check (accepted_at is null or revoked_at is null)
);
-- A merchant's list.
create index invites_merchant on invites (merchant_id, seq) where accepted_at is null and revoked_at is null;

-- Sessions. Functions that lock both an account and its sessions lock the account first.

create table sessions (
  id uuid not null,
  account_id uuid not null,
  -- Hashes of the current refresh token and of the previous one, which stays valid for ten seconds.
  token_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamptz not null default now(),
  -- When a password or a code was last given. Sensitive changes require a recent one.
  proven_at timestamptz not null default now(),
  -- When a code was last given; null if none was. Operators need one.
  second_factor_at timestamptz,
  last_used_at timestamptz not null default now(),
  address text not null,
  -- The network that the session was opened from, as rate limits count it: an IPv4 address or an IPv6 /64. A refresh
  -- changes the address and not the network.
  network text not null,
  user_agent text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint sessions_pkey primary key (id),
  constraint sessions_account foreign key (account_id) references accounts,
  constraint sessions_hash check (length(token_hash) = 32 and length(previous_hash) = 32),
  constraint sessions_user_agent check (length(user_agent) <= 300)
);
-- The list of an account's sessions, and ending all of them.
create index sessions_account_used on sessions (account_id, last_used_at);
-- Whether the account has signed in from a network recently, which decides how its password attempts are limited.
create index sessions_account_network on sessions (account_id, network, created_at);
