import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type } from 'arktype'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { openPool } from '../../src/workers/pool.ts'
import { openRunner } from '../../src/workers/runner.ts'
import { task } from '../../src/workers/task.ts'
import { database } from '../harness/database.ts'
import { databaseProxy } from '../harness/proxy.ts'

const LISTEN = 'LISTEN "jobs:insert"'

test('a runner that stops while its notification connection is lost does not cause unhandled rejections', async () => {
  await using db = await database()
  await using path = await databaseProxy(db.url)
  const outside = {
    sql: db.sql,
    clock: databaseClock(),
    random: crypto.getRandomValues.bind(crypto),
    log: openLog('silent'),
  }
  const world = { ...outside, actors: await openActors(outside, []) }
  const tasks = { 'do-nothing': task(type({}), async () => {}) }
  const held = path.hold(LISTEN)
  const runner = await openRunner(world, { databaseUrl: path.url, tasks, concurrency: 2, pollMs: 500 })
  const listening = await held
  const closed = runner.close(5_000)
  // By then it has released the connection once, and waits for a response on it.
  await turn()
  listening.lose()
  expect(await closed).toBe(true)
  // An unhandled rejection fails this test, as it ends a server.
  await turn()
})

test('a pool accepts a connection back once, and an ended pool refuses new requests', async () => {
  await using db = await database()
  const pool = openPool({ databaseUrl: db.url, max: 1 })
  const taken = await new Promise<() => void>((resolve, reject) =>
    pool.connect((error, _, release) => (error ? reject(error) : resolve(release))),
  )
  taken()
  taken()
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await pool.end()
  const refused = await new Promise<Error | undefined>(resolve =>
    pool.connect((error, _, release) => {
      release()
      resolve(error)
    }),
  )
  expect(refused?.message).toContain('after calling end')
})
