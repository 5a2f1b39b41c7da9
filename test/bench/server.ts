import { connect } from '../../src/postgres/connect.ts'
import { type Migration, migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { postgresServer } from '../harness/server.ts'

/** The Postgres that floor, peer and ours are all measured on. */
export type BenchServer = AsyncDisposable & {
  /** Version and the settings that figures depend on. */
  readonly about: string
  /** Read once: a bench takes minutes, and the program in memory goes with the files as they were then. */
  readonly migrations: readonly Migration[]
  /** An empty database. */
  create(): Promise<BenchDatabase>
}

export type BenchDatabase = AsyncDisposable & { readonly url: string }

/** `BENCH_DATABASE_URL`, a superuser's, or a private server with the settings of the embedded one. */
export const openServer = async (): Promise<BenchServer> => {
  const given = process.env.BENCH_DATABASE_URL
  const own = given ? undefined : await postgresServer()
  const serverUrl = given ?? own?.url ?? ''
  const admin = connect(serverUrl, { max: 1, name: 'paymachine bench' })
  const settings = await admin<{ name: string; value: string }[]>`
    select name, current_setting(name) as value from pg_settings
    where name in ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size') order by name`
  let made = 0
  return {
    about: `${given ? 'BENCH_DATABASE_URL' : 'private'}, ${settings.map(({ name, value }) => `${name} ${value}`).join(', ')}`,
    migrations: await readMigrations(),
    create: async () => {
      const name = `pm_bench_${Date.now().toString(36)}_${made++}`
      await admin.unsafe(`create database ${name}`)
      const url = new URL(serverUrl)
      url.pathname = `/${name}`
      return {
        url: url.href,
        [Symbol.asyncDispose]: async () => {
          await admin.unsafe(`drop database if exists ${name} with (force)`)
        },
      }
    },
    [Symbol.asyncDispose]: async () => {
      await admin.end({ timeout: 1 })
      await own?.[Symbol.asyncDispose]()
    },
  }
}

/** The same with the product's own tables in it. */
export const createMigrated = async (server: BenchServer): Promise<BenchDatabase> => {
  const db = await server.create()
  await migrate(db.url, server.migrations)
  return db
}
