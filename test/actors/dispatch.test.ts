import { expect, test } from 'bun:test'
import { type Command, CommandFault } from '../../src/actors/command.ts'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import { lamp } from './lamp.ts'
import { createCommand, createLamp, doneOf, eventCommand, lampInstance, newId, openInstance } from './lamps.ts'

test('a command commits the state, its history, the event, the timer and the job together', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const { actor } = doneOf(await instance.actors.dispatch({ ...eventCommand(id, 'switch_on'), cause: 'a test' }))
  expect(actor).toMatchObject({ state: 'on', rev: 2, context: { switched: 1 } })

  const [row] = await instance.sql`select state, rev, version, switched from lamps where id = ${id}`
  expect({ ...row }).toEqual({ state: 'on', rev: 2, version: 1, switched: 1 })
  const history = await instance.sql`
    select rev, event, from_state, to_state, cause, json_of(context) as context from transitions where actor = ${id} order by rev`
  expect(history.map(entry => ({ ...entry }))).toEqual([
    { rev: 1, event: 'create', from_state: null, to_state: 'off', cause: null, context: { switched: 0 } },
    { rev: 2, event: 'switch_on', from_state: 'off', to_state: 'on', cause: 'a test', context: { switched: 1 } },
  ])
  const [event] =
    await instance.sql`select type, kind, rev, livemode, json_of(object) as object from events where actor = ${id}`
  expect(event).toMatchObject({ type: 'lamp.lit', kind: 'lamp', rev: 2, livemode: false, object: { status: 'on' } })
  const [timer] = await instance.sql`select name, generation from timers where actor = ${id}`
  expect({ ...timer }).toEqual({ name: 'burn.lamp.on', generation: 2 })

  await instance.actors.dispatch(eventCommand(id, 'switch_off'))
  expect(await instance.sql`select from timers where actor = ${id}`).toHaveLength(0)
  const [job] = await instance.sql`select payload from graphile_worker._private_jobs`
  expect(job?.payload).toEqual({ lamp: id, switched: 1, effect: `${id}:3:0` })
})

test('a refused event writes nothing and returns the possible events', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const outcome = await instance.actors.dispatch(eventCommand(id, 'switch_off'))
  expect(outcome).toMatchObject({
    ok: false,
    refusal: 'state',
    actor: { state: 'off', rev: 1 },
    possible: ['switch_on', 'count', 'flash', 'hit'],
  })
  expect(await instance.sql`select from transitions`).toHaveLength(1)
})

test('an event rejected by a guard is refused', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  expect(await instance.actors.dispatch(eventCommand(id, 'count', { by: 0 }))).toMatchObject({
    ok: false,
    refusal: 'state',
  })
})

test('an event for an unknown actor is refused, and so is the creation of an existing one', async () => {
  await using instance = await lampInstance()
  expect(await instance.actors.dispatch(eventCommand(newId(), 'switch_on'))).toMatchObject({
    ok: false,
    refusal: 'missing',
  })
  const id = await createLamp(instance.actors)
  expect(await instance.actors.dispatch(createCommand({}, id))).toMatchObject({ ok: false, refusal: 'exists' })
})

test('commands for one actor are executed in order, in one commit', async () => {
  await using instance = await lampInstance()
  const id = newId()
  const outcomes = await Promise.all(
    [
      createCommand({}, id),
      eventCommand(id, 'switch_on'),
      eventCommand(id, 'switch_off'),
      eventCommand(id, 'switch_on'),
    ].map(instance.actors.dispatch),
  )
  expect(outcomes.map(outcome => doneOf(outcome).actor.rev)).toEqual([1, 2, 3, 4])
  const commits = await instance.sql`select count(distinct xid)::int as n from transitions`
  expect(commits[0]?.n).toBe(1)
  const timers = await instance.sql`select generation from timers`
  expect(timers.map(timer => timer.generation)).toEqual([4])
})

test('a bundle commits all of its commands or none', async () => {
  await using instance = await lampInstance()
  const [a, b] = [await createLamp(instance.actors), await createLamp(instance.actors)]
  expect(
    await instance.actors.dispatchBundle([eventCommand(a, 'switch_on'), eventCommand(b, 'switch_off')]),
  ).toMatchObject({
    ok: false,
    refusal: 'state',
    index: 1,
    actor: { id: b },
  })
  expect(await instance.sql`select from lamps where state = 'on'`).toHaveLength(0)
  expect(
    await instance.actors.dispatchBundle([eventCommand(a, 'switch_on'), eventCommand(b, 'switch_on')]),
  ).toMatchObject({ ok: true })
  expect(await instance.sql`select from lamps where state = 'on'`).toHaveLength(2)
})

test('a command with an id is executed once, however often and by whichever process it is sent', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const command = { ...eventCommand(id, 'count', { by: 1 }), id: newId() }
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => instance.actors.dispatch(command)))
  expect(outcomes.filter(outcome => !doneOf(outcome).replayed)).toHaveLength(1)
  expect(doneOf(await instance.actors.dispatch(command))).toMatchObject({ replayed: true, actor: { rev: 2 } })
  const [row] = await instance.sql`select switched, rev from lamps where id = ${id}`
  expect({ ...row }).toEqual({ switched: 1, rev: 2 })
})

test('a creation with an id is executed once', async () => {
  await using instance = await lampInstance()
  const command = { ...createCommand(), id: newId() }
  const outcomes = await Promise.all([command, command].map(instance.actors.dispatch))
  expect(outcomes.map(outcome => doneOf(outcome).replayed).sort()).toEqual([false, true])
  expect(doneOf(await instance.actors.dispatch(command)).replayed).toBe(true)
})

test('of a hundred parallel lamps for one room one is created, and the others are refused with the reason', async () => {
  await using instance = await lampInstance()
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, () => instance.actors.dispatch(createCommand({ room: 'attic' }))),
  )
  expect(outcomes.filter(outcome => outcome.ok)).toHaveLength(1)
  const refused = outcomes.flatMap(outcome => (outcome.ok ? [] : [outcome]))
  expect(new Set(refused.map(({ refusal, constraint }) => `${refusal} ${constraint}`))).toEqual(
    new Set(['room_taken lamps_room_once']),
  )
  const [later] = [await instance.actors.dispatch(createCommand({ room: 'attic' }))]
  expect(later).toMatchObject({ ok: false, refusal: 'room_taken' })
})

test('an existing row refuses the command that inserts it, and no other', async () => {
  await using instance = await lampInstance()
  const lamps = await Promise.all(Array.from({ length: 20 }, () => createLamp(instance.actors)))
  const seen = (lamp: string, tx: string) => ({
    ...eventCommand(lamp, 'count', { by: 1 }),
    rows: [{ table: 'sightings', row: { tx, lamp } }],
  })
  // Ten transactions, each inserted twice, by lamps of the same batch.
  const outcomes = await Promise.all(
    lamps.map((lamp, index) => instance.actors.dispatch(seen(lamp, `tx${index % 10}`))),
  )
  expect(outcomes.filter(outcome => outcome.ok)).toHaveLength(10)
  expect(outcomes.filter(outcome => !outcome.ok && outcome.constraint === 'sightings_pkey')).toHaveLength(10)
  const [sum] =
    await instance.sql`select sum(switched)::int as switched, (select count(*)::int from sightings) as seen from lamps`
  expect({ ...sum }).toEqual({ switched: 10, seen: 10 })
})

test('a command whose rows cannot be made does not affect the next one of its batch', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  const id = await createLamp(instance.actors)
  const made = newId()
  const rows = () => {
    throw new Error('no rows')
  }
  const outcomes = await Promise.allSettled(
    [
      { ...eventCommand(id, 'switch_on'), rows },
      eventCommand(id, 'count', { by: 1 }),
      { ...createCommand({}, made), rows },
      createCommand({}, made),
    ].map(instance.actors.dispatch),
  )
  const fault = { status: 'rejected', reason: { cause: { message: 'no rows' } } }
  const done = (rev: number) => ({
    status: 'fulfilled',
    value: { ok: true, replayed: false, actor: { state: 'off', rev } },
  })
  expect(outcomes).toMatchObject([fault, done(2), fault, done(1)])
  expect(await audit(instance.sql, [registered(lamp)])).toEqual([])
})

test('in a batch of 500, an exception, a unique violation and a failed check fail alone', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  await createLamp(instance.actors, { room: 'cellar' })
  const lamps = await Promise.all(Array.from({ length: 500 }, () => createLamp(instance.actors)))
  const throws = 100
  const violates = 250
  const breaksCheck = 400
  const commands = lamps.map((lamp, index) => {
    if (index === throws) return eventCommand(lamp, 'hit')
    if (index === violates) return createCommand({ room: 'cellar' })
    if (index === breaksCheck) return eventCommand(lamp, 'count', { by: 2_000_000 })
    return eventCommand(lamp, 'switch_on')
  })
  const outcomes = await Promise.allSettled(commands.map(instance.actors.dispatch))
  expect(outcomes[throws]).toMatchObject({ status: 'rejected', reason: { cause: { message: 'the lamp is hit' } } })
  expect(outcomes[violates]).toMatchObject({ status: 'fulfilled', value: { ok: false, refusal: 'room_taken' } })
  expect(outcomes[breaksCheck]).toMatchObject({
    status: 'rejected',
    reason: { cause: { constraint_name: 'lamps_switched_limit' } },
  })
  expect((outcomes[throws] as PromiseRejectedResult).reason).toBeInstanceOf(CommandFault)
  expect(outcomes.filter(outcome => outcome.status === 'fulfilled' && outcome.value.ok)).toHaveLength(497)
  expect(await instance.sql`select from lamps where state = 'on'`).toHaveLength(497)
  const events = await instance.sql`select count(*)::int as n from events`
  expect(events[0]?.n).toBe(497)
  // The failed check halved the batch: half of it, less the exception, shows that all were one batch.
  const [half] = await instance.sql`
    select count(*)::int as n from transitions where event = 'switch_on' group by xid order by n desc limit 1`
  expect(half?.n).toBe(249)
  expect(await audit(instance.sql, [registered(lamp)])).toEqual([])
})

test('values that must be quoted in SQL arrive unchanged', async () => {
  await using instance = await lampInstance()
  for (const room of ['', ' ', '"', '\\', '\\"', '{a,(b)}', "o'clock", 'null', 'NULL', 'ünï ☃ \n\t', '$1 %s', '(,)']) {
    const id = await createLamp(instance.actors, { room })
    const [row] = await instance.sql`select room from lamps where id = ${id}`
    expect(row?.room).toBe(room)
  }
})

test('text that Postgres cannot store fails only its own command', async () => {
  await using instance = await lampInstance()
  const outcomes = await Promise.allSettled(
    [createCommand({ room: 'a\u0000b' }), createCommand({ room: 'c' })].map(instance.actors.dispatch),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

test('rows can be derived from the result of a command, and are committed with it', async () => {
  await using instance = await lampInstance()
  await instance.sql`create table notes (id uuid primary key, note json not null)`
  await instance.sql`select define_commit_rows('notes')`
  const far = await openInstance(instance.url)
  const [one, two] = [await createLamp(far.actors), await createLamp(far.actors)]
  const id = newId()
  const note = (command: Command): Command => ({
    ...command,
    rows: actors => [{ table: 'notes', row: { id, note: actors.map(({ rev, state }) => ({ rev, state })) } }],
  })
  const bundle = () =>
    far.actors.dispatchBundle([eventCommand(one, 'count', { by: 1 }), note(eventCommand(two, 'switch_on'))])
  expect(await bundle()).toMatchObject({ ok: true })
  const [kept] = await instance.sql`select note from notes`
  expect(kept?.note).toEqual([
    { rev: 2, state: 'off' },
    { rev: 2, state: 'on' },
  ])
  // The second time the row exists, and no command of the bundle is executed.
  doneOf(await far.actors.dispatch(eventCommand(two, 'switch_off')))
  expect(await bundle()).toMatchObject({ ok: false, constraint: 'notes_pkey' })
  expect((await instance.sql`select switched from lamps where id = ${one}`)[0]?.switched).toBe(1)
  await far.close()
})

test('many commands for one actor share their commits, with any number of lanes', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const before = await commitsOf(instance)
  await Promise.all(Array.from({ length: 1_000 }, () => instance.actors.dispatch(eventCommand(id, 'count', { by: 1 }))))
  expect((await commitsOf(instance)) - before).toBeLessThanOrEqual(4)
})

test('idle() waits for commands that follow immediately on a result', async () => {
  await using instance = await lampInstance()
  const told: string[] = []
  for (let n = 0; n < 10; n++) {
    const twice = createLamp(instance.actors).then(async id => {
      doneOf(await instance.actors.dispatch(eventCommand(id, 'switch_on')))
      told.push('both')
    })
    await instance.actors.idle()
    told.push('idle')
    await twice
  }
  expect(told).toEqual(Array.from({ length: 10 }, () => ['both', 'idle']).flat())
})

/** The number of transactions that have written history. */
const commitsOf = async ({ sql }: Awaited<ReturnType<typeof lampInstance>>): Promise<number> => {
  const [row] = await sql<[{ count: number }]>`select count(distinct xid)::integer as count from transitions`
  return row.count
}
