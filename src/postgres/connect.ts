import postgres from 'postgres'
import { StartError } from '../process/start-error.ts'
import { arrayTypes } from './arrays.ts'
import { parseDatabaseUrl } from './database-url.ts'

export type Sql = postgres.Sql<Record<string, never>>

export type ConnectOptions = {
  readonly max?: number
  /** Shown in pg_stat_activity, so that an operator knows whose connection it is. */
  readonly name?: string
  /**
   * Rows are found by their key and no other plan is considered. For the actors' pool: plans are kept
   * from when a table was empty, and reading a hundred rows of a million must not go through them all.
   */
  readonly byKey?: boolean
  /**
   * Lists are walked along their index and stop when the page is full. For the pool of requests: before a
   * table is analyzed, reading and sorting all of it looks cheaper (0.5 s for a page of 100,000 rows).
   */
  readonly byIndex?: boolean
  /** A statement that waits so long for a lock fails (55P03): it must not keep others waiting behind it. */
  readonly lockMs?: number | undefined
  /** See `ANSWER_S`. */
  readonly answerS?: number | undefined
  /** Settings of each session, as `set` takes them. */
  readonly session?: Readonly<Record<string, string | number>>
}

/**
 * Who waits longer than this for an answer loses its connection, and the pool opens another: a path may swallow packets
 * without a reset, for a quarter of an hour and, behind a proxy, for ever. For pools whose statements are all short.
 */
export const ANSWER_S = 15

/**
 * For pools whose statements are all short: a statement that waits for a lock must not keep its connection from the
 * others for long. Commits wait for less, see `commit_actors` in sql/101-actors-functions.sql.
 */
export const LOCK_MS = 2_000

/**
 * A pool of connections. postgres.js 3.4.9 is patched (postgres@3.4.9.patch):
 * - What a connection was given between its error and its end was neither sent nor refused, so that its caller waited
 *   for ever, or was told of an answer without rows to what nobody had asked; and what it still had to write came
 *   before all else on the next one.
 * - The rows of an answer that broke off were counted into the next answer, which then began with holes.
 * - A statement that could not be made into bytes, behind one that was under way, was waited for by all that came after.
 * - A statement was sent anew where its table had another shape by then: others were answered with its rows, or nobody
 *   was. It fails once, as one that is worth trying again.
 * - Of an answer that never comes nobody was told; see `ANSWER_S`.
 * - Of those that are idle the last one used is taken, not the first: one caller went round all of them, each with
 *   nothing in its caches, and a command took a seventh longer.
 * - A session can be given statements that run before all others (`opening`).
 * - To a server without TLS, a connection that requires it was a broken one; now it fails with TLS_REFUSED.
 * - A message of many parameters was copied four to seven times on its way out; now its size is counted first.
 *
 * There is no `sql.begin` in this program: a connection that dies inside an interactive transaction never heals in
 * postgres.js, so every write is one statement. Nor is there `reserve`, which waits for ever where types are not
 * fetched; a test that says `begin` has a pool of one.
 */
export const connect = (
  url: string,
  { max = 10, name = 'paymachine', byKey = false, byIndex = false, lockMs, answerS, session = {} }: ConnectOptions = {},
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
      // Times are read as text, and a database may have been told to spell them otherwise.
      datestyle: 'ISO',
    },
    ...{
      opening: settings({
        // The server gives up first, or what waits for a lock would stay there when nobody waits for it any more.
        ...(answerS !== undefined && { statement_timeout: Math.round(answerS * 900) }),
        ...(lockMs !== undefined && { lock_timeout: lockMs }),
        ...(byKey && { enable_seqscan: 'off' }),
        ...(byIndex && { enable_seqscan: 'off', enable_bitmapscan: 'off' }),
        ...session,
      }),
    },
    connect_timeout: 10,
    ...(answerS !== undefined && { answer_timeout: answerS }),
    backoff: attempt => Math.min(0.05 * 2 ** attempt, 2),
    // The program speaks JSON text and does its own parsing; dates come back as Date.
    // Custom types would be parameters of their own in the type, and nobody uses them so.
  }) as unknown as Sql
  if (!('opening' in sql.options))
    throw new StartError('The patch of the database driver is missing, so statements could be lost: run `bun install`')
  return sql
}

/** The statement that gives a session its settings. As startup parameters PgBouncer would refuse or ignore them. */
const settings = (values: Readonly<Record<string, string | number>>): string | null => {
  const statements = Object.entries(values).map(([name, value]) => `set ${name} = ${value}`)
  return statements.length > 0 ? statements.join('; ') : null
}
