import { expect, test } from 'bun:test'
import { liveWorkers } from '../../src/workers/queries.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { expectClean } from './clean.ts'
import { addRuns, countJobs, countRuns, createRuns, workerProcess } from './worker-process.ts'

test("a killed worker's jobs all run again within 30 s", async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await using killed = workerProcess(db.url)
  await using survivor = workerProcess(db.url)
  await until(async () => (await liveWorkers(sql)).length === 2)

  // More than both run at the same time: some wait in the memory of the killed one.
  await addRuns(sql, 60, 1_500)
  await until(async () => (await sql`select from runs where pid = ${killed.pid} limit 1`).length > 0)
  killed.signal('SIGKILL')
  await killed.exited
  const killedAt = performance.now()

  await until(async () => (await countJobs(sql)) === 0, { timeoutMs: 35_000 })
  const tookMs = performance.now() - killedAt
  console.log(`all jobs done ${Math.round(tookMs)} ms after the kill`)
  expect(tookMs).toBeLessThan(30_000)
  expect(await countRuns(sql, 'done')).toBe(60)
  expect((await liveWorkers(sql)).length).toBe(1)
  expect(survivor.ended()).toBe(false)
  await expectClean(sql)
}, 180_000)
