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

test('few who come back one by one share one batch, and do not wait for each other in halves', async () => {
  await using house = await lampHouse()
  const times = 200
  // As over HTTP: whoever was told asks again after a while, each at another time.
  const caller = async (nth: number) => {
    for (let time = 0; time < times; time++) {
      doneOf(await house.actors.dispatch(makeLamp()))
      for (let turn = 0; turn < nth; turn++) await new Promise(resolve => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, nth) => caller(nth)))
  const [row] = await house.sql`select count(distinct xmin::text)::int as batches from transitions`
  // Two halves would be twice as many.
  expect(row?.batches).toBeLessThan(1.5 * times)
})

test('those on the way are waited for while nothing is under way, for half of what their batch took', () => {
  let now = 1_000
  const lanes = openLanes({ most: 4, batchSize: 512, now: () => now })
  const tell = (units: number) => {
    const lane = lanes.enter(units)
    now += 2
    lanes.leave(lane, units)
  }
  const comeBack = (units: number, afterMs: number) => {
    now += afterMs
    for (let caller = 0; caller < units; caller++) lanes.cameBack()
  }
  tell(16)
  // Nobody knows yet whether they come back at all.
  expect(lanes.waitMs(4)).toBe(0)
  comeBack(16, 0.75)
  expect(lanes.waitMs(16)).toBe(0)
  tell(16)
  comeBack(10, 0.25)
  expect([lanes.waitMs(0), lanes.waitMs(10)]).toEqual([0, 0.75])
  now += 0.5
  expect(lanes.waitMs(10)).toBe(0.25)
  // More than a few have lanes that wait for nobody.
  expect([lanes.waitMs(25), lanes.waitMs(26)]).toEqual([0.25, 0])
  now += 0.5
  expect(lanes.waitMs(10)).toBe(0)
  comeBack(6, 0)
  expect(lanes.waitMs(16)).toBe(0)
  tell(16)
  const lane = lanes.enter(4)
  expect(lanes.waitMs(4)).toBe(0)
  lanes.leave(lane, 0)
})

test('who is told and asks for nothing next, or much later, is waited for by nobody', () => {
  let now = 1_000
  const lanes = openLanes({ most: 4, batchSize: 512, now: () => now })
  const tell = (units: number) => {
    const lane = lanes.enter(units)
    now += 2
    lanes.leave(lane, units)
  }
  const comeBackAtOnce = () => {
    tell(16)
    for (let caller = 0; caller < 16; caller++) lanes.cameBack()
    tell(2)
    expect(lanes.waitMs(1)).toBe(1)
  }
  comeBackAtOnce()
  // They never do.
  now += 11
  tell(16)
  now += 11
  tell(2)
  expect(lanes.waitMs(1)).toBe(0)
  comeBackAtOnce()
  // They do, but late.
  tell(16)
  now += 5
  for (let caller = 0; caller < 18; caller++) lanes.cameBack()
  tell(2)
  expect(lanes.waitMs(1)).toBe(0)
})
