import { encodeId } from '../ids.ts'
import type { WebhookEndpointRow } from '../queries/webhook-endpoints.ts'

/** `signingSecret`: only in the response to the request that created it. */
export const webhookEndpointRecord = (row: WebhookEndpointRow, signingSecret?: string) => ({
  object: 'webhook_endpoint',
  id: encodeId('whe', row.id),
  merchantId: encodeId('mer', row.merchant_id),
  url: row.url,
  description: row.description,
  eventTypes: row.event_types,
  status: row.state,
  disabledReason: row.disabled_reason,
  ...(signingSecret !== undefined && { signingSecret }),
  livemode: row.livemode,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
