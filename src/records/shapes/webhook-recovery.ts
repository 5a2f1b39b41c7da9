import { type } from 'arktype'
import { example, exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { count, idOf, time } from '../../fields/wire.ts'

export const webhookRecoveryShape = shape({
  name: 'WebhookRecovery',
  type: () => type({ object: "'webhook_recovery'", endpointId: idOf('whe'), since: time(), deliveries: count() }),
  inside: {
    endpointId: 'Webhook endpoint that the deliveries are sent to.',
    since:
      'Start of the period: deliveries of events from this time on are sent again. At most 30 days ago. ISO 8601 in UTC.',
    deliveries: 'Number of deliveries that will be sent again.',
  },
  example: { object: 'webhook_recovery', endpointId: exampleId('webhook_endpoint'), since: example.at, deliveries: 12 },
})
