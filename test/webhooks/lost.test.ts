import { afterAll, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { findLostDeliveries } from '../../src/queries/sending.ts'
import { LEASE_MS } from '../../src/webhooks/reaper.ts'
import { until } from '../harness/until.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, deliveriesOf, reaches, sendingInstance } from './sending-instance.ts'

const instance = await sendingInstance()
const { sql } = instance
afterAll(() => instance[Symbol.asyncDispose]())

const attemptsAt = async (endpoint: string) => {
  const [{ id } = expect.unreachable()] = await deliveriesOf(instance, endpoint)
  return (await attemptsOf(instance, id)).map(({ outcome, http_status }) => http_status ?? outcome)
}

test('an attempt without a recorded outcome for 20 s is lost, and its late outcome changes nothing', async () => {
  const waiting: ServerResponse[] = []
  await using shop = await receiver((response, seen) => {
    if (seen === 1) waiting.push(response)
    else response.writeHead(500).end()
  })
  const endpoint = await instance.addEndpoint(shop.url)
  const sender = instance.startSender({ reapMs: 20 })
  await instance.insertEvents(endpoint)
  await until(() => waiting.length === 1)
  instance.clock.advance(20_000)
  expect(await findLostDeliveries(sql, new Date(instance.clock.now().getTime() - LEASE_MS), 10)).toEqual([])
  instance.clock.advance(1)
  const { next_attempt_at } = await reaches(instance, endpoint, 'pending', 1)
  expect(next_attempt_at?.getTime()).toBeGreaterThanOrEqual(instance.clock.now().getTime() + 5_000)
  waiting[0]?.writeHead(200).end()
  await until(() => sender.counts().open === 0)
  instance.clock.advance(6_000)
  sender.wake([endpoint])
  await reaches(instance, endpoint, 'pending', 2)
  await sender.stop()
  expect(await attemptsAt(endpoint)).toEqual(['lost', 500])
})

test('a step whose database response is lost is done once: its claims are sent and its records kept', async () => {
  await using far = await sendingInstance({ distant: true })
  // Asked again where the connection that loses its answer has not been closed yet.
  const backend = () =>
    until(() =>
      far.world.sql<{ pid: number }[]>`select pg_backend_pid() as pid`.then(
        ([row]) => row?.pid,
        () => undefined,
      ),
    )
  await using shop = await receiver()
  const endpoint = await far.addEndpoint(shop.url)
  const sender = far.startSender({ pollMs: 60_000, sweepMs: 60_000, reapMs: 60_000 })
  const delivered = async (count: number) => {
    const all = () => deliveriesOf(far, endpoint)
    await until(async () => (await all()).filter(({ state }) => state === 'delivered').length === count)
    expect(await all()).toMatchObject(Array(count).fill({ rev: 3, attempts: 1 }))
  }
  await far.insertEvents(endpoint)
  sender.wake([endpoint])
  await delivered(1)

  const first = await backend()
  await far.insertEvents(endpoint)
  far.loseAnswer()
  sender.wake([endpoint])
  await delivered(2)
  const second = await backend()

  shop.answer(response => {
    far.loseAnswer()
    response.writeHead(200).end()
  })
  await far.insertEvents(endpoint)
  sender.wake([endpoint])
  await delivered(3)
  expect(new Set([first, second, await backend()]).size).toBe(3)
  expect(shop.seen).toHaveLength(3)
})
