/** All event types. An endpoint receives only the types that it lists. */
export const eventTypes = [
  'payment.succeeded',
  'payment.failed',
  'payment.canceled',
  'refund.processed',
  'dispute.opened',
  'dispute.resolved',

  'payment.created',
  'payment.processing',
  'payment.underpaid',
  'payment.expired',
  'payment.late',
  'refund.failed',
  'refund.canceled',
] as const

/** Sent on request to one endpoint. Endpoints cannot list it. */
export const testEventType = 'webhook_endpoint.test'
