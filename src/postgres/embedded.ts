import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireOwn } from '../process/account.ts'
import { lockDataFolder, unusableFolder } from '../process/data-folder-lock.ts'
import { writePrivate } from '../process/private-file.ts'
import { StartError } from '../process/start-error.ts'
import { type Cluster, databaseUrl } from './cluster.ts'
import { findCluster } from './cluster-location.ts'
import { type Server, startPostgres } from './server.ts'

/** The Postgres that the server runs itself if DATABASE_URL is not set. */
export type Embedded = { readonly url: string; stop(): Promise<void> }

export type EmbeddedPostgresOptions = {
  readonly dataDir: string
  /** Prints one line for the operator. */
  readonly say?: (line: string) => void
}

/** Starts the cluster of the data folder, creates it if needed, and restarts it if it ends before it is stopped. */
export const startEmbedded = async ({ dataDir, say = () => {} }: EmbeddedPostgresOptions): Promise<Embedded> => {
  const folder = resolve(dataDir)
  const locks = [lockDataFolder(prepareDataFolder(folder))]
  const release = () => {
    for (const lock of locks) lock.release()
  }
  try {
    const cluster = await findCluster(folder, say)
    // A copied data folder may link to the same cluster.
    if (cluster.elsewhere) locks.push(lockDataFolder(cluster.home))
    const { url, stop } = await keepRunning(cluster, folder, say)
    return { url, stop: () => stop().finally(release) }
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Creates the data folder if it does not exist. Throws a StartError if it cannot be used. Other users may enter the
 * folder, because Postgres may run as another account; private files in it have their own permissions.
 */
export const prepareDataFolder = (dataDir: string): string => {
  const folder = resolve(dataDir)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 })
  } catch (error) {
    throw new StartError(
      `${folder} cannot be created (${(error as NodeJS.ErrnoException).code}): set DATA_DIR to another folder`,
    )
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unusableFolder(folder, error)
  }
  requireOwn(folder)
  return folder
}

/** The file with the URL of the database, for commands that run while the server is running. */
export const urlFile = (dataDir: string) => join(resolve(dataDir), 'database-url')

const keepRunning = async (cluster: Cluster, folder: string, say: (line: string) => void) => {
  let stopping = false
  let server: Server = await startPostgres(cluster, { port: lastPort(folder) })
  const url = await databaseUrl(cluster, server.port)
  writePrivate(urlFile(folder), url)

  const restart = async () => {
    for (let failures = 0; !stopping; failures++) {
      try {
        // On the same port, because the pools use it.
        server = await startPostgres(cluster, { port: server.port, fixedPort: true })
        return
      } catch (error) {
        say(`Postgres could not be restarted: ${error instanceof Error ? error.message : error}`)
        await sleep(Math.min(100 * 2 ** failures, 5_000))
      }
    }
  }
  const watch = async () => {
    for (;;) {
      await server.exited
      if (stopping) return
      say('Postgres has stopped unexpectedly and is being restarted')
      await restart()
      if (stopping) await server.stop()
    }
  }
  const watching = watch()
  return {
    url,
    stop: async () => {
      stopping = true
      await server.stop()
      await watching
    },
  }
}

const lastPort = (folder: string): number | undefined => {
  try {
    return Number(new URL(readFileSync(urlFile(folder), 'utf8')).port)
  } catch {
    return undefined
  }
}
