import { type Delivery, deliveryMachine } from '../../machines/delivery.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'

export const deliveryKind: Kind<Delivery> = {
  name: 'delivery',
  table: resources.delivery.table,
  machine: deliveryMachine,
  // Claims take rows of this version only. A change of the version needs a migration of pending rows.
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    eventId: 'uuid',
    eventType: 'text',
    endpointId: 'uuid',
    attempts: 'integer',
    automaticAttempts: 'integer',
    trigger: 'text',
    nextAttemptAt: 'time',
    resumeAt: 'time',
    sendingSince: 'time',
    cancelRequested: 'boolean',
    deliveredAt: 'time',
  },
  // A delivery is created together with its event, and `delivery_attempts` has the start of each attempt.
  unrecorded: ['create', 'attempt_started'],
  history: ['attempts', 'automaticAttempts', 'trigger', 'nextAttemptAt'],
  effects: {
    // Without `runAt`: an endpoint has one job, and a job for a retry in two hours would delay the wake-up for the next
    // event. The sender finds scheduled retries itself.
    wakeSender: ({ context: { endpointId } }) => ({
      task: 'send-webhooks',
      payload: { endpointIds: [endpointId] },
      key: `send-webhooks:${endpointId}`,
    }),
    checkEndpoint: ({ context: { endpointId } }) => ({
      task: 'disable-failing-endpoint',
      payload: { endpointId },
      key: `disable-failing-endpoint:${endpointId}`,
    }),
  },
  refusals: { deliveries_event_once: 'exists' },
}
