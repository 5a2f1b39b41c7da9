import { afterAll, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { findLostDeliveries } from '../../src/queries/sending.ts'
import { LEASE_MS } from '../../src/webhooks/reaper.ts'
import { until } from '../harness/until.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, deliveriesOf, reaches, sendingHouse } from './sending-house.ts'

const house = await sendingHouse()
const { sql } = house
afterAll(() => house[Symbol.asyncDispose]())

const attemptsAt = async (endpoint: string) => {
  const [{ id } = expect.unreachable()] = await deliveriesOf(house, endpoint)
  return (await attemptsOf(house, id)).map(({ outcome, http_status }) => http_status ?? outcome)
}

test('an attempt of which nothing is heard for 20 s is lost, and its end changes nothing any more', async () => {
  const waiting: ServerResponse[] = []
  await using shop = await receiver((response, seen) => {
    if (seen === 1) waiting.push(response)
    else response.writeHead(500).end()
  })
  const endpoint = await house.addEndpoint(shop.url)
  const sender = house.startSender({ reapMs: 20 })
  await house.tell(endpoint)
  await until(() => waiting.length === 1)
  house.clock.advance(20_000)
  expect(await findLostDeliveries(sql, new Date(house.clock.now().getTime() - LEASE_MS), 10)).toEqual([])
  house.clock.advance(1)
  const { next_attempt_at } = await reaches(house, endpoint, 'pending', 1)
  expect(next_attempt_at?.getTime()).toBeGreaterThanOrEqual(house.clock.now().getTime() + 5_000)
  waiting[0]?.writeHead(200).end()
  await until(() => sender.counts().open === 0)
  house.clock.advance(6_000)
  sender.wake([endpoint])
  await reaches(house, endpoint, 'pending', 2)
  await sender.stop()
  expect(await attemptsAt(endpoint)).toEqual(['lost', 500])
})

test('a step whose answer is lost is taken once: what it claimed is sent, what it recorded stays', async () => {
  await using far = await sendingHouse({ distant: true })
  const backend = async () => (await far.world.sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid
  await using shop = await receiver()
  const endpoint = await far.addEndpoint(shop.url)
  const sender = far.startSender({ lookMs: 60_000, sweepMs: 60_000, reapMs: 60_000 })
  const delivered = async (count: number) => {
    const all = () => deliveriesOf(far, endpoint)
    await until(async () => (await all()).filter(({ state }) => state === 'delivered').length === count)
    expect(await all()).toMatchObject(Array(count).fill({ rev: 3, attempts: 1 }))
  }
  await far.tell(endpoint)
  sender.wake([endpoint])
  await delivered(1)

  const first = await backend()
  await far.tell(endpoint)
  far.loseAnswer()
  sender.wake([endpoint])
  await delivered(2)
  const second = await backend()

  shop.answer(response => {
    far.loseAnswer()
    response.writeHead(200).end()
  })
  await far.tell(endpoint)
  sender.wake([endpoint])
  await delivered(3)
  expect(new Set([first, second, await backend()]).size).toBe(3)
  expect(shop.seen).toHaveLength(3)
})
