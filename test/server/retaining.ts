import { openLog } from '../../src/log.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { dropOldRecords, type RetentionOptions } from '../../src/server/retention.ts'
import { until } from '../harness/until.ts'

/** Something with a database of which old records are dropped. */
type Instance = { readonly sql: Sql }

const DAY_MS = 86_400_000

export const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

export const countIn = async ({ sql }: Instance, table: string, condition = 'true'): Promise<number> => {
  const [row] = await sql.unsafe<{ count: number }[]>(
    `select count(*)::integer as count from ${table} where ${condition}`,
  )
  return row?.count ?? 0
}

export const readFeeds = async ({ sql }: Instance) => {
  await sql`select count_transitions(10000)`
  await sql`select add_payment_sums(10000)`
}

export const recordAudit = ({ sql }: Instance, status: 'clean' | 'findings', finishedAt = new Date()) => sql`
  insert into audits (status, started_by, finished_at) values (${status}, 'schedule', ${finishedAt})`

const defaults = { attemptBodies: 30, deliveries: 90, history: 400 }

type Line = { readonly level: string; readonly message: string } & Record<string, unknown>

/** Runs the check until it has been made twice, and returns what it has logged. */
export const runRetention = async ({ sql }: Instance, options: Partial<RetentionOptions> = {}): Promise<Line[]> => {
  const lines: Line[] = []
  const say = (level: string) => (fields: object, message: string) => void lines.push({ level, message, ...fields })
  const log = { ...openLog('silent'), info: say('info'), warn: say('warn'), error: say('error') }
  let turns = 0
  const share = () => ({ position: turns++ < 2 ? 0 : 1, count: 1 })
  const checks = dropOldRecords({ sql, log: log as never }, { retainDays: defaults, share, everyMs: 1, ...options })
  await until(() => turns > 2)
  await checks.stop()
  return lines
}
