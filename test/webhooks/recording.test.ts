import { expect, test } from 'bun:test'
import type { Poster } from '../../src/webhooks/post.ts'
import { openSender } from '../../src/webhooks/sender.ts'
import { until } from '../harness/until.ts'
import { keyring, loopbackPoster } from './loopback.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, deliveriesOf, reaches, type SendingInstance, sendingInstance } from './sending-instance.ts'

/** Outcomes are held back until the test releases them together, so that one step records them. */
const heldBack = () => {
  const gate = Promise.withResolvers<void>()
  const poster = loopbackPoster()
  let held = 0
  return {
    held: () => held,
    release: gate.resolve,
    poster: {
      close: poster.close,
      post: async given => {
        const outcome = await poster.post(given)
        held++
        await gate.promise
        return outcome
      },
    } satisfies Poster,
  }
}

const outcomesOf = async (instance: SendingInstance, endpoint: string) => {
  const [{ id } = expect.unreachable()] = await deliveriesOf(instance, endpoint)
  return (await attemptsOf(instance, id)).map(({ outcome, http_status }) => http_status ?? outcome)
}

/** Reaps with a clock at which every lease is over. */
const reapAll = async (instance: SendingInstance) => {
  instance.clock.advance(20_001)
  const reaping = instance.startSender({ ...deaf, reapMs: 20 })
  await until(async () => (await instance.sql`select from delivery_claims`).length === 0)
  await reaping.stop()
}

const deaf = { pollMs: 60_000, sweepMs: 60_000, reapMs: 60_000 }

test('an outcome that cannot be recorded does not block others, and its attempt is found lost', async () => {
  await using instance = await sendingInstance()
  await using shop = await receiver()
  await using unrecordable = await receiver(418)
  await instance.sql`alter table delivery_attempts add constraint no_teapots check (http_status <> 418)`
  const failing = await instance.addEndpoint(unrecordable.url)
  const others = await Promise.all([1, 2, 3].map(() => instance.addEndpoint(shop.url)))
  for (const endpoint of [others[0] ?? '', failing, ...others.slice(1)]) await instance.insertEvents(endpoint)
  const { poster, held, release } = heldBack()
  const sender = instance.startSender({ poster })
  sender.wake([failing, ...others])
  await until(() => held() === 4)
  release()
  for (const endpoint of others) await reaches(instance, endpoint, 'delivered', 1)
  await reaches(instance, failing, 'sending', 1)
  // Its claim remains after the other attempts of the claim have ended.
  await instance.insertEvents(others[0] ?? '')
  await until(async () => (await deliveriesOf(instance, others[0] ?? '')).every(({ state }) => state === 'delivered'))
  await sender.stop()
  await reapAll(instance)
  await reaches(instance, failing, 'pending', 1)
  expect(await outcomesOf(instance, failing)).toEqual(['lost'])
})

test('a delivery whose success was recorded is delivered, although the process ended before it changed the delivery', async () => {
  await using instance = await sendingInstance()
  await using shop = await receiver()
  const endpoint = await instance.addEndpoint(shop.url)
  const { poster, held, release } = heldBack()
  // From here on the process does nothing, as if killed.
  const actors = { ...instance.world.actors, dispatch: () => new Promise<never>(() => {}) }
  const sender = openSender({ ...instance.world, actors }, { keyring, ...deaf, poster })
  await instance.insertEvents(endpoint)
  sender.wake([endpoint])
  await until(() => held() === 1)
  const { id } = await reaches(instance, endpoint, 'sending', 1)
  await instance.world.actors.dispatch({ kind: 'delivery', actor: id, event: { type: 'cancel' } })
  release()
  await until(async () => (await attemptsOf(instance, id))[0]?.outcome === 'delivered')
  await sender.stop()
  await reaches(instance, endpoint, 'sending', 1)
  await reapAll(instance)
  await reaches(instance, endpoint, 'delivered', 1)
  expect(await outcomesOf(instance, endpoint)).toEqual([200])
})

test('a delivery whose success was recorded is delivered, although the response of a cancellation was lost', async () => {
  await using far = await sendingInstance({ distant: true })
  await using shop = await receiver()
  const [slow, other] = [await far.addEndpoint(shop.url), await far.addEndpoint(shop.url)]
  const { poster, held, release } = heldBack()
  const sender = far.startSender({ ...deaf, poster })
  await far.insertEvents(slow)
  sender.wake([slow])
  await until(() => held() === 1)
  const { id } = await reaches(far, slow, 'sending', 1)
  const canceled = await far.world.actors.dispatch({ kind: 'delivery', actor: id, event: { type: 'cancel' } })
  expect(canceled).toMatchObject({ ok: true })
  await far.world.actors.idle()
  await far.insertEvents(other)
  release()
  // After the response, and before the step that also claims.
  await Promise.resolve()
  far.loseAnswer()
  sender.wake([other])
  await reaches(far, other, 'delivered', 1)
  await reaches(far, slow, 'delivered', 1)
  expect(await outcomesOf(far, slow)).toEqual([200])
  await sender.stop()
  await reapAll(far)
})
