import { expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { liveWorkers } from '../../src/workers/queries.ts'
import { startWorker } from '../../src/workers/worker.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'

test('workers know their share of the work, and an empty list of tasks is accepted', async () => {
  await using db = await database()
  const { sql } = db
  const outside = { sql, clock: databaseClock(), random: crypto.getRandomValues.bind(crypto), log: openLog('silent') }
  const world = { ...outside, actors: await openActors(outside, []) }
  const begin = () => startWorker(world, { databaseUrl: db.url, tasks: {}, role: 'worker', heartbeatMs: 50 })
  const workers = [begin(), begin(), begin()]
  expect(workers.map(worker => worker.share().position)).toEqual([-1, -1, -1])

  const shares = () => workers.map(worker => worker.share())
  await until(() => shares().every(({ count, position }) => count === 3 && position >= 0))
  expect(
    shares()
      .map(({ position }) => position)
      .sort(),
  ).toEqual([0, 1, 2])
  expect(workers.every(worker => worker.healthy())).toBe(true)

  await workers.pop()?.stop()
  await until(() => shares().every(({ count }) => count === 2))
  await Promise.all(workers.map(worker => worker.stop()))
  expect(workers.some(worker => worker.healthy())).toBe(false)
  expect(await liveWorkers(sql)).toEqual([])
})
