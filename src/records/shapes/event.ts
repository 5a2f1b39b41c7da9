import { type } from 'arktype'
import { disputeShape } from './dispute.ts'
import { paymentShape } from './payment.ts'
import { refundShape } from './refund.ts'
import type { Shape } from './shape.ts'
import { count, example, uuid, version } from './wire.ts'

/** Those of the seed, and those that are delivered to endpoints which list them. */
export const eventType = type.enumerated(
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
)

export const eventShape: Shape = {
  name: 'Event',
  type: type({
    object: "'event'",
    id: uuid,
    type: eventType,
    created: count,
    livemode: 'boolean',
    api_version: version,
    data: { object: type.or(paymentShape.type, refundShape.type, disputeShape.type) },
  }),
  example: {
    object: 'event',
    id: example.eventId,
    type: 'payment.succeeded',
    created: 1795176190,
    livemode: false,
    api_version: '2026-11-20',
    data: { object: paymentShape.example },
  },
}
