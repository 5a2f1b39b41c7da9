import { describe, expect, test } from 'bun:test'
import type { BundleOutcome, Command, Outcome } from '../../src/actors/command.ts'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import { lamp } from './lamp.ts'
import { createCommand, createLamp, doneOf, eventCommand, lampInstance, newId, openInstance } from './lamps.ts'

const lampKinds = [registered(lamp)]

type Instance = Awaited<ReturnType<typeof lampInstance>>

const switchedOf = async ({ sql }: Instance, id: string) => {
  const [row] = await sql<{ switched: number; rev: number }[]>`select switched, rev from lamps where id = ${id}`
  return { ...row }
}

test('changes by another process or by SQL are kept, with or without a new revision', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  await instance.sql`update lamps set switched = 40, room = 'attic' where id = ${id}`
  const { actor } = doneOf(await instance.actors.dispatch(eventCommand(id, 'count', { by: 2 })))
  expect(actor.context).toMatchObject({ switched: 42, room: 'attic' })
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  await other.actors.dispatch(eventCommand(id, 'count', { by: 1 }))
  expect(doneOf(await instance.actors.dispatch(eventCommand(id, 'count', { by: 1 }))).actor).toMatchObject({
    rev: 4,
    context: { switched: 44, room: 'attic' },
  })
})

test('a command is judged by the current row, not by the row that this process wrote last', async () => {
  await using instance = await lampInstance()
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const id = await createLamp(instance.actors)
  await other.actors.dispatch(eventCommand(id, 'switch_on'))
  // In its last version here the lamp was off, and the command would be refused.
  expect(doneOf(await instance.actors.dispatch(eventCommand(id, 'switch_off'))).actor).toMatchObject({
    state: 'off',
    rev: 3,
  })
  expect(await instance.actors.dispatch(eventCommand(id, 'switch_off'))).toMatchObject({
    ok: false,
    refusal: 'state',
    actor: { state: 'off', rev: 3 },
    possible: ['switch_on', 'count', 'flash', 'hit'],
  })
  // Exceptions depend on the current row, too.
  await other.actors.dispatch(eventCommand(id, 'switch_on'))
  expect(await instance.actors.dispatch(eventCommand(id, 'hit'))).toMatchObject({ ok: false, refusal: 'state' })
})

test('commands for an actor that another process has changed keep their order', async () => {
  await using instance = await lampInstance()
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const id = await createLamp(instance.actors)
  await other.actors.dispatch(eventCommand(id, 'switch_on'))
  const outcomes = await Promise.all([
    instance.actors.dispatch(eventCommand(id, 'switch_off')),
    instance.actors.dispatch(eventCommand(id, 'switch_on')),
    instance.actors.dispatch(eventCommand(id, 'count', { by: 5 })),
  ])
  expect(outcomes.map(outcome => doneOf(outcome).actor.rev)).toEqual([3, 4, 5])
})

test('a bundle with a new actor and two that other processes write is executed entirely or not at all', async () => {
  await using instance = await lampInstance()
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const known = await createLamp(instance.actors)
  const unknown = await createLamp(other.actors)
  const made = newId()
  const bundle = [
    eventCommand(known, 'count', { by: 1 }),
    eventCommand(unknown, 'count', { by: 1 }),
    createCommand({}, made),
  ]
  expect(await instance.actors.dispatchBundle(bundle)).toMatchObject({ ok: true })
  // The row of the first one has changed, and the second one is refused.
  await instance.sql`update lamps set switched = 10 where id = ${known}`
  const falling = [
    eventCommand(known, 'count', { by: 1 }),
    eventCommand(unknown, 'switch_off'),
    eventCommand(made, 'count', { by: 1 }),
  ]
  expect(await instance.actors.dispatchBundle(falling)).toMatchObject({ ok: false, refusal: 'state', index: 1 })
  expect(await switchedOf(instance, known)).toEqual({ switched: 10, rev: 2 })
  expect(await switchedOf(instance, made)).toEqual({ switched: 0, rev: 1 })
})

test('a command executed before is reported as a replay, and the others of its batch are executed', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const lamps = await Promise.all(Array.from({ length: 20 }, () => createLamp(instance.actors)))
  const [id = '', elsewhere = ''] = lamps
  const [ours, theirs] = [newId(), newId()]
  await instance.actors.dispatch({ ...eventCommand(id, 'count', { by: 1 }), id: ours })
  await other.actors.dispatch({ ...eventCommand(elsewhere, 'count', { by: 1 }), id: theirs })
  const [again, there, ...rest] = await Promise.all([
    instance.actors.dispatch({ ...eventCommand(id, 'count', { by: 1 }), id: ours }),
    instance.actors.dispatch({ ...eventCommand(elsewhere, 'count', { by: 1 }), id: theirs }),
    ...lamps.slice(2).map(each => instance.actors.dispatch(eventCommand(each, 'count', { by: 1 }))),
  ])
  expect([again, there].map(outcome => outcome && doneOf(outcome).replayed)).toEqual([true, true])
  expect(rest.map(outcome => doneOf(outcome).actor.rev)).toEqual(rest.map(() => 2))
  const [sum] = await instance.sql`select sum(switched)::integer as switched, max(rev) as rev from lamps`
  expect({ ...sum }).toEqual({ switched: 20, rev: 2 })
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

test('two processes that write the same actors in turn lose nothing', async () => {
  await using instance = await lampInstance()
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const lamps = await Promise.all(Array.from({ length: 10 }, () => createLamp(instance.actors)))
  for (let turn = 0; turn < 20; turn++)
    for (const { actors } of [instance, other])
      await Promise.all(lamps.map(id => actors.dispatch(eventCommand(id, 'count', { by: 1 })).then(doneOf)))
  const rows = await instance.sql`select distinct switched, rev from lamps`
  expect(rows.map(row => ({ ...row }))).toEqual([{ switched: 40, rev: 41 }])
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

const summary = (outcome: Outcome | BundleOutcome): string => {
  if (!outcome.ok) return outcome.refusal
  const done = 'done' in outcome ? outcome.done.at(-1) : outcome
  return `${done?.actor.rev}${done?.replayed ? ' replayed' : ''}`
}

describe('in one batch', () => {
  const openOne = () => lampInstance({ lanes: 1 })

  test('a command is refused in its order', async () => {
    await using instance = await openOne()
    const [id, other] = [await createLamp(instance.actors), await createLamp(instance.actors)]
    const outcomes = await Promise.all([
      instance.actors.dispatch(eventCommand(id, 'switch_off')),
      instance.actors.dispatch(eventCommand(id, 'switch_on')),
      instance.actors.dispatchBundle([eventCommand(id, 'count', { by: 1 }), eventCommand(other, 'switch_off')]),
      instance.actors.dispatch(eventCommand(other, 'switch_on')),
    ])
    expect(outcomes.map(summary)).toEqual(['state', '2', 'state', '2'])
  })

  test('a command throws in its order', async () => {
    await using instance = await openOne()
    const id = await createLamp(instance.actors)
    const [hit, on] = await Promise.allSettled([
      instance.actors.dispatch(eventCommand(id, 'hit')),
      instance.actors.dispatch(eventCommand(id, 'switch_on')),
    ])
    expect(hit).toMatchObject({ status: 'rejected', reason: { name: 'CommandFault' } })
    expect(on).toMatchObject({ status: 'fulfilled', value: { ok: true } })
  })

  test('repeated commands are recognized next to a timer, a refused command and a creation', async () => {
    await using instance = await openOne()
    const { actors } = instance
    const id = newId()
    const make = { ...createCommand({}, id), id: newId() }
    const on = { ...eventCommand(id, 'switch_on'), id: newId() }
    const timer = { kind: 'lamp', actor: id, timer: { name: 'burn.lamp.on', generation: 1 } }
    const again = (...commands: Command[]) => Promise.all(commands.map(command => actors.dispatch(command)))
    expect((await again(make, on)).map(summary)).toEqual(['1', '2'])
    expect((await again(make, on)).map(summary)).toEqual(['2 replayed', '2 replayed'])
    expect((await again(timer, on)).map(summary)).toEqual(['stale', '2 replayed'])
    const refused = actors.dispatch(eventCommand(id, 'hit'))
    await new Promise(resolve => setImmediate(resolve))
    expect(summary(await actors.dispatch(on))).toBe('2 replayed')
    expect(summary(await refused)).toBe('state')
    const lamp = newId()
    const bundle = [
      { ...createCommand({}, lamp), id: newId() },
      { ...eventCommand(lamp, 'switch_on'), id: newId() },
    ]
    expect(summary(await actors.dispatchBundle(bundle))).toBe('2')
    expect(summary(await actors.dispatchBundle(bundle))).toBe('2 replayed')
  })
})

test('any number of repeated commands are recognized by one more read', async () => {
  await using instance = await lampInstance({ lanes: 1, connections: 1 })
  const lamps = await Promise.all(Array.from({ length: 200 }, () => createLamp(instance.actors)))
  const counts = lamps.map(id => ({ ...eventCommand(id, 'count', { by: 1 }), id: newId() }))
  const count = () => Promise.all(counts.map(command => instance.actors.dispatch(command)))
  await count()
  const before = await rolledBack(instance)
  expect((await count()).map(summary)).toEqual(lamps.map(() => '2 replayed'))
  // Each batch was retried as a whole: halving would have caused as many rollbacks as there are commands.
  expect((await rolledBack(instance)) - before).toBeLessThan(20)
})

/** Of an instance with a single connection: statistics are reported with a delay, or when requested. */
const rolledBack = async ({ sql }: Instance): Promise<number> => {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<[{ count: number }]>`
    select xact_rollback::integer as count from pg_stat_database where datname = current_database()`
  return row.count
}
