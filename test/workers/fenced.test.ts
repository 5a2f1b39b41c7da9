import { expect, test } from 'bun:test'
import { liveWorkers } from '../../src/workers/queries.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { expectClean } from './clean.ts'
import { addRuns, countJobs, countLocks, countRuns, createRuns, workerProcess } from './worker-process.ts'

const quick = { heartbeatMs: 100, deadAfterMs: 1_000 }

test.concurrent('a worker that was frozen and taken for dead returns as a new worker', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await using stopped = workerProcess(db.url, quick)
  await until(async () => (await liveWorkers(sql)).length === 1)
  const [before] = await liveWorkers(sql)
  await using other = workerProcess(db.url, quick)
  await until(async () => (await liveWorkers(sql)).length === 2)

  await addRuns(sql, 20, 500)
  await until(async () => (await sql`select from runs where pid = ${stopped.pid} limit 1`).length > 0)
  stopped.signal('SIGSTOP')
  await until(async () => !(await liveWorkers(sql)).includes(before ?? ''))
  await until(async () => (await countJobs(sql)) === 0, { timeoutMs: 90_000 })
  stopped.signal('SIGCONT')

  await until(async () => (await liveWorkers(sql)).length === 2)
  expect(await liveWorkers(sql)).not.toContain(before)
  await addRuns(sql, 20, 10)
  await until(async () => (await countJobs(sql)) === 0)
  expect(await countLocks(sql)).toBe(0)
  expect(await countRuns(sql, 'done')).toBe(20)
  expect(stopped.ended()).toBe(false)
  expect(other.log()).toContain('dead workers deregistered')
  await expectClean(sql)
}, 180_000)

test.concurrent('a single process frees the jobs of workers that were killed before it started', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await using killed = workerProcess(db.url, quick)
  await addRuns(sql, 5, 60_000)
  await until(async () => (await countRuns(sql, 'begun')) === 5)
  killed.signal('SIGKILL')
  await killed.exited
  await using _next = workerProcess(db.url, quick)
  await until(async () => (await sql`select from runs where pid <> ${killed.pid}`).length === 5)
  await expectClean(sql)
}, 180_000)

test.concurrent('a job locked by no worker is freed', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await addRuns(sql, 3, 10)
  await sql`update graphile_worker._private_jobs set locked_by = 'pool-gone', locked_at = now()`
  await using _worker = workerProcess(db.url, quick)
  await until(async () => (await countRuns(sql, 'done')) === 3, { timeoutMs: 90_000 })
  await expectClean(sql)
}, 180_000)

test.concurrent("a jump of the database's clock kills no worker", async () => {
  await using db = await database()
  const { sql } = db
  await using _one = workerProcess(db.url, quick)
  await using _other = workerProcess(db.url, quick)
  await until(async () => (await liveWorkers(sql)).length === 2)
  const before = await liveWorkers(sql)
  // What a jump looks like when times are compared.
  await sql`update workers set beat_at = beat_at - interval '1 hour', started_at = started_at + interval '1 hour'`
  const beats = async () => (await sql`select min(beats)::integer as least from workers`)[0]?.least
  const reached = (await beats()) + 30
  await until(async () => (await beats()) > reached)
  expect(await liveWorkers(sql)).toEqual(before)
  await expectClean(sql)
}, 180_000)
