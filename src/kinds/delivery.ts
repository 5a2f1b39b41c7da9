import { type Delivery, deliveryMachine } from '../../machines/delivery.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'

export const deliveryKind: Kind<Delivery> = {
  name: 'delivery',
  table: resources.delivery.table,
  machine: deliveryMachine,
  // Claims take rows of this version only: whoever raises it brings what is pending along in a migration.
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
  // A delivery is created with its event and as old as that; `delivery_attempts` has when each attempt started.
  unrecorded: ['create', 'attempt_started'],
  history: ['attempts', 'automaticAttempts', 'trigger', 'nextAttemptAt'],
  effects: {
    // Always at once, never at the planned time: the job of an endpoint is one job, and a retry due in
    // two hours would take the next event's wake-up along. What is planned, the sender finds by itself.
    wakeSender: ({ context: { endpointId } }) => ({
      task: 'send-webhooks',
      payload: { endpointIds: [endpointId] },
      key: `send-webhooks:${endpointId}`,
    }),
    judgeEndpoint: ({ context: { endpointId } }) => ({
      task: 'judge-endpoint',
      payload: { endpointId },
      key: `judge-endpoint:${endpointId}`,
    }),
  },
  refusals: { deliveries_event_once: 'exists' },
}
