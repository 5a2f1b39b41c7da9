import { expect, test } from 'bun:test'
import { connect } from '../../src/postgres/connect.ts'
import { emptyDatabase } from '../harness/database.ts'
import { spawnMain, startMain } from '../harness/main.ts'
import { hasPgBouncer, pgBouncer, standInPooler } from '../harness/pooler.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'

const SECRET_KEY = 'a secret key for tests and for nothing else'
const skipped = hasPgBouncer ? '' : ' (skipped: there is no pgbouncer here)'
const refusal =
  'DATABASE_URL is a connection pooler such as PgBouncer in transaction mode, which is not supported: set pool_mode = session there, or use the address of Postgres itself'

const ignored =
  'ignore_startup_parameters = extra_float_digits,options,statement_timeout,enable_seqscan,enable_bitmapscan'
const configurations: readonly (readonly [string, string, readonly string[]])[] = [
  ['its default configuration', 'transaction', []],
  ['ignore_startup_parameters', 'transaction', [ignored]],
  ['server_round_robin', 'transaction', ['server_round_robin = 1']],
  ['statement mode', 'statement', []],
]

for (const [name, mode, lines] of configurations)
  test.skipIf(!hasPgBouncer)(
    `behind PgBouncer in transaction mode the start ends with one line: ${name}${skipped}`,
    async () => {
      await using db = await emptyDatabase()
      await using pooler = await pgBouncer(db.url, mode, lines)
      await openSessions(pooler.url, 2)
      await using main = await spawnMain({ DATABASE_URL: pooler.url, SECRET_KEY, LOG_LEVEL: 'info' })
      await until(async () => main.child.exitCode !== null || (await main.get('/healthz')) !== undefined)
      expect(main.lines).toEqual([refusal])
      expect(await main.exited).toBe(1)
      expect(await db.sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
    },
  )

/** Makes a pooler open several sessions, which it keeps. */
const openSessions = async (url: string, count: number) => {
  const sql = connect(url, { max: count })
  await Promise.all(Array.from({ length: count }, () => sql`select pg_sleep(0.5)`.simple()))
  await sql.end({ timeout: 1 })
}

test('behind a pooler with one session for all connections the start ends with one line', async () => {
  await using db = await emptyDatabase()
  await using pooler = await standInPooler(db.url)
  await using main = await spawnMain({ DATABASE_URL: pooler.url, SECRET_KEY })
  await until(async () => main.child.exitCode !== null || (await main.get('/healthz')) !== undefined)
  expect(main.lines).toEqual([refusal])
  expect(await main.exited).toBe(1)
})

test.skipIf(!hasPgBouncer)(
  `behind PgBouncer in session mode the service is ready and runs jobs${skipped}`,
  async () => {
    await using db = await emptyDatabase()
    await using pooler = await pgBouncer(db.url, 'session', ['default_pool_size = 40'])
    await using main = await startMain({ DATABASE_URL: pooler.url, SECRET_KEY })
    expect(main.lines).toEqual([`Ready at ${main.url}`])
    await db.sql`select graphile_worker.add_job('cancel-deliveries', json_build_object('endpointId', gen_random_uuid()))`
    await until(async () => (await db.sql`select from graphile_worker.jobs`).length === 0)
    const signedUp = await fetch(`${main.url}/v1/auth/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery', merchantName: 'Lamps' }),
    })
    expect(signedUp.status).toBe(201)
  },
)

test.skipIf(!hasPgBouncer)(`a session has its settings behind PgBouncer as well${skipped}`, async () => {
  await using db = await emptyDatabase()
  await using pooler = await pgBouncer(db.url, 'session')
  for (const url of [db.url, pooler.url]) {
    const sql = connect(url, { max: 2, byIndex: true, answerS: 10 })
    const look = () => sql`
      select current_setting('statement_timeout') as timeout, current_setting('enable_seqscan') as seqscan,
             current_setting('application_name') as name, pg_sleep(0.05)`
    const settings = { timeout: '9s', seqscan: 'off', name: 'paymachine' }
    for (const [row] of await Promise.all([look(), look()])) expect(row).toMatchObject(settings)
    await sql.end({ timeout: 1 })
  }
})

test('when a connection is lost while its session settings are sent, one statement fails and the next one succeeds', async () => {
  await using db = await emptyDatabase()
  await using path = await databaseProxy(db.url)
  const sql = connect(path.url, { max: 1, answerS: 10 })
  // The server's first three responses belong to the login.
  path.cutInsteadOfAnswer(4)
  expect(await sql`select 1 as n`.catch(error => error.code)).toBe('CONNECTION_CLOSED')
  const [row] = await sql`select 2 as n, current_setting('statement_timeout') as timeout`
  expect(row).toEqual({ n: 2, timeout: '9s' })
  await sql.end({ timeout: 1 })
})
