import { type } from 'arktype'
import { type Task, task } from '../src/workers/task.ts'

/** Runs a requested audit, unless it is over. Safe to run twice: only the process that has taken the run last writes its row. */
export const runAuditTask = (run: (auditId: string, signal: AbortSignal) => Promise<void>): Task =>
  task(type({ auditId: 'string.uuid' }), (_, { auditId }, { signal }) => run(auditId, signal))
