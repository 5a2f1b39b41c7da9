import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { databaseClock } from '../../src/clock.ts'
import type { Dependencies } from '../../src/dependencies.ts'
import { openLog } from '../../src/log.ts'
import { runInTurn } from '../../src/sandbox/simulate/turn.ts'
import { type Database, database } from '../harness/database.ts'

let db: Database
let outside: Dependencies

beforeAll(async () => {
  db = await database()
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
  outside = { sql: db.sql, clock: databaseClock(), random, log: openLog('silent') }
})
afterAll(() => db[Symbol.asyncDispose]())

/** A process in the middle of a scenario that removes blocks. */
const acting = async (paymentId: string) => {
  const preload = fileURLToPath(new URL('../harness/end-with-parent.ts', import.meta.url))
  const program = fileURLToPath(new URL('./turn-program.ts', import.meta.url))
  const child = spawn(process.execPath, ['--preload', preload, program, db.url, paymentId, 'key'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

const act = (paymentId: string, idempotencyKey: string | null) =>
  runInTurn(outside, { paymentId, reorganizes: false, idempotencyKey }, async () => 'acted')

test('a scenario whose process was killed blocks neither the same request nor another one', async () => {
  const paymentId = crypto.randomUUID()
  for (const key of ['key', 'another', null]) {
    const child = await acting(paymentId)
    await expect(act(paymentId, 'key')).rejects.toMatchObject({ code: 'idempotency_key_in_use' })
    await expect(act(paymentId, null)).rejects.toMatchObject({ code: 'state_conflict' })
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    expect(await act(paymentId, key)).toBe('acted')
  }
}, 120_000)

test('other payments wait for a scenario that removes blocks, but not for one whose process was killed', async () => {
  const child = await acting(crypto.randomUUID())
  let isOver = false
  const waiting = act(crypto.randomUUID(), null).finally(() => {
    isOver = true
  })
  expect((await db.sql`select from simulations`).length).toBeGreaterThan(0)
  expect(isOver).toBe(false)
  child.kill('SIGKILL')
  expect(await waiting).toBe('acted')
}, 120_000)

test('a scenario continues when the database has terminated all connections of its process', async () => {
  const paymentId = crypto.randomUUID()
  const child = await acting(paymentId)
  await db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  await expect(act(paymentId, null)).rejects.toMatchObject({ code: 'state_conflict' })
  child.kill('SIGKILL')
}, 120_000)
