import { expect, test } from 'bun:test'
import { registered } from '../../src/actors/kind.ts'
import { openTimers } from '../../src/actors/timers.ts'
import { audit } from '../../src/audit/audit.ts'
import { manualClock } from '../../src/clock.ts'
import { readableLog } from '../harness/lines.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'
import { lamp } from './lamp.ts'
import { createLamp, eventCommand, lampInstance, openInstance } from './lamps.ts'

const lampKinds = [registered(lamp)]

test('a timer fires when it is due, and not earlier', async () => {
  const clock = manualClock()
  await using instance = await lampInstance({ clock })
  const timers = openTimers(instance.world, instance.actors)
  const id = await createLamp(instance.actors, { burnMs: 60_000 })
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  clock.advance(59_999)
  expect(await timers.fireDue()).toBe(0)
  clock.advance(1)
  expect(await timers.fireDue()).toBe(1)
  const [row] = await instance.sql`
    select l.state, t.event, t.cause from lamps l join transitions t on t.actor = l.id and t.rev = l.rev where l.id = ${id}`
  expect({ ...row }).toEqual({ state: 'off', event: 'after.burn.lamp.on', cause: 'timer' })
  expect(await instance.sql`select from timers`).toHaveLength(0)
})

test('a timer in flight does not fire the new timer when its state is left and entered again', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  const [armed] = await instance.sql`select name, generation from timers`
  await instance.actors.dispatch(eventCommand(id, 'switch_off'))
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  const late = { kind: 'lamp', actor: id, timer: { name: String(armed?.name), generation: Number(armed?.generation) } }
  expect(await instance.actors.dispatch(late)).toMatchObject({
    ok: false,
    refusal: 'stale',
    actor: { state: 'on', rev: 4 },
  })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a timer that fires in the batch that leaves its state is stale', async () => {
  const clock = manualClock()
  await using instance = await lampInstance({ clock })
  const id = await createLamp(instance.actors)
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  const timer = { name: 'burn.lamp.on', generation: 2 }
  const [left, fired] = await Promise.all([
    instance.actors.dispatch(eventCommand(id, 'switch_off')),
    instance.actors.dispatch({ kind: 'lamp', actor: id, timer }),
  ])
  expect(left).toMatchObject({ ok: true })
  expect(fired).toMatchObject({ ok: false, refusal: 'stale' })
  expect(await instance.sql`select from events where type = 'lamp.out'`).toHaveLength(1)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('when two processes fire timers while states are left, each lamp goes off once', async () => {
  await using instance = await lampInstance()
  const other = await openInstance(instance.url)
  const lamps = await Promise.all(Array.from({ length: 200 }, () => createLamp(instance.actors, { burnMs: 50 })))
  await Promise.all(lamps.map(id => instance.actors.dispatch(eventCommand(id, 'switch_on'))))
  const timers = [openTimers(instance.world, instance.actors), openTimers(other.world, other.actors)]
  await until(async () => (await instance.sql`select from timers where due_at <= now()`).length === 200)
  // One switches off by command while both fire.
  await Promise.all([
    ...timers.map(({ fireDue }) => fireDue()),
    ...lamps.map(id => other.actors.dispatch(eventCommand(id, 'switch_off'))),
  ])
  expect(await instance.sql`select from timers`).toHaveLength(0)
  expect(await instance.sql`select from lamps where state = 'off' and rev = 3`).toHaveLength(200)
  expect(await instance.sql`select from events where type = 'lamp.out'`).toHaveLength(200)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await other.close()
})

test('each process fires its share of the timers, and overdue ones of others', async () => {
  const clock = manualClock()
  await using instance = await lampInstance({ clock })
  const lamps = await Promise.all(Array.from({ length: 100 }, () => createLamp(instance.actors, { burnMs: 1_000 })))
  await Promise.all(lamps.map(id => instance.actors.dispatch(eventCommand(id, 'switch_on'))))
  const timers = openTimers(instance.world, instance.actors, { share: () => ({ index: 0, of: 2 }) })
  clock.advance(1_000)
  const own = await timers.fireDue()
  expect(own).toBeGreaterThan(20)
  expect(own).toBeLessThan(80)
  clock.advance(2_000)
  expect(await timers.fireDue()).toBe(100 - own)
})

test('a timer whose actor cannot be read is postponed and does not block others', async () => {
  const clock = manualClock()
  await using instance = await lampInstance({ clock })
  const timers = openTimers(instance.world, instance.actors, { batchSize: 1 })
  const [broken, whole] = [
    await createLamp(instance.actors, { burnMs: 1_000 }),
    await createLamp(instance.actors, { burnMs: 1_001 }),
  ]
  for (const id of [broken, whole]) await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  await instance.sql`update lamps set version = 0 where id = ${broken}`
  clock.advance(2_000)
  await timers.fireDue()
  await timers.fireDue()
  const rows = await instance.sql`select actor, failures from timers`
  expect(rows.map(row => ({ ...row }))).toEqual([{ actor: broken, failures: 1 }])
})

test('a timer of a newer machine version is left to the process that can read it', async () => {
  const clock = manualClock()
  await using instance = await lampInstance({ clock })
  const timers = openTimers(instance.world, instance.actors)
  const id = await createLamp(instance.actors, { burnMs: 1_000 })
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  await instance.sql`update lamps set version = 2`
  clock.advance(2_000)
  await timers.fireDue()
  const [row] = await instance.sql`select failures from timers`
  expect(row?.failures).toBe(0)
})

test('an outage is logged when it begins, not at every poll', async () => {
  await using instance = await lampInstance()
  const { log, lines } = readableLog()
  let polls = 0
  const share = () => {
    polls++
    return { index: 0, of: 1 }
  }
  const timers = openTimers({ ...instance.world, log }, instance.actors, { pollMs: 10, share })
  const polled = async () => {
    const wanted = polls + 4
    await until(() => polls >= wanted)
  }
  timers.start()
  for (const outages of [1, 2]) {
    await instance.sql`alter table timers rename to missing`
    await polled()
    expect(lines().map(({ msg }) => msg)).toEqual(Array(outages).fill('timers not fired, retrying'))
    await instance.sql`alter table missing rename to timers`
    await polled()
  }
  await timers.stop()
})

test('the loop fires timers by itself and ends when it is stopped', async () => {
  await using instance = await lampInstance()
  const timers = openTimers(instance.world, instance.actors, { pollMs: 10 })
  timers.start()
  const id = await createLamp(instance.actors, { burnMs: 30 })
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  await until(async () => (await instance.sql`select from lamps where state = 'off'`).length === 1)
  await timers.stop()
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  await until(async () => (await instance.sql`select from timers where due_at < now()`).length === 1)
  expect(await instance.sql`select from lamps where state = 'on'`).toHaveLength(1)
})

test('a connection that hangs during the query for due timers does not prevent timers from firing', async () => {
  await using instance = await lampInstance()
  await using path = await databaseProxy(instance.url)
  const far = await openInstance(path.url, { answerS: 1 })
  const timers = openTimers(far.world, far.actors)
  const held = path.hold('due_at')
  timers.start()
  await held
  const id = await createLamp(far.actors, { burnMs: 50 })
  await far.actors.dispatch(eventCommand(id, 'switch_on'))
  await until(async () => (await instance.sql`select from lamps where id = ${id} and state = 'off'`).length === 1)
  await timers.stop()
  await far.close()
})

test('any number of timers of a newer version do not block those of this version', async () => {
  const clock = manualClock()
  await using instance = await lampInstance({ clock })
  const lamps = await Promise.all(
    Array.from({ length: 9 }, (_, n) => createLamp(instance.actors, { burnMs: 1_000 + n })),
  )
  await Promise.all(lamps.map(id => instance.actors.dispatch(eventCommand(id, 'switch_on'))))
  const own = lamps.at(-1) ?? ''
  await instance.sql`update lamps set version = 2 where id <> ${own}`
  clock.advance(5_000)
  const timers = openTimers(instance.world, instance.actors, { batchSize: 4 })
  for (let round = 0; round < 3; round++) await timers.fireDue()
  expect(await instance.sql`select id from lamps where state = 'off'`).toEqual([{ id: own }] as never)
  // They stay unchanged for the process that can read them.
  expect(await instance.sql`select from timers where failures = 0 and due_at < ${clock.now()}`).toHaveLength(8)
  expect(await timers.fireDue()).toBe(0)
})
