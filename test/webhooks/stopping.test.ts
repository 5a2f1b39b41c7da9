import { afterAll, expect, test } from 'bun:test'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, deliveriesOf, reaches, sendingInstance } from './sending-instance.ts'

const instance = await sendingInstance()
const { sql } = instance
const other = connect(instance.url, { max: 1 })
afterAll(async () => {
  await other.end()
  await instance[Symbol.asyncDispose]()
})

/** Polling is off, so only wake-ups make it claim. */
const deaf = { pollMs: 60_000, sweepMs: 60_000, reapMs: 60_000 }
const waitsForUs = async () =>
  (await sql`select from pg_locks where not granted and relation = 'delivery_attempts'::regclass`).length > 0

/** A sender of this endpoint is stopped while its claim is in progress. */
const stopClaiming = async (endpoint: string, sender: ReturnType<typeof instance.startSender>) => {
  await other`begin`
  await other`lock table delivery_attempts in share mode`
  // Not earlier: the sender's first poll may come late and find the delivery.
  await instance.insertEvents(endpoint)
  sender.wake([endpoint])
  await until(waitsForUs)
  return { stopped: sender.stop(), release: () => other`commit` }
}

test.each(['known', 'unknown'])(
  'what is claimed while a sender stops is sent, also for an endpoint that is %s to it',
  async how => {
    await using shop = await receiver()
    const endpoint = await instance.addEndpoint(shop.url)
    const sender = instance.startSender(deaf)
    if (how === 'known') {
      await instance.insertEvents(endpoint)
      sender.wake([endpoint])
      await reaches(instance, endpoint, 'delivered', 1)
    }
    const before = shop.seen.length
    const { stopped, release } = await stopClaiming(endpoint, sender)
    await release()
    await stopped
    for (const { id, state } of await deliveriesOf(instance, endpoint)) {
      expect(state).toBe('delivered')
      expect(await attemptsOf(instance, id)).toMatchObject([{ outcome: 'delivered' }])
    }
    expect(shop.seen).toHaveLength(before + 1)
    expect(await sql`select from delivery_claims`).toHaveLength(0)
  },
)

test('what is claimed after a stopping sender has waited long enough is given up and not left open', async () => {
  await using shop = await receiver()
  const endpoint = await instance.addEndpoint(shop.url)
  const sender = instance.startSender({ ...deaf, stopGraceMs: 0 })
  const { stopped, release } = await stopClaiming(endpoint, sender)
  await new Promise(setImmediate)
  await release()
  await stopped
  const { id } = await reaches(instance, endpoint, 'pending', 1)
  expect(await attemptsOf(instance, id)).toMatchObject([{ outcome: 'lost' }])
  expect(shop.seen).toHaveLength(0)
  expect(await sql`select from delivery_claims`).toHaveLength(0)
})
