import { expect, test } from 'bun:test'
import { startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { SECRET_KEY } from './loopback.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, deliveriesOf, sendingInstance } from './sending-instance.ts'

test('events committed by one process are sent by another, which counts them in its metrics', async () => {
  await using shop = await receiver()
  // Commits, but has no sender.
  await using instance = await sendingInstance({ at: new Date() })
  await using worker = await startMain({
    ...{ DATABASE_URL: instance.url, SECRET_KEY, ROLE: 'worker', WEBHOOK_ALLOW: '127.0.0.0/8' },
  })
  const endpoint = await instance.addEndpoint(shop.url)
  await instance.openPayment()
  const [{ id } = expect.unreachable()] = await deliveriesOf(instance, endpoint)
  await until(async () => (await attemptsOf(instance, id))[0]?.outcome, { what: 'the end of the first attempt' })
  expect(await attemptsOf(instance, id)).toMatchObject([{ outcome: 'delivered', http_status: 200 }])
  expect(shop.seen).toHaveLength(1)
  const metrics = await (await worker.get('/metrics'))?.text()
  expect(metrics).toContain('\npaymachine_webhook_attempts_total{outcome="delivered"} 1\n')
  expect(metrics).toContain('\npaymachine_webhook_requests_open 0\n')
  worker.child.kill('SIGTERM')
  expect(await worker.exited).toBe(0)
})
