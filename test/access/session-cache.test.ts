import { expect, test } from 'bun:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSessionCache } from '../../src/access/session-cache.ts'
import { manualClock } from '../../src/clock.ts'
import { openSession, signOut } from '../../src/commands/sessions.ts'
import { apiServer } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { person, shop } from '../http/people.ts'
import { elsewhere } from './elsewhere.ts'

const from = { address: '192.0.2.1', network: '192.0.2.1', userAgent: null }

/** A server, the session cache of another process on its database, and a signed-in account. */
const start = async (outside = {}) => {
  const server = await apiServer({ routes: [], outside })
  const other = elsewhere(server.sql)
  const cache = openSessionCache({ sql: other.sql, clock: server.api.clock }, server.api.keyring)
  const { accountId, bearer } = await person(server.api, 'anna@lamps.example')
  return {
    ...{ api: server.api, sql: server.sql, cache, accountId, bearer },
    [Symbol.asyncDispose]: async () => {
      cache.stop()
      await other[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a sign-out is effective immediately in its process, and within a second in all others', async () => {
  await using server = await start()
  const { api, cache, bearer } = server
  const found = await api.sessions.find(bearer)
  const session = found?.session ?? expect.unreachable()
  // Read as late as possible, so that the full second is tested.
  expect(await cache.find(bearer)).toEqual(found as never)
  await signOut(api, session, false, from)
  const ended = performance.now()
  expect(await api.sessions.find(bearer)).toBeUndefined()
  await until(async () => (await cache.find(bearer)) === undefined, { timeoutMs: 3_000 })
  expect(performance.now() - ended).toBeLessThan(1_250)
})

test('a removed role is gone within a second, a granted one is effective immediately', async () => {
  await using server = await start()
  const { api, cache, sql, accountId } = server
  const { merchantId } = await shop(api)
  expect(await cache.roleIn(accountId, merchantId)).toBeUndefined()
  await sql`insert into members (merchant_id, account_id, role) values (${merchantId}, ${accountId}, 'viewer')`
  expect(await cache.roleIn(accountId, merchantId)).toBe('viewer')
  await sql`delete from members where account_id = ${accountId}`
  const removed = performance.now()
  await until(async () => (await cache.roleIn(accountId, merchantId)) === undefined, { timeoutMs: 3_000 })
  expect(performance.now() - removed).toBeLessThan(1_250)
})

test('a second counts from the start of the read, so that a slow read is not used longer', async () => {
  await using server = await start()
  const { api, cache, sql, bearer } = server
  const lock = elsewhere(sql, 'lock')
  const blocking = lock.sql`do 'begin lock table sessions; perform pg_sleep(0.9); end'`.execute()
  await until(async () => (await sql`select from pg_locks where mode = 'AccessExclusiveLock'`).length > 0)
  const began = performance.now()
  expect(await cache.find(bearer)).toBeDefined()
  await blocking
  const session = (await api.sessions.find(bearer))?.session ?? expect.unreachable()
  await signOut(api, session, false, from)
  await sleep(Math.max(0, 1_100 - (performance.now() - began)))
  expect(await cache.find(bearer)).toBeUndefined()
  await lock[Symbol.asyncDispose]()
})

test('an access token expires after 15 minutes by the clock of the database', async () => {
  const clock = manualClock(new Date())
  await using server = await start({ clock })
  clock.advance(15 * 60_000 - 5_000)
  expect(await server.cache.find(server.bearer)).toBeDefined()
  // The database made the token, a little later than the clock and in whole seconds.
  clock.advance(7_000)
  expect(await server.cache.find(server.bearer)).toBeUndefined()
})

test('a process whose clock is an hour off knows the right time from the first session it reads', async () => {
  await using server = await start()
  let offset = 3_600_000
  const withSkew = {
    now: () => new Date(Date.now() + offset),
    learn: (time: Date) => {
      offset = time.getTime() - Date.now()
    },
  }
  const cache = openSessionCache({ sql: server.sql, clock: withSkew }, server.api.keyring)
  expect(await cache.find(server.bearer)).toBeDefined()
})

test('a thousand requests of one session within a second cause one read', async () => {
  await using server = await start()
  const { accessToken } = await openSession(server.api, server.accountId, from)
  let reads = 0
  const counting = new Proxy(server.sql, {
    apply: (target, self, args) => {
      reads++
      return Reflect.apply(target, self, args)
    },
  })
  const cache = openSessionCache({ sql: counting, clock: server.api.clock }, server.api.keyring)
  await Promise.all(Array.from({ length: 1_000 }, () => cache.find(accessToken)))
  expect(reads).toBe(1)
})
