import { expect, test } from 'bun:test'
import type { Command } from '../../src/actors/command.ts'
import { registered } from '../../src/actors/kind.ts'
import { openTimers } from '../../src/actors/timers.ts'
import { audit } from '../../src/audit/audit.ts'
import { manualClock } from '../../src/clock.ts'
import { plansOf, waysTo } from '../harness/plans.ts'
import { lamp } from './lamp.ts'
import { createLamp, eventCommand, lampInstance } from './lamps.ts'

const kinds = [registered({ ...lamp, hasPlannedTimers: true } satisfies typeof lamp)]

const litLamp = async (instance: Awaited<ReturnType<typeof lampInstance>>, burnMs = 1_000): Promise<string> => {
  const id = await createLamp(instance.actors, { burnMs })
  await instance.actors.dispatch(eventCommand(id, 'switch_on'))
  return id
}

const burnt = (actor: string, generation = 2) => ({
  ...{ kind: 'lamp', actor, timer: { name: 'burn.lamp.on', generation } },
})

test('a planned timer is stored and waits for the loop of its kind', async () => {
  const clock = manualClock()
  await using instance = await lampInstance({ clock, kinds })
  const id = await litLamp(instance)
  clock.advance(5_000)
  expect(await openTimers(instance.world, instance.actors).fireDue()).toBe(0)
  const timers = await instance.sql`select actor, name, generation, planned from timers`
  expect(timers.map(timer => ({ ...timer }))).toEqual([
    { actor: id, name: 'burn.lamp.on', generation: 2, planned: true },
  ])
})

test('the bundle that a planned timer causes is committed once, by whichever process is first', async () => {
  await using instance = await lampInstance({ kinds })
  const [id, other] = [await litLamp(instance), await createLamp(instance.actors)]
  const bundle = (): readonly Command[] => [burnt(id), eventCommand(other, 'count', { by: 1 })]
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => instance.actors.dispatchBundle(bundle())))
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
  for (const outcome of outcomes) if (!outcome.ok) expect(outcome).toMatchObject({ refusal: 'stale', index: 0 })
  expect([...(await instance.sql`select switched from lamps where id = ${other}`)]).toEqual([{ switched: 1 }])
  expect(await instance.sql`select from timers`).toHaveLength(0)
  expect(await audit(instance.sql, kinds)).toEqual([])
})

test('the event of a timer takes fields that are made from the rows of the bundle, and keeps its type', async () => {
  await using instance = await lampInstance({ kinds })
  const [id, other] = [await litLamp(instance), await createLamp(instance.actors, { switched: 7 })]
  const seen: unknown[] = []
  const outcome = await instance.actors.dispatchBundle([
    eventCommand(other, 'count', { by: 3 }),
    {
      ...burnt(id),
      given: (actors, at) => {
        seen.push(actors.get(other)?.context.switched, actors.get(id)?.state, at)
        return { type: 'hit' }
      },
    },
  ])
  if (!outcome.ok) throw new Error(outcome.refusal)
  const [, fired] = outcome.done
  expect(seen).toEqual([10, 'on', fired?.actor.updatedAt])
  expect(fired?.actor).toMatchObject({ state: 'off', rev: 3 })
})

test('nothing is made for a timer that is stale', async () => {
  await using instance = await lampInstance({ kinds })
  const id = await litLamp(instance)
  let made = 0
  const given = () => {
    made++
    return {}
  }
  expect(await instance.actors.dispatch({ ...burnt(id, 1), given })).toMatchObject({ ok: false, refusal: 'stale' })
  expect(made).toBe(0)
})

test('planned timers that are due do not slow the timer loop', async () => {
  await using instance = await lampInstance({ kinds })
  await instance.sql`
    insert into timers (actor, name, kind, generation, due_at, planned)
    select gen_random_uuid(), 'burn.lamp.on', 'lamp', 1, now() - interval '1 hour', true from generate_series(1, 20000)`
  await instance.sql`analyze timers`
  const plans = await plansOf(instance.url, async sql => {
    await openTimers({ ...instance.world, sql }, instance.actors).fireDue()
  })
  expect(waysTo('timers', plans)).toEqual(['timers_due'])
})
