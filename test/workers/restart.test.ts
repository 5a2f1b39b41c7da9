import { expect, test } from 'bun:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { liveWorkers } from '../../src/workers/queries.ts'
import { database } from '../harness/database.ts'
import { postgresServer } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { expectClean } from './clean.ts'
import { addRuns, countJobs, countLocks, countRuns, createRuns, workerProcess } from './worker-process.ts'

/** False instead of an error while the database is unreachable. */
const patiently = (condition: () => Promise<boolean>) => () => condition().catch(() => false)

const allDone = (sql: Sql, count: number) => patiently(async () => (await countRuns(sql, 'done')) === count)

for (const how of ['restart', 'kill'] as const) {
  test.concurrent(`a worker survives a ${how} of Postgres while jobs complete, and every job runs`, async () => {
    await using server = await postgresServer()
    await migrate(server.url)
    const sql = connect(server.url, { max: 2 })
    await createRuns(sql)
    await using worker = workerProcess(server.url)
    await addRuns(sql, 300, 20)
    await addRuns(sql, 20, 1_500)
    for (let restarts = 1; restarts <= 2; restarts++) {
      await until(
        patiently(async () => (await countRuns(sql, 'done')) > restarts * 60),
        { timeoutMs: 90_000 },
      )
      if (how === 'restart') await server.restart()
      else {
        await server.kill()
        await sleep(500)
        await server.start()
      }
    }
    const backAt = performance.now()
    await until(allDone(sql, 300), { timeoutMs: 90_000 })
    await until(
      patiently(async () => (await countJobs(sql)) === 0),
      { timeoutMs: 90_000 },
    )
    console.log(`all done ${Math.round(performance.now() - backAt)} ms after the last ${how}`)
    expect(await countLocks(sql)).toBe(0)
    // A failed job would wait for e^n seconds without having caused the failure.
    expect(worker.log()).not.toContain('job failed')
    expect(await liveWorkers(sql)).toHaveLength(1)
    expect(worker.ended()).toBe(false)
    await expectClean(sql)
    await sql.end({ timeout: 1 })
  }, 180_000)
}

test.concurrent('a worker survives a database that is unreachable for longer than the watchdog waits', async () => {
  await using server = await postgresServer()
  await migrate(server.url)
  const sql = connect(server.url, { max: 2 })
  await createRuns(sql)
  // Longer than a busy machine takes for an answer: a worker that waits longer than this ends itself.
  await using worker = workerProcess(server.url, { watchdogMs: 6_000 })
  await addRuns(sql, 40, 200)
  await until(async () => (await countRuns(sql, 'done')) > 5)
  await server.stop()
  await sleep(8_000)
  await server.start()
  const orEnded = (condition: () => Promise<boolean>) => async () => worker.ended() || condition()
  await until(orEnded(allDone(sql, 40)), { timeoutMs: 90_000 })
  await until(orEnded(patiently(async () => (await countJobs(sql)) === 0)))
  if (worker.ended()) console.log(worker.log())
  expect(worker.ended()).toBe(false)
  await expectClean(sql)
  await sql.end({ timeout: 1 })
}, 180_000)

test.concurrent('worker connections cut at random lose no job and leave no lock', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await using worker = workerProcess(db.url)
  await addRuns(sql, 1_000, 30)
  for (let cuts = 0; cuts < 12; cuts++) {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'paymachine worker' order by random() limit 1`
    await sleep(200)
  }
  await until(async () => (await countJobs(sql)) === 0, { timeoutMs: 90_000 })
  expect(await countRuns(sql, 'done')).toBe(1_000)
  expect(worker.ended()).toBe(false)
  await expectClean(sql)
}, 180_000)

test.concurrent('a job that terminates its own connection every time is failed, and the others run', async () => {
  await using db = await database()
  const { sql } = db
  await createRuns(sql)
  await using worker = workerProcess(db.url)
  await sql`select graphile_worker.add_job('end-own-backend')`
  await addRuns(sql, 20, 100)
  await until(allDone(sql, 20), { timeoutMs: 90_000 })
  await until(async () => (await sql`select from graphile_worker.jobs where last_error is not null`).length === 1, {
    timeoutMs: 90_000,
  })
  const begun = () => worker.log().split('worker started').length
  const before = begun()
  await addRuns(sql, 20, 100)
  await until(async () => (await countJobs(sql)) === 1, { timeoutMs: 90_000 })
  expect(begun()).toBe(before)
  await expectClean(sql)
}, 180_000)
