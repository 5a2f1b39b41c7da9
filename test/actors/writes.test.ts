import { expect, test } from 'bun:test'
import { assign, setup } from 'xstate'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { lamp } from './lamp.ts'
import { doneOf, lampHouse, makeLamp, newId, newLamp, openHouse, tell } from './lamps.ts'

const machine = setup({
  actions: { count: assign({ switched: ({ context }) => context.switched + 1 }), note: () => {} },
}).createMachine({
  context: { room: null as string | null, switched: 0, burnMs: 0 },
  initial: { target: 'off', actions: 'note' },
  states: { off: { on: { ring: { actions: ['count', 'note'] } } } },
})

/** Every command of it has a row of `notes` written, but for each third ring. */
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

const bellHouse = async () => {
  const house = await lampHouse({ kinds: [bell] })
  await house.sql.unsafe(`
    create table notes (n integer generated always as identity, lamp uuid, text text, after integer, switched integer);
    create function write_note(bell uuid, given json) returns void language sql as $$
      insert into notes (lamp, text, after, switched)
      select bell, given->>'text', (given->>'after')::integer, (select switched from lamps where id = bell)
    $$`)
  const notes = () => house.sql<{ lamp: string; text: string; after: number | null; switched: number }[]>`
    select lamp, text, after, switched from notes order by n`
  return { ...house, notes }
}

test('an action calls its function in the commit of its transition, once for each step, on the row as it is left', async () => {
  await using house = await bellHouse()
  const id = await newLamp(house.actors)
  await Promise.all([tell(id, 'ring'), tell(id, 'ring'), tell(id, 'ring')].map(house.actors.dispatch))
  expect([...(await house.notes())]).toEqual([
    { lamp: id, text: '"0" \\', after: null, switched: 0 },
    { lamp: id, text: '"1" \\', after: 1, switched: 3 },
    { lamp: id, text: '"3" \\', after: 3, switched: 3 },
  ])
  const commits = await house.sql`select distinct xmin from notes`
  expect(commits).toHaveLength(2)
})

test('of new actors and stored ones, each is called where its row is there', async () => {
  await using house = await bellHouse()
  const [old, made] = [await newLamp(house.actors), newId()]
  expect(await house.actors.dispatchBundle([makeLamp({}, made), tell(old, 'ring')])).toMatchObject({ ok: true })
  expect((await house.notes()).map(({ lamp, switched }) => [lamp, switched])).toEqual([
    [old, 0],
    [old, 1],
    [made, 0],
  ])
})

test('actors are written in the order of their ids, whatever the order of their commands', async () => {
  await using house = await bellHouse()
  const ids = await Promise.all(Array.from({ length: 8 }, () => newLamp(house.actors)))
  await house.sql`delete from notes`
  await Promise.all(ids.toReversed().map(id => house.actors.dispatch(tell(id, 'ring'))))
  expect((await house.notes()).map(({ lamp }) => lamp)).toEqual(ids.toSorted())
})

test('what conflicts or is refused writes nothing', async () => {
  await using house = await bellHouse()
  await using others = {
    house: await openHouse(house.url, { kinds: [bell] }),
    [Symbol.asyncDispose]: () => others.house.close(),
  }
  const ids = await Promise.all(Array.from({ length: 4 }, () => newLamp(house.actors)))
  await house.sql`delete from notes`
  const ring = ({ actors }: typeof others.house) =>
    Promise.all(
      ids.flatMap(id => Array.from({ length: 30 }, async () => doneOf(await actors.dispatch(tell(id, 'ring'))))),
    )
  await Promise.all([ring(house), ring(others.house)])
  const notes = await house.notes()
  expect(notes).toHaveLength(ids.length * 40)
  const twice = { table: 'sightings', row: { tx: 'same', lamp: newId() } }
  await house.actors.dispatch({ ...tell(ids[0] ?? '', 'ring'), rows: [twice] })
  const before = (await house.notes()).length
  expect(await house.actors.dispatch({ ...makeLamp(), rows: [twice] })).toMatchObject({ ok: false })
  expect(await house.notes()).toHaveLength(before)
})
