import { expect, test } from 'bun:test'
import { assign, setup } from 'xstate'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { lamp } from './lamp.ts'
import { createLamp, doneOf, eventCommand, lampInstance, newId } from './lamps.ts'

const jobs = (sql: Awaited<ReturnType<typeof lampInstance>>['sql']) => sql<
  { task: string; key: string | null; payload: Record<string, unknown>; runAt: Date }[]
>`
  select t.identifier as task, j.key, j.payload, j.run_at as "runAt"
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  order by t.identifier, j.key`

test('several requests for a job with the same key in one batch make one job', async () => {
  await using instance = await lampInstance()
  const ids = await Promise.all(Array.from({ length: 5 }, () => createLamp(instance.actors)))
  await Promise.all(ids.map(id => instance.actors.dispatch(eventCommand(id, 'switch_on'))))
  await Promise.all(ids.map(id => instance.actors.dispatch(eventCommand(id, 'switch_off'))))
  const found = await jobs(instance.sql)
  expect(found.map(({ task, key }) => [task, key])).toEqual([['tell_janitor', 'janitor']])
  expect(ids).toContain(String(found[0]?.payload.lamp))
  expect(found[0]?.payload.effect).toBe(`${found[0]?.payload.lamp}:3:0`)
})

test('jobs without a key are separate, and a job may be scheduled for later', async () => {
  const at = new Date(Date.now() + 86_400_000)
  const machine = setup({
    actions: { count: assign({ switched: 1 }), ring: () => {}, ringLater: () => {} },
  }).createMachine({
    context: { room: null, switched: 0, burnMs: 0 },
    initial: 'off',
    states: { off: { on: { ring: { actions: ['count', 'ring', 'ring', 'ringLater'] } } } },
  })
  const bell = registered({
    name: 'lamp',
    table: 'lamps',
    version: 1,
    machine,
    columns: lamp.columns,
    history: [],
    effects: {
      ring: () => ({ task: 'ring', payload: {} }),
      ringLater: () => ({ task: 'ring_later', runAt: at, payload: {} }),
    },
  } as unknown as Kind)
  await using instance = await lampInstance({ kinds: [bell] })
  const id = newId()
  await instance.actors.dispatch({ kind: 'lamp', actor: id, create: {} })
  doneOf(await instance.actors.dispatch(eventCommand(id, 'ring')))
  const found = await jobs(instance.sql)
  expect(found.map(({ task, payload }) => [task, payload.effect])).toEqual([
    ['ring', `${id}:2:0`],
    ['ring', `${id}:2:1`],
    ['ring_later', `${id}:2:2`],
  ])
  expect(found[2]?.runAt).toEqual(at)
  expect(found[0]?.runAt.getTime()).toBeLessThan(Date.now() + 60_000)
})

test('an action whose effect is null requests no job', async () => {
  const quiet = registered({
    ...lamp,
    effects: { ...lamp.effects, tellJanitor: ({ context }) => (context.room === null ? null : letterTo(context.room)) },
  } satisfies typeof lamp)
  await using instance = await lampInstance({ kinds: [quiet] })
  for (const room of [null, 'attic']) {
    const id = await createLamp(instance.actors, { room })
    for (const type of ['switch_on', 'switch_off']) doneOf(await instance.actors.dispatch(eventCommand(id, type)))
  }
  expect((await jobs(instance.sql)).map(({ payload }) => payload.room)).toEqual(['attic'])
})

const letterTo = (room: string) => ({ task: 'tell_janitor', payload: { room } })
