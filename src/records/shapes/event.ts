import { type } from 'arktype'
import { eventTypes, testEventType } from '../../resources.ts'
import { disputeShape } from './dispute.ts'
import { paymentShape } from './payment.ts'
import { refundShape } from './refund.ts'
import { shape } from './shape.ts'
import { webhookEndpointShape } from './webhook.ts'
import { count, exampleId, uuid, version } from './wire.ts'

const parts = [paymentShape, refundShape, disputeShape, webhookEndpointShape]

export const eventShape = shape({
  name: 'Event',
  type: () =>
    type({
      object: "'event'",
      id: uuid(),
      type: type.enumerated(...eventTypes, testEventType),
      created: count(),
      livemode: 'boolean',
      api_version: version(),
      data: { object: type.or(...parts.map(part => part.type)) },
    }),
  parts,
  example: {
    object: 'event',
    id: exampleId('event'),
    type: 'payment.succeeded',
    created: 1795176190,
    livemode: false,
    api_version: '2026-11-20',
    data: { object: paymentShape.example },
  },
})
