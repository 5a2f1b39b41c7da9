import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { connect } from '../../src/postgres/connect.ts'
import { isAlive } from '../../src/process/is-alive.ts'
import { database } from './database.ts'
import { postgresServer } from './server.ts'
import { until } from './until.ts'

test('each test database is migrated and separate from the others', async () => {
  await using one = await database()
  await using two = await database()
  await one.sql`create table mine (id integer)`
  expect(await two.sql`select from pg_class where relname = 'mine'`).toHaveLength(0)
  expect(await two.sql`select from pg_namespace where nspname = 'graphile_worker'`).toHaveLength(1)
})

test('disposing a test database drops it and closes its connections', async () => {
  await using other = await database()
  let name: string | undefined
  {
    await using db = await database()
    name = new URL(db.url).pathname.slice(1)
    await connect(db.url)`select 1`
  }
  expect(await other.sql`select from pg_database where datname = ${name}`).toHaveLength(0)
})

test('a killed Postgres server recovers what was committed', async () => {
  await using server = await postgresServer()
  const sql = connect(server.url, { max: 1 })
  await sql`create table kept as select 1 as id`
  await server.kill()
  await server.start()
  const read = () => sql`select id from kept`.catch(() => undefined)
  expect((await until(read))[0]).toEqual({ id: 1 })
  await sql.end()
})

test('a restarted Postgres server keeps its address', async () => {
  await using server = await postgresServer()
  const { pid } = server
  await server.restart()
  expect(server.pid).not.toBe(pid)
  const sql = connect(server.url, { max: 1 })
  expect(await sql`select 1 as one`).toHaveLength(1)
  await sql.end()
})

test('a Postgres server ends with the process that started it, also after kill -9', async () => {
  const script = `
    import { postgresServer } from ${JSON.stringify(import.meta.resolve('./server.ts'))}
    console.log((await postgresServer()).pid)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = Number(await new Promise(resolve => child.stdout.once('data', resolve)))
  expect(isAlive(pid)).toBe(true)
  child.kill('SIGKILL')
  await until(() => !isAlive(pid), { what: 'the end of the server' })
})
