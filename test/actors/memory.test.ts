import { describe, expect, test } from 'bun:test'
import type { BundleOutcome, Command, Outcome } from '../../src/actors/command.ts'
import { type Kind, registered } from '../../src/actors/kind.ts'
import { openMemory } from '../../src/actors/memory.ts'
import { NOTHING, remember } from '../../src/actors/recall.ts'
import { audit } from '../../src/audit/audit.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { lamp } from './lamp.ts'
import { doneOf, lampHouse, makeLamp, newId, newLamp, openHouse, tell } from './lamps.ts'

const lampKinds = [registered(lamp)]

type House = Awaited<ReturnType<typeof lampHouse>>

const switchedOf = async ({ sql }: House, id: string) => {
  const [row] = await sql<{ switched: number; rev: number }[]>`select switched, rev from lamps where id = ${id}`
  return { ...row }
}

test('what a process has written itself it does not read again: the first answer is the commit’s', async () => {
  await using house = await lampHouse()
  await using proxy = await databaseProxy(house.url)
  const far = await openHouse(proxy.url, { connections: 1 })
  const id = await newLamp(far.actors)
  const other = await newLamp(far.actors)
  // A statement's first answer on a connection is about the statement.
  await far.actors.dispatch(tell(id, 'count', { by: 1 }))
  proxy.cutInsteadOfAnswer(1)
  // Cut off from its answer, it was carried out, and that is found.
  expect(doneOf(await far.actors.dispatch(tell(id, 'count', { by: 1 })))).toMatchObject({ replayed: true })
  // The server may be another one since, and all is read anew.
  proxy.cutInsteadOfAnswer(1)
  expect(doneOf(await far.actors.dispatch(tell(other, 'count', { by: 1 })))).toMatchObject({ replayed: false })
  expect(await switchedOf(house, id)).toEqual({ switched: 2, rev: 3 })
  expect(await switchedOf(house, other)).toEqual({ switched: 1, rev: 2 })
  expect(await audit(house.sql, lampKinds)).toEqual([])
  await far.close()
})

test('a row that somebody has changed is read again and nothing of it is lost, whether its rev has risen or not', async () => {
  await using house = await lampHouse()
  const id = await newLamp(house.actors)
  await house.sql`update lamps set switched = 40, room = 'attic' where id = ${id}`
  const { actor } = doneOf(await house.actors.dispatch(tell(id, 'count', { by: 2 })))
  expect(actor.context).toMatchObject({ switched: 42, room: 'attic' })
  await using other = { ...(await openHouse(house.url)), [Symbol.asyncDispose]: () => other.close() }
  await other.actors.dispatch(tell(id, 'count', { by: 1 }))
  expect(doneOf(await house.actors.dispatch(tell(id, 'count', { by: 1 }))).actor).toMatchObject({
    rev: 4,
    context: { switched: 44, room: 'attic' },
  })
})

test('whoever is refused is refused by how it is, and not by how this process has left it', async () => {
  await using house = await lampHouse()
  await using other = { ...(await openHouse(house.url)), [Symbol.asyncDispose]: () => other.close() }
  const id = await newLamp(house.actors)
  await other.actors.dispatch(tell(id, 'switch_on'))
  // As this process has left it, it would be refused: it was off.
  expect(doneOf(await house.actors.dispatch(tell(id, 'switch_off'))).actor).toMatchObject({ state: 'off', rev: 3 })
  expect(await house.actors.dispatch(tell(id, 'switch_off'))).toMatchObject({
    ok: false,
    refusal: 'state',
    actor: { state: 'off', rev: 3 },
    possible: ['switch_on', 'count', 'flash', 'hit'],
  })
  // A fault is one of what is there, too.
  await other.actors.dispatch(tell(id, 'switch_on'))
  expect(await house.actors.dispatch(tell(id, 'hit'))).toMatchObject({ ok: false, refusal: 'state' })
})

test('those behind one that is refused by what was remembered keep their places', async () => {
  await using house = await lampHouse()
  await using other = { ...(await openHouse(house.url)), [Symbol.asyncDispose]: () => other.close() }
  const id = await newLamp(house.actors)
  await other.actors.dispatch(tell(id, 'switch_on'))
  const outcomes = await Promise.all([
    house.actors.dispatch(tell(id, 'switch_off')),
    house.actors.dispatch(tell(id, 'switch_on')),
    house.actors.dispatch(tell(id, 'count', { by: 5 })),
  ])
  expect(outcomes.map(outcome => doneOf(outcome).actor.rev)).toEqual([3, 4, 5])
})

test('a bundle of what is remembered, what is not and what is new stands or falls as one', async () => {
  await using house = await lampHouse()
  await using other = { ...(await openHouse(house.url)), [Symbol.asyncDispose]: () => other.close() }
  const known = await newLamp(house.actors)
  const unknown = await newLamp(other.actors)
  const made = newId()
  const bundle = [tell(known, 'count', { by: 1 }), tell(unknown, 'count', { by: 1 }), makeLamp({}, made)]
  expect(await house.actors.dispatchBundle(bundle)).toMatchObject({ ok: true })
  // The first is not as it was left, the second is refused.
  await house.sql`update lamps set switched = 10 where id = ${known}`
  const falling = [tell(known, 'count', { by: 1 }), tell(unknown, 'switch_off'), tell(made, 'count', { by: 1 })]
  expect(await house.actors.dispatchBundle(falling)).toMatchObject({ ok: false, refusal: 'state', index: 1 })
  expect(await switchedOf(house, known)).toEqual({ switched: 10, rev: 2 })
  expect(await switchedOf(house, made)).toEqual({ switched: 0, rev: 1 })
})

test('a command that was taken before is not taken again, and keeps nobody else of its batch from anything', async () => {
  await using house = await lampHouse({ lanes: 1 })
  await using other = { ...(await openHouse(house.url)), [Symbol.asyncDispose]: () => other.close() }
  const lamps = await Promise.all(Array.from({ length: 20 }, () => newLamp(house.actors)))
  const [id = '', elsewhere = ''] = lamps
  const [ours, theirs] = [newId(), newId()]
  await house.actors.dispatch({ ...tell(id, 'count', { by: 1 }), id: ours })
  await other.actors.dispatch({ ...tell(elsewhere, 'count', { by: 1 }), id: theirs })
  const [again, there, ...rest] = await Promise.all([
    house.actors.dispatch({ ...tell(id, 'count', { by: 1 }), id: ours }),
    house.actors.dispatch({ ...tell(elsewhere, 'count', { by: 1 }), id: theirs }),
    ...lamps.slice(2).map(each => house.actors.dispatch(tell(each, 'count', { by: 1 }))),
  ])
  expect([again, there].map(outcome => outcome && doneOf(outcome).replayed)).toEqual([true, true])
  expect(rest.map(outcome => doneOf(outcome).actor.rev)).toEqual(rest.map(() => 2))
  const [sum] = await house.sql`select sum(switched)::integer as switched, max(rev) as rev from lamps`
  expect({ ...sum }).toEqual({ switched: 20, rev: 2 })
  expect(await audit(house.sql, lampKinds)).toEqual([])
})

test('timers fire on what is remembered, and not when they were armed anew', async () => {
  await using house = await lampHouse()
  const id = await newLamp(house.actors)
  await house.actors.dispatch(tell(id, 'switch_on'))
  const fire = (generation: number) =>
    house.actors.dispatch({ kind: 'lamp', actor: id, timer: { name: 'burn.lamp.on', generation } })
  expect(await fire(1)).toMatchObject({ ok: false, refusal: 'stale' })
  expect(doneOf(await fire(2)).actor).toMatchObject({ state: 'off', rev: 3 })
  expect(await fire(2)).toMatchObject({ ok: false, refusal: 'stale' })
})

test('two processes that write the same actors in turn lose nothing', async () => {
  await using house = await lampHouse()
  await using other = { ...(await openHouse(house.url)), [Symbol.asyncDispose]: () => other.close() }
  const lamps = await Promise.all(Array.from({ length: 10 }, () => newLamp(house.actors)))
  for (let turn = 0; turn < 20; turn++)
    for (const { actors } of [house, other])
      await Promise.all(lamps.map(id => actors.dispatch(tell(id, 'count', { by: 1 })).then(doneOf)))
  const rows = await house.sql`select distinct switched, rev from lamps`
  expect(rows.map(row => ({ ...row }))).toEqual([{ switched: 40, rev: 41 }])
  expect(await audit(house.sql, lampKinds)).toEqual([])
})

test('what another server has left is not what was remembered, though it bears the same numbers', async () => {
  await using house = await lampHouse({ connections: 1 })
  const id = await newLamp(house.actors)
  // As after a standby was promoted that had never got the lamp's last commit, and gave its numbers out again.
  await house.sql`insert into eras select era + 1, 'another', postmaster_started from eras`
  const before = await rolledBack(house)
  expect(doneOf(await house.actors.dispatch(tell(id, 'count', { by: 1 }))).actor.rev).toBe(2)
  // It went to the commit with what it remembered, was sent back, and has read.
  expect((await rolledBack(house)) - before).toBe(1)
  const memory = openMemory({ most: 10 })
  const { actor } = doneOf(await house.actors.dispatch(tell(id, 'count', { by: 1 })))
  memory.keep('old', actor, { xid: '7', era: 1 })
  memory.keep('new', actor, { xid: '8', era: 2 })
  expect([memory.recall('lamp', 'old'), memory.era()]).toEqual([undefined, 2])
  memory.keep('late', actor, { xid: '9', era: 1 })
  expect(memory.recall('lamp', 'late')).toBeUndefined()
  expect(memory.recall('lamp', 'new')).toBeDefined()
})

test('an answer is the caller’s, and nobody writes what a caller did to it', async () => {
  await using house = await lampHouse()
  const id = await newLamp(house.actors)
  const { actor } = doneOf(await house.actors.dispatch(tell(id, 'count', { by: 1 })))
  expect(() => {
    actor.context.switched = 999
  }).toThrow(TypeError)
  expect(doneOf(await house.actors.dispatch(tell(id, 'count', { by: 1 }))).actor.context.switched).toBe(2)
})

const brief = (outcome: Outcome | BundleOutcome): string => {
  if (!outcome.ok) return outcome.refusal
  const done = 'done' in outcome ? outcome.done.at(-1) : outcome
  return `${done?.actor.rev}${done?.replayed ? ' again' : ''}`
}

describe.each([20_000, 0])('whether %d are remembered or none', mostRemembered => {
  const openOne = () => lampHouse({ mostRemembered, lanes: 1 })

  test('a command that is refused is refused in its turn', async () => {
    await using house = await openOne()
    const [id, other] = [await newLamp(house.actors), await newLamp(house.actors)]
    const outcomes = await Promise.all([
      house.actors.dispatch(tell(id, 'switch_off')),
      house.actors.dispatch(tell(id, 'switch_on')),
      house.actors.dispatchBundle([tell(id, 'count', { by: 1 }), tell(other, 'switch_off')]),
      house.actors.dispatch(tell(other, 'switch_on')),
    ])
    expect(outcomes.map(brief)).toEqual(['state', '2', 'state', '2'])
  })

  test('a command that is a fault is one in its turn', async () => {
    await using house = await openOne()
    const id = await newLamp(house.actors)
    const [hit, on] = await Promise.allSettled([
      house.actors.dispatch(tell(id, 'hit')),
      house.actors.dispatch(tell(id, 'switch_on')),
    ])
    expect(hit).toMatchObject({ status: 'rejected', reason: { name: 'CommandFault' } })
    expect(on).toMatchObject({ status: 'fulfilled', value: { ok: true } })
  })

  test('a command sent again is known beside a timer, a refused one and the making of its actor', async () => {
    await using house = await openOne()
    const { actors } = house
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
  await using house = await lampHouse({ lanes: 1, connections: 1 })
  const lamps = await Promise.all(Array.from({ length: 200 }, () => newLamp(house.actors)))
  const counts = lamps.map(id => ({ ...tell(id, 'count', { by: 1 }), id: newId() }))
  const count = () => Promise.all(counts.map(command => house.actors.dispatch(command)))
  await count()
  const before = await rolledBack(house)
  expect((await count()).map(brief)).toEqual(lamps.map(() => '2 again'))
  // Each batch was tried again as a whole: in halves there would have been as many rollbacks as there are commands.
  expect((await rolledBack(house)) - before).toBeLessThan(20)
})

/** Of a house with a single connection: each tells of itself by and by, or when it is told to. */
const rolledBack = async ({ sql }: House): Promise<number> => {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<[{ count: number }]>`
    select xact_rollback::integer as count from pg_stat_database where datname = current_database()`
  return row.count
}

test('few are remembered where few may be, the last ones first, and none of a kind that was wrong', async () => {
  const memory = openMemory({ most: 2, restMs: 20 })
  const lampOf = (id: string) => {
    const at = new Date()
    return { id, kind: 'lamp', state: 'off', rev: 1, context: {}, createdAt: at, updatedAt: at }
  }
  const written = { xid: '7', era: 1 }
  for (const id of ['a', 'b', 'c', 'd', 'e']) memory.keep(id, lampOf(id), written)
  expect(['a', 'b', 'c', 'd', 'e'].filter(id => memory.recall('lamp', id))).toEqual(['c', 'd', 'e'])
  memory.wasWrong('lamp', 'e')
  expect(memory.recall('lamp', 'd')).toBeUndefined()
  expect(memory.recall('torch', 'd')).toBeDefined()
  await Bun.sleep(25)
  expect(['d', 'e'].filter(id => memory.recall('lamp', id))).toEqual(['d'])
  memory.forgetAll()
  expect(memory.recall('lamp', 'd')).toBeUndefined()
  const short = openMemory({ most: 100, forMs: 0 })
  for (const id of ['a', 'b', 'c']) short.keep(id, lampOf(id), written)
  expect(['a', 'b', 'c'].filter(id => short.recall('lamp', id))).toEqual(['b', 'c'])
})

test('a new one of a kind that rests when it is new is remembered from its first event on', async () => {
  const at = new Date()
  const kept = (kind: Kind, revs: readonly number[]) => {
    const memory = openMemory({ most: 10 })
    for (const rev of revs) {
      const actor = { id: 'a', kind: kind.name, state: 'off', rev, context: {}, createdAt: at, updatedAt: at }
      const head = { kind, actor, stored: rev - 1, seen: null, read: undefined, timers: new Map(), taken: undefined }
      remember(memory, NOTHING, {
        heads: new Map([['a', head]]),
        conflicted: new Set(),
        written: { xid: '7', era: 1 },
      })
    }
    return memory.recall(kind.name, 'a')?.actor.rev
  }
  const [restless] = lampKinds as [Kind]
  const resting: Kind = { ...restless, restsWhenNew: true }
  expect([kept(restless, [1]), kept(restless, [1, 2])]).toEqual([1, 2])
  expect([kept(resting, [1]), kept(resting, [1, 2])]).toEqual([undefined, 2])
})

test('a commit of another era that leaves nothing to remember ends what was remembered of the one before', () => {
  const memory = openMemory({ most: 10 })
  const at = new Date()
  const actor = { id: 'a', kind: 'lamp', state: 'off', rev: 2, context: {}, createdAt: at, updatedAt: at }
  memory.keep('a', actor, { xid: '7', era: 0 })
  remember(memory, NOTHING, { heads: new Map(), conflicted: new Set(), written: { xid: '8', era: 0 } })
  expect(memory.recall('lamp', 'a')).toBeDefined()
  remember(memory, NOTHING, { heads: new Map(), conflicted: new Set(), written: { xid: '2', era: 1 } })
  expect([memory.recall('lamp', 'a'), memory.era()]).toEqual([undefined, 1])
})
