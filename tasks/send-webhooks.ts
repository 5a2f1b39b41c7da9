import { type } from 'arktype'
import type { Sender } from '../src/webhooks/sender.ts'
import { type Task, task } from '../src/workers/task.ts'

/**
 * Wakes this process's sender, who looks for itself at what is due. Whoever commits in the same process has woken it
 * before; this is for the other processes.
 */
export const sendWebhooks = (sender: Pick<Sender, 'wake'>): Task =>
  task(type({ endpointIds: 'string.uuid[]' }), async (_world, { endpointIds }) => sender.wake(endpointIds))
