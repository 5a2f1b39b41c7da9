import { expect, test } from 'bun:test'
import { liveWorkers } from '../../src/workers/queries.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { expectClean } from './clean.ts'
import { addRuns, countJobs, countLocks, countRuns, createRuns, workerProcess } from './worker-process.ts'

test.concurrent('SIGTERM under load lets jobs in progress finish, exits 0 within 20 s and leaves no lock', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await using worker = workerProcess(db.url)
  await addRuns(sql, 500, 700)
  await until(async () => (await countRuns(sql, 'done')) > 20)
  // While some are running.
  await until(async () => (await countRuns(sql, 'begun')) > (await countRuns(sql, 'done')) + 5)
  worker.signal('SIGTERM')
  const askedAt = performance.now()
  expect(await worker.exited).toEqual({ code: 0, signal: null })
  const tookMs = performance.now() - askedAt
  console.log(`exited ${Math.round(tookMs)} ms after SIGTERM`)
  expect(tookMs).toBeLessThan(20_000)
  expect(await countRuns(sql, 'done')).toBe(await countRuns(sql, 'begun'))
  expect(await countJobs(sql)).toBe(500 - (await countRuns(sql, 'done')))
  expect(await countLocks(sql)).toBe(0)
  expect(await liveWorkers(sql)).toEqual([])
  await expectClean(sql)
}, 180_000)

test.concurrent('a job that takes too long is freed, and the process still exits within 20 s', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await using worker = workerProcess(db.url)
  await addRuns(sql, 3, 120_000)
  await until(async () => (await countRuns(sql, 'begun')) === 3)
  worker.signal('SIGTERM')
  const askedAt = performance.now()
  expect(await worker.exited).toEqual({ code: 0, signal: null })
  const tookMs = performance.now() - askedAt
  console.log(`exited ${Math.round(tookMs)} ms after SIGTERM`)
  expect(tookMs).toBeLessThan(20_000)
  expect(await countLocks(sql)).toBe(0)
  expect(await countJobs(sql)).toBe(3)
  expect(await liveWorkers(sql)).toEqual([])
  await expectClean(sql)
}, 180_000)
