import { expect, test } from 'bun:test'
import { assign, setup } from 'xstate'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { connect } from '../../src/postgres/connect.ts'
import { startWorker } from '../../src/workers/worker.ts'
import { until } from '../harness/until.ts'
import { lamp } from './lamp.ts'
import { createLamp, doneOf, eventCommand, lampInstance } from './lamps.ts'

const machine = setup({
  actions: { count: assign({ switched: 1 }), wake: () => {} },
}).createMachine({
  context: { room: null, switched: 0, burnMs: 0 },
  initial: 'off',
  states: { off: { on: { ring: { actions: ['count', 'wake'] } } } },
})

/** Every command of it requests the same job. */
const bell = registered({
  ...lamp,
  machine,
  history: [],
  timers: {},
  effects: { wake: () => ({ task: 'wake', key: 'wake', payload: { all: true } }) },
} as unknown as Kind)

const bellInstance = async () => {
  const instance = await lampInstance({ kinds: [bell] })
  const id = await createLamp(instance.actors)
  const ring = async () => doneOf(await instance.actors.dispatch(eventCommand(id, 'ring')))
  const jobs = () => instance.sql<{ key: string | null; revision: number; waits: boolean }[]>`
    select key, revision, run_at <= clock_timestamp() as waits from graphile_worker._private_jobs order by id`
  const change = (what: string) =>
    instance.sql.unsafe(`update graphile_worker._private_jobs set ${what} where key = 'wake'`)
  const take = () =>
    instance.sql`select id from graphile_worker._private_jobs where key = 'wake' for update skip locked`
  return { ...instance, id, ring, jobs, change, take }
}

test('a wake-up that waits already is not added again', async () => {
  await using instance = await bellInstance()
  await until(async () => {
    await instance.ring()
    const [before] = await instance.jobs()
    await instance.ring()
    const after = await instance.jobs()
    expect(after).toHaveLength(1)
    return before?.revision === after[0]?.revision
  })
})

test('a wake-up that has waited for a while, was tried before or is scheduled later is added again', async () => {
  await using instance = await bellInstance()
  await instance.ring()
  for (const what of [
    `updated_at = now() - interval '1 s'`,
    `updated_at = now() + interval '1 h'`,
    'attempts = 1, updated_at = clock_timestamp()',
    `run_at = now() + interval '1 h', updated_at = clock_timestamp()`,
    `payload = '{"all": false}', updated_at = clock_timestamp()`,
  ]) {
    const [before] = await instance.jobs()
    await instance.change(what)
    await instance.ring()
    expect([...(await instance.jobs())]).toEqual([{ key: 'wake', revision: (before?.revision ?? 0) + 1, waits: true }])
  }
})

test('a wake-up that a worker has locked is added again', async () => {
  await using instance = await bellInstance()
  await instance.ring()
  await instance.change(`locked_at = now(), locked_by = 'worker', updated_at = clock_timestamp()`)
  await instance.ring()
  expect((await instance.jobs()).map(({ key }) => key)).toEqual([null, 'wake'])
})

test('a wake-up that a worker is just locking is added again', async () => {
  await using instance = await bellInstance()
  await instance.ring()
  const worker = connect(instance.url, { max: 1 })
  await worker`begin`
  // With the query of graphile-worker.
  await worker`
    with taken as (select id from graphile_worker._private_jobs for update skip locked)
    update graphile_worker._private_jobs j set locked_at = now(), locked_by = 'somebody', attempts = 1
    from taken where j.id = taken.id`
  // With a job without a key, which must not be added twice.
  const asked = instance.sql`
    select ask_for_jobs(array[('other', '{}', null, null, null, null, null, null),
      ('wake', '{"all": true}', null, null, null, 'wake', null, null)]::graphile_worker.job_spec[])`.execute()
  await until(async () => {
    const waiting = await instance.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length > 0
  })
  await worker`commit`
  await asked
  const jobs = await instance.sql`
    select task_identifier as task, key from graphile_worker.jobs order by task_identifier, key nulls first`
  expect(jobs.map(({ task, key }) => `${task} ${key}`)).toEqual(['other null', 'wake null', 'wake wake'])
  await worker.end()
})

/** A commit in progress that requests the wake-up. Returns how many jobs it adds for it. */
const askingIn = async (url: string) => {
  const sql = connect(url, { max: 1 })
  await sql`begin`
  return {
    ask: async () => {
      const [row] = await sql<{ missing: number }[]>`
        select cardinality(find_missing(
          array[row('{0}', 'wake', 'x', null, 'wake')::job_entry], '[{"all": true}]', null)) as missing`
      return row?.missing
    },
    end: async (how: 'commit' | 'rollback') => {
      await sql.unsafe(how)
      await sql.end()
    },
  }
}

test('no worker locks a wake-up that a commit in progress relies on', async () => {
  await using instance = await bellInstance()
  await instance.ring()
  const asking = await until(async () => {
    const tried = await askingIn(instance.url)
    await instance.change('updated_at = clock_timestamp()')
    if ((await tried.ask()) === 0) return tried
    await tried.end('rollback')
    return undefined
  })
  expect(await instance.take()).toHaveLength(0)
  await asking.end('commit')
  expect(await instance.take()).toHaveLength(1)
})

test('of two simultaneous commits that find an old wake-up one adds it again, and neither waits for the other', async () => {
  await using instance = await bellInstance()
  await instance.ring()
  await instance.change(`updated_at = now() - interval '1 s'`)
  const [one, two] = [await askingIn(instance.url), await askingIn(instance.url)]
  expect(await one.ask()).toBe(1)
  expect(await two.ask()).toBe(0)
  await one.end('rollback')
  expect(await instance.take()).toHaveLength(0)
  await two.end('commit')
  expect(await instance.take()).toHaveLength(1)
})

test('with continuous requests a worker runs repeatedly, and once after the last request', async () => {
  await using instance = await bellInstance()
  await using running = new AsyncDisposableStack()
  const bells = await Promise.all(Array.from({ length: 64 }, () => createLamp(instance.actors)))
  const rung = async () => Number((await instance.sql<{ rung: string }[]>`select sum(rev) as rung from lamps`)[0]?.rung)
  const runs: number[] = []
  const worker = startWorker(
    { ...instance.world, actors: instance.actors },
    { databaseUrl: instance.url, tasks: { wake: async () => void runs.push(await rung()) }, role: 'worker' },
  )
  running.defer(() => worker.stop())
  await until(() => worker.healthy())
  // Long enough for several runs on a slow machine. A worker that runs only in pauses would run once.
  const began = performance.now()
  const isEnough = () => runs.length > 3 && performance.now() > began + 1_500
  await Promise.all(
    bells.map(async bell => {
      while (!isEnough() && performance.now() < began + 20_000)
        doneOf(await instance.actors.dispatch(eventCommand(bell, 'ring')))
    }),
  )
  const last = await rung()
  await until(() => runs.includes(last))
  // Not only after the last request.
  expect(runs.filter(each => each < last).length).toBeGreaterThan(3)
})
