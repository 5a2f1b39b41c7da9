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
import { createCommand, createLamp, doneOf, eventCommand, lampInstance } from './lamps.ts'

const lampKinds = [registered(lamp)]

/** A session that holds locks until it is released. */
const lockingSession = async (url: string, query: string) => {
  const sql = connect(url, { max: 1 })
  await sql.unsafe(`begin; ${query}`)
  return {
    release: () => sql.unsafe('rollback'),
    [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }),
  }
}

const count = (actor: string, by = 1) => eventCommand(actor, 'count', { by })

test.each([
  ['its row', (id: string) => `select from lamps where id = '${id}' for update`],
  ['its timer', (id: string) => `select from timers where actor = '${id}' for update`],
])('when %s is locked, an actor delays no other of its batch and is committed after the lock', async (_, lock) => {
  await using instance = await lampInstance({ lanes: 1 })
  const ids = await Promise.all(Array.from({ length: 6 }, () => createLamp(instance.actors)))
  await Promise.all(ids.map(id => instance.actors.dispatch(eventCommand(id, 'switch_on'))))
  const [locked = '', ...others] = ids
  await using session = await lockingSession(instance.url, lock(locked))
  // It changes the row and cancels the timer.
  const own = instance.actors.dispatch(eventCommand(locked, 'switch_off'))
  const outcomes = await Promise.all(others.map(id => instance.actors.dispatch(eventCommand(id, 'switch_off'))))
  for (const outcome of outcomes) doneOf(outcome)
  // Including those that arrive while it waits.
  for (const id of others) doneOf(await instance.actors.dispatch(eventCommand(id, 'switch_on')))
  await session.release()
  expect(doneOf(await own).actor).toMatchObject({ state: 'off', rev: 3 })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a batch that waits for another locked row commits its other commands', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  await using session = await lockingSession(
    instance.url,
    `insert into lamps (id, state, rev, version, created_at, updated_at, room, switched, burn_ms)
     values (gen_random_uuid(), 'off', 1, 1, now(), now(), 'attic', 0, 1)`,
  )
  const own = instance.actors.dispatch(createCommand({ room: 'attic' }))
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => instance.actors.dispatch(createCommand())))
  for (const outcome of outcomes) doneOf(outcome)
  await session.release()
  doneOf(await own)
})

test('commands for a locked actor keep their order, and time out while it stays locked', async () => {
  await using instance = await lampInstance({ retryForMs: 4_000 })
  const id = await createLamp(instance.actors)
  await using session = await lockingSession(instance.url, `select from lamps where id = '${id}' for update`)
  const first = await Promise.allSettled([instance.actors.dispatch(count(id)), instance.actors.dispatch(count(id))])
  expect(first.map(end => end.status === 'rejected' && end.reason instanceof LockedOut)).toEqual([true, true])
  const then = ['switch_on', 'switch_off', 'switch_on'].map(type => instance.actors.dispatch(eventCommand(id, type)))
  await session.release()
  for (const outcome of await Promise.all(then)) doneOf(outcome)
  const rows = await instance.sql`select event from transitions where actor = ${id} order by rev`
  expect(rows.map(({ event }) => event)).toEqual(['create', 'switch_on', 'switch_off', 'switch_on'])
})

test('commands that met a locked row in one batch are executed in order after the lock', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const id = await createLamp(instance.actors)
  await using session = await lockingSession(instance.url, `select from lamps where id = '${id}' for update`)
  const counts = Array.from({ length: 12 }, (_, n) => instance.actors.dispatch(count(id, n + 1)))
  // Long enough for several of them to be retried, if each were retried alone.
  await until(() => (instance.actors.longestLockWait()?.ms ?? 0) > 800)
  await session.release()
  for (const outcome of await Promise.all(counts)) doneOf(outcome)
  const rows =
    await instance.sql`select (json_of(context) ->> 'switched')::integer as sum from transitions where actor = ${id} order by rev`
  const added = rows.slice(1).map(({ sum }, n) => sum - rows[n]?.sum)
  expect(added).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
})

test('commands behind a bundle that waits for a lock do not overtake it', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const [free, locked] = [await createLamp(instance.actors), await createLamp(instance.actors)]
  await using session = await lockingSession(instance.url, `select from lamps where id = '${locked}' for update`)
  const bundle = instance.actors.dispatchBundle([eventCommand(free, 'switch_on'), eventCommand(locked, 'switch_on')])
  const behind = instance.actors.dispatch(eventCommand(free, 'switch_off'))
  await until(() => instance.actors.longestLockWait() !== undefined)
  // Long enough for the later ones to be tried, if that were wrong.
  const other = instance.actors.dispatch(eventCommand(free, 'switch_on'))
  for (let n = 0; n < 20; n++) doneOf(await instance.actors.dispatch(createCommand()))
  await session.release()
  expect((await bundle).ok).toBe(true)
  doneOf(await behind)
  doneOf(await other)
  const rows = await instance.sql`select event from transitions where actor = ${free} order by rev`
  expect(rows.map(({ event }) => event)).toEqual(['create', 'switch_on', 'switch_off', 'switch_on'])
})

test('a caller that does not wait for locks is refused during the lock, and served after it', async () => {
  await using instance = await lampInstance()
  const { withoutLockWaits } = instance.actors
  const [id, other] = [await createLamp(instance.actors), await createLamp(instance.actors)]
  await using session = await lockingSession(instance.url, `select from lamps where id = '${id}' for update`)
  for (let time = 0; time < 5; time++) {
    await expect(withoutLockWaits.dispatch(count(id))).rejects.toBeInstanceOf(LockedOut)
    doneOf(await withoutLockWaits.dispatch(count(other)))
  }
  expect(instance.actors.longestLockWait()).toMatchObject({ kind: 'lamp', actor: id })
  await session.release()
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
  const ids = await Promise.all(Array.from({ length: 9 }, () => createLamp(instance.actors, { burnMs: 100 })))
  for (const id of ids) doneOf(await instance.actors.dispatch(eventCommand(id, 'switch_on')))
  const [locked = '', ...others] = ids
  await using session = await lockingSession(instance.url, `select from lamps where id = '${locked}' for update`)
  const timers = openTimers(instance.world, instance.actors.withoutLockWaits, { pollMs: 20 })
  timers.start()
  const fired = async (actors: readonly string[]) =>
    (await instance.sql`select from lamps where state = 'off' and id = any(${actors}::uuid[])`).length === actors.length
  await until(() => fired(others))
  expect(await fired([locked])).toBe(false)
  // Repeatedly, not only once.
  for (const id of others) doneOf(await instance.actors.dispatch(eventCommand(id, 'switch_on')))
  await until(() => fired(others))
  await session.release()
  await until(() => fired([locked]))
  await timers.stop()
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a locked actor is retried less and less often, and immediately when no command has arrived for long', () => {
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
