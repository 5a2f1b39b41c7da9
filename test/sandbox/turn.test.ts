import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { databaseClock } from '../../src/clock.ts'
import type { Dependencies } from '../../src/dependencies.ts'
import { openLog } from '../../src/log.ts'
import { beginSimulation } from '../../src/queries/simulations.ts'
import { runInTurn } from '../../src/sandbox/simulate/turn.ts'
import { type Database, database } from '../harness/database.ts'
import { until } from '../harness/until.ts'

let db: Database
let outside: Dependencies

beforeAll(async () => {
  db = await database()
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
  outside = { sql: db.sql, clock: databaseClock(), random, log: openLog('silent') }
})
afterAll(() => db[Symbol.asyncDispose]())
beforeEach(async () => {
  await db.sql`delete from simulations`
})

const kept = async () => (await db.sql`select from simulations`).length

/** A scenario that runs until it is released. */
const runScenario = (
  name: string,
  order: string[],
  { reorganizes = false, paymentId = crypto.randomUUID() as string } = {},
) => {
  const { promise: end, resolve: release } = Promise.withResolvers<void>()
  const done = runInTurn(outside, { paymentId, reorganizes, idempotencyKey: null }, async () => {
    order.push(`${name} begins`)
    await end
    order.push(`${name} ends`)
  })
  return { release, done }
}

/** The rows of a process that was killed in the middle. */
const leftBehind = async (reorganizes: boolean, seconds: number): Promise<string> => {
  const paymentId = crypto.randomUUID()
  await beginSimulation(db.sql, { paymentId, holder: crypto.randomUUID(), reorganizes, idempotencyKey: null })
  await db.sql`update simulations set touched_at = clock_timestamp() - make_interval(secs => ${15 - seconds})`
  return paymentId
}

test('scenarios that only pay run in parallel; one that removes blocks waits for them, and later ones wait for it', async () => {
  const order: string[] = []
  const [a, b] = [runScenario('a', order), runScenario('b', order)]
  await until(() => order.length === 2)
  const reorganizing = runScenario('reorganisation', order, { reorganizes: true })
  await until(async () => (await kept()) === 3)
  const behind = runScenario('behind', order)
  await until(async () => (await kept()) === 4)
  a.release()
  await a.done
  b.release()
  await until(() => order.includes('reorganisation begins'))
  reorganizing.release()
  behind.release()
  await Promise.all([b.done, reorganizing.done, behind.done])
  expect(order.slice(0, 2).sort()).toEqual(['a begins', 'b begins'])
  expect(order.slice(2)).toEqual([
    ...['a ends', 'b ends', 'reorganisation begins', 'reorganisation ends', 'behind begins', 'behind ends'],
  ])
  expect(await kept()).toBe(0)
})

test('two scenarios that remove blocks exclude each other', async () => {
  const order: string[] = []
  const all = Array.from({ length: 5 }, (_, n) => runScenario(String(n), order, { reorganizes: true }))
  for (const each of all) each.release()
  await Promise.all(all.map(({ done }) => done))
  for (const [n, line] of order.entries())
    if (n % 2 === 1) expect(line).toBe(order[n - 1]?.replace('begins', 'ends') ?? '')
})

test('the turn of a killed process is free when its time is over, and not earlier', async () => {
  const order: string[] = []
  await leftBehind(true, 1)
  const waiting = runScenario('waiting', order)
  waiting.release()
  await until(async () => (await kept()) === 2)
  expect(order).toEqual([])
  await waiting.done
  expect(order).toEqual(['waiting begins', 'waiting ends'])

  const paymentId = await leftBehind(false, 15)
  const same = Promise.allSettled([runScenario('same payment', order, { paymentId }).done])
  let isOver = false
  void same.then(() => {
    isOver = true
  })
  // As its process does while it runs.
  await until(async () => {
    await db.sql`update simulations set touched_at = clock_timestamp()`
    return isOver
  })
  expect(await same).toEqual([{ status: 'rejected', reason: expect.objectContaining({ code: 'state_conflict' }) }])
  await db.sql`update simulations set touched_at = '2020-01-01'`
  const again = runScenario('same payment', order, { paymentId })
  again.release()
  await again.done
})

test('a failed scenario leaves nothing, and one that was taken for dead stops', async () => {
  const asked = { paymentId: crypto.randomUUID(), reorganizes: true, idempotencyKey: null }
  const failing = runInTurn(outside, asked, () => Promise.reject(new Error('a fault')))
  await expect(failing).rejects.toThrow('a fault')
  expect(await kept()).toBe(0)
  const late = runInTurn(outside, asked, async turn => {
    await turn.confirm()
    await db.sql`delete from simulations`
    await turn.confirm()
  })
  await expect(late).rejects.toMatchObject({ code: 'service_unavailable' })
})
