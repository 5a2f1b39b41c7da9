import { describe, expect, test } from 'bun:test'
import type { BundleOutcome, Command, Outcome } from '../../src/actors/command.ts'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import { lamp } from './lamp.ts'
import { doneOf, lampInstance, makeLamp, newId, newLamp, openInstance, tell } from './lamps.ts'

const lampKinds = [registered(lamp)]

type Instance = Awaited<ReturnType<typeof lampInstance>>

const switchedOf = async ({ sql }: Instance, id: string) => {
  const [row] = await sql<{ switched: number; rev: number }[]>`select switched, rev from lamps where id = ${id}`
  return { ...row }
}

test('changes by another process or by hand are kept, whether the revision has risen or not', async () => {
  await using instance = await lampInstance()
  const id = await newLamp(instance.actors)
  await instance.sql`update lamps set switched = 40, room = 'attic' where id = ${id}`
  const { actor } = doneOf(await instance.actors.dispatch(tell(id, 'count', { by: 2 })))
  expect(actor.context).toMatchObject({ switched: 42, room: 'attic' })
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  await other.actors.dispatch(tell(id, 'count', { by: 1 }))
  expect(doneOf(await instance.actors.dispatch(tell(id, 'count', { by: 1 }))).actor).toMatchObject({
    rev: 4,
    context: { switched: 44, room: 'attic' },
  })
})

test('a command is refused by the row as it is, and not as this process has left it', async () => {
  await using instance = await lampInstance()
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const id = await newLamp(instance.actors)
  await other.actors.dispatch(tell(id, 'switch_on'))
  // As this process has left it, it would be refused: it was off.
  expect(doneOf(await instance.actors.dispatch(tell(id, 'switch_off'))).actor).toMatchObject({ state: 'off', rev: 3 })
  expect(await instance.actors.dispatch(tell(id, 'switch_off'))).toMatchObject({
    ok: false,
    refusal: 'state',
    actor: { state: 'off', rev: 3 },
    possible: ['switch_on', 'count', 'flash', 'hit'],
  })
  // A fault is one of what is there, too.
  await other.actors.dispatch(tell(id, 'switch_on'))
  expect(await instance.actors.dispatch(tell(id, 'hit'))).toMatchObject({ ok: false, refusal: 'state' })
})

test('commands for an actor that another process has changed keep their order', async () => {
  await using instance = await lampInstance()
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const id = await newLamp(instance.actors)
  await other.actors.dispatch(tell(id, 'switch_on'))
  const outcomes = await Promise.all([
    instance.actors.dispatch(tell(id, 'switch_off')),
    instance.actors.dispatch(tell(id, 'switch_on')),
    instance.actors.dispatch(tell(id, 'count', { by: 5 })),
  ])
  expect(outcomes.map(outcome => doneOf(outcome).actor.rev)).toEqual([3, 4, 5])
})

test('a bundle with actors that two processes write and a new one is carried out whole or not at all', async () => {
  await using instance = await lampInstance()
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const known = await newLamp(instance.actors)
  const unknown = await newLamp(other.actors)
  const made = newId()
  const bundle = [tell(known, 'count', { by: 1 }), tell(unknown, 'count', { by: 1 }), makeLamp({}, made)]
  expect(await instance.actors.dispatchBundle(bundle)).toMatchObject({ ok: true })
  // The first is not as it was left, the second is refused.
  await instance.sql`update lamps set switched = 10 where id = ${known}`
  const falling = [tell(known, 'count', { by: 1 }), tell(unknown, 'switch_off'), tell(made, 'count', { by: 1 })]
  expect(await instance.actors.dispatchBundle(falling)).toMatchObject({ ok: false, refusal: 'state', index: 1 })
  expect(await switchedOf(instance, known)).toEqual({ switched: 10, rev: 2 })
  expect(await switchedOf(instance, made)).toEqual({ switched: 0, rev: 1 })
})

test('a command that was carried out before is answered as replayed, and the others of its batch are carried out', async () => {
  await using instance = await lampInstance({ lanes: 1 })
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const lamps = await Promise.all(Array.from({ length: 20 }, () => newLamp(instance.actors)))
  const [id = '', elsewhere = ''] = lamps
  const [ours, theirs] = [newId(), newId()]
  await instance.actors.dispatch({ ...tell(id, 'count', { by: 1 }), id: ours })
  await other.actors.dispatch({ ...tell(elsewhere, 'count', { by: 1 }), id: theirs })
  const [again, there, ...rest] = await Promise.all([
    instance.actors.dispatch({ ...tell(id, 'count', { by: 1 }), id: ours }),
    instance.actors.dispatch({ ...tell(elsewhere, 'count', { by: 1 }), id: theirs }),
    ...lamps.slice(2).map(each => instance.actors.dispatch(tell(each, 'count', { by: 1 }))),
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
  const lamps = await Promise.all(Array.from({ length: 10 }, () => newLamp(instance.actors)))
  for (let turn = 0; turn < 20; turn++)
    for (const { actors } of [instance, other])
      await Promise.all(lamps.map(id => actors.dispatch(tell(id, 'count', { by: 1 })).then(doneOf)))
  const rows = await instance.sql`select distinct switched, rev from lamps`
  expect(rows.map(row => ({ ...row }))).toEqual([{ switched: 40, rev: 41 }])
  expect(await audit(instance.sql, lampKinds)).toEqual([])
})

const brief = (outcome: Outcome | BundleOutcome): string => {
  if (!outcome.ok) return outcome.refusal
  const done = 'done' in outcome ? outcome.done.at(-1) : outcome
  return `${done?.actor.rev}${done?.replayed ? ' again' : ''}`
}

describe('in one batch', () => {
  const openOne = () => lampInstance({ lanes: 1 })

  test('a command that is refused is refused in its turn', async () => {
    await using instance = await openOne()
    const [id, other] = [await newLamp(instance.actors), await newLamp(instance.actors)]
    const outcomes = await Promise.all([
      instance.actors.dispatch(tell(id, 'switch_off')),
      instance.actors.dispatch(tell(id, 'switch_on')),
      instance.actors.dispatchBundle([tell(id, 'count', { by: 1 }), tell(other, 'switch_off')]),
      instance.actors.dispatch(tell(other, 'switch_on')),
    ])
    expect(outcomes.map(brief)).toEqual(['state', '2', 'state', '2'])
  })

  test('a command that is a fault is one in its turn', async () => {
    await using instance = await openOne()
    const id = await newLamp(instance.actors)
    const [hit, on] = await Promise.allSettled([
      instance.actors.dispatch(tell(id, 'hit')),
      instance.actors.dispatch(tell(id, 'switch_on')),
    ])
    expect(hit).toMatchObject({ status: 'rejected', reason: { name: 'CommandFault' } })
    expect(on).toMatchObject({ status: 'fulfilled', value: { ok: true } })
  })

  test('a command sent again is known beside a timer, a refused one and the making of its actor', async () => {
    await using instance = await openOne()
    const { actors } = instance
    const id = newId()
    const make = { ...makeLamp({}, id), id: newId() }
    const on = { ...tell(id, 'switch_on'), id: newId() }
    const timer = { kind: 'lamp', actor: id, timer: { name: 'burn.lamp.on', generation: 1 } }
    const again = (...commands: Command[]) => Promise.all(commands.map(command => actors.dispatch(command)))
    expect((await again(make, on)).map(brief)).toEqual(['1', '2'])
    expect((await again(make, on)).map(brief)).toEqual(['2 again', '2 again'])
    expect((await again(timer, on)).map(brief)).toEqual(['stale', '2 again'])
    const refused = actors.dispatch(tell(id, 'hit'))
    await new Promise(resolve => setImmediate(resolve))
    expect(brief(await actors.dispatch(on))).toBe('2 again')
    expect(brief(await refused)).toBe('state')
    const lamp = newId()
    const bundle = [
      { ...makeLamp({}, lamp), id: newId() },
      { ...tell(lamp, 'switch_on'), id: newId() },
    ]
    expect(brief(await actors.dispatchBundle(bundle))).toBe('2')
    expect(brief(await actors.dispatchBundle(bundle))).toBe('2 again')
  })
})

test('commands sent again are found with one more look, however many there are', async () => {
  await using instance = await lampInstance({ lanes: 1, connections: 1 })
  const lamps = await Promise.all(Array.from({ length: 200 }, () => newLamp(instance.actors)))
  const counts = lamps.map(id => ({ ...tell(id, 'count', { by: 1 }), id: newId() }))
  const count = () => Promise.all(counts.map(command => instance.actors.dispatch(command)))
  await count()
  const before = await rolledBack(instance)
  expect((await count()).map(brief)).toEqual(lamps.map(() => '2 again'))
  // Each batch was tried again as a whole: in halves there would have been as many rollbacks as there are commands.
  expect((await rolledBack(instance)) - before).toBeLessThan(20)
})

/** Of an instance with a single connection: each tells of itself by and by, or when it is told to. */
const rolledBack = async ({ sql }: Instance): Promise<number> => {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<[{ count: number }]>`
    select xact_rollback::integer as count from pg_stat_database where datname = current_database()`
  return row.count
}
