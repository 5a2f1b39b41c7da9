import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { docker } from './docker.ts'
import { postgresServer } from './server.ts'

/** A database of its own, fully migrated, for as long as the test holds it. */
export type Database = AsyncDisposable & { readonly url: string; readonly sql: Sql }

export const database = async (): Promise<Database> => {
  const { url: serverUrl, template } = await testServer()
  const name = `pm_test_${Date.now().toString(36)}_${crypto.randomUUID().slice(0, 8)}`
  await withAdmin(serverUrl, admin => admin.unsafe(`create database ${name} template ${template}`))
  const url = urlOf(serverUrl, name)
  const sql = connect(url)
  return {
    url,
    sql,
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 1 })
      await withAdmin(serverUrl, admin => admin.unsafe(`drop database if exists ${name} with (force)`))
    },
  }
}

type TestServer = { readonly url: string; readonly template: string }

/** One server for all files of a test run. */
const testServer = (): Promise<TestServer> => {
  running.paymachineTestServer ??= startTestServer()
  return running.paymachineTestServer
}

// On globalThis, because a test run may load this module once per file.
const running = globalThis as { paymachineTestServer?: Promise<TestServer> }

const startTestServer = async (): Promise<TestServer> => {
  const url = process.env.TEST_DATABASE_URL ?? (await docker()) ?? (await postgresServer()).url
  await dropLeftovers(url)
  return { url, template: await makeTemplate(url) }
}

/** Named by everything that goes into it, so that processes of the same version share it and others do not. */
const makeTemplate = async (serverUrl: string): Promise<string> => {
  const hash = createHash('sha256').update(graphileVersion)
  for (const { name, checksum } of await readMigrations()) hash.update(`${name} ${checksum}\n`)
  const template = `pm_template_${hash.digest('hex').slice(0, 16)}`
  await withAdmin(serverUrl, async admin => {
    // Held by the one connection while it works; another test process waits and finds the template.
    await admin`select pg_advisory_lock(hashtext(${template}))`
    const [done] = await admin`select from pg_database where datname = ${template}`
    if (done) return
    const making = `${template}_making`
    await admin.unsafe(`drop database if exists ${making} with (force)`)
    await admin.unsafe(`create database ${making}`)
    await migrate(urlOf(serverUrl, making))
    await admin.unsafe(`alter database ${making} rename to ${template}`)
  })
  return template
}

const { version: graphileVersion } = createRequire(import.meta.url)('graphile-worker/package.json') as {
  version: string
}

/** A test process that was killed could not drop its own. */
const dropLeftovers = (serverUrl: string) =>
  withAdmin(serverUrl, async admin => {
    for (const { name } of await admin<{ name: string }[]>`
      select datname as name from pg_database
      where datname like 'pm\_test\_%' and not exists (select from pg_stat_activity a where a.datname = pg_database.datname)`) {
      const madeAt = Number.parseInt(name.split('_')[2] ?? '', 36)
      if (Date.now() - madeAt > 3_600_000) await admin.unsafe(`drop database if exists ${name} with (force)`)
    }
  })

const withAdmin = async <T>(serverUrl: string, work: (admin: Sql) => Promise<T>): Promise<T> => {
  const admin = connect(serverUrl, { max: 1, name: 'paymachine tests' })
  try {
    return await work(admin)
  } finally {
    await admin.end({ timeout: 1 })
  }
}

const urlOf = (serverUrl: string, name: string) => {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
