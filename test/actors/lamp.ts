import { assign, emit, setup } from 'xstate'
import type { Kind } from '../../src/actors/kind.ts'

type Lamp = { room: string | null; switched: number; burnMs: number }
type LampEvent =
  | { type: 'switch_on'; at: Date }
  | { type: 'switch_off'; at: Date }
  | { type: 'count'; by: number; at: Date }
  | { type: 'flash'; at: Date }
  | { type: 'hit'; at: Date }

const machine = setup({
  types: {
    context: {} as Lamp,
    events: {} as LampEvent,
    input: {} as Partial<Lamp>,
    emitted: {} as { type: 'lamp.lit' } | { type: 'lamp.out' } | { type: 'lamp.flashed' },
  },
  actions: {
    count: assign({
      switched: ({ context, event }) => {
        if (event.type === 'hit') throw new Error('the lamp is hit')
        return context.switched + (event.type === 'count' ? event.by : 1)
      },
    }),
    tellJanitor: () => {},
    billFlash: () => {},
  },
  guards: { counts: ({ event }) => event.type === 'count' && event.by !== 0 },
  delays: { burn: 0 },
}).createMachine({
  id: 'lamp',
  context: ({ input }) => ({ room: input.room ?? null, switched: input.switched ?? 0, burnMs: input.burnMs ?? 60_000 }),
  initial: 'off',
  states: {
    off: {
      on: {
        switch_on: { target: 'on', actions: ['count', emit({ type: 'lamp.lit' })] },
        count: { guard: 'counts', actions: 'count' },
        flash: { target: 'on', actions: ['count', 'billFlash', emit({ type: 'lamp.flashed' })] },
        hit: { target: 'broken', actions: 'count' },
      },
    },
    on: {
      after: { burn: { target: 'off', actions: ['tellJanitor', emit({ type: 'lamp.out' })] } },
      on: {
        switch_off: { target: 'off', actions: ['tellJanitor', emit({ type: 'lamp.out' })] },
        count: { guard: 'counts', actions: 'count' },
        // Causes one of each effect: an event, a job of its own and, as the state is entered again, a timer.
        flash: { target: 'on', reenter: true, actions: ['count', 'billFlash', emit({ type: 'lamp.flashed' })] },
      },
    },
    broken: { type: 'final' },
  },
})

export const HOUSE = '00000000-0000-7000-8000-000000000001'

export const lamp: Kind<Lamp> = {
  name: 'lamp',
  table: 'lamps',
  machine,
  version: 1,
  columns: { room: 'text', switched: 'integer', burnMs: 'integer' },
  history: ['switched'],
  timers: { burn: ({ burnMs }, at) => new Date(at.getTime() + burnMs) },
  effects: {
    tellJanitor: ({ id, context }) => ({
      task: 'tell_janitor',
      key: 'janitor',
      payload: { lamp: id, switched: context.switched },
    }),
    billFlash: ({ id }) => ({ task: 'bill_flash', payload: { lamp: id } }),
  },
  publish: (_type, { id, state, context }) => ({
    merchantId: HOUSE,
    livemode: false,
    apiVersion: '2026-11-20',
    object: { object: 'lamp', id, status: state, switched: context.switched },
  }),
  refusals: { lamps_room_once: 'room_taken' },
}
