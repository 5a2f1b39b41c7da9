import { emit } from 'xstate'
import { subscriptionRules } from './subscription-rules.ts'

/** Until it has ended. */
const page = subscriptionRules.createStateConfig({ on: { rotate_url: { actions: 'replaceToken' } } })

type Begun = 'trialing' | 'active' | 'past_due' | 'paused'

/**
 * From its beginning to its end. Here and below, a state is entered again when something changes on which the times of its timers
 * depend.
 */
const begun = (state: Begun) =>
  subscriptionRules.createStateConfig({
    on: {
      ...page.on,
      cancel: { target: 'canceled', actions: ['endCanceled', emit({ type: 'subscription.canceled' })] },
      update: { target: state, reenter: true, actions: ['change', emit({ type: 'subscription.updated' })] },
    },
  })

const withdrawing = (state: Exclude<Begun, 'paused'>) =>
  subscriptionRules.createStateConfig({
    on: {
      uncancel: {
        ...{ guard: 'isCanceling', target: state, reenter: true },
        actions: ['withdrawCancel', emit({ type: 'subscription.updated' })],
      },
    },
  })

/** While nothing is owed. */
const settled = subscriptionRules.createStateConfig({
  on: {
    invoice_paid: { guard: 'isUnpaid', actions: 'recordPaid' },
    invoice_voided: { guard: 'voidsUnpaid', actions: 'recordVoided' },
  },
})

/** In a period that runs out. */
const running = (state: 'trialing' | 'active') =>
  subscriptionRules.createStateConfig({
    on: {
      ...begun(state).on,
      ...withdrawing(state).on,
      ...settled.on,
      cancel_at_end: {
        ...{ guard: 'mayCancel', target: state, reenter: true },
        actions: ['requestCancel', emit({ type: 'subscription.updated' })],
      },
    },
  })

/** Its timers are planned: what they cause is a bundle with invoices, see src/commands/subscription-timers.ts. */
export const subscriptionMachine = subscriptionRules.createMachine({
  id: 'subscription',
  context: ({ input: { at: _, ...opening } }) => ({
    ...opening,
    ...{ periodIndex: null, invoicedIndex: null, latestInvoiceId: null, unpaid: [], firstDueAt: null },
    ...{ trialEndingSent: false, owedIndex: null, graceEndsAt: null },
    ...{ pauseAtPeriodEnd: false, pausedAt: null, resumesAt: null, resumeIndex: null },
    ...{
      cancelAtPeriodEnd: false,
      canceledAt: null,
      canceledByCustomer: false,
      endedAt: null,
      endReason: null,
      pendingChange: null,
    },
  }),
  initial: { target: 'new', actions: ['joinCustomer', 'joinPlan', 'limitVisits'] },
  states: {
    // Left in the bundle that creates the subscription, when its first invoice is issued or its trial begins.
    new: {
      on: {
        begin_trial: { target: 'trialing', actions: emit({ type: 'subscription.created' }) },
        begin: [
          {
            guard: 'isPaidNow',
            target: 'active',
            actions: [
              'recordInvoice',
              'begin',
              emit({ type: 'subscription.created' }),
              emit({ type: 'subscription.activated' }),
            ],
          },
          {
            guard: 'beginsUnpaid',
            target: 'active',
            actions: [
              'recordInvoice',
              'awaitFirst',
              'begin',
              emit({ type: 'subscription.created' }),
              emit({ type: 'subscription.activated' }),
            ],
          },
          { target: 'incomplete', actions: ['recordInvoice', emit({ type: 'subscription.created' })] },
        ],
      },
    },
    incomplete: {
      after: { expiry: { target: 'expired', actions: ['endIncomplete', emit({ type: 'subscription.expired' })] } },
      on: {
        ...page.on,
        invoice_paid: {
          guard: 'paysAwaited',
          target: 'active',
          actions: ['recordPaid', 'beginPaid', emit({ type: 'subscription.activated' })],
        },
        invoice_voided: {
          guard: 'voidsOwed',
          target: 'expired',
          actions: ['endIncomplete', emit({ type: 'subscription.expired' })],
        },
        expire: { target: 'expired', actions: ['endIncomplete', emit({ type: 'subscription.expired' })] },
        update: { actions: ['change', emit({ type: 'subscription.updated' })] },
      },
    },
    trialing: {
      after: {
        trialEnding: { actions: ['recordTrialEnding', emit({ type: 'subscription.trial_ending' })] },
        invoice: { guard: 'isOfNext', target: 'trialing', reenter: true, actions: 'recordInvoice' },
        boundary: [
          {
            guard: 'nextIsPaid',
            target: 'active',
            actions: ['advance', emit({ type: 'subscription.activated' })],
          },
          {
            guard: 'isCanceling',
            target: 'canceled',
            actions: ['endCanceled', emit({ type: 'subscription.canceled' })],
          },
          {
            guard: 'nextIsOwed',
            target: 'past_due',
            actions: ['oweNext', emit({ type: 'subscription.past_due' })],
          },
        ],
      },
      on: {
        ...running('trialing').on,
        change: {
          ...{ target: 'trialing', reenter: true },
          actions: ['replacePrice', 'joinPlan', emit({ type: 'subscription.updated' })],
        },
      },
    },
    active: {
      after: {
        invoice: { guard: 'isOfNext', target: 'active', reenter: true, actions: 'recordInvoice' },
        firstDue: [
          {
            guard: 'firstIsOwed',
            target: 'past_due',
            actions: ['oweFirst', emit({ type: 'subscription.past_due' })],
          },
          { actions: 'forgetFirst' },
        ],
        boundary: [
          {
            guard: 'isLast',
            target: 'completed',
            actions: ['endCompleted', emit({ type: 'subscription.completed' })],
          },
          {
            guard: 'nextIsPaid',
            target: 'active',
            reenter: true,
            actions: ['advance', emit({ type: 'subscription.renewed' })],
          },
          {
            guard: 'isCanceling',
            target: 'canceled',
            actions: ['endCanceled', emit({ type: 'subscription.canceled' })],
          },
          {
            guard: 'isPausing',
            target: 'paused',
            actions: ['pauseNow', emit({ type: 'subscription.paused' })],
          },
          {
            guard: 'nextIsOwed',
            target: 'past_due',
            actions: ['oweNext', emit({ type: 'subscription.past_due' })],
          },
        ],
      },
      on: {
        ...running('active').on,
        pause: {
          ...{ guard: 'mayPause', target: 'active', reenter: true },
          actions: ['requestPause', emit({ type: 'subscription.updated' })],
        },
        resume: {
          ...{ guard: 'isPausing', target: 'active', reenter: true },
          actions: ['withdrawPause', emit({ type: 'subscription.updated' })],
        },
        change: {
          ...{ guard: 'mayChange', target: 'active', reenter: true },
          actions: ['replacePrice', 'joinPlan', emit({ type: 'subscription.updated' })],
        },
      },
    },
    past_due: {
      after: {
        grace: [
          {
            guard: 'pausesAfterGrace',
            target: 'paused',
            actions: ['pauseNow', emit({ type: 'subscription.paused' })],
          },
          { target: 'canceled', actions: ['endUnpaid', emit({ type: 'subscription.canceled' })] },
        ],
      },
      on: {
        ...begun('past_due').on,
        ...withdrawing('past_due').on,
        invoice_paid: [
          {
            guard: 'paysAwaited',
            target: 'active',
            actions: ['recordPaid', 'renew', emit({ type: 'subscription.renewed' })],
          },
          { guard: 'isUnpaid', actions: 'recordPaid' },
        ],
        // Nothing is owed any more.
        invoice_voided: [
          {
            guard: 'voidsOwedOfCanceling',
            target: 'canceled',
            actions: ['endCanceled', emit({ type: 'subscription.canceled' })],
          },
          {
            guard: 'voidsOwedOfPausing',
            target: 'paused',
            actions: ['pauseNow', emit({ type: 'subscription.paused' })],
          },
          {
            guard: 'voidsOwed',
            target: 'active',
            actions: ['forgetVoided', 'renew', emit({ type: 'subscription.renewed' })],
          },
          { guard: 'voidsUnpaid', actions: 'recordVoided' },
        ],
        // The period that was paid is over.
        pause: [
          {
            guard: 'mayPauseNow',
            target: 'paused',
            actions: ['pauseNow', emit({ type: 'subscription.paused' })],
          },
          {
            ...{ guard: 'mayPause', target: 'past_due', reenter: true },
            actions: ['requestPause', emit({ type: 'subscription.updated' })],
          },
        ],
        cancel_at_end: [
          {
            guard: 'voidsOwed',
            target: 'canceled',
            actions: ['endCanceled', emit({ type: 'subscription.canceled' })],
          },
          {
            ...{ guard: 'mayCancel', target: 'past_due', reenter: true },
            actions: ['requestCancel', emit({ type: 'subscription.updated' })],
          },
        ],
        extend_grace: {
          ...{ target: 'past_due', reenter: true },
          actions: ['extendGrace', emit({ type: 'subscription.updated' })],
        },
      },
    },
    paused: {
      after: {
        resume: { guard: 'isNotResuming', target: 'paused', reenter: true, actions: 'planResume' },
        invoice: { guard: 'isOfNext', target: 'paused', reenter: true, actions: 'recordInvoice' },
        boundary: [
          {
            guard: 'isLast',
            target: 'completed',
            actions: ['endCompleted', emit({ type: 'subscription.completed' })],
          },
          {
            guard: 'nextIsPaid',
            target: 'active',
            actions: ['advance', emit({ type: 'subscription.resumed' })],
          },
          {
            guard: 'nextIsOwed',
            target: 'past_due',
            actions: ['oweNext', emit({ type: 'subscription.resumed' }), emit({ type: 'subscription.past_due' })],
          },
        ],
      },
      on: {
        ...begun('paused').on,
        ...settled.on,
        resume: { guard: 'isNotResuming', target: 'paused', reenter: true, actions: 'planResume' },
      },
    },
    canceled: { type: 'final' },
    expired: { type: 'final' },
    completed: { type: 'final' },
  },
})
