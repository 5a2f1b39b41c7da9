import { expect, test } from 'bun:test'
import { until } from '../harness/until.ts'
import { type Receiver, receiver } from './receiver.ts'
import { deliveriesOf, type SendingHouse, sendingHouse } from './sending-house.ts'

/** The only delivery of an endpoint, once it is in that state and was attempted so often. */
const reaches = (house: SendingHouse, endpoint: string, state: string, attempts: number) =>
  until(async () => (await deliveriesOf(house, endpoint)).find(d => d.state === state && d.attempts === attempts), {
    what: `${state} after ${attempts} attempts`,
  })

test('an event reaches an endpoint the moment it is committed, and is told as the feed tells it', async () => {
  await using house = await sendingHouse()
  await using shop = await receiver()
  const endpoint = await house.addEndpoint(shop.url)
  house.startSender({ lookMs: 60_000, sweepMs: 60_000 })
  await house.tell()
  await reaches(house, endpoint, 'delivered', 1)
  expect(shop.seen).toHaveLength(1)
})
