import { type } from 'arktype'
import { recoverDeliveries } from '../src/commands/deliveries.ts'
import { task } from '../src/workers/task.ts'

const payload = type({
  endpointId: 'string.uuid',
  recoveryId: 'string.uuid',
  since: 'string.date.parse',
  cause: 'string',
})

/** Sends failed deliveries of an endpoint again, in batches, as long as the endpoint is enabled. */
export const recoverDeliveriesTask = task(payload, (services, recovery, { signal }) =>
  recoverDeliveries(services, recovery, signal),
)
