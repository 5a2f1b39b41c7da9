import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { findPostmaster } from '../../src/postgres/server.ts'
import { changedNode, testChain } from '../chain/watch/test-node.ts'
import { database, emptyDatabase } from '../harness/database.ts'
import { dataFolder, usedFolder } from '../harness/embedded-parent.ts'
import { spawnMain, startMain } from '../harness/main.ts'
import { postgresServer } from '../harness/server.ts'
import { until } from '../harness/until.ts'

const SECRET_KEY = 'a secret key for tests and for nothing else'

test('without settings it creates a database, prints where it is, serves requests, and SIGTERM ends both with exit code 0', async () => {
  await using folder = dataFolder()
  await using main = await startMain({ DATA_DIR: folder.path })
  expect(main.lines).toContain(`Ready at ${main.url}`)
  expect(await (await main.get('/healthz'))?.json()).toEqual({ status: 'ok' })
  expect(await (await main.get('/readyz'))?.json()).toEqual({
    status: 'ready',
    checks: { database: 'ok', migrations: 'ok', worker: 'ok' },
    chains: {},
    locks: 'ok',
  })
  expect(statSync(join(folder.path, 'secret-key')).mode & 0o777).toBe(0o600)

  main.child.kill('SIGTERM')
  expect(await main.exited).toBe(0)
  expect(findPostmaster(join(folder.path, 'postgres'))).toBeUndefined()
})

test('beyond loopback it prints the code for the first sign-up, the same in every process, until there is an account', async () => {
  await using db = await database()
  const env = { DATABASE_URL: db.url, SECRET_KEY, HOST: '0.0.0.0' }
  await using first = await startMain(env)
  await using second = await startMain(env)
  const codesOf = ({ lines }: { lines: readonly string[] }) =>
    lines.flatMap(line => /^The first sign-up needs the code ([0-9a-f]{20})$/.exec(line)?.[1] ?? [])
  // Printed after the server listens.
  await until(() => codesOf(first).length > 0 && codesOf(second).length > 0)
  const [code = ''] = codesOf(first)
  expect(codesOf(second)).toEqual([code])

  const signUp = (extra: object) =>
    fetch(`${second.url}/v1/auth/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse', merchantName: 'Lamps', ...extra }),
    })
  expect((await signUp({})).status).toBe(403)
  expect((await signUp({ signUpCode: 'f'.repeat(20) })).status).toBe(403)
  expect((await signUp({ signUpCode: code })).status).toBe(201)

  await using third = await startMain(env)
  expect(third.lines).toEqual([`Ready at ${third.url.replace('127.0.0.1', 'localhost')}`])
  expect((await signUp({ email: 'eve@example.com', signUpCode: code })).status).toBe(403)
})

// Which addresses are on loopback is in test/http/address.test.ts.
test.each([
  ['https://pay.lamps.shop', true],
  ['http://[::1]:8080', false],
])(
  'behind a proxy on this machine that serves %s, the first sign-up needs the code: %p',
  async (PUBLIC_URL, needed) => {
    await using db = await database()
    await using main = await startMain({ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'api', PUBLIC_URL })
    const answer = await fetch(`${main.url}/v1/auth/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse', merchantName: 'Lamps' }),
    })
    expect(answer.status).toBe(needed ? 403 : 201)
    expect(main.lines.some(line => line.startsWith('The first sign-up needs the code'))).toBe(needed)
  },
)

test('a worker serves its health and metrics, and nothing else', async () => {
  await using db = await database()
  await using main = await startMain({ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'worker', HOST: '0.0.0.0' })
  expect(main.lines).toHaveLength(1)
  expect((await main.get('/healthz'))?.status).toBe(200)
  expect((await main.get('/v1/auth/me'))?.status).toBe(404)
})

test('ROLE=api runs no jobs and is no worker, and ROLE=worker runs the jobs it has left', async () => {
  await using db = await database()
  const { sql } = db
  await using api = await startMain({ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'api' })
  await sql`select graphile_worker.add_job('cancel-deliveries', json_build_object('endpointId', gen_random_uuid()))`
  const jobs = () => sql`select task_identifier as task, attempts, locked_by from graphile_worker.jobs`
  const workers = () => sql`select role, pid from workers`
  // A worker is notified of a job immediately, and polls twice a second.
  await Bun.sleep(2_000)
  expect([...(await jobs())]).toEqual([{ task: 'cancel-deliveries', attempts: 0, locked_by: null }])
  expect([...(await workers())]).toEqual([])
  const working = await sql`
    select application_name from pg_stat_activity
    where datname = current_database() and application_name in ('paymachine worker', 'paymachine heartbeat')`
  expect([...working]).toEqual([])
  const metrics = await (await api.get('/metrics'))?.text()
  expect(metrics).toContain('\npaymachine_jobs_ready 1\n')
  expect(metrics).toContain('\npaymachine_workers 0\n')

  await using worker = await startMain({ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'worker' })
  await until(async () => (await jobs()).length === 0)
  expect([...(await workers())]).toEqual([{ role: 'worker', pid: worker.child.pid }])
})

test('a second Ctrl-C is ignored', async () => {
  await using folder = await usedFolder()
  await using main = await startMain({ DATA_DIR: folder.path })
  main.child.kill('SIGINT')
  main.child.kill('SIGINT')
  expect(await main.exited).toBe(0)
})

test('SIGTERM ends a start that is still waiting for the database, with exit code 0', async () => {
  await using main = await spawnMain({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SECRET_KEY })
  await until(() => main.lines.length > 0)
  expect(main.lines).toEqual(['Waiting for the database (ECONNREFUSED)'])
  main.child.kill('SIGTERM')
  expect(await main.exited).toBe(0)
})

test('SIGTERM does not wait for a slow node, and exits with code 0', async () => {
  await using server = await postgresServer()
  await using chain = await testChain(['--chain-id', '84532'])
  let requested = 0
  await using node = await changedNode(chain.url, async (_, answer) => {
    requested++
    await Bun.sleep(3_500)
    return answer
  })
  await using main = await startMain({ DATABASE_URL: server.url, SECRET_KEY, RPC_URLS_84532: node.url })
  // By then it has returned its chain id and has further requests.
  await until(() => requested > 4)
  const began = performance.now()
  main.child.kill('SIGTERM')
  expect(await main.exited).toBe(0)
  // Several requests to it would take longer.
  expect(performance.now() - began).toBeLessThan(9_000)
}, 60_000)

test('it is not ready while the database is unreachable, and ready afterwards', async () => {
  await using server = await postgresServer()
  await using main = await startMain({ DATABASE_URL: server.url, SECRET_KEY })
  await server.stop()
  await until(async () => (await main.get('/readyz'))?.status === 503)
  expect((await main.get('/healthz'))?.status).toBe(200)
  await server.start()
  await until(async () => (await main.get('/readyz'))?.status === 200)
})

test('the start waits for a database that starts later', async () => {
  await using server = await postgresServer()
  await server.stop()
  await using main = await spawnMain({ DATABASE_URL: server.url, SECRET_KEY })
  await until(() => main.lines.length > 0)
  await server.start()
  await until(async () => (await main.get('/readyz'))?.status === 200)
})

test('a second start on the same data folder ends with a line that names the first, which ends with its database at SIGINT', async () => {
  await using folder = await usedFolder()
  await using first = await startMain({ DATA_DIR: folder.path })
  await using second = await startMain({ DATA_DIR: folder.path })
  expect(await second.exited).toBe(1)
  expect(second.lines).toEqual([
    `${folder.path} is in use by pid ${first.child.pid}: stop it first, or set DATA_DIR to another folder`,
  ])
  first.child.kill('SIGINT')
  expect(await first.exited).toBe(0)
  expect(findPostmaster(join(folder.path, 'postgres'))).toBeUndefined()
})

/** A port on which another program listens. */
const takePort = async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => other.once('listening', resolve))
  const address = other.address()
  return {
    PORT: String(typeof address === 'object' ? address?.port : ''),
    [Symbol.asyncDispose]: async () => void other.close(),
  }
}

test('a port in use ends the start with one line, and the database with it', async () => {
  await using folder = await usedFolder()
  await using used = await takePort()
  const { PORT } = used
  await using main = await spawnMain({ DATA_DIR: folder.path, PORT })
  expect(await main.exited).toBe(1)
  expect(main.lines).toEqual([
    `PORT ${PORT} on 127.0.0.1 is in use by another program: stop that program, or set PORT to another port`,
  ])
  expect(findPostmaster(join(folder.path, 'postgres'))).toBeUndefined()
})

test('when the port is in use the database is unchanged', async () => {
  await using db = await emptyDatabase()
  await using used = await takePort()
  const { PORT } = used
  await using main = await spawnMain({ DATABASE_URL: db.url, SECRET_KEY, PORT })
  expect(await main.exited).toBe(1)
  expect(main.lines).toEqual([expect.stringContaining(`PORT ${PORT} on 127.0.0.1 is in use`)])
  expect(await db.sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
})

test('an invalid variable ends the start with one line', async () => {
  await using main = await spawnMain({ ROLE: 'both' })
  expect(await main.exited).toBe(1)
  expect(main.lines).toEqual(['ROLE is not valid: it must be all, api or worker'])
})

test('a wrong password ends the start with one line that does not contain it', async () => {
  await using server = await postgresServer()
  const url = new URL(server.url)
  url.password = 'not-the-password'
  await using main = await spawnMain({ DATABASE_URL: url.href, SECRET_KEY })
  expect(await main.exited).toBe(1)
  expect(main.lines).toEqual([
    'DATABASE_URL: the database rejects this user and password (password authentication failed for user "paymachine")',
  ])
})
