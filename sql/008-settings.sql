-- What a merchant sets: some of it for both modes, what moves money for each.
create table merchant_settings (
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  -- Chain id to a number of confirmations, where it is not the chain's own.
  confirmations jsonb not null default '{}',
  -- What may be missing of a payment, in hundredths of a percent: exchanges keep a fee of what they send.
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
  constraint receiving_addresses_address check (address ~ '^0x[0-9a-fA-F]*$' and length(address) = 42)
);

-- Everything that can be set, as one row for each mode.
create view settings as
select m.id as merchant_id, s.livemode, m.name, m.logo_url, m.accent_color, m.support_email, m.support_url,
  (select address from receiving_addresses a
    where a.merchant_id = m.id and a.livemode = s.livemode and chain_id is null) as receiving_address,
  (select coalesce(jsonb_object_agg(chain_id, address), '{}') from receiving_addresses a
    where a.merchant_id = m.id and a.livemode = s.livemode and chain_id is not null) as receiving_addresses,
  s.confirmations, s.tolerance_bps, s.late_policy, s.refund_mode,
  s.created_at, greatest(m.updated_at, s.updated_at) as updated_at
from merchants m join merchant_settings s on s.merchant_id = m.id;

-- Changes what `changes` names by the columns of the view, and nothing else: two people who change
-- different things both get their way. Of chains, too, only those named; null removes one.
create function change_settings(
  merchant uuid, mode boolean, changes jsonb, caller uuid, actor text, address text
) returns text language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  changed jsonb;
  caller_role text := lock_merchant_for(merchant, caller);
begin
  if caller_role is distinct from 'owner'
    and (caller_role is distinct from 'developer' or changes ?| array['receiving_address', 'receiving_addresses']) then
    return 'not_allowed';
  end if;
  select to_jsonb(v) - 'updated_at' into before from settings v where merchant_id = merchant and livemode = mode;
  if exists (
    select from unnest(array['confirmations', 'receiving_addresses']) field
    where (select count(*) from jsonb_object_keys(
      jsonb_strip_nulls((before->field) || coalesce(changes->field, '{}')))) > 100) then
    return 'too_many';
  end if;

  update merchants m set
    name = coalesce(changes->>'name', m.name),
    logo_url = case when changes ? 'logo_url' then changes->>'logo_url' else m.logo_url end,
    accent_color = case when changes ? 'accent_color' then changes->>'accent_color' else m.accent_color end,
    support_email = case when changes ? 'support_email' then changes->>'support_email' else m.support_email end,
    support_url = case when changes ? 'support_url' then changes->>'support_url' else m.support_url end
  where id = merchant;
  update merchant_settings s set
    confirmations = jsonb_strip_nulls(s.confirmations || coalesce(changes->'confirmations', '{}')),
    tolerance_bps = coalesce((changes->>'tolerance_bps')::integer, s.tolerance_bps),
    late_policy = coalesce(changes->>'late_policy', s.late_policy),
    refund_mode = coalesce(changes->>'refund_mode', s.refund_mode)
  where merchant_id = merchant and livemode = mode;

  -- The address for all chains is the one of no chain.
  with given as (
    select key::bigint as chain, value from jsonb_each_text(coalesce(changes->'receiving_addresses', '{}'))
    union all select null, changes->>'receiving_address' where changes ? 'receiving_address'),
  gone as (
    delete from receiving_addresses a using given g
    where a.merchant_id = merchant and a.livemode = mode and a.chain_id is not distinct from g.chain and g.value is null)
  insert into receiving_addresses (merchant_id, livemode, chain_id, address)
  select merchant, mode, chain, value from given where value is not null
  on conflict on constraint receiving_addresses_once do update set address = excluded.address, updated_at = now();

  select to_jsonb(v) - 'updated_at' into after from settings v where merchant_id = merchant and livemode = mode;
  select jsonb_object_agg(
    -- The log names fields as the wire does.
    lower(left(key, 1)) || substr(replace(initcap(replace(key, '_', ' ')), ' ', ''), 2),
    jsonb_build_object('from', before->key, 'to', value))
  into changed from jsonb_each(after) where value <> before->key;
  if changed is null then
    return 'changed';
  end if;

  update merchants set updated_at = now()
  where id = merchant
    and changed ?| array['name', 'logoUrl', 'accentColor', 'supportEmail', 'supportUrl'];
  update merchant_settings set updated_at = now() where merchant_id = merchant and livemode = mode;
  perform record_security_event(merchant, caller, actor, address, 'settings.changed',
    json_build_object('livemode', mode, 'changed', changed));
  return 'changed';
end $$;
