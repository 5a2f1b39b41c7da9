import { type } from 'arktype'
import { cancelOpenDeliveries } from '../src/commands/deliveries.ts'
import { task } from '../src/workers/task.ts'

/** Runs after an endpoint was disabled or deleted. Does nothing if the endpoint has been enabled again. */
export const cancelDeliveries = task(
  type({ endpointId: 'string.uuid' }),
  async (services, { endpointId }, { signal }) => {
    await cancelOpenDeliveries(services, endpointId, { cause: 'cancel-deliveries', signal })
  },
)
