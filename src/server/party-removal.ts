import { setTimeout as sleep } from 'node:timers/promises'
import type { Dependencies } from '../dependencies.ts'
import { removeExpiredParties } from '../queries/expired-parties.ts'
import { type Checks, runChecks } from '../workers/checks.ts'
import type { WorkerShare } from '../workers/share.ts'

const EVERY_MS = 600_000
/** Between two statements, so that other commits go on. */
const REST_MS = 50

/**
 * Deletes the parties of invoices of erased customers on the day on which their time is over. Each statement is a commit of
 * its own, so a process that is killed leaves the rest to the next check, in any process.
 */
export const removeDueParties = (
  deps: Pick<Dependencies, 'sql' | 'log'>,
  { share, everyMs = EVERY_MS }: { readonly share: WorkerShare; readonly everyMs?: number },
): Checks =>
  runChecks({
    ...{ share, everyMs },
    check: async signal => {
      let invoices = 0
      for (let isDone = false; !isDone && !signal.aborted; ) {
        const removed = await removeExpiredParties(deps.sql)
        invoices += removed.invoices
        isDone = removed.invoices + removed.documents === 0
        if (!isDone) await sleep(REST_MS, undefined, { signal }).catch(() => {})
      }
      if (invoices > 0) deps.log.info({ invoices }, 'parties of erased customers removed from invoices')
    },
    onFailure: err => deps.log.error({ err }, 'removal of parties from invoices failed, retrying'),
  })
