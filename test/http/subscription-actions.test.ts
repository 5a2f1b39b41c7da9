import { describe, expect, test } from 'bun:test'
import { archivePlan } from '../../src/commands/plans.ts'
import { changePrice, pauseSubscription } from '../../src/commands/subscription-actions.ts'
import { createSubscription } from '../../src/commands/subscriptions.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import type { invoicePreviewRecord } from '../../src/records/invoice-preview.ts'
import { passSubscriptionTimers } from '../../src/server/subscription-loop.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from './customers.ts'
import { aLamp } from './invoices.ts'
import { makePlan } from './plans.ts'
import { monthly, subscriptionShops } from './subscription-shop.ts'
import { newKey } from './two-shops.ts'

const { api, sql, mode, lamps, chairsKey, ask, page, ...shop } = await subscriptionShops()
const { customerOfClock, create, made, read, cancel, act, invoicesOf, pay, eventsOf, advance } = shop

const LEAD = '2026-12-23T12:00:00.000Z'
const FIRST_END = '2026-12-30T12:00:00.000Z'
const SECOND_END = '2027-01-30T12:00:00.000Z'
const twoLamps = [{ ...aLamp, quantity: '2' }]

/** A monthly subscription in its first period, at its beginning. */
const begun = async (json: object = {}) => {
  const { customerId, clockId } = await customerOfClock()
  const { id, openInvoiceId } = await made({ customerId, ...monthly, ...json })
  if (openInvoiceId !== null) await pay(openInvoiceId)
  return { id, clockId, customerId }
}
/** The next invoice is issued, and not paid. */
const invoiced = async (json: object = {}) => {
  const subscription = await begun(json)
  await advance(subscription.clockId, LEAD)
  return subscription
}
const isRefused = async (answer: ReturnType<typeof act>, status: string) =>
  expect(await answer).toMatchObject({
    ...{ status: 409, error: { code: 'state_conflict', details: { status, possible: expect.any(Array) } } },
  })
const statusesOf = async (id: string) => (await invoicesOf(id)).map(({ status }) => status)
type Preview = ReturnType<typeof invoicePreviewRecord.render>

describe('POST /v1/subscriptions/:id/pause and /resume', () => {
  test('the paid period runs out; resumed, it begins with the next period as counted from the anchor', async () => {
    const { id, clockId } = await invoiced()
    expect(await act(id, 'pause')).toMatchObject({
      ...{ status: 200, json: { status: 'active', nextInvoiceAt: null, openInvoiceId: null, resumesAt: null } },
    })
    expect(await statusesOf(id)).toEqual(['paid', 'void'])
    await isRefused(act(id, 'pause'), 'active')
    await advance(clockId, '2027-02-10T12:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'paused', periodIndex: 0, access: { granted: false, until: null } })
    const nextInvoiceAt = '2027-02-21T12:00:00.000Z'
    expect(await act(id, 'resume')).toMatchObject({ status: 200, json: { status: 'paused', nextInvoiceAt } })
    await isRefused(act(id, 'resume'), 'paused')
    await advance(clockId, nextInvoiceAt)
    await pay((await read(id)).openInvoiceId)
    await advance(clockId, '2027-02-28T12:00:00.000Z')
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 3, periodEnd: '2027-03-30T12:00:00.000Z' })
    expect(await statusesOf(id)).toEqual(['paid', 'void', 'paid'])
    expect(await eventsOf(id)).toEqual(['created', 'activated', 'updated', 'paused', 'resumed'])
  })

  test('with `resumesAt` it is resumed by itself; without money it is past due then', async () => {
    const { id, clockId } = await begun()
    const resumesAt = '2027-02-10T00:00:00.000Z'
    expect(await act(id, 'pause', { resumesAt })).toMatchObject({ status: 200, json: { status: 'active', resumesAt } })
    await advance(clockId, '2027-02-20T12:00:00.000Z')
    expect(await read(id)).toMatchObject({
      ...{ status: 'paused', resumesAt: null, nextInvoiceAt: '2027-02-21T12:00:00.000Z' },
    })
    await advance(clockId, '2027-03-01T12:00:00.000Z')
    expect(await read(id)).toMatchObject({
      status: 'past_due',
      periodIndex: 2,
      graceEndsAt: '2027-03-07T12:00:00.000Z',
    })
    expect(await eventsOf(id)).toEqual(['created', 'activated', 'updated', 'paused', 'resumed', 'past_due'])
  })

  test('a pause that has not begun is withdrawn, and the next period is invoiced again', async () => {
    const { id, clockId } = await invoiced()
    await act(id, 'pause', { resumesAt: '2027-05-01T00:00:00.000Z' })
    expect(await act(id, 'resume')).toMatchObject({ status: 200, json: { status: 'active', resumesAt: null } })
    await advance(clockId, FIRST_END)
    expect(await statusesOf(id)).toEqual(['paid', 'void', 'open'])
    expect(await read(id)).toMatchObject({ status: 'past_due' })
  })

  test('in `past_due` immediately, unless money was sent for what is owed', async () => {
    const { id, clockId } = await invoiced()
    await advance(clockId, SECOND_END.replace('30', '02'))
    expect(await read(id)).toMatchObject({ status: 'past_due' })
    expect(await act(id, 'pause')).toMatchObject({ status: 200, json: { status: 'paused', graceEndsAt: null } })
    expect(await statusesOf(id)).toEqual(['paid', 'void'])
    expect(await act(id, 'cancel')).toMatchObject({ status: 200, json: { status: 'canceled', endReason: 'requested' } })
  })

  test('after a next period that is paid already', async () => {
    const { id, clockId } = await invoiced()
    await pay((await read(id)).openInvoiceId)
    expect(await act(id, 'pause')).toMatchObject({ status: 200 })
    await advance(clockId, FIRST_END)
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 1, nextInvoiceAt: null })
    await advance(clockId, SECOND_END)
    expect(await read(id)).toMatchObject({ status: 'paused', periodIndex: 1 })
  })

  test('refused: a trial, a first invoice that is not paid, a canceled one', async () => {
    await isRefused(act((await made({ ...monthly, trialDays: 30 })).id, 'pause'), 'trialing')
    const { id } = await made(monthly)
    for (const action of ['pause', 'resume', 'uncancel', 'change'])
      await isRefused(act(id, action, action === 'change' ? { lines: twoLamps } : {}), 'incomplete')
    const { id: canceled } = await begun()
    await cancel(canceled, { at: 'now' })
    for (const action of ['pause', 'resume', 'uncancel', 'change', 'cancel'])
      await isRefused(act(canceled, action, action === 'change' ? { lines: twoLamps } : {}), 'canceled')
    await isRefused(ask('PATCH', `/subscriptions/${canceled}`, { json: { reference: 'late' } }), 'canceled')
    const { id: canceling } = await begun()
    await cancel(canceling)
    await isRefused(act(canceling, 'pause'), 'active')
    await isRefused(act(canceling, 'resume'), 'active')
  })

  test.each<[string, unknown]>([
    ['the end of the current period', FIRST_END],
    ['the past', '2026-01-01T00:00:00.000Z'],
    ['more than ten years ahead', '2036-12-01T00:00:00.000Z'],
    ['no time', '2027-02-30T00:00:00Z'],
    ['a number', 7],
  ])('refused: resumesAt is %s', async (_, resumesAt) => {
    const { id } = await begun()
    const error = { code: 'parameter_invalid', param: 'resumesAt' }
    expect(await act(id, 'pause', { resumesAt })).toMatchObject({ status: 400, error })
    expect(await read(id)).toMatchObject({ resumesAt: null, nextInvoiceAt: LEAD })
  })
})

describe('POST /v1/subscriptions/:id/uncancel', () => {
  test('the subscription continues, and the next period is invoiced again', async () => {
    const { id, clockId } = await invoiced()
    await isRefused(act(id, 'uncancel'), 'active')
    await cancel(id)
    const asked = { headers: newKey() }
    const first = await act(id, 'uncancel', {}, asked)
    expect(first).toMatchObject({ status: 200, json: { cancelAtPeriodEnd: false, canceledAt: null } })
    expect((await act(id, 'uncancel', {}, asked)).text).toBe(first.text)
    await advance(clockId, '2026-12-24T12:00:00.000Z')
    await pay((await read(id)).openInvoiceId)
    await advance(clockId, FIRST_END)
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 1 })
    expect(await statusesOf(id)).toEqual(['paid', 'void', 'paid'])
    expect(await eventsOf(id)).toEqual(['created', 'activated', 'updated', 'updated', 'renewed'])
  })
})

describe('POST /v1/subscriptions/:id/change', () => {
  test('the invoice of the next period is voided and issued again with the new price', async () => {
    const { id, clockId } = await invoiced()
    const plan = encodeId('plan', (await makePlan(api, mode, { lines: twoLamps })).id)
    const changed = await act(id, 'change', { planId: plan })
    expect(changed).toMatchObject({
      status: 200,
      json: {
        ...{ planId: null, amountMinor: 4_900, openInvoiceId: null },
        pendingChange: { planId: plan, amountMinor: 9_800, periodIndex: 1 },
      },
    })
    await advance(clockId, '2026-12-24T12:00:00.000Z')
    const invoices = await page<{ status: string; totalMinor: number }>(`/subscriptions/${id}/invoices?order=asc`)
    expect(invoices.data.map(({ status, totalMinor }) => [status, totalMinor])).toEqual([
      ['paid', 4_900],
      ['void', 4_900],
      ['open', 9_800],
    ])
    await pay((await read(id)).openInvoiceId)
    await advance(clockId, FIRST_END)
    expect(await read(id)).toMatchObject({
      ...{ planId: plan, amountMinor: 9_800, pendingChange: null, periodIndex: 1, lines: [{ quantity: '2' }] },
    })
    expect(await act(id, 'change', { lines: [aLamp] })).toMatchObject({
      json: { planId: plan, pendingChange: { planId: null, amountMinor: 4_900, periodIndex: 2 } },
    })
  })

  test('a next period that is paid keeps its price', async () => {
    const { id, clockId } = await invoiced()
    await pay((await read(id)).openInvoiceId)
    await act(id, 'change', { lines: twoLamps })
    await advance(clockId, FIRST_END)
    expect(await read(id)).toMatchObject({ amountMinor: 4_900, periodIndex: 1, pendingChange: { periodIndex: 2 } })
    await advance(clockId, SECOND_END)
    expect(await read(id)).toMatchObject({ status: 'past_due', amountMinor: 4_900 })
    await pay((await read(id)).openInvoiceId)
    expect(await read(id)).toMatchObject({ amountMinor: 9_800, periodIndex: 2, pendingChange: null })
    expect((await invoicesOf(id)).length).toBe(3)
  })

  test('in a trial the first period costs the new price', async () => {
    const { id, clockId } = await begun({ trialDays: 14 })
    await act(id, 'change', { lines: twoLamps })
    await act(id, 'change', { lines: [{ ...aLamp, quantity: '3' }] })
    await advance(clockId, '2026-12-10T12:00:00.000Z')
    expect(await page(`/subscriptions/${id}/invoices`)).toMatchObject({ data: [{ totalMinor: 14_700 }] })
  })

  test('404, 409, 422: a plan that cannot be changed to', async () => {
    const { id } = await begun()
    const refusalOf = async (json: object) => {
      const { status, error } = await act(id, 'change', json)
      return [status, error?.code, error?.param]
    }
    const planned = async (fields: Parameters<typeof makePlan>[2]) =>
      encodeId('plan', (await makePlan(api, mode, fields)).id)
    expect(await refusalOf({})).toEqual([400, 'parameter_missing', 'planId'])
    const planId = await planned({})
    expect(await refusalOf({ planId, lines: [aLamp] })).toEqual([400, 'parameter_invalid', 'lines'])
    expect(await refusalOf({ lines: [] })).toEqual([400, 'parameter_invalid', 'lines'])
    expect(await refusalOf({ lines: [{ ...aLamp, unitAmountMinor: -1 }] })).toEqual([
      ...[422, 'invoice_total_out_of_range', 'lines'],
    ])
    expect(await refusalOf({ planId: 'plan_1' })).toEqual([400, 'parameter_invalid', 'planId'])
    const missing = encodeId('plan', crypto.randomUUID())
    expect(await refusalOf({ planId: missing })).toEqual([404, 'resource_not_found', 'planId'])
    const live = encodeId('plan', (await makePlan(api, { ...mode, livemode: true })).id)
    expect(await refusalOf({ planId: live })).toEqual([404, 'resource_not_found', 'planId'])
    expect(await refusalOf({ planId: await planned({ currency: 'USD' }) })).toEqual([
      422,
      'currency_mismatch',
      'planId',
    ])
    expect(await refusalOf({ planId: await planned({ interval: 'year' }) })).toEqual([
      ...[400, 'parameter_invalid', 'planId'],
    ])
    expect(await refusalOf({ planId: await planned({ intervalCount: 2 }) })).toEqual([
      ...[400, 'parameter_invalid', 'planId'],
    ])
    expect(await ask('POST', `/plans/${planId}/archive`)).toMatchObject({ status: 200 })
    expect(await refusalOf({ planId })).toEqual([409, 'plan_archived', 'planId'])
    expect(await read(id)).toMatchObject({ pendingChange: null })
  })

  test('409: in the last period', async () => {
    const { id } = await begun({ maxPeriods: 1 })
    await isRefused(act(id, 'change', { lines: twoLamps }), 'active')
  })

  test('a plan that is archived after it was read is not taken', async () => {
    const requester = { cause: 'test', responseRows: () => [] }
    const archiving = (planId: string) => {
      let isArchived = false
      const dispatchBundle: typeof api.actors.dispatchBundle = async commands => {
        if (!isArchived) {
          isArchived = true
          await archivePlan(api, { id: planId, ...mode }, requester)
        }
        return api.actors.dispatchBundle(commands)
      }
      return { ...api, actors: { ...api.actors, dispatchBundle } }
    }
    const { id } = await begun()
    const key = { id: decodeId('sub', id) ?? '', ...mode }
    const plan = await makePlan(api, mode)
    await expect(changePrice(archiving(plan.id), key, { planId: plan.id }, requester)).rejects.toMatchObject({
      code: 'plan_archived',
    })
    expect(await read(id)).toMatchObject({ pendingChange: null })
  })

  test('a subscription is not created while another commit is changing its plan', async () => {
    const plan = await makePlan(api, mode, { trialDays: 30 })
    const { customer } = await makeCustomer(api, mode)
    let tries = 0
    const dispatchBundle: typeof api.actors.dispatchBundle = commands => {
      tries++
      return api.actors.dispatchBundle(commands)
    }
    const request = {
      ...{ owner: mode, customer: { id: customer.id }, terms: { planId: plan.id }, anchorAt: undefined },
      ...{ trialDays: undefined, trialEndsAt: undefined, reference: null, metadata: {} },
    }
    let creating: ReturnType<typeof createSubscription> | undefined
    await sql.begin(async tx => {
      await tx`select from plans where id = ${plan.id} for no key update`
      const services = { ...api, actors: { ...api.actors, dispatchBundle } }
      creating = createSubscription(services, request, { cause: 'test', responseRows: () => [] })
      await Promise.race([creating, until(async () => tries > 1)])
    })
    expect(await creating).toMatchObject({ state: 'trialing' })
    expect(tries).toBeGreaterThan(1)
  })

  test('plans are archived while subscriptions are created: none is created afterwards', async () => {
    for (let round = 0; round < 5; round++) {
      const planId = encodeId('plan', (await makePlan(api, mode, { trialDays: 30 })).id)
      const { id: customerId } = await makeCustomer(api, mode)
      const creations = Array.from({ length: 6 }, () => create({ customerId, planId }))
      const archived = ask('POST', `/plans/${planId}/archive`)
      const answers = await Promise.all([
        ...creations,
        ...Array.from({ length: 6 }, () => create({ customerId, planId })),
      ])
      expect(await archived).toMatchObject({ status: 200 })
      for (const { status, error } of answers)
        expect([status, error?.code]).toBeOneOf([
          [201, undefined],
          [409, 'plan_archived'],
        ])
      expect(await create({ customerId, planId })).toMatchObject({ status: 409, error: { code: 'plan_archived' } })
    }
  })
})

describe('PATCH /v1/subscriptions/:id', () => {
  const patch = (id: string, json: object) => ask('PATCH', `/subscriptions/${id}`, { json })

  test('changes the fields that are sent, and the times that follow from them', async () => {
    const { id } = await begun({ metadata: { shelf: 'A' } })
    const changes = { metadata: { shelf: 'B' }, reference: 'contract 8', graceDays: 3, leadDays: 2, verified: false }
    expect(await patch(id, changes)).toMatchObject({
      ...{ status: 200, json: { ...changes, nextInvoiceAt: '2026-12-28T12:00:00.000Z', amountMinor: 4_900 } },
    })
    expect(await patch(id, { reference: null })).toMatchObject({ json: { ...changes, reference: null } })
    expect((await eventsOf(id)).slice(2)).toEqual(['updated', 'updated'])
  })

  test('a grace that has begun becomes longer', async () => {
    const { id, clockId } = await invoiced()
    await advance(clockId, FIRST_END)
    expect(await read(id)).toMatchObject({ status: 'past_due', graceEndsAt: '2027-01-06T12:00:00.000Z' })
    const graceEndsAt = '2027-01-09T12:00:00.000Z'
    expect(await patch(id, { graceDays: 10 })).toMatchObject({
      ...{ status: 200, json: { status: 'past_due', graceEndsAt, access: { granted: true, until: graceEndsAt } } },
    })
    await advance(clockId, '2027-01-09T11:59:59.999Z')
    expect(await read(id)).toMatchObject({ status: 'past_due' })
    expect(await patch(id, { graceDays: 0 })).toMatchObject({ json: { graceEndsAt: FIRST_END } })
    await advance(clockId, graceEndsAt)
    expect(await read(id)).toMatchObject({ status: 'canceled', endReason: 'unpaid' })
  })

  test.each<[string, object]>([
    ['graceDays', { graceDays: 28 }],
    ['leadDays', { leadDays: 28 }],
    ['leadDays', { leadDays: -1 }],
    ['graceDays', { graceDays: 1.5 }],
    ['verified', { verified: 'yes' }],
    ['reference', { reference: 'x'.repeat(201) }],
    ['metadata.shelf', { metadata: { shelf: 7 } }],
    ['currency', { currency: 'USD' }],
  ])('400: %s', async (param, json) => {
    const { id } = await made({ ...monthly, trialDays: 30 })
    expect(await patch(id, json)).toMatchObject({ status: 400, error: { param } })
  })
})

describe('an invoice that the merchant voids', () => {
  const voided = async (id: string) => {
    const { openInvoiceId } = await read(id)
    expect(await ask('POST', `/invoices/${openInvoiceId}/void`)).toMatchObject({
      status: 200,
      json: { status: 'void' },
    })
    return read(id)
  }

  test('of the next period: that period costs nothing', async () => {
    const { id, clockId } = await invoiced()
    expect(await voided(id)).toMatchObject({ status: 'active', openInvoiceId: null, periodIndex: 0 })
    await advance(clockId, FIRST_END)
    expect(await read(id)).toMatchObject({ status: 'active', periodIndex: 1 })
    expect(await statusesOf(id)).toEqual(['paid', 'void'])
    await advance(clockId, SECOND_END)
    expect(await read(id)).toMatchObject({ status: 'past_due', periodIndex: 1 })
  })

  test('of the next period: a cancellation is not put off by it, and a change invoices it again', async () => {
    const [canceled, changed] = [await invoiced(), await invoiced()]
    await voided(canceled.id)
    await cancel(canceled.id)
    await voided(changed.id)
    await act(changed.id, 'change', { lines: twoLamps })
    for (const { clockId } of [canceled, changed]) await advance(clockId, FIRST_END)
    expect(await read(canceled.id)).toMatchObject({ status: 'canceled', endedAt: FIRST_END })
    expect(await read(changed.id)).toMatchObject({ status: 'past_due' })
    expect(await statusesOf(changed.id)).toEqual(['paid', 'void', 'open'])
  })

  test('that is owed: the subscription is renewed; one that is being canceled ends', async () => {
    const { id, clockId } = await invoiced()
    await advance(clockId, FIRST_END)
    expect(await voided(id)).toMatchObject({ status: 'active', periodIndex: 1, graceEndsAt: null, openInvoiceId: null })
    const { id: immediate, clockId: itsClock } = await customerOfClock().then(async ({ customerId, clockId }) => ({
      ...(await made({ customerId, ...monthly, activation: 'immediate' })),
      clockId,
    }))
    expect(await voided(immediate)).toMatchObject({ status: 'active', periodIndex: 0 })
    await advance(itsClock, '2026-12-15T00:00:00.000Z')
    expect(await read(immediate)).toMatchObject({ status: 'active' })
  })

  test('that is the first one: the subscription expires', async () => {
    const { id } = await made(monthly)
    expect(await voided(id)).toMatchObject({ status: 'expired', endReason: 'incomplete', openInvoiceId: null })
    expect(await eventsOf(id)).toEqual(['created', 'expired'])
  })

  test('at the same time as a cancellation: one credit note', async () => {
    for (let round = 0; round < 3; round++) {
      const { id } = await invoiced()
      const { openInvoiceId } = await read(id)
      const [canceled, byHand] = await Promise.all([cancel(id), ask('POST', `/invoices/${openInvoiceId}/void`)])
      expect(canceled.status).toBe(200)
      expect([200, 409]).toContain(byHand.status)
      expect(await page(`/credit-notes?invoiceId=${openInvoiceId}`)).toMatchObject({
        data: [{ reason: 'cancellation' }],
      })
      expect(await read(id)).toMatchObject({ cancelAtPeriodEnd: true, openInvoiceId: null })
    }
  })
})

describe('GET /v1/subscriptions/:id/preview', () => {
  const preview = async (id: string) => (await ask('GET', `/subscriptions/${id}/preview`)).json as Preview
  const issued = ({ lines, taxes, subtotalMinor, taxMinor, totalMinor, creditAppliedMinor }: Preview) => ({
    ...{ lines, taxes, subtotalMinor, taxMinor, totalMinor, creditAppliedMinor },
  })

  test('is what is issued then, with the credit of the customer', async () => {
    const taxed = { ...monthly, lines: [{ ...aLamp, taxRateBps: 1_900 }], taxBehavior: 'exclusive' }
    const { id, clockId, customerId } = await begun(taxed)
    const credit = { currency: 'EUR', amountMinor: 1_000, note: 'Sorry' }
    const asked = { path: lamps.path, bearer: lamps.owner.bearer, json: credit }
    expect(await ask('POST', `/customers/${customerId}/credit`, asked)).toMatchObject({ status: 201 })
    const first = await preview(id)
    expect(first).toMatchObject({
      ...{ object: 'invoice_preview', subscriptionId: id, customerId, periodIndex: 1, finalizesAt: LEAD },
      ...{ periodStart: FIRST_END, periodEnd: SECOND_END, dueDate: '2026-12-30', livemode: false },
      ...{ subtotalMinor: 4_900, taxMinor: 931, totalMinor: 5_831, creditAppliedMinor: 1_000, amountDueMinor: 4_831 },
    })
    await advance(clockId, LEAD)
    const { json: invoice } = await ask('GET', `/invoices/${(await read(id)).openInvoiceId}`)
    expect(invoice).toMatchObject({
      ...{
        ...issued(first),
        dueDate: first.dueDate,
        issuedAt: first.finalizesAt,
        amountDueMinor: first.amountDueMinor,
      },
      subscription: { id, periodIndex: 1, periodStart: first.periodStart, periodEnd: first.periodEnd },
    })
    // Then the one after it, without the credit.
    expect(await preview(id)).toMatchObject({ periodIndex: 2, periodStart: SECOND_END, creditAppliedMinor: 0 })
    await act(id, 'change', { lines: twoLamps })
    expect(await preview(id)).toMatchObject({
      periodIndex: 1,
      finalizesAt: LEAD,
      totalMinor: 9_800,
      creditAppliedMinor: 1_000,
    })
  })

  test('of a trial, of one that is past due, and of one that is resumed', async () => {
    const { id: trialing } = await begun({ trialDays: 14 })
    expect(await preview(trialing)).toMatchObject({ periodIndex: 0, periodStart: '2026-12-14T12:00:00.000Z' })
    const { id, clockId } = await invoiced()
    await advance(clockId, FIRST_END)
    expect(await preview(id)).toMatchObject({ periodIndex: 2, periodStart: SECOND_END })
    await act(id, 'pause')
    await isRefused(ask('GET', `/subscriptions/${id}/preview`), 'paused')
    await act(id, 'resume')
    expect(await preview(id)).toMatchObject({ periodIndex: 2, periodStart: SECOND_END })
  })

  test('409: there is no next invoice', async () => {
    const none = (id: string, status: string) => isRefused(ask('GET', `/subscriptions/${id}/preview`), status)
    await none((await made(monthly)).id, 'incomplete')
    const { id } = await begun({ maxPeriods: 2 })
    expect(await preview(id)).toMatchObject({ periodIndex: 1 })
    await cancel(id)
    await none(id, 'active')
    await act(id, 'uncancel')
    await cancel(id, { at: 'now' })
    await none(id, 'canceled')
    await none((await begun({ maxPeriods: 1 })).id, 'active')
  })
})

describe('GET /v1/subscriptions/:id/invoices', () => {
  test('its invoices alone, in pages; 404 for another merchant', async () => {
    const { id } = await invoiced()
    await act(id, 'pause')
    await begun()
    const all = (await invoicesOf(id)).map(invoice => invoice.id)
    const path = `/subscriptions/${id}/invoices`
    const first = await page<{ id: string }>(`${path}?limit=1`)
    expect(first).toMatchObject({ status: 200, data: [{ id: all[1] }], has_more: true })
    expect(await page(`${path}?limit=1&startingAfter=${all[1]}`)).toMatchObject({
      data: [{ id: all[0] }],
      has_more: false,
    })
    expect(await ask('GET', `${path}?status=paid`)).toMatchObject({ status: 400, error: { param: 'status' } })
    for (const name of ['invoices', 'preview'])
      expect(await ask('GET', `/subscriptions/${id}/${name}`, { bearer: chairsKey })).toMatchObject({ status: 404 })
    for (const action of ['pause', 'resume', 'uncancel'])
      expect(await act(id, action, {}, { bearer: chairsKey })).toMatchObject({ status: 404 })
    const member = { path: lamps.path, bearer: lamps.owner.bearer }
    expect((await page<{ id: string }>(path, member)).data.map(invoice => invoice.id)).toEqual(all.toReversed())
    expect(await act(id, 'resume', {}, member)).toMatchObject({ status: 200 })
  })
})

describe('at the same time', () => {
  test.each(['pause', 'change'] as const)(
    '%s is planned again if the next invoice is issued after it was read',
    async action => {
      const { id, clockId } = await begun()
      let planned = 0
      const dispatchBundle: typeof api.actors.dispatchBundle = async commands => {
        if (planned++ === 0) await advance(clockId, LEAD)
        return api.actors.dispatchBundle(commands)
      }
      const services = { ...api, actors: { ...api.actors, dispatchBundle } }
      const key = { id: decodeId('sub', id) ?? '', ...mode }
      const requester = { cause: 'test', responseRows: () => [] }
      const changed =
        action === 'pause'
          ? await pauseSubscription(services, key, null, requester)
          : await changePrice(services, key, { lines: twoLamps }, requester)
      expect(planned).toBeGreaterThan(1)
      expect(changed).toMatchObject({ state: 'active', context: { unpaid: [], invoicedIndex: 0 } })
      expect(await statusesOf(id)).toEqual(['paid', 'void'])
    },
  )

  test('of several equal requests one is accepted', async () => {
    const { id } = await invoiced()
    const five = (action: string) => Promise.all(Array.from({ length: 5 }, () => act(id, action)))
    for (const action of ['pause', 'resume', 'cancel', 'uncancel']) {
      const answers = await five(action)
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
      for (const { status, error } of answers.filter(answer => answer.status === 409))
        expect([status, error]).toMatchObject([409, { code: 'state_conflict', details: { status: 'active' } }])
    }
    expect(await statusesOf(id)).toEqual(['paid', 'void'])
    expect((await eventsOf(id)).slice(2)).toEqual(['updated', 'updated', 'updated', 'updated'])
  })

  test('pause, cancel, change and the boundary in any order: each invoice is voided once, each period invoiced once', async () => {
    for (let round = 0; round < 6; round++) {
      const { id, clockId } = await invoiced()
      if (round % 2 === 0) await pay((await read(id)).openInvoiceId)
      const clock = decodeId('clk', clockId) ?? ''
      // Everything of the clock is due, and is applied while the requests run.
      await sql`update test_clocks set now = ${new Date(FIRST_END)} where id = ${clock}`
      const requests = [
        () => act(id, 'pause'),
        () => cancel(id),
        () => act(id, 'change', { lines: twoLamps }),
        () => cancel(id, { at: 'now' }),
      ]
      const first = round % requests.length
      const [, ...answers] = await Promise.all([
        passSubscriptionTimers(api, clock),
        ...[...requests.slice(first), ...requests.slice(0, first)].map(request => request()),
      ])
      for (const { status, error } of answers)
        if (status !== 200)
          expect([status, error]).toMatchObject([
            ...[409, { code: 'state_conflict', details: { status: expect.any(String), possible: expect.any(Array) } }],
          ])
      expect(answers.some(({ status }) => status === 200)).toBe(true)
      while ((await passSubscriptionTimers(api, clock)) > 0);
      const invoices = await sql<{ index: number; live: number; notes: number; voided: number }[]>`
        select i.period_index as index, count(*) filter (where i.state <> 'void')::integer as live,
          count(*) filter (where i.state = 'void')::integer as voided,
          count(n.id) filter (where i.state = 'void')::integer as notes
        from invoices i left join credit_notes n on n.invoice_id = i.id
        where i.subscription_id = ${decodeId('sub', id) ?? ''} group by 1 order by 1`
      for (const { live, notes, voided } of invoices) {
        expect(live).toBeLessThanOrEqual(1)
        expect(notes).toBe(voided)
      }
      const boundaries = await sql`
        select from transitions where actor = ${decodeId('sub', id) ?? ''} and event like 'after.boundary.%'`
      expect(boundaries.length).toBeLessThanOrEqual(1)
      expect(['canceled', 'past_due', 'active', 'paused']).toContain((await read(id)).status)
    }
  })
})
