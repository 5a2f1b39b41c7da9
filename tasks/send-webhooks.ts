import { type } from 'arktype'
import type { Sender } from '../src/webhooks/sender.ts'
import { type Task, task } from '../src/workers/task.ts'

/**
 * Wakes this process's sender after a change of a delivery. The sender finds the due deliveries itself. For new
 * deliveries it is woken without a job (src/webhooks/listener.ts).
 */
export const sendWebhooks = (sender: Pick<Sender, 'wake'>): Task =>
  task(type({ endpointIds: 'string.uuid[]' }), async (_services, { endpointIds }) => sender.wake(endpointIds))
