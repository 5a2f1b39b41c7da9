import { expect, test } from 'bun:test'
import { openLiveness } from '../../src/workers/liveness.ts'
import {
  deregisterDeadWorkers,
  deregisterWorkers,
  liveWorkers,
  recordHeartbeat,
  registerWorker,
} from '../../src/workers/queries.ts'
import { database } from '../harness/database.ts'
import { expectClean } from './clean.ts'

const alive = [{ id: 'a', beats: '7' }]
const ids = (workers: readonly { id: string }[]) => workers.map(({ id }) => id)

test('a worker without a heartbeat for longer than the limit is dead', () => {
  const { findDead } = openLiveness({ deadAfterMs: 10_000, gapMs: 5_000 })
  for (let at = 0; at <= 10_000; at += 1_000) expect(findDead(alive, at, at)).toEqual([])
  expect(ids(findDead(alive, 11_000, 11_000))).toEqual(['a'])
})

test('a changed heartbeat, later or earlier, starts the count again', () => {
  const { findDead } = openLiveness({ deadAfterMs: 2_000, gapMs: 5_000 })
  for (let at = 0; at < 50_000; at += 1_000) {
    expect(findDead([{ id: 'a', beats: String(Math.floor(at / 2_000) % 2) }], at, at)).toEqual([])
  }
})

test('time without checks does not count', () => {
  const { findDead } = openLiveness({ deadAfterMs: 10_000, gapMs: 5_000 })
  findDead(alive, 0, 0)
  expect(findDead(alive, 60_000, 60_000)).toEqual([])
  for (let at = 61_000; at <= 70_000; at += 1_000) expect(findDead(alive, at, at)).toEqual([])
  expect(ids(findDead(alive, 71_000, 71_000))).toEqual(['a'])
})

test('a response that took long condemns no worker', () => {
  const { findDead } = openLiveness({ deadAfterMs: 10_000, gapMs: 5_000 })
  findDead(alive, 0, 0)
  expect(findDead(alive, 1_000, 60_000)).toEqual([])
  expect(findDead(alive, 61_000, 61_000)).toEqual([])
})

const worker = (id: string) => ({ id, role: 'worker', host: 'here', pid: 1, version: '0' })

test('of two simultaneous reapers one deregisters each worker', async () => {
  await using db = await database()
  const { sql } = db
  const all = Array.from({ length: 20 }, (_, i) => `pool-${i}`)
  for (const id of all) await registerWorker(sql, worker(id))
  await sql`select graphile_worker.add_job('any', '{}') from generate_series(1, 20)`
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-' || id % 20`
  const silent = all.map(id => ({ id, beats: '0' }))
  const deregistered = await Promise.all([
    deregisterDeadWorkers(sql, silent),
    deregisterDeadWorkers(sql, silent.toReversed()),
  ])
  expect(deregistered.flat().sort()).toEqual(all.toSorted())
  expect(await liveWorkers(sql)).toEqual([])
  await expectClean(sql)
})

test('a worker with a heartbeat since it was checked is not deregistered', async () => {
  await using db = await database()
  const { sql } = db
  await registerWorker(sql, worker('pool-a'))
  await registerWorker(sql, worker('pool-b'))
  await recordHeartbeat(sql, 'pool-a')
  const silent = ['pool-a', 'pool-b'].map(id => ({ id, beats: '0' }))
  expect(await deregisterDeadWorkers(sql, silent)).toEqual(['pool-b'])
  expect(await recordHeartbeat(sql, 'pool-a')).toEqual([{ id: 'pool-a', beats: '1', own: true }])
  await expectClean(sql)
})

test('a worker that ends leaves no lock, and no other worker loses one', async () => {
  await using db = await database()
  const { sql } = db
  await sql`select graphile_worker.add_job('any', '{}') from generate_series(1, 2)`
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-' || id`
  const held = async () =>
    (await sql`select locked_by as id from graphile_worker.jobs where locked_by is not null`).map(r => r.id)
  const [first = '', second = ''] = await held()
  for (const id of [first, second]) await registerWorker(sql, worker(id))
  await deregisterWorkers(sql, [first])
  expect(await held()).toEqual([second])
  await expectClean(sql)
})
