import { expect, test } from 'bun:test'
import { openLanes } from '../../src/actors/lanes.ts'
import { openTandem } from '../../src/actors/tandem.ts'
import { databaseClock } from '../../src/clock.ts'
import { openLog } from '../../src/log.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { codeOf } from '../../src/postgres/errors.ts'
import type { Outside } from '../../src/world.ts'
import { database } from '../harness/database.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'
import { addLamps, doneOf, lampHouse, makeLamp, newLamp, openHouse, tell } from './lamps.ts'

type House = Awaited<ReturnType<typeof openHouse>>

const LATE_MS = 50

const outside = { clock: databaseClock(), random: (bytes: Uint8Array) => bytes, log: openLog('silent') }

/** Calls of 24 callers for so long; whether commits followed each other. */
const call = async ({ actors, sql }: House, ms: number, away: (nth: number) => Promise<unknown>) => {
  const end = performance.now() + ms
  let made = 0
  const caller = async (nth: number) => {
    while (performance.now() < end) {
      doneOf(await actors.dispatch(makeLamp()))
      made++
      await away(nth)
    }
  }
  await Promise.all(Array.from({ length: 24 }, (_, nth) => caller(nth)))
  const [lamps] = await sql`select count(*)::int as lamps, sum(rev)::int as revs from lamps`
  expect({ ...lamps }).toEqual({ lamps: made, revs: made })
  return (await backendsOf(sql)).some(({ query }) => query.includes('commit_actors'))
}

/** The connection for commits that follow each other. */
const backendsOf = (sql: Sql) => sql<{ pid: number; state: string; query: string }[]>`
  select pid, state, query from pg_stat_activity where application_name like 'paymachine actors %' and datname = current_database()`

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

test('it is tried whether commits had better follow each other for callers from afar, and not for those from near', async () => {
  // On a busy machine who is near may be held up: of a few attempts one is enough.
  const tried: boolean[] = []
  for (let attempt = 0; attempt < 3 && !tried.includes(false); attempt++) {
    await using near = await lampHouse()
    tried.push(await call(near, 1_800, async () => {}))
  }
  expect(tried).toContain(false)
  await using far = await lampHouse()
  // As over HTTP: whoever was told is back after a while.
  expect(await call(far, 3_600, nth => sleep(1 + (nth % 3)))).toBe(true)
}, 20_000)

test('callers that take a quarter of the time of their batch to come back are far', () => {
  let now = 1_000
  let isFit = true
  const tandem = { ...openTandem({} as Sql, {} as Outside, { lateMs: LATE_MS, now: () => now }), isFit: () => isFit }
  const lanes = openLanes({ most: 4, batchSize: 512, tandem, now: () => now })
  const round = (tookMs: number, backAfterMs: number, coming = 8) => {
    const lane = lanes.enter(8)
    now += tookMs
    lanes.leave(lane, 8)
    now += backAfterMs
    for (let caller = 0; caller < coming; caller++) lanes.cameBack()
  }
  /** Whether it was tried within so many milliseconds of rounds. */
  const triedIn = (ms: number, tookMs: number, backAfterMs: number, coming?: number): boolean => {
    let tried = false
    for (const end = now + ms; now < end; ) {
      round(tookMs, backAfterMs, coming)
      tried ||= lanes.tandemNow() === tandem
    }
    return tried
  }
  expect(triedIn(4_000, 4, 0.9)).toBe(false)
  expect(triedIn(4_000, 4, 1.1)).toBe(true)
  // What waits for a lock of somebody else's is followed by nobody.
  isFit = false
  expect(triedIn(4_000, 4, 1.1)).toBe(false)
  isFit = true
  expect(triedIn(4_000, 4, 1.1)).toBe(true)
  // Until that is known.
  triedIn(400, 4, 0.1)
  expect(triedIn(4_000, 4, 0.1)).toBe(false)
  // One batch says little, however long its callers were held up.
  round(4, 9)
  expect(triedIn(4_000, 4, 0.1)).toBe(false)
  // Those who are far and gone are nobody to go by.
  triedIn(4_000, 4, 1.1)
  for (let batch = 0; batch < 40; batch++) round(4, 20, 0)
  expect(triedIn(4_000, 4, 20, 0)).toBe(false)
})

test('fewer are cut in two where batches follow each other', () => {
  const tandem = openTandem({} as Sql, {} as Outside, { lateMs: LATE_MS, now: () => 1_000 })
  const [following, beside] = [true, false].map(followsAlways =>
    openLanes({ most: 4, batchSize: 512, tandem, followsAlways, now: () => 1_000 }),
  )
  const shares = [15, 16, 31, 32].map(waiting => [following?.share(waiting, 0), beside?.share(waiting, 0)])
  expect(shares).toEqual([
    [512, 512],
    [8, 512],
    [16, 512],
    [16, 16],
  ])
})

test('nothing goes behind what is late, nor for a while where there was trouble', async () => {
  await using db = await database()
  let ahead = 0
  const sql = connect(db.url, { max: 1, followed: true, name: 'paymachine actors' })
  await sql`select 1`
  const tandem = openTandem(sql, { ...outside, sql: db.sql }, { lateMs: LATE_MS, now: () => performance.now() + ahead })
  expect(tandem.isFit()).toBe(true)
  const slow = tandem.follow(sql`select pg_sleep(0.3)`)
  const behind = tandem.follow(sql`select 1 as one`)
  expect(tandem.isFit()).toBe(true)
  await sleep(2 * LATE_MS)
  expect(tandem.isFit()).toBe(false)
  await slow
  expect([await behind, tandem.isFit()]).toEqual([[{ one: 1 }], true] as never)
  // What its statement is to blame for is no trouble, and does not touch the next one.
  const failed = tandem.follow(sql`select 1 / 0`).then(undefined, codeOf)
  const next = tandem.follow(sql`select 3 as three`)
  expect([await failed, await next, tandem.isFit()]).toEqual(['22012', [{ three: 3 }], true] as never)
  const [backend] = await backendsOf(db.sql)
  const lost = tandem.follow(sql`select pg_sleep(10)`).then(undefined, codeOf)
  await until(async () => (await backendsOf(db.sql))[0]?.state === 'active')
  await db.sql`select pg_terminate_backend(${Number(backend?.pid)})`
  expect([await lost, tandem.isFit()]).toEqual([expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/), false])
  ahead = 4_000
  expect(tandem.isFit()).toBe(false)
  ahead = 6_000
  expect(tandem.isFit()).toBe(true)
  await sql.end()
})

test('where the connection cannot be opened, commits go beside each other', async () => {
  await using db = await database()
  await addLamps(db.url)
  const refused = new URL(db.url)
  refused.password = 'wrong'
  const tandem = connect(refused.href, { max: 1 })
  const house = await openHouse(db.url, { tandem, followsAlways: true })
  await Promise.all(Array.from({ length: 50 }, () => newLamp(house.actors)))
  await house.close()
})

/** A lamp whose row a stranger holds until told, and ten others. */
const withStranger = async (house: House & { readonly url: string }) => {
  const [locked = '', ...others] = await Promise.all(Array.from({ length: 11 }, () => newLamp(house.actors)))
  const stranger = connect(house.url, { max: 1 })
  await stranger.unsafe(`begin; select from lamps where id = '${locked}' for update`)
  const letGo = async () => {
    await stranger.unsafe('commit')
    await stranger.end()
  }
  return { locked, others, letGo }
}

/** Of lamps, and how many commands did it: none is done twice. */
const flashes = async (sql: Sql) => {
  const [sums] = await sql<{ switched: number; commands: number }[]>`
    select sum(switched)::int as switched,
      (select count(distinct command)::int from transitions where event = 'flash') as commands
    from lamps`
  return { ...sums }
}

test('a lock of a stranger holds those behind it up for half a second, and nobody is done twice for it', async () => {
  await using house = await lampHouse({ followsAlways: true })
  const { locked, others, letGo } = await withStranger(house)
  const flash = async (lamp: string) => doneOf(await house.actors.dispatch(tell(lamp, 'flash')))
  const began = performance.now()
  let isTold = false
  const waiting = flash(locked).finally(() => {
    isTold = true
  })
  // It is under way by then, and those behind it are enough for a batch of their own.
  await new Promise(resolve => setImmediate(resolve))
  const behind = await Promise.all(others.map(flash))
  expect([performance.now() - began > 450, isTold]).toEqual([true, false])
  await Promise.all(others.map(flash))
  await letGo()
  behind.push(await waiting)
  expect(behind.map(({ actor }) => actor.context.switched)).toEqual(behind.map(() => 1))
  expect(await flashes(house.sql)).toEqual({ switched: 21, commands: 21 })
}, 20_000)

test.each(['reset', 'resetUnheard'] as const)(
  'what waits behind a stuck commit is not carried out after the connection is gone: %s',
  async how => {
    await using house = await lampHouse()
    await using proxy = await databaseProxy(house.url)
    const far = await openHouse(proxy.url, { followsAlways: true })
    await newLamp(far.actors)
    const { locked, others, letGo } = await withStranger(house)
    const flash = async (lamp: string) => doneOf(await far.actors.dispatch(tell(lamp, 'flash')))
    const isThere = async (pid: number) => (await backendsOf(house.sql)).some(other => other.pid === pid)
    const waiting = flash(locked)
    await new Promise(resolve => setImmediate(resolve))
    const behind = others.map(async lamp => {
      await flash(lamp)
      // Or it could have been carried out after this, whatever this was.
      return isThere(Number(stuck?.pid))
    })
    const [stuck] = await until(async () => {
      const stuck = await house.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name like 'paymachine actors %' and wait_event_type = 'Lock'`
      return stuck.length > 0 && stuck
    })
    expect(await flashes(house.sql)).toEqual({ switched: 0, commands: 0 })
    await proxy[how]()
    expect(await Promise.all(behind)).toEqual(behind.map(() => false))
    await letGo()
    await waiting
    expect(await flashes(house.sql)).toEqual({ switched: 11, commands: 11 })
    await far.close()
  },
  20_000,
)
