import { type } from 'arktype'
import { recoverDeliveries } from '../src/commands/deliveries.ts'
import { task } from '../src/workers/task.ts'

const payload = type({
  endpointId: 'string.uuid',
  recoveryId: 'string.uuid',
  since: 'string.date.parse',
  cause: 'string',
})

/** Sends again what an endpoint has not got, in batches, for as long as it is enabled. */
export const recoverDeliveriesTask = task(payload, (world, recovery, { signal }) =>
  recoverDeliveries(world, recovery, signal),
)
