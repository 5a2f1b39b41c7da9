import { expect, test } from 'bun:test'
import { openLanes } from '../../src/actors/lanes.ts'

/** Lanes by a clock that a test sets. */
const openAt = (max = 4) => {
  let now = 1_000
  const lanes = openLanes({ max, batchSize: 512, now: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return { lanes, pass }
}

test('a command that waits alone is sent immediately, and nothing is sent when nothing waits', () => {
  const { lanes } = openAt()
  expect([lanes.mayOpen(0), lanes.mayOpen(1)]).toEqual([false, true])
})

test('a second batch opens for nearly as many units as the first one has, and at least for 16', () => {
  const { lanes } = openAt()
  const first = lanes.enter(8)
  expect([lanes.mayOpen(15), lanes.mayOpen(16)]).toEqual([false, true])
  lanes.leave(first)
  lanes.enter(128)
  expect([lanes.mayOpen(95), lanes.mayOpen(96)]).toEqual([false, true])
})

test('a third batch opens only when one of two takes long, and no more than the most are under way', () => {
  const { lanes, pass } = openAt(3)
  lanes.enter(16)
  pass(30)
  lanes.enter(16)
  expect(lanes.mayOpen(500)).toBe(false)
  pass(21)
  expect(lanes.mayOpen(500)).toBe(true)
  lanes.enter(16)
  pass(100)
  expect(lanes.mayOpen(500)).toBe(false)
})

test('when all batches under way take long, a command that waits alone is sent', () => {
  const { lanes, pass } = openAt()
  lanes.enter(16)
  expect(lanes.mayOpen(1)).toBe(false)
  pass(51)
  expect(lanes.mayOpen(1)).toBe(true)
})

test('a batch takes half of all that waits or is under way, what waits for actors under way excepted', () => {
  const { lanes } = openAt()
  expect([lanes.share(31, 0), lanes.share(32, 0), lanes.share(255, 0)]).toEqual([512, 16, 128])
  lanes.enter(128)
  expect([lanes.share(128, 0), lanes.share(128, 100), lanes.share(3_000, 0)]).toEqual([128, 78, 512])
})
