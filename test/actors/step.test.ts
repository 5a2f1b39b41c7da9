import { expect, test } from 'bun:test'
import { inspect } from 'node:util'
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  assign,
  emit,
  initialTransition,
  setup,
  transition,
} from 'xstate'
import { type Context, type Kind, registered } from '../../src/actors/kind.ts'
import { stepper } from '../../src/actors/step.ts'
import { kinds } from '../../src/kinds/all.ts'
import { subjects } from '../kinds/subjects.ts'
import { arrive, T0 } from '../machines/table.ts'
import { askedBy } from './asked-by.ts'
import { lamp } from './lamp.ts'

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

/** Where walks through a machine begin, besides its creation, and the events tried in every state. */
type Walk = {
  readonly kind: Kind
  readonly input: Context
  readonly starts: readonly AnyMachineSnapshot[]
  readonly events: readonly AnyEventObject[]
  /** The minimum number of tried events that the machine accepts. */
  readonly least: number
  /** Transitions that no walk can take, because they throw. */
  readonly never?: readonly string[]
}

const TRIES = 20_000

const ofToy = (kind: Kind) => ({
  kind,
  input: { at: T0 },
  starts: [],
  events: kind.machine.events.flatMap(type => [0, 1, 2].map(by => ({ type, by, at: T0 }))),
})

/** The situations and events of the machine's tests, all events it gets in production, and events without fields. */
const walkOf = ({ kind, subject }: (typeof subjects)[number]): Walk => ({
  kind,
  input: { at: T0, ...subject.input },
  starts: [
    ...Object.values(subject.situations).map(path => arrive(subject, path)),
    ...(subject.walk.inputs ?? []).flatMap(input =>
      (subject.walk.paths ?? ['']).map(path => arrive({ ...subject, input }, path)),
    ),
  ],
  events: [
    ...Object.values(subject.events).map(event => ({ at: T0, ...event })),
    ...kind.machine.events.map(type => ({ type, at: T0 })),
    ...(subject.walk.events ?? []),
  ],
  least: subject.walk.minSteps,
})

const walks: readonly Walk[] = [
  { ...ofToy(oddKind), least: 4_000 },
  { ...ofToy(registered(lamp)), least: 4_000, never: ['off hit'] },
  ...subjects.map(walkOf),
]

test.each(walks.map(walk => [walk.kind.name, walk] as const))(
  "every step of %s has the state and the effects that XState's transition() has",
  (_name, { kind, input, starts, events, least, never = [] }) => {
    const ours = stepper(kind)
    const machine: AnyStateMachine = kind.machine
    const [first, actions] = initialTransition(machine, input as never)
    expect(ours.begin(input)).toEqual({
      state: String(first.value),
      context: first.context,
      requested: askedBy(actions),
    })
    const waiting: AnyMachineSnapshot[] = [first, ...starts]
    // Snapshots reached by a new transition are explored first; the others mostly repeat what is known.
    const fresh: AnyMachineSnapshot[] = []
    const seen = new Set<string>()
    const taken = new Set<unknown>()
    let tries = 0
    let steps = 0
    while (tries < TRIES) {
      const snapshot = fresh.shift() ?? waiting.shift()
      if (!snapshot) break
      const state = String(snapshot.value)
      for (const event of events) {
        const theirs = attempt(() => transition(machine, snapshot as never, event as never))
        const own = attempt(() => ours.take(state, snapshot.context, event))
        tries++
        if ('error' in theirs || 'error' in own) {
          expect('error' in own).toBe('error' in theirs)
          continue
        }
        const ways = machine.getTransitionData(snapshot as never, event as never)
        if (ways.length === 0) {
          expect(own.value).toBeUndefined()
          continue
        }
        const [next, requested] = theirs.value
        expect(own.value).toEqual({ state: String(next.value), context: next.context, requested: askedBy(requested) })
        steps++
        const isFresh = ways.some(way => !taken.has(way))
        for (const way of ways) taken.add(way)
        if (seen.size < seen.add(inspect([next.value, next.context])).size) (isFresh ? fresh : waiting).push(next)
      }
    }
    expect(untaken(machine, taken)).toEqual([...never])
    expect(steps).toBeGreaterThanOrEqual(least)
  },
)

const untaken = (machine: AnyStateMachine, taken: ReadonlySet<unknown>): string[] =>
  (Object.values(machine.states) as AnyStateNode[]).flatMap(({ key, transitions }) =>
    [...transitions].flatMap(([event, ways]) => ways.filter(way => !taken.has(way)).map(() => `${key} ${event}`)),
  )

type Attempt<T> = { value: T } | { error: unknown }

const attempt = <T>(work: () => T): Attempt<T> => {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

test('the events that depend only on the transition are listed in the history, by its names', () => {
  expect(stepper(registered(lamp)).guaranteedEvents()).toEqual([
    { event: 'switch_on', from: 'off', to: 'on', type: 'lamp.lit' },
    { event: 'flash', from: 'off', to: 'on', type: 'lamp.flashed' },
    { event: 'switch_off', from: 'on', to: 'off', type: 'lamp.out' },
    { event: 'flash', from: 'on', to: 'on', type: 'lamp.flashed' },
    { event: 'after.burn.lamp.on', from: 'on', to: 'off', type: 'lamp.out' },
  ])
  // Too little money is reported and leaves a payment where it is; more that is still too little is not reported.
  const guaranteedEvents = kinds.flatMap(kind =>
    stepper(kind)
      .guaranteedEvents()
      .map(({ from, to, type }) => `${from} ${to} ${type}`),
  )
  expect(guaranteedEvents).toContain('null pending payment.created')
  // Whether too little money was reported before depends on the fields, once per transaction.
  expect(guaranteedEvents.filter(each => each.startsWith('pending pending'))).toEqual([])
})
