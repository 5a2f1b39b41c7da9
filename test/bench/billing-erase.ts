import { openCalls } from '../../src/demo/call.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openInstance } from '../actors/lamps.ts'
import { findTablesWith } from '../harness/marks.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { callTimes } from './callers.ts'
import { milliseconds, percentile, thousands, times } from './promises.ts'
import { carryOut, paymentSteps } from './streams-payments.ts'
import { openStreamShop, type StreamShop } from './streams-shop.ts'

export type EraseSizes = {
  /** Of the customer that is erased. */
  readonly payments: number
  /** Of the API, while the customer is erased. */
  readonly callers: number
  /** How long they call before. */
  readonly quietMs: number
}

const EMAIL = 'erica.mustermann@lamps.example'
const NAME = 'Erica Mustermann'

/** A customer with many payments is erased while the API is used. */
export const promiseErase = async ({ server, print, report }: Bench, sizes: EraseSizes): Promise<void> => {
  const { payments, callers, quietMs } = sizes
  await using shop = await openStreamShop(server, { links: 10, rows: 20 })
  const customer = await makeCustomer(shop, payments)
  print(`${thousands(payments)} payments are paid and delivered, ${await countCopies(shop)} copies`)

  const [bearer, call] = [await shop.bearer(), openCalls(shop.url, shop.apiKey)]
  const request = async (turn: number) => {
    if (turn % 2 === 0) await call('GET', `/v1/payments/${encodeId('pay', shop.paid[turn % shop.paid.length] ?? '')}`)
    else await call('POST', '/v1/payment-links', { amountMinor: 4900, currency: 'USD', title: 'Brass desk lamp' })
  }
  const quietUntil = performance.now() + quietMs
  const before = await latenciesOf(callers, request, () => performance.now() < quietUntil)

  let isErased = false
  const loading = latenciesOf(callers, request, () => !isErased)
  const began = performance.now()
  await openCalls(shop.url, bearer)('POST', `/v1/merchants/${shop.merchant}/customers/${customer}/erase`)
  const firstMs = performance.now() - began
  const isDone = async () => (await shop.sql`select from customers where state = 'erased'`).length > 0
  await until(isDone, { timeoutMs: 300_000, everyMs: 100 })
  const allMs = performance.now() - began
  isErased = true
  const during = await loading

  const of = `erasing a customer with ${thousands(payments)} payments`
  const [p99, quietP99] = [percentile(during, 0.99), percentile(before, 0.99)]
  report.atMost(`${of}, first commit`, firstMs, 1_000, { as: milliseconds })
  report.atMost(`${of}, all copies`, allMs / 1_000, 60, { as: seconds => `${seconds.toFixed(1)} s` })
  const from = `${milliseconds(p99)} of ${thousands(during.length)} requests against ${milliseconds(quietP99)}`
  report.atMost(`${of}, p99 of the API meanwhile`, p99 / quietP99, 2, { as: times, from })
  const tables = await findTablesWith(shop.sql, [EMAIL, NAME])
  report.judge(
    `${of}, tables with its e-mail address or name`,
    tables.length === 0,
    tables.join(', ') || 'none',
    'none',
  )
}

/** A customer of the API, and its payments with their events and deliveries. */
const makeCustomer = async (shop: StreamShop, count: number): Promise<string> => {
  const body = { email: EMAIL, name: NAME, company: NAME }
  const made = await openCalls(shop.url, shop.apiKey)('POST', '/v1/customers', body, {
    'idempotency-key': 'a customer',
  })
  const customer = { customerId: decodeId('cus', made.text('id')), customerEmail: EMAIL, customerName: NAME }
  const { actors, close } = await openInstance(shop.databaseUrl, { kinds })
  try {
    await callTimes(64, count, async n => {
      for (const commands of paymentSteps(shop, n, customer).steps) await carryOut(actors, commands)
    })
  } finally {
    await close()
  }
  const areDelivered = async () =>
    (await shop.sql`select from deliveries where state in ('pending', 'sending') limit 1`).length === 0
  await until(areDelivered, { timeoutMs: 120_000, everyMs: 200 })
  await shop.sql`vacuum (analyze) payments, events, deliveries, delivery_attempts, transitions`
  return made.text('id')
}

const countCopies = async ({ sql }: StreamShop): Promise<string> => (await findTablesWith(sql, [EMAIL])).join(', ')

/** The milliseconds of each request of this many callers, as long as they go on. */
const latenciesOf = async (
  callers: number,
  request: (turn: number) => Promise<void>,
  goesOn: () => boolean,
): Promise<readonly number[]> => {
  const latencies: number[] = []
  const one = async (caller: number): Promise<void> => {
    for (let turn = caller; goesOn(); turn++) {
      const asked = performance.now()
      await request(turn)
      latencies.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => one(caller)))
  return latencies
}
