import { expect, test } from 'bun:test'
import { paced } from '../../../src/web/api/paced.ts'
import { until } from '../../harness/until.ts'

/** Work that ends when the test says so. */
const steered = (isMore: () => boolean = () => false) => {
  const seen = { runs: 0, running: 0, most: 0, finish: () => {} }
  const work = async () => {
    seen.runs++
    seen.running++
    seen.most = Math.max(seen.most, seen.running)
    await new Promise<void>(resolve => {
      seen.finish = resolve
    })
    seen.running--
    return isMore()
  }
  return { seen, work }
}

test('work that is asked for often runs once at a time, and once more for all that was asked meanwhile', async () => {
  const { seen, work } = steered()
  const pace = paced(1, work)
  for (let n = 0; n < 100; n++) pace.ask()
  await until(() => seen.runs === 1)
  for (let n = 0; n < 100; n++) pace.ask()
  seen.finish()
  await until(() => seen.runs === 2)
  seen.finish()
  await until(() => seen.running === 0)
  pace.ask()
  await until(() => seen.runs === 3)
  seen.finish()
  expect(seen.most).toBe(1)
})

test('work runs again as long as there is more to do, and never after stop()', async () => {
  let left = 3
  const { seen, work } = steered(() => --left > 0)
  const pace = paced(1, work)
  pace.ask()
  for (let n = 1; n <= 3; n++) {
    await until(() => seen.runs === n)
    seen.finish()
  }
  pace.ask()
  await until(() => seen.runs === 4)
  pace.ask()
  pace.stop()
  seen.finish()
  await until(() => seen.running === 0)
  pace.ask()
  expect(seen.runs).toBe(4)
})

test('after work that took long, it rests for twice as long', async () => {
  const times: number[] = []
  const pace = paced(1, async () => {
    times.push(performance.now())
    await new Promise(resolve => setTimeout(resolve, 60))
    times.push(performance.now())
    return times.length < 4
  })
  pace.ask()
  await until(() => times.length === 4)
  const [began = 0, ended = 0, again = 0] = times
  // A timer may fire a millisecond early.
  expect((again - ended) / (ended - began)).toBeGreaterThan(1.9)
})
