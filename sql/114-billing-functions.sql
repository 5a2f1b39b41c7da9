-- The functions of 014-billing.sql.

select define_actor_table('document_series');

-- Changes the settings that `changes` names, by the columns of the table, and keeps all others. `next_number`: the number
-- that was set for the next series, for the audit log.
create function change_billing_settings(
  merchant uuid, changes jsonb, next_number integer, caller uuid, actor text, address text
) returns text language plpgsql as $$
declare
  before jsonb;
  changed jsonb;
begin
  if not authorize_change(merchant, caller, '{owner}') then
    return 'not_allowed';
  end if;
  select to_jsonb(b) into before from billing_settings b where merchant_id = merchant;
  if changes ? 'time_zone' and changes->>'time_zone' <> before->>'time_zone'
    and (before->>'time_zone_changed_at')::timestamptz > now() - interval '24 hours' then
    return 'too_soon';
  end if;

  update billing_settings b set
    legal_name = case when changes ? 'legal_name' then changes->>'legal_name' else b.legal_name end,
    address = case when changes ? 'address' then nullif(changes->'address', 'null') else b.address end,
    tax_id = case when changes ? 'tax_id' then changes->>'tax_id' else b.tax_id end,
    time_zone = coalesce(changes->>'time_zone', b.time_zone),
    time_zone_changed_at = case
      when changes->>'time_zone' <> b.time_zone then now() else b.time_zone_changed_at end,
    invoice_prefix = coalesce(changes->>'invoice_prefix', b.invoice_prefix),
    credit_note_prefix = coalesce(changes->>'credit_note_prefix', b.credit_note_prefix),
    number_pattern = coalesce(changes->>'number_pattern', b.number_pattern),
    restart = coalesce(changes->>'restart', b.restart),
    days_until_due = coalesce((changes->>'days_until_due')::integer, b.days_until_due),
    tax_rate_bps = coalesce((changes->>'tax_rate_bps')::integer, b.tax_rate_bps),
    tax_behavior = coalesce(changes->>'tax_behavior', b.tax_behavior),
    reminders = coalesce(changes->'reminders', b.reminders),
    notes = case when changes ? 'notes' then changes->>'notes' else b.notes end,
    retention_years = coalesce((changes->>'retention_years')::integer, b.retention_years)
  where merchant_id = merchant;

  select changed_fields(before,
    to_jsonb(b) || jsonb_strip_nulls(jsonb_build_object('next_number', next_number)) - 'time_zone_changed_at')
  into changed from billing_settings b where merchant_id = merchant;
  if changed is null then
    return 'changed';
  end if;
  update billing_settings set updated_at = now() where merchant_id = merchant;
  perform record_security_event(merchant, caller, actor, address, 'settings.changed',
    json_build_object('changed', changed));
  return 'changed';
end $$;
