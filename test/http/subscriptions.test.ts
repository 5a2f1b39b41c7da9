import { describe, expect, test } from 'bun:test'
import { cancelSubscription } from '../../src/commands/subscription-actions.ts'
import { deleteTestClock } from '../../src/commands/test-clocks.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { recordTimerRun } from '../../src/queries/subscription-runs.ts'
import { runSubscriptions } from '../../src/server/subscription-loop.ts'
import { insertKey } from '../access/keys.ts'
import { findingsAfter } from '../audit/planted.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from './customers.ts'
import { aLamp } from './invoices.ts'
import { expectPages, testRefusedQueries } from './lists.ts'
import { member } from './people.ts'
import { makePlan } from './plans.ts'
import { monthly, type ShownSubscription, START, subscriptionShops } from './subscription-shop.ts'
import { makeTestClock } from './test-clocks.ts'
import { type Asked, newKey } from './two-shops.ts'

const { server, api, sql, mode, lamps, chairsKey, key, ask, page, ...shop } = await subscriptionShops()
const { customerOfClock, create, made, read, cancel, invoicesOf, pay, runJobs, eventsOf, clocks, advance } = shop

describe('POST /v1/subscriptions', () => {
  test('201: without a plan it is incomplete until its first invoice, due in seven days, is paid', async () => {
    const subscription = await made({ ...monthly, reference: 'contract 7', metadata: { shelf: 'B' } })
    const { openInvoiceId } = subscription
    expect(subscription).toMatchObject({
      ...{ object: 'subscription', status: 'incomplete', planId: null, source: 'merchant', verified: true },
      ...{ access: { granted: false, until: null }, amountMinor: 4_900, interval: 'month', intervalCount: 1 },
      ...{ periodIndex: 0, periodStart: null, periodEnd: null, nextInvoiceAt: null, trialEndsAt: null },
      ...{ leadDays: 7, graceDays: 7, maxPeriods: null, activation: 'on_payment', afterGrace: 'cancel' },
      ...{ latestInvoiceId: openInvoiceId, url: expect.any(String), reference: 'contract 7', metadata: { shelf: 'B' } },
    })
    expect(await read(subscription.id)).toEqual(subscription)
    const [invoice, ...others] = await invoicesOf(subscription.id)
    expect(others).toEqual([])
    const times = { periodStart: null, periodEnd: null }
    expect(invoice).toMatchObject({
      ...{ id: openInvoiceId, status: 'open', customerId: subscription.customerId, totalMinor: 4_900 },
      subscription: { id: subscription.id, periodIndex: 0, ...times },
    })
    await pay(openInvoiceId)
    const active = await read(subscription.id)
    expect(active).toMatchObject({ status: 'active', openInvoiceId: null, access: { granted: true } })
    expect(active.anchorAt).toBe((await ask('GET', `/invoices/${openInvoiceId}`)).json?.['paidAt' as never] ?? '')
    expect(active.periodStart).toBe(active.anchorAt)
    expect(active.access.until).toBe(active.periodEnd)
    expect(await eventsOf(subscription.id)).toEqual(['created', 'activated'])
  })

  test('201: with `immediate` it is active, and its first invoice is due as other invoices are', async () => {
    const subscription = await made({ ...monthly, activation: 'immediate' })
    expect(subscription).toMatchObject({ status: 'active', periodIndex: 0, access: { granted: true } })
    const { anchorAt, periodEnd } = subscription
    const [invoice] = await invoicesOf(subscription.id)
    expect(invoice?.subscription).toEqual({ id: subscription.id, periodIndex: 0, periodStart: anchorAt, periodEnd })
    expect(await eventsOf(subscription.id)).toEqual(['created', 'activated'])
  })

  test('201: what costs nothing is active immediately', async () => {
    const subscription = await made({ ...monthly, lines: [{ ...aLamp, unitAmountMinor: 0 }] })
    expect(subscription).toMatchObject({ status: 'active', openInvoiceId: null, amountMinor: 0 })
  })

  test('with a test clock, which a new customer gets too; 409: another clock than that of the customer', async () => {
    const [clock, other] = [await makeTestClock(api, mode, new Date(START)), await makeTestClock(api, mode)]
    const [testClockId, otherId] = [encodeId('clk', clock.id), encodeId('clk', other.id)]
    const customer = { email: `${crypto.randomUUID()}@example.com` }
    const subscription = await made({ ...monthly, customer, testClockId })
    expect(subscription).toMatchObject({ testClockId, createdAt: START })
    const named = { code: 'state_conflict', param: 'testClockId' }
    expect(await create({ ...monthly, customer, testClockId: otherId })).toMatchObject({ status: 409, error: named })
    expect(await create({ ...monthly, testClockId })).toMatchObject({ status: 409, error: named })
    const missing = { status: 404, error: { code: 'resource_not_found', param: 'testClockId' } }
    expect(await create({ ...monthly, testClockId: encodeId('clk', clock.id.replace(/^./, 'f')) })).toMatchObject(
      missing,
    )
  })

  test('201: a trial has no invoice yet', async () => {
    const subscription = await made({ ...monthly, trialDays: 30 })
    expect(subscription).toMatchObject({ status: 'trialing', latestInvoiceId: null, access: { granted: true } })
    const { createdAt, trialEndsAt, anchorAt, access, nextInvoiceAt } = subscription
    expect([anchorAt, access.until]).toEqual([trialEndsAt ?? '', trialEndsAt])
    const days = (Date.parse(trialEndsAt ?? '') - Date.parse(createdAt)) / 86_400_000
    expect(Math.round(days)).toBe(30)
    expect(Date.parse(trialEndsAt ?? '') - Date.parse(nextInvoiceAt ?? '')).toBe(7 * 86_400_000)
    expect(await invoicesOf(subscription.id)).toEqual([])
    const ends = new Date(Date.now() + 86_400_000).toISOString()
    expect(await made({ ...monthly, trialEndsAt: ends })).toMatchObject({ trialEndsAt: ends, anchorAt: ends })
  })

  test('201: the terms of a plan, counted by it, with a customer that is created', async () => {
    const plan = await makePlan(api, mode, { trialDays: 14, interval: 'year', leadDays: 3, maxPeriods: 2 })
    const planId = encodeId('plan', plan.id)
    const email = `${crypto.randomUUID()}@example.com`
    const first = await made({ customer: { email }, planId })
    expect(first).toMatchObject({ planId, status: 'trialing', interval: 'year', leadDays: 3, maxPeriods: 2 })
    const second = await made({ customer: { email }, planId, trialDays: 0 })
    expect(second).toMatchObject({ planId, status: 'incomplete', customerId: first.customerId })
    expect(await ask('GET', `/plans/${planId}`)).toMatchObject({ json: { subscriptionsCount: 2 } })
    await cancel(first.id, { at: 'now' })
    expect(await ask('GET', `/plans/${planId}`)).toMatchObject({ json: { subscriptionsCount: 1 } })
    const listed = await page<ShownSubscription>(`/subscriptions?planId=${planId}&status=incomplete`)
    expect(listed.data).toEqual([await read(second.id)])
    expect(await ask('POST', `/plans/${planId}/archive`)).toMatchObject({ status: 200 })
    expect(await create({ planId })).toMatchObject({ status: 409, error: { code: 'plan_archived', param: 'planId' } })
  })

  test('a request that is repeated with its key creates one subscription with one invoice', async () => {
    const { id: customerId } = await makeCustomer(api, mode)
    const asked = { headers: newKey() }
    const bodies = await Promise.all([0, 1].map(() => create({ customerId, ...monthly }, asked)))
    const created = bodies.filter(({ status }) => status === 201)
    expect(created.length).toBeGreaterThanOrEqual(1)
    const again = await create({ customerId, ...monthly }, asked)
    expect(again.text).toBe(created[0]?.text ?? '')
    expect((await page(`/subscriptions?customerId=${customerId}`)).data).toHaveLength(1)
    expect((await page(`/invoices?customerId=${customerId}`)).data).toHaveLength(1)
  })

  const ahead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  test.each<[string, object, string, string]>([
    ['no terms', {}, 'currency', 'parameter_missing'],
    ['no lines', { currency: 'EUR', interval: 'day' }, 'lines', 'parameter_missing'],
    ['no interval', { currency: 'EUR', lines: [aLamp] }, 'interval', 'parameter_missing'],
    [
      'terms beside a plan',
      { planId: encodeId('plan', lamps.merchantId), lines: [aLamp] },
      'lines',
      'parameter_invalid',
    ],
    ['a lead of a period', { ...monthly, leadDays: 28 }, 'leadDays', 'parameter_invalid'],
    ['an anchor in the past', { ...monthly, anchorAt: ahead(-1) }, 'anchorAt', 'parameter_invalid'],
    ['an anchor too far ahead', { ...monthly, anchorAt: ahead(367) }, 'anchorAt', 'parameter_invalid'],
    ['an anchor and a trial', { ...monthly, anchorAt: ahead(1), trialDays: 1 }, 'anchorAt', 'parameter_invalid'],
    ['a trial that is over', { ...monthly, trialEndsAt: ahead(-1) }, 'trialEndsAt', 'parameter_invalid'],
    ['a trial of three years', { ...monthly, trialEndsAt: ahead(1_000) }, 'trialEndsAt', 'parameter_invalid'],
    ['two ends of a trial', { ...monthly, trialEndsAt: ahead(1), trialDays: 2 }, 'trialEndsAt', 'parameter_invalid'],
    ['an unknown currency', { ...monthly, currency: 'XXX' }, 'currency', 'unsupported_currency'],
  ])('refused: %s', async (_, json, param, code) => {
    expect((await create(json)).error).toMatchObject({ code, param })
  })

  test('404: a plan and a customer of another merchant', async () => {
    const { id: customerId } = await makeCustomer(api, mode)
    const json = { customerId, ...monthly }
    expect(await ask('POST', '/subscriptions', { json, bearer: chairsKey })).toMatchObject({
      ...{ status: 404, error: { code: 'resource_not_found', param: 'customerId' } },
    })
    const planId = encodeId('plan', (await makePlan(api, mode)).id)
    const asked = { json: { customer: { email: 'a@example.com' }, planId }, bearer: chairsKey }
    expect(await ask('POST', '/subscriptions', asked)).toMatchObject({ status: 404, error: { param: 'planId' } })
    const { id } = await made({ customerId, ...monthly })
    expect(await ask('GET', `/subscriptions/${id}`, { bearer: chairsKey })).toMatchObject({ status: 404 })
    expect(await cancel(id, {}, { bearer: chairsKey })).toMatchObject({ status: 404 })
  })
})

describe('GET /v1/subscriptions', () => {
  test('in pages', async () => {
    const { id: customerId } = await makeCustomer(api, mode)
    const ids: string[] = []
    for (let at = 0; at < 4; at++) ids.push((await made({ customerId, ...monthly })).id)
    await expectPages(
      query => page(`/subscriptions${query}${query.includes('?') ? '&' : '?'}customerId=${customerId}`),
      ids,
    )
  })

  testRefusedQueries(
    query => server.call('GET', `/v1/subscriptions${query}`, { bearer: key }),
    [
      ['status=new', 'parameter_invalid', 'status'],
      ['customerId=cus_1', 'parameter_invalid', 'customerId'],
      ['planId=plan_1', 'parameter_invalid', 'planId'],
    ],
  )
})

describe('by a test clock', () => {
  test('three periods, then an invoice that is not paid: past due, canceled, voided', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    await pay(openInvoiceId)
    expect(await read(id)).toMatchObject({ status: 'active', anchorAt: START, periodEnd: '2026-12-30T12:00:00.000Z' })

    await advance(clockId, '2026-12-23T12:00:00.000Z')
    const invoiced = await read(id)
    expect(invoiced).toMatchObject({ status: 'active', periodIndex: 0, nextInvoiceAt: null })
    await pay(invoiced.openInvoiceId)
    await advance(clockId, '2026-12-30T12:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 1, periodEnd: '2027-01-30T12:00:00.000Z' })

    await advance(clockId, '2027-01-30T13:00:00.000Z')
    const late = await read(id)
    expect(late).toMatchObject({
      ...{ status: 'past_due', periodIndex: 1, graceEndsAt: '2027-02-06T12:00:00.000Z' },
      access: { granted: true, until: '2027-02-06T12:00:00.000Z' },
    })
    await pay(late.openInvoiceId)
    // Counted from the anchor: February has 28 days.
    const end = '2027-02-28T12:00:00.000Z'
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 2, periodEnd: end, graceEndsAt: null })

    await advance(clockId, '2027-03-30T12:00:00.000Z')
    expect(await read(id)).toMatchObject({
      ...{ status: 'canceled', endReason: 'unpaid', endedAt: '2027-03-07T12:00:00.000Z', periodIndex: 2 },
      ...{ access: { granted: false, until: null }, openInvoiceId: null },
    })
    const invoices = await invoicesOf(id)
    expect(invoices.map(({ status, dueDate }) => [status, dueDate])).toEqual([
      ['paid', '2026-12-07'],
      ['paid', '2026-12-30'],
      ['paid', '2027-01-30'],
      ['void', '2027-02-28'],
    ])
    const types = ['created', 'activated', 'renewed', 'past_due', 'renewed', 'past_due', 'canceled']
    expect(await eventsOf(id)).toEqual(types)
  })

  test('a first invoice that is not paid in seven days expires the subscription', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id } = await made({ customerId, ...monthly })
    await advance(clockId, '2026-12-07T11:59:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'incomplete' })
    await advance(clockId, '2026-12-08T00:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'expired', endReason: 'incomplete', openInvoiceId: null })
    expect(await invoicesOf(id)).toMatchObject([{ status: 'void' }])
    expect(await eventsOf(id)).toEqual(['created', 'expired'])
  })

  test('a trial announces its end, and begins or is past due', async () => {
    const { customerId, clockId } = await customerOfClock()
    const [paid, unpaid] = [
      await made({ customerId, ...monthly, trialDays: 14 }),
      await made({ customerId, ...monthly, trialDays: 14, afterGrace: 'pause' }),
    ]
    await advance(clockId, '2026-12-11T12:00:00.000Z')
    expect(await eventsOf(paid.id)).toEqual(['created', 'trial_ending'])
    await pay((await read(paid.id)).openInvoiceId)
    await advance(clockId, '2026-12-14T12:00:00.000Z')
    expect(await read(paid.id)).toMatchObject({
      status: 'active',
      periodIndex: 0,
      periodStart: '2026-12-14T12:00:00.000Z',
    })
    expect(await read(unpaid.id)).toMatchObject({ status: 'past_due', periodStart: null, access: { granted: true } })
    await advance(clockId, '2026-12-21T12:00:00.000Z')
    expect(await read(unpaid.id)).toMatchObject({ status: 'paused', openInvoiceId: null, access: { granted: false } })
    expect(await eventsOf(unpaid.id)).toEqual(['created', 'trial_ending', 'past_due', 'paused'])
  })

  test('daily periods without lead and grace are invoiced at their beginning, until the last one is over', async () => {
    const { customerId, clockId } = await customerOfClock()
    const free = { ...monthly, interval: 'day', lines: [{ ...aLamp, unitAmountMinor: 0 }], maxPeriods: 3 }
    const { id } = await made({ customerId, ...free })
    await advance(clockId, '2026-12-10T12:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'completed', periodIndex: 2, endedAt: '2026-12-03T12:00:00.000Z' })
    expect(await invoicesOf(id)).toHaveLength(3)
    expect(await eventsOf(id)).toEqual(['created', 'activated', 'renewed', 'renewed', 'completed'])
  })

  test('a first invoice by `immediate` that is not paid when it is due makes it past due', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly, activation: 'immediate' })
    await advance(clockId, '2026-12-15T00:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'past_due', graceEndsAt: '2026-12-21T23:59:59.999Z' })
    await pay(openInvoiceId)
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 0 })
  })

  test('a boundary waits while a payment of the invoice is processing', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    await pay(openInvoiceId)
    await advance(clockId, '2026-12-23T12:00:00.000Z')
    const { openInvoiceId: next } = await read(id)
    const tell = (type: string) =>
      api.actors.dispatch({
        ...{ kind: 'invoice', actor: decodeId('inv', next ?? '') ?? '', cause: 'test' },
        event: { type, amountMinor: 4_900 },
      })
    await tell('payment_processing')
    const to = '2027-01-01T12:00:00.000Z'
    await ask('POST', `/sandbox/test-clocks/${clockId}/advance`, { json: { to } })
    await clocks.runOnce()
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 0 })
    expect(await ask('GET', `/sandbox/test-clocks/${clockId}`)).toMatchObject({
      json: { now: '2026-12-30T12:00:00.000Z' },
    })
    await tell('payment_reverted')
    await clocks.runOnce()
    expect(await read(id)).toMatchObject({ status: 'past_due', graceEndsAt: '2027-01-06T12:00:00.000Z' })
  })

  test('a grace waits while a payment of the invoice is processing, which raises no alarm, and the payment renews it', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    await pay(openInvoiceId)
    await advance(clockId, '2026-12-23T12:00:00.000Z')
    await advance(clockId, '2026-12-31T12:00:00.000Z')
    const { openInvoiceId: owed } = await read(id)
    const tell = (type: string) =>
      api.actors.dispatch({
        ...{ kind: 'invoice', actor: decodeId('inv', owed ?? '') ?? '', cause: 'test' },
        event: { type, amountMinor: 4_900 },
      })
    await tell('payment_processing')
    const to = '2027-01-10T12:00:00.000Z'
    await ask('POST', `/sandbox/test-clocks/${clockId}/advance`, { json: { to } })
    await clocks.runOnce()
    const ends = '2027-01-06T12:00:00.000Z'
    expect(await read(id)).toMatchObject({ status: 'past_due', graceEndsAt: ends })
    expect(await ask('GET', `/sandbox/test-clocks/${clockId}`)).toMatchObject({ json: { now: ends } })
    // For longer than a minute.
    const clock = decodeId('clk', clockId) ?? ''
    const isLate = async () => {
      const past = `now() - interval '2 minutes'`
      const found = await findingsAfter(
        server.databaseUrl,
        `update test_clocks set updated_at = ${past} where id = '${clock}'; update transitions set at = ${past}`,
      )
      return found.some(({ what }) => what.startsWith('a timer that is due by its test clock'))
    }
    expect(await isLate()).toBe(false)
    await tell('payment_reverted')
    expect(await isLate()).toBe(true)
    await tell('payment_processing')
    await tell('payment_reverted')
    await pay(owed)
    await clocks.runOnce()
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 1 })
  })

  test('the expiry of a first invoice waits while a payment is processing', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    const tell = (type: string) =>
      api.actors.dispatch({
        ...{ kind: 'invoice', actor: decodeId('inv', openInvoiceId ?? '') ?? '', cause: 'test' },
        event: { type, amountMinor: 4_900 },
      })
    await tell('payment_processing')
    const to = '2026-12-10T12:00:00.000Z'
    await ask('POST', `/sandbox/test-clocks/${clockId}/advance`, { json: { to } })
    await clocks.runOnce()
    expect(await read(id)).toMatchObject({ status: 'incomplete' })
    await tell('payment_reverted')
    await clocks.runOnce()
    expect(await read(id)).toMatchObject({ status: 'expired', endedAt: '2026-12-07T12:00:00.000Z' })
  })

  test('an invoice that was paid renews at the boundary although the job of the payment is late', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    await pay(openInvoiceId)
    await advance(clockId, '2026-12-23T12:00:00.000Z')
    const invoiceId = (await read(id)).openInvoiceId
    await ask('POST', '/credit-notes', { json: { invoiceId, reason: 'other', whole: true } })
    await advance(clockId, '2026-12-30T12:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 1, openInvoiceId: null })
    expect(await runJobs()).toBe(1)
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 1 })
    expect(await eventsOf(id)).toEqual(['created', 'activated', 'renewed'])
  })
})

describe('the address of the page of a subscription', () => {
  const urlOf = async (id: string, asked?: Asked) =>
    (await ask('GET', `/subscriptions/${id}`, asked)).json as ShownSubscription
  const rotate = (id: string, asked?: Asked) => ask('POST', `/subscriptions/${id}/rotate-url`, asked)

  test('is shown to keys with billing:write, owners and developers, and in no event', async () => {
    const { id, url } = await made(monthly)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/subscriptions\/[\w-]{22}$/)
    const reader = (await insertKey(sql, { ...lamps, scopes: ['billing:read'] })).secret
    const viewer = await member(api, lamps, 'viewer', `${crypto.randomUUID()}@lamps.example`)
    expect((await urlOf(id, { bearer: reader })).url).toBeNull()
    expect((await urlOf(id, { bearer: viewer.bearer, path: lamps.path })).url).toBeNull()
    expect((await urlOf(id, { bearer: lamps.owner.bearer, path: lamps.path })).url).toBe(url)
    const { data } = await page<ShownSubscription>('/subscriptions', { bearer: reader })
    expect(data.map(each => each.url)).toEqual(data.map(() => null))
    const token = url?.split('/').at(-1) ?? 'none'
    const [copies] = await sql<{ count: number }[]>`
      select (select count(*) from events where object like ${`%${token}%`})::integer
        + (select count(*) from transitions t where t::text like ${`%${token}%`})::integer as count`
    expect(copies?.count).toBe(0)
  })

  test('is another one after rotate-url, also in a repeated response', async () => {
    const { id, url: first } = await made(monthly)
    const headers = newKey()
    const answer = await rotate(id, { headers })
    const second = (answer.json as ShownSubscription).url
    expect([answer.status, second === first]).toEqual([200, false])
    expect((await rotate(id, { headers })).text).toBe(answer.text)
    expect((await urlOf(id)).url).toBe(second)
    const [stored] = await sql<{ is_stored: boolean }[]>`
      select exists (select from idempotency_keys k where k::text like ${`%${second?.split('/').at(-1)}%`}) as is_stored`
    expect(stored?.is_stored).toBe(false)
    expect(await rotate(id, { bearer: chairsKey })).toMatchObject({ status: 404 })
  })
})

describe('POST /v1/subscriptions/:id/cancel', () => {
  test('at the end of the period, voiding the invoice of the next one', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    await pay(openInvoiceId)
    await advance(clockId, '2026-12-23T12:00:00.000Z')
    expect(await cancel(id)).toMatchObject({
      status: 200,
      json: { status: 'active', cancelAtPeriodEnd: true, openInvoiceId: null, canceledAt: '2026-12-23T12:00:00.000Z' },
    })
    expect((await invoicesOf(id)).map(({ status }) => status)).toEqual(['paid', 'void'])
    await advance(clockId, '2026-12-30T12:00:00.000Z')
    expect(await read(id)).toMatchObject({
      status: 'canceled',
      endReason: 'requested',
      endedAt: '2026-12-30T12:00:00.000Z',
    })
    expect(await eventsOf(id)).toEqual(['created', 'activated', 'updated', 'canceled'])
  })

  test('at the end of the next period if that one was paid', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    await pay(openInvoiceId)
    await advance(clockId, '2026-12-23T12:00:00.000Z')
    await pay((await read(id)).openInvoiceId)
    expect(await cancel(id)).toMatchObject({ status: 200 })
    await advance(clockId, '2026-12-31T12:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 1, cancelAtPeriodEnd: true })
    await advance(clockId, '2027-01-30T12:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'canceled', endedAt: '2027-01-30T12:00:00.000Z' })
    expect(await invoicesOf(id)).toHaveLength(2)
  })

  test('now, once; a final one and an incomplete one are refused', async () => {
    const { id } = await made({ ...monthly, trialDays: 7 })
    const asked = { headers: newKey() }
    const first = await cancel(id, { at: 'now' }, asked)
    expect(first).toMatchObject({ status: 200, json: { status: 'canceled', endReason: 'requested' } })
    expect((await cancel(id, { at: 'now' }, asked)).text).toBe(first.text)
    expect(await cancel(id, { at: 'now' })).toMatchObject({
      ...{ status: 409, error: { code: 'state_conflict', details: { status: 'canceled', possible: [] } } },
    })
    const { id: incomplete } = await made(monthly)
    expect(await cancel(incomplete)).toMatchObject({ status: 409, error: { details: { status: 'incomplete' } } })
    expect(await cancel(id, { at: 'tomorrow' })).toMatchObject({ status: 400, error: { param: 'at' } })
  })

  test('of several requests at the same time one is accepted, and the invoice is voided once', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    await pay(openInvoiceId)
    await advance(clockId, '2026-12-23T12:00:00.000Z')
    const answers = await Promise.all(Array.from({ length: 5 }, () => cancel(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect((await invoicesOf(id)).map(({ status }) => status)).toEqual(['paid', 'void'])
  })

  test('is planned again if the invoice of the next period is issued at the same time', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly })
    await pay(openInvoiceId)
    let planned = 0
    const dispatchBundle: typeof api.actors.dispatchBundle = async commands => {
      if (planned++ === 0) await advance(clockId, '2026-12-23T12:00:00.000Z')
      return api.actors.dispatchBundle(commands)
    }
    const services = { ...api, actors: { ...api.actors, dispatchBundle } }
    const requester = { cause: 'test', responseRows: () => [] }
    const canceled = await cancelSubscription(
      services,
      { id: decodeId('sub', id) ?? '', ...mode },
      'period_end',
      requester,
    )
    expect(canceled).toMatchObject({ state: 'active', context: { cancelAtPeriodEnd: true, unpaid: [] } })
    expect(planned).toBeGreaterThan(1)
    expect((await invoicesOf(id)).map(({ status }) => status)).toEqual(['paid', 'void'])
  })

  test('deleting a test clock cancels its subscriptions', async () => {
    const { customerId, clockId } = await customerOfClock()
    const ids = [
      (await made({ customerId, ...monthly, trialDays: 7 })).id,
      (await made({ customerId, ...monthly, activation: 'immediate' })).id,
    ]
    // What is due by `immediate` is for a period that has begun: it is not voided, and keeps the customer in use.
    await pay((await read(ids[1] ?? '')).openInvoiceId)
    const { id: incomplete } = await made({ customerId, ...monthly })
    const { id: paid, openInvoiceId } = await made({ customerId, ...monthly })
    // The job of the payment is late.
    await ask('POST', '/credit-notes', { json: { invoiceId: openInvoiceId, reason: 'other', whole: true } })
    expect(await read(paid)).toMatchObject({ status: 'incomplete' })
    expect(await ask('DELETE', `/sandbox/test-clocks/${clockId}`)).toMatchObject({ status: 204 })
    for (const id of ids) expect(await read(id)).toMatchObject({ status: 'canceled', endedAt: START })
    expect(await read(incomplete)).toMatchObject({ status: 'expired', endedAt: START, openInvoiceId: null })
    expect(await read(paid)).toMatchObject({ status: 'canceled', endedAt: START })
    expect(await sql`select kind from uses_of_customer(${decodeId('cus', customerId) ?? ''})`).toHaveLength(0)
  })

  test('deleting a test clock settles beside requests that end its subscriptions, or create one', async () => {
    const { customerId, clockId } = await customerOfClock()
    const trial = { customerId, ...monthly, trialDays: 7 }
    const ids = [(await made(trial)).id, (await made(trial)).id]
    let late: string | undefined
    const dispatchBundle: typeof api.actors.dispatchBundle = async commands => {
      // Both are canceled after they were listed, the first one after it was read.
      if (late === undefined) {
        for (const id of ids) await cancel(id, { at: 'now' })
        late = (await made(trial)).id
      }
      return api.actors.dispatchBundle(commands)
    }
    const services = { ...api, actors: { ...api.actors, dispatchBundle } }
    await deleteTestClock(services, { id: decodeId('clk', clockId) ?? '', ...mode }, 'test')
    for (const id of [...ids, late ?? '']) expect(await read(id)).toMatchObject({ status: 'canceled' })
    expect(await ask('DELETE', `/sandbox/test-clocks/${clockId}`)).toMatchObject({ status: 404 })
  })

  test('a customer with a subscription cannot be erased until it has ended', async () => {
    const { id: customerId, customer } = await makeCustomer(api, mode)
    const { id } = await made({ customerId, ...monthly, trialDays: 7 })
    const uses = () => sql`select kind from uses_of_customer(${customer.id})`
    expect(await uses()).toMatchObject([{ kind: 'subscription' }])
    await cancel(id, { at: 'now' })
    expect(await uses()).toHaveLength(0)
  })
})

describe('in real time', () => {
  test('a grace that ended while nothing fired timers ends 24 hours after that', async () => {
    const outage = await sql<{ until: Date }[]>`
      insert into subscription_runs (only_one, last_at, outage_from, outage_until)
      values (true, now(), now() - interval '1 hour', now() + interval '1 hour')
      on conflict (only_one) do update set outage_from = excluded.outage_from, outage_until = excluded.outage_until
      returning outage_until as until`
    const ends = new Date(Date.now() + 300).toISOString()
    const { id } = await made({ ...monthly, interval: 'day', trialEndsAt: ends })
    const loop = runSubscriptions(api)
    const graceEndsAt = new Date((outage[0]?.until.getTime() ?? 0) + 86_400_000).toISOString()
    await until(async () => {
      await loop.runOnce()
      return (await read(id)).graceEndsAt === graceEndsAt
    })
    await sql`update subscription_runs set outage_from = null, outage_until = null`
    expect(await loop.runOnce()).toBe(0)
    expect(await read(id)).toMatchObject({ status: 'past_due', access: { granted: true, until: graceEndsAt } })
    expect(await eventsOf(id)).toEqual(['created', 'trial_ending', 'past_due', 'updated'])
  })

  test('only a gap of more than ten minutes is an outage', async () => {
    const runAfter = async (gap: string) => {
      await sql`delete from subscription_runs`
      await sql`insert into subscription_runs (only_one, last_at) values (true, now() - ${gap}::interval)`
      const found = await recordTimerRun(sql)
      return found && Math.round((found.until.getTime() - found.from.getTime()) / 60_000)
    }
    expect([await runAfter('9 minutes'), await runAfter('11 minutes')]).toEqual([undefined, 11])
    // It is remembered by the runs that follow.
    expect(await recordTimerRun(sql)).toBeDefined()
    await sql`delete from subscription_runs`
    expect(await recordTimerRun(sql)).toBeUndefined()
  })

  test('a subscription of a customer that was merged belongs to the one that has taken its place', async () => {
    const [first, survivor] = [await makeCustomer(api, mode), await makeCustomer(api, mode)]
    const { id } = await made({ customerId: first.id, ...monthly })
    const asked = { path: lamps.path, bearer: lamps.owner.bearer, json: { intoId: survivor.id } }
    expect(await ask('POST', `/customers/${first.id}/merge`, asked)).toMatchObject({ status: 200 })
    expect(await read(id)).toMatchObject({ customerId: survivor.id })
    expect((await page<ShownSubscription>(`/subscriptions?customerId=${survivor.id}`)).data).toMatchObject([{ id }])
  })

  test('due timers are fired once by loops that run at the same time', async () => {
    const ends = new Date(Date.now() + 700).toISOString()
    const terms = { ...monthly, lines: [{ ...aLamp, unitAmountMinor: 0 }], trialEndsAt: ends }
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await made(terms)).id))
    const loops = [runSubscriptions(api), runSubscriptions(api)]
    await until(async () => {
      await Promise.all(loops.map(each => each.runOnce()))
      const statuses = await Promise.all(ids.map(async id => (await read(id)).status))
      return statuses.every(status => status === 'active')
    })
    for (const id of ids) {
      expect(await eventsOf(id)).toEqual(['created', 'trial_ending', 'activated'])
      expect(await invoicesOf(id)).toHaveLength(1)
    }
  })
})
