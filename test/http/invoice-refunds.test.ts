import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { type IssuedInvoice, invoicesOn, type PayingCustomer } from './issued-invoices.ts'
import { type SimulationServer, simulationServer } from './simulations.ts'
import { newKey } from './two-shops.ts'

let instance: SimulationServer
let to: ReturnType<typeof invoicesOn>
beforeAll(async () => {
  instance = await simulationServer()
  to = invoicesOn(instance)
}, 60_000)
afterAll(async () => {
  expect(await audit(instance.server.sql, kinds)).toEqual([])
  await instance[Symbol.asyncDispose]()
})

const destination = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** A paid invoice over 1,000, and its payment, which received more. */
const overpaid = async (cents = 1200): Promise<readonly [IssuedInvoice, PayingCustomer]> => {
  const invoice = await to.issue(1000)
  const payment = await to.open(invoice)
  await to.send(payment.address, cents)
  await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: cents - 1000 })
  return [invoice, payment]
}

type Refunded = { readonly id: string; readonly error?: { readonly code: string; readonly details?: object } }

const refund = async ({ id }: PayingCustomer, json: object) => {
  const { bearer, headers } = { bearer: instance.key, headers: newKey() }
  const answer = await instance.server.call('POST', `/v1/payments/${id}/refunds`, { bearer, headers, json })
  return { ...(answer.json as Refunded), status: answer.status }
}
const cancel = (id: string) =>
  instance.server.call('POST', `${instance.shop.path}/refunds/${id}/cancel`, { bearer: instance.shop.owner.bearer })

/** Changes the credit of the invoice's customer, as if it had paid something else. */
const spend = async ({ actor }: IssuedInvoice, amountMinor: number) => {
  await instance.server.sql`
    insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, created_at)
    select customer_id, currency, new_uuidv7(), merchant_id, livemode, 'adjustment', ${-amountMinor}, now()
    from invoices where id = ${actor}`
}

describe('a refund of a payment of an invoice', () => {
  test.concurrent('first takes back the credit that the payment gave, and then what it has paid', async () => {
    const [invoice, payment] = await overpaid()
    expect(await refund(payment, { amountMinor: 150, destination })).toMatchObject({ status: 201 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 200 -> 200', 'refunded -150 -> 50'])
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200, refunded: 150 })
    expect(await refund(payment, { amountMinor: 350, destination })).toMatchObject({ status: 201 })
    expect((await to.creditOf(invoice)).at(-1)).toBe('refunded -50 -> 0')
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200, refunded: 500, uncredited: 300 })
    expect((await to.ask('GET', `/v1/invoices/${invoice.id}`)).json).toMatchObject({
      ...{ status: 'paid', amountPaidMinor: 1000, amountRefundedMinor: 500, uncreditedRefundsMinor: 300 },
    })
    // Nothing of the credit was spent elsewhere, so all the rest can be refunded.
    expect(await refund(payment, {})).toMatchObject({ status: 201, amountMinor: 700 })
  }, 60_000)

  test.concurrent('takes back the credit of its own payment, and that of no other payment of the invoice', async () => {
    const invoice = await to.issue(1000)
    const tabs = [await to.open(invoice), await to.open(invoice)] as const
    await to.send(tabs[0].address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    await to.send(tabs[1].address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1000 })
    expect(await refund(tabs[0], { amountMinor: 300, destination })).toMatchObject({ status: 201 })
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1000, refunded: 300, uncredited: 300 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 1000 -> 1000'])
    expect(await refund(tabs[1], { amountMinor: 250, destination })).toMatchObject({ status: 201 })
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1000, refunded: 550, uncredited: 300 })
    expect((await to.creditOf(invoice)).at(-1)).toBe('refunded -250 -> 750')
  }, 60_000)

  test.concurrent('takes back the credit in its own currency, of the customer that has taken the place of a merged one', async () => {
    const [invoice, payment] = await overpaid()
    const { shop, server } = instance
    const asOwner = (path: string, json: object) =>
      server.call('POST', `${shop.path}${path}`, { bearer: shop.owner.bearer, json })
    const { customerId } = (await to.ask('GET', `/v1/invoices/${invoice.id}`)).json as { customerId: string }
    const other = (await to.ask('POST', '/v1/customers', { email: `${crypto.randomUUID()}@example.com` })).json
    const intoId = (other as { id: string }).id
    expect((await asOwner(`/customers/${customerId}/merge`, { intoId })).status).toBe(200)
    const euros = { currency: 'EUR', amountMinor: 7, note: 'Goodwill' }
    expect((await asOwner(`/customers/${intoId}/credit`, euros)).status).toBe(201)
    expect(await refund(payment, { amountMinor: 1200 })).toMatchObject({ status: 201, amountMinor: 1200 })
    expect((await to.creditOf(invoice)).at(-1)).toBe('refunded -200 -> 0')
    expect((await to.ask('GET', `/v1/customers/${intoId}`)).json).toMatchObject({
      totals: [
        { currency: 'EUR', creditMinor: 7 },
        { currency: 'USD', creditMinor: 0 },
      ],
    })
  }, 60_000)

  test.concurrent('that is canceled returns the credit', async () => {
    const [invoice, payment] = await overpaid()
    const first = await refund(payment, { amountMinor: 150 })
    const second = await refund(payment, { amountMinor: 100 })
    expect([first.status, second.status]).toEqual([201, 201])
    expect((await cancel(second.id)).status).toBe(200)
    expect((await cancel(first.id)).status).toBe(200)
    expect(await to.creditOf(invoice)).toEqual([
      ...['overpayment 200 -> 200', 'refunded -150 -> 50', 'refunded -50 -> 0'],
      ...['refunded 50 -> 50', 'refunded 150 -> 200'],
    ])
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200 })
  }, 60_000)

  test.concurrent('422: credit that was spent elsewhere cannot be refunded; the rest can', async () => {
    const [invoice, payment] = await overpaid()
    await spend(invoice, 120)
    expect(await refund(payment, { amountMinor: 1081 })).toMatchObject({
      ...{ status: 422, error: { code: 'credit_exceeds_balance', details: { remainingMinor: 1080 } } },
    })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 200 -> 200'])
    expect(await refund(payment, {})).toMatchObject({ status: 201, amountMinor: 1080 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 200 -> 200', 'refunded -80 -> 0'])
    expect(await refund(payment, {})).toMatchObject({ status: 422, error: { code: 'credit_exceeds_balance' } })
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200 })
  }, 60_000)

  test.concurrent('of twenty at the same time as many are made as the payment and its credit cover', async () => {
    const [invoice, payment] = await overpaid()
    await spend(invoice, 100)
    const made = await Promise.all(Array.from({ length: 20 }, () => refund(payment, { amountMinor: 100 })))
    const codes = made.map(({ status, error }) => error?.code ?? status)
    expect(codes.filter(code => code === 201)).toHaveLength(11)
    expect(codes.filter(code => code === 'credit_exceeds_balance')).toHaveLength(9)
    expect(await to.creditOf(invoice)).toEqual(['overpayment 200 -> 200', 'refunded -100 -> 0'])
  }, 60_000)

  test.concurrent('of money that never counted for the invoice takes back nothing', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice)
    await to.endWindow(payment, 'expired')
    await to.send(payment.address, 300)
    await instance.becomes(payment.id, { exception: 'late' })
    expect(await refund(payment, { destination })).toMatchObject({ status: 201, amountMinor: 300 })
    await to.shows(invoice, { state: 'open', refunded: 300 })
    expect(await to.creditOf(invoice)).toEqual([])
  }, 60_000)
})

test('the audit finds allocations and credit that differ from what the payments count', async () => {
  const [invoice, payment] = await overpaid()
  await refund(payment, { amountMinor: 50 })
  const { sql } = instance.server
  await until(async () => (await sql`select from unsettled_payments where reported_rev is null`).length === 0)
  const found = async (change: string) => {
    const alone = connect(instance.server.databaseUrl, { max: 1 })
    try {
      await alone`begin`
      await alone.unsafe(change)
      return (await audit(alone, kinds)).map(({ what }) => what)
    } finally {
      await alone`rollback`
      await alone.end()
    }
  }
  expect(await found('select 1')).toEqual([])
  const here = `where id = '${invoice.actor}'`
  const allocations = (field: string, value: string) =>
    `update invoices set allocations = jsonb_set(allocations, '{0,${field}}', '${value}') ${here}`
  const allocatedMoney = 'a payment that counts another amount for its invoice than the invoice has allocated to it'
  const inProgress = 'an invoice whose processing or refunded amount differs from its payments'
  const credit = 'a payment whose overpaid amount differs from the credit that it gave'
  for (const [change, what] of [
    [allocations('amountMinor', '999'), allocatedMoney],
    [`update invoices set allocations = '[]' ${here}`, allocatedMoney],
    [`update payments set amount_refunded_minor = 1 where id = '${payment.payment}'`, inProgress],
    [`update invoices set amount_processing_minor = 1 ${here}`, inProgress],
    [`update invoices set amount_refunded_minor = 1 ${here}`, inProgress],
    [allocations('takenBackMinor', '49'), credit],
    [
      `alter table credit_entries disable trigger credit_entries_never_change;
       update credit_entries set amount_minor = 201 where invoice_id = '${invoice.actor}' and type = 'overpayment'`,
      credit,
    ],
  ] as const)
    expect([change, await found(change)]).toEqual([change, expect.arrayContaining([what])])
}, 60_000)
