import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { StartError } from '../start-error.ts'
import { connect } from './connect.ts'

export type ReachOptions = {
  readonly say: (line: string) => void
  readonly stop: AbortSignal
  readonly patienceMs?: number
}

/** Waits for a database that starts beside us, and says plainly why another one cannot be used. */
export const awaitDatabase = async (url: string, { say, stop, patienceMs = 30_000 }: ReachOptions): Promise<void> => {
  const deadline = performance.now() + patienceMs
  for (let said = false; ; said = true) {
    const fault = await tryDatabase(url)
    if (fault === undefined) return
    if (refusals.has(fault)) throw new StartError(`DATABASE_URL: ${refusals.get(fault)}`)
    if (performance.now() > deadline) throw new StartError(`DATABASE_URL: the database does not answer (${fault})`)
    if (!said) say(`Waiting for the database (${fault})`)
    await sleep(500, undefined, { signal: stop })
  }
}

const tryDatabase = async (url: string): Promise<string | undefined> => {
  const sql = connect(url, { max: 1, name: 'paymachine start' })
  try {
    await sql`select 1`
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    await sql.end({ timeout: 0 })
  }
}

const codeOf = (error: unknown): string =>
  error instanceof postgres.PostgresError ? error.code : ((error as NodeJS.ErrnoException).code ?? 'no reason given')

/** What waiting does not mend. */
const refusals = new Map([
  ['28P01', 'the database does not take this user and password'],
  ['28000', 'the database does not let this user in'],
  ['3D000', 'there is no database of this name'],
  ['42501', 'this user may not use the database'],
])
