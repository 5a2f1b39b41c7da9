import { connect, type Sql } from '../postgres/connect.ts'
import { sqlStateOf } from '../postgres/errors.ts'
import { startOwnAudit } from '../queries/audits.ts'
import { type RecordedRun, recordRun } from './record-run.ts'

/** The run of `bun run audit`. Without a row the checks run all the same. */
export type OwnRun = AsyncDisposable & Pick<RecordedRun, 'onChecked' | 'add' | 'finish'>

/**
 * Starts a run of this process. There is no row while another run is under way, or where the database is older than the
 * table, read-only, or not writable for this role.
 */
export const openOwnRun = async (url: string): Promise<OwnRun> => {
  const sql = connect(url, { max: 1, name: 'paymachine audit run' })
  try {
    const taken = await startOwnAudit(sql).catch(unlessRefused)
    return taken ? recordedRun(sql, recordRun(sql, taken)) : await unrecordedRun(sql)
  } catch (error) {
    await sql.end({ timeout: 5 })
    throw error
  }
}

const unlessRefused = (error: unknown): undefined => {
  if (!refusedBy.has(sqlStateOf(error) ?? '')) throw error
}

/** Read-only, no privilege, no such function. */
const refusedBy = new Set(['25006', '42501', '42883'])

const recordedRun = (sql: Sql, { onChecked, add, finish, stop }: RecordedRun): OwnRun => ({
  ...{ onChecked, add, finish },
  [Symbol.asyncDispose]: async () => {
    stop()
    await sql.end({ timeout: 5 })
  },
})

const unrecordedRun = async (sql: Sql): Promise<OwnRun> => {
  await sql.end({ timeout: 5 })
  return { onChecked: () => {}, add: () => {}, finish: async () => false, [Symbol.asyncDispose]: async () => {} }
}
