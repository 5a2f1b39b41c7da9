import { afterAll, describe, expect, test } from 'bun:test'
import { databaseClock } from '../../src/clock.ts'
import { connect } from '../../src/postgres/connect.ts'
import { openSender } from '../../src/webhooks/sender.ts'
import { until } from '../harness/until.ts'
import { keyring, loopbackPoster } from './loopback.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, deliveriesOf, reaches, sendingInstance } from './sending-instance.ts'

// Uses the real time, in which the test writes its rows.
const instance = await sendingInstance({ at: new Date() })
const sql = connect(instance.url, { byKey: true })
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await instance[Symbol.asyncDispose]()
})

const HOUR_MS = 3_600_000

const differenceMs = (clock: ReturnType<typeof databaseClock>) => Math.abs(clock.now().getTime() - Date.now())

const insertEvent = async (endpoint: string) => {
  instance.clock.set(new Date())
  await instance.insertEvents(endpoint)
}

describe.each([
  ['behind', -HOUR_MS],
  ['ahead', HOUR_MS],
])('a process that only sends and whose clock is an hour %s', (_, byMs) => {
  const start = (reapMs: number) => {
    const clock = databaseClock()
    const step = () => clock.learn(new Date(Date.now() + byMs), 0)
    step()
    const sender = openSender({ ...instance.world, sql, clock }, { keyring, poster: loopbackPoster(), reapMs })
    return { clock, step, [Symbol.asyncDispose]: sender.stop }
  }

  test('gets the right time from the database and sends what is due', async () => {
    await using shop = await receiver()
    const endpoint = await instance.addEndpoint(shop.url)
    await using its = start(60_000)
    await until(() => differenceMs(its.clock) < 60_000)
    its.step()
    await insertEvent(endpoint)
    await reaches(instance, endpoint, 'delivered', 1)
    await until(() => differenceMs(its.clock) < 60_000)
    expect(shop.seen).toHaveLength(1)
  })

  test('continues its requests in progress when that happens', async () => {
    const waiting: (() => void)[] = []
    await using shop = await receiver(response => waiting.push(() => response.writeHead(200).end()))
    const endpoint = await instance.addEndpoint(shop.url)
    await using its = start(20)
    await until(() => differenceMs(its.clock) < 60_000)
    await insertEvent(endpoint)
    await until(() => waiting.length === 1)
    its.step()
    await until(() => differenceMs(its.clock) < 60_000)
    waiting[0]?.()
    await reaches(instance, endpoint, 'delivered', 1)
    const [{ id } = expect.unreachable()] = await deliveriesOf(instance, endpoint)
    expect((await attemptsOf(instance, id)).map(({ outcome }) => outcome)).toEqual(['delivered'])
    expect(shop.seen).toHaveLength(1)
  })
})
