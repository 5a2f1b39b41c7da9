import { expect, test } from 'bun:test'
import { makeApiKey } from '../../src/access/api-key.ts'
import { type KeyCache, openKeyCache } from '../../src/access/key-cache.ts'
import { openLog } from '../../src/log.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { insertKey, insertMerchant, random } from './keys.ts'

const log = openLog('silent')

/** A book of its own on the same database, as another process has one; `reads` counts what it asked. */
const bookOn = (sql: Sql) => {
  const asked: Promise<unknown>[] = []
  const counting = new Proxy(sql, {
    apply: (target, self, args) => {
      const answer = Reflect.apply(target, self, args)
      asked.push(answer)
      return answer
    },
  })
  const book = openKeyCache({ sql: counting, log })
  return { ...book, asked, [Symbol.asyncDispose]: () => book.stop() }
}

test('a key says whose it is, in which mode, with which scopes and version', async () => {
  await using db = await database()
  await using book = bookOn(db.sql)
  const merchantId = await insertMerchant(db.sql)
  const { id, secret } = await insertKey(db.sql, { merchantId, livemode: true, scopes: ['payments:read'] })
  expect(await book.find(secret)).toEqual({
    ...{ id, merchantId, livemode: true, scopes: ['payments:read'], apiVersion: '2026-11-20' },
  })
})

test('a typo and anything else that is no key is refused without a read, a key that never was after one', async () => {
  await using db = await database()
  await using book = bookOn(db.sql)
  const { secret } = await insertKey(db.sql)
  for (const text of ['', 'sk_test_', `${secret}0`, secret.slice(0, -1), secret.replace('test', 'live'), `${secret}\0`])
    expect(await book.find(text)).toBeUndefined()
  expect(book.asked).toHaveLength(0)
  expect(await book.find(makeApiKey(false, random).secret)).toBeUndefined()
  expect(book.asked).toHaveLength(1)
})

test('a key asked for before it was made is good from the moment it is', async () => {
  await using db = await database()
  await using book = bookOn(db.sql)
  const { id, secret } = await insertKey(db.sql)
  await db.sql`update api_keys set revoked_at = now() where id = ${id}`
  expect(await book.find(secret)).toBeUndefined()
  await db.sql`update api_keys set revoked_at = null where id = ${id}`
  expect(await book.find(secret)).toBeDefined()
})

test('a hundred callers at once ask one question, and for a while nobody asks again', async () => {
  await using db = await database()
  await using book = bookOn(db.sql)
  const { secret } = await insertKey(db.sql)
  const began = performance.now()
  const found = await Promise.all(Array.from({ length: 100 }, () => book.find(secret)))
  expect(found.every(Boolean)).toBe(true)
  await until(async () => {
    expect(await book.find(secret)).toBeDefined()
    return performance.now() - began > 500
  })
  expect(book.asked).toHaveLength(1)
})

/** Asks until the answer is no, and says when the last question was asked that was answered yes. */
const lastGood = async (book: KeyCache, secret: string): Promise<number> => {
  let last = 0
  await until(
    async () => {
      const asked = performance.now()
      const good = (await book.find(secret)) !== undefined
      if (good) last = asked
      return !good
    },
    { everyMs: 1 },
  )
  return last
}

test('a key that is revoked elsewhere is refused within a second, asked all the time', async () => {
  await using db = await database()
  await using here = bookOn(db.sql)
  await using there = bookOn(db.sql)
  const { id, secret } = await insertKey(db.sql)
  for (const book of [here, there]) expect(await book.find(secret)).toBeDefined()
  await db.sql`update api_keys set revoked_at = now() where id = ${id}`
  const revoked = performance.now()
  here.forget()
  expect(await here.find(secret)).toBeUndefined()
  expect((await lastGood(there, secret)) - revoked).toBeLessThan(1_000)
})

/** The database, whose first answer is read and then held back until it is let go. */
const holdFirst = (sql: Sql) => {
  const read = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let held = false
  const holding = new Proxy(sql, {
    apply: (target, self, args) => {
      const answer = Reflect.apply(target, self, args)
      if (held) return answer
      held = true
      return answer.then(async (rows: unknown) => {
        read.resolve()
        await gate.promise
        return rows
      })
    },
  })
  return { sql: holding, read: read.promise, release: () => gate.resolve() }
}

test('an answer held up while the key was revoked elsewhere is believed no longer than a second from its question', async () => {
  await using db = await database()
  const { id, secret } = await insertKey(db.sql)
  const held = holdFirst(db.sql)
  const book = openKeyCache({ sql: held.sql, log })
  const asked = performance.now()
  const early = book.find(secret)
  await held.read
  await db.sql`update api_keys set revoked_at = now() where id = ${id}`
  await until(() => performance.now() - asked > 1_000)
  expect(await book.find(secret)).toBeUndefined()
  held.release()
  expect(await early).toBeDefined()
  expect(await book.find(secret)).toBeUndefined()
  await book.stop()
})

test('an answer held up while this process revoked the key is believed by nobody who comes after', async () => {
  await using db = await database()
  const { id, secret } = await insertKey(db.sql)
  const held = holdFirst(db.sql)
  const book = openKeyCache({ sql: held.sql, log })
  const early = book.find(secret)
  await held.read
  await db.sql`update api_keys set revoked_at = now() where id = ${id}`
  book.forget()
  const late = book.find(secret)
  held.release()
  expect(await early).toBeDefined()
  expect(await late).toBeUndefined()
  expect(await book.find(secret)).toBeUndefined()
  await book.stop()
})

test('a key ends on time although it is remembered', async () => {
  await using db = await database()
  await using book = bookOn(db.sql)
  const { secret } = await insertKey(db.sql, { expiresInMs: 700 })
  const made = performance.now()
  expect(await book.find(secret)).toBeDefined()
  expect((await lastGood(book, secret)) - made).toBeLessThan(700)
})

test('of two secrets that overlap the older one ends on time', async () => {
  await using db = await database()
  await using book = bookOn(db.sql)
  const { id, secret } = await insertKey(db.sql)
  const next = makeApiKey(false, random)
  await db.sql`
    update api_keys set previous_hash = hash, previous_until = now() + interval '700 milliseconds', hash = ${next.hash}
    where id = ${id}`
  const rotated = performance.now()
  expect(await book.find(secret)).toEqual(await book.find(next.secret))
  expect((await lastGood(book, secret)) - rotated).toBeLessThan(700)
  expect(await book.find(next.secret)).toBeDefined()
})

test('while the database is away a remembered key is good for a second, and then it is a fault and no refusal', async () => {
  await using db = await database()
  const { secret } = await insertKey(db.sql)
  let away = false
  const failing = new Proxy(db.sql, {
    apply: (target, self, args) => (away ? Promise.reject(new Error('away')) : Reflect.apply(target, self, args)),
  })
  const book = openKeyCache({ sql: failing, log })
  expect(await book.find(secret)).toBeDefined()
  away = true
  expect(await book.find(secret)).toBeDefined()
  await until(async () => (await Promise.try(book.find, secret).catch(String)) === 'Error: away', { timeoutMs: 2_000 })
  away = false
  expect(await book.find(secret)).toBeDefined()
  await book.stop()
})
