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

-- No caller at all is an operator, who waits for the merchant's row all the same.
create function may_change_api_keys(merchant uuid, caller uuid) returns boolean language plpgsql as $$
declare
  caller_role text := lock_merchant_for(merchant, caller);
begin
  return caller is null or coalesce(caller_role in ('owner', 'developer'), false);
end $$;

-- `created`, `not_allowed`, or `missing`: there is no such merchant.
create function create_api_key(
  key uuid, merchant uuid, key_livemode boolean, key_name text, key_scopes text[], key_expires_at timestamptz,
  key_tag text, key_last4 text, key_hash bytea, caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not may_change_api_keys(merchant, caller) then
    return 'not_allowed';
  end if;
  insert into api_keys (id, merchant_id, livemode, name, scopes, expires_at, tag, last4, hash, api_version)
  select key, id, key_livemode, key_name, key_scopes, key_expires_at, key_tag, key_last4, key_hash, api_version
  from merchants where id = merchant;
  if not found then
    return 'missing';
  end if;
  perform record_security_event(merchant, caller, actor, address, 'api_key.created', details);
  return 'created';
end $$;

-- The secret before this one ends now or after the overlap. While one is still good after an earlier
-- rotation there is no place for a second: `overlapping`, or a double click would end the one in use.
-- `rotated`, `not_allowed`, `missing`, or `ended`: what is revoked or expired stays so.
create function rotate_api_key(
  key uuid, merchant uuid, overlap interval, key_tag text, key_last4 text, key_hash bytea,
  caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not may_change_api_keys(merchant, caller) then
    return 'not_allowed';
  end if;
  if overlap > interval '0' and exists (
    select from api_keys where id = key and merchant_id = merchant and revoked_at is null and previous_until > now()) then
    return 'overlapping';
  end if;
  update api_keys set
    tag = key_tag,
    last4 = key_last4,
    hash = key_hash,
    previous_hash = case when overlap > interval '0' then hash end,
    previous_until = case when overlap > interval '0' then now() + overlap end,
    updated_at = now()
  where id = key and merchant_id = merchant and revoked_at is null and (expires_at is null or expires_at > now());
  if found then
    perform record_security_event(merchant, caller, actor, address, 'api_key.rotated', details);
    return 'rotated';
  end if;
  return case when exists (select from api_keys where id = key and merchant_id = merchant) then 'ended' else 'missing' end;
end $$;

-- `revoked`, also when it was before; `not_allowed` or `missing`.
create function revoke_api_key(
  key uuid, merchant uuid, caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not may_change_api_keys(merchant, caller) then
    return 'not_allowed';
  end if;
  update api_keys set revoked_at = now(), updated_at = now()
  where id = key and merchant_id = merchant and revoked_at is null;
  if found then
    perform record_security_event(merchant, caller, actor, address, 'api_key.revoked', details);
    return 'revoked';
  end if;
  return case when exists (select from api_keys where id = key and merchant_id = merchant) then 'revoked' else 'missing' end;
end $$;
