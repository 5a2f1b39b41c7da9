import { expect, test } from 'bun:test'
import { connect } from '../../src/postgres/connect.ts'
import { openListener } from '../../src/webhooks/listener.ts'
import { until } from '../harness/until.ts'
import { receiver } from './receiver.ts'
import { reaches, sendingInstance } from './sending-instance.ts'

/** Looks for nothing by itself: what it sends it was told of. */
const patient = { pollMs: 600_000, sweepMs: 600_000, reapMs: 600_000 }

test('a sender hears of what other processes commit, also after its connection was lost', async () => {
  await using shop = await receiver()
  await using instance = await sendingInstance()
  await using running = new AsyncDisposableStack()
  const sender = instance.startSender(patient)
  const heard: (readonly string[] | undefined)[] = []
  const ears = openListener({
    databaseUrl: instance.url,
    log: instance.world.log,
    onNotify: ids => {
      heard.push(ids)
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
    await instance.tell(endpoint)
    await reaches(instance, endpoint, 'delivered', 1)
    expect(heard.at(-1)).toEqual([endpoint])
  }
  await isHeard()
  await instance.sql`select pg_terminate_backend(pid) from (${listeners()}) listening`
  // What was committed while it was deaf, nobody tells it of.
  await until(() => heard.at(-1) === undefined)
  await isHeard()
})

test('a commit for more endpoints than a notice can name is told to whom it may concern', async () => {
  await using instance = await sendingInstance()
  await using listening = { sql: connect(instance.url, { max: 1 }), [Symbol.asyncDispose]: () => listening.sql.end() }
  const told: string[] = []
  await listening.sql.listen('deliveries', payload => void told.push(payload))
  for (const count of [200, 201]) {
    while ((await instance.sql`select from webhook_endpoints`).length < count)
      await instance.addEndpoint('https://192.0.2.1/')
    await instance.openPayment()
    await until(() => told.length === count - 199)
  }
  expect(told.map(payload => (payload === '' ? 0 : payload.split(',').length))).toEqual([200, 0])
})
