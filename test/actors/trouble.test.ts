import { expect, test } from 'bun:test'
import { registered } from '../../src/actors/kind.ts'
import { openTimers } from '../../src/actors/timers.ts'
import { audit } from '../../src/audit/audit.ts'
import { databaseClock, manualClock } from '../../src/clock.ts'
import { connect } from '../../src/postgres/connect.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'
import { lamp } from './lamp.ts'
import { doneOf, lampInstance, makeLamp, newId, newLamp, openInstance, tell } from './lamps.ts'

const lampKinds = [registered(lamp)]

const seen = (actor: string, tx: string) => ({
  ...tell(actor, 'count', { by: 1 }),
  rows: [{ table: 'sightings', row: { tx, lamp: actor } }],
})

test('of two commands in one batch that bring the same row one is carried out', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const lamps = [await newLamp(instance.actors), await newLamp(instance.actors)]
  const outcomes = await Promise.all(lamps.map(id => instance.actors.dispatch(seen(id, 'tx'))))
  expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true])
  const [sum] =
    await instance.sql`select sum(switched)::int as switched, (select count(*)::int from sightings) as seen from lamps`
  expect({ ...sum }).toEqual({ switched: 1, seen: 1 })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a row that is refused itself refuses nobody', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const other = await newLamp(instance.actors)
  await instance.actors.dispatch(seen(other, 'tx'))
  const [first, second] = [newId(), newId()].sort()
  const [a, b] = await Promise.all([
    instance.actors.dispatch({
      ...makeLamp({ room: 'attic' }, first),
      rows: [{ table: 'sightings', row: { tx: 'tx', lamp: other } }],
    }),
    instance.actors.dispatch(makeLamp({ room: 'attic' }, second)),
  ])
  expect(a).toMatchObject({ ok: false, constraint: 'sightings_pkey' })
  expect(b).toMatchObject({ ok: true })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a creation that loses to its own twin in another process is told what that one did', async () => {
  await using instance = await lampInstance()
  const other = await openInstance(instance.url)
  const creations = Array.from({ length: 40 }, () => ({ ...makeLamp(), id: newId() }))
  const outcomes = await Promise.all(
    [instance, other].flatMap(({ actors }) => creations.map(creation => actors.dispatch(creation))),
  )
  expect(outcomes.filter(outcome => doneOf(outcome).replayed)).toHaveLength(40)
  expect(await instance.sql`select from lamps`).toHaveLength(40)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await other.close()
})

/** A stranger's lease, short enough that commands lose to it until they lease for themselves. */
const leaseToStranger = (instance: Awaited<ReturnType<typeof lampInstance>>, ids: readonly string[]) =>
  instance.sql`update lamps set lease = ${newId()}, leased_until = now() + interval '200 ms' where id = any(${ids as string[]})`

test('a lease that cannot be given back repeats nothing', async () => {
  await using instance = await lampInstance()
  const id = await newLamp(instance.actors)
  await instance.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin
      if new.lease is null and old.lease is not null and new.rev = old.rev then
        raise exception 'no' using errcode = '40P01';
      end if;
      return new;
    end $$;
    create trigger refuse before update on lamps for each row execute function refuse();`)
  await leaseToStranger(instance, [id])
  // A refusal in a leased batch leaves the lease behind, and the commit beside it must stay single.
  const outcomes = await Promise.all([
    instance.actors.dispatch(tell(id, 'count', { by: 1 })),
    instance.actors.dispatch(tell(id, 'switch_off')),
  ])
  expect(outcomes).toMatchObject([{ ok: true }, { ok: false, refusal: 'state' }])
  const [row] = await instance.sql`select switched, rev from lamps`
  expect({ ...row }).toEqual({ switched: 1, rev: 2 })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test.each([
  ['brings a row that is there', (id: string) => seen(id, 'tx')],
  ['breaks a check', (id: string) => tell(id, 'count', { by: 2_000_000 })],
])(
  'a leased command gets through beside one that %s',
  async (_what, bad) => {
    await using instance = await lampInstance({ lanes: 1 })
    const [a, b, c] = [await newLamp(instance.actors), await newLamp(instance.actors), await newLamp(instance.actors)]
    await instance.actors.dispatch(seen(c, 'tx'))
    await leaseToStranger(instance, [a, b])
    const [good, failed] = await Promise.allSettled([
      instance.actors.dispatch(tell(a, 'count', { by: 1 })),
      instance.actors.dispatch(bad(b)),
    ])
    expect(good).toMatchObject({ status: 'fulfilled', value: { ok: true } })
    expect(failed.status === 'rejected' || !failed.value.ok).toBe(true)
    await until(async () => (await instance.sql`select from lamps where leased_until > now()`).length === 0)
    expect(await audit(instance.sql, lampKinds)).toEqual([])
  },
  15_000,
)

test('what was asked of an actor first is not overtaken while another actor of its bundle is leased to a stranger', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const [mine, theirs] = [await newLamp(instance.actors), await newLamp(instance.actors)]
  await leaseToStranger(instance, [theirs])
  const outcomes = await Promise.all([
    instance.actors.dispatchBundle([tell(mine, 'switch_on'), tell(theirs, 'switch_on')]),
    instance.actors.dispatch(tell(mine, 'switch_off')),
  ])
  expect(outcomes).toMatchObject([{ ok: true }, { ok: true, actor: { state: 'off', rev: 3 } }])
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a lease from a clock that is an hour ahead holds nobody back', async () => {
  await using instance = await lampInstance()
  const id = await newLamp(instance.actors)
  await instance.sql`update lamps set lease = ${newId()}, leased_until = now() + interval '1 hour'`
  expect(doneOf(await instance.actors.dispatch(tell(id, 'switch_on'))).actor.rev).toBe(2)
})

test('a timer fires while its actor is busy with other things', async () => {
  await using instance = await lampInstance()
  const timers = openTimers({ ...instance.world }, instance.actors, { pollMs: 20 })
  const id = await newLamp(instance.actors, { burnMs: 100 })
  await instance.actors.dispatch(tell(id, 'switch_on'))
  timers.start()
  let busy = true
  const callers = Array.from({ length: 16 }, async () => {
    while (busy) await instance.actors.dispatch(tell(id, 'count', { by: 1 }))
  })
  await until(async () => (await instance.sql`select from transitions where event = 'after.burn.lamp.on'`).length === 1)
  busy = false
  await Promise.all(callers)
  await timers.stop()
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test("a caller's event is not taken for a timer's", async () => {
  await using instance = await lampInstance()
  const id = await newLamp(instance.actors)
  await instance.actors.dispatch(tell(id, 'switch_on'))
  expect(await instance.actors.dispatch(tell(id, 'xstate.after.burn.lamp.on'))).toMatchObject({
    ok: false,
    refusal: 'state',
  })
})

test('patience bounds a command whose statement hangs', async () => {
  await using instance = await lampInstance({ retryForMs: 300 })
  const id = await newLamp(instance.actors)
  const holder = connect(instance.url, { max: 1 })
  await holder.unsafe('begin; lock table transitions in access exclusive mode')
  const began = performance.now()
  await expect(instance.actors.dispatch(tell(id, 'switch_on'))).rejects.toMatchObject({ name: 'Unavailable' })
  await instance.actors.idle()
  const waited = performance.now() - began
  expect(waited).toBeGreaterThan(250)
  expect(waited).toBeLessThan(3_000)
  await holder.unsafe('rollback')
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await holder.end()
})

test('the first commit is written in database time, whatever the local clock says', async () => {
  const clock = databaseClock()
  clock.learn(new Date(Date.now() - 3_600_000), 0)
  await using instance = await lampInstance({ clock })
  await newLamp(instance.actors)
  const [row] = await instance.sql`select abs(extract(epoch from now() - at))::int as off from transitions`
  expect(row?.off).toBeLessThan(5)
})

test('a running instance outlives a migration that adds a column, and the next one writes it', async () => {
  await using instance = await lampInstance()
  const id = await newLamp(instance.actors)
  await instance.sql.unsafe(
    `alter table lamps add column color text default 'white'; select define_actor_table('lamps')`,
  )
  expect(doneOf(await instance.actors.dispatch(tell(id, 'switch_on'))).actor.rev).toBe(2)
  await newLamp(instance.actors)
  const next = await openInstance(instance.url, {
    kinds: [registered({ ...lamp, columns: { ...lamp.columns, color: 'text' } } as never)],
  })
  await instance.sql`update lamps set color = 'red' where id = ${id}`
  await next.actors.dispatch(tell(id, 'switch_off'))
  // The older process does not know the column, and leaves it alone.
  await instance.actors.dispatch(tell(id, 'switch_on'))
  const rows = await instance.sql`select color from lamps order by color`
  expect(rows.map(({ color }) => color)).toEqual(['red', 'white'])
  await next.close()
})

test('a bundle of which only some commands have ids is refused before it is begun', async () => {
  await using instance = await lampInstance()
  const id = await newLamp(instance.actors)
  const mixed = [tell(id, 'switch_on'), { ...tell(id, 'switch_off'), id: newId() }]
  await expect(instance.actors.dispatchBundle(mixed)).rejects.toThrow('some of its commands have ids')
})

test('ids are told apart by what they mean, not by their case', async () => {
  await using instance = await lampInstance()
  const id = await newLamp(instance.actors)
  const command = { ...tell(id.toUpperCase(), 'switch_on'), id: newId().toUpperCase() }
  expect(doneOf(await instance.actors.dispatch(command)).replayed).toBe(false)
  expect(doneOf(await instance.actors.dispatch(command)).replayed).toBe(true)
})

test('commands for one actor keep their order beside a rival', async () => {
  await using instance = await lampInstance()
  const rival = await openInstance(instance.url)
  const id = await newLamp(instance.actors)
  let busy = true
  const heat = (async () => {
    while (busy) await rival.actors.dispatch(tell(id, 'count', { by: 1 }))
  })()
  const causes: string[] = []
  for (let round = 0; round < 20; round++) {
    const commands = Array.from({ length: 20 }, (_, n) => ({
      ...tell(id, 'count', { by: 1 }),
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
  await rival.close()
}, 30_000)

test('more commands than can wait are turned away at once, and the others are carried out', async () => {
  await using instance = await lampInstance({ maxQueued: 100 })
  const outcomes = await Promise.allSettled(Array.from({ length: 130 }, () => instance.actors.dispatch(makeLamp())))
  const away = outcomes.filter(({ status }) => status === 'rejected')
  expect(away).toHaveLength(30)
  expect(away[0]).toMatchObject({ reason: { name: 'Unavailable' } })
  expect(await instance.sql`select from lamps`).toHaveLength(100)
})

const START = new Date('2026-01-01T00:00:00.000Z')

/** Counts no more from a second after the start on. */
const tiring: typeof lamp = {
  ...lamp,
  machine: lamp.machine.provide({
    guards: { counts: ({ event }: { event: { at: Date } }) => event.at.getTime() < START.getTime() + 1_000 },
  }),
}

test.each([
  ['with an id of the caller’s', { id: newId() }],
  ['without', {}],
])('a statement that arrives after its command was refused is not carried out, %s', async (_, chosen) => {
  await using instance = await lampInstance()
  await using path = await databaseProxy(instance.url)
  const clock = manualClock(START)
  const far = await openInstance(path.url, { clock, kinds: [registered(tiring)] })
  const actor = await newLamp(instance.actors)
  // In what is bound to the statement, once it is prepared.
  const held = path.hold('the late one')
  const asked = far.actors.dispatch({ ...tell(actor, 'count', { by: 1 }), cause: 'the late one', ...chosen })
  const statement = await held
  // The second try finds that it comes too late.
  clock.advance(5_000)
  await statement.loseSilently()
  expect(await asked).toMatchObject({ ok: false, refusal: 'state' })
  // A lease would keep it off by itself.
  await far.actors.idle()
  expect(await instance.sql`select from lamps where lease is not null`).toHaveLength(0)
  await statement.deliver()
  const [row] = await instance.sql`select switched from lamps where id = ${actor}`
  expect(row?.switched).toBe(0)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await far.close()
})

test('a command that was decided before its actor was leased does not commit after it', async () => {
  await using instance = await lampInstance()
  await using path = await databaseProxy(instance.url)
  const clock = manualClock(START)
  const far = await openInstance(path.url, { clock, kinds: [registered(tiring)] })
  const actor = await newLamp(instance.actors)
  const held = path.hold('the late one')
  const asked = far.actors.dispatch({ ...tell(actor, 'count', { by: 1 }), cause: 'the late one' })
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

test('a pool whose every connection has fallen silent is of use again by itself', async () => {
  await using instance = await lampInstance()
  await using path = await databaseProxy(instance.url)
  const far = await openInstance(path.url, { connections: 2, answerS: 1 })
  const actor = await newLamp(far.actors)
  await Promise.all([far.sql`select pg_sleep(0.1)`, far.sql`select pg_sleep(0.1)`])
  path.stall()
  const outcomes = await Promise.all([1, 2, 3].map(by => far.actors.dispatch(tell(actor, 'count', { by }))))
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true])
  const [row] = await instance.sql`select switched from lamps where id = ${actor}`
  expect(row?.switched).toBe(1 + 2 + 3)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await far.close()
})

test('what fails when all is committed has nothing done again', async () => {
  const deaf = () => {
    throw new Error('deaf')
  }
  await using instance = await lampInstance({ lanes: 1, onPublished: deaf })
  const lamps = [await newLamp(instance.actors), await newLamp(instance.actors)]
  const outcomes = await Promise.all(lamps.map(id => instance.actors.dispatch(tell(id, 'switch_on'))))
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true])
  expect(await instance.sql`select from lamps where state = 'on' and rev = 2`).toHaveLength(2)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('a command does not wait for a commit that waits for a lock of somebody else', async () => {
  await using instance = await lampInstance()
  const [held, free] = [await newLamp(instance.actors), await newLamp(instance.actors)]
  await using stack = new AsyncDisposableStack()
  const stranger = connect(instance.url, { max: 1 })
  stack.defer(() => stranger.end({ timeout: 1 }))
  await stranger.unsafe(`begin; select from lamps where id = '${held}' for update`)

  let isTold = false
  const waiting = instance.actors.dispatch(tell(held, 'switch_on')).finally(() => {
    isTold = true
  })
  await until(
    async () =>
      (await instance.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .length > 0,
    { what: 'the commit to wait for the lock' },
  )
  // One alone, which nothing that comes later wakes.
  expect(doneOf(await instance.actors.dispatch(tell(free, 'switch_on')))).toMatchObject({ actor: { state: 'on' } })
  expect(isTold).toBe(false)
  await stranger.unsafe('commit')
  expect(doneOf(await waiting)).toMatchObject({ actor: { state: 'on' } })
})

test('what was refused by what is remembered does not overtake those before it that are refused by a row', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const [other, id] = [await newLamp(instance.actors), await newLamp(instance.actors)]
  doneOf(await instance.actors.dispatch(seen(other, 'tx')))
  doneOf(await instance.actors.dispatch(tell(id, 'count', { by: 1 })))
  const outcomes = await Promise.all(
    [
      tell(id, 'count', { by: 1 }),
      seen(id, 'tx'),
      // The lamp is off: whether it is must be read.
      tell(id, 'switch_off'),
      tell(id, 'count', { by: 1 }),
    ].map(instance.actors.dispatch),
  )
  expect(outcomes.map(outcome => (outcome.ok ? outcome.actor.rev : outcome.refusal))).toEqual([3, 'exists', 'state', 4])
})
