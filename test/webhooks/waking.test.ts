import { expect, test } from 'bun:test'
import { connect } from '../../src/postgres/connect.ts'
import { openListener } from '../../src/webhooks/listener.ts'
import { until } from '../harness/until.ts'
import { receiver } from './receiver.ts'
import { reaches, sendingInstance } from './sending-instance.ts'

/** Polling is off: it sends only what wake-ups name. */
const withoutPolling = { pollMs: 600_000, sweepMs: 600_000, reapMs: 600_000 }

test('a sender is woken by commits of other processes, also after its connection was lost', async () => {
  await using shop = await receiver()
  await using instance = await sendingInstance()
  await using running = new AsyncDisposableStack()
  const sender = instance.startSender(withoutPolling)
  const wakeUps: (readonly string[] | undefined)[] = []
  const ears = openListener({
    databaseUrl: instance.url,
    log: instance.world.log,
    onNotify: ids => {
      wakeUps.push(ids)
      sender.wake(ids)
    },
  })
  running.defer(() => ears.stop())
  const listeners = () => instance.sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'paymachine webhooks' and query = 'listen deliveries'`
  const isHeard = async () => {
    await until(async () => (await listeners()).length === 1)
    const endpoint = await instance.addEndpoint(shop.url)
    await instance.insertEvents(endpoint)
    await reaches(instance, endpoint, 'delivered', 1)
    expect(wakeUps.at(-1)).toEqual([endpoint])
  }
  await isHeard()
  await instance.sql`select pg_terminate_backend(pid) from (${listeners()}) listening`
  // No wake-up repeats what was committed while it was disconnected.
  await until(() => wakeUps.at(-1) === undefined)
  await isHeard()
})

test('a commit for more endpoints than a notification can name wakes all senders', async () => {
  await using instance = await sendingInstance()
  await using listening = { sql: connect(instance.url, { max: 1 }), [Symbol.asyncDispose]: () => listening.sql.end() }
  const woken: string[] = []
  await listening.sql.listen('deliveries', payload => void woken.push(payload))
  for (const count of [200, 201]) {
    while ((await instance.sql`select from webhook_endpoints`).length < count)
      await instance.addEndpoint('https://192.0.2.1/')
    await instance.openPayment()
    await until(() => woken.length === count - 199)
  }
  expect(woken.map(payload => (payload === '' ? 0 : payload.split(',').length))).toEqual([200, 0])
})
