import { assertEvent, assign, setup } from 'xstate'

export type DeliveryOpening = {
  merchantId: string
  livemode: boolean
  eventId: string
  eventType: string
  endpointId: string
}

export type Delivery = DeliveryOpening & {
  /** Attempts so far, of both triggers: also the number of the latest. */
  attempts: number
  automaticAttempts: number
  /** Of the attempt that is next or under way. */
  trigger: 'automatic' | 'manual'
  /** Set in `pending` and nowhere else. */
  nextAttemptAt: Date | null
  /** The automatic attempt that a manual one has been put before. */
  resumeAt: Date | null
  /** Set in `sending` and nowhere else: when the attempt was written down, before its first byte. */
  sendingSince: Date | null
  /** Its endpoint was disabled or deleted while the attempt was under way. */
  cancelRequested: boolean
  deliveredAt: Date | null
}

export type DeliveryEvent = { at: Date } & (
  | { type: 'attempt_started' }
  // `attempt` is the number of the attempt that ended so: an earlier one has nothing to say any more.
  | { type: 'attempt_succeeded' | 'attempt_barred'; attempt: number }
  // `jitter` is a random number from 0 to 1.
  | { type: 'attempt_failed'; attempt: number; jitter: number; retryAfterSeconds: number | null }
  | { type: 'attempt_lost'; attempt: number; jitter: number }
  | { type: 'redeliver' | 'cancel' }
)

/** How long after the first, second … automatic attempt the next one is made. */
const WAITS_SECONDS = [5, 60, 720, 7_200]
export const MOST_AUTOMATIC_ATTEMPTS = WAITS_SECONDS.length + 1

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
    noteDelivery: assign({ deliveredAt: ({ event }) => event.at, resumeAt: null }),
    planRetry: assign(({ context, event }) => {
      assertEvent(event, ['attempt_failed', 'attempt_lost'])
      const retryAfter = event.type === 'attempt_failed' ? (event.retryAfterSeconds ?? 0) : 0
      const seconds = waitSeconds(context.automaticAttempts, event.jitter, retryAfter)
      return { nextAttemptAt: new Date(event.at.getTime() + Math.ceil(seconds * 1_000)) }
    }),
    bringForward: assign(({ context, event }) => ({
      trigger: 'manual' as const,
      nextAttemptAt: event.at,
      // Two who ask may have clocks that differ: then it was brought forward already, and this is no plan.
      resumeAt: context.trigger === 'manual' ? context.resumeAt : context.nextAttemptAt,
    })),
    resume: assign(({ context: { resumeAt }, event }) => ({
      trigger: 'automatic' as const,
      nextAttemptAt: resumeAt && resumeAt > event.at ? resumeAt : event.at,
      resumeAt: null,
    })),
    forgetPlans: assign({ nextAttemptAt: null, resumeAt: null }),
    requestCancel: assign({ cancelRequested: true }),
    wakeSender: () => {},
    // It may be the failure that is too many for the endpoint.
    judgeEndpoint: () => {},
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
      context.automaticAttempts < MOST_AUTOMATIC_ATTEMPTS,
    isNotCanceling: ({ context }) => !context.cancelRequested,
  },
})

/** What was delivered once stays delivered, and a manual attempt takes nothing from the automatic ones. */
const afterFailure = [
  { guard: 'endsDelivered', target: 'delivered' },
  { guard: 'endsCanceled', target: 'canceled', actions: 'forgetPlans' },
  { guard: 'resumes', target: 'pending', actions: 'resume' },
  { guard: 'retries', target: 'pending', actions: 'planRetry' },
  { guard: 'isThisAttempt', target: 'failed', actions: 'judgeEndpoint' },
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
        redeliver: { guard: 'isWaiting', actions: ['bringForward', 'wakeSender'] },
        cancel: [
          { guard: 'wasDelivered', target: 'delivered', actions: 'forgetPlans' },
          { target: 'canceled', actions: 'forgetPlans' },
        ],
      },
    },
    // On the wire still `pending`. Whoever died in here is found by its age, and its attempt is lost.
    sending: {
      exit: 'endAttempt',
      on: {
        attempt_succeeded: { guard: 'isThisAttempt', target: 'delivered', actions: 'noteDelivery' },
        attempt_failed: afterFailure,
        attempt_lost: afterFailure,
        // A redirect, or an address that must not be called.
        attempt_barred: [
          { guard: 'endsDelivered', target: 'delivered' },
          { guard: 'endsCanceled', target: 'canceled', actions: 'forgetPlans' },
          { guard: 'isThisAttempt', target: 'failed', actions: ['forgetPlans', 'judgeEndpoint'] },
        ],
        cancel: { guard: 'isNotCanceling', actions: 'requestCancel' },
      },
    },
    delivered: { on: { redeliver: { target: 'pending', actions: ['bringForward', 'wakeSender'] } } },
    failed: { on: { redeliver: { target: 'pending', actions: ['bringForward', 'wakeSender'] } } },
    canceled: { on: { redeliver: { target: 'pending', actions: ['bringForward', 'wakeSender'] } } },
  },
})

const isThisAttempt = (delivery: Delivery, event: DeliveryEvent): boolean =>
  'attempt' in event && event.attempt === delivery.attempts

/** Never shorter than the wait, at most a fifth longer by chance, or as asked for up to twice the wait. */
const waitSeconds = (automaticAttempts: number, jitter: number, retryAfter: number): number => {
  const wait = WAITS_SECONDS[automaticAttempts - 1] ?? 0
  return Math.max(wait * (1 + 0.2 * jitter), Math.min(retryAfter, 2 * wait))
}
