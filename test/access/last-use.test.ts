import { expect, test } from 'bun:test'
import { openKeyCache } from '../../src/access/key-cache.ts'
import { openLastUses } from '../../src/access/last-use.ts'
import { openLog } from '../../src/log.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { recordKeyUses } from '../../src/queries/key-access.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { insertKey } from './keys.ts'

const log = openLog('silent')

const lastUse = async (sql: Sql, id: string) => {
  const [row] = await sql<{ at: Date | null; ago_ms: number | null; updates: string }[]>`
    select last_used_at as at, extract(epoch from clock_timestamp() - last_used_at)::float8 * 1000 as ago_ms, xmin as updates
    from api_keys where id = ${id}`
  return row
}

test('a thousand uses of a key are one write, made when the process stops', async () => {
  await using db = await database()
  const { id, secret } = await insertKey(db.sql)
  const book = openKeyCache({ sql: db.sql, log })
  for (let i = 0; i < 1_000; i++) await book.find(secret)
  const before = await lastUse(db.sql, id)
  expect(before?.at).toBeNull()
  await book.stop()
  expect((await lastUse(db.sql, id))?.ago_ms).toBeLessThan(10_000)
})

test('uses are written while the process runs, and written again only after another use', async () => {
  await using db = await database()
  const { id } = await insertKey(db.sql)
  const uses = openLastUses({ sql: db.sql, log }, { everyMs: 50 })
  uses.record(id)
  const written = await until(async () => ((await lastUse(db.sql, id))?.at ? lastUse(db.sql, id) : undefined))
  uses.record(id)
  await until(async () => Number((await lastUse(db.sql, id))?.at) > Number(written?.at))
  const after = await lastUse(db.sql, id)
  await uses.stop()
  expect(await lastUse(db.sql, id)).toMatchObject({ at: after?.at, updates: after?.updates })
})

test('the time is that of the use, not of the write, and a late write does not set it back', async () => {
  await using db = await database()
  const { id } = await insertKey(db.sql)
  await recordKeyUses(db.sql, [id], [5_000])
  const first = await lastUse(db.sql, id)
  expect(first?.ago_ms).toBeGreaterThanOrEqual(5_000)
  await recordKeyUses(db.sql, [id], [60_000])
  expect((await lastUse(db.sql, id))?.at).toEqual(first?.at ?? null)
})

test('uses that could not be written are written the next time', async () => {
  await using db = await database()
  const { id } = await insertKey(db.sql)
  let failures = 0
  const failing = new Proxy(db.sql, {
    apply: (target, self, args) =>
      ++failures <= 2 ? Promise.reject(new Error('away')) : Reflect.apply(target, self, args),
  })
  const uses = openLastUses({ sql: failing, log }, { everyMs: 20 })
  uses.record(id)
  await until(async () => (await lastUse(db.sql, id))?.at)
  expect(failures).toBe(3)
  await uses.stop()
})

test('a database that does not respond does not prevent the process from stopping', async () => {
  await using db = await database()
  const silent = new Proxy(db.sql, { apply: () => new Promise(() => {}) })
  const uses = openLastUses({ sql: silent, log }, { everyMs: 1 })
  uses.record(crypto.randomUUID())
  const began = performance.now()
  await uses.stop()
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('a deleted key does not prevent the others from being written', async () => {
  await using db = await database()
  const { id } = await insertKey(db.sql)
  await recordKeyUses(db.sql, [crypto.randomUUID(), id], [1, 1])
  expect((await lastUse(db.sql, id))?.at).not.toBeNull()
})

test('processes that write the same keys in opposite orders do not deadlock', async () => {
  await using db = await database()
  const ids = await Promise.all(Array.from({ length: 40 }, async () => (await insertKey(db.sql)).id))
  const ages = ids.map(() => 1)
  const writes = Array.from({ length: 200 }, (_, n) => recordKeyUses(db.sql, n % 2 ? ids : ids.toReversed(), ages))
  await Promise.all(writes)
  expect((await db.sql`select from api_keys where last_used_at is null`).length).toBe(0)
})
