import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, accountFor, give, identity } from '../../src/postgres/account.ts'
import { type Cluster, createCluster, databaseUrl } from '../../src/postgres/cluster.ts'
import { usableBinaries } from '../../src/postgres/place.ts'
import { findPostmaster, type Server, startServer } from '../../src/postgres/server.ts'

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
  const cluster = foreign ? await createTemporary() : await copyTemporary()
  const start = (port?: number) =>
    startServer(cluster, { port, fixedPort: port !== undefined, temporary: true, settings })
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

/** initdb takes a second, a copy of what it made a tenth of one. */
const copyTemporary = async (): Promise<Cluster> => {
  const account = accountFor(cache)
  const binaries = await usableBinaries(account)
  mkdirSync(cache, { recursive: true, mode: 0o711 })
  const original = join(cache, binaries.version)
  if (!existsSync(original)) {
    const making = join(cache, `${binaries.version}.${process.pid}`)
    await createCluster({ home: making, account, binaries })
    // Another test process may have been quicker.
    await rename(making, original).catch(() => rm(making, { recursive: true, force: true }))
  }
  const home = temporaryFolder(account)
  // As the account itself, so that the copy belongs to it.
  execFileSync('cp', ['-R', `${original}/.`, home], identity(account))
  return { home, account, binaries }
}

const createTemporary = async (): Promise<Cluster> => {
  const account = accountFor(cache)
  const cluster = { home: temporaryFolder(account), account, binaries: await usableBinaries(account) }
  await createCluster(cluster)
  return cluster
}

const cache = join(tmpdir(), `paymachine-test-${process.getuid?.() ?? ''}`)

const temporaryFolder = (account: Account) => {
  sweep()
  const home = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  give(home, account)
  return home
}

/** A shell that is killed together with its server removes nothing, so an hour later we do. */
const sweep = () => {
  for (const name of readdirSync(tmpdir())) {
    if (!/^paymachine-test-\w{6}$/.test(name)) continue
    const home = join(tmpdir(), name)
    try {
      const old = Date.now() - statSync(home).mtimeMs > 3_600_000
      if (old && findPostmaster(home) === undefined) rmSync(home, { recursive: true, force: true })
    } catch {
      // Another user's, or swept by another run at this moment.
    }
  }
}
