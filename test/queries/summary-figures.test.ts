import { afterAll, expect, test } from 'bun:test'
import { decodeId } from '../../src/ids.ts'
import { countAttention, readBillingFigures } from '../../src/queries/summary-figures.ts'
import { makeInvoice } from '../http/invoices.ts'
import { makePayment } from '../http/payments.ts'
import { shop } from '../http/people.ts'
import { makeRefund } from '../http/refunds.ts'
import { subscriptionShops } from '../http/subscription-shop.ts'
import { call, type Endpoint, publishPaymentEvents, startServer, url } from '../http/webhooks.ts'

const { api, sql, mode, ask, begun, owing, pay, act } = await subscriptionShops()

const figures = async () => {
  const found = await readBillingFigures(sql, mode, { start: new Date(0), end: new Date('2100-01-01') })
  expect(found.length).toBeLessThanOrEqual(1)
  return found[0]
}

test('what is overdue is what is left to pay of invoices past their due date', async () => {
  const overdue = async (id: string) => {
    const event = { type: 'due_date_passed', scannedTo: new Date('2031-07-01') }
    expect((await api.actors.dispatch({ kind: 'invoice', actor: id, event })).ok).toBe(true)
  }
  const [late, partly] = [
    await makeInvoice(api, mode, { finalize: true, dueDate: '2031-06-05' }),
    await makeInvoice(api, mode, { finalize: true, dueDate: '2031-06-05' }),
  ]
  await makeInvoice(api, mode, { finalize: true, dueDate: '2031-08-05' })
  expect(await figures()).toMatchObject({ overdue: '0', overdue_count: 0 })
  await overdue(late.invoice.id)
  await overdue(partly.invoice.id)
  expect(await figures()).toMatchObject({ overdue: '9800', overdue_count: 2 })
  const credited = {
    invoiceId: partly.id,
    reason: 'other',
    lines: [{ lineId: 'line_1', amountMinor: 900 }],
  }
  expect(await ask('POST', '/credit-notes', { json: credited })).toMatchObject({ status: 201 })
  expect(await figures()).toMatchObject({ overdue: '8900', overdue_count: 2 })
  await pay(partly.id)
  expect(await figures()).toMatchObject({ overdue: '4900', overdue_count: 1 })
})

test('a subscription that owes brings in its sum, a paused one and a trial nothing', async () => {
  await begun()
  await begun({ trialDays: 30 })
  await owing()
  expect(await figures()).toMatchObject({ mrr: '9800', trialing: 1, active: 1, past_due: 1, paused: 0 })
  expect(await act(await owing(), 'pause')).toMatchObject({ status: 200 })
  expect(await figures()).toMatchObject({ mrr: '9800', trialing: 1, active: 1, past_due: 1, paused: 1 })
}, 60_000)

const server = await startServer()
afterAll(() => server[Symbol.asyncDispose]())

test('attention counts each kind of record that waits for a person, of its merchant and mode', async () => {
  const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
  const test = { merchantId: lamps.merchantId, livemode: false }
  const counted = async (whose: { merchantId: string; livemode: boolean } = test, chains = [31337]) =>
    Object.fromEntries((await countAttention(server.sql, whose, chains)).map(({ kind, count }) => [kind, count]))
  expect(await counted()).toEqual({})

  await makePayment(server.api, test, 'underpaid')
  await makePayment(server.api, test, 'success')
  expect(await counted()).toEqual({ payments: 1 })

  const endpoints = ['https://one.example', 'https://two.example', 'https://three.example'].map(
    async each =>
      (
        await call<Endpoint>(server, lamps, 'POST', 'webhook-endpoints', {
          json: { url: `${each}${new URL(url).pathname}`, eventTypes: ['payment.created'] },
        })
      ).record,
  )
  const [sending, failing, off] = await Promise.all(endpoints)
  await publishPaymentEvents(server.api, lamps)
  const of = async (endpoint: Endpoint | undefined) => {
    const id = decodeId('whe', endpoint?.id ?? '') ?? ''
    const [row] = await server.sql<{ id: string }[]>`select id from deliveries where endpoint_id = ${id} limit 1`
    return row?.id ?? ''
  }
  const failed = await of(sending)
  for (const type of ['attempt_started', 'attempt_failed_permanently']) {
    const [row] = await server.sql<{ attempts: number }[]>`select attempts from deliveries where id = ${failed}`
    const event = { type, attempt: row?.attempts, jitter: 0, retryAfterSeconds: null }
    expect((await server.api.actors.dispatch({ kind: 'delivery', actor: failed, event })).ok).toBe(true)
  }
  expect(await counted()).toEqual({ payments: 1, webhook_deliveries: 1 })

  await server.sql`
    select disable_webhook_endpoint(id, 'gone', enabled_at, '{}') from webhook_endpoints
    where id = ${decodeId('whe', failing?.id ?? '') ?? ''}`
  // One that its merchant has disabled waits for nothing.
  await call(server, lamps, 'PATCH', `webhook-endpoints/${off?.id}`, { json: { status: 'disabled' } })
  expect(await counted()).toEqual({ payments: 1, webhook_deliveries: 1, webhook_endpoints: 1 })

  await makeRefund(server.api, test)
  expect(await counted()).toEqual({ payments: 1, webhook_deliveries: 1, webhook_endpoints: 1 })
  // The operator has taken its chain off.
  expect(await counted(test, [])).toEqual({ payments: 1, refunds: 1, webhook_deliveries: 1, webhook_endpoints: 1 })

  const { invoice } = await makeInvoice(server.api, test, { finalize: true, dueDate: '2031-06-05' })
  expect(await counted()).not.toHaveProperty('overdue_invoices')
  const event = { type: 'due_date_passed', scannedTo: new Date('2031-07-01') }
  expect((await server.api.actors.dispatch({ kind: 'invoice', actor: invoice.id, event })).ok).toBe(true)
  expect(await counted()).toEqual({ payments: 1, webhook_deliveries: 1, webhook_endpoints: 1, overdue_invoices: 1 })

  expect(await counted({ ...test, livemode: true })).toEqual({})
  expect(await counted({ merchantId: chairs.merchantId, livemode: false })).toEqual({})

  await call(server, lamps, 'DELETE', `webhook-endpoints/${sending?.id}`)
  expect(await counted()).toMatchObject({ payments: 1, webhook_endpoints: 1, overdue_invoices: 1 })
  expect(await counted()).not.toHaveProperty('webhook_deliveries')
})
