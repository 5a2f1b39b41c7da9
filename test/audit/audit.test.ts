import { expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import { manualClock } from '../../src/clock.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { lamp } from '../actors/lamp.ts'
import { lampHouse, newId, newLamp, random, tell } from '../actors/lamps.ts'
import { database } from '../harness/database.ts'
import { deliveries } from '../machines/delivery-cases.ts'
import { payments } from '../machines/payment-cases.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import { refundOpening } from '../machines/refund-cases.ts'
import { T0 } from '../machines/table.ts'

const busyHouse = async () => {
  const house = await lampHouse()
  const lamps = await Promise.all(Array.from({ length: 3 }, () => newLamp(house.actors)))
  for (const id of lamps) await house.actors.dispatch(tell(id, 'switch_on'))
  await house.actors.dispatch(tell(lamps[0] ?? '', 'switch_off'))
  return { ...house, lamps }
}

test('a house in which nothing was tampered with is clean', async () => {
  await using house = await busyHouse()
  expect(await audit(house.sql, [registered(lamp), ...kinds])).toEqual([])
})

// An audit that finds nothing proves nothing: each check is shown a breach.
test.each([
  ['I9', 'a row of lamps is not where', `update lamps set state = 'off' where state = 'on'`],
  ['I9', 'a row of lamps is not where', 'update lamps set rev = rev + 1'],
  ['I9', 'a history of a lamp without its row', 'delete from lamps'],
  ['I9', 'a timer of a lamp that nothing', 'update timers set generation = 7'],
  ['I9', 'a lamp whose timer is gone', 'delete from timers'],
  ['I9', 'a history with a gap', 'delete from transitions where rev = 1'],
  ['I9', 'a change that does not begin', `update transitions set from_state = 'broken' where rev = 2`],
  ['I9', 'a command that was carried out twice', `update transitions set command = '${crypto.randomUUID()}'`],
  ['I8', 'a change that the feed tells before', 'update transitions set era = 2 - rev'],
  [
    'I8',
    'an event that a walk of the feed misses',
    `update events set merchant_id = '00000000-0000-0000-0000-000000000000', era = -1 where type = 'lamp.out'`,
  ],
  ['I8', 'an event that no change of its actor', 'update events set rev = 9'],
  ['I8', 'a change that the outside was not told of', `delete from events where type = 'lamp.out'`],
  ['I8', 'a change that the outside was not told of', `update events set type = 'lamp.out'`],
  ['I8', 'an event of an actor that sorts before', `update events set rev = 10 - rev where type = 'lamp.lit'`],
  ['I7', 'a timer overdue', `update timers set due_at = now() - interval '2 min'`],
  [
    'I7',
    'a job locked for over a minute',
    `update graphile_worker._private_jobs set locked_at = now() - interval '2 min', locked_by = 'gone'`,
  ],
])('%s: %s … is found', async (invariant, what, tampering) => {
  await using house = await busyHouse()
  await house.sql.unsafe(tampering)
  const findings = await audit(house.sql, [registered(lamp)])
  expect(findings.some(finding => finding.invariant === invariant && finding.what.startsWith(what))).toBe(true)
})

/** A paid link with one payment, of which a part is given back. */
const paidHouse = async () => {
  const db = await database()
  const sql = connect(db.url, { byKey: true })
  const clock = manualClock(T0)
  const actors = await openActors({ sql, clock, random, log: openLog('silent') }, kinds)
  const [link, payment, refund] = [newId(), newId(), newId()]
  const tell = (kind: string, actor: string, event: { type: string } | undefined) => {
    if (!event) throw new Error('there is no such event')
    return { kind, actor, event }
  }
  const outcomes = [
    await actors.dispatch({ kind: 'payment_link', actor: link, create: { ...paymentLinkOpening, reference: null } }),
    await actors.dispatchBundle([
      tell('payment_link', link, { type: 'open_payment' }),
      { kind: 'payment', actor: payment, create: { ...payments.input, paymentLinkId: link } },
      tell('payment', payment, payments.events.pick),
    ]),
    await actors.dispatchBundle([
      tell('payment', payment, payments.events['see 1000']),
      tell('payment_link', link, { type: 'payment_processing' }),
    ]),
    await actors.dispatchBundle([
      tell('payment', payment, payments.events['all 1000 final']),
      tell('payment_link', link, { type: 'payment_succeeded' }),
    ]),
    await actors.dispatchBundle([
      tell('payment', payment, payments.events['reserve 300']),
      { kind: 'refund', actor: refund, create: { ...refundOpening, paymentId: payment, amountMinor: 300 } },
    ]),
    await actors.dispatch({ kind: 'delivery', actor: newId(), create: deliveries.input }),
  ]
  for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: true })
  return {
    sql,
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 1 })
      await db[Symbol.asyncDispose]()
    },
  }
}

test.each([
  [
    'I2',
    'a payment that has left success',
    `update transitions set from_state = 'success', to_state = 'failed' where kind = 'payment' and rev = 4`,
  ],
  ['I4', 'a payment whose books differ', 'update payments set refunds_reserved_minor = refunds_reserved_minor + 1'],
  ['I4', 'a payment whose books differ', 'delete from refunds'],
  ['I4', 'a payment link whose counts differ', 'update payment_links set payments_opened = 2'],
  ['I4', 'a payment link whose counts differ', 'update payment_links set payments_count = 0'],
  [
    'I6',
    'a delivery that was attempted more than five',
    'alter table deliveries drop constraint deliveries_five_attempts; update deliveries set automatic_attempts = 6, attempts = 6',
  ],
])('among payments, %s: %s … is found', async (invariant, what, tampering) => {
  await using house = await paidHouse()
  expect((await audit(house.sql, kinds)).filter(found => found.invariant === invariant)).toEqual([])
  await house.sql.unsafe(tampering)
  const findings = await audit(house.sql, kinds)
  expect(findings.some(finding => finding.invariant === invariant && finding.what.startsWith(what))).toBe(true)
})
