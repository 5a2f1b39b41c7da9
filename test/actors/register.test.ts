import { expect, test } from 'bun:test'
import { type AnyStateMachine, assign, createMachine, emit, raise, setup } from 'xstate'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { checkMachine } from '../../src/actors/machine-rules.ts'
import { lamp } from './lamp.ts'
import { lampHouse, newLamp, openHouse, tell } from './lamps.ts'

const kindOf = (machine: AnyStateMachine, more: Partial<Kind> = {}): Kind => ({
  name: 'toy',
  table: 'toys',
  version: 1,
  columns: {},
  history: [],
  machine,
  ...more,
})

const states = (idle: object) => createMachine({ initial: 'idle', states: { idle, done: {} } })

test.each([
  ['an inline function as an action', states({ on: { go: { actions: () => {} } } }), 'an inline function'],
  ['an inline assign', states({ on: { go: { actions: assign({ n: 1 }) } } }), 'an inline assign'],
  ['an inline action on entry', states({ entry: () => {} }), 'an inline function'],
  ['an inline guard', states({ on: { go: { target: 'done', guard: () => true } } }), 'an inline guard'],
  [
    'a guard that the machine does not have',
    states({ on: { go: { target: 'done', guard: 'may' } } }),
    'no guard `may`',
  ],
  ['an action nothing carries out', states({ on: { go: { actions: 'ring' } } }), '`effects` does not have `ring`'],
  ['raise', states({ on: { go: { actions: raise({ type: 'again' }) } } }), 'xstate.raise'],
  ['a computed emit', states({ on: { go: { actions: emit(() => ({ type: 'x' })) } } }), 'emits a computed event'],
  ['an emit without publish', states({ on: { go: { actions: emit({ type: 'x' }) } } }), 'does not `publish`'],
  ['an invoked actor', states({ invoke: { src: 'x' } }), 'invokes'],
  ['an eventless transition', states({ always: 'done' }), 'eventless'],
  ['a nested state', states({ initial: 'a', states: { a: {} } }), 'states are flat'],
  ['an unnamed delay', states({ after: { 1000: 'done' } }), 'unnamed delay'],
  ['a delay that `timers` does not have', states({ after: { later: 'done' } }), '`timers` does not have'],
  ['a transition that does nothing', states({ on: { go: {} } }), 'changes nothing'],
  ['an event of the root', createMachine({ initial: 'a', states: { a: {} }, on: { go: '.a' } }), 'the root'],
])('%s is refused', (_name, machine, message) => {
  expect(() => checkMachine(kindOf(machine))).toThrow(message)
})

test('a computed param is refused', () => {
  const machine = setup({ actions: { ring: (_, _params: { loud: boolean }) => {} } }).createMachine({
    initial: 'idle',
    states: { idle: { on: { go: { actions: { type: 'ring', params: () => ({ loud: true }) } } } } },
  })
  expect(() => checkMachine(kindOf(machine, { effects: { ring: () => ({ task: 'ring', payload: {} }) } }))).toThrow(
    '`ring` computes its params',
  )
})

test('a context field without a column, and a column without a field, stop the start', async () => {
  await using house = await lampHouse()
  const colored = { ...lamp, columns: { ...lamp.columns, color: 'text' } } as unknown as Kind
  expect(openHouse(house.url, { kinds: [colored] })).rejects.toThrow('lamps has no color')
  const { room: _room, ...columns } = lamp.columns
  expect(openHouse(house.url, { kinds: [{ ...lamp, columns } as unknown as Kind] })).rejects.toThrow(
    'lamps.room is no field of its context',
  )
})

test('rows of an old version are migrated as they are read, and written back in the new one', async () => {
  await using house = await lampHouse()
  const id = await newLamp(house.actors)
  const newer: Kind = {
    ...registered(lamp),
    version: 2,
    migrations: { 1: (context, state) => ({ context: { ...context, switched: 41 }, state }) },
  }
  const next = await openHouse(house.url, { kinds: [newer] })
  expect(await next.actors.dispatch(tell(id, 'switch_on'))).toMatchObject({
    ok: true,
    actor: { context: { switched: 42 } },
  })
  const [row] = await house.sql`select version, switched from lamps`
  expect({ ...row }).toEqual({ version: 2, switched: 42 })
  // The old process of a rolling restart says that it cannot, and harms nothing.
  expect(house.actors.dispatch(tell(id, 'switch_off'))).rejects.toMatchObject({
    cause: { message: expect.stringContaining('written by version 2, this is 1') },
  })
  await next.close()
})

test('the start refuses rows that it has no way to read', async () => {
  await using house = await lampHouse()
  const broken = {
    ...registered(lamp),
    version: 3,
    migrations: { 2: (context: object, state: string) => ({ context, state }) },
  } as Kind
  await (await openHouse(house.url, { kinds: [broken] })).close()
  await newLamp(house.actors)
  expect(openHouse(house.url, { kinds: [broken] })).rejects.toThrow(
    'there are lamps of version 1, and no way from there',
  )
})
