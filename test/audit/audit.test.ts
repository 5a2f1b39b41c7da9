import { expect, test } from 'bun:test'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { lamp } from '../actors/lamp.ts'
import { lampHouse, newLamp, tell } from '../actors/lamps.ts'

const busyHouse = async () => {
  const house = await lampHouse()
  const lamps = await Promise.all(Array.from({ length: 3 }, () => newLamp(house.actors)))
  for (const id of lamps) await house.actors.dispatch(tell(id, 'switch_on'))
  await house.actors.dispatch(tell(lamps[0] ?? '', 'switch_off'))
  return { ...house, lamps }
}

test('a house in which nothing was tampered with is clean', async () => {
  await using house = await busyHouse()
  expect(await audit(house.sql, [registered(lamp), ...kinds])).toEqual([])
})

// An audit that finds nothing proves nothing: each check is shown a breach.
test.each([
  ['I9', 'a row of lamps is not where', `update lamps set state = 'off' where state = 'on'`],
  ['I9', 'a row of lamps is not where', 'update lamps set rev = rev + 1'],
  ['I9', 'a history of a lamp without its row', 'delete from lamps'],
  ['I9', 'a timer of a lamp that nothing', 'update timers set generation = 7'],
  ['I9', 'a lamp whose timer is gone', 'delete from timers'],
  ['I9', 'a history with a gap', 'delete from transitions where rev = 1'],
  ['I9', 'a change that does not begin', `update transitions set from_state = 'broken' where rev = 2`],
  ['I9', 'a command that was carried out twice', `update transitions set command = '${crypto.randomUUID()}'`],
  ['I8', 'a change that the feed tells before', 'update transitions set era = 2 - rev'],
  ['I8', 'an event that no change of its actor', 'update events set rev = 9'],
  ['I8', 'an event of an actor that sorts before', `update events set rev = 10 - rev where type = 'lamp.lit'`],
  ['I7', 'a timer overdue', `update timers set due_at = now() - interval '2 min'`],
  [
    'I7',
    'a job locked for over a minute',
    `update graphile_worker._private_jobs set locked_at = now() - interval '2 min', locked_by = 'gone'`,
  ],
])('%s: %s … is found', async (invariant, what, tampering) => {
  await using house = await busyHouse()
  await house.sql.unsafe(tampering)
  const findings = await audit(house.sql, [registered(lamp)])
  expect(findings.some(finding => finding.invariant === invariant && finding.what.startsWith(what))).toBe(true)
})
