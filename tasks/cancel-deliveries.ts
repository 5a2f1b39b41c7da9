import { type } from 'arktype'
import { cancelOpenDeliveries } from '../src/commands/deliveries.ts'
import { task } from '../src/workers/task.ts'

/** Asked for whenever an endpoint is disabled or deleted. Of one that is enabled by now it cancels nothing. */
export const cancelDeliveries = task(type({ endpointId: 'string.uuid' }), async (world, { endpointId }, { signal }) => {
  await cancelOpenDeliveries(world, endpointId, { cause: 'cancel-deliveries', signal })
})
