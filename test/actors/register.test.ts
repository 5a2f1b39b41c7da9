import { expect, test } from 'bun:test'
import {
  type AnyStateMachine,
  and,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  forwardTo,
  fromPromise,
  log,
  not,
  or,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stateIn,
  stopChild,
} from 'xstate'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { checkMachine } from '../../src/actors/machine-rules.ts'
import { lamp } from './lamp.ts'
import { createLamp, eventCommand, lampInstance, openInstance } from './lamps.ts'

const kindOf = (machine: AnyStateMachine, more: Partial<Kind> = {}): Kind => ({
  name: 'toy',
  table: 'toys',
  version: 1,
  columns: {},
  history: [],
  machine,
  ...more,
})

const states = (idle: object, root: object = {}) =>
  createMachine({ id: 'toy', initial: 'idle', states: { idle, done: {} }, ...root })
const acting = (actions: unknown) => states({ on: { go: { actions } } })
const guarded = (guard: unknown) => states({ on: { go: { target: 'done', guard } } })

const toPromise = fromPromise(async () => {})
const elsewhere = sendTo('x', { type: 'y' })

test.each([
  ['an inline function as an action', acting(() => {}), 'an inline function'],
  ['an inline assign', acting(assign({ n: 1 })), 'an inline assign'],
  ['an inline action on entry', states({ entry: () => {} }), 'an inline function'],
  ['an inline action on exit', states({ exit: () => {} }), 'an inline function'],
  ['an inline action of a timer', states({ after: { later: { actions: () => {} } } }), 'an inline function'],
  [
    'an inline action at the beginning',
    states({}, { initial: { target: 'idle', actions: () => {} } }),
    'the initial transition: an inline function',
  ],
  ['an action without an implementation', acting('ring'), '`ring` is missing in `effects` and `writes`'],
  ['raise', acting(raise({ type: 'again' })), 'xstate.raise'],
  ['raise on entry, and later', states({ entry: raise({ type: 'again' }, { delay: 10 }) }), 'xstate.raise'],
  ['cancel', acting(cancel('x')), 'xstate.cancel'],
  ['sendTo', acting(elsewhere), 'xstate.sendTo'],
  ['sendTo on entry', states({ entry: elsewhere }), 'xstate.sendTo'],
  ['sendParent', acting(sendParent({ type: 'y' })), 'xstate.sendTo'],
  ['forwardTo', acting(forwardTo('x')), 'xstate.sendTo'],
  ['spawnChild', acting(spawnChild(toPromise)), 'xstate.spawnChild'],
  ['stopChild', acting(stopChild('x')), 'xstate.stopChild'],
  ['enqueueActions', acting(enqueueActions(() => {})), 'xstate.enqueueActions'],
  ['log', acting(log('x')), 'xstate.log'],
  ['a computed emit', acting(emit(() => ({ type: 'x' }))), 'emits a computed event'],
  ['an emit without publish', acting(emit({ type: 'x' })), 'has no `publish`'],

  ['an inline guard', guarded(() => true), 'an inline guard'],
  ['a guard that the machine does not have', guarded('may'), 'no guard `may`'],
  ['and()', guarded(and(['may', 'must'])), 'an inline guard'],
  ['or()', guarded(or(['may', 'must'])), 'an inline guard'],
  ['not()', guarded(not('may')), 'an inline guard'],
  ['stateIn()', guarded(stateIn('idle')), 'an inline guard'],

  ['an invoked actor', states({ invoke: { src: 'x' } }), 'uses invoke'],
  ['an eventless transition', states({ always: 'done' }), 'eventless'],
  ['a wildcard event', states({ on: { '*': 'done' } }), 'accepts *; name the event'],
  ['a wildcard for a family of events', states({ on: { 'go.*': 'done' } }), 'accepts go.*; name the event'],
  ['a transition that does nothing', states({ on: { go: {} } }), 'neither a target nor an action'],
  ['a transition to the machine', states({ on: { go: '#toy' } }), 'its target is the root'],
  ['a nested state', states({ initial: 'a', states: { a: {} } }), 'idle is compound; states are flat'],
  ['a parallel state', states({ type: 'parallel', states: { a: {} } }), 'idle is parallel; states are flat'],
  ['a history state', states({ type: 'history' }), 'idle is history; states are flat'],
  ['a deep history state', states({ type: 'history', history: 'deep' }), 'idle is history; states are flat'],
  ['an event of a final state', states({ type: 'final', on: { go: 'done' } }), 'idle is final'],
  ['an action on leaving a final state', states({ type: 'final', exit: 'ring' }), 'idle is final'],
  ['an unnamed delay', states({ after: { 1000: 'done' } }), 'unnamed delay'],
  [
    'a delay that `timers` does not have',
    states({ after: { sometime: 'done' } }),
    '`sometime`, which is missing in `timers`',
  ],

  ['an event of the root', states({}, { on: { go: '.done' } }), 'the root has'],
  ['an action on entering the root', states({}, { entry: 'ring' }), 'the root has'],
  ['an action on leaving the root', states({}, { exit: 'ring' }), 'the root has'],
  ['an actor that the root invokes', states({}, { invoke: { src: 'x' } }), 'the root has'],
  ['an eventless transition of the root', states({}, { always: '.done' }), 'the root has'],
  ['a timer of the root', states({}, { after: { later: '.done' } }), 'the root has'],
  ['a parallel machine', createMachine({ type: 'parallel', states: { a: {}, b: {} } }), 'the root is parallel'],
  ['a machine without states', createMachine({}), 'the root is atomic'],
])('%s is refused', (_name, machine, message) => {
  expect(() => checkMachine(kindOf(machine, { timers: { later: () => null } }))).toThrow(message)
})

const spawning = assign({ child: ({ spawn }) => spawn(toPromise) })
const spawningAll = assign(args => ({ child: args.spawn(toPromise) }))
const toAll = { ring: elsewhere, ask: raise({ type: 'y' }), call: spawnChild(toPromise), spawning, spawningAll }

test.each([
  ['ring', '`ring` is xstate.sendTo'],
  ['ask', '`ask` is xstate.raise'],
  ['call', '`call` is xstate.spawnChild'],
  ['spawning', '`spawning` uses spawn'],
  ['spawningAll', '`spawningAll` uses spawn'],
] as const)('the action %s is refused under any name', (name, message) => {
  const machine = acting(name).provide({ actions: toAll as object })
  expect(() => checkMachine(kindOf(machine))).toThrow(message)
})

test.each([
  ['and()', and(['may', 'must'])],
  ['or()', or(['may', 'must'])],
  ['not()', not('may')],
  ['stateIn()', stateIn('idle')],
] as const)('the composed guard %s is refused under any name', (_name, composed) => {
  const machine = guarded('composed').provide({ guards: { may: () => true, must: () => true, composed } as object })
  expect(() => checkMachine(kindOf(machine))).toThrow('guard `composed` is composed of other guards')
})

test('computed params of a guard are refused', () => {
  const machine = setup({ guards: { above: (_, _params: { least: number }) => true } }).createMachine({
    initial: 'idle',
    states: {
      idle: { on: { go: { target: 'done', guard: { type: 'above', params: () => ({ least: 5 }) } } } },
      done: {},
    },
  })
  expect(() => checkMachine(kindOf(machine))).toThrow('guard `above` computes its params')
})

test('computed params of an action are refused', () => {
  const machine = setup({ actions: { ring: (_, _params: { loud: boolean }) => {} } }).createMachine({
    initial: 'idle',
    states: { idle: { on: { go: { actions: { type: 'ring', params: () => ({ loud: true }) } } } } },
  })
  expect(() => checkMachine(kindOf(machine, { effects: { ring: () => ({ task: 'ring', payload: {} }) } }))).toThrow(
    '`ring` computes its params',
  )
})

test('a context field without a column, and a column without a field, prevent the start', async () => {
  await using instance = await lampInstance()
  const colored = { ...lamp, columns: { ...lamp.columns, color: 'text' } } as unknown as Kind
  await expect(openInstance(instance.url, { kinds: [colored] })).rejects.toThrow('table lamps has no column color')
  const { room: _room, ...columns } = lamp.columns
  await expect(openInstance(instance.url, { kinds: [{ ...lamp, columns } as unknown as Kind] })).rejects.toThrow(
    'its context has no field for lamps.room',
  )
})

test('rows of an old version are migrated when they are read, and written in the new version', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const newer: Kind = {
    ...registered(lamp),
    version: 2,
    migrations: { 1: context => ({ ...context, switched: 41 }) },
  }
  const next = await openInstance(instance.url, { kinds: [newer] })
  expect(await next.actors.dispatch(eventCommand(id, 'switch_on'))).toMatchObject({
    ok: true,
    actor: { context: { switched: 42 } },
  })
  const [row] = await instance.sql`select version, switched from lamps`
  expect({ ...row }).toEqual({ version: 2, switched: 42 })
  // During a rolling restart the old process cannot read them, reports that, and changes nothing.
  await expect(instance.actors.dispatch(eventCommand(id, 'switch_off'))).rejects.toMatchObject({
    cause: { message: expect.stringContaining('it has version 2, and this process reads version 1') },
  })
  await next.close()
})

test('the start fails when rows have a version that cannot be migrated', async () => {
  await using instance = await lampInstance()
  const broken = {
    ...registered(lamp),
    version: 3,
    migrations: { 2: (context: object) => context },
  } as Kind
  await (await openInstance(instance.url, { kinds: [broken] })).close()
  await createLamp(instance.actors)
  await expect(openInstance(instance.url, { kinds: [broken] })).rejects.toThrow(
    'lamps has rows of version 1, which cannot be migrated',
  )
})
