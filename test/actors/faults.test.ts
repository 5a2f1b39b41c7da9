import { expect, test } from 'bun:test'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { postgresServer } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { startHammer } from './hammers.ts'
import { lamp } from './lamp.ts'
import { addLamps, doneOf, lampInstance, makeLamp, newId, newLamp, openInstance, tell } from './lamps.ts'

const lampKinds = [registered(lamp)]

/**
 * Every command took effect once: as many flashes in the rows as in the history, the events and the jobs, each id
 * once, and for every lamp that flashed the timer of its last one.
 */
const expectExactly = async (sql: Sql, commands: number) => {
  const [sums] = await sql`
    select
      (select sum(switched)::int from lamps) as switched,
      (select count(*)::int from transitions where event = 'flash') as flashed,
      (select count(distinct command)::int from transitions where event = 'flash') as commands,
      (select count(*)::int from events where type = 'lamp.flashed') as told,
      (select count(distinct (actor, rev))::int from events where type = 'lamp.flashed') as steps_told,
      (select count(*)::int from graphile_worker._private_jobs) as billed,
      (select count(distinct payload ->> 'effect')::int from graphile_worker._private_jobs) as effects_billed,
      (select count(*)::int from lamps l full join timers t on t.actor = l.id and t.generation = l.rev
        where (l.state is not distinct from 'on') <> (t.actor is not null)) as wrong_timers`
  expect({ ...sums }).toEqual({
    switched: commands,
    flashed: commands,
    commands,
    told: commands,
    steps_told: commands,
    billed: commands,
    effects_billed: commands,
    wrong_timers: 0,
  })
  expect(await audit(sql, lampKinds)).toEqual([])
}

const makeLamps = (instance: Awaited<ReturnType<typeof openInstance>>, count: number) =>
  Promise.all(Array.from({ length: count }, () => newLamp(instance.actors)))

test('two processes hammering the same hundred actors for 6 s lose no update and repeat none', async () => {
  await using instance = await lampInstance()
  const lamps = await makeLamps(instance, 100)
  const hammers = ['left', 'right'].map(name => startHammer(instance.url, name, lamps, new Set()))
  await Bun.sleep(6_000)
  await Promise.all(hammers.map(({ finish }) => finish()))
  const told = hammers.map(hammer => hammer.told.size)
  expect(Math.min(...told)).toBeGreaterThan(1_000)
  await expectExactly(
    instance.sql,
    told.reduce((sum, count) => sum + count),
  )
}, 60_000)

test('a process killed five times in the middle loses no command and repeats none', async () => {
  await using instance = await lampInstance()
  const lamps = await makeLamps(instance, 100)
  const steady = startHammer(instance.url, 'steady', lamps, new Set())
  const told = new Set<number>()
  for (let killing = 0; killing < 5; killing++) {
    const victim = startHammer(instance.url, 'victim', lamps, told)
    const before = told.size
    await until(() => told.size > before + 100, { timeoutMs: 20_000, what: 'the victim to be at work' })
    await victim.kill()
  }
  // The last one sends again whatever the killed ones did not live to tell.
  const last = startHammer(instance.url, 'victim', lamps, told)
  const before = told.size
  await until(() => told.size > before + 100, { timeoutMs: 20_000, what: 'the last to be at work' })
  await Promise.all([last.finish(), steady.finish()])
  const highest = Math.max(...told)
  // Commands beyond the first untold one may have been done by a victim without being told.
  const [untold] = await instance.sql`
    select count(*)::int as n from transitions
    where cause like 'victim %' and split_part(cause, ' ', 2)::int > ${highest}`
  expect(told.size).toBe(highest + 1)
  await expectExactly(instance.sql, told.size + steady.told.size + Number(untold?.n))
}, 90_000)

test('Postgres restarted under load: callers get the true outcome, and nothing is done twice', async () => {
  await using server = await postgresServer()
  await migrate(server.url)
  await addLamps(server.url)
  const instance = await openInstance(server.url, { retryForMs: 20_000 })
  const lamps = await makeLamps(instance, 50)
  let done = 0
  let stopping = false
  const callers = Array.from({ length: 64 }, async (_, caller) => {
    while (!stopping) {
      doneOf(await instance.actors.dispatch(tell(lamps[(caller * 7 + done) % 50] ?? '', 'flash')))
      done++
    }
  })
  for (let restart = 0; restart < 2; restart++) {
    const before = done
    await until(() => done > before + 500, { timeoutMs: 20_000, what: 'commands between restarts' })
    if (restart % 2 === 0) await server.restart()
    else {
      await server.kill()
      await server.start()
    }
  }
  stopping = true
  await Promise.all(callers)
  await expectExactly(instance.sql, done)
  await instance.close()
}, 90_000)

test('backends terminated at random between read and commit and during the commit: no second effect', async () => {
  // Nothing is remembered, so that every commit has a read before it.
  await using instance = await lampInstance({ retryForMs: 20_000 })
  const lamps = await makeLamps(instance, 50)
  let done = 0
  let stopping = false
  const callers = Array.from({ length: 64 }, async (_, caller) => {
    while (!stopping) {
      doneOf(await instance.actors.dispatch(tell(lamps[(caller + done) % 50] ?? '', 'flash')))
      done++
    }
  })
  // One connection: it would kill its others too, and then be given one of them.
  const killer = await openInstance(instance.url, { connections: 1 })
  const killed = { afterRead: 0, inCommit: 0 }
  for (let round = 0; round < 800 && Math.min(killed.afterRead, killed.inCommit) < 10; round++) {
    const victims = await killer.sql<{ at: keyof typeof killed }[]>`
      with sessions as materialized (
        select pid, case
          when state = 'active' and query like '%commit_actors%' then 'inCommit'
          when state = 'idle' and query like '%read_lamps%' then 'afterRead' end as at
        from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_start < now() - interval '50 ms')
      select at from sessions where at is not null and pg_terminate_backend(pid)`
    for (const { at } of victims) killed[at]++
    await Bun.sleep(20)
  }
  // Whoever was disturbed comes to its end, and undisturbed ones after it.
  await until(() => done > 500)
  stopping = true
  await Promise.all(callers)
  expect(killed.afterRead).toBeGreaterThanOrEqual(10)
  expect(killed.inCommit).toBeGreaterThanOrEqual(10)
  await expectExactly(killer.sql, done)
  await killer.close()
}, 120_000)

test('a connection cut between read and commit: the command is done once', async () => {
  await using instance = await lampInstance()
  await using proxy = await databaseProxy(instance.url)
  const far = await openInstance(proxy.url, {})
  const [id = ''] = await makeLamps(far, 1)
  await far.actors.dispatch(tell(id, 'flash'))
  proxy.cutInsteadOfAnswer(1)
  expect(doneOf(await far.actors.dispatch(tell(id, 'flash')))).toMatchObject({ replayed: false })
  await expectExactly(instance.sql, 2)
  await far.close()
})

test('a connection cut after the commit and before its answer: the command is done once, and known to be', async () => {
  await using instance = await lampInstance()
  await using proxy = await databaseProxy(instance.url)
  const far = await openInstance(proxy.url, { connections: 1 })
  const [id = ''] = await makeLamps(far, 1)
  for (let count = 1; count <= 5; count++) {
    await far.actors.dispatch(tell(id, 'flash'))
    // The first answer is the read's, the second the commit's.
    proxy.cutInsteadOfAnswer(2)
    const outcome = await far.actors.dispatch(tell(id, 'flash'))
    expect(doneOf(outcome)).toMatchObject({ replayed: true, actor: { context: { switched: 2 * count } } })
  }
  // A creation and a bundle, likewise.
  await makeLamps(far, 1)
  proxy.cutInsteadOfAnswer(1)
  const made = doneOf(await far.actors.dispatch(makeLamp()))
  expect(made).toMatchObject({ replayed: true })
  await far.actors.dispatch(tell(id, 'flash'))
  await expectExactly(instance.sql, 11)
  proxy.cutInsteadOfAnswer(2)
  const bundle = await far.actors.dispatchBundle([tell(id, 'flash'), tell(made.actor.id, 'flash')])
  expect(bundle).toMatchObject({ ok: true, done: [{ replayed: true }, { replayed: true }] })
  await expectExactly(instance.sql, 13)
  await far.close()
}, 30_000)

test('a database that stays away makes a command Unavailable, and sent again with its id it is done once', async () => {
  await using server = await postgresServer()
  await migrate(server.url)
  await addLamps(server.url)
  const instance = await openInstance(server.url, { retryForMs: 300 })
  const [id = ''] = await makeLamps(instance, 1)
  await server.stop()
  const command = { ...tell(id, 'flash'), id: newId() }
  await expect(instance.actors.dispatch(command)).rejects.toMatchObject({ name: 'Unavailable' })
  await instance.actors.idle()
  await server.start()
  await until(async () => (await instance.actors.dispatch(command).catch(() => ({ ok: false }))).ok)
  expect(doneOf(await instance.actors.dispatch(command)).replayed).toBe(true)
  await expectExactly(instance.sql, 1)
  await instance.close()
}, 60_000)

test('a bundle that conflicts over and over beside a hot actor gets through', async () => {
  await using instance = await lampInstance()
  const rivals = await Promise.all([openInstance(instance.url), openInstance(instance.url)])
  const hot = await newLamp(instance.actors)
  const mine = await makeLamps(instance, 20)
  // A lease is taken after three conflicts, and leaves no trace of its own.
  await instance.sql.unsafe(`
    create table leases (holder uuid);
    create function note_lease() returns trigger language plpgsql as $$ begin
      insert into leases values (new.lease);
      return null;
    end $$;
    create trigger note_lease after update on lamps for each row
      when (new.lease is not null and new.lease is distinct from old.lease) execute function note_lease();`)
  let stopping = false
  let hits = 0
  const heat = rivals.flatMap(rival =>
    Array.from({ length: 4 }, async () => {
      while (!stopping) {
        doneOf(await rival.actors.dispatch(tell(hot, 'count', { by: 1 })))
        hits++
      }
    }),
  )
  const leases = async () => (await instance.sql`select distinct holder from leases`).length
  let bundles = 0
  for (; bundles < mine.length || ((await leases()) === 0 && bundles < 10 * mine.length); bundles++) {
    const cold = mine[bundles % mine.length] ?? ''
    const outcome = await instance.actors.dispatchBundle([
      tell(hot, 'count', { by: 1 }),
      tell(cold, 'count', { by: 1 }),
    ])
    expect(outcome).toMatchObject({ ok: true })
  }
  stopping = true
  await Promise.all(heat)
  expect(hits).toBeGreaterThan(0)
  expect(await leases()).toBeGreaterThan(0)
  const [row] = await instance.sql`select switched, lease from lamps where id = ${hot}`
  expect({ ...row }).toEqual({ switched: hits + bundles, lease: null })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await Promise.all(rivals.map(({ close }) => close()))
}, 60_000)

test('a lease whose holder died is no outage', async () => {
  await using instance = await lampInstance()
  const id = await newLamp(instance.actors)
  await instance.sql`update lamps set lease = ${newId()}, leased_until = now() + interval '1 s' where id = ${id}`
  expect(doneOf(await instance.actors.dispatch(tell(id, 'switch_on'))).actor.rev).toBe(2)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
}, 20_000)
