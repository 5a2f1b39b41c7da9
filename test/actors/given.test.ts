import { expect, test } from 'bun:test'
import { type Command, CommandFault } from '../../src/actors/command.ts'
import type { Actor } from '../../src/actors/kind.ts'
import { createCommand, createLamp, doneOf, eventCommand, lampInstance, newId, openInstance } from './lamps.ts'

type Given = (actors: ReadonlyMap<string, Actor>, at: Date) => Readonly<Record<string, unknown>>

const given = (actor: string, type: string, make: Given): Command => ({
  kind: 'lamp',
  actor,
  event: { type },
  given: make,
})

const switchedOf = (actor: Actor | undefined) => Number(actor?.context.switched)

test('fields of an event are made from the actors of the bundle as they are before the command', async () => {
  await using instance = await lampInstance()
  const [one, two, made] = [await createLamp(instance.actors), await createLamp(instance.actors), newId()]
  const seen: unknown[] = []
  const note: Given = (actors, at) => {
    seen.push([one, two, made].map(id => actors.get(id) && switchedOf(actors.get(id))))
    seen.push(at)
    return { by: 10 }
  }
  const outcome = await instance.actors.dispatchBundle([
    given(one, 'count', note),
    createCommand({ switched: 5 }, made),
    eventCommand(two, 'count', { by: 3 }),
    given(one, 'count', note),
  ])
  if (!outcome.ok) throw new Error(outcome.refusal)
  const [at] = outcome.done.map(({ actor }) => actor.updatedAt)
  expect(seen).toEqual([[0, 0, undefined], at, [10, 3, 5], at])
  expect(outcome.done.map(({ actor }) => switchedOf(actor))).toEqual([10, 5, 3, 20])
})

test('an event keeps its type and its own fields', async () => {
  await using instance = await lampInstance()
  const id = await createLamp(instance.actors)
  const command: Command = {
    kind: 'lamp',
    actor: id,
    event: { type: 'count', by: 2 },
    given: () => ({ type: 'switch_on', by: 7 }),
  }
  expect(doneOf(await instance.actors.dispatch(command)).actor).toMatchObject({
    state: 'off',
    context: { switched: 2 },
  })
})

test('numbers from a counter in the bundle have no gaps and no duplicates, from two processes', async () => {
  await using instance = await lampInstance()
  await using other = { ...(await openInstance(instance.url)), [Symbol.asyncDispose]: () => other.close() }
  const counter = await createLamp(instance.actors)
  const papers = await Promise.all(Array.from({ length: 200 }, () => createLamp(instance.actors)))
  const numbers = await Promise.all(
    papers.map(async (paper, n) => {
      const outcome = await (n % 2 === 0 ? instance : other).actors.dispatchBundle([
        given(paper, 'count', actors => ({ by: switchedOf(actors.get(counter)) + 1 })),
        eventCommand(counter, 'count', { by: 1 }),
      ])
      if (!outcome.ok) throw new Error(outcome.refusal)
      return switchedOf(outcome.done[0]?.actor)
    }),
  )
  expect(numbers.sort((a, b) => a - b)).toEqual(papers.map((_, n) => n + 1))
})

test('a command whose fields cannot be made fails alone, with its bundle', async () => {
  await using instance = await lampInstance()
  const [one, two] = [await createLamp(instance.actors), await createLamp(instance.actors)]
  const throws: Given = () => {
    throw new Error('no fields')
  }
  const [faulty, other] = await Promise.allSettled([
    instance.actors.dispatchBundle([eventCommand(one, 'count', { by: 1 }), given(two, 'count', throws)]),
    instance.actors.dispatch(eventCommand(one, 'switch_on')),
  ])
  expect(faulty).toMatchObject({ status: 'rejected', reason: { cause: { message: 'no fields' } } })
  expect((faulty as PromiseRejectedResult).reason).toBeInstanceOf(CommandFault)
  expect(other).toMatchObject({ status: 'fulfilled', value: { ok: true, actor: { rev: 2 } } })
})
