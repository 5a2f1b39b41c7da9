import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../process/start-error.ts'
import { connect, type Sql } from './connect.ts'

const PATIENCE_MS = 10_000

/**
 * Refuses a pooler that gives each transaction another session: advisory locks, LISTEN, prepared statements and
 * settings are of a session. Two connections at the same time are never one session, and none of them changes its own.
 */
export const requireOwnSessions = async (url: string): Promise<void> => {
  // A connection that was lost and opened again changes its session too, but not twice.
  if ((await areOwn(url)) || (await areOwn(url))) return
  throw new StartError(
    'DATABASE_URL is a connection pooler such as PgBouncer in transaction mode, which is not supported: set pool_mode = session there, or use the address of Postgres itself',
  )
}

const areOwn = async (url: string): Promise<boolean> => {
  const [a, b] = [1, 2].map(() => connect(url, { max: 1, name: 'paymachine start' })) as [Sql, Sql]
  const looking = new AbortController()
  try {
    return await Promise.race([
      look(a, b),
      sleep(PATIENCE_MS, undefined, { signal: looking.signal }).then(() => {
        throw new StartError(
          'DATABASE_URL: the database, or a connection pooler in front of it, does not allow a second connection: each process needs 40',
        )
      }),
    ])
  } finally {
    looking.abort()
    await Promise.all([a, b].map(sql => sql.end({ timeout: 0 })))
  }
}

/**
 * A pooler gives the session used last, or goes round. In this order two sessions that take turns are found as well:
 * asked twice in a row, a connection that goes round changes its session.
 */
const look = async (a: Sql, b: Sql): Promise<boolean> => {
  const [first, second, again, last] = [await sessionOf(a), await sessionOf(b), await sessionOf(b), await sessionOf(a)]
  return first === last && second === again && first !== second
}

/** By the simple protocol: a statement that is prepared in one session is unknown in another. */
const sessionOf = async (sql: Sql): Promise<number | undefined> => {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`.simple()
  return row?.pid
}
