import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../process/start-error.ts'
import { connect, type Sql } from './connect.ts'

const TIMEOUT_MS = 10_000

/**
 * Throws if a pooler assigns sessions per transaction: advisory locks, LISTEN, prepared statements and settings need a
 * session per connection. Checks that two open connections have different sessions and that neither session changes.
 */
export const requireOwnSessions = async (url: string): Promise<void> => {
  // A connection that was lost and reopened also changes its session, but not twice in a row.
  if ((await isSessionPerConnection(url)) || (await isSessionPerConnection(url))) return
  throw new StartError(
    'DATABASE_URL is a connection pooler such as PgBouncer in transaction mode, which is not supported: set pool_mode = session there, or use the address of Postgres itself',
  )
}

const isSessionPerConnection = async (url: string): Promise<boolean> => {
  const [a, b] = [1, 2].map(() => connect(url, { max: 1, name: 'paymachine start' })) as [Sql, Sql]
  const timeout = new AbortController()
  try {
    return await Promise.race([
      haveOwnSessions(a, b),
      sleep(TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
        throw new StartError(
          'DATABASE_URL: the database, or a connection pooler in front of it, does not allow a second connection: each process needs 40',
        )
      }),
    ])
  } finally {
    timeout.abort()
    await Promise.all([a, b].map(sql => sql.end({ timeout: 0 })))
  }
}

/**
 * A pooler assigns the session that was used last, or the next one in turn. This order of queries detects both: with
 * sessions assigned in turn, two queries in a row on one connection have different sessions.
 */
const haveOwnSessions = async (a: Sql, b: Sql): Promise<boolean> => {
  const [first, second, secondAgain, firstAgain] = [
    await sessionOf(a),
    await sessionOf(b),
    await sessionOf(b),
    await sessionOf(a),
  ]
  return first === firstAgain && second === secondAgain && first !== second
}

/** Uses the simple protocol, because a statement that is prepared in one session does not exist in another. */
const sessionOf = async (sql: Sql): Promise<number | undefined> => {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`.simple()
  return row?.pid
}
