-- Functions for the runs of the audit: 010-audits.sql.

-- Whether a run that is not finished has failed: its process was killed, or no worker has taken it.
create function audit_is_dead(audits) returns boolean language sql stable
return $1.status = 'running' and $1.beat_at < now() - interval '60 s';

-- Starts a run and returns its row, or no row while another run is under way. A worker runs it, unless the process of a
-- command does.
create function start_audit(by text, account uuid default null) returns setof audits language plpgsql as $$
declare
  started audits;
begin
  perform pg_advisory_xact_lock(hashtext('paymachine audits'));
  update audits a set status = 'failed', finished_at = a.beat_at where audit_is_dead(a);
  insert into audits (started_by, account_id) values (by, account)
  on conflict (status) where status = 'running' do nothing returning * into started;
  if started.id is null then
    return;
  end if;
  if by <> 'command' then
    perform graphile_worker.add_job('run-audit', json_build_object('auditId', started.id));
  end if;
  return next started;
end $$;

-- The same once for each night: at the first call after 03:00 UTC. Failed runs are repeated twice. A database that was
-- made since then has nothing that a night has passed over.
create function start_nightly_audit() returns setof audits language plpgsql as $$
declare
  due timestamptz := (date_trunc('day', now() at time zone 'utc' - interval '3 h') + interval '3 h') at time zone 'utc';
begin
  if (select min(applied_at) > due from migrations)
    or exists (select from audits a where a.started_at >= due and a.status <> 'failed' and not audit_is_dead(a))
    or (select count(*) >= 3 from audits a where a.started_at >= due)
  then
    return;
  end if;
  return query select * from start_audit('schedule');
end $$;

-- Takes a run for a process. Returns its attempt, or null when it is finished or has failed.
create function take_audit(audit uuid) returns integer language sql as $$
  update audits a set attempt = a.attempt + 1, beat_at = now()
  where a.id = audit and a.status = 'running' and not audit_is_dead(a)
  returning a.attempt
$$;
