import { expect, test } from 'bun:test'
import { work } from '../../src/workers/work.ts'
import { sendWebhooks } from '../../tasks/send-webhooks.ts'
import { receiver } from './receiver.ts'
import { reaches, sendingHouse } from './sending-house.ts'

test('a sender that looks for nothing by itself is woken by what another process commits', async () => {
  await using shop = await receiver()
  await using house = await sendingHouse()
  const sender = house.startSender({ lookMs: 600_000, sweepMs: 600_000, reapMs: 600_000 })
  await using running = new AsyncDisposableStack()
  const worker = work(house.world, {
    databaseUrl: house.url,
    tasks: { 'send-webhooks': sendWebhooks(sender) },
    role: 'worker',
  })
  running.defer(() => worker.stop())
  for (const endpoint of [await house.addEndpoint(shop.url), await house.addEndpoint(shop.url)]) {
    await house.tell(endpoint)
    await reaches(house, endpoint, 'delivered', 1)
  }
  expect(shop.seen).toHaveLength(2)
})
