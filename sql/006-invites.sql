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

create function create_invite(
  invite uuid, merchant uuid, invite_role text, invite_email text, hash bytea,
  caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if lock_merchant_for(merchant, caller) is distinct from 'owner' then
    return 'not_owner';
  end if;
  insert into invites (id, merchant_id, role, email, token_hash, created_by, expires_at)
  values (invite, merchant, invite_role, invite_email, hash, caller, now() + interval '7 days');
  perform record_security_event(merchant, caller, actor, address, 'invite.created', details);
  return 'created';
end $$;

create function revoke_invite(
  invite uuid, merchant uuid, caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if lock_merchant_for(merchant, caller) is distinct from 'owner' then
    return 'not_owner';
  end if;
  update invites set revoked_at = now(), updated_at = now()
  where id = invite and merchant_id = merchant and accepted_at is null and revoked_at is null;
  if not found then
    return 'missing';
  end if;
  perform record_security_event(merchant, caller, actor, address, 'invite.revoked', details);
  return 'revoked';
end $$;

-- Makes the account a member by the invite with this hash. A new account is made in the same
-- statement: an invite that has been used leaves none behind.
create function accept_invite(
  hash bytea, account uuid, actor text, address text, new_email text, new_password_hash text
) returns text language plpgsql as $$
declare
  invited invites;
begin
  select * into invited from invites where token_hash = hash;
  perform from merchants where id = invited.merchant_id for no key update;
  -- As it is now that nobody else can use it.
  select * into invited from invites
  where token_hash = hash and accepted_at is null and revoked_at is null and expires_at > now();
  if not found then
    return 'missing';
  end if;
  if invited.email <> coalesce(new_email, (select email from accounts where id = account)) then
    return 'other_email';
  end if;
  if exists (select from members where merchant_id = invited.merchant_id and account_id = account) then
    return 'member_already';
  end if;

  if new_email is not null then
    if not create_account(account, new_email, new_password_hash) then
      return 'email_taken';
    end if;
    perform record_security_event(null, account, actor, address, 'account.created');
  end if;
  insert into members (merchant_id, account_id, role) values (invited.merchant_id, account, invited.role);
  update invites set accepted_at = now(), accepted_by = account, updated_at = now() where id = invited.id;
  perform record_security_event(invited.merchant_id, account, actor, address, 'invite.accepted',
    json_build_object('role', invited.role));
  return 'accepted';
end $$;
