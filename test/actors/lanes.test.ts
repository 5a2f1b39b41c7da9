import { expect, test } from 'bun:test'
import { openLanes } from '../../src/actors/lanes.ts'

/** Lanes with a clock that the test sets. */
const openAt = (max = 4) => {
  let now = 1_000
  const lanes = openLanes({ max, batchSize: 512, now: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return { lanes, pass }
}

test('a single waiting command is sent immediately, and nothing is sent when nothing waits', () => {
  const { lanes } = openAt()
  expect([lanes.mayOpen(0), lanes.mayOpen(1)]).toEqual([false, true])
})

test('a second batch is sent when nearly as many units wait as the first one has, and at least 16', () => {
  const { lanes } = openAt()
  const first = lanes.enter(8)
  expect([lanes.mayOpen(15), lanes.mayOpen(16)]).toEqual([false, true])
  lanes.leave(first)
  lanes.enter(128)
  expect([lanes.mayOpen(95), lanes.mayOpen(96)]).toEqual([false, true])
})

test('a third batch is sent only when one of two takes long, up to the maximum number of batches', () => {
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

test('when all batches in progress take long, a single waiting command is sent', () => {
  const { lanes, pass } = openAt()
  lanes.enter(16)
  expect(lanes.mayOpen(1)).toBe(false)
  pass(51)
  expect(lanes.mayOpen(1)).toBe(true)
})

test('a batch takes half of all units that wait or are in progress, without those whose actors are in progress', () => {
  const { lanes } = openAt()
  expect([lanes.share(31, 0), lanes.share(32, 0), lanes.share(255, 0)]).toEqual([512, 16, 128])
  lanes.enter(128)
  expect([lanes.share(128, 0), lanes.share(128, 100), lanes.share(3_000, 0)]).toEqual([128, 78, 512])
})
