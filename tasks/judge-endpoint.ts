import { type } from 'arktype'
import { encodeId } from '../src/ids.ts'
import { disableEndpoint, judgeEndpoint } from '../src/queries/judging.ts'
import { task } from '../src/workers/task.ts'

const payload = type({ endpointId: 'string.uuid', 'deliveryId?': 'string.uuid' })

/** Asked for whenever a delivery is given up: its endpoint may be one that nobody is behind any more. */
export const judgeEndpointTask = task(payload, async ({ sql, clock, log }, { endpointId, deliveryId }) => {
  const judged = await judgeEndpoint(sql, endpointId, { deliveryId, at: clock.now() })
  if (!judged) return
  const { reason } = judged
  if (await disableEndpoint(sql, judged, { endpointId: encodeId('whe', endpointId), reason }))
    log.info({ endpoint: endpointId, reason }, 'webhook endpoint disabled')
})
