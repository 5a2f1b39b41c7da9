import { example } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { text, time } from '../fields/wire.ts'
import type { WorkerProcessRow } from '../queries/ops/workers.ts'

/** A process that runs background jobs. */
export const opsWorkerRecord = recordOf<WorkerProcessRow>()('OpsWorker', {
  id: {
    type: text,
    about: 'Name of the worker, as in its log lines. A process gets a new one when its worker restarts.',
    example: 'worker-2f6b0c9d1e4a5f7788',
    of: ({ id }) => id,
  },
  role: {
    type: text,
    about: 'ROLE of the process: `all` or `worker`.',
    example: 'all',
    of: ({ role }) => role,
  },
  startedAt: {
    type: time,
    about: 'When the worker started to take jobs.',
    example: example.at,
    of: row => row.started_at.toISOString(),
  },
  heartbeatAt: {
    type: time,
    about: 'Time of the last heartbeat. There is one each second; a worker without one for 10 seconds is removed.',
    example: example.later,
    of: row => row.beat_at.toISOString(),
  },
  version: { type: text, about: 'Version of the program.', example: '0.1.0', of: ({ version }) => version },
})
