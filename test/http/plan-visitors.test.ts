import { describe, expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import { archivePlan } from '../../src/commands/plans.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { blockStatement } from '../chain/watch/block-statement.ts'
import { makeInvoice } from './invoices.ts'
import { makePlan } from './plans.ts'
import { monthly, subscriptionShops } from './subscription-shop.ts'
import { makeTestClock } from './test-clocks.ts'

const { server, api, sql, ask, mode, chairs, advance } = await subscriptionShops()
const MOST = 1_000

let visitors = 0
/** From another address each time, because an address has a limit. */
const subscribe = (planId: string, customerEmail = `${crypto.randomUUID()}@example.com`) =>
  server.call('POST', `/v1/checkout/plans/${planId}/subscriptions`, {
    json: { customerEmail },
    headers: { 'x-forwarded-for': `198.51.${Math.floor(visitors / 250)}.${visitors++ % 250}` },
  })

const newPlan = async (more: object = {}) => {
  const { json } = await ask('POST', '/plans', { json: { ...monthly, name: 'Lamp club', ...more } })
  return (json as { readonly id: string }).id
}

/** Sends so many requests, 64 at a time. */
const manyTimes = async (count: number, send: () => Promise<{ readonly status: number }>) => {
  const statuses: number[] = []
  let left = count
  const caller = async () => {
    while (left-- > 0) statuses.push((await send()).status)
  }
  await Promise.all(Array.from({ length: 64 }, caller))
  return statuses
}

const countOf = (statuses: readonly number[], status: number) => statuses.filter(each => each === status).length

const count = async (what: string) =>
  (await sql.unsafe<{ count: number }[]>(`select count(*)::integer as count from ${what}`))[0]?.count

describe('visitors of the page of a plan', () => {
  test('who do not pay are at most 1,000 of a merchant, also of 64 at a time, and use up no number', async () => {
    const planId = await newPlan()
    // Of one customer with a clock, so that all of them expire.
    const clockId = encodeId('clk', (await makeTestClock(api, mode)).id)
    const email = 'robots@example.com'
    expect(await ask('POST', '/customers', { json: { email, testClockId: clockId } })).toMatchObject({ status: 201 })
    const statuses = await manyTimes(MOST + 64, () => subscribe(planId, email))
    expect([countOf(statuses, 201), countOf(statuses, 429)]).toEqual([MOST, 64])
    expect(await count(`subscriptions where state = 'incomplete'`)).toBe(MOST)
    // Another merchant, and a trial, which is not `incomplete`.
    const theirs = await makePlan(api, { merchantId: chairs.merchantId, livemode: false })
    expect((await subscribe(encodeId('plan', theirs.id))).status).toBe(201)
    expect((await subscribe(await newPlan({ trialDays: 7 }))).json).toMatchObject({
      subscription: { status: 'trialing' },
    })

    const { now } = (await ask('GET', `/sandbox/test-clocks/${clockId}`)).json as { readonly now: string }
    await advance(clockId, new Date(Date.parse(now) + 8 * 86_400_000).toISOString())
    const states = await sql`
      select s.state, i.state as invoice, i.number, count(*)::integer as count
      from subscriptions s join invoices i on i.subscription_id = s.id
      where s.merchant_id = ${mode.merchantId} and s.trial_key is null group by 1, 2, 3`
    expect(Array.from(states)).toEqual([{ state: 'expired', invoice: 'deleted', number: null, count: MOST }])
    expect(await count(`document_series where document_kind = 'invoice' and last_number > 0`)).toBe(0)
    const { invoice } = await makeInvoice(api, mode, { finalize: true })
    expect(invoice.context.number).toEndWith('0001')
    // There is room again.
    expect((await subscribe(planId)).status).toBe(201)
  }, 120_000)

  test('subscribe to no plan that was archived after they were sent its page', async () => {
    const planId = await newPlan()
    const id = decodeId('plan', planId) ?? ''
    const other = { ...api, actors: await openActors(api, kinds) }
    const subscribing = await (async () => {
      await using block = await blockStatement(server.databaseUrl, 'before insert on subscriptions for each row')
      const answer = subscribe(planId)
      await block.isBlocking()
      await archivePlan(other, { ...mode, id }, { cause: 'test', responseRows: () => [] })
      return { answer }
    })()
    expect(await subscribing.answer).toMatchObject({ status: 409, json: { error: { code: 'plan_archived' } } })
    expect(await count(`subscriptions where plan_id = '${id}'`)).toBe(0)
    await other.actors.idle()
  }, 30_000)

  test('of 64 at a time either subscribe before the plan is archived, or are refused', async () => {
    const planId = await newPlan()
    const archive = () => ask('POST', `/plans/${planId}/archive`)
    let sent = 0
    const statuses = await manyTimes(256, async () => {
      if (++sent === 100) expect((await archive()).status).toBe(200)
      return subscribe(planId)
    })
    const made = countOf(statuses, 201)
    expect(made + countOf(statuses, 409)).toBe(256)
    expect(made).toBeGreaterThan(0)
    expect(made).toBeLessThan(256)
    expect(await count(`subscriptions where plan_id = '${decodeId('plan', planId)}'`)).toBe(made)
  }, 60_000)
})
