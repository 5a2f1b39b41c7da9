import type { Sql } from '../postgres/connect.ts'

export type WorkerRow = {
  readonly id: string
  readonly role: string
  readonly host: string
  readonly pid: number
  readonly version: string
}

/** How often a worker has beaten: a bigint, only ever compared. */
export type Beats = { readonly id: string; readonly beats: string }

export const registerWorker = async (sql: Sql, { id, role, host, pid, version }: WorkerRow): Promise<void> => {
  await sql`insert into workers (id, role, host, pid, version) values (${id}, ${role}, ${host}, ${pid}, ${version})`
}

/** Beats for one worker and answers how often all of them have. `own` marks the row that was beaten for. */
export const beatWorker = (sql: Sql, id: string | null): Promise<(Beats & { own: boolean })[]> => sql<
  (Beats & { own: boolean })[]
>`
  with own as (update workers set beats = beats + 1, beat_at = clock_timestamp() where id = ${id} returning id)
  select id, beats, exists (select from own where own.id = workers.id) as own from workers`

/** The workers alive, in an order that all of them see alike. */
export const liveWorkers = async (sql: Sql): Promise<string[]> =>
  (await sql<{ id: string }[]>`select id from workers order by id collate "C"`).map(({ id }) => id)

/**
 * Removes those that still have not beaten and frees their jobs, in one statement: a reaper that is
 * killed here leaves everything to the next. Of two at once, one skips the rows the other has.
 */
export const reapWorkers = async (sql: Sql, silent: readonly Beats[]): Promise<string[]> => {
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

/** The end of workers that have stopped: no row is left of them, and no lock. */
export const endWorkers = async (sql: Sql, ids: readonly string[]): Promise<void> => {
  await sql`
    with ended as (select json_array_elements_text(${JSON.stringify(ids)}::text::json) as id),
    gone as (delete from workers where id in (select id from ended))
    select graphile_worker.force_unlock_workers(array(select id from ended))`
}

/** Who holds jobs without being a worker. */
export const findStrangers = async (sql: Sql): Promise<string[]> =>
  (
    await sql<{ id: string }[]>`
      select distinct locked_by as id
      from graphile_worker.jobs j
      where locked_by is not null and not exists (select from workers w where w.id = j.locked_by)`
  ).map(({ id }) => id)

/** Frees what they hold, unless they have turned out to be workers since. */
export const freeStrangers = async (sql: Sql, ids: readonly string[]): Promise<void> => {
  await sql`
    select graphile_worker.force_unlock_workers(array(
      select held.id from json_array_elements_text(${JSON.stringify(ids)}::text::json) as held(id)
      where not exists (select from workers w where w.id = held.id)))`
}
