import { assertEvent, assign, setup } from 'xstate'

export type DeliveryOpening = {
  merchantId: string
  livemode: boolean
  eventId: string
  eventType: string
  endpointId: string
}

export type Delivery = DeliveryOpening & {
  /** Number of attempts so far, automatic and manual. It is also the number of the latest attempt. */
  attempts: number
  automaticAttempts: number
  /** What triggers the attempt that is next or under way. */
  trigger: 'automatic' | 'manual'
  /** Set in the state `pending` only. */
  nextAttemptAt: Date | null
  /** When the automatic attempt is due that a manual attempt was inserted before. */
  resumeAt: Date | null
  /** Set in the state `sending` only: when the attempt was recorded, before its first byte was sent. */
  sendingSince: Date | null
  /** The endpoint was disabled or deleted while the attempt was under way. */
  cancelRequested: boolean
  deliveredAt: Date | null
}

export type DeliveryEvent = { at: Date } & (
  | { type: 'attempt_started' }
  // `attempt` is the number of the attempt that ended. The outcome of an attempt that is not the latest is refused.
  | { type: 'attempt_succeeded' | 'attempt_failed_permanently'; attempt: number }
  // `jitter` is a random number from 0 to 1.
  | { type: 'attempt_failed'; attempt: number; jitter: number; retryAfterSeconds: number | null }
  | { type: 'attempt_lost'; attempt: number; jitter: number }
  | { type: 'redeliver' | 'cancel' }
)

/** The delay after the first, second … automatic attempt until the next one. */
const RETRY_DELAYS_SECONDS = [5, 60, 720, 7_200]
export const MAX_AUTOMATIC_ATTEMPTS = RETRY_DELAYS_SECONDS.length + 1

const rules = setup({
  types: {
    context: {} as Delivery,
    events: {} as DeliveryEvent,
    input: {} as DeliveryOpening & { at: Date },
  },
  actions: {
    startAttempt: assign(({ context, event }) => ({
      attempts: context.attempts + 1,
      automaticAttempts: context.automaticAttempts + (context.trigger === 'automatic' ? 1 : 0),
      nextAttemptAt: null,
      sendingSince: event.at,
    })),
    endAttempt: assign({ sendingSince: null, cancelRequested: false }),
    recordDelivery: assign({ deliveredAt: ({ event }) => event.at, resumeAt: null }),
    scheduleRetry: assign(({ context, event }) => {
      assertEvent(event, ['attempt_failed', 'attempt_lost'])
      const retryAfter = event.type === 'attempt_failed' ? (event.retryAfterSeconds ?? 0) : 0
      const seconds = retryDelaySeconds(context.automaticAttempts, event.jitter, retryAfter)
      return { nextAttemptAt: new Date(event.at.getTime() + Math.ceil(seconds * 1_000)) }
    }),
    scheduleNow: assign(({ context, event }) => ({
      trigger: 'manual' as const,
      nextAttemptAt: event.at,
      // Two callers with different clocks: the attempt is already manual, and its time is no automatic schedule.
      resumeAt: context.trigger === 'manual' ? context.resumeAt : context.nextAttemptAt,
    })),
    resume: assign(({ context: { resumeAt }, event }) => ({
      trigger: 'automatic' as const,
      nextAttemptAt: resumeAt && resumeAt > event.at ? resumeAt : event.at,
      resumeAt: null,
    })),
    clearSchedule: assign({ nextAttemptAt: null, resumeAt: null }),
    requestCancel: assign({ cancelRequested: true }),
    wakeSender: () => {},
    // This failure may be the one after which the endpoint is disabled.
    checkEndpoint: () => {},
  },
  guards: {
    isDue: ({ context, event }) => context.nextAttemptAt !== null && context.nextAttemptAt <= event.at,
    isWaiting: ({ context, event }) => context.nextAttemptAt !== null && context.nextAttemptAt > event.at,
    isThisAttempt: ({ context, event }) => isThisAttempt(context, event),
    wasDelivered: ({ context }) => context.deliveredAt !== null,
    endsDelivered: ({ context, event }) => isThisAttempt(context, event) && context.deliveredAt !== null,
    endsCanceled: ({ context, event }) => isThisAttempt(context, event) && context.cancelRequested,
    resumes: ({ context, event }) => isThisAttempt(context, event) && context.resumeAt !== null,
    retries: ({ context, event }) =>
      isThisAttempt(context, event) &&
      context.trigger === 'automatic' &&
      context.automaticAttempts < MAX_AUTOMATIC_ATTEMPTS,
    isNotCanceling: ({ context }) => !context.cancelRequested,
  },
})

/** A delivered delivery stays delivered. A failed manual attempt does not use up an automatic one. */
const afterFailure = [
  { guard: 'endsDelivered', target: 'delivered' },
  { guard: 'endsCanceled', target: 'canceled', actions: 'clearSchedule' },
  { guard: 'resumes', target: 'pending', actions: 'resume' },
  { guard: 'retries', target: 'pending', actions: 'scheduleRetry' },
  { guard: 'isThisAttempt', target: 'failed', actions: 'checkEndpoint' },
] as const

export const deliveryMachine = rules.createMachine({
  id: 'delivery',
  context: ({ input: { at, ...opening } }) => ({
    ...opening,
    attempts: 0,
    automaticAttempts: 0,
    trigger: 'automatic',
    nextAttemptAt: at,
    resumeAt: null,
    sendingSince: null,
    cancelRequested: false,
    deliveredAt: null,
  }),
  initial: { target: 'pending', actions: 'wakeSender' },
  states: {
    pending: {
      on: {
        attempt_started: { guard: 'isDue', target: 'sending', actions: 'startAttempt' },
        redeliver: { guard: 'isWaiting', actions: ['scheduleNow', 'wakeSender'] },
        cancel: [
          { guard: 'wasDelivered', target: 'delivered', actions: 'clearSchedule' },
          { target: 'canceled', actions: 'clearSchedule' },
        ],
      },
    },
    // The API shows it as `pending`. If the process ends in this state, the reaper finds the attempt by its age and
    // reports it as lost.
    sending: {
      exit: 'endAttempt',
      on: {
        attempt_succeeded: { guard: 'isThisAttempt', target: 'delivered', actions: 'recordDelivery' },
        attempt_failed: afterFailure,
        attempt_lost: afterFailure,
        // The response was a redirect, or the address must not be called.
        attempt_failed_permanently: [
          { guard: 'endsDelivered', target: 'delivered' },
          { guard: 'endsCanceled', target: 'canceled', actions: 'clearSchedule' },
          { guard: 'isThisAttempt', target: 'failed', actions: ['clearSchedule', 'checkEndpoint'] },
        ],
        cancel: { guard: 'isNotCanceling', actions: 'requestCancel' },
      },
    },
    delivered: { on: { redeliver: { target: 'pending', actions: ['scheduleNow', 'wakeSender'] } } },
    failed: { on: { redeliver: { target: 'pending', actions: ['scheduleNow', 'wakeSender'] } } },
    canceled: { on: { redeliver: { target: 'pending', actions: ['scheduleNow', 'wakeSender'] } } },
  },
})

const isThisAttempt = (delivery: Delivery, event: DeliveryEvent): boolean =>
  'attempt' in event && event.attempt === delivery.attempts

/** At least the delay, plus a random part of up to a fifth. `Retry-After` can extend it up to twice the delay. */
const retryDelaySeconds = (automaticAttempts: number, jitter: number, retryAfter: number): number => {
  const delay = RETRY_DELAYS_SECONDS[automaticAttempts - 1] ?? 0
  return Math.max(delay * (1 + 0.2 * jitter), Math.min(retryAfter, 2 * delay))
}
