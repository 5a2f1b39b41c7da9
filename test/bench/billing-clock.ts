import { periodStart } from '../../src/billing/periods.ts'
import { openCalls } from '../../src/demo/call.ts'
import { decodeId } from '../../src/ids.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { makeSubscriber, openBilling, PRICE } from './billing-subscribers.ts'
import { callTimes } from './callers.ts'
import { openStreamShop } from './streams-shop.ts'

export type ClockSizes = {
  /** With periods of a month. */
  readonly clockSubscriptions: number
  readonly clockMonths: number
}

/** A test clock is advanced by the API over the periods of many subscriptions, which are paid by credit. */
export const promiseClock = async (
  { server, report }: Bench,
  { clockSubscriptions, clockMonths }: ClockSizes,
): Promise<void> => {
  await using shop = await openStreamShop(server, { links: 1, rows: 1 })
  const { sql, merchantId } = shop
  const call = openCalls(shop.url, shop.apiKey)
  const clock = await call('POST', '/v1/sandbox/test-clocks', {}, { 'idempotency-key': 'a clock' })
  const testClockId = decodeId('clk', clock.text('id')) ?? ''
  const services = await openBilling(sql)
  await callTimes(8, clockSubscriptions, n =>
    makeSubscriber(services, {
      ...{ merchantId, email: `customer-${n}@lamps.example`, testClockId },
      credit: PRICE * (clockMonths + 2),
    }),
  )

  const from = new Date(clock.text('now'))
  const to = new Date(periodStart(from, { interval: 'month', intervalCount: 1 }, clockMonths).getTime() + 60_000)
  const path = `/v1/sandbox/test-clocks/${clock.text('id')}`
  const began = performance.now()
  await call('POST', `${path}/advance`, { to: to.toISOString() })
  const hasArrived = async () => (await call('GET', path)).text('status') === 'ready'
  await until(hasArrived, { timeoutMs: 600_000, everyMs: 50, what: 'the clock at its target' })
  const tookMs = performance.now() - began

  const promise = `a clock advanced ${clockMonths} months over ${clockSubscriptions} monthly subscriptions`
  report.atMost(promise, tookMs / 1_000, 60, { as: figure => `${figure.toFixed(1)} s` })
  const [row] = await sql<{ complete: number; events: number; disordered: number }[]>`
    with ordered as (
      select actor, type, seq, case type
        when 'subscription.activated' then json_of(object)->>'periodStart' when 'subscription.renewed' then json_of(object)->>'periodStart'
        when 'invoice.finalized' then json_of(object)->>'issuedAt' end as at
      from events where merchant_id = ${merchantId} and kind in ('subscription', 'invoice')
    ), timed as (
      select at, lag(at) over (order by seq) as before from ordered where at is not null
    ), listed as (
      select string_agg(replace(type, 'subscription.', ''), ' ' order by seq) as types
      from ordered where type like 'subscription.%' group by actor
    )
    select (select count(*)::int from listed where types = 'created activated' || repeat(' renewed', ${clockMonths}::int)) as complete,
      (select count(*)::int from timed) as events, (select count(*)::int from timed where at < before) as disordered`
  report.judge(
    `${promise}, events in the order of its time`,
    row?.complete === clockSubscriptions && row.disordered === 0,
    `${row?.complete} subscriptions renewed each month, ${row?.disordered} of ${row?.events} events out of order`,
    `${clockSubscriptions}, none`,
  )
}
