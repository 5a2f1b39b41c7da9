import type { Sql } from '../postgres/connect.ts'
import { type AuditCheck, finishAudit, recordAuditBeat, type TakenAudit } from '../queries/audits.ts'
import type { AuditOptions } from './audit.ts'
import type { Check } from './rules/check.ts'

/** A run without a sign of life for 60 s has failed: see audit_is_dead() in sql/110-audits-functions.sql. */
const BEAT_MS = 5_000

export type RecordedRun = {
  /** Collects the result of a check. */
  readonly onChecked: NonNullable<AuditOptions['onChecked']>
  /** Aborted when the run belongs to another process, or counts as failed. */
  readonly lost: AbortSignal
  readonly checks: readonly AuditCheck[]
  add(check: AuditCheck): void
  /** Returns false when the run is lost. */
  finish(status: 'clean' | 'findings' | 'failed'): Promise<boolean>
  stop(): void
}

/** Keeps the row of a run that this process has taken. `sql`: not the connection of the checks, which is busy. */
export const recordRun = (sql: Sql, taken: TakenAudit): RecordedRun => {
  const checks: AuditCheck[] = []
  const losing = new AbortController()
  const beat = async (): Promise<void> => {
    // If the database is unreachable, the checks fail as well.
    const isOurs = await recordAuditBeat(sql, taken).catch(() => true)
    if (!isOurs) losing.abort(new Error('another process has taken this audit, or it counts as failed'))
  }
  const beating = setInterval(() => void beat(), BEAT_MS)
  const stop = () => clearInterval(beating)
  return {
    lost: losing.signal,
    checks,
    add: check => void checks.push(check),
    onChecked: (check, _ms, { count, example }) =>
      checks.push({
        name: nameOf(check),
        status: count > 0 ? 'findings' : 'clean',
        count,
        sample: count > 0 ? example : null,
      }),
    finish: status => {
      stop()
      return finishAudit(sql, taken, { status, checks })
    },
    stop,
  }
}

export const nameOf = ({ invariant, what }: Pick<Check, 'invariant' | 'what'>): string => `${invariant}: ${what}`
