import { expect, test } from 'bun:test'
import { connect } from '../../src/postgres/connect.ts'
import { openEars } from '../../src/webhooks/ears.ts'
import { until } from '../harness/until.ts'
import { receiver } from './receiver.ts'
import { reaches, sendingHouse } from './sending-house.ts'

/** Looks for nothing by itself: what it sends it was told of. */
const patient = { lookMs: 600_000, sweepMs: 600_000, reapMs: 600_000 }

test('a sender hears of what other processes commit, also after its connection was lost', async () => {
  await using shop = await receiver()
  await using house = await sendingHouse()
  await using running = new AsyncDisposableStack()
  const sender = house.startSender(patient)
  const heard: (readonly string[] | undefined)[] = []
  const ears = openEars({
    databaseUrl: house.url,
    log: house.world.log,
    heard: ids => {
      heard.push(ids)
      sender.wake(ids)
    },
  })
  running.defer(() => ears.stop())
  const listeners = () => house.sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'paymachine webhooks' and query = 'listen deliveries'`
  const isHeard = async () => {
    await until(async () => (await listeners()).length === 1)
    const endpoint = await house.addEndpoint(shop.url)
    await house.tell(endpoint)
    await reaches(house, endpoint, 'delivered', 1)
    expect(heard.at(-1)).toEqual([endpoint])
  }
  await isHeard()
  await house.sql`select pg_terminate_backend(pid) from (${listeners()}) listening`
  // What was committed while it was deaf, nobody tells it of.
  await until(() => heard.at(-1) === undefined)
  await isHeard()
})

test('a commit for more endpoints than a notice can name is told to whom it may concern', async () => {
  await using house = await sendingHouse()
  await using listening = { sql: connect(house.url, { max: 1 }), [Symbol.asyncDispose]: () => listening.sql.end() }
  const told: string[] = []
  await listening.sql.listen('deliveries', payload => void told.push(payload))
  for (const count of [200, 201]) {
    while ((await house.sql`select from webhook_endpoints`).length < count)
      await house.addEndpoint('https://192.0.2.1/')
    await house.openPayment()
    await until(() => told.length === count - 199)
  }
  expect(told.map(payload => (payload === '' ? 0 : payload.split(',').length))).toEqual([200, 0])
})
