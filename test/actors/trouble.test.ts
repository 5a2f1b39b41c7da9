import { expect, test } from 'bun:test'
import { registered } from '../../src/actors/kind.ts'
import { openTimers } from '../../src/actors/timers.ts'
import { audit } from '../../src/audit/audit.ts'
import { databaseClock, manualClock } from '../../src/clock.ts'
import { connect } from '../../src/postgres/connect.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'
import { lamp } from './lamp.ts'
import { createCommand, createLamp, doneOf, eventCommand, lampInstance, newId, openInstance } from './lamps.ts'

const lampKinds = [registered(lamp)]

const seen = (actor: string, tx: string) => ({
  ...eventCommand(actor, 'count', { by: 1 }),
  rows: [{ table: 'sightings', row: { tx, lamp: actor } }],
})

test('of two commands in one batch that insert the same row one is executed', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const lamps = [await createLamp(instance.actors), await createLamp(instance.actors)]
  const outcomes = await Promise.all(lamps.map(id => instance.actors.dispatch(seen(id, 'tx'))))
  expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true])
  const [sum] =
    await instance.sql`select sum(switched)::int as switched, (select count(*)::int from sightings) as seen from lamps`
  expect({ ...sum }).toEqual({ switched: 1, seen: 1 })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a row that the database rejects refuses only its own command', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const other = await createLamp(instance.actors)
  await instance.actors.dispatch(seen(other, 'tx'))
  const [first, second] = [newId(), newId()].sort()
  const [a, b] = await Promise.all([
    instance.actors.dispatch({
      ...createCommand({ room: 'attic' }, first),
      rows: [{ table: 'sightings', row: { tx: 'tx', lamp: other } }],
    }),
    instance.actors.dispatch(createCommand({ room: 'attic' }, second)),
  ])
  expect(a).toMatchObject({ ok: false, constraint: 'sightings_pkey' })
  expect(b).toMatchObject({ ok: true })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a creation that loses to the same creation by another process returns its outcome', async () => {
  await using instance = await lampInstance()
  const other = await openInstance(instance.url)
  const creations = Array.from({ length: 40 }, () => ({ ...createCommand(), id: newId() }))
  const outcomes = await Promise.all(
    [instance, other].flatMap(({ actors }) => creations.map(creation => actors.dispatch(creation))),
  )
  expect(outcomes.filter(outcome => doneOf(outcome).replayed)).toHaveLength(40)
  expect(await instance.sql`select from lamps`).toHaveLength(40)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await other.close()
})

/** Another process's lease, short enough that commands lose to it until they take a lease themselves. */
const leaseByOther = (instance: Awaited<ReturnType<typeof lampInstance>>, ids: readonly string[]) =>
  instance.sql`update lamps set lease = ${newId()}, leased_until = now() + interval '200 ms' where id = any(${ids as string[]})`

test('a lease that cannot be released causes no repetition', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  await instance.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin
      if new.lease is null and old.lease is not null and new.rev = old.rev then
        raise exception 'no' using errcode = '40P01';
      end if;
      return new;
    end $$;
    create trigger refuse before update on lamps for each row execute function refuse();`)
  await leaseByOther(instance, [id])
  // A refusal in a leased batch leaves the lease; the commit of the other command must not be repeated.
  const outcomes = await Promise.all([
    instance.actors.dispatch(eventCommand(id, 'count', { by: 1 })),
    instance.actors.dispatch(eventCommand(id, 'switch_off')),
  ])
  expect(outcomes).toMatchObject([{ ok: true }, { ok: false, refusal: 'state' }])
  const [row] = await instance.sql`select switched, rev from lamps`
  expect({ ...row }).toEqual({ switched: 1, rev: 2 })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test.each([
  ['inserts an existing row', (id: string) => seen(id, 'tx')],
  ['violates a check', (id: string) => eventCommand(id, 'count', { by: 2_000_000 })],
])(
  'a leased command is executed when another of its batch %s',
  async (_what, bad) => {
    await using instance = await lampInstance({ lanes: 1 })
    const [a, b, c] = [
      await createLamp(instance.actors),
      await createLamp(instance.actors),
      await createLamp(instance.actors),
    ]
    await instance.actors.dispatch(seen(c, 'tx'))
    await leaseByOther(instance, [a, b])
    const [good, failed] = await Promise.allSettled([
      instance.actors.dispatch(eventCommand(a, 'count', { by: 1 })),
      instance.actors.dispatch(bad(b)),
    ])
    expect(good).toMatchObject({ status: 'fulfilled', value: { ok: true } })
    expect(failed.status === 'rejected' || !failed.value.ok).toBe(true)
    await until(async () => (await instance.sql`select from lamps where leased_until > now()`).length === 0)
    expect(await audit(instance.sql, lampKinds)).toEqual([])
  },
  15_000,
)

test('earlier commands for an actor are not overtaken while another actor of their bundle is leased by another process', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const [mine, theirs] = [await createLamp(instance.actors), await createLamp(instance.actors)]
  await leaseByOther(instance, [theirs])
  const outcomes = await Promise.all([
    instance.actors.dispatchBundle([eventCommand(mine, 'switch_on'), eventCommand(theirs, 'switch_on')]),
    instance.actors.dispatch(eventCommand(mine, 'switch_off')),
  ])
  expect(outcomes).toMatchObject([{ ok: true }, { ok: true, actor: { state: 'off', rev: 3 } }])
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a lease set by a clock that is an hour ahead blocks no command', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  await instance.sql`update lamps set lease = ${newId()}, leased_until = now() + interval '1 hour'`
  expect(doneOf(await instance.actors.dispatch(eventCommand(id, 'switch_on'))).actor.rev).toBe(2)
})

test('a timer fires while its actor is busy', async () => {
  await using instance = await lampInstance()
  const timers = openTimers({ ...instance.world }, instance.actors, { pollMs: 20 })
  const id = await createLamp(instance.actors, { burnMs: 100 })
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  timers.start()
  let busy = true
  const callers = Array.from({ length: 16 }, async () => {
    while (busy) await instance.actors.dispatch(eventCommand(id, 'count', { by: 1 }))
  })
  await until(async () => (await instance.sql`select from transitions where event = 'after.burn.lamp.on'`).length === 1)
  busy = false
  await Promise.all(callers)
  await timers.stop()
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('an event of a caller is not taken for one of a timer', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  expect(await instance.actors.dispatch(eventCommand(id, 'xstate.after.burn.lamp.on'))).toMatchObject({
    ok: false,
    refusal: 'state',
  })
})

test('a command whose statement hangs times out', async () => {
  await using instance = await lampInstance({ retryForMs: 300 })
  const id = await createLamp(instance.actors)
  const holder = connect(instance.url, { max: 1 })
  await holder.unsafe('begin; lock table transitions in access exclusive mode')
  const began = performance.now()
  await expect(instance.actors.dispatch(eventCommand(id, 'switch_on'))).rejects.toMatchObject({ name: 'Unavailable' })
  await instance.actors.idle()
  const waited = performance.now() - began
  expect(waited).toBeGreaterThan(250)
  expect(waited).toBeLessThan(3_000)
  await holder.unsafe('rollback')
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await holder.end()
})

test("the first commit uses the database's time, even if the local clock is wrong", async () => {
  const clock = databaseClock()
  clock.learn(new Date(Date.now() - 3_600_000), 0)
  await using instance = await lampInstance({ clock })
  await createLamp(instance.actors)
  const [row] = await instance.sql`select abs(extract(epoch from now() - at))::int as off from transitions`
  expect(row?.off).toBeLessThan(5)
})

test('a running instance survives a migration that adds a column, and the next instance writes the column', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  await instance.sql.unsafe(
    `alter table lamps add column color text default 'white'; select define_actor_table('lamps')`,
  )
  expect(doneOf(await instance.actors.dispatch(eventCommand(id, 'switch_on'))).actor.rev).toBe(2)
  await createLamp(instance.actors)
  const next = await openInstance(instance.url, {
    kinds: [registered({ ...lamp, columns: { ...lamp.columns, color: 'text' } } as never)],
  })
  await instance.sql`update lamps set color = 'red' where id = ${id}`
  await next.actors.dispatch(eventCommand(id, 'switch_off'))
  // The older process does not know the column and does not change it.
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  const rows = await instance.sql`select color from lamps order by color`
  expect(rows.map(({ color }) => color)).toEqual(['red', 'white'])
  await next.close()
})

test('a bundle of which only some commands have ids is refused before anything is executed', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const mixed = [eventCommand(id, 'switch_on'), { ...eventCommand(id, 'switch_off'), id: newId() }]
  await expect(instance.actors.dispatchBundle(mixed)).rejects.toThrow('some of its commands have ids')
})

test('ids are compared by value, not by case', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const command = { ...eventCommand(id.toUpperCase(), 'switch_on'), id: newId().toUpperCase() }
  expect(doneOf(await instance.actors.dispatch(command)).replayed).toBe(false)
  expect(doneOf(await instance.actors.dispatch(command)).replayed).toBe(true)
})

test('commands for one actor keep their order while another process writes it', async () => {
  await using instance = await lampInstance()
  const competitor = await openInstance(instance.url)
  const id = await createLamp(instance.actors)
  let busy = true
  const heat = (async () => {
    while (busy) await competitor.actors.dispatch(eventCommand(id, 'count', { by: 1 }))
  })()
  const causes: string[] = []
  for (let round = 0; round < 20; round++) {
    const commands = Array.from({ length: 20 }, (_, n) => ({
      ...eventCommand(id, 'count', { by: 1 }),
      cause: `${round * 20 + n}`,
    }))
    causes.push(...commands.map(({ cause }) => cause))
    await Promise.all(commands.map(instance.actors.dispatch))
  }
  busy = false
  await heat
  const rows = await instance.sql`select cause from transitions where cause is not null order by rev`
  expect(rows.map(({ cause }) => cause)).toEqual(causes)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await competitor.close()
}, 30_000)

test('commands beyond the maximum are rejected immediately, and the others are executed', async () => {
  await using instance = await lampInstance({ maxQueued: 100 })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 130 }, () => instance.actors.dispatch(createCommand())),
  )
  const away = outcomes.filter(({ status }) => status === 'rejected')
  expect(away).toHaveLength(30)
  expect(away[0]).toMatchObject({ reason: { name: 'Unavailable' } })
  expect(await instance.sql`select from lamps`).toHaveLength(100)
})

const START = new Date('2026-01-01T00:00:00.000Z')

/** Refuses to count from a second after the start on. */
const tiringLamp: typeof lamp = {
  ...lamp,
  machine: lamp.machine.provide({
    guards: { counts: ({ event }: { event: { at: Date } }) => event.at.getTime() < START.getTime() + 1_000 },
  }),
}

test.each([
  ['with a command id', { id: newId() }],
  ['without an id', {}],
])('a statement that arrives after its command timed out is not executed, %s', async (_, chosen) => {
  await using instance = await lampInstance()
  await using path = await databaseProxy(instance.url)
  const clock = manualClock(START)
  const far = await openInstance(path.url, { clock, kinds: [registered(tiringLamp)] })
  const actor = await createLamp(instance.actors)
  // The text is in a parameter of the statement, which is prepared by then.
  const held = path.hold('the late one')
  const asked = far.actors.dispatch({ ...eventCommand(actor, 'count', { by: 1 }), cause: 'the late one', ...chosen })
  const statement = await held
  // The retry finds that its deadline has passed.
  clock.advance(5_000)
  await statement.loseSilently()
  expect(await asked).toMatchObject({ ok: false, refusal: 'state' })
  // A lease would keep the late statement off too.
  await far.actors.idle()
  expect(await instance.sql`select from lamps where lease is not null`).toHaveLength(0)
  await statement.deliver()
  const [row] = await instance.sql`select switched from lamps where id = ${actor}`
  expect(row?.switched).toBe(0)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await far.close()
})

test('a command that was decided before its actor was leased does not commit after that', async () => {
  await using instance = await lampInstance()
  await using path = await databaseProxy(instance.url)
  const clock = manualClock(START)
  const far = await openInstance(path.url, { clock, kinds: [registered(tiringLamp)] })
  const actor = await createLamp(instance.actors)
  const held = path.hold('the late one')
  const asked = far.actors.dispatch({ ...eventCommand(actor, 'count', { by: 1 }), cause: 'the late one' })
  const statement = await held
  const holder = newId()
  await instance.sql`select lease_lamps(${`{${actor}}`}::text::uuid[], ${holder}, ${START}, ${new Date(START.getTime() + 2_000)})`
  await instance.sql`update lamps set lease = null, leased_until = null where id = ${actor} and lease = ${holder}`
  clock.advance(5_000)
  await statement.deliver()
  expect(await asked).toMatchObject({ ok: false, refusal: 'state' })
  const [row] = await instance.sql`select switched, rev from lamps where id = ${actor}`
  expect({ ...row }).toEqual({ switched: 0, rev: 1 })
  await far.close()
})

test('a pool whose connections all hang recovers by itself', async () => {
  await using instance = await lampInstance()
  await using path = await databaseProxy(instance.url)
  const far = await openInstance(path.url, { connections: 2, answerS: 1 })
  const actor = await createLamp(far.actors)
  await Promise.all([far.sql`select pg_sleep(0.1)`, far.sql`select pg_sleep(0.1)`])
  path.stall()
  const outcomes = await Promise.all([1, 2, 3].map(by => far.actors.dispatch(eventCommand(actor, 'count', { by }))))
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true])
  const [row] = await instance.sql`select switched from lamps where id = ${actor}`
  expect(row?.switched).toBe(1 + 2 + 3)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await far.close()
})

test('an error after the commit does not repeat the commit', async () => {
  const failing = () => {
    throw new Error('deaf')
  }
  await using instance = await lampInstance({ lanes: 1, onPublished: failing })
  const lamps = [await createLamp(instance.actors), await createLamp(instance.actors)]
  const outcomes = await Promise.all(lamps.map(id => instance.actors.dispatch(eventCommand(id, 'switch_on'))))
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true])
  expect(await instance.sql`select from lamps where state = 'on' and rev = 2`).toHaveLength(2)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a command does not wait for a commit that waits for the lock of another session', async () => {
  await using instance = await lampInstance()
  const [held, free] = [await createLamp(instance.actors), await createLamp(instance.actors)]
  await using stack = new AsyncDisposableStack()
  const otherSession = connect(instance.url, { max: 1 })
  stack.defer(() => otherSession.end({ timeout: 1 }))
  await otherSession.unsafe(`begin; select from lamps where id = '${held}' for update`)

  let isReported = false
  const waiting = instance.actors.dispatch(eventCommand(held, 'switch_on')).finally(() => {
    isReported = true
  })
  await until(
    async () =>
      (await instance.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .length > 0,
    { what: 'the commit to wait for the lock' },
  )
  // A single command, which no later one wakes.
  expect(doneOf(await instance.actors.dispatch(eventCommand(free, 'switch_on')))).toMatchObject({
    actor: { state: 'on' },
  })
  expect(isReported).toBe(false)
  await otherSession.unsafe('commit')
  expect(doneOf(await waiting)).toMatchObject({ actor: { state: 'on' } })
})

test('a command refused by a cached row does not overtake earlier ones that are refused by a stored row', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const [other, id] = [await createLamp(instance.actors), await createLamp(instance.actors)]
  doneOf(await instance.actors.dispatch(seen(other, 'tx')))
  doneOf(await instance.actors.dispatch(eventCommand(id, 'count', { by: 1 })))
  const outcomes = await Promise.all(
    [
      eventCommand(id, 'count', { by: 1 }),
      seen(id, 'tx'),
      // The lamp is off; this is known only by reading it.
      eventCommand(id, 'switch_off'),
      eventCommand(id, 'count', { by: 1 }),
    ].map(instance.actors.dispatch),
  )
  expect(outcomes.map(outcome => (outcome.ok ? outcome.actor.rev : outcome.refusal))).toEqual([3, 'exists', 'state', 4])
})
