import { existsSync, readFileSync } from 'node:fs'
import type { Env } from '../env.ts'
import { StartError } from '../start-error.ts'
import { connect } from './connect.ts'
import { startEmbedded, urlFile } from './embedded.ts'

/** The database of a house, for a command beside it. */
export type Visit = AsyncDisposable & { readonly url: string; readonly running: boolean }

/** The one given, that of the running house, or a stopped house's, started for as long as this takes. */
export const visitDatabase = async (env: Pick<Env, 'databaseUrl' | 'dataDir'>): Promise<Visit> => {
  if (env.databaseUrl !== undefined) return running(env.databaseUrl)
  const file = urlFile(env.dataDir)
  if (!existsSync(file))
    throw new StartError(`${env.dataDir} holds no house yet: start one, or set DATA_DIR or DATABASE_URL to where it is`)
  const url = readFileSync(file, 'utf8').trim()
  if (await answers(url)) return running(url)
  const server = await startEmbedded({ dataDir: env.dataDir })
  return { url: server.url, running: false, [Symbol.asyncDispose]: () => server.stop() }
}

const running = (url: string): Visit => ({ url, running: true, [Symbol.asyncDispose]: async () => {} })

const answers = async (url: string): Promise<boolean> => {
  const sql = connect(url, { max: 1 })
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}
