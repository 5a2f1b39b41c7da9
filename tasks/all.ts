import type { Tasks } from '../src/workers/task.ts'
import { cancelDeliveries } from './cancel-deliveries.ts'
import { judgeEndpointTask } from './judge-endpoint.ts'
import { recoverDeliveriesTask } from './recover-deliveries.ts'

/**
 * Every task, by name. A list by hand, so that tasks are given the world instead of reaching for it.
 * A job whose task is not listed waits for a version that has it.
 */
export const tasks: Tasks = {
  'cancel-deliveries': cancelDeliveries,
  'judge-endpoint': judgeEndpointTask,
  'recover-deliveries': recoverDeliveriesTask,
}
