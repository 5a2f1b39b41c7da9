import type { Dependencies } from '../dependencies.ts'
import { findLastAudit, startNightlyAudit } from '../queries/audits.ts'
import { type Checks, runChecks } from '../workers/checks.ts'
import type { WorkerShare } from '../workers/share.ts'

const EVERY_MS = 60_000
const LATE_S = 2 * 86_400

/**
 * Starts the audit of each night, and logs when there has been none for two days. It runs in one of the workers; running
 * in two is harmless. Not a crontab of graphile-worker: a run that was missed while no worker was running is made up for.
 */
export const scheduleAudits = (
  deps: Pick<Dependencies, 'sql' | 'log'>,
  { share, everyMs = EVERY_MS }: { readonly share: WorkerShare; readonly everyMs?: number },
): Checks =>
  runChecks({
    ...{ share, everyMs, check: openAuditCheck(deps) },
    onFailure: err => deps.log.error({ err }, 'check for a due audit failed, retrying'),
  })

/** One turn of the schedule. */
export const openAuditCheck = ({ sql, log }: Pick<Dependencies, 'sql' | 'log'>): (() => Promise<void>) => {
  let isLate = false
  return async () => {
    await startNightlyAudit(sql)
    const { ageSeconds } = await findLastAudit(sql)
    const wasLate = isLate
    isLate = ageSeconds > LATE_S
    if (isLate && !wasLate) log.warn({ hours: Math.floor(ageSeconds / 3_600) }, 'no audit has finished for two days')
  }
}
