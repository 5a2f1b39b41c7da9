import type { Sql } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'

type Session = { readonly pid: number; readonly state: string; readonly at: Date }

/** The database sessions of the exports that are under way. */
export const exportSessions = (sql: Sql) => {
  const sessions = async () =>
    sql<Session[]>`
      select pid, state, state_change as at from pg_stat_activity
      where application_name = 'paymachine export' and datname = current_database()`
  return {
    sessions,
    noSessions: () => until(async () => (await sessions()).length === 0, { what: 'no session of an export' }),
    /** Until an export has filled the buffers of its connection, and makes no more until they are read. */
    untilItWaits: () => {
      let last = ''
      return until(
        async () => {
          const now = JSON.stringify(await sessions())
          const waits = now === last && now.includes('idle in transaction')
          last = now
          return waits
        },
        { everyMs: 200, what: 'an export that waits for its reader' },
      )
    },
  }
}
