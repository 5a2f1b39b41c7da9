import { expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import { audit } from '../../src/audit/audit.ts'
import { manualClock } from '../../src/clock.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { T0 } from '../machines/table.ts'
import { change, create, remove } from '../webhooks/endpoints.ts'

/** Endpoints that were created, disabled and deleted between the events of a merchant. */
const instanceWithEvents = async () => {
  const db = await database()
  const sql = connect(db.url, { byKey: true })
  const given = { sql, clock: manualClock(T0), random: crypto.getRandomValues.bind(crypto), log: openLog('silent') }
  const actors = await openActors(given, kinds)
  const merchantId = crypto.randomUUID()
  await sql`insert into merchants (id, name) values (${merchantId}, 'Lamps')`
  const addEvent = () =>
    actors.dispatch({
      kind: 'payment',
      actor: crypto.randomUUID(),
      create: { ...paymentOpening, windowMinutes: 30, merchantId },
    })
  await addEvent()
  const [kept, stopped, deleted] = [
    await create(sql, merchantId, ['payment.created']),
    await create(sql, merchantId, ['payment.created', 'payment.late']),
    await create(sql, merchantId, ['payment.created']),
  ]
  await addEvent()
  await change(sql, stopped, { status: 'disabled' })
  await remove(sql, deleted)
  await addEvent()
  await sql`
    select test_webhook_endpoint(${kept}, ${merchantId}, gen_random_uuid(), '{}', null)`
  return {
    sql,
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 1 })
      await db[Symbol.asyncDispose]()
    },
  }
}

test('untampered, there are exactly the required deliveries', async () => {
  await using instance = await instanceWithEvents()
  expect(await audit(instance.sql, kinds)).toEqual([])
  // The second event went to three endpoints, the third to the remaining one, and a test event to that one.
  expect(await instance.sql`select from deliveries`).toHaveLength(5)
})

const latest = '(select id from events order by seq desc limit 1)'

test.each([
  ['an event without a delivery', `delete from deliveries where event_id = ${latest}`],
  ['an event without a delivery', `update deliveries set endpoint_id = gen_random_uuid() where event_id = ${latest}`],
  // As if the endpoint had existed from the beginning, and as if none had been deleted.
  ['an event without a delivery', `update webhook_subscriptions set opened_snapshot = '1:1:'`],
  [
    'an event without a delivery',
    'update webhook_subscriptions set closed_at = null, closed_era = null, closed_snapshot = null',
  ],
  // As if it had been created later, or deleted earlier.
  ['a delivery to an endpoint that was not', 'update webhook_subscriptions set opened_era = opened_era + 1'],
  [
    'a delivery to an endpoint that was not',
    'update webhook_subscriptions set closed_snapshot = opened_snapshot where closed_at is not null',
  ],
  ['a delivery to an endpoint that was not', 'delete from webhook_subscriptions'],
  ['a delivery to an endpoint that was not', 'update webhook_subscriptions set livemode = true'],
  ['a delivery to an endpoint that was not', 'update events set livemode = true'],
  ['a delivery to an endpoint that was not', `delete from events where id = ${latest}`],
  [
    'an event with two deliveries',
    `drop index deliveries_event_once;
     update deliveries set event_id = '00000000-0000-0000-0000-000000000000', endpoint_id = event_id`,
  ],
  ['a delivery that is not from the commit', `update deliveries set created_at = created_at + interval '1 ms'`],
  ['a delivery that is not from the commit', `update deliveries set event_type = 'payment.late'`],
  ['a delivery that is not from the commit', 'update deliveries set livemode = true'],
  ['an endpoint whose subscriptions differ', `update webhook_endpoints set event_types = '{payment.late}'`],
  [
    'an endpoint whose subscriptions differ',
    `update webhook_endpoints set state = 'enabled', disabled_reason = null where state = 'disabled'`,
  ],
  [
    'an endpoint whose subscriptions differ',
    `update webhook_endpoints set state = 'disabled', disabled_reason = 'gone' where state = 'enabled'`,
  ],
])('I1: %s … is found', async (what, change) => {
  await using instance = await instanceWithEvents()
  await instance.sql.unsafe(change)
  const findings = await audit(instance.sql, kinds)
  expect(findings.some(finding => finding.invariant === 'I1' && finding.what.startsWith(what))).toBe(true)
})
