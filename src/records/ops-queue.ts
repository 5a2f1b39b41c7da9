import { recordOf } from '../fields/record.ts'
import { count, text } from '../fields/wire.ts'
import type { QueueRow } from '../queries/ops/queues.ts'

/** A queue of background jobs, over all processes. */
export const opsQueueRecord = recordOf<QueueRow>()('OpsQueue', {
  task: {
    type: text,
    about:
      'Task that runs the jobs of this queue. `timers`, `planned-timers`, `deliveries` and `unsettled-payments` are queues of other services: timers of state machines, those of subscriptions, webhook deliveries, and payments to which changes of their chain have to be applied.',
    example: 'send-webhooks',
    of: ({ task }) => task,
  },
  ready: {
    type: count,
    about: 'Jobs that could be run now and are not. For timers, deliveries and payments at most 10,000 are counted.',
    example: 2,
    of: ({ ready }) => ready,
  },
  delayed: {
    type: count,
    about: 'Jobs that are planned for later, such as retries.',
    example: 1,
    of: ({ delayed }) => delayed,
  },
  failed: {
    type: count,
    about: 'Jobs that have used up their attempts. They are not run again.',
    example: 0,
    of: ({ failed }) => failed,
  },
  oldestAgeMs: {
    type: count,
    about: 'How long the oldest ready job has waited, in milliseconds. 0 if no job is ready.',
    example: 140,
    of: ({ oldestAgeMs }) => oldestAgeMs,
  },
})
