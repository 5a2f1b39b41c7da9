import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { passInvoiceTimesOf } from '../../src/chain/watch/invoice-times.ts'
import { advanceTestClock } from '../../src/commands/test-clocks.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { passSubscriptionTimers } from '../../src/server/subscription-loop.ts'
import { runTestClocks } from '../../src/server/test-clocks.ts'
import { insertMerchant, makeSubscriber, openBilling, PRICE } from '../bench/billing-subscribers.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { postgresServer } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { makeTestClock } from '../http/test-clocks.ts'
import { expectPeriods } from './renewed-periods.ts'

const START = new Date('2026-11-30T12:00:00.000Z')
/** Two days after the beginning of period 3. */
const TO = new Date('2027-03-02T12:00:00.000Z')
const PERIODS = 4
const SUBSCRIPTIONS = 36
const KILLS = 5

test(`a Postgres server that is killed ${KILLS} times while ${SUBSCRIPTIONS} subscriptions are renewed renews each period once`, async () => {
  await using server = await postgresServer()
  await migrate(server.url)
  await using opened = new AsyncDisposableStack()
  const open = (name: string) =>
    opened.adopt(connect(server.url, { name, max: 4, byKey: true }), sql => sql.end({ timeout: 1 }))
  const [sql, watching] = [open('renewing'), open('watching')]
  const services = await openBilling(sql)
  const owner = { merchantId: await insertMerchant(sql), livemode: false }
  const { id: testClockId } = await makeTestClock(services, owner, START)
  for (let made = 0; made < SUBSCRIPTIONS; made++)
    await makeSubscriber(services, {
      ...{ merchantId: owner.merchantId, email: `ada.${made}@example.com`, credit: PERIODS * PRICE, testClockId },
      leadDays: 1 + (made % 3),
    })

  // Until the server answers again.
  const read = <Row extends object>(statement: string) =>
    until(() => watching.unsafe<Row[]>(statement).catch(() => undefined))
  const done = async () => {
    const [row] = await read<{ done: number }>(`
      select sum(coalesce(period_index, 0) + invoiced_index)::integer as done from subscriptions`)
    return row?.done ?? 0
  }
  const all = SUBSCRIPTIONS * 2 * (PERIODS - 1)
  await advanceTestClock(services, { ...owner, id: testClockId }, TO, { cause: 'test', responseRows: () => [] })
  const clocks = runTestClocks(services, {
    share: () => ({ position: 0, count: 1 }),
    passes: [passInvoiceTimesOf, (_, id) => passSubscriptionTimers(services, id)],
    pollMs: 20,
  })
  clocks.start()
  const interrupted: number[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    await until(async () => (await done()) >= Math.floor((all * kill) / (KILLS + 1)), { everyMs: 2 })
    await server.kill()
    await server.start()
    interrupted.push(await done())
  }
  await until(async () => (await read<{ state: string }>('select state from test_clocks'))[0]?.state === 'ready')
  await clocks.stop()
  // Each kill was in the middle of the work.
  expect(interrupted.every(count => count < all)).toBe(true)

  await expectPeriods(sql, SUBSCRIPTIONS)
  const numbers = await sql<{ sequences: number[] }[]>`
    select array_agg(sequence order by sequence)::integer[] as sequences from invoices group by series_id order by min(issued_at)`
  expect(numbers.map(({ sequences }) => sequences)).toEqual(
    numbers.map(({ sequences }) => Array.from(sequences, (_, at) => at + 1)),
  )
  expect(numbers.reduce((sum, { sequences }) => sum + sequences.length, 0)).toBe(SUBSCRIPTIONS * PERIODS)
  expect(await audit(sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
}, 120_000)
