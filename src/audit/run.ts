import type { Dependencies } from '../dependencies.ts'
import type { Keyring } from '../keyring.ts'
import { kinds } from '../kinds/all.ts'
import { takeAudit } from '../queries/audits.ts'
import { faultOf } from '../workers/job-log.ts'
import { audit } from './audit.ts'
import { connectForAudit } from './connection.ts'
import { recordRun } from './record-run.ts'

export type RunAuditOptions = {
  readonly databaseUrl: string
  readonly keyring: Keyring
  /** The process is stopping. The run counts as failed, and the nightly one is repeated later. */
  readonly signal: AbortSignal
}

/** Runs a requested audit in a worker, on a connection of its own. Does nothing when the run is over. */
export const runAudit = async (
  { sql, log }: Pick<Dependencies, 'sql' | 'log'>,
  auditId: string,
  { databaseUrl, keyring, signal }: RunAuditOptions,
): Promise<void> => {
  const taken = await takeAudit(sql, auditId)
  if (!taken) return
  const run = recordRun(sql, taken)
  const audited = connectForAudit(databaseUrl)
  const ending = AbortSignal.any([signal, run.lost])
  // Ends a check that is under way.
  ending.addEventListener('abort', () => void audited.end({ timeout: 0 }))
  try {
    const findings = await audit(audited, kinds, { keyring, onChecked: run.onChecked, signal: ending })
    if (!(await run.finish(findings.length > 0 ? 'findings' : 'clean'))) return
    if (findings.length === 0) log.info({ audit: auditId, checks: run.checks.length }, 'audit clean')
    else {
      const broken = run.checks.filter(({ status }) => status === 'findings')
      log.error({ audit: auditId, broken, action: 'keep the database as it is' }, 'audit found broken invariants')
    }
  } catch (error) {
    // Without the database this fails too: then the job is repeated, or the run ends because it shows no sign of life.
    if (!(await run.finish('failed'))) return
    if (signal.aborted) log.info({ audit: auditId }, 'audit ended with its process')
    else log.error({ audit: auditId, fault: faultOf(error) }, 'audit failed')
  } finally {
    run.stop()
    await audited.end({ timeout: 5 })
  }
}
