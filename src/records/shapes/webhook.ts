import { type } from 'arktype'
import { example, exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { count, idOf, time, timeOrNull, uuid } from '../../fields/wire.ts'
import { lazy } from '../../lazy.ts'
import { eventTypes, testEventType } from '../../resources.ts'
import { attemptOutcomes } from '../attempt-outcomes.ts'

const endpointType = lazy(() =>
  type({
    object: "'webhook_endpoint'",
    id: idOf('whe'),
    merchantId: idOf('mer'),
    url: 'string',
    description: 'string | null',
    eventTypes: type.enumerated(...eventTypes).array(),
    status: "'enabled' | 'disabled'",
    disabledReason: "'by_merchant' | 'no_success' | 'gone' | null",
    livemode: 'boolean',
    createdAt: time(),
    updatedAt: time(),
  }),
)

const endpoint = {
  object: 'webhook_endpoint',
  id: exampleId('webhook_endpoint'),
  merchantId: exampleId('merchant'),
  url: 'https://lamps.shop/webhooks',
  description: 'The shop',
  eventTypes: ['payment.succeeded', 'refund.processed'],
  status: 'enabled',
  disabledReason: null,
  livemode: false,
  createdAt: example.at,
  updatedAt: example.at,
}

export const webhookEndpointShape = shape({ name: 'WebhookEndpoint', type: endpointType, example: endpoint })

/** In the response to a creation or rotation, which is the only one with the secret. */
export const newWebhookEndpointShape = shape({
  name: 'WebhookEndpointWithSecret',
  type: () => endpointType().merge({ signingSecret: 'string' }),
  example: { ...endpoint, signingSecret: 'whsec_…' },
})

export const webhookDeliveryShape = shape({
  name: 'WebhookDelivery',
  type: () =>
    type({
      object: "'webhook_delivery'",
      id: idOf('whd'),
      eventId: uuid(),
      eventType: type.enumerated(...eventTypes, testEventType),
      endpointId: idOf('whe'),
      status: "'pending' | 'delivered' | 'failed' | 'canceled'",
      nextAttemptAt: timeOrNull(),
      attempts: type({
        number: count(),
        trigger: "'automatic' | 'manual'",
        startedAt: time(),
        durationMs: count().or('null'),
        outcome: type.enumerated(...Object.keys(attemptOutcomes), null),
        httpStatus: count().or('null'),
        responseSnippet: 'string | null',
      }).array(),
      livemode: 'boolean',
      createdAt: time(),
      updatedAt: time(),
    }),
  example: {
    object: 'webhook_delivery',
    id: exampleId('delivery'),
    eventId: exampleId('event'),
    eventType: 'payment.succeeded',
    endpointId: exampleId('webhook_endpoint'),
    status: 'delivered',
    nextAttemptAt: null,
    attempts: [
      {
        number: 1,
        trigger: 'automatic',
        startedAt: example.at,
        durationMs: 84,
        outcome: 'delivered',
        httpStatus: 200,
        responseSnippet: 'ok',
      },
    ],
    livemode: false,
    createdAt: example.at,
    updatedAt: example.at,
  },
})

export const webhookRecoveryShape = shape({
  name: 'WebhookRecovery',
  type: () => type({ object: "'webhook_recovery'", endpointId: idOf('whe'), since: time(), deliveries: count() }),
  example: { object: 'webhook_recovery', endpointId: exampleId('webhook_endpoint'), since: example.at, deliveries: 12 },
})
