-- Who may come in: accounts, their second factors, and how often somebody has tried.
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

alter table members add constraint members_account foreign key (account_id) references accounts;

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

-- Seconds until the subject may be tried again, null when it may be now.
create function attempt_wait(its_subject text, allowed integer, per interval) returns integer language plpgsql as $$
declare
  oldest timestamptz;
begin
  -- Nothing later than now counts: the clock was set back since, and nobody is locked out for that long.
  select at into oldest from attempts
  where subject = its_subject and at > clock_timestamp() - per and at <= clock_timestamp()
  order by at desc offset allowed - 1 limit 1;
  return case when oldest is not null then greatest(1, ceil(extract(epoch from oldest + per - clock_timestamp()))) end;
end $$;

-- One caller at a time per subject, in every process, until the statement's end.
create function lock_attempts(subjects text[]) returns void language plpgsql as $$
declare
  key integer;
begin
  -- In one order, so that two callers never wait for each other.
  for key in select distinct hashtext(s) from unnest(subjects) as s order by 1 loop
    perform pg_advisory_xact_lock(hashtext('paymachine attempts'), key);
  end loop;
end $$;

create function count_attempt(subjects text[]) returns void language plpgsql as $$
begin
  -- No limit looks back further than an hour. A few rows at a time, and none that another is removing.
  -- now(), which an index can be asked for; clock_timestamp() would be compared with every row.
  delete from attempts where ctid = any (array(
    select ctid from attempts where at < now() - interval '1 hour' order by at limit 20 for update skip locked));
  insert into attempts select s, clock_timestamp() from unnest(subjects) as s;
end $$;

-- Counts one attempt for all subjects, or answers how many seconds to wait and counts none. A pass
-- stands for an attempt that has been counted already: it is used up, and nothing is counted again.
create function take_attempt(
  subjects text[], allowed integer, per interval, pass text, out wait integer, out passed boolean
) language plpgsql as $$
begin
  -- Its statement changes nothing else, and what a crash of the server forgets of the last moment is
  -- worth less than a wait for the disk at every try.
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

-- False when the e-mail address has an account.
create function create_account(new_id uuid, new_email text, new_hash text) returns boolean language plpgsql as $$
begin
  insert into accounts (id, email, password_hash) values (new_id, new_email, new_hash)
  on conflict on constraint accounts_email_once do nothing;
  return found;
end $$;

-- Spends a code: the step of a TOTP code that was right, or the hash of what may be a recovery code;
-- neither when it was plainly wrong. `right`, `wrong`, or `wait` and for how many seconds: five wrong
-- ones in five minutes, wherever they were given. The account's row is held until the statement's
-- end, so that of many at once only five are looked at, and one at most finds a code unspent.
-- `failure` is what the log calls a wrong one.
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

-- Ends every session but the one it was done from. False when `known_hash`, which the old password
-- was checked against, is no longer the account's; null where an operator gives a new one.
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

-- Keeps a secret that is to be confirmed; false where MFA is on.
create function set_up_mfa(account uuid, new_secret text) returns boolean language plpgsql as $$
begin
  update accounts set mfa_secret = new_secret, mfa_last_step = null, updated_at = clock_timestamp()
  where id = account and mfa_enabled_at is null;
  return found;
end $$;

-- Turns MFA on: `right`, `wrong`, `wait`, or `conflict` when it is on, or when the secret that the
-- code was checked against has been replaced.
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

-- False when it was off.
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
