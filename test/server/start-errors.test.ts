import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseUrl } from '../../src/postgres/cluster.ts'
import { connect } from '../../src/postgres/connect.ts'
import { can, identity, isRoot } from '../../src/process/account.ts'
import { causeOf, StartError } from '../../src/process/start-error.ts'
import { copyCluster } from '../harness/cluster.ts'
import { type Database, emptyDatabase } from '../harness/database.ts'
import { usedFolder } from '../harness/embedded-parent.ts'
import { type MainOptions, spawnMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { unusedPort } from '../harness/unused-port.ts'

const SECRET_KEY = 'a secret key for tests and for nothing else'
const ordinaryUser = { name: 'nobody', uid: 65_534, gid: 65_534 }
const asOrdinary = test.if(
  isRoot() && can(ordinaryUser, process.execPath, '--version') && can(ordinaryUser, 'test', '-r', import.meta.path),
)

/** The output of a start that ends by itself. */
const linesOf = async (env: Readonly<Record<string, string>>, options?: MainOptions) => {
  await using main = await spawnMain(env, options)
  expect(await main.exited).toBe(1)
  return main.lines
}

test('a role that may not create tables ends the start with the statements that allow it', async () => {
  await using db = await emptyDatabase()
  await using role = await createRole(db)
  expect(await linesOf({ DATABASE_URL: role.url, SECRET_KEY })).toEqual([
    `DATABASE_URL: user "${role.name}" cannot create tables in this database. As its owner, run: ${role.grants}`,
  ])
  // They are sufficient.
  await db.sql.unsafe(role.grants)
  await using main = await spawnMain({ DATABASE_URL: role.url, SECRET_KEY })
  await until(async () => (await main.get('/readyz'))?.status === 200 || main.child.exitCode !== null)
  expect(main.lines).toEqual([`Ready at ${main.url}`])
})

test('a role that does not own the tables ends the start with a line that names their owner', async () => {
  await using db = await emptyDatabase()
  await using role = await createRole(db)
  await db.sql.unsafe(`create table migrations (name text primary key, checksum text, applied_at timestamptz)`)
  await db.sql.unsafe(role.grants)
  const [owner] = await db.sql<{ name: string }[]>`select current_user as name`
  expect(await linesOf({ DATABASE_URL: role.url, SECRET_KEY })).toEqual([
    `DATABASE_URL: the tables in this database belong to user ${owner?.name}, not to "${role.name}": use user ${owner?.name}, or restore it with pg_restore --no-owner --role="${role.name}"`,
  ])
})

test('a database that is set to read-only ends the start with one line', async () => {
  await using db = await emptyDatabase()
  await db.sql.unsafe(`alter database ${new URL(db.url).pathname.slice(1)} set default_transaction_read_only = on`)
  expect(await linesOf({ DATABASE_URL: db.url, SECRET_KEY })).toEqual([
    'DATABASE_URL: the database is read-only: set default_transaction_read_only to off for this user and database',
  ])
})

test('a standby ends the start with one line', async () => {
  await using standby = await standbyServer()
  expect((await linesOf({ DATABASE_URL: standby.url, SECRET_KEY })).at(-1)).toBe(
    'DATABASE_URL: this server is a read-only standby: use the address of the primary',
  )
})

asOrdinary('a data folder without write permission is reported before all else, and alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  chmodSync(folder, 0o755)
  const env = { SANDBOX: 'on', TMPDIR: tmpdir() }
  expect(await linesOf({ ...env, DATA_DIR: join(folder, 'data') }, { uid: ordinaryUser.uid })).toEqual([
    `${join(folder, 'data')} cannot be created (EACCES): set DATA_DIR to another folder`,
  ])
  expect(await linesOf({ ...env, DATA_DIR: folder }, { uid: ordinaryUser.uid })).toEqual([
    `${folder} cannot be written to by this user: change its owner, or set DATA_DIR to another folder`,
  ])
  rmSync(folder, { recursive: true })
})

test('a data folder of another Postgres version is refused with the steps for its owner', async () => {
  await using folder = await usedFolder()
  const home = join(folder.path, 'postgres')
  writeFileSync(join(home, 'cluster/PG_VERSION'), '17\n')
  expect(await linesOf({ DATA_DIR: folder.path })).toEqual([
    `${home} was created by Postgres 17, but this version has Postgres 18: start the version that created it, save the database with pg_dump, restore it into your own Postgres, and set DATABASE_URL`,
  ])
})

test('errors during the cleanup of a failed start do not hide its cause', async () => {
  const fail = async () => {
    await using stack = new AsyncDisposableStack()
    stack.defer(() => Promise.reject(new Error('this cannot be closed')))
    stack.defer(() => Promise.reject(new Error('nor can this')))
    throw new StartError('the port is in use')
  }
  expect(causeOf(await fail().catch(error => error))).toEqual(new StartError('the port is in use'))
  expect(causeOf(new Error('alone'))).toEqual(new Error('alone'))
})

/** A role that may only connect. */
const createRole = async (db: Database) => {
  // A name that must be quoted.
  const name = `Shop ${crypto.randomUUID()}`
  await db.sql.unsafe(`create role "${name}" login password 'pw'`)
  const url = new URL(db.url)
  url.username = encodeURIComponent(name)
  url.password = 'pw'
  const database = url.pathname.slice(1)
  return {
    name,
    url: url.href,
    grants: `grant create on database ${database} to "${name}"; grant create on schema public to "${name}"`,
    [Symbol.asyncDispose]: async () => {
      const sql = connect(db.url, { max: 1 })
      await sql.unsafe(`drop owned by "${name}"`)
      await sql.unsafe(`drop role "${name}"`)
      await sql.end({ timeout: 1 })
    },
  }
}

const standbyServer = async () => {
  const home = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  const cluster = await copyCluster(home, 'tests')
  chmodSync(home, 0o711)
  writeFileSync(join(home, 'cluster/standby.signal'), '', { mode: 0o644 })
  const port = await unusedPort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${port}`]
  const server = spawn(
    join(cluster.binaries.folder, 'bin/postgres'),
    ['-D', join(home, 'cluster'), ...settings.flatMap(each => ['-c', each])],
    { ...identity(cluster.account), cwd: '/', stdio: 'ignore' },
  )
  const exited = new Promise(resolve => server.once('close', resolve))
  return {
    url: await databaseUrl(cluster, port),
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGQUIT')
      await exited
      rmSync(home, { recursive: true })
    },
  }
}
