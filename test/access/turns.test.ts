import { expect, test } from 'bun:test'
import { openTurns } from '../../src/access/turns.ts'
import { until } from '../harness/until.ts'

/** Work that ends when told to. */
const start = (take: ReturnType<typeof openTurns>) => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = { running: false, end: () => resolve('done'), fail: () => reject(new Error('failed')) }
  const taken = take(() => {
    work.running = true
    return promise
  })
  return Object.assign(work, { outcome: taken.catch(error => error.code ?? error.message) })
}

test('as many run as may, the others in the order they came, also after one that failed', async () => {
  const take = openTurns({ atOnce: 2, waiting: 10, waitMs: 60_000 })
  const works = Array.from({ length: 5 }, () => start(take))
  const running = async (...expected: boolean[]) => {
    await until(() => works.every((work, i) => work.running === expected[i]))
  }
  await running(true, true, false, false, false)
  works[1]?.fail()
  await running(true, true, true, false, false)
  works[0]?.end()
  works[2]?.end()
  await running(true, true, true, true, true)
  for (const work of works) work.end()
  expect(await Promise.all(works.map(work => work.outcome))).toEqual(['done', 'failed', 'done', 'done', 'done'])
})

test('whoever finds the queue full is refused at once, whoever waits too long when that is over', async () => {
  const take = openTurns({ atOnce: 1, waiting: 1, waitMs: 50 })
  const [first, second, third] = [start(take), start(take), start(take)]
  expect(await third.outcome).toBe('service_unavailable')
  expect(await second.outcome).toBe('service_unavailable')
  expect(second.running).toBe(false)
  first.end()
  expect(await first.outcome).toBe('done')
  const next = start(take)
  await until(() => next.running)
  next.end()
})
