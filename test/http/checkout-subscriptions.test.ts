import { describe, expect, test } from 'bun:test'
import { decodeId } from '../../src/ids.ts'
import { events } from '../harness/events.ts'
import { monthly, type ShownSubscription, START, subscriptionShops } from './subscription-shop.ts'

const { server, api, sql, ask, made, pay, cancel, customerOfClock, advance } = await subscriptionShops()

type Visited = {
  readonly subscription: Partial<ShownSubscription> & {
    readonly merchantName: string
    readonly planName: string | null
  }
  readonly invoices: readonly Record<string, unknown>[]
}

const pathOf = ({ url }: Pick<ShownSubscription, 'url'>) => `/v1/checkout/subscriptions/${url?.split('/').at(-1)}`
const visit = async (subscription: Pick<ShownSubscription, 'url'>) => {
  const answer = await server.call('GET', pathOf(subscription))
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return { ...answer, ...(answer.json as Visited) }
}

const newPlan = async (more: object = {}) =>
  (await ask('POST', '/plans', { json: { ...monthly, name: 'Lamp club', ...more } })).json as { readonly id: string }

const subscribe = async (planId: string, customerEmail: string) => {
  const json = { customerEmail, customerName: 'Typed' }
  const answer = await server.call('POST', `/v1/checkout/plans/${planId}/subscriptions`, { json })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return (answer.json as { readonly subscription: ShownSubscription }).subscription
}

describe('GET /v1/checkout/subscriptions/:token', () => {
  test('200: the subscription with its invoices, and nothing that the merchant keeps for itself', async () => {
    const { customerId, clockId } = await customerOfClock()
    const { id: planId } = await newPlan({ metadata: { shelf: 'B' } })
    const subscription = await made({ customerId, planId, reference: 'contract 7', metadata: { shelf: 'C' } })
    await pay(subscription.openInvoiceId)
    await advance(clockId, '2026-12-24T12:00:00.000Z')
    const { headers, text, subscription: shown, invoices } = await visit(subscription)
    expect(Object.fromEntries(headers)).toMatchObject({
      ...{ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' },
    })
    expect(shown).toMatchObject({
      ...{ object: 'subscription', id: subscription.id, status: 'active', planId, planName: 'Lamp club' },
      ...{ merchantName: 'Lamps', access: { granted: true, until: '2026-12-30T12:00:00.000Z' }, periodIndex: 0 },
      ...{ periodStart: START, amountMinor: 4900, cancelAtPeriodEnd: false },
    })
    expect(invoices).toEqual([
      {
        ...{ id: expect.stringMatching(/^inv_/), number: expect.stringMatching(/-0002$/), status: 'open' },
        ...{ overdue: false, currency: 'EUR', totalMinor: 4900, amountProcessingMinor: 0, amountDueMinor: 4900 },
        ...{ issueDate: '2026-12-23', dueDate: '2026-12-30', url: expect.stringMatching(/\/invoices\/[\w-]{22}$/) },
        subscription: {
          ...{ id: subscription.id, periodIndex: 1 },
          ...{ periodStart: '2026-12-30T12:00:00.000Z', periodEnd: '2027-01-30T12:00:00.000Z' },
        },
      },
      expect.objectContaining({ number: expect.stringMatching(/-0001$/), status: 'paid', amountDueMinor: 0 }),
    ])
    for (const hidden of ['cus_', 'mer_', 'clk_', 'contract 7', 'shelf', '@', pathOf(subscription).slice(-22)])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false])
    const token = String(invoices[0]?.url).split('/').at(-1)
    expect((await server.call('GET', `/v1/checkout/invoices/${token}`)).status).toBe(200)
  })

  test('200: of a visitor of the page of a plan, nothing of the customer with the same e-mail address', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const json = { email, name: 'Real Name', company: 'Secret GmbH', reference: 'Secret 7' }
    expect(await ask('POST', '/customers', { json })).toMatchObject({ status: 201 })
    const { id: planId } = await newPlan()
    const known = await visit(await subscribe(planId, email))
    const unknown = await visit(await subscribe(planId, `${crypto.randomUUID()}@example.com`))
    const shapeOf = ({ text }: typeof known) =>
      text.replaceAll(/(sub|inv)_\w{26}|[\w-]{22}"|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    expect(shapeOf(known)).toBe(shapeOf(unknown))
    expect(known.text).not.toMatch(/Real|Secret|Typed|example\.com\b.*@/)
    expect(known).toMatchObject({
      subscription: { status: 'incomplete', access: { granted: false, until: null } },
      invoices: [{ number: null, status: 'draft', amountDueMinor: 4900, issueDate: null, url: expect.any(String) }],
    })
  })

  test('200: at most 24 invoices, newest first, without drafts that were deleted', async () => {
    const subscription = await subscribe((await newPlan()).id, `${crypto.randomUUID()}@example.com`)
    await sql`
      insert into invoices overriding system value
      select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'seq', 1000000 + n, 'period_index', n,
        'state', case when n = 30 then 'deleted' else 'draft' end, 'total_minor', case when n = 30 then 0 else 4900 end,
        'subtotal_minor', case when n = 30 then 0 else 4900 end, 'lines', case when n = 30 then '[]' else i.lines end,
        'taxes', case when n = 30 then '[]' else i.taxes end,
        'payment_link_id', null, 'token_hash', null, 'sealed_token', null))).*
      from invoices i cross join generate_series(1, 30) n where i.subscription_id = ${decodeId('sub', subscription.id) ?? ''}`
    const { invoices } = await visit(subscription)
    const indexes = invoices.map(each => Object(each.subscription).periodIndex)
    expect(indexes).toEqual(Array.from({ length: 24 }, (_, n) => 29 - n))
    await sql`delete from invoices where seq > 1000000`
  })

  test('404: a token that is malformed, unknown, or was replaced', async () => {
    const subscription = await made({ ...monthly })
    const path = pathOf(subscription)
    const rotated = await ask('POST', `/subscriptions/${subscription.id}/rotate-url`, { json: {} })
    expect(rotated.status).toBe(200)
    for (const old of [
      path,
      `${path}x`,
      ...['x', 'A'.repeat(22), subscription.id, '%00'].map(each => `/v1/checkout/subscriptions/${each}`),
    ])
      for (const rest of ['', '/stream'])
        expect(await server.call('GET', old + rest)).toMatchObject({
          ...{ status: 404, json: { error: { code: 'resource_not_found' } } },
        })
    await visit(rotated.json as ShownSubscription)
  })
})

describe('GET /v1/checkout/subscriptions/:token/stream', () => {
  const open = async (subscription: Pick<ShownSubscription, 'url'>, headers: Record<string, string> = {}) => {
    const stream = await events(`${server.url}${pathOf(subscription)}/stream`, headers)
    const next = async () =>
      (await stream.next()) as { readonly id: string; readonly event: string; readonly data: Visited }
    return { ...stream, next }
  }

  test('sends the subscription on connecting, and after each change of it or of an invoice that is not paid', async () => {
    const subscription = await made({ ...monthly })
    const stream = await open(subscription)
    const first = await stream.next()
    expect(first).toMatchObject({ event: 'subscription', data: { subscription: { status: 'incomplete' } } })
    const processing = { type: 'payment_processing', amountMinor: 4900 }
    const actor = decodeId('inv', subscription.openInvoiceId ?? '') ?? ''
    expect((await api.actors.dispatch({ kind: 'invoice', actor, event: processing })).ok).toBe(true)
    expect(await stream.next()).toMatchObject({ data: { invoices: [{ amountProcessingMinor: 4900 }] } })
    const reverted = { type: 'payment_reverted', amountMinor: 4900 }
    expect((await api.actors.dispatch({ kind: 'invoice', actor, event: reverted })).ok).toBe(true)
    expect(await stream.next()).toMatchObject({ data: { invoices: [{ amountProcessingMinor: 0 }] } })
    const last = await (async () => {
      await pay(subscription.openInvoiceId)
      for (;;) {
        const event = await stream.next()
        if (event.data.subscription.status === 'active') return event
      }
    })()
    expect(last.data.invoices).toMatchObject([{ status: 'paid', amountDueMinor: 0 }])
    // A client that has the last state gets nothing until there is a new one.
    const again = await open(subscription, { 'last-event-id': last.id })
    await cancel(subscription.id, {})
    expect(await again.next()).toMatchObject({ data: { subscription: { cancelAtPeriodEnd: true } } })
    expect(await stream.next()).toMatchObject({ data: { subscription: { cancelAtPeriodEnd: true } } })
    stream.leave()
    again.leave()
  })

  test('ends when the subscription gets another address', async () => {
    const subscription = await made({ ...monthly })
    const stream = await open(subscription)
    await stream.next()
    await ask('POST', `/subscriptions/${subscription.id}/rotate-url`, { json: {} })
    expect(await stream.next()).toBeUndefined()
  })
})
