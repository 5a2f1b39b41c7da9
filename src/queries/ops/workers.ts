import type { Sql } from '../../postgres/connect.ts'

export type WorkerProcessRow = {
  readonly id: string
  readonly role: string
  readonly version: string
  readonly started_at: Date
  readonly beat_at: Date
}

/** The processes that run background jobs, the oldest first. */
export const listWorkers = (sql: Sql): Promise<WorkerProcessRow[]> => sql<WorkerProcessRow[]>`
  select id, role, version, started_at, beat_at from workers order by started_at, id`
