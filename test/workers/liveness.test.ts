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

const quiet = [{ id: 'a', beats: '7' }]
const ids = (workers: readonly { id: string }[]) => workers.map(({ id }) => id)

test('who has not beaten for longer than the limit is silent', () => {
  const { findDead } = openLiveness({ deadAfterMs: 10_000, gapMs: 5_000 })
  for (let at = 0; at <= 10_000; at += 1_000) expect(findDead(quiet, at, at)).toEqual([])
  expect(ids(findDead(quiet, 11_000, 11_000))).toEqual(['a'])
})

test('a beat, forward or backward, starts the count anew', () => {
  const { findDead } = openLiveness({ deadAfterMs: 2_000, gapMs: 5_000 })
  for (let at = 0; at < 50_000; at += 1_000) {
    expect(findDead([{ id: 'a', beats: String(Math.floor(at / 2_000) % 2) }], at, at)).toEqual([])
  }
})

test('time in which nobody looked does not count', () => {
  const { findDead } = openLiveness({ deadAfterMs: 10_000, gapMs: 5_000 })
  findDead(quiet, 0, 0)
  expect(findDead(quiet, 60_000, 60_000)).toEqual([])
  for (let at = 61_000; at <= 70_000; at += 1_000) expect(findDead(quiet, at, at)).toEqual([])
  expect(ids(findDead(quiet, 71_000, 71_000))).toEqual(['a'])
})

test('an answer that was long on its way condemns nobody', () => {
  const { findDead } = openLiveness({ deadAfterMs: 10_000, gapMs: 5_000 })
  findDead(quiet, 0, 0)
  expect(findDead(quiet, 1_000, 60_000)).toEqual([])
  expect(findDead(quiet, 61_000, 61_000)).toEqual([])
})

const worker = (id: string) => ({ id, role: 'worker', host: 'here', pid: 1, version: '0' })

test('of two reapers at once each worker is reaped by one', async () => {
  await using db = await database()
  const { sql } = db
  const all = Array.from({ length: 20 }, (_, i) => `pool-${i}`)
  for (const id of all) await registerWorker(sql, worker(id))
  await sql`select graphile_worker.add_job('any', '{}') from generate_series(1, 20)`
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-' || id % 20`
  const silent = all.map(id => ({ id, beats: '0' }))
  const reaped = await Promise.all([
    deregisterDeadWorkers(sql, silent),
    deregisterDeadWorkers(sql, silent.toReversed()),
  ])
  expect(reaped.flat().sort()).toEqual(all.toSorted())
  expect(await liveWorkers(sql)).toEqual([])
  await expectClean(sql)
})

test('a worker that has beaten since it was looked at is not reaped', async () => {
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

test('who ends leaves no lock, and nobody else loses one', async () => {
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
