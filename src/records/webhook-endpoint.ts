import { type } from 'arktype'
import { constantField, idField, rowFields } from '../fields/every-record.ts'
import { recordOf } from '../fields/record.ts'
import { text, textOrNull } from '../fields/wire.ts'
import type { WebhookEndpointRow } from '../queries/webhook-endpoints.ts'
import { eventTypes } from '../resources.ts'

export const webhookEndpointRecord = recordOf<WebhookEndpointRow>()('WebhookEndpoint', {
  object: constantField('webhook_endpoint'),
  id: idField('webhook_endpoint', row => row.id),
  merchantId: rowFields.merchantId,
  url: {
    type: text,
    about:
      'URL that receives the events. It must use https and lead to a public address; the operator of the server can allow other addresses for test mode.',
    example: 'https://lamps.shop/webhooks',
    of: row => row.url,
  },
  description: {
    type: textOrNull,
    about: 'Your own description of the endpoint, shown to members only. Null if there is none.',
    example: 'The shop',
    of: row => row.description,
  },
  eventTypes: {
    type: () => type.enumerated(...eventTypes).array(),
    about: 'Types of the events that are sent to the endpoint. There is no wildcard.',
    example: ['payment.succeeded', 'refund.processed'],
    of: row => [...row.event_types],
  },
  status: {
    type: () => type("'enabled' | 'disabled'"),
    about: '`enabled`: events are delivered. `disabled`: no events are delivered, see `disabledReason`.',
    example: 'enabled',
    of: row => row.state,
  },
  disabledReason: {
    type: () => type("'by_merchant' | 'no_success' | 'gone' | null"),
    about:
      'Why the endpoint is disabled: `by_merchant`; `no_success` (no 2xx response for 72 hours, and ten failed deliveries); or `gone` (the last attempt of a delivery got status 410). Null if it is enabled.',
    example: null,
    of: row => row.disabled_reason,
  },
  inbox: {
    type: () => type('boolean'),
    about:
      'Whether the endpoint is the inbox of the merchant: in test mode, this server keeps the latest requests to it. See `GET …/inbox`.',
    example: false,
    of: row => row.is_inbox,
  },
  livemode: rowFields.livemode,
  createdAt: rowFields.createdAt,
  updatedAt: rowFields.updatedAt,
})

/** In the response to a creation or rotation, which is the only one with the secret. */
export const newWebhookEndpointRecord = recordOf<WebhookEndpointRow, { readonly secret: string }>()(
  'WebhookEndpointWithSecret',
  {
    ...webhookEndpointRecord.fields,
    signingSecret: {
      type: text,
      about: 'Secret that signs the requests to the endpoint. It is shown only in this response.',
      example: 'whsec_…',
      of: (_, { secret }) => secret,
    },
  },
)
