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
