import { expect, test } from 'bun:test'
import { assign, setup } from 'xstate'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { lamp } from './lamp.ts'
import { createCommand, createLamp, doneOf, eventCommand, lampInstance, newId, openInstance } from './lamps.ts'

const machine = setup({
  actions: { count: assign({ switched: ({ context }) => context.switched + 1 }), note: () => {} },
}).createMachine({
  context: { room: null as string | null, switched: 0, burnMs: 0 },
  initial: { target: 'off', actions: 'note' },
  states: { off: { on: { ring: { actions: ['count', 'note'] } } } },
})

/** Every command of it writes a row of `notes`, except each third ring. */
const bell = registered({
  ...lamp,
  machine,
  timers: {},
  effects: {},
  writes: {
    note: ({ context }: { context: { switched: number } }, before: { rev: number } | null) =>
      context.switched % 3 === 2
        ? null
        : { function: 'write_note', given: { text: `"${context.switched}" \\`, after: before?.rev } },
  },
} as unknown as Kind)

const bellInstance = async () => {
  const instance = await lampInstance({ kinds: [bell] })
  await instance.sql.unsafe(`
    create table notes (n integer generated always as identity, lamp uuid, text text, after integer, switched integer);
    create function write_note(bell uuid, given json) returns void language sql as $$
      insert into notes (lamp, text, after, switched)
      select bell, given->>'text', (given->>'after')::integer, (select switched from lamps where id = bell)
    $$`)
  const notes = () => instance.sql<{ lamp: string; text: string; after: number | null; switched: number }[]>`
    select lamp, text, after, switched from notes order by n`
  return { ...instance, notes }
}

test('an action calls its function in the commit of its transition, once per step, with the resulting row', async () => {
  await using instance = await bellInstance()
  const id = await createLamp(instance.actors)
  await Promise.all(
    [eventCommand(id, 'ring'), eventCommand(id, 'ring'), eventCommand(id, 'ring')].map(instance.actors.dispatch),
  )
  expect([...(await instance.notes())]).toEqual([
    { lamp: id, text: '"0" \\', after: null, switched: 0 },
    { lamp: id, text: '"1" \\', after: 1, switched: 3 },
    { lamp: id, text: '"3" \\', after: 3, switched: 3 },
  ])
  const commits = await instance.sql`select distinct xmin from notes`
  expect(commits).toHaveLength(2)
})

test('functions are called after the rows of new and existing actors are written', async () => {
  await using instance = await bellInstance()
  const [old, made] = [await createLamp(instance.actors), newId()]
  expect(await instance.actors.dispatchBundle([createCommand({}, made), eventCommand(old, 'ring')])).toMatchObject({
    ok: true,
  })
  expect((await instance.notes()).map(({ lamp, switched }) => [lamp, switched])).toEqual([
    [old, 0],
    [old, 1],
    [made, 0],
  ])
})

test('actors are written in the order of their ids, whatever the order of their commands', async () => {
  await using instance = await bellInstance()
  const ids = await Promise.all(Array.from({ length: 8 }, () => createLamp(instance.actors)))
  await instance.sql`delete from notes`
  await Promise.all(ids.toReversed().map(id => instance.actors.dispatch(eventCommand(id, 'ring'))))
  expect((await instance.notes()).map(({ lamp }) => lamp)).toEqual(ids.toSorted())
})

test('conflicting and refused commands write nothing', async () => {
  await using instance = await bellInstance()
  await using others = {
    instance: await openInstance(instance.url, { kinds: [bell] }),
    [Symbol.asyncDispose]: () => others.instance.close(),
  }
  const ids = await Promise.all(Array.from({ length: 4 }, () => createLamp(instance.actors)))
  await instance.sql`delete from notes`
  const ring = ({ actors }: typeof others.instance) =>
    Promise.all(
      ids.flatMap(id =>
        Array.from({ length: 30 }, async () => doneOf(await actors.dispatch(eventCommand(id, 'ring')))),
      ),
    )
  await Promise.all([ring(instance), ring(others.instance)])
  const notes = await instance.notes()
  expect(notes).toHaveLength(ids.length * 40)
  const twice = { table: 'sightings', row: { tx: 'same', lamp: newId() } }
  await instance.actors.dispatch({ ...eventCommand(ids[0] ?? '', 'ring'), rows: [twice] })
  const before = (await instance.notes()).length
  expect(await instance.actors.dispatch({ ...createCommand(), rows: [twice] })).toMatchObject({ ok: false })
  expect(await instance.notes()).toHaveLength(before)
})
