import type { Delivery } from '../../machines/delivery.ts'
import type { Actor } from '../actors/kind.ts'
import { encodeId } from '../ids.ts'
import type { DeliveryAttempt } from '../queries/deliveries.ts'

export const deliveryRecord = (delivery: Actor<Delivery>, attempts: readonly DeliveryAttempt[]) => {
  const { id, state, context, createdAt, updatedAt } = delivery
  return {
    object: 'webhook_delivery',
    id: encodeId('whd', id),
    eventId: context.eventId,
    eventType: context.eventType,
    endpointId: encodeId('whe', context.endpointId),
    // The API has no status for an attempt in progress.
    status: state === 'sending' ? 'pending' : state,
    nextAttemptAt: context.nextAttemptAt?.toISOString() ?? null,
    attempts: attempts.map(({ number, trigger, startedAt, durationMs, outcome, httpStatus, responseSnippet }) => ({
      number,
      trigger,
      startedAt: startedAt.toISOString(),
      durationMs,
      outcome,
      httpStatus,
      responseSnippet,
    })),
    livemode: context.livemode,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
