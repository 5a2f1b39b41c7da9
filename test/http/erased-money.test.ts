import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
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
  const { sql } = instance.server
  await until(async () => (await sql`select from unsettled_payments where reported_rev is null`).length === 0)
  await until(async () => (await sql`select from customers where state = 'erasing'`).length === 0)
  expect(await audit(sql, kinds)).toEqual([])
  await instance[Symbol.asyncDispose]()
})

const destination = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const asOwner = (path: string, json?: object) =>
  instance.server.call('POST', `${instance.shop.path}${path}`, {
    bearer: instance.shop.owner.bearer,
    ...(json && { json }),
  })
const customerOf = async ({ id }: IssuedInvoice) =>
  ((await to.ask('GET', `/v1/invoices/${id}`)).json as { customerId: string }).customerId
const erase = async (invoice: IssuedInvoice) => {
  const answer = await asOwner(`/customers/${await customerOf(invoice)}/erase`)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
}
/** A paid invoice over 1,000, and its payment. */
const paid = async (): Promise<readonly [IssuedInvoice, PayingCustomer]> => {
  const invoice = await to.issue(1000)
  const payment = await to.open(invoice)
  await to.send(payment.address, 1000)
  await to.shows(invoice, { state: 'paid', paid: 1000 })
  return [invoice, payment]
}
const refund = ({ id }: PayingCustomer, amountMinor: number) =>
  instance.server.call('POST', `/v1/payments/${id}/refunds`, {
    ...{ bearer: instance.key, headers: newKey() },
    json: { amountMinor, destination },
  })

describe('money of an invoice after its customer was erased', () => {
  test.concurrent('that is overpaid gives no credit, and the payment needs attention until it is refunded', async () => {
    const [invoice, payment] = await paid()
    await erase(invoice)
    await to.send(payment.address, 200)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200 })
    await instance.becomes(payment.id, { state: 'success', exception: 'overpaid', attention: true })
    expect(await to.creditOf(invoice)).toEqual([])

    // Everything that was received can be refunded, the excess first, and nothing more.
    expect((await refund(payment, 200)).status).toBe(201)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200, refunded: 200 })
    expect((await refund(payment, 1001)).json).toMatchObject({ error: { code: 'refund_exceeds_remaining' } })
    expect((await refund(payment, 1000)).status).toBe(201)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200, refunded: 1200, uncredited: 1000 })
    await instance.becomes(payment.id, { attention: false })
    expect(await to.creditOf(invoice)).toEqual([])
  }, 60_000)

  test.concurrent('that is late and accepted by a member gives no credit, and the payment still needs attention', async () => {
    const invoice = await to.issue(1000)
    const tabs = [await to.open(invoice), await to.open(invoice)] as const
    await to.endWindow(tabs[1], 'expired')
    await to.send(tabs[0].address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    await erase(invoice)
    await to.send(tabs[1].address, 1000)
    await instance.becomes(tabs[1].id, { state: 'expired', exception: 'late', attention: true })
    await to.shows(invoice, { state: 'paid', paid: 1000 })

    expect((await asOwner(`/payments/${tabs[1].id}/resolve`, { action: 'accept' })).status).toBe(200)
    await instance.becomes(tabs[1].id, { state: 'success', attention: true })
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1000 })
    expect(await to.creditOf(invoice)).toEqual([])
    expect((await to.ask('GET', `/v1/customers/${await customerOf(invoice)}/credit`)).json).toMatchObject({ data: [] })

    expect((await refund(tabs[1], 1000)).status).toBe(201)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1000, refunded: 1000 })
  }, 60_000)

  test.concurrent('that was credit before and is spent stays spent', async () => {
    const [invoice, payment] = await paid()
    await to.send(payment.address, 100)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 100 })
    const json = { currency: 'USD', amountMinor: -100, note: 'Spent' }
    expect((await asOwner(`/customers/${await customerOf(invoice)}/credit`, json)).status).toBe(201)
    await erase(invoice)
    await to.send(payment.address, 50)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 150 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 100 -> 100'])
    expect((await refund(payment, 1051)).status).toBe(422)
    expect((await refund(payment, 1050)).status).toBe(201)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 150, refunded: 1050, uncredited: 1000 })
  }, 60_000)

  test.concurrent('a refund of a credit note can be canceled, and returns no credit that was taken back before', async () => {
    const [invoice, payment] = await paid()
    await to.send(payment.address, 200)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200 })
    expect((await refund(payment, 200)).status).toBe(201)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200, refunded: 200 })
    const entries = ['overpayment 200 -> 200', 'refunded -200 -> 0']
    expect(await to.creditOf(invoice)).toEqual(entries)
    await erase(invoice)

    const lines = [{ lineId: 'line_1', amountMinor: 600 }]
    const note = await instance.server.call('POST', '/v1/credit-notes', {
      ...{ bearer: instance.key, headers: newKey() },
      json: { invoiceId: invoice.id, reason: 'other', lines, refunds: [{ paymentId: payment.id, amountMinor: 600 }] },
    })
    expect([note.status, note.text]).toEqual([201, expect.any(String)])
    const { refundIds } = note.json as { refundIds: readonly string[] }
    const canceled = await asOwner(`/refunds/${refundIds[0]}/cancel`)
    expect([canceled.status, canceled.text]).toEqual([200, expect.any(String)])
    expect(await to.creditOf(invoice)).toEqual(entries)

    // All that it has paid can still be refunded.
    expect((await refund(payment, 1001)).status).toBe(422)
    expect((await refund(payment, 1000)).status).toBe(201)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200, refunded: 1200, uncredited: 400 })
  }, 60_000)

  test.concurrent('no entry of the credit ledger can be written', async () => {
    const [invoice] = await paid()
    await erase(invoice)
    const written = instance.server.sql`
      insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, created_at)
      select customer_id, currency, new_uuidv7(), merchant_id, livemode, 'adjustment', 1, now()
      from invoices where id = ${invoice.actor}`.execute()
    expect(await written.then(String, String)).toContain('the customer is erased')
  }, 60_000)
})
