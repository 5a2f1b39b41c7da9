import { expect, test } from 'bun:test'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { tlsPostgresServer } from '../harness/tls.ts'
import { lamp } from './lamp.ts'
import { addLamps, createLamp, eventCommand, openInstance } from './lamps.ts'

const lampKinds = [registered(lamp)]

test.each([
  ['one command', 1],
  ['several commands in one batch', 5],
])('a damaged TLS record in the response does not repeat %s', async (_, count) => {
  await using server = await tlsPostgresServer()
  await migrate(server.url)
  await addLamps(server.url)
  await using path = await databaseProxy(server.url)
  const near = await openInstance(server.url)
  const far = await openInstance(path.url, { lanes: 1 })
  const lamps = await Promise.all(Array.from({ length: count }, () => createLamp(far.actors)))
  // Cached by now, so that a command is one statement and the next response is that of its commit.
  await Promise.all(lamps.map(id => far.actors.dispatch(eventCommand(id, 'count', { by: 1 }))))
  path.garbleAnswer(1)
  const outcomes = await Promise.all(lamps.map(id => far.actors.dispatch(eventCommand(id, 'count', { by: 10 }))))
  expect(outcomes.map(outcome => outcome.ok)).toEqual(lamps.map(() => true))
  const rows = await near.sql`select switched from lamps`
  expect(rows.map(({ switched }) => switched)).toEqual(lamps.map(() => 11))
  expect(await audit(near.sql, lampKinds)).toEqual([])
  await Promise.all([near.close(), far.close()])
})
