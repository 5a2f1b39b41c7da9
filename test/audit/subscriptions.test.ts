import { beforeAll, expect, test } from 'bun:test'
import { decodeId } from '../../src/ids.ts'
import { monthly, subscriptionShops } from '../http/subscription-shop.ts'
import { findingsAfter } from './planted.ts'

const { server, sql, made, read, pay, ask, cancel, customerOfClock, advance } = await subscriptionShops()

/** One in its third period whose next invoice is void, one that is past due, one in its trial in real time, one that has ended, and one of a visitor of a plan. */
beforeAll(async () => {
  const { customerId, clockId } = await customerOfClock()
  const first = await made({ customerId, ...monthly, leadDays: 27 })
  const late = await made({ customerId, ...monthly })
  const ended = await made({ customerId, ...monthly, trialDays: 7 })
  await made({ ...monthly, trialDays: 30 })
  for (const { openInvoiceId } of [first, late]) await pay(openInvoiceId)
  for (const to of ['2026-12-23', '2027-01-23']) {
    await advance(clockId, `${to}T12:00:00.000Z`)
    await pay((await read(first.id)).openInvoiceId)
    if (to === '2026-12-23') await pay((await read(late.id)).openInvoiceId)
  }
  await cancel(ended.id, { at: 'now' })
  await advance(clockId, '2027-02-02T12:00:00.000Z')
  const { openInvoiceId } = await read(first.id)
  expect(await ask('POST', `/invoices/${openInvoiceId}/void`)).toMatchObject({ status: 200 })
  const { id: planId } = (await ask('POST', '/plans', { json: { ...monthly, name: 'Lamp club' } })).json as {
    id: string
  }
  const { email: customerEmail } = (await ask('GET', `/customers/${customerId}`)).json as { email: string }
  const json = { customerEmail }
  expect(await ask('POST', `/checkout/plans/${planId}/subscriptions`, { json })).toMatchObject({ status: 201 })
  await sql`update subscriptions set reference = 'first' where id = ${decodeId('sub', first.id) ?? ''}`
  await sql`update subscriptions set reference = 'late' where id = ${decodeId('sub', late.id) ?? ''}`
}, 60_000)

test('subscriptions in every state have no findings', async () => {
  expect(await findingsAfter(server.databaseUrl, 'select 1')).toEqual([])
  const states = await sql<{ state: string }[]>`select state from subscriptions order by state`
  expect(states.map(({ state }) => state)).toEqual(['active', 'canceled', 'incomplete', 'past_due', 'trialing'])
})

const PERIODS = 'I4: an invoice of a period that has another one'
const UNPAID = 'I4: a subscription whose unpaid invoices differ'
const BOUNDARIES = 'I9: a subscription with two transitions at the beginning of a period'
const TIMERS = 'I7: a planned timer overdue by more than a minute'
const CREDIT = 'I4: a subscription of the page of a plan that has used more credit'
const first = "(select id from subscriptions where reference = 'first')"
const late = "(select id from subscriptions where reference = 'late')"
const anotherInvoice = `
  drop index invoices_period_once;
  update invoices set period_index = 1 where subscription_id = ${first} and period_index = 2`
const paid = `
  update subscriptions s set unpaid = s.unpaid || jsonb_build_object('invoiceId', i.id, 'periodIndex', i.period_index)
  from invoices i where s.id = ${late} and i.subscription_id = s.id and i.period_index = 1`

/** Entries of the ledger of the visitor's customer: of its first invoice if they have a type, else a gift of the merchant. */
const entries = (...amounts: readonly (readonly [amountMinor: number, type?: string])[]) =>
  amounts
    .map(
      ([amountMinor, type]) => `
        insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, invoice_id, created_at)
        select customer_id, currency, gen_random_uuid(), merchant_id, livemode, '${type ?? 'adjustment'}', ${amountMinor},
          ${type ? 'id' : 'null'}, now()
        from invoices where subscription_id = (select id from subscriptions where source = 'checkout')`,
    )
    .join(';')

// One violation for each part of the rules of src/audit/rules/subscriptions.ts.
test.each([
  [PERIODS, anotherInvoice],
  [PERIODS, `update subscriptions set customer_id = gen_random_uuid() where id = ${first}`],
  [
    PERIODS,
    `update invoices set merchant_id = gen_random_uuid() where subscription_id = ${first} and period_index = 1`,
  ],
  [PERIODS, `delete from subscriptions where id = ${first}`],
  [UNPAID, `update subscriptions set unpaid = '[]' where id = ${late}`],
  [UNPAID, `update subscriptions set unpaid = jsonb_set(unpaid, '{0,periodIndex}', '7') where id = ${late}`],
  [UNPAID, `update subscriptions set unpaid = jsonb_set(unpaid, '{0,isVoid}', 'true') where id = ${late}`],
  [UNPAID, `update subscriptions set unpaid = unpaid #- '{0,isVoid}' where id = ${first}`],
  [
    UNPAID,
    `update subscriptions set unpaid = (select unpaid from subscriptions where id = ${late}) where id = ${first}`,
  ],
  [
    UNPAID,
    `update subscriptions set unpaid = (select unpaid from subscriptions where id = ${late}) where state = 'canceled'`,
  ],
  [UNPAID, paid],
  [
    BOUNDARIES,
    `insert into transitions overriding user value
     select (jsonb_populate_record(t, '{"rev": 99}')).* from transitions t
     where actor = ${first} and event like 'after.boundary.%' order by rev desc limit 1`,
  ],
  [
    BOUNDARIES,
    `update transitions set context = jsonb_set(json_of(context)::jsonb, '{periodIndex}', '0')::text
     where actor = ${first} and rev = (select max(rev) from transitions where actor = ${first})`,
  ],
  [CREDIT, entries([5_000], [-1_000, 'applied'])],
  [CREDIT, entries([5_000], [500, 'overpayment'], [-501, 'applied'])],
  // Before it was given.
  [CREDIT, entries([5_000], [-500, 'applied'], [500, 'overpayment'])],
  // A refund that takes credit back is not a use of it, and gives none.
  [CREDIT, entries([5_000], [-500, 'applied'], [500, 'refunded'])],
  [TIMERS, `update timers set due_at = now() - interval '61 s' where planned and test_clock_id is null`],
])('%s … is found: %s', async (what, change) => {
  const found = await findingsAfter(server.databaseUrl, change)
  expect(found.filter(finding => `${finding.invariant}: ${finding.what}`.startsWith(what))).toHaveLength(1)
})

const confirmed = `
  update events set object = (json_of(object)::jsonb || '{"verified": true}')::text
  where actor = (select id from subscriptions where source = 'checkout')`

test.each([
  ['of its own', entries([500, 'overpayment'], [-500, 'applied'], [500, 'released'], [-500, 'applied'])],
  ['that a refund has taken back', entries([5_000], [500, 'overpayment'], [-500, 'applied'], [-500, 'refunded'])],
  ['of a customer whom the merchant has confirmed', `${entries([5_000], [-1_000, 'applied'])}; ${confirmed}`],
])('a visitor of the page of a plan may use credit %s', async (_, change) => {
  const found = await findingsAfter(server.databaseUrl, change)
  expect(found.filter(({ what }) => what.startsWith('a subscription of the page'))).toEqual([])
})

test('a timer that waits for money that was sent in time is not late', async () => {
  const late = `update timers set due_at = now() - interval '61 s' where planned and test_clock_id is null`
  const processing = `
    update invoices set amount_processing_minor = 1,
      subscription_id = (select actor from timers where planned and test_clock_id is null limit 1),
      period_index = 9 where id = (select id from invoices where state = 'open' limit 1)`
  const found = await findingsAfter(server.databaseUrl, `${late}; ${processing}`)
  expect(found.filter(({ what }) => what.startsWith('a planned timer'))).toEqual([])
})

test('an invoice that is paid counts as unpaid until its job has run', async () => {
  const job = `
    select graphile_worker.add_job('renew-subscription', json_build_object('invoiceId', id))
    from invoices where subscription_id = ${late} and period_index = 1`
  const found = await findingsAfter(server.databaseUrl, `${job}; ${paid}`)
  expect(found.filter(({ what }) => what.startsWith('a subscription whose unpaid'))).toEqual([])
})
