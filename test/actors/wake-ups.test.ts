import { expect, test } from 'bun:test'
import { assign, setup } from 'xstate'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { lamp } from './lamp.ts'
import { doneOf, lampHouse, newLamp, tell } from './lamps.ts'

const machine = setup({
  actions: { count: assign({ switched: 1 }), wake: () => {} },
}).createMachine({
  context: { room: null, switched: 0, burnMs: 0 },
  initial: 'off',
  states: { off: { on: { ring: { actions: ['count', 'wake'] } } } },
})

/** Every command of it asks for the same job. */
const bell = registered({
  ...lamp,
  machine,
  history: [],
  timers: {},
  effects: { wake: () => ({ task: 'wake', key: 'wake', payload: { all: true } }) },
} as unknown as Kind)

const bellHouse = async () => {
  const house = await lampHouse({ kinds: [bell] })
  const id = await newLamp(house.actors)
  const ring = async () => doneOf(await house.actors.dispatch(tell(id, 'ring')))
  const jobs = () => house.sql<{ key: string | null; revision: number; waits: boolean }[]>`
    select key, revision, run_at <= clock_timestamp() as waits from graphile_worker._private_jobs order by id`
  const change = (what: string) =>
    house.sql.unsafe(`update graphile_worker._private_jobs set ${what} where key = 'wake'`)
  return { ...house, ring, jobs, change }
}

test('a wake-up that waits is asked for once', async () => {
  await using house = await bellHouse()
  await until(async () => {
    await house.ring()
    const [before] = await house.jobs()
    await house.ring()
    const after = await house.jobs()
    expect(after).toHaveLength(1)
    return before?.revision === after[0]?.revision
  })
})

test('a wake-up that has waited for a while, was tried before, or waits for a later time, is asked for again', async () => {
  await using house = await bellHouse()
  await house.ring()
  for (const what of [
    `updated_at = now() - interval '1 s'`,
    `updated_at = now() + interval '1 h'`,
    'attempts = 1, updated_at = clock_timestamp()',
    `run_at = now() + interval '1 h', updated_at = clock_timestamp()`,
    `payload = '{"all": false}', updated_at = clock_timestamp()`,
  ]) {
    const [before] = await house.jobs()
    await house.change(what)
    await house.ring()
    expect([...(await house.jobs())]).toEqual([{ key: 'wake', revision: (before?.revision ?? 0) + 1, waits: true }])
  }
})

test('a wake-up that a worker has taken is asked for anew', async () => {
  await using house = await bellHouse()
  await house.ring()
  await house.change(`locked_at = now(), locked_by = 'somebody', updated_at = clock_timestamp()`)
  await house.ring()
  expect((await house.jobs()).map(({ key }) => key)).toEqual([null, 'wake'])
})

test('no worker takes a wake-up that a commit under way relies on', async () => {
  await using house = await bellHouse()
  await house.ring()
  const commit = connect(house.url, { max: 1 })
  const look = () => commit<{ missing: number }[]>`
    select cardinality(find_missing(array[row('{0}', 'wake', 'x', null, 'wake')::job_entry], '[{"all": true}]', null)) as missing`
  await until(async () => {
    await house.change('updated_at = clock_timestamp()')
    await commit`begin`
    const [row] = await look()
    if (row?.missing === 0) return true
    await commit`rollback`
    return false
  })
  const take = () => house.sql`select id from graphile_worker._private_jobs where key = 'wake' for update skip locked`
  expect(await take()).toHaveLength(0)
  await commit`commit`
  expect(await take()).toHaveLength(1)
  await commit.end()
})
