import { expect, test } from 'bun:test'
import { batchReads } from '../../src/queries/batched-reads.ts'
import { until } from '../harness/until.ts'

/** Answers each question with its double, when told to. */
const openDoubler = (fail: (questions: readonly number[]) => boolean = () => false) => {
  const asked: (readonly number[])[] = []
  const held: (() => void)[] = []
  const ask = batchReads(async (questions: readonly number[]) => {
    asked.push(questions)
    await new Promise<void>(resolve => held.push(resolve))
    if (fail(questions)) throw new Error(`cannot double ${questions}`)
    return questions.map(question => question * 2)
  })
  /** Lets what is under way be answered, and what is asked then, until nothing is. */
  const release = async () => {
    for (await turn(); held.length > 0; await turn()) for (const answer of held.splice(0)) answer()
  }
  return { ask, asked, release }
}

const turn = () => new Promise(resolve => setTimeout(resolve, 1))

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

test('what is asked in one turn goes together, and what comes while two are under way goes in the next', async () => {
  const { ask, asked, release } = openDoubler()
  const answers = [ask(0), ask(1)]
  await turn()
  answers.push(ask(2))
  await turn()
  for (const n of range(3, 7)) {
    answers.push(ask(n))
    await turn()
  }
  expect(asked).toEqual([[0, 1], [2]])
  await release()
  expect(asked).toEqual([[0, 1], [2], range(3, 7)])
  expect(await Promise.all(answers)).toEqual(range(0, 7).map(n => n * 2))
})

test('no more than a hundred go together', async () => {
  const { ask, asked, release } = openDoubler()
  const answers = range(0, 252).map(ask)
  await release()
  expect(asked.map(questions => questions.length)).toEqual([100, 100, 52])
  expect(await Promise.all(answers)).toEqual(range(0, 252).map(n => n * 2))
})

test('a question that cannot be answered fails alone', async () => {
  const { ask, asked, release } = openDoubler(questions => questions.includes(5))
  const answers = Promise.allSettled(range(0, 8).map(ask))
  await release()
  expect((await answers).map(({ status }) => status === 'fulfilled')).toEqual(range(0, 8).map(n => n !== 5))
  expect(asked).toEqual([range(0, 8), ...range(0, 8).map(n => [n])])
  // Nothing is stuck behind it.
  const later = ask(9)
  await release()
  expect(await later).toBe(18)
})

test('those that get no answer are gone past, by four at most, and are answered when one comes', async () => {
  const held: (() => void)[] = []
  const ask = batchReads(
    (questions: readonly number[]) => new Promise<readonly number[]>(resolve => held.push(() => resolve(questions))),
    20,
  )
  const answers: Promise<number>[] = []
  const askOn = () => answers.push(ask(answers.length))
  await until(() => askOn() && held.length === 6)
  // Longer than it took any of the four.
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
