import { type DeliveryEvent, type DeliveryOpening, deliveryMachine } from '../../machines/delivery.ts'
import { type Cases, minutes, T0 } from './table.ts'

export const deliveryOpening: DeliveryOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  eventId: '0193a000-0000-7000-8000-000000000004',
  eventType: 'payment.succeeded',
  endpointId: '0193a000-0000-7000-8000-000000000005',
}

const outcome = (type: DeliveryEvent['type'], attempt: number, more: object = {}) => ({
  type,
  at: T0,
  attempt,
  jitter: 0,
  retryAfterSeconds: null,
  ...more,
})
const again = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `start later, ${from + index} fails`).join(', ')

/** Every event except a later start happens at T0, which is early for every retry. */
export const deliveries: Cases = {
  machine: deliveryMachine,
  input: deliveryOpening,
  events: {
    start: { type: 'attempt_started' },
    'start later': { type: 'attempt_started', at: minutes(180) },
    '1 succeeds': outcome('attempt_succeeded', 1),
    '2 succeeds': outcome('attempt_succeeded', 2),
    '1 fails': outcome('attempt_failed', 1),
    '1 fails with full jitter': outcome('attempt_failed', 1, { jitter: 1 }),
    '1 asks for 7 s': outcome('attempt_failed', 1, { retryAfterSeconds: 7 }),
    '1 asks for a day': outcome('attempt_failed', 1, { retryAfterSeconds: 86_400 }),
    '2 fails': outcome('attempt_failed', 2),
    '3 fails': outcome('attempt_failed', 3),
    '4 fails': outcome('attempt_failed', 4),
    '5 fails': outcome('attempt_failed', 5),
    '6 fails': outcome('attempt_failed', 6),
    '1 lost': outcome('attempt_lost', 1),
    '2 lost in minute 1': outcome('attempt_lost', 2, { at: minutes(1) }),
    '5 lost': outcome('attempt_lost', 5),
    '1 barred': outcome('attempt_failed_permanently', 1),
    '2 barred': outcome('attempt_failed_permanently', 2),
    redeliver: { type: 'redeliver' },
    'redeliver in 2 s': { type: 'redeliver', at: new Date(T0.getTime() + 2_000) },
    cancel: { type: 'cancel' },
  },
  situations: {
    new: '',
    sending: 'start',
    canceling: 'start, cancel',
    delivered: 'start, 1 succeeds',
    canceled: 'cancel',
    waiting: 'start, 1 fails',
    second: 'start, 1 fails, start later',
    third: `start, 1 fails, ${again(2, 2)}, start later`,
    fourth: `start, 1 fails, ${again(2, 3)}, start later`,
    fifth: `start, 1 fails, ${again(2, 4)}, start later`,
    failed: `start, 1 fails, ${again(2, 5)}`,
    barred: 'start, 1 barred',
    // Requested by hand while it waited, and after it had ended.
    hurried: 'start, 1 fails, redeliver',
    'hurried ahead': 'start, 1 fails, redeliver in 2 s',
    'revived ahead': `start, 1 fails, ${again(2, 5)}, redeliver in 2 s`,
    'hurried sending': 'start, 1 fails, redeliver, start',
    'redelivered sending': 'start, 1 succeeds, redeliver, start',
    'redelivered due': 'start, 1 succeeds, redeliver',
    'revived sending': `start, 1 fails, ${again(2, 5)}, redeliver, start`,
    'uncanceled sending': 'cancel, redeliver, start',
  },
  minSteps: 70,
  walk: { minSteps: 1_000 },
  invalidRows: `
    canceled  | state = 'sent'                        | deliveries_state
    new       | trigger = 'whim'                      | deliveries_trigger
    fifth     | attempts = 6, automatic_attempts = 6  | deliveries_five_attempts
    second    | attempts = 1                          | deliveries_five_attempts
    new       | next_attempt_at = null                | deliveries_planned
    delivered | next_attempt_at = now()               | deliveries_planned
    sending   | sending_since = null                  | deliveries_sending
    waiting   | sending_since = now()                 | deliveries_sending
    waiting   | cancel_requested = true               | deliveries_cancel
    waiting   | resume_at = now()                     | deliveries_resume
    canceled  | resume_at = now(), trigger = 'manual' | deliveries_resume
    delivered | delivered_at = null                   | deliveries_attempted
    failed    | delivered_at = now()                  | deliveries_attempted
    failed    | attempts = 0, automatic_attempts = 0  | deliveries_attempted
  `,
  duplicates: `
    new | merchant_id = gen_random_uuid()            | event_id = gen_random_uuid()    | deliveries_event_once
    new | state = 'canceled', next_attempt_at = null | endpoint_id = gen_random_uuid() | deliveries_event_once
  `,
}
