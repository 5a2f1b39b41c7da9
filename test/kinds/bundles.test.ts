import { afterAll, describe, expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import type { Command } from '../../src/actors/command.ts'
import { openTimers } from '../../src/actors/timers.ts'
import { audit } from '../../src/audit/audit.ts'
import { manualClock } from '../../src/clock.ts'
import type { Dependencies, Random } from '../../src/dependencies.ts'
import { uuidv7 } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { linkEventOf } from '../../src/kinds/payment.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { claimRow } from '../../src/queries/refund-claims.ts'
import { database } from '../harness/database.ts'
import { disputeOpening } from '../machines/dispute-cases.ts'
import { payments } from '../machines/payment-cases.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import { refundOpening, refunds } from '../machines/refund-cases.ts'
import { T0 } from '../machines/table.ts'

const random: Random = bytes => crypto.getRandomValues(bytes)

const open = async () => {
  const db = await database()
  const sql = connect(db.url, { byKey: true })
  const clock = manualClock(T0)
  const outside: Dependencies = { sql, clock, random, log: openLog('silent') }
  const close = async () => {
    await sql.end({ timeout: 1 })
    await db[Symbol.asyncDispose]()
  }
  const actors = await openActors(outside, kinds)
  return { clock, sql, close, actors, timers: openTimers(outside, actors) }
}
const opened = open()
afterAll(async () => {
  const { sql, clock, timers, close } = await opened
  // The audit uses the database's time, at which every timer of this file is due.
  clock.set(new Date(Date.now() + 366 * 86_400_000))
  while ((await timers.fireDue()) > 0);
  expect(await audit(sql, kinds)).toEqual([])
  await close()
})

const newId = () => uuidv7(T0, random)
const address = () => `0x${newId().replaceAll('-', '').padStart(40, '0')}`

const newLink = (id: string, more: object = {}): Command => ({
  kind: 'payment_link',
  actor: id,
  create: { ...paymentLinkOpening, reference: null, ...more },
})
const onLink = (id: string, type: string): Command => ({ kind: 'payment_link', actor: id, event: { type } })

const newPayment = (id: string, paymentLinkId = newId()): Command => ({
  kind: 'payment',
  actor: id,
  create: { ...payments.input, paymentLinkId },
})
const onPayment = (id: string, name: string, more: object = {}): Command => {
  const event = payments.events[name]
  if (!event) throw new Error(`unknown event ${name}`)
  return { kind: 'payment', actor: id, event: { ...event, ...more } }
}
/** With the event for its link, as every caller of a payment's event sends it. */
const withLinkEvent = (id: string, link: string, name: string): Command[] => {
  const type = linkEventOf[payments.events[name]?.type as keyof typeof linkEventOf]
  return [onPayment(id, name), ...(type ? [onLink(link, type)] : [])]
}
const paid = (id: string): Command[] => [
  newPayment(id),
  onPayment(id, 'pick', { address: address() }),
  onPayment(id, 'see 1000'),
  onPayment(id, 'all 1000 final'),
]

const newRefund = (id: string, paymentId: string, amountMinor: number): Command[] => [
  onPayment(paymentId, 'reserve 300', { amountMinor }),
  { kind: 'refund', actor: id, create: { ...refundOpening, paymentId, amountMinor }, rows: [claimOf(id)] },
]
const claimOf = (refundId: string) =>
  claimRow({ refundId, sealedSecret: '', expiresAt: T0 }, Buffer.from(random(new Uint8Array(32))))
const onRefund = (id: string, name: string): Command => ({
  kind: 'refund',
  actor: id,
  event: refunds.events[name] ?? { type: name },
  cause: 'customer',
})
const newDispute = (id: string, paymentId: string): Command => ({
  kind: 'dispute',
  actor: id,
  create: { ...disputeOpening, paymentId },
})

describe('a payment and its link', () => {
  test('the last payment that a link allows closes it, and each step has one event', async () => {
    const { actors, sql } = await opened
    const [link, payment] = [newId(), newId()]
    await actors.dispatch(newLink(link, { maxPayments: 1 }))
    await actors.dispatchBundle([
      onLink(link, 'open_payment'),
      newPayment(payment, link),
      onPayment(payment, 'pick', { address: address() }),
    ])
    await actors.dispatchBundle(withLinkEvent(payment, link, 'see 1000'))

    const another = newId()
    const late = await actors.dispatchBundle([onLink(link, 'open_payment'), newPayment(another, link)])
    expect(late).toMatchObject({ ok: false, refusal: 'state', index: 0 })
    expect(await sql`select from payments where id = ${another}`).toHaveLength(0)

    await actors.dispatchBundle(withLinkEvent(payment, link, 'all 1000 final'))
    const [row] = await sql`select state, payments_count, payments_processing from payment_links where id = ${link}`
    expect(row).toEqual({ state: 'completed', payments_count: 1, payments_processing: 0 })
    const events =
      await sql`select type, json_of(object) ->> 'status' as status from events where actor = ${payment} order by rev`
    expect([...events]).toEqual([
      { type: 'payment.created', status: 'pending' },
      { type: 'payment.processing', status: 'processing' },
      { type: 'payment.succeeded', status: 'success' },
    ])
  })

  test('a reference identifies one link of a merchant and mode', async () => {
    const { actors } = await opened
    const first = newId()
    const reference = `order ${first}`
    expect(await actors.dispatch(newLink(first, { reference }))).toMatchObject({ ok: true })
    expect(await actors.dispatch(newLink(newId(), { reference }))).toMatchObject({ refusal: 'duplicate_reference' })
    expect(await actors.dispatch(newLink(newId(), { reference, livemode: true }))).toMatchObject({ ok: true })
  })

  test('a link without an expiry does not expire, and one with an expiry does', async () => {
    const { actors, clock, timers, sql } = await opened
    const [endless, ending] = [newId(), newId()]
    await actors.dispatch(newLink(endless, { expiresAt: null }))
    await actors.dispatch(newLink(ending))
    clock.set(new Date('2027-11-20T12:00:00.000Z'))
    await timers.fireDue()
    clock.set(T0)
    const rows = await sql`select state from payment_links where id in (${endless}, ${ending}) order by expires_at`
    expect([...rows]).toEqual([{ state: 'expired' }, { state: 'active' }])
  })
})

describe('a payment and its refunds', () => {
  test('of a hundred simultaneous refunds of 30, 33 are made of 1000', async () => {
    const { actors, sql } = await opened
    const payment = newId()
    await actors.dispatchBundle(paid(payment))
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => actors.dispatchBundle(newRefund(newId(), payment, 30))),
    )
    expect(answers.filter(({ ok }) => ok)).toHaveLength(33)
    const [row] = await sql`select refunds_reserved_minor::int as reserved from payments where id = ${payment}`
    const made = await sql`select from refunds where payment_id = ${payment}`
    expect([row?.reserved, made.length]).toEqual([990, 33])
  })

  test('with a destination a refund waits for its signature from its first commit, which requests a signing job', async () => {
    const { actors, sql } = await opened
    const [payment, refund] = [newId(), newId()]
    await actors.dispatchBundle(paid(payment))
    await actors.dispatchBundle([...newRefund(refund, payment, 300), onRefund(refund, 'name destination')])
    const [row] = await sql`select state from refunds where id = ${refund}`
    const [job] =
      await sql`select task_identifier as task from graphile_worker.jobs where key = ${`sign-refund:${refund}`}`
    expect([row?.state, job?.task]).toEqual(['requires_signature', 'sign-refund'])
  })

  test('one transaction pays one refund', async () => {
    const { actors } = await opened
    const payment = newId()
    await actors.dispatchBundle(paid(payment))
    const sent = []
    for (const refund of [newId(), newId()]) {
      await actors.dispatchBundle([...newRefund(refund, payment, 300), onRefund(refund, 'name destination')])
      sent.push(await actors.dispatch(onRefund(refund, 'send 1')))
    }
    expect(sent).toMatchObject([{ ok: true }, { ok: false, refusal: 'state_conflict' }])
  })
})

describe('a payment and its disputes', () => {
  test('only one can be open at a time', async () => {
    const { actors } = await opened
    const [payment, first] = [newId(), newId()]
    expect(await actors.dispatch(newDispute(first, payment))).toMatchObject({ ok: true })
    expect(await actors.dispatch(newDispute(newId(), payment))).toMatchObject({ refusal: 'dispute_already_open' })
    const event = { type: 'evidence_submitted', evidence: {} }
    await actors.dispatch({ kind: 'dispute', actor: first, event })
    await actors.dispatch({ kind: 'dispute', actor: first, event: { type: 'resolve', outcome: 'won' } })
    expect(await actors.dispatch(newDispute(newId(), payment))).toMatchObject({ ok: true })
  })

  test('winning evidence wins after three seconds, and other evidence waits for a person', async () => {
    const { actors, clock, timers, sql } = await opened
    const submitted = { winning: newId(), other: newId() }
    for (const [text, dispute] of Object.entries(submitted)) {
      await actors.dispatch(newDispute(dispute, newId()))
      const evidence = { uncategorizedText: `${text}_evidence` }
      await actors.dispatch({ kind: 'dispute', actor: dispute, event: { type: 'evidence_submitted', evidence } })
    }
    const states = async () => {
      const rows = await sql`
        select state from disputes where id in ${sql(Object.values(submitted))} order by uncategorized_text desc`
      return rows.map(({ state }) => state)
    }
    clock.advance(2_999)
    await timers.fireDue()
    expect(await states()).toEqual(['under_review', 'under_review'])
    clock.advance(1)
    await timers.fireDue()
    clock.set(T0)
    expect(await states()).toEqual(['won', 'under_review'])
  })
})
