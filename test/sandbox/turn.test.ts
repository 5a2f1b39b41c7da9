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

/** One that is acted until it is let go. */
const acted = (
  name: string,
  order: string[],
  { reorganizes = false, paymentId = crypto.randomUUID() as string } = {},
) => {
  const { promise: end, resolve: letGo } = Promise.withResolvers<void>()
  const done = runInTurn(outside, { paymentId, reorganizes, idempotencyKey: null }, async () => {
    order.push(`${name} begins`)
    await end
    order.push(`${name} ends`)
  })
  return { letGo, done }
}

/** As a process leaves it that was killed in the middle. */
const leftBehind = async (reorganizes: boolean, seconds: number): Promise<string> => {
  const paymentId = crypto.randomUUID()
  await beginSimulation(db.sql, { paymentId, holder: crypto.randomUUID(), reorganizes, idempotencyKey: null })
  await db.sql`update simulations set touched_at = clock_timestamp() - make_interval(secs => ${15 - seconds})`
  return paymentId
}

test('payers act at once, a reorganisation waits for those before it, and those behind wait for it', async () => {
  const order: string[] = []
  const [a, b] = [acted('a', order), acted('b', order)]
  await until(() => order.length === 2)
  const reorganizing = acted('reorganisation', order, { reorganizes: true })
  await until(async () => (await kept()) === 3)
  const behind = acted('behind', order)
  await until(async () => (await kept()) === 4)
  a.letGo()
  await a.done
  b.letGo()
  await until(() => order.includes('reorganisation begins'))
  reorganizing.letGo()
  behind.letGo()
  await Promise.all([b.done, reorganizing.done, behind.done])
  expect(order.slice(0, 2).sort()).toEqual(['a begins', 'b begins'])
  expect(order.slice(2)).toEqual([
    ...['a ends', 'b ends', 'reorganisation begins', 'reorganisation ends', 'behind begins', 'behind ends'],
  ])
  expect(await kept()).toBe(0)
})

test('reorganisations exclude each other', async () => {
  const order: string[] = []
  const all = Array.from({ length: 5 }, (_, n) => acted(String(n), order, { reorganizes: true }))
  for (const each of all) each.letGo()
  await Promise.all(all.map(({ done }) => done))
  for (const [n, line] of order.entries())
    if (n % 2 === 1) expect(line).toBe(order[n - 1]?.replace('begins', 'ends') ?? '')
})

test('what a killed process held is free when its time is over, and not before', async () => {
  const order: string[] = []
  await leftBehind(true, 1)
  const waiting = acted('waiting', order)
  waiting.letGo()
  await until(async () => (await kept()) === 2)
  expect(order).toEqual([])
  await waiting.done
  expect(order).toEqual(['waiting begins', 'waiting ends'])

  const paymentId = await leftBehind(false, 15)
  const same = Promise.allSettled([acted('same payment', order, { paymentId }).done])
  let isOver = false
  void same.then(() => {
    isOver = true
  })
  // As its process does while it goes on.
  await until(async () => {
    await db.sql`update simulations set touched_at = clock_timestamp()`
    return isOver
  })
  expect(await same).toEqual([{ status: 'rejected', reason: expect.objectContaining({ code: 'state_conflict' }) }])
  await db.sql`update simulations set touched_at = '2020-01-01'`
  const again = acted('same payment', order, { paymentId })
  again.letGo()
  await again.done
})

test('one that fails leaves nothing, and one that was taken for dead does nothing more', async () => {
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
