import { type } from 'arktype'
import type { Sender } from '../src/webhooks/sender.ts'
import { type Task, task } from '../src/workers/task.ts'

/**
 * Wakes this process's sender for what the actors have changed, who looks for itself at what is due. Of new deliveries
 * it hears without a job (src/webhooks/ears.ts).
 */
export const sendWebhooks = (sender: Pick<Sender, 'wake'>): Task =>
  task(type({ endpointIds: 'string.uuid[]' }), async (_world, { endpointIds }) => sender.wake(endpointIds))
