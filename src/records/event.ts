import { type Type, type } from 'arktype'
import { constantField } from '../fields/every-record.ts'
import { exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, flag, uuid, version } from '../fields/wire.ts'
import { publishedRecords } from '../kinds/all.ts'
import { paymentRecord } from '../kinds/payment-record.ts'
import type { EventRow } from '../queries/events.ts'
import { eventTypes, testEventType } from '../resources.ts'
import { webhookEndpointRecord } from './webhook-endpoint.ts'

/** What an event may be about. */
const objects = [...publishedRecords, webhookEndpointRecord]

const data = groupOf<EventRow>()({
  object: {
    type: (): Type<unknown> => type.or(...objects.map(each => each.type())),
    about: 'The object as it was at the time of the event.',
    example: paymentRecord.example,
    of: ({ object }) => object,
  },
})

/** The body of a webhook delivery: exactly these fields. */
const body = groupOf<EventRow>()({
  id: {
    type: uuid,
    about:
      'Unique identifier, a UUID. It is the same in every delivery: use it to ignore events that you have already processed.',
    example: exampleId('event'),
    of: ({ id }) => id,
  },
  type: {
    type: (): Type<string> => type.enumerated(...eventTypes, testEventType),
    about: 'Type of the event.',
    example: 'payment.succeeded',
    of: event => event.type,
  },
  created: {
    type: count,
    about: 'Time of the event, in seconds since 1 January 1970 UTC (Unix time).',
    example: 1795176190,
    of: ({ createdAt }) => Math.floor(createdAt.getTime() / 1_000),
  },
  livemode: { type: flag, example: false, of: ({ livemode }) => livemode },
  api_version: {
    type: version,
    about: 'API version in which the event was rendered. It never changes.',
    example: '2026-11-20',
    of: ({ apiVersion }) => apiVersion,
  },
  data: { ...data, about: 'Data of the event.', of: data.render },
})

export const eventBody = body.render

/** An event in a list. */
export const eventRecord = recordOf<EventRow>()(
  'Event',
  {
    object: {
      ...constantField('event'),
      about: '`event`. This field is not part of the body of a webhook delivery.',
    },
    ...body.fields,
  },
  objects,
)
