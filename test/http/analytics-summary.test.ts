import { expect, test } from 'bun:test'
import { feedLagMs } from '../../src/actors/feed.ts'
import { analyticsRoutes } from '../../src/http/analytics.ts'
import { refundTransactionRoutes } from '../../src/http/refund-transactions.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId } from '../../src/ids.ts'
import { paymentSumsReader } from '../../src/queries/payment-sums.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from './customers.ts'
import { aLamp, makeInvoice } from './invoices.ts'
import { paid } from './payments.ts'
import { member } from './people.ts'
import { customerAddress, refundCalls } from './refunds.ts'
import { makeSubscription } from './subscriptions.ts'
import { twoShops } from './two-shops.ts'

const shops = await twoShops({ routes: [...analyticsRoutes, ...refundRoutes, ...refundTransactionRoutes] })
const { server, lamps, chairs, ask } = shops
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }

const summary = async (query = '', { path, owner: { bearer } } = lamps) =>
  (await ask('GET', '', { path: `${path}/analytics/summary${query}`, bearer })).json as {
    readonly asOf: string
    readonly totals: readonly object[]
    readonly billing: readonly object[]
    readonly attention: readonly object[]
  }
const readAll = () => until(async () => (await paymentSumsReader.add(sql, 100)) === 0)

test('a shop without anything has no figures', async () => {
  expect(await summary()).toMatchObject({ totals: [], billing: [], attention: [] })
})

test('refunds count when they are processed', async () => {
  const { actor, id } = await paid(api, mode)
  const { made } = refundCalls(shops)
  const { id: refund } = await made(id, { amountMinor: 300, destination: customerAddress })
  await readAll()
  const before = {
    currency: 'USD',
    succeeded: 1,
    volumeMinor: 1_000,
    refundsCount: 0,
    refundedMinor: 0,
    netMinor: 1_000,
  }
  expect((await summary()).totals).toMatchObject([before])
  const txHash = `0x${'1'.repeat(64)}`
  await ask('POST', `/refunds/${refund}/transaction`, {
    json: { txHash },
    path: lamps.path,
    bearer: lamps.owner.bearer,
  })
  const outcome = await api.actors.dispatchBundle([
    {
      ...{ kind: 'refund', actor: decodeId('re', refund) ?? '', cause: 'chain:31337' },
      event: { type: 'transaction_verified', txHash, confirmations: 3 },
    },
    { kind: 'payment', actor, event: { type: 'refund_processed', amountMinor: 300 }, cause: 'chain:31337' },
  ])
  expect(outcome.ok).toBe(true)
  await readAll()
  expect((await summary()).totals).toMatchObject([{ ...before, refundsCount: 1, refundedMinor: 300, netMinor: 700 }])
  expect((await summary('?to=2026-01-01')).totals).toEqual([])
})

test('invoices count when they are issued and paid, and what is owed and credited counts now', async () => {
  const { customer } = await makeCustomer(api, mode)
  // Paid from credit when it is issued.
  await sql`
    insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, created_at)
    values (${customer.id}, 'EUR', new_uuidv7(), ${mode.merchantId}, false, 'adjustment', 6000, now())`
  await makeInvoice(api, mode, { customerId: customer.id, finalize: true })
  await makeInvoice(api, mode, { customerId: customer.id, finalize: true })
  await makeInvoice(api, mode, { customerId: customer.id })
  const figures = { currency: 'EUR', invoicedMinor: 9_800, invoicePaidMinor: 4_900, overdueMinor: 0, overdueCount: 0 }
  expect((await summary()).billing).toMatchObject([{ ...figures, creditMinor: 0 }])
  expect((await summary('?to=2026-01-01')).billing).toEqual([])
  expect(await summary('?livemode=true')).toMatchObject({ billing: [], totals: [] })
  expect(await summary('', chairs)).toMatchObject({ billing: [], totals: [] })
})

test.each([
  ['month', 1, 4_900],
  ['month', 3, 1_633],
  ['year', 1, 408],
  ['week', 1, 21_233],
  ['week', 2, 10_617],
  ['day', 1, 149_042],
] as const)(
  'a subscription for 49.00 every %s × %d brings in %d a month',
  async (interval, intervalCount, mrrMinor) => {
    const before = await mrr()
    await makeSubscription(api, mode, { interval, intervalCount, activation: 'immediate', trialDays: 0 })
    expect((await mrr()) - before).toBe(mrrMinor)
  },
)

test('trials bring in nothing yet, and taxes do not count', async () => {
  const before = await mrr()
  await makeSubscription(api, mode)
  expect(await mrr()).toBe(before)
  const lines = [{ ...aLamp, taxRateBps: 1_900 }]
  await makeSubscription(api, mode, { lines, activation: 'immediate', trialDays: 0 })
  expect(await mrr()).toBe(before + 4_900)
  expect((await summary()).billing).toMatchObject([
    { subscriptions: { trialing: 1, active: 7, past_due: 0, paused: 0 } },
  ])
})

const mrr = async (): Promise<number> => {
  const [figures] = (await summary()).billing as { readonly mrrMinor: number }[]
  return figures?.mrrMinor ?? 0
}

test('viewers read the figures, and other merchants do not', async () => {
  const { bearer } = await member(api, lamps, 'viewer')
  expect((await ask('GET', '/analytics/summary', { path: lamps.path, bearer })).status).toBe(200)
  const { status } = await ask('GET', '/analytics/summary', { path: lamps.path, bearer: chairs.owner.bearer })
  expect(status).toBe(404)
})

test('asOf stays before what an open transaction holds back, and the metric of the feed says at least as much', async () => {
  await readAll()
  const other = await sql.reserve()
  try {
    await other`begin`
    await other`insert into machine_states values ('payment', 'pending', 0) on conflict do nothing`
    await paid(api, mode)
    const committed = Date.now()
    await paymentSumsReader.add(sql, 100)
    const { asOf, totals } = await summary()
    expect(Date.parse(asOf)).toBeLessThanOrEqual(committed)
    const behind = Date.now() - Date.parse(asOf)
    expect(await feedLagMs(sql)).toBeGreaterThanOrEqual(behind)
    expect(totals).toMatchObject([{ succeeded: 1 }])
  } finally {
    await other`rollback`
    other.release()
  }
  await readAll()
  const released = Date.now()
  const after = await summary()
  expect(after.totals).toMatchObject([{ succeeded: 2 }])
  expect(Date.parse(after.asOf)).toBeGreaterThanOrEqual(released)
})
