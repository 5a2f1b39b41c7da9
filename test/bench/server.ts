import { connect, type Sql } from '../../src/postgres/connect.ts'
import { migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { postgresServer } from '../harness/server.ts'

/** The Postgres server that floor, peer and service are all measured on. */
export type BenchServer = AsyncDisposable & {
  /** Version and the settings that figures depend on. */
  readonly about: string
  /** An empty database, or a copy of one that nobody is connected to. */
  create(like?: BenchDatabase): Promise<BenchDatabase>
  /** A database with the product's tables, without rows. */
  migrated(): Promise<BenchDatabase>
  /** Kills a private server (kill -9), and starts it again. Undefined if the server was given. */
  readonly crash: (() => Promise<void>) | undefined
}

export type BenchDatabase = AsyncDisposable & { readonly url: string }

/** Settings of test servers, which benches do not use. */
const asEmbedded = {
  fsync: 'on',
  full_page_writes: 'on',
  max_wal_size: '4GB',
  min_wal_size: '1GB',
  dynamic_shared_memory_type: 'posix',
}

export type BenchServerOptions = {
  /** As on a server after a peak: the WAL files exist and are recycled. */
  readonly used?: boolean
}

/** `BENCH_DATABASE_URL`, the URL of a superuser, or a private server with the settings of the embedded one. */
export const openServer = async ({ used = false }: BenchServerOptions = {}): Promise<BenchServer> => {
  const given = process.env.BENCH_DATABASE_URL
  const own = given ? undefined : await postgresServer({ settings: asEmbedded })
  const serverUrl = given ?? own?.url ?? ''
  const admin = connect(serverUrl, { max: 1, name: 'paymachine bench' })
  const settings = await admin<{ name: string; value: string }[]>`
    select name, current_setting(name) as value from pg_settings
    where name in ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size', 'min_wal_size', 'huge_pages_status') order by name`
  // A given server is used as it is.
  const filled = used && own !== undefined
  if (filled) await fillLog(admin)
  let made = 0
  let template: Promise<BenchDatabase> | undefined
  const create: BenchServer['create'] = async like => {
    const name = `pm_bench_${Date.now().toString(36)}_${made++}`
    await admin.unsafe(`create database ${name} ${like ? `template ${nameOf(like)}` : ''}`)
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    return {
      url: url.href,
      [Symbol.asyncDispose]: async () => {
        await admin.unsafe(`drop database if exists ${name} with (force)`)
      },
    }
  }
  // Read once: a bench takes minutes, and its program belongs to the files as they were at its start.
  const migrations = await readMigrations()
  const makeTemplate = async (): Promise<BenchDatabase> => {
    const db = await create()
    await migrate(db.url, migrations)
    return db
  }
  return {
    about: `${given ? 'BENCH_DATABASE_URL' : 'private'}, ${settings.map(({ name, value }) => `${name} ${value}`).join(', ')}${filled ? ', WAL files recycled' : ''}`,
    create,
    migrated: () => {
      template ??= makeTemplate()
      return template
    },
    crash:
      own &&
      (async () => {
        await own.kill()
        await own.start()
      }),
    [Symbol.asyncDispose]: async () => {
      await (await template)?.[Symbol.asyncDispose]()
      await admin.end({ timeout: 1 })
      await own?.[Symbol.asyncDispose]()
    },
  }
}

/** As many WAL files of 16 MB as `min_wal_size` keeps; the next checkpoint recycles them. */
const fillLog = async (admin: Sql): Promise<void> => {
  const KEPT_FILES = 64
  for (let file = 0; file < KEPT_FILES; file++) {
    await admin`select pg_logical_emit_message(true, 'bench', '')`
    await admin`select pg_switch_wal()`
  }
  await admin`checkpoint`
}

/** A template with the product's tables: making them for each database would take a second. */
export const createMigrated = async (server: BenchServer): Promise<BenchDatabase> =>
  server.create(await server.migrated())

const nameOf = ({ url }: BenchDatabase): string => new URL(url).pathname.slice(1)
