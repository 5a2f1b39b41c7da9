import { expect, test } from 'bun:test'
import { batchReads } from '../../src/queries/batched-reads.ts'
import { until } from '../harness/until.ts'

/** Returns the double of each number, when the test says so. */
const openDoubler = (fail: (questions: readonly number[]) => boolean = () => false) => {
  const queries: (readonly number[])[] = []
  const held: (() => void)[] = []
  const ask = batchReads(async (questions: readonly number[]) => {
    queries.push(questions)
    await new Promise<void>(resolve => held.push(resolve))
    if (fail(questions)) throw new Error(`cannot double ${questions}`)
    return questions.map(question => question * 2)
  })
  /** Releases the query in progress and the following ones until there is none. */
  const release = async () => {
    for (await turn(); held.length > 0; await turn()) for (const answer of held.splice(0)) answer()
  }
  return { ask, queries, release }
}

const turn = () => new Promise(resolve => setTimeout(resolve, 1))

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

test('what is requested in one turn of the event loop shares a query, and later requests share the next one', async () => {
  const { ask, queries, release } = openDoubler()
  const answers = [ask(0), ask(1)]
  await turn()
  answers.push(ask(2))
  await turn()
  for (const n of range(3, 7)) {
    answers.push(ask(n))
    await turn()
  }
  expect(queries).toEqual([[0, 1], [2]])
  await release()
  expect(queries).toEqual([[0, 1], [2], range(3, 7)])
  expect(await Promise.all(answers)).toEqual(range(0, 7).map(n => n * 2))
})

test('at most a hundred requests share a query', async () => {
  const { ask, queries, release } = openDoubler()
  const answers = range(0, 252).map(ask)
  await release()
  expect(queries.map(questions => questions.length)).toEqual([100, 100, 52])
  expect(await Promise.all(answers)).toEqual(range(0, 252).map(n => n * 2))
})

test('a request that fails, fails alone', async () => {
  const { ask, queries, release } = openDoubler(questions => questions.includes(5))
  const answers = Promise.allSettled(range(0, 8).map(ask))
  await release()
  expect((await answers).map(({ status }) => status === 'fulfilled')).toEqual(range(0, 8).map(n => n !== 5))
  expect(queries).toEqual([range(0, 8), ...range(0, 8).map(n => [n])])
  // Later ones are not blocked.
  const later = ask(9)
  await release()
  expect(await later).toBe(18)
})

test('queries without a response are bypassed, at most four, and get their results later', async () => {
  const held: (() => void)[] = []
  const ask = batchReads(
    (questions: readonly number[]) => new Promise<readonly number[]>(resolve => held.push(() => resolve(questions))),
    20,
  )
  const answers: Promise<number>[] = []
  const askOn = () => answers.push(ask(answers.length))
  await until(() => askOn() && held.length === 6)
  // Longer than any of the four.
  for (let turns = 0; turns < 10; turns++) await new Promise(resolve => setTimeout(resolve, 20))
  askOn()
  expect(held.length).toBe(6)
  const all = Promise.all(answers)
  await until(() => {
    for (const answer of held.splice(0)) answer()
    return Promise.race([all.then(() => true), turn().then(() => false)])
  })
  expect(await all).toEqual(range(0, answers.length))
})
