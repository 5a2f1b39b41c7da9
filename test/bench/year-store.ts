import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databaseUrl, runStatements, SERVICE_ROLE } from '../../src/postgres/cluster.ts'
import { findCluster } from '../../src/postgres/cluster-location.ts'
import { connect } from '../../src/postgres/connect.ts'
import { migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { startPostgres } from '../../src/postgres/server.ts'
import { lockDataFolder } from '../../src/process/data-folder-lock.ts'
import { homeOf } from '../harness/embedded-parent.ts'
import type { ExampleShop } from './year-shop.ts'

/** Raise this number when the rows of the bench change. */
const LAYOUT = 1

/** Where the loaded databases are kept for later runs, outside of what git tracks. */
export const keptIn = (): string =>
  process.env.BENCH_YEAR_DIR || fileURLToPath(new URL('../../.data/bench-year', import.meta.url))

/** The name says what is in it: another schema or size is loaded anew. */
export const storeName = async (payments: number): Promise<string> => {
  const hash = createHash('sha256')
  for (const { name, checksum } of await readMigrations()) hash.update(`${name} ${checksum}\n`)
  return `${rowsOf(payments)}${hash.digest('hex').slice(0, 12)}`
}

const rowsOf = (payments: number) => `${LAYOUT}-${payments}-`

/** A loaded store with the same rows, of another version of the schema. */
export const findOtherVersion = (kept: string, name: string, payments: number): string | undefined =>
  otherStores(kept, name).find(other => basename(other).startsWith(rowsOf(payments)) && isLoaded(other))

export const freeBytes = (folder: string): number => {
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Written when a store is complete. */
const markOf = (folder: string) => join(folder, 'loaded.json')

export const isLoaded = (folder: string): boolean => existsSync(markOf(folder))
export const markLoaded = (folder: string, shop: ExampleShop): void =>
  writeFileSync(markOf(folder), JSON.stringify(shop))

/** The shell command that deletes a store, whose cluster may be elsewhere. */
export const deletion = (folder: string): string => `rm -rf ${[...new Set([homeOf(folder), folder])].join(' ')}`

/** Stores of other versions or sizes, and those whose loading was interrupted. */
export const otherStores = (kept: string, name: string): readonly string[] =>
  existsSync(kept)
    ? readdirSync(kept)
        .filter(other => other !== name)
        .map(other => join(kept, other))
    : []

/** Removes what an interrupted run has left. */
export const removeStore = (folder: string): void => {
  if (!existsSync(folder)) return
  const lock = lockDataFolder(folder)
  try {
    if (existsSync(join(folder, 'postgres'))) rmSync(homeOf(folder), { recursive: true, force: true })
  } finally {
    lock.release()
  }
  rmSync(folder, { recursive: true, force: true })
}

/** A Postgres server with the cluster of a store, and its databases by name. */
export type Store = AsyncDisposable & {
  readonly folder: string
  url(database: string): string
  /** A database with the product's tables. */
  migrated(database: string): Promise<string>
  copy(database: string, from: string): Promise<string>
  drop(database: string): Promise<void>
  /** All of it, in bytes. */
  size(): Promise<number>
}

/** While loading nothing has to be durable: a store whose loading was interrupted is removed. */
const loading = {
  ...{ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', wal_level: 'minimal', max_wal_senders: 0 },
  ...{ autovacuum: 'off', max_wal_size: '8GB', maintenance_work_mem: '1GB', work_mem: '256MB' },
}

export const openStore = async (
  folder: string,
  { isLoading, say }: { readonly isLoading: boolean; readonly say: (line: string) => void },
): Promise<Store> => {
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const lock = lockDataFolder(folder)
  try {
    const cluster = await findCluster(folder, say)
    // The bench creates databases, and disables triggers while it loads.
    await runStatements(cluster, [`alter role ${SERVICE_ROLE} superuser`])
    const server = await startPostgres(cluster, { settings: isLoading ? loading : {} })
    const serverUrl = await databaseUrl(cluster, server.port)
    const url = (database: string) => Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href
    const admin = connect(serverUrl, { max: 1, name: 'paymachine bench' })
    const copy: Store['copy'] = async (database, from) => {
      await admin.unsafe(`create database ${database} template ${from}`)
      return url(database)
    }
    return {
      ...{ folder, url, copy },
      migrated: async database => {
        await migrate(await copy(database, 'template1'))
        return url(database)
      },
      drop: async database => void (await admin.unsafe(`drop database if exists ${database} with (force)`)),
      size: async () => {
        const [row] = await admin<{ bytes: number }[]>`
          select sum(pg_database_size(oid))::float8 as bytes from pg_database`
        return row?.bytes ?? Number.NaN
      },
      [Symbol.asyncDispose]: async () => {
        if (isLoading) await admin`checkpoint`
        await admin.end({ timeout: 1 })
        await server.stop()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The shop that a store was loaded from. */
export const readMark = (folder: string): ExampleShop => JSON.parse(readFileSync(markOf(folder), 'utf8')) as ExampleShop
