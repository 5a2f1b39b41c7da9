import postgres from 'postgres'
import { StartError } from '../process/start-error.ts'
import { arrayTypes } from './arrays.ts'
import { parseDatabaseUrl } from './database-url.ts'

export type Sql = postgres.Sql<Record<string, never>>

export type ConnectOptions = {
  readonly max?: number
  /** Shown in pg_stat_activity, so that an operator can identify the connection. */
  readonly name?: string
  /**
   * No sequential scans. For the pool of the actors: prepared plans are kept from when a table was empty, and reading a
   * hundred rows of a million must not scan all of them.
   */
  readonly byKey?: boolean
  /**
   * Neither sequential nor bitmap scans, so that lists follow their index and stop when the page is full. For the pool
   * of requests: before a table is analyzed, sorting all of it looks cheaper (0.5 s for a page of 100,000 rows). Nor are
   * its plans compiled: the planner expects far more rows of a JSON argument than there are, and compiling takes longer
   * than any of these queries.
   */
  readonly byIndex?: boolean
  /** A statement that waits longer for a lock fails (55P03), so that it does not block others. */
  readonly lockMs?: number | undefined
  /** Timeout of an answer in seconds: see `ANSWER_TIMEOUT_S`. */
  readonly answerS?: number | undefined
  /** Settings of each session, as `set` takes them. */
  readonly session?: Readonly<Record<string, string | number>>
  /** Called when a connection has closed, before another one is opened in its place. */
  readonly onClose?: () => void
}

/**
 * A connection that waits longer for an answer is closed, and the pool opens another one. A network path can drop
 * packets without a reset, for a quarter of an hour or, behind a proxy, forever. For pools with short statements only.
 */
export const ANSWER_TIMEOUT_S = 15

/**
 * A statement that waits for a lock must not occupy its connection for long. For pools with short statements only.
 * Commits have a shorter timeout: see `commit_actors` in sql/101-actors-functions.sql.
 */
export const LOCK_TIMEOUT_MS = 2_000

/**
 * Opens a pool of connections. postgres.js 3.4.9 is patched (postgres@3.4.9.patch) for these defects:
 * - A statement that was given to a connection between its error and its close was neither sent nor rejected: its caller
 *   waited forever, or got an empty answer. Unsent bytes of the old connection were sent first on the next one.
 * - Rows of an interrupted answer were counted in the next answer, which then began with empty elements.
 * - A statement that could not be serialized while another was under way blocked all later ones.
 * - A statement whose table had changed was sent again, and its rows were delivered to other statements or to none. Now it
 *   fails once, with an error that can be retried.
 * - An answer that never arrives did not time out. See `ANSWER_TIMEOUT_S`.
 * - The least recently used idle connection was chosen, so a single caller went through all of them with cold caches, and a
 *   command took a seventh longer. Now the most recently used one is chosen.
 * - A session could not run statements before all others (`opening`).
 * - If the server has no TLS and TLS is required, the connection looked broken. Now it fails with TLS_REFUSED.
 * - A message with many parameters was copied four to seven times. Now its size is computed first.
 *
 * This program does not use `sql.begin`: a connection that dies inside an interactive transaction never recovers in
 * postgres.js, so every write is one statement. It does not use `reserve` either, which waits forever if types are not
 * fetched. Tests that need `begin` use a pool of one connection.
 */
export const connect = (
  url: string,
  {
    max = 10,
    name = 'paymachine',
    byKey = false,
    byIndex = false,
    lockMs,
    answerS,
    session = {},
    onClose,
  }: ConnectOptions = {},
): Sql => {
  const { url: address, tls } = parseDatabaseUrl(url)
  const sql = postgres(address, {
    max,
    ssl: tls,
    onnotice: () => {},
    fetch_types: false,
    types: arrayTypes,
    connection: {
      application_name: name,
      // Times are parsed from text, and the database may have another default format.
      datestyle: 'ISO',
    },
    ...{
      opening: settings({
        // Shorter than the client's timeout: otherwise a statement would keep waiting for a lock after its client is
        // gone.
        ...(answerS !== undefined && { statement_timeout: Math.round(answerS * 900) }),
        ...(lockMs !== undefined && { lock_timeout: lockMs }),
        ...(byKey && { enable_seqscan: 'off' }),
        ...(byIndex && { enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' }),
        ...session,
      }),
    },
    connect_timeout: 10,
    ...(onClose && { onclose: () => onClose() }),
    ...(answerS !== undefined && { answer_timeout: answerS }),
    backoff: attempt => Math.min(0.05 * 2 ** attempt, 2),
    // `types` would add type parameters to Sql, which nothing needs.
  }) as unknown as Sql
  if (!('opening' in sql.options))
    throw new StartError('The patch of the database driver is missing, so statements could be lost: run `bun install`')
  return sql
}

/** The statement that configures a session. PgBouncer would reject or ignore the settings as startup parameters. */
const settings = (values: Readonly<Record<string, string | number>>): string | null => {
  const statements = Object.entries(values).map(([name, value]) => `set ${name} = ${value}`)
  return statements.length > 0 ? statements.join('; ') : null
}
