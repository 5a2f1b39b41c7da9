import { expect, test } from 'bun:test'
import { leftField, openBuckets, policyField } from '../../src/http/limits.ts'

const LIMIT = { name: 'test', burst: 50, perSecond: 25 }

/** A clock in seconds that the test moves. */
const clock = () => {
  let at = 0
  const move = (ms: number) => {
    at += ms
  }
  return { now: () => at, move }
}

test('a bucket allows its burst at once and then one request per refilled token', () => {
  const { now, move } = clock()
  const buckets = openBuckets(LIMIT, now)
  for (let i = 0; i < 50; i++) expect(buckets.take('a').allowed).toBe(true)
  expect(buckets.take('a').allowed).toBe(false)
  move(39)
  expect(buckets.take('a').allowed).toBe(false)
  move(1)
  expect(buckets.take('a').allowed).toBe(true)
  expect(buckets.take('a').allowed).toBe(false)
})

test('over a long time a bucket allows no more than its rate and one burst', () => {
  const { now, move } = clock()
  const buckets = openBuckets(LIMIT, now)
  let allowed = 0
  for (let ms = 0; ms < 60_000; ms += 5) {
    if (buckets.take('a').allowed) allowed++
    move(5)
  }
  expect(allowed).toBeGreaterThanOrEqual(50 + 60 * 25 - 1)
  expect(allowed).toBeLessThanOrEqual(50 + 60 * 25)
})

test('an idle bucket fills up to one burst and no more', () => {
  const { now, move } = clock()
  const buckets = openBuckets(LIMIT, now)
  buckets.take('a')
  move(3_600_000)
  expect(buckets.look('a')).toEqual({ allowed: true, remaining: 50, resetS: 0 })
})

test('each caller has its own bucket, and looking takes nothing', () => {
  const buckets = openBuckets({ ...LIMIT, burst: 1 }, () => 0)
  expect(buckets.take('a').allowed).toBe(true)
  for (let i = 0; i < 3; i++) expect(buckets.look('a').allowed).toBe(false)
  for (let i = 0; i < 3; i++) expect(buckets.look('b').allowed).toBe(true)
  expect(buckets.take('b').allowed).toBe(true)
})

test('a full bucket is forgotten; until then a caller that used it is remembered', () => {
  const { now, move } = clock()
  const buckets = openBuckets(LIMIT, now)
  expect(buckets.areFull()).toBe(true)
  buckets.take('a')
  move(20)
  buckets.take('b')
  expect(buckets.areFull()).toBe(false)
  move(20)
  expect(buckets.areFull()).toBe(false)
  move(20)
  expect(buckets.areFull()).toBe(true)
})

test('the number of buckets is limited to the most recent callers', () => {
  const buckets = openBuckets({ ...LIMIT, burst: 1 }, () => 0, 2)
  for (const subject of ['a', 'b', 'c']) buckets.take(subject)
  expect(['a', 'b', 'c'].map(subject => buckets.look(subject).allowed)).toEqual([true, false, false])
})

test('a caller that returns is not the one forgotten', () => {
  const buckets = openBuckets({ ...LIMIT, burst: 2 }, () => 0, 2)
  for (const subject of ['a', 'a', 'b', 'b', 'c']) buckets.take(subject)
  expect(['a', 'b', 'c'].map(subject => buckets.look(subject).remaining)).toEqual([2, 0, 1])
  const others = openBuckets({ ...LIMIT, burst: 2 }, () => 0, 2)
  for (const subject of ['a', 'b', 'a', 'c']) others.take(subject)
  expect(['a', 'b', 'c'].map(subject => others.look(subject).remaining)).toEqual([0, 2, 1])
})

test('the headers say how many requests remain and how long to wait', () => {
  const { now } = clock()
  const buckets = openBuckets(LIMIT, now)
  expect(policyField(LIMIT)).toBe('"test";q=50;w=2')
  expect(leftField(LIMIT, buckets.take('a'))).toBe('"test";r=49;t=1')
  for (let i = 0; i < 49; i++) buckets.take('a')
  expect(leftField(LIMIT, buckets.take('a'))).toBe('"test";r=0;t=1')
})
