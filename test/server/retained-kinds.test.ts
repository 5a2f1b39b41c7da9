import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kindNamed, kinds } from '../../src/kinds/all.ts'
import { statesOf } from '../../src/kinds/definition.ts'
import { database } from '../harness/database.ts'
import { customerOpening } from '../machines/customer-cases.ts'
import { disputeOpening } from '../machines/dispute-cases.ts'
import { invoiceOpening } from '../machines/invoice-cases.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { planOpening } from '../machines/plan-cases.ts'
import { refundOpening, refunds } from '../machines/refund-cases.ts'
import { subscriptionOpening } from '../machines/subscription-cases.ts'
import { testClockOpening } from '../machines/test-clock-cases.ts'
import { sendingInstance } from '../webhooks/sending-instance.ts'
import { countIn, daysAgo, readFeeds, recordAudit, runRetention } from './retaining.ts'

/** The states in which an actor is finished. Kinds that are missing keep their history. */
const finishedStates: Readonly<Record<string, string>> = {
  payment: 'success failed expired canceled',
  payment_link: 'expired deactivated completed',
  refund: 'processed canceled',
  dispute: 'won lost',
  customer: 'merged erased',
  invoice: 'paid void deleted',
  subscription: 'canceled expired completed',
  plan: 'archived',
  test_clock: 'deleted',
}

/** A row in a state in which nothing else is open. */
const settled = {
  ...{ attention: false, refunds_reserved_minor: 300, amount_refunded_minor: 300 },
  ...{ payments_processing: 0, amount_processing_minor: 0 },
}

test('each kind says in which states its actors are finished, and a kind without such states keeps its history', async () => {
  await using db = await database()
  for (const kind of kinds) {
    const { name, table } = kind
    const expected = finishedStates[name]
    const [known] = await db.sql<{ exists: boolean }[]>`
      select to_regprocedure(${`is_finished(${table})`}) is not null as exists`
    expect({ name, drops: known?.exists }).toEqual({ name, drops: expected !== undefined })
    if (expected === undefined) continue
    const isFinished = async (row: object) => {
      const [found] = await db.sql.unsafe<{ finished: boolean }[]>(
        `select is_finished(jsonb_populate_record(null::${table}, $1::text::jsonb)) as finished`,
        [JSON.stringify({ id: crypto.randomUUID(), ...settled, ...row })],
      )
      return found?.finished
    }
    for (const { state } of statesOf(kind))
      expect({ name, state, finished: await isFinished({ state }) }).toEqual({
        ...{ name, state },
        finished: expected.split(' ').includes(state),
      })
  }
})

test.each([
  ['payment', 'success', { attention: true }],
  ['payment', 'success', { refunds_reserved_minor: 301 }],
  ['payment_link', 'completed', { payments_processing: 1 }],
  ['refund', 'processed', { attention: true }],
  ['invoice', 'paid', { amount_processing_minor: 1 }],
])('a %s in the state %s with %o is not finished', async (name, state, open) => {
  await using db = await database()
  const [row] = await db.sql.unsafe<{ finished: boolean }[]>(
    `select is_finished(jsonb_populate_record(null::${name}s, $1::text::jsonb)) as finished`,
    [JSON.stringify({ id: crypto.randomUUID(), state, ...settled, ...open })],
  )
  expect(row).toEqual({ finished: false })
})

test('a delivery is old in the states in which it has ended, if its last change was before the time', async () => {
  await using db = await database()
  const before = daysAgo(90)
  const isOld = async (state: string, updatedAt: Date) => {
    const [found] = await db.sql.unsafe<{ old: boolean }[]>(
      `select is_old_delivery(jsonb_populate_record(null::deliveries, $1::text::jsonb), $2) as old`,
      [JSON.stringify({ state, updated_at: updatedAt }), before],
    )
    return found?.old
  }
  for (const { state } of statesOf(kindNamed('delivery'))) {
    const hasEnded = ['delivered', 'failed', 'canceled'].includes(state)
    expect({
      state,
      at: await isOld(state, before),
      before: await isOld(state, new Date(before.getTime() - 1)),
    }).toEqual({
      ...{ state, at: false, before: hasEnded },
    })
  }
})

/** One of each kind that is finished, each with more changes than the one by which it is, and one that is open. */
const agedRecords = async () => {
  await using starting = new AsyncDisposableStack()
  const instance = starting.use(await sendingInstance({ at: daysAgo(600) }))
  const { clock, sql, world } = instance
  const [merchant] = await sql<{ id: string }[]>`select id from merchants`
  const merchantId = merchant?.id ?? ''
  const make = async (kind: string, create: object) => {
    const actor = crypto.randomUUID()
    expect(await world.actors.dispatch({ kind, actor, create: { ...create, merchantId } })).toMatchObject({ ok: true })
    return actor
  }
  const send = async (
    ...events: readonly (readonly [kind: string, actor: string, event: { readonly type: string }])[]
  ) =>
    expect(
      await world.actors.dispatchBundle(events.map(([kind, actor, event]) => ({ kind, actor, event }))),
    ).toMatchObject({ ok: true })

  const payment = await make('payment', { ...paymentOpening, windowMinutes: 30 })
  const dispute = await make('dispute', { ...disputeOpening, paymentId: payment })
  const evidence = (type: string) => ({ type, evidence: { refundPolicy: '14 days' } })
  await send(['dispute', dispute, evidence('evidence_given')])
  await send(['dispute', dispute, evidence('evidence_submitted')])
  await send(['dispute', dispute, { type: 'resolve', outcome: 'won' } as { type: string }])

  const refund = await make('refund', { ...refundOpening, paymentId: payment })
  await send(['refund', refund, { type: '', ...refunds.events['name destination'] }])
  await send(['refund', refund, { type: 'cancel' }])

  const customer = await make('customer', customerOpening)
  const merged = await make('customer', { ...customerOpening, email: 'lovelace@example.com' })
  for (const actor of [customer, merged])
    await send(['customer', actor, { type: 'update', changes: { reference: actor } } as { type: string }])
  await send(
    ['customer', merged, { type: 'merge', intoId: customer } as { type: string }],
    ['customer', customer, { type: 'absorb' }],
  )

  const invoice = await make('invoice', { ...invoiceOpening, customerId: customer })
  const { merchantId: _, livemode: __, apiVersion: ___, testClockId: ____, ...content } = invoiceOpening
  await send([
    'invoice',
    invoice,
    { type: 'update', content: { ...content, customerId: customer } } as { type: string },
  ])
  await send(['invoice', invoice, { type: 'delete' }])

  const plan = await make('plan', planOpening)
  const openPlan = await make('plan', { ...planOpening, reference: null })
  const rename = { type: 'update', changes: { name: 'Bulb club' } }
  for (const actor of [plan, openPlan]) await send(['plan', actor, rename])
  await send(['plan', plan, { type: 'archive' }])
  // The entry by which it was archived is kept too.
  await send(['plan', plan, rename])

  const subscription = await make('subscription', { ...subscriptionOpening, customerId: customer })
  await send(['subscription', subscription, { type: 'begin_trial' }])
  const cancel = { type: 'cancel', voided: [], reason: 'requested' }
  await send(['subscription', subscription, cancel])

  const testClock = await make('test_clock', testClockOpening)
  await send([
    'test_clock',
    testClock,
    { type: 'advance', to: new Date(testClockOpening.now.getTime() + 1_000) } as { type: string },
  ])
  await send(['test_clock', testClock, { type: 'delete' }])

  clock.set(new Date())
  await readFeeds(instance)
  await recordAudit(instance, 'clean')
  const rest = starting.move()
  return {
    ...instance,
    ...{ payment, dispute, refund, customer, merged, invoice, plan, openPlan, subscription, testClock },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}

test('the histories of finished actors of each kind are dropped but their ends, and those of open ones are kept', async () => {
  await using shop = await agedRecords()
  const revsOf = async (actor: string) =>
    (await shop.sql<{ rev: number }[]>`select rev from transitions where actor = ${actor} order by rev`).map(
      ({ rev }) => rev,
    )
  const events = await countIn(shop, 'events')
  expect(await runRetention(shop, { transitionsAtOnce: 3 })).toMatchObject([{ part: 'history' }])
  const all = { ...shop }
  const histories = Object.fromEntries(
    await Promise.all(
      (
        [
          'dispute',
          'refund',
          'merged',
          'invoice',
          'plan',
          'subscription',
          'testClock',
          'payment',
          'customer',
          'openPlan',
        ] as const
      ).map(async name => [name, await revsOf(all[name])] as const),
    ),
  )
  expect(histories).toEqual({
    ...{ dispute: [4], refund: [3], merged: [3], invoice: [3], plan: [3, 4], subscription: [3], testClock: [3] },
    ...{ payment: [1], customer: [1, 2, 3], openPlan: [1, 2] },
  })
  expect(await countIn(shop, 'events')).toBe(events)
  expect(await audit(shop.sql, kinds)).toEqual([])
})
