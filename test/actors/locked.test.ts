import { expect, test } from 'bun:test'
import { LockedOut } from '../../src/actors/command.ts'
import { registered } from '../../src/actors/kind.ts'
import { openLockedActors } from '../../src/actors/locked-actors.ts'
import { openTimers } from '../../src/actors/timers.ts'
import { audit } from '../../src/audit/audit.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { lamp } from './lamp.ts'
import { doneOf, lampInstance, makeLamp, newLamp, tell } from './lamps.ts'

const lampKinds = [registered(lamp)]

/** A session that holds locks until it lets go. */
const stranger = async (url: string, query: string) => {
  const sql = connect(url, { max: 1 })
  await sql.unsafe(`begin; ${query}`)
  return {
    letGo: () => sql.unsafe('rollback'),
    [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }),
  }
}

const count = (actor: string, by = 1) => tell(actor, 'count', { by })

test.each([
  ['its row', (id: string) => `select from lamps where id = '${id}' for update`],
  ['its timer', (id: string) => `select from timers where actor = '${id}' for update`],
])('a batch with one actor of which %s is locked commits the others, and that one when it is free', async (_, lock) => {
  await using instance = await lampInstance({ lanes: 1 })
  const ids = await Promise.all(Array.from({ length: 6 }, () => newLamp(instance.actors)))
  await Promise.all(ids.map(id => instance.actors.dispatch(tell(id, 'switch_on'))))
  const [locked = '', ...others] = ids
  await using session = await stranger(instance.url, lock(locked))
  // It changes the row and cancels the timer.
  const own = instance.actors.dispatch(tell(locked, 'switch_off'))
  const outcomes = await Promise.all(others.map(id => instance.actors.dispatch(tell(id, 'switch_off'))))
  for (const outcome of outcomes) doneOf(outcome)
  // And those that come while it waits.
  for (const id of others) doneOf(await instance.actors.dispatch(tell(id, 'switch_on')))
  await session.letGo()
  expect(doneOf(await own).actor).toMatchObject({ state: 'off', rev: 3 })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a batch that waits for a row of no actor commits the others', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  await using session = await stranger(
    instance.url,
    `insert into lamps (id, state, rev, version, created_at, updated_at, room, switched, burn_ms)
     values (gen_random_uuid(), 'off', 1, 1, now(), now(), 'attic', 0, 1)`,
  )
  const own = instance.actors.dispatch(makeLamp({ room: 'attic' }))
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => instance.actors.dispatch(makeLamp())))
  for (const outcome of outcomes) doneOf(outcome)
  await session.letGo()
  doneOf(await own)
})

test('commands for a locked actor keep their order, and time out when it stays locked', async () => {
  await using instance = await lampInstance({ retryForMs: 4_000 })
  const id = await newLamp(instance.actors)
  await using session = await stranger(instance.url, `select from lamps where id = '${id}' for update`)
  const first = await Promise.allSettled([instance.actors.dispatch(count(id)), instance.actors.dispatch(count(id))])
  expect(first.map(end => end.status === 'rejected' && end.reason instanceof LockedOut)).toEqual([true, true])
  const then = ['switch_on', 'switch_off', 'switch_on'].map(type => instance.actors.dispatch(tell(id, type)))
  await session.letGo()
  for (const outcome of await Promise.all(then)) doneOf(outcome)
  const rows = await instance.sql`select event from transitions where actor = ${id} order by rev`
  expect(rows.map(({ event }) => event)).toEqual(['create', 'switch_on', 'switch_off', 'switch_on'])
})

test('commands that met a locked row in one batch are carried out in their order once it is free', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const id = await newLamp(instance.actors)
  await using session = await stranger(instance.url, `select from lamps where id = '${id}' for update`)
  const counts = Array.from({ length: 12 }, (_, n) => instance.actors.dispatch(count(id, n + 1)))
  // Long enough for several of them to be retried, if each were.
  await until(() => (instance.actors.longestLockWait()?.ms ?? 0) > 800)
  await session.letGo()
  for (const outcome of await Promise.all(counts)) doneOf(outcome)
  const rows =
    await instance.sql`select (context ->> 'switched')::integer as sum from transitions where actor = ${id} order by rev`
  const added = rows.slice(1).map(({ sum }, n) => sum - rows[n]?.sum)
  expect(added).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
})

test('what stands behind a bundle that waits for a lock does not overtake it', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const [free, locked] = [await newLamp(instance.actors), await newLamp(instance.actors)]
  await using session = await stranger(instance.url, `select from lamps where id = '${locked}' for update`)
  const bundle = instance.actors.dispatchBundle([tell(free, 'switch_on'), tell(locked, 'switch_on')])
  const behind = instance.actors.dispatch(tell(free, 'switch_off'))
  await until(() => instance.actors.longestLockWait() !== undefined)
  // Long enough for what is behind to be tried, if it were.
  const other = instance.actors.dispatch(tell(free, 'switch_on'))
  for (let n = 0; n < 20; n++) doneOf(await instance.actors.dispatch(makeLamp()))
  await session.letGo()
  expect((await bundle).ok).toBe(true)
  doneOf(await behind)
  doneOf(await other)
  const rows = await instance.sql`select event from transitions where actor = ${free} order by rev`
  expect(rows.map(({ event }) => event)).toEqual(['create', 'switch_on', 'switch_off', 'switch_on'])
})

test('a caller that does not wait for locks is refused while there is one, and served once it is gone', async () => {
  await using instance = await lampInstance()
  const { withoutLockWaits } = instance.actors
  const [id, other] = [await newLamp(instance.actors), await newLamp(instance.actors)]
  await using session = await stranger(instance.url, `select from lamps where id = '${id}' for update`)
  for (let time = 0; time < 5; time++) {
    await expect(withoutLockWaits.dispatch(count(id))).rejects.toBeInstanceOf(LockedOut)
    doneOf(await withoutLockWaits.dispatch(count(other)))
  }
  expect(instance.actors.longestLockWait()).toMatchObject({ kind: 'lamp', actor: id })
  await session.letGo()
  await until(() =>
    withoutLockWaits.dispatch(count(id)).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  await until(() => instance.actors.longestLockWait() === undefined)
  const [row] = await instance.sql`select switched from lamps where id = ${id}`
  expect(row?.switched).toBe(1)
})

test('while one actor is locked, the timers of eight others fire', async () => {
  await using instance = await lampInstance()
  const ids = await Promise.all(Array.from({ length: 9 }, () => newLamp(instance.actors, { burnMs: 100 })))
  for (const id of ids) doneOf(await instance.actors.dispatch(tell(id, 'switch_on')))
  const [locked = '', ...others] = ids
  await using session = await stranger(instance.url, `select from lamps where id = '${locked}' for update`)
  const timers = openTimers(instance.world, instance.actors.withoutLockWaits, { pollMs: 20 })
  timers.start()
  const fired = async (actors: readonly string[]) =>
    (await instance.sql`select from lamps where state = 'off' and id = any(${actors}::uuid[])`).length === actors.length
  await until(() => fired(others))
  expect(await fired([locked])).toBe(false)
  // Again and again, not once before they stall.
  for (const id of others) doneOf(await instance.actors.dispatch(tell(id, 'switch_on')))
  await until(() => fired(others))
  await session.letGo()
  await until(() => fired([locked]))
  await timers.stop()
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('an actor that stays locked is tried ever more seldom, and at once when no command has come for it for long', () => {
  let now = 0
  const lockedActors = openLockedActors({ log: openLog('silent') }, () => now)
  const unit = { commands: [count('a')] }
  const waits: number[] = []
  for (let time = 0; time < 8; time++) {
    lockedActors.recordLocked([unit], new Set(['a']))
    waits.push(lockedActors.waitMs(unit))
    now += lockedActors.waitMs(unit)
  }
  expect(waits).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000])
  expect(lockedActors.longestWait()?.ms).toBe(7_150)
  now += 31_000
  expect([lockedActors.has(unit), lockedActors.longestWait()]).toEqual([false, undefined])
})
