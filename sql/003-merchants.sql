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

-- Called in the statement that makes the change, after it. What an account does for itself, such as
-- signing in, its merchants' owners read too: it stands in the log of each.
-- The locks make the events of a merchant visible in the order of seq, so that no reader with a
-- cursor skips one. They are the last that a statement takes, and those of one account's merchants
-- in one order: two that write events do not wait for each other.
create function record_security_event(
  merchant uuid, account uuid, actor text, address text, action text, details json default '{}'
) returns void language plpgsql as $$
declare
  its uuid;
  everybodys uuid[] := array(select merchant_id from members where account_id = account and merchant is null order by 1);
begin
  if merchant is not null or cardinality(everybodys) = 0 then
    everybodys := array[merchant];
  end if;
  foreach its in array everybodys loop
    perform pg_advisory_xact_lock(hashtextextended('security_events ' || its, 0)) where its is not null;
    insert into security_events (merchant_id, account_id, actor, address, action, details)
    values (its, account, actor, address, action, details);
  end loop;
end $$;

-- A merchant with its settings in both modes. Its event is its caller's to record, who knows who asked.
create function create_merchant(id uuid, name text, owner uuid) returns void language plpgsql as $$
begin
  insert into merchants (id, name) values (create_merchant.id, create_merchant.name);
  insert into merchant_settings (merchant_id, livemode) values (create_merchant.id, false), (create_merchant.id, true);
  insert into members (merchant_id, account_id, role) values (create_merchant.id, owner, 'owner');
end $$;

-- The role of whoever asks for a change, null for none. Everything that people change of a merchant
-- begins here and so waits for its row: of two owners who remove each other one stays, and somebody
-- who is being removed makes no key or invite that would stay behind. Asked again of the table, since
-- processes remember roles for a second.
create function lock_merchant_for(merchant uuid, caller uuid) returns text language plpgsql as $$
begin
  perform from merchants where id = merchant for no key update;
  return (select role from members where merchant_id = merchant and account_id = caller);
end $$;

-- Gives a member another role, or with none ends the membership.
create function change_member(
  merchant uuid, member uuid, new_role text, caller uuid, actor text, address text, details jsonb
) returns text language plpgsql as $$
declare
  old_role text;
  owners integer;
  revoked integer := 0;
begin
  if lock_merchant_for(merchant, caller) is distinct from 'owner' then
    return 'not_owner';
  end if;
  select role into old_role from members where merchant_id = merchant and account_id = member;
  if old_role is null then
    return 'missing';
  end if;
  select count(*) into owners from members where merchant_id = merchant and role = 'owner';
  if old_role = 'owner' and new_role is distinct from 'owner' and owners = 1 then
    return 'last_owner';
  end if;
  if new_role = old_role then
    return 'changed';
  end if;

  if new_role is null then
    delete from members where merchant_id = merchant and account_id = member;
  else
    update members set role = new_role, updated_at = now() where merchant_id = merchant and account_id = member;
  end if;
  if old_role = 'owner' then
    -- Or they would come back by a link that they have made for themselves.
    update invites set revoked_at = now(), updated_at = now()
    where merchant_id = merchant and created_by = member and accepted_at is null and revoked_at is null;
    get diagnostics revoked = row_count;
  end if;
  perform record_security_event(merchant, caller, actor, address,
    case when new_role is null then 'member.removed' else 'member.role_changed' end,
    (details || jsonb_build_object('from', old_role, 'to', new_role, 'invitesRevoked', revoked))::json);
  return 'changed';
end $$;
