import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountFor, give } from '../../src/postgres/account.ts'
import { type Cluster, createCluster, databaseUrl } from '../../src/postgres/cluster.ts'
import { usableBinaries } from '../../src/postgres/place.ts'
import { findPostmaster, type Server, startServer } from '../../src/postgres/server.ts'
import { copyCluster } from './cluster.ts'

/** A Postgres of its own for a test that restarts or kills it. It ends with the test process, however that ends. */
export type PostgresServer = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  start(): Promise<void>
  stop(): Promise<void>
  restart(): Promise<void>
  /** Settled when the server has ended, whoever ended it. */
  readonly exited: Promise<void>
  /** kill -9 of the postmaster; start() it again for recovery. */
  kill(): Promise<void>
}

export type PostgresServerOptions = {
  readonly settings?: Readonly<Record<string, string | number>>
  /** A cluster with a system identifier of its own, as another machine would have. Takes a second longer. */
  readonly foreign?: boolean
}

export const postgresServer = async ({
  settings = {},
  foreign = false,
}: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const cluster = foreign ? await createTemporary() : await copyCluster(temporaryFolder())
  const start = (port?: number) =>
    startServer(cluster, {
      port,
      fixedPort: port !== undefined,
      temporary: true,
      settings: { ...hasty, ...settings },
    })
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

/** What a server has not written to the disk itself outlives any kill of it, and no test cuts the power. */
const hasty = { fsync: 'off', full_page_writes: 'off' }

const createTemporary = async (): Promise<Cluster> => {
  const account = accountFor(tmpdir())
  const cluster = { home: temporaryFolder(), account, binaries: await usableBinaries(account) }
  give(cluster.home, account)
  await createCluster(cluster)
  return cluster
}

const temporaryFolder = () => {
  sweep()
  return mkdtempSync(join(tmpdir(), 'paymachine-test-'))
}

/** A test run that is killed cannot remove everything it made, so an hour later another one does. */
const sweep = () => {
  for (const name of readdirSync(tmpdir())) {
    if (!/^paymachine-(test|data|closed)-\w{6}$/.test(name)) continue
    const home = join(tmpdir(), name)
    try {
      const old = Date.now() - statSync(home).mtimeMs > 3_600_000
      const idle = [home, join(home, 'postgres')].every(each => findPostmaster(each) === undefined)
      if (old && idle) rmSync(home, { recursive: true, force: true })
    } catch {
      // Another user's, or swept by another run at this moment.
    }
  }
}
