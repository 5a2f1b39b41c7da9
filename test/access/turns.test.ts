import { expect, test } from 'bun:test'
import { openFairQueue } from '../../src/access/fair-queue.ts'
import { until } from '../harness/until.ts'

/** Work that ends when the test says so. */
const start = (take: ReturnType<typeof openFairQueue>, caller = 'one') => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = { running: false, end: () => resolve('done'), fail: () => reject(new Error('failed')) }
  const taken = take(caller, () => {
    work.running = true
    return promise
  })
  return Object.assign(work, { outcome: taken.catch(error => error.code ?? error.message) })
}

test('a limited number runs, the others follow in order, also after a failure', async () => {
  const take = openFairQueue({ atOnce: 2, waiting: 10, waitMs: 60_000 })
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

test('a request is refused immediately when the queue is full, and after its timeout otherwise', async () => {
  const take = openFairQueue({ atOnce: 1, waiting: 1, waitMs: 50 })
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

test('callers take turns, however many requests one of them has waiting', async () => {
  const take = openFairQueue({ atOnce: 1, waiting: 10, waitMs: 60_000 })
  const order: string[] = []
  const run = (caller: string, name: string) => take(caller, async () => void order.push(name))
  const first = start(take)
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(name => run(name.charAt(0), name))
  first.end()
  await Promise.all(all)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('when the queue is full, the caller with the most waiting requests loses its latest one', async () => {
  const take = openFairQueue({ atOnce: 1, waiting: 3, waitMs: 60_000 })
  const running = start(take)
  const [a1, a2, a3] = [start(take, 'a'), start(take, 'a'), start(take, 'a')]
  // No other caller has more than this one.
  expect(await start(take, 'a').outcome).toBe('service_unavailable')
  const b1 = start(take, 'b')
  expect(await a3.outcome).toBe('service_unavailable')
  // Replacing a request of a queue of the same length would only exchange the refusals.
  expect(await start(take, 'b').outcome).toBe('service_unavailable')
  for (const each of [running, a1, a2, b1]) each.end()
  expect(await Promise.all([a1, a2, b1].map(({ outcome }) => outcome))).toEqual(['done', 'done', 'done'])
})
