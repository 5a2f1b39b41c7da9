import { expect, test } from 'bun:test'
import { openLanes } from '../../src/actors/lanes.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
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
  const times = 100
  // As over HTTP: whoever was told asks again after a while, each at another time.
  const caller = async (nth: number) => {
    for (let time = 0; time < times; time++) {
      doneOf(await house.actors.dispatch(makeLamp()))
      for (let turn = 0; turn < nth; turn++) await new Promise(resolve => setImmediate(resolve))
    }
  }
  const batches = async () => {
    const [row] = await house.sql`select count(distinct xmin::text)::int as batches from transitions`
    return Number(row?.batches)
  }
  // Who is away for long on a busy machine is not waited for: of a few attempts one is enough.
  const counts: number[] = []
  for (let attempt = 0; attempt < 5; attempt++) {
    const before = await batches()
    await Promise.all(Array.from({ length: 6 }, (_, nth) => caller(nth)))
    counts.push((await batches()) - before)
  }
  // Two halves would be twice as many.
  expect(Math.min(...counts)).toBeLessThan(1.25 * times)
}, 20_000)

test('after a commit that was held up a command alone is not kept for half of that', async () => {
  await using house = await lampHouse()
  const both = () => Promise.all([house.actors.dispatch(makeLamp()), house.actors.dispatch(makeLamp())])
  for (let time = 0; time < 20; time++) await both()
  const stranger = connect(house.url, { max: 1 })
  // They wait for so long that half of it would be felt; then one comes back, and the other does not.
  const locked = stranger.unsafe('lock table lamps; select pg_sleep(1)').execute()
  const isLocked = async () =>
    (await house.sql`select from pg_locks where mode = 'AccessExclusiveLock' and relation = 'lamps'::regclass`).length >
    0
  await until(isLocked)
  const asked = both()
  await Promise.all([locked, asked])
  const began = performance.now()
  doneOf(await house.actors.dispatch(makeLamp()))
  expect(performance.now() - began).toBeLessThan(250)
  await stranger.end()
})

/** Lanes by a clock that a test sets. */
const setLanes = () => {
  let now = 1_000
  const lanes = openLanes({ most: 4, batchSize: 512, now: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return {
    lanes,
    pass,
    tell: (units: number, tookMs = 2) => {
      const lane = lanes.enter(units)
      pass(tookMs)
      lanes.leave(lane, units)
    },
    comeBack: (units: number) => {
      for (let caller = 0; caller < units; caller++) lanes.cameBack()
    },
  }
}

test('those on the way are waited for while nothing is under way, for half of what their batch took', () => {
  const { lanes, pass, tell, comeBack } = setLanes()
  tell(16)
  // Nobody knows yet whether they come back at all.
  expect(lanes.waitMs(4)).toBe(0)
  pass(0.75)
  comeBack(16)
  expect(lanes.waitMs(16)).toBe(0)
  tell(16)
  pass(0.25)
  comeBack(10)
  expect([lanes.waitMs(0), lanes.waitMs(10)]).toEqual([0, 0.75])
  pass(0.5)
  expect(lanes.waitMs(10)).toBe(0.25)
  // More than a few have lanes that wait for nobody, and are cut in two.
  expect([lanes.waitMs(25), lanes.waitMs(26)]).toEqual([0.25, 0])
  expect([lanes.share(25, 0), lanes.share(26, 0)]).toEqual([512, 16])
  pass(0.5)
  expect(lanes.waitMs(10)).toBe(0)
  comeBack(6)
  expect(lanes.waitMs(16)).toBe(0)
  tell(16)
  const lane = lanes.enter(4)
  expect(lanes.waitMs(4)).toBe(0)
  lanes.leave(lane, 0)
})

test('who is told and asks for nothing next, or much later, is waited for by nobody', () => {
  const { lanes, pass, tell, comeBack } = setLanes()
  const comeBackAtOnce = () => {
    tell(16)
    comeBack(16)
    tell(2)
    expect(lanes.waitMs(1)).toBe(1)
  }
  comeBackAtOnce()
  // They never do.
  pass(11)
  tell(16)
  pass(11)
  tell(2)
  expect(lanes.waitMs(1)).toBe(0)
  comeBackAtOnce()
  // They do, but late.
  tell(16)
  pass(5)
  comeBack(18)
  tell(2)
  expect(lanes.waitMs(1)).toBe(0)
})

test('who never comes back is waited for once, though others go on all the time', () => {
  const { lanes, tell, comeBack } = setLanes()
  /** How many batches were waited for once all four were back. */
  const rounds = (times: number, strangers: number): number => {
    let waited = 0
    for (let time = 0; time < times; time++) {
      tell(4 + strangers, 0.5)
      comeBack(4)
      if (lanes.waitMs(4) > 0) waited++
    }
    return waited
  }
  expect([rounds(20, 0), rounds(1, 1), rounds(100, 0)]).toEqual([0, 1, 0])
})

test('nobody is waited for longer than a moment, whatever a batch itself had to wait for', () => {
  const { lanes, tell, comeBack } = setLanes()
  for (let time = 0; time < 20; time++) {
    tell(2, 1_000)
    expect(lanes.waitMs(1)).toBeLessThanOrEqual(2)
    comeBack(2)
  }
  expect(lanes.waitMs(1)).toBe(0)
  tell(2, 1_000)
  expect(lanes.waitMs(1)).toBe(2)
})
