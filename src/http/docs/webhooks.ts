import { attemptOutcomes } from '../../records/attempt-outcomes.ts'
import { listShape } from '../../records/shapes/shape.ts'
import {
  newWebhookEndpointShape,
  webhookDeliveryShape,
  webhookEndpointShape,
  webhookRecoveryShape,
} from '../../records/shapes/webhook.ts'
import type { Docs } from '../openapi/docs.ts'

const outcomes = Object.entries(attemptOutcomes)
  .map(([outcome, meaning]) => `- \`${outcome}\`: ${meaning}.`)
  .join('\n')

export const listWebhookEndpoints: Docs = {
  operation: 'listWebhookEndpoints',
  summary: 'List webhook endpoints',
  answers: { 200: listShape(webhookEndpointShape) },
}

export const createWebhookEndpoint: Docs = {
  operation: 'createWebhookEndpoint',
  summary: 'Add a webhook endpoint',
  description:
    'It is told of every event of these types from now on; types are named one by one. A request has 20 KiB at most, and of its answer 16 KiB are read. The signing secret is shown this once. A merchant has 50 endpoints in each mode at most.',
  answers: { 201: newWebhookEndpointShape },
  refusals: ['state_conflict'],
  example: {
    url: 'https://lamps.shop/webhooks',
    eventTypes: ['payment.succeeded', 'refund.processed'],
    livemode: false,
  },
}

export const getWebhookEndpoint: Docs = {
  operation: 'getWebhookEndpoint',
  summary: 'Read a webhook endpoint',
  answers: { 200: webhookEndpointShape },
}

export const updateWebhookEndpoint: Docs = {
  operation: 'updateWebhookEndpoint',
  summary: 'Change a webhook endpoint',
  description:
    'What is not sent stays as it is. `status: disabled` ends what it is told, and cancels what is on its way to it; `status: enabled` does what `enable` does. Other types count for the events from now on; another URL for every attempt from now on.',
  answers: { 200: webhookEndpointShape },
  refusals: ['state_conflict'],
  example: { eventTypes: ['payment.succeeded', 'payment.late'] },
}

export const deleteWebhookEndpoint: Docs = {
  operation: 'deleteWebhookEndpoint',
  summary: 'Delete a webhook endpoint',
  description: 'For good. What is on its way to it is canceled; its deliveries can still be read by their ids.',
  answers: { 204: null },
}

export const enableWebhookEndpoint: Docs = {
  operation: 'enableWebhookEndpoint',
  summary: 'Enable a webhook endpoint',
  description:
    'It is told of events from now on. What it has missed is recovered where it was canceled, and otherwise read by `GET /v1/events`. Refused with 409 for the moment in which its former deliveries are still being canceled.',
  answers: { 200: webhookEndpointShape },
  refusals: ['state_conflict'],
}

export const rotateWebhookSecret: Docs = {
  operation: 'rotateWebhookSecret',
  summary: 'Give a webhook endpoint another signing secret',
  description:
    'The new secret is shown this once. Until the overlap is over every request carries a signature of each; while it lasts, another rotation takes `overlapHours: 0`, which ends both old ones at once.',
  answers: { 200: newWebhookEndpointShape },
  refusals: ['state_conflict'],
  example: { overlapHours: 24 },
}

export const testWebhookEndpoint: Docs = {
  operation: 'testWebhookEndpoint',
  summary: 'Send a test event to a webhook endpoint',
  description:
    'Makes an event of the type `webhook_endpoint.test`, about the endpoint, that goes to it alone, whatever types it lists. Answers with its delivery, to look at what becomes of it.',
  answers: { 201: webhookDeliveryShape },
  refusals: ['state_conflict'],
}

export const listWebhookDeliveries: Docs = {
  operation: 'listWebhookDeliveries',
  summary: 'List the deliveries to a webhook endpoint',
  description: 'Each with its latest attempts, 50 at most.',
  answers: { 200: listShape(webhookDeliveryShape) },
}

export const recoverWebhookDeliveries: Docs = {
  operation: 'recoverWebhookDeliveries',
  summary: 'Send again what a webhook endpoint has not got',
  description:
    'Every delivery that has failed or was canceled, of events since then, one attempt each. 30 days back at most.',
  answers: { 200: webhookRecoveryShape },
  refusals: ['state_conflict'],
  example: { since: '2026-11-20T12:00:00.000Z' },
}

export const getWebhookDelivery: Docs = {
  operation: 'getWebhookDelivery',
  summary: 'Read a delivery',
  description: `With its latest attempts, 50 at most. An attempt that is under way has no outcome yet; the others have one of these:\n\n${outcomes}`,
  answers: { 200: webhookDeliveryShape },
}

export const redeliverWebhookDelivery: Docs = {
  operation: 'redeliverWebhookDelivery',
  summary: 'Send a delivery again',
  description:
    'One attempt, at once, also of what was delivered; it takes nothing from the automatic ones. Refused while an attempt is under way, and while its endpoint is disabled.',
  answers: { 200: webhookDeliveryShape },
  refusals: ['state_conflict'],
}
