import { listShape } from '../../fields/shape.ts'
import { attemptOutcomes } from '../../records/attempt-outcomes.ts'
import { deliveryRecord } from '../../records/delivery.ts'
import { inboxRequestRecord } from '../../records/inbox-request.ts'
import { inboxReceiptShape } from '../../records/shapes/inbox-receipt.ts'
import { webhookRecoveryShape } from '../../records/shapes/webhook-recovery.ts'
import { newWebhookEndpointRecord, webhookEndpointRecord } from '../../records/webhook-endpoint.ts'
import type { Docs } from './docs.ts'

const outcomes = Object.entries(attemptOutcomes)
  .map(([outcome, meaning]) => `- \`${outcome}\`: ${meaning}.`)
  .join('\n')

export const listWebhookEndpointsDocs: Docs = {
  operation: 'listWebhookEndpoints',
  summary: 'List webhook endpoints',
  answers: { 200: listShape(webhookEndpointRecord) },
}

export const createWebhookEndpointDocs: Docs = {
  operation: 'createWebhookEndpoint',
  summary: 'Create a webhook endpoint',
  description:
    'The endpoint receives all events of the listed types from now on; there is no wildcard for types. The signing secret is shown only in this response. The body of a request is at most 20 KiB; at most 16 KiB of the response are read. A merchant can have 50 endpoints in each mode.\n\nWith `inbox: true` the endpoint is an inbox: this server keeps the latest 100 requests, so that you can look at webhooks before you have a receiver. A merchant has at most one, in test mode. Its deliveries do not leave the server: they arrive whatever network or proxy it is behind, and no other address of the server can be reached by a delivery.',
  answers: { 201: newWebhookEndpointRecord },
  refusals: ['state_conflict', 'sandbox_only'],
  fields: {
    url: 'URL that receives the events. Required, except for an inbox, which must have none. It must use https and lead to a public address; the operator of the server can allow other addresses for test mode.',
    inbox: 'Whether to create an inbox. Default: false.',
  },
  example: {
    url: 'https://lamps.shop/webhooks',
    eventTypes: ['payment.succeeded', 'refund.processed'],
    livemode: false,
  },
}

export const getWebhookEndpointDocs: Docs = {
  operation: 'getWebhookEndpoint',
  summary: 'Retrieve a webhook endpoint',
  answers: { 200: webhookEndpointRecord },
}

export const listInboxRequestsDocs: Docs = {
  operation: 'listInboxRequests',
  summary: 'List the requests to an inbox',
  description: 'The latest 100 requests, newest first. Returns 404 if the endpoint is not an inbox.',
  answers: { 200: listShape(inboxRequestRecord) },
}

export const receiveInboxRequestDocs: Docs = {
  operation: 'receiveInboxRequest',
  summary: 'Send a request to an inbox',
  description:
    'The URL of an inbox. Requests that are not deliveries are kept too, with `signatureValid` false unless they are signed with the secret of the endpoint. The body is at most 64 KiB of `application/json`.',
  answers: { 200: inboxReceiptShape },
  refusals: ['resource_not_found', 'route_not_found'],
  example: { id: '…', type: 'payment.succeeded' },
}

export const updateWebhookEndpointDocs: Docs = {
  operation: 'updateWebhookEndpoint',
  summary: 'Update a webhook endpoint',
  description:
    'Fields that are not sent do not change. `status: disabled` stops the delivery of events and cancels open deliveries. `status: enabled` has the same effect as `enable`. New event types apply to events from now on. A new URL applies to all attempts from now on.',
  answers: { 200: webhookEndpointRecord },
  refusals: ['state_conflict'],
  fields: { status: '`enabled` or `disabled`.' },
  example: { eventTypes: ['payment.succeeded', 'payment.late'] },
}

export const deleteWebhookEndpointDocs: Docs = {
  operation: 'deleteWebhookEndpoint',
  summary: 'Delete a webhook endpoint',
  description: 'This cannot be undone. Open deliveries are canceled. Deliveries can still be retrieved by ID.',
  answers: { 204: null },
}

export const enableWebhookEndpointDocs: Docs = {
  operation: 'enableWebhookEndpoint',
  summary: 'Enable a webhook endpoint',
  description:
    'The endpoint receives events from now on. To send canceled deliveries again, use `recover`. Events that occurred while it was disabled have no delivery; read them with `GET /v1/events`. Returns 409 as long as open deliveries are still being canceled.',
  answers: { 200: webhookEndpointRecord },
  refusals: ['state_conflict'],
}

export const rotateWebhookSecretDocs: Docs = {
  operation: 'rotateWebhookSecret',
  summary: 'Rotate the signing secret',
  description:
    'The new secret is shown only in this response. During the overlap every request has two signatures, one with each secret. Another rotation during the overlap requires `overlapHours: 0`, which ends both old secrets immediately.',
  answers: { 200: newWebhookEndpointRecord },
  refusals: ['state_conflict'],
  fields: {
    overlapHours:
      'Number of hours for which requests are also signed with the old secret: 0 to 168. Default: 24. With 0 the old secret is not used any more.',
  },
  example: { overlapHours: 24 },
}

export const testWebhookEndpointDocs: Docs = {
  operation: 'testWebhookEndpoint',
  summary: 'Send a test event to a webhook endpoint',
  description:
    'Creates an event of the type `webhook_endpoint.test` with the endpoint as its object. It is sent only to this endpoint, whether or not the endpoint lists the type. The response is its delivery; retrieve it again to see the result.',
  answers: { 201: deliveryRecord },
  refusals: ['state_conflict'],
}

export const listWebhookDeliveriesDocs: Docs = {
  operation: 'listWebhookDeliveries',
  summary: 'List deliveries of a webhook endpoint',
  description: 'Each delivery has its latest attempts, at most 50.',
  answers: { 200: listShape(deliveryRecord) },
}

export const listAllWebhookDeliveriesDocs: Docs = {
  operation: 'listAllWebhookDeliveries',
  summary: 'List deliveries',
  description:
    'Deliveries to all webhook endpoints. Those to endpoints that have been deleted are listed only with `endpointId` or `eventId`. Each delivery has its latest attempts, at most 50.',
  answers: { 200: listShape(deliveryRecord) },
}

export const recoverWebhookDeliveriesDocs: Docs = {
  operation: 'recoverWebhookDeliveries',
  summary: 'Recover missed deliveries',
  description:
    'Makes one attempt for every failed or canceled delivery of events since the given time. At most 30 days back.',
  answers: { 200: webhookRecoveryShape },
  refusals: ['state_conflict'],
  example: { since: '2026-11-20T12:00:00.000Z' },
}

export const getWebhookDeliveryDocs: Docs = {
  operation: 'getWebhookDelivery',
  summary: 'Retrieve a delivery',
  description: `Includes the latest attempts, at most 50. The \`outcome\` of an attempt is null while it is in progress, then one of these:\n\n${outcomes}`,
  answers: { 200: deliveryRecord },
}

export const redeliverWebhookDeliveryDocs: Docs = {
  operation: 'redeliverWebhookDelivery',
  summary: 'Resend a delivery',
  description:
    'Makes one attempt immediately, even if the event was already delivered. It does not count as one of the five automatic attempts. Returns 409 while an attempt is in progress, and while the endpoint is disabled.',
  answers: { 200: deliveryRecord },
  refusals: ['state_conflict'],
}
