import type { Dependencies } from '../dependencies.ts'
import { kinds } from '../kinds/all.ts'
import { drivenStates } from '../kinds/event-marks.ts'
import { findStuck, type StuckActor } from '../queries/ops/stuck.ts'
import { type Checks, runChecks } from '../workers/checks.ts'
import type { WorkerShare } from '../workers/share.ts'

const EVERY_MS = 60_000
const MOST = 100

/** Logs each actor that becomes stuck, once, in one of the workers. */
export const logStuckActors = (
  { sql, log }: Pick<Dependencies, 'sql' | 'log'>,
  { share, everyMs = EVERY_MS }: { readonly share: WorkerShare; readonly everyMs?: number },
): Checks => {
  let known: ReadonlySet<string> = new Set()
  const check = async (): Promise<void> => {
    const found = await findStuck(sql, kinds, { driven: drivenStates, limit: MOST })
    for (const { kind, id, state, since, reason } of found.filter(actor => !known.has(keyOf(actor))))
      log.warn({ kind, id, state, since: since.toISOString(), reason }, 'actor stuck')
    known = new Set(found.map(keyOf))
  }
  return runChecks({
    ...{ share, everyMs, check },
    onFailure: err => log.error({ err }, 'check for stuck actors failed, retrying'),
  })
}

const keyOf = ({ id, state, reason }: StuckActor): string => `${id} ${state} ${reason}`
