import { type } from 'arktype'
import { exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { count, uuid, version } from '../../fields/wire.ts'
import { publishedRecords } from '../../kinds/all.ts'
import { paymentRecord } from '../../kinds/payment-record.ts'
import { eventTypes, testEventType } from '../../resources.ts'
import { webhookEndpointShape } from './webhook.ts'

const parts = [...publishedRecords, webhookEndpointShape]

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
      data: { object: type.or(...parts.map(part => part.type())) },
    }),
  parts,
  example: {
    object: 'event',
    id: exampleId('event'),
    type: 'payment.succeeded',
    created: 1795176190,
    livemode: false,
    api_version: '2026-11-20',
    data: { object: paymentRecord.example },
  },
})
