import type { Sql } from '../postgres/connect.ts'

export type WorkerRow = {
  readonly id: string
  readonly role: string
  readonly host: string
  readonly pid: number
  readonly version: string
}

/** The number of heartbeats of a worker: a bigint as text, only compared for equality. */
export type HeartbeatCount = { readonly id: string; readonly beats: string }

export const registerWorker = async (sql: Sql, { id, role, host, pid, version }: WorkerRow): Promise<void> => {
  await sql`insert into workers (id, role, host, pid, version) values (${id}, ${role}, ${host}, ${pid}, ${version})`
}

/** Records a heartbeat of one worker, and returns the counts of all workers. `own` marks the row that was updated. */
export const recordHeartbeat = (sql: Sql, id: string | null): Promise<(HeartbeatCount & { own: boolean })[]> => sql<
  (HeartbeatCount & { own: boolean })[]
>`
  with own as (update workers set beats = beats + 1, beat_at = clock_timestamp() where id = ${id} returning id)
  select id, beats, exists (select from own where own.id = workers.id) as own from workers`

/** The registered workers, in an order that is the same for all processes. */
export const liveWorkers = async (sql: Sql): Promise<string[]> =>
  (await sql<{ id: string }[]>`select id from workers order by id collate "C"`).map(({ id }) => id)

/**
 * Deletes the workers whose count has not changed and releases their jobs, in one statement: if this process is killed,
 * nothing is half done. If two processes do this at the same time, one skips the rows that the other has locked.
 */
export const deregisterDeadWorkers = async (sql: Sql, silent: readonly HeartbeatCount[]): Promise<string[]> => {
  const [answer] = await sql<{ ids: string[] | null }[]>`
    with found as (
      select w.id
      from workers w
      join json_to_recordset(${JSON.stringify(silent)}::text::json) as s(id text, beats bigint)
        on s.id = w.id and s.beats = w.beats
      for update of w skip locked),
    dead as (delete from workers where id in (select id from found) returning id)
    select array_agg(id) as ids, graphile_worker.force_unlock_workers(array_agg(id)) from dead`
  return answer?.ids ?? []
}

/** Deletes the rows of stopped workers and releases their jobs. */
export const deregisterWorkers = async (sql: Sql, ids: readonly string[]): Promise<void> => {
  await sql`
    with ended as (select json_array_elements_text(${JSON.stringify(ids)}::text::json) as id),
    gone as (delete from workers where id in (select id from ended))
    select graphile_worker.force_unlock_workers(array(select id from ended))`
}

/** The ids in `locked_by` of jobs that belong to no registered worker. */
export const findUnknownLockHolders = async (sql: Sql): Promise<string[]> =>
  (
    await sql<{ id: string }[]>`
      select distinct locked_by as id
      from graphile_worker.jobs j
      where locked_by is not null and not exists (select from workers w where w.id = j.locked_by)`
  ).map(({ id }) => id)

/** Releases their jobs, unless they have been registered in the meantime. */
export const releaseUnknownLocks = async (sql: Sql, ids: readonly string[]): Promise<void> => {
  await sql`
    select graphile_worker.force_unlock_workers(array(
      select held.id from json_array_elements_text(${JSON.stringify(ids)}::text::json) as held(id)
      where not exists (select from workers w where w.id = held.id)))`
}
