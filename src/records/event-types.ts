/** Everything that the outside can be told. The seed's six first; the others go only where somebody lists them. */
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

/** Asked for by hand, for one endpoint. Nobody subscribes to it. */
export const testEventType = 'webhook_endpoint.test'
