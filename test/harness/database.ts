import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import postgres from 'postgres'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { docker } from './docker.ts'
import { postgresServer } from './server.ts'

/** A migrated database for one test. */
export type Database = AsyncDisposable & { readonly url: string; readonly sql: Sql }

export const database = async (): Promise<Database> => {
  const { template } = await testServer()
  return copyOf(template)
}

/** A database without migrations. */
export const emptyDatabase = (): Promise<Database> => copyOf('template1')

const copyOf = async (template: string): Promise<Database> => {
  const { admin, url: serverUrl } = await testServer()
  const name = `pm_test_${Date.now().toString(36)}_${crypto.randomUUID().slice(0, 8)}`
  // Copying the files takes 100 ms here; writing the copy to the WAL takes 180 ms.
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`)
  const url = urlOf(serverUrl, name)
  const sql = connect(url)
  return {
    url,
    sql,
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 1 })
      await admin.unsafe(`drop database if exists ${name} with (force)`)
    },
  }
}

type TestServer = { readonly admin: Sql; readonly url: string; readonly template: string }

/** One server for all files of a test run. */
const testServer = (): Promise<TestServer> => {
  running.paymachineTestServer ??= startTestServer()
  return running.paymachineTestServer
}

// On globalThis, because a test run may load this module once per file.
const running = globalThis as { paymachineTestServer?: Promise<TestServer> | undefined }

const startTestServer = async (): Promise<TestServer> => {
  const url = (process.env.TEST_DATABASE_URL || ofLane() || (await docker())) ?? (await startShared())
  const template = await makeTemplate(url)
  // Never closed: a connection that closes when idle could close just when a test uses it again.
  const admin = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false })
  await dropLeftovers(admin)
  return { admin, url, template }
}

/** One of the servers that test/run.ts has started, one per file that runs at the same time. */
const ofLane = (): string | undefined =>
  process.env.TEST_DATABASE_URLS?.split(',')[Number(process.env.BUN_TEST_WORKER_ID ?? 1) - 1]

const startShared = async () => {
  const server = await postgresServer()
  // When a test times out, `bun test` kills the processes it started; this server too, if that test started it.
  void server.exited.then(() => {
    running.paymachineTestServer = undefined
  })
  return server.url
}

/** Its name is a hash of everything that it is made from, so that processes of the same version share it. */
const makeTemplate = async (serverUrl: string): Promise<string> => {
  const hash = createHash('sha256').update(graphileVersion)
  for (const { name, checksum } of await readMigrations()) hash.update(`${name} ${checksum}\n`)
  const template = `pm_template_${hash.digest('hex').slice(0, 16)}`
  const admin = connect(serverUrl, { max: 1 })
  // A second test process waits here until this connection ends, and then finds the template.
  await admin`select pg_advisory_lock(hashtext(${template}))`
  const [done] = await admin`select from pg_database where datname = ${template}`
  if (!done) {
    const making = `${template}_making`
    await admin.unsafe(`drop database if exists ${making} with (force)`)
    await admin.unsafe(`create database ${making}`)
    await migrate(urlOf(serverUrl, making))
    await admin.unsafe(`alter database ${making} rename to ${template}`)
  }
  await admin.end()
  return template
}

const { version: graphileVersion } = createRequire(import.meta.url)('graphile-worker/package.json') as {
  version: string
}

/** Drops databases that killed test processes left. */
const dropLeftovers = async (admin: Sql) => {
  for (const { name } of await admin<{ name: string }[]>`
    select datname as name from pg_database d
    where datname like 'pm\\_test\\_%' and not exists (select from pg_stat_activity a where a.datname = d.datname)`) {
    const madeAt = Number.parseInt(name.split('_')[2] ?? '', 36)
    if (Date.now() - madeAt > 3_600_000) await admin.unsafe(`drop database if exists ${name} with (force)`)
  }
}

const urlOf = (serverUrl: string, name: string) => {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
