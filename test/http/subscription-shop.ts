import { expect } from 'bun:test'
import { passInvoiceTimesOf } from '../../src/chain/watch/invoice-times.ts'
import { checkoutInvoiceRoutes } from '../../src/http/checkout-invoices.ts'
import { checkoutPlanRoutes } from '../../src/http/checkout-plans.ts'
import { checkoutSubscriptionRoutes } from '../../src/http/checkout-subscriptions.ts'
import { creditNoteRoutes } from '../../src/http/credit-notes.ts'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { invoiceActionRoutes } from '../../src/http/invoice-actions.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { planRoutes } from '../../src/http/plans.ts'
import { subscriptionActionRoutes } from '../../src/http/subscription-actions.ts'
import { subscriptionRoutes } from '../../src/http/subscriptions.ts'
import { testClockRoutes } from '../../src/http/test-clocks.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { subscriptionReadRecord } from '../../src/records/subscription.ts'
import { passSubscriptionTimers } from '../../src/server/subscription-loop.ts'
import { runTestClocks } from '../../src/server/test-clocks.ts'
import { renewSubscription } from '../../tasks/renew-subscription.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from './customers.ts'
import { aLamp } from './invoices.ts'
import { makeTestClock } from './test-clocks.ts'
import { type Asked, twoShops } from './two-shops.ts'

export type ShownSubscription = ReturnType<typeof subscriptionReadRecord.render>

export const monthly = { currency: 'EUR', lines: [aLamp], interval: 'month' }
export const START = '2026-11-30T12:00:00.000Z'
/** When the invoice of the second period is made, and when that period begins. */
const LEAD = '2026-12-23T12:00:00.000Z'
export const FIRST_END = '2026-12-30T12:00:00.000Z'

/** Two shops whose subscriptions are renewed by test clocks, and what their tests need. */
export const subscriptionShops = async () => {
  const shops = await twoShops({
    env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0', CHECKOUT_RATE_LIMIT: '0' },
    routes: [
      ...[
        ...subscriptionRoutes,
        ...subscriptionActionRoutes,
        ...planRoutes,
        ...invoiceRoutes,
        ...invoiceActionRoutes,
        ...creditNoteRoutes,
      ],
      ...[...customerRoutes, ...customerCreditRoutes, ...testClockRoutes],
      ...[...checkoutPlanRoutes, ...checkoutSubscriptionRoutes, ...checkoutInvoiceRoutes],
    ],
  })
  const { server, lamps, ask, page } = shops
  const { api, sql } = server
  // Reminders wait for payments too.
  await sql`update billing_settings set reminders = '[]' where merchant_id = ${lamps.merchantId}`
  const mode = { merchantId: lamps.merchantId, livemode: false }

  /** A customer whose time is that of a clock. */
  const customerOfClock = async () => {
    const clock = await makeTestClock(api, mode, new Date(START))
    const { id } = await makeCustomer(api, mode, { testClockId: clock.id })
    return { customerId: id, clockId: encodeId('clk', clock.id) }
  }
  const create = async (json: object = {}, asked: Asked = {}) => {
    const customer =
      'customerId' in json || 'customer' in json ? {} : { customerId: (await makeCustomer(api, mode)).id }
    return ask('POST', '/subscriptions', { ...asked, json: { ...customer, ...json } })
  }
  const made = async (json: object = {}, asked?: Asked): Promise<ShownSubscription> => {
    const { status, text } = await create(json, asked)
    expect([status, text]).toEqual([201, expect.any(String)])
    return subscriptionReadRecord.type().assert(JSON.parse(text)) as ShownSubscription
  }
  const read = async (id: string): Promise<ShownSubscription> =>
    (await ask('GET', `/subscriptions/${id}`)).json as ShownSubscription
  const act = (id: string, action: string, json: object = {}, asked: Asked = {}) =>
    ask('POST', `/subscriptions/${id}/${action}`, { ...asked, json })
  const cancel = (id: string, json: object = {}, asked: Asked = {}) => act(id, 'cancel', json, asked)
  const invoicesOf = async (id: string) =>
    (
      await page<{ id: string; status: string; dueDate: string; subscription: object }>(
        `/invoices?subscriptionId=${id}&order=asc`,
      )
    ).data
  /** A credit note over all that is due pays an invoice without money. */
  const pay = async (invoiceId: string | null | undefined) => {
    const json = { invoiceId, reason: 'other', whole: true }
    expect(await ask('POST', '/credit-notes', { json })).toMatchObject({ status: 201 })
    await runJobs()
  }
  /** Runs what the worker runs when invoices were paid. */
  const runJobs = async () => {
    const jobs = await sql<{ id: string; payload: object }[]>`
      delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
      where t.id = j.task_id and t.identifier = 'renew-subscription' returning j.id, j.payload`
    for (const { id, payload } of jobs) {
      const job = { id, task_identifier: 'renew-subscription', attempts: 1 }
      await renewSubscription(api, payload, { job, signal: AbortSignal.timeout(10_000) })
    }
    return jobs.length
  }
  const eventsOf = async (id: string) =>
    (
      await sql<{ type: string }[]>`select type from events where actor = ${decodeId('sub', id) ?? ''} order by seq`
    ).map(({ type }) => type.replace('subscription.', ''))

  const clocks = runTestClocks(api, {
    share: () => ({ position: 0, count: 1 }),
    passes: [passInvoiceTimesOf, (_, testClockId) => passSubscriptionTimers(api, testClockId)],
  })
  const advance = async (clockId: string, to: string) => {
    expect(await ask('POST', `/sandbox/test-clocks/${clockId}/advance`, { json: { to } })).toMatchObject({
      status: 200,
    })
    await until(async () => {
      await clocks.runOnce()
      return (await ask('GET', `/sandbox/test-clocks/${clockId}`)).text.includes('"ready"')
    })
  }
  /** A monthly subscription whose first invoice is paid. */
  const begun = async (json: object = {}) => {
    const { customerId, clockId } = await customerOfClock()
    const { id, openInvoiceId } = await made({ customerId, ...monthly, ...json })
    if (openInvoiceId !== null) await pay(openInvoiceId)
    return { id, clockId }
  }
  /** One whose second invoice is past due. */
  const owing = async () => {
    const { id, clockId } = await begun()
    for (const to of [LEAD, FIRST_END]) await advance(clockId, to)
    expect(await read(id)).toMatchObject({ status: 'past_due' })
    return id
  }
  return {
    ...shops,
    ...{
      begun,
      owing,
      api,
      sql,
      mode,
      customerOfClock,
      create,
      made,
      read,
      cancel,
      act,
      invoicesOf,
      pay,
      runJobs,
      eventsOf,
      clocks,
      advance,
    },
  }
}
