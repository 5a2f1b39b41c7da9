-- The functions of 003-settings.sql.

-- The fields of a row that have changed, with both values, as the audit log shows them. Null if none has.
create function changed_fields(before jsonb, after jsonb) returns jsonb language sql immutable as $$
  select jsonb_object_agg(
    -- The log names fields as the API does.
    lower(left(key, 1)) || substr(replace(initcap(replace(key, '_', ' ')), ' ', ''), 2),
    jsonb_build_object('from', before->key, 'to', value))
  from jsonb_each(after) where value is distinct from before->key
$$;

-- Changes the settings that `changes` names, by the columns of the view, and keeps all others, so that two concurrent
-- changes of different settings are both made. Of the settings by chain, changes those of the named chains; null
-- removes one.
create function change_settings(
  merchant uuid, mode boolean, changes jsonb, caller uuid, actor text, address text
) returns text language plpgsql as $$
declare
  before jsonb;
  changed jsonb;
begin
  if not authorize_change(merchant, caller, case
    when changes ?| array['receiving_address', 'receiving_addresses'] then array['owner'] else array['owner', 'developer'] end)
  then
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

  -- The address for all chains has no chain id.
  with given as (
    select key::bigint as chain, value from jsonb_each_text(coalesce(changes->'receiving_addresses', '{}'))
    union all select null, changes->>'receiving_address' where changes ? 'receiving_address'),
  gone as (
    delete from receiving_addresses a using given g
    where a.merchant_id = merchant and a.livemode = mode and a.chain_id is not distinct from g.chain and g.value is null)
  insert into receiving_addresses (merchant_id, livemode, chain_id, address)
  select merchant, mode, chain, value from given where value is not null
  on conflict on constraint receiving_addresses_once do update set address = excluded.address, updated_at = now();

  select changed_fields(before, to_jsonb(v) - 'updated_at') into changed
  from settings v where merchant_id = merchant and livemode = mode;
  if changed is null then
    return 'changed';
  end if;

  update merchants set updated_at = now()
  where id = merchant
    and changed ?| array['name', 'accentColor', 'supportEmail', 'supportUrl'];
  update merchant_settings set updated_at = now() where merchant_id = merchant and livemode = mode;
  perform record_security_event(merchant, caller, actor, address, 'settings.changed',
    json_build_object('livemode', mode, 'changed', changed));
  return 'changed';
end $$;

-- Sets a merchant's logo, or removes it when `new_name` is null. Deletes the file of the former one if no merchant uses it.
create function set_logo(merchant uuid, new_name text, new_bytes bytea, caller uuid, actor text, address text)
returns text language plpgsql as $$
declare
  old_name text;
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
    return 'not_allowed';
  end if;
  select logo into old_name from merchants where id = merchant;
  if new_name is not distinct from old_name then
    return 'changed';
  end if;
  -- Both files in one order, so that two merchants who exchange their logos do not wait for each other.
  perform from logos where name in (old_name, new_name) order by name for update;
  if new_name is not null then
    insert into logos (name, bytes) values (new_name, new_bytes) on conflict (name) do update set name = excluded.name;
  end if;
  update merchants set logo = new_name, updated_at = now() where id = merchant;
  delete from logos where name = old_name and not exists (select from merchants where logo = old_name);
  perform record_security_event(merchant, caller, actor, address, 'settings.changed',
    json_build_object('changed', json_build_object('logo', json_build_object('from', old_name, 'to', new_name))));
  return 'changed';
end $$;
