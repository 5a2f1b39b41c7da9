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
import {
  addLamps,
  createCommand,
  createLamp,
  doneOf,
  eventCommand,
  lampInstance,
  newId,
  openInstance,
} from './lamps.ts'

const lampKinds = [registered(lamp)]

/**
 * Checks that every command took effect once: as many flashes in the rows as in the history, the events and the jobs,
 * each id once, and for every lamp that flashed the timer of its last flash.
 */
const expectExactly = async (sql: Sql, commands: number) => {
  const [sums] = await sql`
    select
      (select sum(switched)::int from lamps) as switched,
      (select count(*)::int from transitions where event = 'flash') as flashed,
      (select count(distinct command)::int from transitions where event = 'flash') as commands,
      (select count(*)::int from events where type = 'lamp.flashed') as acknowledged,
      (select count(distinct (actor, rev))::int from events where type = 'lamp.flashed') as steps_told,
      (select count(*)::int from graphile_worker._private_jobs) as billed,
      (select count(distinct payload ->> 'effect')::int from graphile_worker._private_jobs) as effects_billed,
      (select count(*)::int from lamps l full join timers t on t.actor = l.id and t.generation = l.rev
        where (l.state is not distinct from 'on') <> (t.actor is not null)) as wrong_timers`
  expect({ ...sums }).toEqual({
    switched: commands,
    flashed: commands,
    commands,
    acknowledged: commands,
    steps_told: commands,
    billed: commands,
    effects_billed: commands,
    wrong_timers: 0,
  })
  expect(await audit(sql, lampKinds)).toEqual([])
}

const makeLamps = (instance: Awaited<ReturnType<typeof openInstance>>, count: number) =>
  Promise.all(Array.from({ length: count }, () => createLamp(instance.actors)))

test('two processes that write the same hundred actors for 6 s lose and repeat no update', async () => {
  await using instance = await lampInstance()
  const lamps = await makeLamps(instance, 100)
  const hammers = ['left', 'right'].map(name => startHammer(instance.url, name, lamps, new Set()))
  await Bun.sleep(6_000)
  await Promise.all(hammers.map(({ finish }) => finish()))
  const acknowledged = hammers.map(hammer => hammer.acknowledged.size)
  expect(Math.min(...acknowledged)).toBeGreaterThan(50)
  await expectExactly(
    instance.sql,
    acknowledged.reduce((sum, count) => sum + count),
  )
}, 60_000)

test('a process killed five times loses and repeats no command', async () => {
  await using instance = await lampInstance()
  const lamps = await makeLamps(instance, 100)
  const steady = startHammer(instance.url, 'steady', lamps, new Set())
  const acknowledged = new Set<number>()
  for (let killing = 0; killing < 5; killing++) {
    const killedProcess = startHammer(instance.url, 'victim', lamps, acknowledged)
    const before = acknowledged.size
    await until(() => acknowledged.size > before + 100, { timeoutMs: 20_000, what: 'the process to execute commands' })
    await killedProcess.kill()
  }
  // The last process sends again everything that the killed ones had no outcome for.
  const last = startHammer(instance.url, 'victim', lamps, acknowledged)
  const before = acknowledged.size
  await until(() => acknowledged.size > before + 100, {
    timeoutMs: 20_000,
    what: 'the last process to execute commands',
  })
  await Promise.all([last.finish(), steady.finish()])
  const highest = Math.max(...acknowledged)
  // Commands after the first one without an outcome may have been executed by a killed process.
  const [unacknowledged] = await instance.sql`
    select count(*)::int as n from transitions
    where cause like 'victim %' and split_part(cause, ' ', 2)::int > ${highest}`
  expect(acknowledged.size).toBe(highest + 1)
  await expectExactly(instance.sql, acknowledged.size + steady.acknowledged.size + Number(unacknowledged?.n))
}, 90_000)

test('when Postgres is restarted under load, callers get the true outcome and nothing is executed twice', async () => {
  await using server = await postgresServer()
  await migrate(server.url)
  await addLamps(server.url)
  const instance = await openInstance(server.url, { retryForMs: 20_000 })
  const lamps = await makeLamps(instance, 50)
  let done = 0
  let stopping = false
  const callers = Array.from({ length: 64 }, async (_, caller) => {
    while (!stopping) {
      doneOf(await instance.actors.dispatch(eventCommand(lamps[(caller * 7 + done) % 50] ?? '', 'flash')))
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

test('backends terminated at random before and during commits cause no second effect', async () => {
  // Nothing is cached, so every commit has a read before it.
  await using instance = await lampInstance({ retryForMs: 20_000 })
  const lamps = await makeLamps(instance, 50)
  let done = 0
  let stopping = false
  const callers = Array.from({ length: 64 }, async (_, caller) => {
    while (!stopping) {
      doneOf(await instance.actors.dispatch(eventCommand(lamps[(caller + done) % 50] ?? '', 'flash')))
      done++
    }
  })
  // One connection: with more, it would terminate its own others.
  const killer = await openInstance(instance.url, { connections: 1 })
  const killed = { afterRead: 0, inCommit: 0 }
  for (let round = 0; round < 800 && Math.min(killed.afterRead, killed.inCommit) < 10; round++) {
    const killedProcesses = await killer.sql<{ at: keyof typeof killed }[]>`
      with sessions as materialized (
        select pid, case
          when state = 'active' and query like '%commit_actors%' then 'inCommit'
          when state = 'idle' and query like '%read_lamps%' then 'afterRead' end as at
        from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_start < now() - interval '50 ms')
      select at from sessions where at is not null and pg_terminate_backend(pid)`
    for (const { at } of killedProcesses) killed[at]++
    await Bun.sleep(20)
  }
  // Disturbed commands end, and undisturbed ones after them.
  await until(() => done > 500)
  stopping = true
  await Promise.all(callers)
  expect(killed.afterRead).toBeGreaterThanOrEqual(10)
  expect(killed.inCommit).toBeGreaterThanOrEqual(10)
  await expectExactly(killer.sql, done)
  await killer.close()
}, 120_000)

test('when the connection is cut between read and commit, the command is executed once', async () => {
  await using instance = await lampInstance()
  await using proxy = await databaseProxy(instance.url)
  const far = await openInstance(proxy.url, {})
  const [id = ''] = await makeLamps(far, 1)
  await far.actors.dispatch(eventCommand(id, 'flash'))
  proxy.cutInsteadOfAnswer(1)
  expect(doneOf(await far.actors.dispatch(eventCommand(id, 'flash')))).toMatchObject({ replayed: false })
  await expectExactly(instance.sql, 2)
  await far.close()
})

test('when the connection is cut between commit and response, the command is executed once and reported as executed', async () => {
  await using instance = await lampInstance()
  await using proxy = await databaseProxy(instance.url)
  const far = await openInstance(proxy.url, { connections: 1 })
  const [id = ''] = await makeLamps(far, 1)
  for (let count = 1; count <= 5; count++) {
    await far.actors.dispatch(eventCommand(id, 'flash'))
    // The first response is that of the read, the second that of the commit.
    proxy.cutInsteadOfAnswer(2)
    const outcome = await far.actors.dispatch(eventCommand(id, 'flash'))
    expect(doneOf(outcome)).toMatchObject({ replayed: true, actor: { context: { switched: 2 * count } } })
  }
  // The same for a creation and a bundle.
  await makeLamps(far, 1)
  proxy.cutInsteadOfAnswer(1)
  const made = doneOf(await far.actors.dispatch(createCommand()))
  expect(made).toMatchObject({ replayed: true })
  await far.actors.dispatch(eventCommand(id, 'flash'))
  await expectExactly(instance.sql, 11)
  proxy.cutInsteadOfAnswer(2)
  const bundle = await far.actors.dispatchBundle([eventCommand(id, 'flash'), eventCommand(made.actor.id, 'flash')])
  expect(bundle).toMatchObject({ ok: true, done: [{ replayed: true }, { replayed: true }] })
  await expectExactly(instance.sql, 13)
  await far.close()
}, 30_000)

test('while the database is unreachable a command fails as Unavailable; repeated with its id it is executed once', async () => {
  await using server = await postgresServer()
  await migrate(server.url)
  await addLamps(server.url)
  const instance = await openInstance(server.url, { retryForMs: 300 })
  const [id = ''] = await makeLamps(instance, 1)
  await server.stop()
  const command = { ...eventCommand(id, 'flash'), id: newId() }
  await expect(instance.actors.dispatch(command)).rejects.toMatchObject({ name: 'Unavailable' })
  await instance.actors.idle()
  await server.start()
  await until(async () => (await instance.actors.dispatch(command).catch(() => ({ ok: false }))).ok)
  expect(doneOf(await instance.actors.dispatch(command)).replayed).toBe(true)
  await expectExactly(instance.sql, 1)
  await instance.close()
}, 60_000)

test('a bundle that conflicts repeatedly with a busy actor is executed', async () => {
  await using instance = await lampInstance()
  const competitors = await Promise.all([openInstance(instance.url), openInstance(instance.url)])
  const busyActor = await createLamp(instance.actors)
  const mine = await makeLamps(instance, 20)
  // A lease is taken after three conflicts and leaves no trace.
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
  const heat = competitors.flatMap(competitor =>
    Array.from({ length: 4 }, async () => {
      while (!stopping) {
        doneOf(await competitor.actors.dispatch(eventCommand(busyActor, 'count', { by: 1 })))
        hits++
      }
    }),
  )
  const leases = async () => (await instance.sql`select distinct holder from leases`).length
  let bundles = 0
  for (; bundles < mine.length || ((await leases()) === 0 && bundles < 10 * mine.length); bundles++) {
    const cold = mine[bundles % mine.length] ?? ''
    const outcome = await instance.actors.dispatchBundle([
      eventCommand(busyActor, 'count', { by: 1 }),
      eventCommand(cold, 'count', { by: 1 }),
    ])
    expect(outcome).toMatchObject({ ok: true })
  }
  stopping = true
  await Promise.all(heat)
  expect(hits).toBeGreaterThan(0)
  expect(await leases()).toBeGreaterThan(0)
  const [row] = await instance.sql`select switched, lease from lamps where id = ${busyActor}`
  expect({ ...row }).toEqual({ switched: hits + bundles, lease: null })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
  await Promise.all(competitors.map(({ close }) => close()))
}, 60_000)

test('the lease of a dead process does not block its actors for long', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  await instance.sql`update lamps set lease = ${newId()}, leased_until = now() + interval '1 s' where id = ${id}`
  expect(doneOf(await instance.actors.dispatch(eventCommand(id, 'switch_on'))).actor.rev).toBe(2)
  expect(await audit(instance.sql, lampKinds)).toEqual([])
}, 20_000)
