import { expect, test } from 'bun:test'
import { openTrial } from '../../src/actors/trial.ts'

/** Work at so many units a millisecond, depending on the way that is gone. */
const setTrial = () => {
  let now = 1_000
  const trial = openTrial(() => now)
  const work = (ms: number, rate: (isOn: boolean) => number): number => {
    let on = 0
    for (let passed = 0; passed < ms; passed += 10) {
      const isOn = trial.isOn()
      if (isOn) on++
      now += 10
      trial.done(10 * rate(isOn))
    }
    return (on * 10) / ms
  }
  const pause = (ms: number) => {
    now += ms
  }
  return { trial, work, pause }
}

test('the better way is gone but for one slice of eight, whichever it is, and also after it has changed', () => {
  const { work } = setTrial()
  const better = (isOn: boolean) => (isOn ? 11 : 10)
  const worse = (isOn: boolean) => (isOn ? 9 : 10)
  expect(work(16_000, worse)).toBeCloseTo(1 / 8, 2)
  work(10_000, better)
  expect(work(16_000, better)).toBeCloseTo(7 / 8, 2)
  work(10_000, worse)
  expect(work(16_000, worse)).toBeCloseTo(1 / 8, 2)
})

test('a load that grows or shrinks is not taken for a better way', () => {
  const { work } = setTrial()
  let load = 1
  // By 6 % from one slice to the next.
  const growing = () => {
    load *= 1.003
    return load
  }
  const shrinking = () => {
    load /= 1.003
    return load
  }
  for (const way of [growing, shrinking]) expect(work(24_000, way)).toBeCloseTo(1 / 8, 2)
})

test('one slice that was held up decides nothing, and several that say the same do', () => {
  const { work } = setTrial()
  const even = () => 10
  // Up to the slice that is tried.
  work(1_200, even)
  work(200, () => 10.5)
  work(200, even)
  expect(work(16_000, even)).toBeCloseTo(1 / 8, 2)
  let tried = 0
  while (tried < 8 && work(1_600, isOn => (isOn ? 10.5 : 10)) < 0.5) tried++
  expect(tried).toBeGreaterThanOrEqual(2)
  expect(tried).toBeLessThan(8)
})

test('where little is asked for, and across a pause, nothing is compared', () => {
  const { work, pause } = setTrial()
  // 40 in a slice: that more came in one than in another is nobody's merit.
  for (let round = 0; round < 10; round++) expect(work(1_600, isOn => (isOn ? 0.2 : 0.1))).toBeCloseTo(1 / 8, 2)
  for (let round = 0; round < 20; round++) {
    expect(work(1_400, isOn => (isOn ? 20 : 10))).toBeLessThanOrEqual(1 / 7)
    pause(1_000)
  }
})
