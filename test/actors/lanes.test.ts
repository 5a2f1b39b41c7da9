import { expect, test } from 'bun:test'
import { openLanes } from '../../src/actors/lanes.ts'
import { doneOf, lampHouse, makeLamp } from './lamps.ts'

test('what waits is sent before those who were told just now go on', async () => {
  await using house = await lampHouse({ lanes: 1 })
  const said: string[] = []
  const decided = () => {
    said.push('decided')
    return []
  }
  const first = Array.from({ length: 8 }, () => house.actors.dispatch(makeLamp()))
  const wentOn = first.map(async told => {
    doneOf(await told)
    // All in one turn of the event loop, as an answer is made and written.
    for (let step = 0; step < 100; step++) await undefined
    said.push('went on')
  })
  // The lane is taken by then.
  await new Promise(resolve => setImmediate(resolve))
  const then = Array.from({ length: 40 }, () => house.actors.dispatch({ ...makeLamp(), rows: decided }))
  for (const outcome of await Promise.all(then)) doneOf(outcome)
  await Promise.all(wentOn)
  expect(said).toEqual([...then.map(() => 'decided'), ...first.map(() => 'went on')])
})

test('who was told a moment ago is counted with those who wait, and not for long', () => {
  let now = 1_000
  const lanes = openLanes({ most: 4, batchSize: 512, now: () => now })
  for (const lane of [lanes.enter(128), lanes.enter(128)]) lanes.leave(lane, 128)
  for (let caller = 0; caller < 87; caller++) lanes.cameBack()
  // 169 are on their way: the 87 go as one, not as two halves that would be halves from then on.
  expect(lanes.share(87, 0)).toBe(128)
  // Those behind actors under way can be taken by no other lane, nor can who comes back to the same ones.
  expect(lanes.share(87, 47)).toBe(20)
  now += 8
  lanes.leave(lanes.enter(16), 16)
  expect(lanes.share(87, 0)).toBe(136)
  // That others are told meanwhile keeps nobody counted.
  now += 8
  expect(lanes.share(87, 0)).toBe(52)
  now += 8
  expect(lanes.share(87, 0)).toBe(44)
})

test('a lane is left once', () => {
  const lanes = openLanes({ most: 1, batchSize: 512, now: () => 1_000 })
  const lane = lanes.enter(8)
  expect([lanes.areFree(), lanes.least()]).toEqual([false, Number.POSITIVE_INFINITY])
  expect([lanes.leave(lane, 8), lanes.leave(lane, 8)]).toEqual([true, false])
  // And its units are counted once.
  expect(lanes.share(24, 0)).toBe(32)
})
