import { type } from 'arktype'
import { encodeId } from '../src/ids.ts'
import { disableEndpoint, findFailingEndpoint } from '../src/queries/failing-endpoints.ts'
import { task } from '../src/workers/task.ts'

const payload = type({ endpointId: 'string.uuid', 'deliveryId?': 'string.uuid' })

/** Runs after a delivery has failed for good. Disables the endpoint if it no longer works. */
export const disableFailingEndpoint = task(payload, async ({ sql, clock, log }, { endpointId, deliveryId }) => {
  const failing = await findFailingEndpoint(sql, endpointId, { deliveryId, at: clock.now() })
  if (!failing) return
  const { reason } = failing
  if (await disableEndpoint(sql, failing, { endpointId: encodeId('whe', endpointId), reason }))
    log.info({ endpoint: endpointId, reason }, 'webhook endpoint disabled')
})
