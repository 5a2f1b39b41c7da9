import { type Type, type } from 'arktype'
import type { Delivery } from '../../machines/delivery.ts'
import type { Actor } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, textOrNull, time, timeOrNull, uuid } from '../fields/wire.ts'
import { lazy } from '../lazy.ts'
import type { DeliveryAttempt } from '../queries/deliveries.ts'
import { eventTypes, testEventType } from '../resources.ts'
import { attemptOutcomes } from './attempt-outcomes.ts'

const attempt = groupOf<DeliveryAttempt>()({
  number: {
    type: count,
    about: 'Number of the attempt, starting at 1. Manual attempts are counted too.',
    example: 1,
    of: ({ number }) => number,
  },
  trigger: {
    type: () => type("'automatic' | 'manual'"),
    about: '`automatic`: by schedule. `manual`: requested by a member.',
    example: 'automatic',
    of: ({ trigger }) => trigger,
  },
  startedAt: {
    type: time,
    about: 'Time at which the attempt was started, shortly before the first byte was sent.',
    example: example.at,
    of: ({ startedAt }) => startedAt.toISOString(),
  },
  durationMs: {
    type: () => count().or('null'),
    about: 'Duration in milliseconds. Null while the attempt is in progress, and if the result is not known.',
    example: 84,
    of: ({ durationMs }) => durationMs,
  },
  outcome: {
    type: (): Type<string | null> => type.enumerated(...Object.keys(attemptOutcomes), null),
    about: 'Result of the attempt. Null while it is in progress.',
    example: 'delivered',
    of: ({ outcome }) => outcome,
  },
  httpStatus: {
    type: () => count().or('null'),
    about: 'HTTP status of the response. Null if there was none.',
    example: 200,
    of: ({ httpStatus }) => httpStatus,
  },
  responseSnippet: {
    type: textOrNull,
    about: 'Up to 1,000 characters of the response body. Null if there was none.',
    example: 'ok',
    of: ({ responseSnippet }) => responseSnippet,
  },
})

export const deliveryStatus = lazy(() => type("'pending' | 'delivered' | 'failed' | 'canceled'"))

export const deliveryRecord = recordOf<Actor<Delivery>, readonly DeliveryAttempt[]>()('WebhookDelivery', {
  object: constantField('webhook_delivery'),
  id: idField('delivery', delivery => delivery.id),
  eventId: {
    type: uuid,
    about: 'Event that is delivered.',
    example: exampleId('event'),
    of: ({ context }) => context.eventId,
  },
  eventType: {
    type: (): Type<string> => type.enumerated(...eventTypes, testEventType),
    about: 'Type of the event.',
    example: 'payment.succeeded',
    of: ({ context }) => context.eventType,
  },
  endpointId: {
    ...idField('webhook_endpoint', ({ context }: Actor<Delivery>) => context.endpointId),
    about: 'Webhook endpoint.',
  },
  status: {
    type: (): Type<string> => deliveryStatus(),
    about:
      '`pending`: waiting for an attempt, or an attempt is in progress. `delivered`: the endpoint answered with 2xx. `failed`: five automatic attempts failed, or one ended the delivery: a redirect, an address that is not allowed, or an event of more than 20 KiB. `canceled`: the endpoint was disabled or deleted.',
    example: 'delivered',
    // The API has no status for an attempt in progress.
    of: ({ state }) => (state === 'sending' ? 'pending' : state),
  },
  nextAttemptAt: {
    type: timeOrNull,
    about: 'Time of the next attempt. Null while an attempt is in progress, and if no further attempt is planned.',
    example: null,
    of: ({ context }) => context.nextAttemptAt?.toISOString() ?? null,
  },
  attempts: {
    inside: attempt.inside,
    type: () => attempt.type().array(),
    about: 'Attempts so far, including one that is in progress. At most the latest 50.',
    example: [attempt.example],
    of: (_, attempts) => attempts.map(each => attempt.render(each)),
  },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})
