import { type Type, type } from 'arktype'
import type { Delivery } from '../../machines/delivery.ts'
import type { Actor } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { count, textOrNull, texts, time, timeOrNull, uuid } from '../fields/wire.ts'
import { lazy } from '../lazy.ts'
import type { DeliveryAttempt } from '../queries/deliveries.ts'
import { eventTypes, testEventType } from '../resources.ts'
import { COMMON_HEADERS } from '../webhooks/request-headers.ts'
import { headersWith } from '../webhooks/signature.ts'
import { attemptOutcomes } from './attempt-outcomes.ts'

const headersOrNull = lazy(() => texts().or('null'))

/** As src/webhooks sends them. */
const requestHeadersOf = (eventId: string, signedS: number): Readonly<Record<string, string>> => ({
  ...COMMON_HEADERS,
  ...headersWith({ id: eventId, seconds: signedS, ours: 'v1=…', standard: 'v1,…' }),
})

const attempt = groupOf<DeliveryAttempt & { readonly eventId: string }>()({
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
    about:
      'Up to 1,000 characters of the response body. Null if there was none, and once it is older than the server keeps it (30 days by default).',
    example: 'ok',
    of: ({ responseSnippet }) => responseSnippet,
  },
  requestHeaders: {
    type: headersOrNull,
    about:
      'Headers of the request, without the values of the signatures and without `Host` and `Content-Length`. Null if no request was sent, and while the attempt is in progress.',
    example: {
      'Content-Type': 'application/json',
      'User-Agent': 'paymachine',
      'Service-Signature': 't=1795176000,v1=…',
      'webhook-id': exampleId('event'),
      'webhook-timestamp': '1795176000',
      'webhook-signature': 'v1,…',
    },
    of: ({ eventId, signedS }) => (signedS === null ? null : requestHeadersOf(eventId, signedS)),
  },
  responseHeaders: {
    type: headersOrNull,
    about:
      'Up to 20 headers of the response, each with up to 200 characters, without cookies. Null if there was no response, and once the body is dropped.',
    example: { 'content-type': 'text/plain', 'content-length': '2' },
    of: ({ responseHeaders }) => responseHeaders,
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
    of: ({ context: { eventId } }, attempts) => attempts.map(each => attempt.render({ ...each, eventId })),
  },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})
