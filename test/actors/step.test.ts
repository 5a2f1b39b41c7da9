import { expect, test } from 'bun:test'
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  assign,
  type ExecutableActionObject,
  emit,
  initialTransition,
  setup,
  transition,
} from 'xstate'
import { registered } from '../../src/actors/kind.ts'
import { type Asked, stepper } from '../../src/actors/step.ts'
import { kinds } from '../../src/kinds/all.ts'
import { lamp } from './lamp.ts'

type Step = [AnyMachineSnapshot, ExecutableActionObject[]]

/** What XState's own interpreter asks for, in our words. */
const askedBy = (actions: readonly ExecutableActionObject[]): Asked[] =>
  actions.map(({ type, params }) => {
    const given = (params ?? {}) as { event?: { type: string }; id?: string; sendId?: string; delay?: unknown }
    const timer = String(given.id ?? given.sendId).replace('xstate.after.', '')
    if (type === 'xstate.emit') return { what: 'publish', type: String(given.event?.type) }
    if (type === 'xstate.raise') return { what: 'arm', timer, delay: timer.split('.')[0] ?? '' }
    if (type === 'xstate.cancel') return { what: 'cancel', timer }
    return { what: 'effect', name: type, params }
  })

const odd = setup({
  types: { context: {} as { n: number; tag: string }, events: {} as { type: string; by?: number; at: Date } },
  actions: {
    add: assign({ n: ({ context }, params: { by: number }) => context.n + params.by }),
    both: assign(({ context, event }) => ({ n: context.n * 2, tag: `${context.tag}${event.type}` })),
    fixed: assign({ tag: 'fixed' }),
    ring: (_, _params: { loud: boolean }) => {},
    tell: emit({ type: 'told' }),
  },
  guards: { above: ({ context }, params: { least: number }) => context.n > params.least },
  delays: { soon: 0, late: 0 },
}).createMachine({
  id: 'odd',
  context: { n: 0, tag: '' },
  initial: 'one',
  states: {
    one: {
      entry: ['fixed', 'tell'],
      exit: ['both', { type: 'ring', params: { loud: true } }],
      after: { soon: { target: 'two', actions: 'both' }, late: { actions: 'tell' } },
      on: {
        stay: { actions: { type: 'add', params: { by: 3 } } },
        name: { target: 'one', actions: 'both' },
        again: { target: 'one', reenter: true },
        go: [
          { guard: { type: 'above', params: { least: 5 } }, target: 'three', actions: ['both', 'tell'] },
          { guard: { type: 'above', params: { least: 1 } }, target: 'two' },
        ],
      },
    },
    two: { entry: 'both', on: { back: { target: 'one', actions: [{ type: 'add', params: { by: 1 } }, 'both'] } } },
    three: { type: 'final', entry: 'tell' },
  },
})

const oddKind = {
  name: 'odd',
  table: 'odds',
  machine: odd as AnyStateMachine,
  version: 1,
  columns: {},
  history: [],
  timers: { soon: () => new Date(), late: () => new Date() },
  effects: { ring: () => ({ task: 'ring', payload: {} }) },
  publish: () => ({ merchantId: '', livemode: false, apiVersion: '', object: {} }),
}

// Contexts that XState's own walk reaches, every event tried in each: thousands of steps per machine.
test.each([oddKind, registered(lamp), ...kinds].map(kind => [kind.name, kind] as const))(
  'every step of %s is the one that transition() of XState takes',
  (_name, kind) => {
    const at = new Date('2026-01-01T00:00:00Z')
    const ours = stepper(kind)
    const { machine } = kind
    const input = { at, windowMinutes: 30, amountMinor: 1_000, currency: 'USD' }
    const [first, actions] = initialTransition(machine, input as never)
    expect(ours.begin(input)).toEqual({ state: String(first.value), context: first.context, asked: askedBy(actions) })
    const queue: AnyMachineSnapshot[] = [first]
    const seen = new Set<string>()
    let steps = 0
    while (steps < 3_000) {
      const snapshot = queue.shift()
      if (!snapshot) break
      const state = String(snapshot.value)
      for (const type of machine.events as string[]) {
        for (const by of [0, 1, 2]) {
          const event = { type, by, at }
          const outcome: Attempt<Step> = attempt<Step>(
            (): Step => transition(machine, snapshot as never, event as never) as Step,
          )
          const own = attempt(() => ours.take(state, snapshot.context, event))
          steps++
          if ('error' in outcome || 'error' in own) {
            expect('error' in own).toBe('error' in outcome)
            continue
          }
          const [next, asked]: Step = outcome.value
          if (machine.getTransitionData(snapshot as never, event as never).length === 0) {
            expect(own.value).toBeUndefined()
            continue
          }
          expect(own.value).toEqual({ state: String(next.value), context: next.context, asked: askedBy(asked) })
          const place = `${state} ${type} ${String(next.value)} ${queue.length % 7}`
          if (!seen.has(place)) queue.push(next)
          seen.add(place)
        }
      }
    }
    expect(steps).toBeGreaterThan(5)
  },
)

type Attempt<T> = { value: T } | { error: unknown }

const attempt = <T>(work: () => T): Attempt<T> => {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

test('what a change tells whatever is in the fields is known, by the names that history has for it', () => {
  expect(stepper(registered(lamp)).tells()).toEqual([
    { event: 'switch_on', from: 'off', to: 'on', type: 'lamp.lit' },
    { event: 'switch_off', from: 'on', to: 'off', type: 'lamp.out' },
    { event: 'after.burn.lamp.on', from: 'on', to: 'off', type: 'lamp.out' },
  ])
  // Too little money is told of and leaves a payment where it is; more of it, never enough, is not.
  const tells = kinds.flatMap(kind =>
    stepper(kind)
      .tells()
      .map(({ from, to, type }) => `${from} ${to} ${type}`),
  )
  expect(tells).toContain('null pending payment.created')
  expect(tells.filter(told => told.startsWith('pending pending'))).toEqual(['pending pending payment.underpaid'])
})
