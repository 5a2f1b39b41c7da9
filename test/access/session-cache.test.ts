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

/** A server, a book of another process on its database, and somebody who has signed in. */
const start = async (outside = {}) => {
  const server = await apiServer({ routes: [], outside })
  const other = elsewhere(server.sql)
  const book = openSessionCache({ sql: other.sql, clock: server.api.clock }, server.api.keyring)
  const { accountId, bearer } = await person(server.api, 'anna@lamps.example')
  return {
    ...{ api: server.api, sql: server.sql, book, accountId, bearer },
    [Symbol.asyncDispose]: async () => {
      book.stop()
      await other[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a sign-out acts at once where it was done, and within a second everywhere else', async () => {
  await using server = await start()
  const { api, book, bearer } = server
  const found = await api.sessions.find(bearer)
  const session = found?.session ?? expect.unreachable()
  // Read as late as can be, so that the second is a whole one.
  expect(await book.find(bearer)).toEqual(found as never)
  await signOut(api, session, false, from)
  const ended = performance.now()
  expect(await api.sessions.find(bearer)).toBeUndefined()
  await until(async () => (await book.find(bearer)) === undefined, { timeoutMs: 3_000 })
  expect(performance.now() - ended).toBeLessThan(1_250)
})

test('a role that is taken away is gone within a second, one that is given is there at once', async () => {
  await using server = await start()
  const { api, book, sql, accountId } = server
  const { merchantId } = await shop(api)
  expect(await book.roleIn(accountId, merchantId)).toBeUndefined()
  await sql`insert into members (merchant_id, account_id, role) values (${merchantId}, ${accountId}, 'viewer')`
  expect(await book.roleIn(accountId, merchantId)).toBe('viewer')
  await sql`delete from members where account_id = ${accountId}`
  const removed = performance.now()
  await until(async () => (await book.roleIn(accountId, merchantId)) === undefined, { timeoutMs: 3_000 })
  expect(performance.now() - removed).toBeLessThan(1_250)
})

test('a second counts from when the read began, so a slow one is not believed for longer', async () => {
  await using server = await start()
  const { api, book, sql, bearer } = server
  const lock = elsewhere(sql, 'lock')
  const blocking = lock.sql`do 'begin lock table sessions; perform pg_sleep(0.9); end'`.execute()
  await until(async () => (await sql`select from pg_locks where mode = 'AccessExclusiveLock'`).length > 0)
  const began = performance.now()
  expect(await book.find(bearer)).toBeDefined()
  await blocking
  const session = (await api.sessions.find(bearer))?.session ?? expect.unreachable()
  await signOut(api, session, false, from)
  await sleep(Math.max(0, 1_100 - (performance.now() - began)))
  expect(await book.find(bearer)).toBeUndefined()
  await lock[Symbol.asyncDispose]()
})

test('an access token is over after a quarter of an hour by the clock of the database', async () => {
  const clock = manualClock(new Date())
  await using server = await start({ clock })
  clock.advance(15 * 60_000 - 5_000)
  expect(await server.book.find(server.bearer)).toBeDefined()
  // The token was made by the database, a little later than the clock, and to the second.
  clock.advance(7_000)
  expect(await server.book.find(server.bearer)).toBeUndefined()
})

test('a process whose own clock is an hour off knows the time from the first session it reads', async () => {
  await using server = await start()
  let offset = 3_600_000
  const skewed = {
    now: () => new Date(Date.now() + offset),
    learn: (time: Date) => {
      offset = time.getTime() - Date.now()
    },
  }
  const book = openSessionCache({ sql: server.sql, clock: skewed }, server.api.keyring)
  expect(await book.find(server.bearer)).toBeDefined()
})

test('a thousand requests of one session in a second are one read', async () => {
  await using server = await start()
  const { accessToken } = await openSession(server.api, server.accountId, from)
  let reads = 0
  const counting = new Proxy(server.sql, {
    apply: (target, self, args) => {
      reads++
      return Reflect.apply(target, self, args)
    },
  })
  const book = openSessionCache({ sql: counting, clock: server.api.clock }, server.api.keyring)
  await Promise.all(Array.from({ length: 1_000 }, () => book.find(accessToken)))
  expect(reads).toBe(1)
})
