-- The functions of 002-identity.sql.

-- Logs a change, in the statement that makes it and after the change. What an account does for itself, such as signing
-- in, is logged for each of its merchants, so that their owners see it.
-- The locks make a merchant's events visible in the order of seq, so that a reader with a cursor skips none. They are
-- the last locks of a statement, and an account's merchants are locked in one order, so that two statements cannot
-- deadlock.
create function record_security_event(
  merchant uuid, account uuid, actor text, address text, action text, details json default '{}'
) returns void language plpgsql as $$
declare
  its uuid;
  merchant_ids uuid[] := array(select merchant_id from members where account_id = account and merchant is null order by 1);
begin
  if merchant is not null or cardinality(merchant_ids) = 0 then
    merchant_ids := array[merchant];
  end if;
  foreach its in array merchant_ids loop
    perform pg_advisory_xact_lock(hashtextextended('security_events ' || its, 0)) where its is not null;
    insert into security_events (merchant_id, account_id, actor, address, action, details)
    values (its, account, actor, address, action, details);
  end loop;
end $$;

-- Every change that members make to a merchant begins here: locks the merchant's row and returns whether the caller has
-- one of these roles. A null caller is an operator, who may change everything. Because of the lock, one of two owners who
-- remove each other stays, and a member who is being removed cannot leave a key or an invite. The role is read from the
-- table, since processes cache roles for a second. What was changed is then logged by record_security_event().
create function authorize_change(merchant uuid, caller uuid, roles text[]) returns boolean language plpgsql as $$
begin
  perform from merchants where id = merchant for no key update;
  return caller is null or exists (
    select from members where merchant_id = merchant and account_id = caller and role = any(roles));
end $$;

-- Creates a merchant with its settings. The caller logs the event.
create function create_merchant(id uuid, name text, owner uuid) returns void language plpgsql as $$
begin
  insert into merchants (id, name) values (create_merchant.id, create_merchant.name);
  insert into merchant_settings (merchant_id, livemode) values (create_merchant.id, false), (create_merchant.id, true);
  insert into billing_settings (merchant_id) values (create_merchant.id);
  insert into members (merchant_id, account_id, role) values (create_merchant.id, owner, 'owner');
end $$;

-- Changes a member's role, or ends the membership when `new_role` is null.
create function change_member(
  merchant uuid, member uuid, new_role text, caller uuid, actor text, address text, details jsonb
) returns text language plpgsql as $$
declare
  old_role text;
  owners integer;
  revoked integer := 0;
begin
  if not authorize_change(merchant, caller, '{owner}') then
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
    -- Or the member could return by an invite of their own.
    update invites set revoked_at = now(), updated_at = now()
    where merchant_id = merchant and created_by = member and accepted_at is null and revoked_at is null;
    get diagnostics revoked = row_count;
  end if;
  perform record_security_event(merchant, caller, actor, address,
    case when new_role is null then 'member.removed' else 'member.role_changed' end,
    (details || jsonb_build_object('from', old_role, 'to', new_role, 'invitesRevoked', revoked))::json);
  return 'changed';
end $$;

-- Seconds until the next attempt of the subject is allowed; null when it is allowed now.
create function attempt_wait(its_subject text, allowed integer, per interval) returns integer language plpgsql as $$
declare
  oldest timestamptz;
begin
  -- Attempts in the future do not count: the clock was set back, and must not lock the subject out.
  select at into oldest from attempts
  where subject = its_subject and at > clock_timestamp() - per and at <= clock_timestamp()
  order by at desc offset allowed - 1 limit 1;
  return case when oldest is not null then greatest(1, ceil(extract(epoch from oldest + per - clock_timestamp()))) end;
end $$;

-- Serializes the attempts of each subject, across processes, until the statement ends.
create function lock_attempts(subjects text[]) returns void language plpgsql as $$
declare
  key integer;
begin
  -- In one order, so that two statements cannot deadlock.
  for key in select distinct hashtext(s) from unnest(subjects) as s order by 1 loop
    perform pg_advisory_xact_lock(hashtext('paymachine attempts'), key);
  end loop;
end $$;

create function count_attempt(subjects text[]) returns void language plpgsql as $$
begin
  -- No limit counts attempts older than an hour. Deletes a few rows at a time, and none that another statement is
  -- deleting. Uses now(), which an index condition can use; clock_timestamp() would be compared with every row.
  delete from attempts where ctid = any (array(
    select ctid from attempts where at < now() - interval '1 hour' order by at limit 20 for update skip locked));
  insert into attempts select s, clock_timestamp() from unnest(subjects) as s;
end $$;

-- Counts one attempt for all subjects, or returns how many seconds to wait and counts none. A pass stands for an
-- attempt that was counted before: it is consumed, and nothing is counted.
create function take_attempt(
  subjects text[], allowed integer, per interval, pass text, out wait integer, out passed boolean
) language plpgsql as $$
begin
  -- The statement changes nothing else. Losing the attempts of the last moment in a crash costs less than a disk flush
  -- for every attempt.
  perform set_config('synchronous_commit', 'off', true);
  delete from attempts where ctid = (
    select ctid from attempts where subject = pass and at > clock_timestamp() - per
    order by at limit 1 for update skip locked);
  passed := found;
  if passed then
    return;
  end if;
  perform lock_attempts(subjects);
  select max(attempt_wait(s, allowed, per)) into wait from unnest(subjects) as s;
  if wait is null then
    perform count_attempt(subjects);
  end if;
end $$;

-- Returns false when the e-mail address has an account.
create function create_account(new_id uuid, new_email text, new_hash text) returns boolean language plpgsql as $$
declare
  is_first boolean := not exists (select from accounts);
begin
  if is_first then
    -- Of two concurrent first accounts, the second waits here and is not the first.
    perform pg_advisory_xact_lock(hashtext('paymachine first account'));
    is_first := not exists (select from accounts);
  end if;
  insert into accounts (id, email, password_hash, operator) values (new_id, new_email, new_hash, is_first)
  on conflict on constraint accounts_email_once do nothing;
  return found;
end $$;

-- Makes an account an operator, or ends that. Returns false when nothing has changed.
create function set_operator(account uuid, is_operator boolean, actor text, from_address text)
returns boolean language plpgsql as $$
begin
  update accounts set operator = is_operator, updated_at = clock_timestamp()
  where id = account and operator <> is_operator;
  if not found then
    return false;
  end if;
  perform record_security_event(null, account, actor, from_address,
    case when is_operator then 'operator.added' else 'operator.removed' end, '{}'::json);
  return true;
end $$;

-- Accepts a code once: the step of a valid TOTP code, or the hash of what may be a recovery code; both are null when
-- the code is certainly wrong. Returns `right`, `wrong`, or `wait` and the number of seconds after five wrong codes in
-- five minutes. The account's row is locked until the statement ends, so at most five concurrent codes are checked and
-- at most one is accepted. `failure` is the logged action of a wrong code.
create function use_code(
  account uuid, step bigint, recovery bytea, actor text, from_address text, failure text,
  out outcome text, out wait integer
) language plpgsql as $$
declare
  subject text := 'code:' || account;
begin
  perform from accounts where id = account for no key update;
  wait := attempt_wait(subject, 5, interval '5 minutes');
  if wait is not null then
    outcome := 'wait';
    return;
  end if;
  outcome := 'right';
  update accounts set mfa_last_step = step where id = account and step > coalesce(mfa_last_step, -1);
  if found then
    return;
  end if;
  update recovery_codes set used_at = clock_timestamp() where account_id = account and hash = recovery and used_at is null;
  if found then
    perform record_security_event(null, account, actor, from_address, 'mfa.recovery_code_used', '{}'::json);
    return;
  end if;
  outcome := 'wrong';
  perform count_attempt(array[subject]);
  perform record_security_event(null, account, actor, from_address, failure, '{"reason": "code"}'::json);
end $$;

-- Changes the password and ends all sessions but one. Returns false when `known_hash`, which the old password was
-- checked against, is no longer the account's; null when an operator sets the password.
create function change_password(
  account uuid, known_hash text, new_hash text, but_one uuid, actor text, from_address text
) returns boolean language plpgsql as $$
begin
  update accounts set password_hash = new_hash, updated_at = clock_timestamp()
  where id = account and (known_hash is null or password_hash = known_hash);
  if not found then
    return false;
  end if;
  perform record_security_event(null, account, actor, from_address, 'password.changed', '{}'::json);
  perform end_sessions(account, null, but_one, actor, from_address);
  return true;
end $$;

-- Stores a secret to be confirmed; returns false when MFA is enabled.
create function set_up_mfa(account uuid, new_secret text) returns boolean language plpgsql as $$
begin
  update accounts set mfa_secret = new_secret, mfa_last_step = null, updated_at = clock_timestamp()
  where id = account and mfa_enabled_at is null;
  return found;
end $$;

-- Enables MFA. Returns `right`, `wrong`, `wait`, or `conflict` when it is enabled already or the secret that the code
-- was checked against has been replaced.
create function enable_mfa(
  account uuid, known_secret text, step bigint, recovery_hashes bytea[], actor text, from_address text,
  out outcome text, out wait integer
) language plpgsql as $$
begin
  perform from accounts where id = account and mfa_secret = known_secret and mfa_enabled_at is null for no key update;
  if not found then
    outcome := 'conflict';
    return;
  end if;
  select * into outcome, wait from use_code(account, step, null, actor, from_address, 'step_up.failed');
  if outcome = 'right' then
    update accounts set mfa_enabled_at = clock_timestamp(), updated_at = clock_timestamp() where id = account;
    delete from recovery_codes where account_id = account;
    insert into recovery_codes (account_id, hash) select account, h from unnest(recovery_hashes) as h;
    perform record_security_event(null, account, actor, from_address, 'mfa.enabled', '{}'::json);
  end if;
end $$;

-- Replaces the recovery codes. Returns `right`, `wrong`, `wait`, or `conflict` when MFA is not enabled.
create function replace_recovery_codes(
  account uuid, step bigint, recovery bytea, recovery_hashes bytea[], actor text, from_address text,
  out outcome text, out wait integer
) language plpgsql as $$
begin
  perform from accounts where id = account and mfa_enabled_at is not null for no key update;
  if not found then
    outcome := 'conflict';
    return;
  end if;
  select * into outcome, wait from use_code(account, step, recovery, actor, from_address, 'step_up.failed');
  if outcome = 'right' then
    delete from recovery_codes where account_id = account;
    insert into recovery_codes (account_id, hash) select account, h from unnest(recovery_hashes) as h;
    perform record_security_event(null, account, actor, from_address, 'mfa.recovery_codes_replaced', '{}'::json);
  end if;
end $$;

-- Returns false when MFA was not enabled.
create function disable_mfa(account uuid, actor text, from_address text) returns boolean language plpgsql as $$
begin
  update accounts set mfa_secret = null, mfa_enabled_at = null, mfa_last_step = null, updated_at = clock_timestamp()
  where id = account and mfa_enabled_at is not null;
  if not found then
    return false;
  end if;
  delete from recovery_codes where account_id = account;
  perform record_security_event(null, account, actor, from_address, 'mfa.disabled', '{}'::json);
  return true;
end $$;

-- Returns `created`, `not_allowed`, or `missing` when there is no such merchant.
create function create_api_key(
  key uuid, merchant uuid, key_livemode boolean, key_name text, key_scopes text[], key_expires_at timestamptz,
  key_tag text, key_last4 text, key_hash bytea, caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
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

-- Replaces the secret. The previous one ends now or after the overlap. Returns `overlapping` while an earlier previous
-- secret is still valid, so that a double click does not end the secret in use; `rotated`, `not_allowed`, `missing`, or
-- `ended` for a key that is revoked or expired.
create function rotate_api_key(
  key uuid, merchant uuid, overlap interval, key_tag text, key_last4 text, key_hash bytea,
  caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
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

-- Returns `revoked`, also for a revoked key, `not_allowed` or `missing`.
create function revoke_api_key(
  key uuid, merchant uuid, caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not authorize_change(merchant, caller, '{owner,developer}') then
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

create function create_invite(
  invite uuid, merchant uuid, invite_role text, invite_email text, hash bytea,
  caller uuid, actor text, address text, details json
) returns text language plpgsql as $$
begin
  if not authorize_change(merchant, caller, '{owner}') then
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
  if not authorize_change(merchant, caller, '{owner}') then
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

-- Makes the account a member by the invite with this hash. A new account is created in the same statement, so none
-- remains when the invite has been used.
create function accept_invite(
  hash bytea, account uuid, actor text, address text, new_email text, new_password_hash text
) returns text language plpgsql as $$
declare
  invited invites;
begin
  select * into invited from invites where token_hash = hash;
  perform from merchants where id = invited.merchant_id for no key update;
  -- Read again now that the merchant is locked.
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

-- Opens a session. An account has at most a hundred; sessions that were not used for 60 days are deleted.
create function open_session(
  new_id uuid, account uuid, new_hash bytea, actor text, from_address text, from_network text, from_agent text
) returns void language plpgsql as $$
begin
  perform from accounts where id = account for no key update;
  insert into sessions (id, account_id, token_hash, address, network, user_agent)
  values (new_id, account, new_hash, from_address, from_network, from_agent);
  update sessions set ended_at = clock_timestamp() where ended_at is null and id in (
    select id from sessions where account_id = account and ended_at is null and id <> new_id
    order by last_used_at desc offset 99);
  delete from sessions where account_id = account and last_used_at < clock_timestamp() - interval '60 days';
  perform record_security_event(null, account, actor, from_address, 'session.signed_in', '{}'::json);
end $$;

-- Creates an account, its merchant and a session. Returns `signed_up`, `closed` or `email_taken`. `mode`: `open`,
-- `closed`, or `first` when only the first account may sign up. `code_shown`: the code for the first account was right,
-- or none is required.
create function sign_up(
  mode text, code_shown boolean, account uuid, new_email text, new_hash text, merchant uuid, merchant_name text,
  session uuid, token_hash bytea, actor text, from_address text, from_network text, from_agent text
) returns text language plpgsql as $$
declare
  empty boolean := not exists (select from accounts);
begin
  if empty then
    -- Of two concurrent first accounts, the second waits here and is not the first.
    perform pg_advisory_xact_lock(hashtext('paymachine first account'));
    empty := not exists (select from accounts);
  end if;
  if mode = 'closed' or (mode = 'first' and not empty) or (empty and not code_shown) then
    return 'closed';
  elsif not create_account(account, new_email, new_hash) then
    return 'email_taken';
  end if;
  perform create_merchant(merchant, merchant_name, account);
  perform open_session(session, account, token_hash, actor, from_address, from_network, from_agent);
  perform record_security_event(merchant, account, actor, from_address, 'account.created', '{}'::json);
  return 'signed_up';
end $$;

-- Opens a session for a client that has proven to know the password behind `known_hash`. Returns `signed_in`,
-- `mfa_required`, `wait`, `wrong` for the code, or `changed` when the password has changed since it was checked. A
-- client that still has to give the right code gets a pass, so that the same password is not counted again with it.
create function sign_in(
  account uuid, known_hash text, code_given boolean, step bigint, recovery bytea, pass text,
  session uuid, token_hash bytea, actor text, from_address text, from_network text, from_agent text,
  out outcome text, out wait integer
) language plpgsql as $$
declare
  found_account accounts;
begin
  -- Locks out a concurrent change of the password, which ends the sessions that it finds.
  select * into found_account from accounts where id = account for no key update;
  if found_account.password_hash is distinct from known_hash then
    outcome := 'changed';
    return;
  end if;
  if found_account.mfa_enabled_at is not null then
    if not code_given then
      perform count_attempt(array[pass]);
      outcome := 'mfa_required';
      return;
    end if;
    select * into outcome, wait from use_code(account, step, recovery, actor, from_address, 'sign_in.failed');
    if outcome = 'wrong' then
      perform count_attempt(array[pass]);
    end if;
    if outcome <> 'right' then
      return;
    end if;
  end if;
  perform open_session(session, account, token_hash, actor, from_address, from_network, from_agent);
  if found_account.mfa_enabled_at is not null then
    update sessions set second_factor_at = clock_timestamp() where id = session;
  end if;
  outcome := 'signed_in';
end $$;

-- Uses a refresh token. The current token is replaced by `successor`. The previous one gets the same answer for ten
-- seconds, for two tabs and for lost answers. Any other token of an open session was copied or guessed, and ends the
-- session.
create function rotate_session(
  session uuid, shown bytea, successor bytea, from_address text,
  out outcome text, out account uuid, out current_hash bytea
) language plpgsql as $$
declare
  held sessions;
begin
  select * into held from sessions where id = session for update;
  if held.id is null or held.ended_at is not null or held.last_used_at < clock_timestamp() - interval '30 days' then
    outcome := 'dead';
    return;
  end if;
  outcome := 'rotated';
  account := held.account_id;
  if held.token_hash = shown then
    current_hash := successor;
    update sessions
    set token_hash = successor, previous_hash = shown, rotated_at = clock_timestamp(), last_used_at = clock_timestamp(),
      address = from_address
    where id = session;
  elsif held.previous_hash = shown
    -- In both directions, because the clock may have been set back.
    and clock_timestamp() - held.rotated_at between interval '-10 seconds' and interval '10 seconds' then
    current_hash := held.token_hash;
  else
    outcome := 'replayed';
    update sessions set ended_at = clock_timestamp() where id = session;
    perform record_security_event(null, account, 'anonymous', from_address, 'session.replayed', '{}'::json);
  end if;
end $$;

-- Ends one session of an account, all, or all but one. Returns how many it ended.
create function end_sessions(account uuid, only_one uuid, but_one uuid, actor text, from_address text)
returns integer language plpgsql as $$
declare
  ended integer;
begin
  perform from accounts where id = account for no key update;
  update sessions set ended_at = clock_timestamp()
  where account_id = account and ended_at is null
    and last_used_at > clock_timestamp() - interval '30 days'
    and (only_one is null or id = only_one) and (but_one is null or id <> but_one);
  get diagnostics ended = row_count;
  if ended > 0 then
    perform record_security_event(null, account, actor, from_address, 'session.ended', json_build_object('sessions', ended));
  end if;
  return ended;
end $$;

-- Records that a password or a code was given now; returns false when the session has ended.
create function prove_session(session uuid, account uuid, by_code boolean, actor text, from_address text)
returns boolean language plpgsql as $$
begin
  update sessions
  set proven_at = clock_timestamp(),
    second_factor_at = case when by_code then clock_timestamp() else second_factor_at end
  where id = session and account_id = account and ended_at is null;
  if not found then
    return false;
  end if;
  perform record_security_event(null, account, actor, from_address, 'session.stepped_up', '{}'::json);
  return true;
end $$;
