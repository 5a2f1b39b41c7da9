-- Sessions: where somebody is signed in, and the ways to get there. Whoever locks both an account and
-- its sessions begins with the account.

create table sessions (
  id uuid not null,
  account_id uuid not null,
  -- Of the refresh token that is good now, and of the one before it, which is good for ten seconds more.
  token_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamptz not null default now(),
  -- When a password or a code was given last; sensitive changes ask for a recent one.
  proven_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  address text not null,
  -- What limits count the address by from which it was opened: an IPv4 address or an IPv6 /64. A refresh changes
  -- the address and not this.
  network text not null,
  user_agent text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint sessions_pkey primary key (id),
  constraint sessions_account foreign key (account_id) references accounts,
  constraint sessions_hash check (length(token_hash) = 32 and length(previous_hash) = 32),
  constraint sessions_user_agent check (length(user_agent) <= 300)
);
-- An account's own sessions: its list, and ending them all.
create index sessions_account_used on sessions (account_id, last_used_at);
-- Whether the account has signed in from a network lately, which decides by what its password checks are limited.
create index sessions_account_network on sessions (account_id, network, created_at);

-- An account has a hundred sessions at most, and those that nobody can use any more are forgotten after a while.
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

-- An account, its merchant, and the session it goes on with: `signed_up`, `closed` or `email_taken`.
-- `mode`: `open`, `closed`, or `first` when only the first account may come this way. `code_shown`:
-- the code that a first account needs was right, or none is needed.
create function sign_up(
  mode text, code_shown boolean, account uuid, new_email text, new_hash text, merchant uuid, merchant_name text,
  session uuid, token_hash bytea, actor text, from_address text, from_network text, from_agent text
) returns text language plpgsql as $$
declare
  empty boolean := not exists (select from accounts);
begin
  if empty then
    -- Of two first accounts at once, one waits here and then is not the first.
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

-- Opens a session for whoever knew `known_hash`: `signed_in`, `mfa_required`, `wait`, or `wrong` (the
-- code) or `changed` (the password, since it was checked). Who has yet to give a right code gets a
-- pass, so that the same password is not counted again with it.
create function sign_in(
  account uuid, known_hash text, code_given boolean, step bigint, recovery bytea, pass text,
  session uuid, token_hash bytea, actor text, from_address text, from_network text, from_agent text,
  out outcome text, out wait integer
) language plpgsql as $$
declare
  found_account accounts;
begin
  -- Held against a change of the password, which ends the sessions that it finds.
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
  outcome := 'signed_in';
end $$;

-- Shows a refresh token. The current one gives way to `successor`; the one before it gets the same
-- answer for ten seconds, for two tabs and for answers that were lost. Whatever else names a living
-- session has been copied or guessed, and ends it for everybody who holds a token of it.
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
    -- Either way, since the clock may have been set back.
    and clock_timestamp() - held.rotated_at between interval '-10 seconds' and interval '10 seconds' then
    current_hash := held.token_hash;
  else
    outcome := 'replayed';
    update sessions set ended_at = clock_timestamp() where id = session;
    perform record_security_event(null, account, 'anonymous', from_address, 'session.replayed', '{}'::json);
  end if;
end $$;

-- Ends one session of an account, or all, or all but one. Answers how many there were to end.
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

-- Marks that a password or a code was given just now; false when the session has ended.
create function prove_session(session uuid, account uuid, actor text, from_address text) returns boolean
language plpgsql as $$
begin
  update sessions set proven_at = clock_timestamp() where id = session and account_id = account and ended_at is null;
  if not found then
    return false;
  end if;
  perform record_security_event(null, account, actor, from_address, 'session.stepped_up', '{}'::json);
  return true;
end $$;
