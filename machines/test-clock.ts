import { assertEvent, assign, setup } from 'xstate'

export type TestClockOpening = { merchantId: string; livemode: boolean; now: Date }

export type TestClock = TestClockOpening & {
  /** The time that it advances to. Null unless it is advancing. */
  target: Date | null
}

/** `arrive`: it shows the time `to`, its target, and nothing is due. */
export type TestClockEvent = { at: Date } & ({ type: 'advance' | 'arrive'; to: Date } | { type: 'delete' })

/**
 * The time of the invoices and subscriptions of its customers. It stands still until it is advanced. While it is advancing,
 * move_test_clock() in sql/120-test-clocks-functions.sql moves `now` from one due time to the next.
 */
export const testClockMachine = setup({
  types: {
    context: {} as TestClock,
    events: {} as TestClockEvent,
    input: {} as TestClockOpening & { at: Date },
  },
  actions: {
    setTarget: assign(({ event }) => {
      assertEvent(event, 'advance')
      return { target: event.to }
    }),
    clearTarget: assign({ target: null }),
  },
  guards: {
    isLater: ({ context, event }) => event.type === 'advance' && event.to > context.now,
    // Another process may have reported it before, and the clock may have been advanced again.
    isThere: ({ context: { target }, event }) => event.type === 'arrive' && event.to.getTime() === target?.getTime(),
  },
}).createMachine({
  id: 'test-clock',
  context: ({ input: { at: _, ...opening } }) => ({ ...opening, target: null }),
  initial: 'ready',
  states: {
    ready: {
      on: {
        advance: { guard: 'isLater', target: 'advancing', actions: 'setTarget' },
        delete: 'deleted',
      },
    },
    advancing: {
      on: {
        arrive: { guard: 'isThere', target: 'ready', actions: 'clearTarget' },
        delete: { target: 'deleted', actions: 'clearTarget' },
      },
    },
    deleted: { type: 'final' },
  },
})
