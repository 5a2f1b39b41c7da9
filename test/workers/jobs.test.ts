import { expect, test } from 'bun:test'
import { liveWorkers } from '../../src/workers/queries.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { expectClean } from './clean.ts'
import { proxy } from './proxy.ts'
import { addRuns, countRuns, createRuns, workerProcess } from './worker-process.ts'

test('a job that always fails does not stop the others', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await sql`select graphile_worker.add_job('fail-always', '{}') from generate_series(1, 50)`
  await using worker = workerProcess(db.url)
  await addRuns(sql, 50, 10)
  await until(async () => (await countRuns(sql, 'done')) === 50)
  const failing = () =>
    sql`select from graphile_worker.jobs where task_identifier = 'fail-always' and attempts > 0 and locked_by is null`
  await until(async () => (await failing()).length === 50)
  expect(worker.ended()).toBe(false)
  await expectClean(sql)
})

test('a job with an unknown task does no harm, and stays', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await sql`select graphile_worker.add_job('of-a-later-version', '{}', priority => -10)`
  await using _worker = workerProcess(db.url)
  await addRuns(sql, 20, 10)
  await until(async () => (await countRuns(sql, 'done')) === 20)
  const [left] = await sql`select attempts, locked_by from graphile_worker.jobs`
  expect(left).toEqual({ attempts: 0, locked_by: null })
  await expectClean(sql)
})

test('an invalid payload fails its job and is not logged', async () => {
  await using db = await database()
  const { sql } = db
  await using worker = workerProcess(db.url)
  await sql`select graphile_worker.add_job('note-run', '{"n": "sk_secret", "ms": 1}')`
  const failed = async () => (await sql`select last_error from graphile_worker.jobs where last_error is not null`)[0]
  expect((await until(failed)).last_error).toBe('The payload of note-run is invalid: n must be a number')
  await until(() => worker.log().includes('job failed'))
  expect(worker.log()).not.toContain('sk_secret')
  await expectClean(sql)
})

test('when graphile-worker ends by itself it is restarted', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await using worker = workerProcess(db.url)
  await until(async () => (await liveWorkers(sql)).length === 1)
  const [before] = await liveWorkers(sql)
  await until(() => worker.log().includes('looking for jobs'))
  // It ends its pool without an error when a later version changes its tables.
  await until(async () => {
    await sql`select pg_notify('worker:migrate', '{"migrationNumber": 1000, "breaking": true}')`
    return worker.log().includes('stopped unexpectedly, restarting')
  })
  await addRuns(sql, 20, 10)
  await until(async () => (await countRuns(sql, 'done')) === 20)
  const after = await liveWorkers(sql)
  expect(after.length).toBe(1)
  expect(after).not.toContain(before)
  await expectClean(sql)
})

test('the database URL is never logged, whatever goes wrong', async () => {
  await using db = await database()
  const path = await proxy(db.url)
  // Anything in the URL would be logged with it.
  await using worker = workerProcess(`${path.url}?application_name=very-secret`)
  await until(async () => (await liveWorkers(db.sql)).length === 1)
  await path[Symbol.asyncDispose]()
  await until(() => worker.log().split('stopped unexpectedly, restarting').length > 3)
  await until(() => worker.log().includes('worker heartbeat failed, retrying'))
  expect(worker.log()).not.toContain('very-secret')
  await expectClean(db.sql)
}, 180_000)
