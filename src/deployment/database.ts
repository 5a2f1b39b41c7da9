import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Env } from '../env.ts'
import { connect } from '../postgres/connect.ts'
import { startEmbedded, urlFile } from '../postgres/embedded.ts'
import { leaveRoot } from '../process/leave-root.ts'
import { StartError } from '../process/start-error.ts'

/** The database of a deployment, for a command-line tool. `running`: a server uses it at this moment. */
export type DeploymentDatabase = AsyncDisposable & { readonly url: string; readonly running: boolean }

/** The database of DATABASE_URL, or the embedded one. If no server runs, it is started and stopped with the tool. */
export const openDeploymentDatabase = async (
  env: Pick<Env, 'databaseUrl' | 'dataDir'>,
): Promise<DeploymentDatabase> => {
  if (env.databaseUrl !== undefined) return running(env.databaseUrl)
  leaveRoot(env.dataDir)
  const file = urlFile(env.dataDir)
  if (!existsSync(file))
    throw new StartError(`${env.dataDir} has no database yet: start the server once, or set DATA_DIR or DATABASE_URL`)
  const url = readUrl(file)
  if (await isServedAt(url, env.dataDir)) return running(url)
  const server = await startEmbedded({ dataDir: env.dataDir })
  return { url: server.url, running: false, [Symbol.asyncDispose]: () => server.stop() }
}

const running = (url: string): DeploymentDatabase => ({ url, running: true, [Symbol.asyncDispose]: async () => {} })

const readUrl = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new StartError(`${file} cannot be read by this user: run this command as the user of the server`)
  }
}

/** Whether the database at this URL is the one of this folder. A copy of a data folder contains the original's URL. */
const isServedAt = async (url: string, dataDir: string): Promise<boolean> => {
  const sql = connect(url, { max: 1 })
  try {
    const [row] = await sql<{ at: string }[]>`select current_setting('data_directory') as at`
    // Compares the parent folders, because only Postgres's account can read the cluster folders.
    return realPath(dirname(row?.at ?? '')) === realPath(join(resolve(dataDir), 'postgres'))
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
