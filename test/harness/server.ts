import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, databaseUrl } from '../../src/postgres/cluster.ts'
import { usableBinaries } from '../../src/postgres/cluster-location.ts'
import { type Server, startPostgres } from '../../src/postgres/server.ts'
import { accountFor, give } from '../../src/process/account.ts'
import { copyCluster, createForTests } from './cluster.ts'
import { scratch, scratches } from './scratch.ts'
import { sweep } from './sweep.ts'

/** A Postgres server for a test that restarts or kills it. It ends with the test process, also when that is killed. */
export type PostgresServer = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  start(): Promise<void>
  stop(): Promise<void>
  restart(): Promise<void>
  /** Resolves when the server has ended. */
  readonly exited: Promise<void>
  /** kill -9 of the postmaster; start() runs recovery. */
  kill(): Promise<void>
}

export type PostgresServerOptions = {
  readonly settings?: Readonly<Record<string, string | number>>
  /** Enables TLS with this certificate and its key. */
  readonly certificate?: { readonly cert: string; readonly key: string }
  /** A cluster with its own system identifier, as on another machine. Takes a second longer. */
  readonly foreign?: boolean
}

export const postgresServer = async ({
  settings = {},
  foreign = false,
  certificate,
}: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const wanted = { ...fastSettings, ...settings }
  // A durable cluster needs a disk.
  const home = temporaryFolder(wanted.fsync === 'on' ? tmpdir() : scratch())
  const cluster = foreign ? await createTemporary(home) : await copyCluster(home, 'tests')
  // The account of the cluster removes the folder when this process is killed.
  give(home, cluster.account)
  const all = { ...wanted, ...(certificate && keepCertificate(cluster, certificate)) }
  const start = (port?: number) =>
    startPostgres(cluster, { port, fixedPort: port !== undefined, temporary: true, settings: all })
  let server: Server | undefined = await start()
  const { port } = server
  const stop = async (how: 'fast' | 'kill') => {
    await server?.stop(how)
    server = undefined
  }
  return {
    url: await databaseUrl(cluster, port),
    get pid() {
      return server?.pid ?? 0
    },
    get exited() {
      return server?.exited ?? Promise.resolve()
    },
    start: async () => {
      server ??= await start(port)
    },
    stop: () => stop('fast'),
    kill: () => stop('kill'),
    restart: async () => {
      await stop('fast')
      server = await start(port)
    },
    [Symbol.asyncDispose]: async () => {
      await stop('kill')
      await rm(cluster.home, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/** Writes both where only the server can read them. Returns the settings that name them. */
const keepCertificate = (
  { home, account }: Cluster,
  { cert, key }: Required<PostgresServerOptions>['certificate'],
): PostgresServerOptions['settings'] => {
  const [certFile, keyFile] = [join(home, 'server.crt'), join(home, 'server.key')]
  for (const [path, text] of [
    [certFile, cert],
    [keyFile, key],
  ] as const) {
    writeFileSync(path, text, { mode: 0o600 })
    give(path, account)
  }
  return { ssl: 'on', ssl_cert_file: certFile, ssl_key_file: keyFile }
}

/** A killed server loses nothing that it gave to the operating system, and no test cuts the power. */
const fastSettings: PostgresServerOptions['settings'] = {
  fsync: 'off',
  full_page_writes: 'off',
  max_wal_size: '512MB',
  min_wal_size: '80MB',
  // Inside its own folder, which is removed: elsewhere, a killed server left a megabyte of memory behind for good.
  dynamic_shared_memory_type: 'mmap',
}

const createTemporary = async (home: string): Promise<Cluster> => {
  const account = accountFor(tmpdir())
  const cluster = { home, account, binaries: await usableBinaries(account) }
  await createForTests(cluster)
  return cluster
}

const temporaryFolder = (inside: string) => {
  for (const each of scratches()) sweep(each)
  return mkdtempSync(join(inside, 'paymachine-test-'))
}
