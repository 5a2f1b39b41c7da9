import { expect, test } from 'bun:test'
import { makeApiKey } from '../../src/access/api-key.ts'
import { type KeyCache, openKeyCache } from '../../src/access/key-cache.ts'
import { openLog } from '../../src/log.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { insertKey, insertMerchant, random } from './keys.ts'

const log = openLog('silent')

/** A cache of its own on the same database, as another process has one; `reads` counts its queries. */
const cacheOn = (sql: Sql) => {
  const reads: Promise<unknown>[] = []
  const counting = new Proxy(sql, {
    apply: (target, self, args) => {
      const answer = Reflect.apply(target, self, args)
      reads.push(answer)
      return answer
    },
  })
  const cache = openKeyCache({ sql: counting, log })
  return { ...cache, reads, [Symbol.asyncDispose]: () => cache.stop() }
}

test('a key has its merchant, mode, scopes and version', async () => {
  await using db = await database()
  await using cache = cacheOn(db.sql)
  const merchantId = await insertMerchant(db.sql)
  const { id, secret } = await insertKey(db.sql, { merchantId, livemode: true, scopes: ['payments:read'] })
  expect(await cache.find(secret)).toEqual({
    ...{ id, merchantId, livemode: true, scopes: ['payments:read'], apiVersion: '2026-11-20' },
  })
})

test('an invalid key is refused without a read, an unknown one after one read', async () => {
  await using db = await database()
  await using cache = cacheOn(db.sql)
  const { secret } = await insertKey(db.sql)
  for (const text of ['', 'sk_test_', `${secret}0`, secret.slice(0, -1), secret.replace('test', 'live'), `${secret}\0`])
    expect(await cache.find(text)).toBeUndefined()
  expect(cache.reads).toHaveLength(0)
  expect(await cache.find(makeApiKey(false, random).secret)).toBeUndefined()
  expect(cache.reads).toHaveLength(1)
})

test('a key requested before it was created is valid from its creation', async () => {
  await using db = await database()
  await using cache = cacheOn(db.sql)
  const { id, secret } = await insertKey(db.sql)
  await db.sql`update api_keys set revoked_at = now() where id = ${id}`
  expect(await cache.find(secret)).toBeUndefined()
  await db.sql`update api_keys set revoked_at = null where id = ${id}`
  expect(await cache.find(secret)).toBeDefined()
})

test('a hundred simultaneous callers cause one read, and later callers none for a while', async () => {
  await using db = await database()
  await using cache = cacheOn(db.sql)
  const { secret } = await insertKey(db.sql)
  const began = performance.now()
  const found = await Promise.all(Array.from({ length: 100 }, () => cache.find(secret)))
  expect(found.every(Boolean)).toBe(true)
  await until(async () => {
    expect(await cache.find(secret)).toBeDefined()
    return performance.now() - began > 500
  })
  expect(cache.reads).toHaveLength(1)
})

/** Requests the key until it is refused, and returns when the last accepted request was sent. */
const lastAccepted = async (cache: KeyCache, secret: string): Promise<number> => {
  let last = 0
  await until(
    async () => {
      const reads = performance.now()
      const good = (await cache.find(secret)) !== undefined
      if (good) last = reads
      return !good
    },
    { everyMs: 1 },
  )
  return last
}

test('a key revoked by another process is refused within a second, also when it is used continuously', async () => {
  await using db = await database()
  await using here = cacheOn(db.sql)
  await using there = cacheOn(db.sql)
  const { id, secret } = await insertKey(db.sql)
  for (const cache of [here, there]) expect(await cache.find(secret)).toBeDefined()
  await db.sql`update api_keys set revoked_at = now() where id = ${id}`
  const revoked = performance.now()
  here.forget()
  expect(await here.find(secret)).toBeUndefined()
  expect((await lastAccepted(there, secret)) - revoked).toBeLessThan(1_000)
})

/** A database whose first response is held back until it is released. */
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

test('a response delayed while another process revoked the key is valid at most a second from its query', async () => {
  await using db = await database()
  const { id, secret } = await insertKey(db.sql)
  const held = holdFirst(db.sql)
  const cache = openKeyCache({ sql: held.sql, log })
  const reads = performance.now()
  const early = cache.find(secret)
  await held.read
  await db.sql`update api_keys set revoked_at = now() where id = ${id}`
  await until(() => performance.now() - reads > 1_000)
  expect(await cache.find(secret)).toBeUndefined()
  held.release()
  expect(await early).toBeDefined()
  expect(await cache.find(secret)).toBeUndefined()
  await cache.stop()
})

test('a response delayed while this process revoked the key is not used for later callers', async () => {
  await using db = await database()
  const { id, secret } = await insertKey(db.sql)
  const held = holdFirst(db.sql)
  const cache = openKeyCache({ sql: held.sql, log })
  const early = cache.find(secret)
  await held.read
  await db.sql`update api_keys set revoked_at = now() where id = ${id}`
  cache.forget()
  const late = cache.find(secret)
  held.release()
  expect(await early).toBeDefined()
  expect(await late).toBeUndefined()
  expect(await cache.find(secret)).toBeUndefined()
  await cache.stop()
})

test('a cached key expires on time', async () => {
  await using db = await database()
  await using cache = cacheOn(db.sql)
  const { secret } = await insertKey(db.sql, { expiresInMs: 700 })
  const made = performance.now()
  expect(await cache.find(secret)).toBeDefined()
  expect((await lastAccepted(cache, secret)) - made).toBeLessThan(700)
})

test('the older of two overlapping secrets expires on time', async () => {
  await using db = await database()
  await using cache = cacheOn(db.sql)
  const { id, secret } = await insertKey(db.sql)
  const next = makeApiKey(false, random)
  await db.sql`
    update api_keys set previous_hash = hash, previous_until = now() + interval '700 milliseconds', hash = ${next.hash}
    where id = ${id}`
  const rotated = performance.now()
  expect(await cache.find(secret)).toEqual(await cache.find(next.secret))
  expect((await lastAccepted(cache, secret)) - rotated).toBeLessThan(700)
  expect(await cache.find(next.secret)).toBeDefined()
})

test('while the database is unreachable a cached key is valid for a second; then requests fail with an error, not a refusal', async () => {
  await using db = await database()
  const { secret } = await insertKey(db.sql)
  let unreachable = false
  const failing = new Proxy(db.sql, {
    apply: (target, self, args) =>
      unreachable ? Promise.reject(new Error('away')) : Reflect.apply(target, self, args),
  })
  const cache = openKeyCache({ sql: failing, log })
  expect(await cache.find(secret)).toBeDefined()
  unreachable = true
  expect(await cache.find(secret)).toBeDefined()
  await until(async () => (await Promise.try(cache.find, secret).catch(String)) === 'Error: away', { timeoutMs: 2_000 })
  unreachable = false
  expect(await cache.find(secret)).toBeDefined()
  await cache.stop()
})
