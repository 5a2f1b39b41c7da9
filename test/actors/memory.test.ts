import { expect, test } from 'bun:test'
import type { Outcome } from '../../src/actors/command.ts'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { postgresServer } from '../harness/server.ts'
import { lamp } from './lamp.ts'
import { addLamps, doneOf, lampHouse, newLamp, openHouse, tell } from './lamps.ts'

const lampKinds = [registered(lamp)]

const switchedOf = (outcome: Outcome) => doneOf(outcome).actor.context.switched

test('an actor that this process has just written is not read again', async () => {
  await using house = await lampHouse()
  await using proxy = await databaseProxy(house.url)
  const far = await openHouse(proxy.url, { connections: 1 })
  const id = await newLamp(far.actors)
  for (let count = 1; count <= 5; count++) {
    // Were there a read, it would be its answer that is lost, and nothing had been done yet.
    proxy.cutInsteadOfAnswer(1)
    const outcome = await far.actors.dispatch(tell(id, 'count', { by: 1 }))
    expect(doneOf(outcome)).toMatchObject({ replayed: true, actor: { context: { switched: 2 * count - 1 } } })
    expect(switchedOf(await far.actors.dispatch(tell(id, 'count', { by: 1 })))).toBe(2 * count)
  }
  expect(await audit(house.sql, lampKinds)).toEqual([])
  await far.close()
})

test('what another process has done since is neither lost nor overlooked', async () => {
  await using house = await lampHouse()
  const rival = await openHouse(house.url)
  const id = await newLamp(house.actors)
  doneOf(await rival.actors.dispatch(tell(id, 'count', { by: 5 })))
  expect(switchedOf(await house.actors.dispatch(tell(id, 'count', { by: 1 })))).toBe(6)
  await rival.close()
})

test('nobody is refused by what is only remembered', async () => {
  await using house = await lampHouse()
  const rival = await openHouse(house.url)
  const id = await newLamp(house.actors)
  doneOf(await rival.actors.dispatch(tell(id, 'switch_on')))
  // Off, as far as this process remembers: switch_off would be refused, and switch_on done.
  doneOf(await house.actors.dispatch(tell(id, 'switch_off')))
  doneOf(await rival.actors.dispatch(tell(id, 'switch_on')))
  expect(await house.actors.dispatch(tell(id, 'switch_on'))).toMatchObject({
    refusal: 'state',
    actor: { state: 'on', rev: 4 },
    possible: ['switch_off', 'count'],
  })
  expect(await audit(house.sql, lampKinds)).toEqual([])
  await rival.close()
})

test('a bundle of which one part is remembered and the other is old is decided again as a whole', async () => {
  await using house = await lampHouse()
  const rival = await openHouse(house.url)
  const [one, two] = [await newLamp(house.actors), await newLamp(house.actors)]
  doneOf(await rival.actors.dispatch(tell(two, 'count', { by: 5 })))
  const bundle = await house.actors.dispatchBundle([tell(one, 'count', { by: 1 }), tell(two, 'count', { by: 1 })])
  expect(bundle).toMatchObject({
    ok: true,
    done: [{ actor: { context: { switched: 1 } } }, { actor: { context: { switched: 6 } } }],
  })
  await rival.close()
})

test('a hundred rivals and refusals in two processes leave every count right', async () => {
  await using house = await lampHouse()
  const rival = await openHouse(house.url)
  const ids = await Promise.all(Array.from({ length: 10 }, () => newLamp(house.actors)))
  let counted = 0
  const ask = async (actors: typeof house.actors, turn: number) => {
    const id = ids[turn % ids.length] ?? ''
    const outcome = await actors.dispatch(turn % 3 === 0 ? tell(id, 'switch_on') : tell(id, 'count', { by: 1 }))
    if (outcome.ok) counted++
    // Only switching on what is on already may be refused.
    else expect([turn % 3, outcome.refusal, outcome.actor?.state]).toEqual([0, 'state', 'on'])
  }
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 60 }, (_, turn) => ask(turn % 2 ? house.actors : rival.actors, turn)))
  }
  const [row] = await house.sql`select sum(switched)::integer as switched from lamps`
  expect(row?.switched).toBe(counted)
  expect(await audit(house.sql, lampKinds)).toEqual([])
  await rival.close()
})

test('what was written to a server that has been started anew since is read again', async () => {
  await using server = await postgresServer()
  await migrate(server.url)
  await addLamps(server.url)
  const house = await openHouse(server.url, { rememberMs: 60_000 })
  const id = await newLamp(house.actors)
  doneOf(await house.actors.dispatch(tell(id, 'count', { by: 1 })))
  await server.restart()
  // As if the last commits had been lost with the old server, and others made in their place.
  const other = await openHouse(server.url)
  await other.sql`update lamps set switched = 100 where id = ${id}`
  expect(switchedOf(await house.actors.dispatch(tell(id, 'count', { by: 1 })))).toBe(101)
  await other.close()
  await house.close()
}, 60_000)
