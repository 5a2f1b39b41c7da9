import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { rewrite } from '../harness/rewrite.ts'
import { until } from '../harness/until.ts'
import { type IssuedInvoice, invoicesOn } from './issued-invoices.ts'
import { type SimulationServer, simulationServer } from './simulations.ts'

let instance: SimulationServer
let to: ReturnType<typeof invoicesOn>
beforeAll(async () => {
  instance = await simulationServer()
  to = invoicesOn(instance)
}, 60_000)
afterAll(async () => {
  const { sql } = instance.server
  await until(async () => (await sql`select from unsettled_payments where reported_rev is null`).length === 0)
  expect(await audit(sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
  await instance[Symbol.asyncDispose]()
})

const resolve = (id: string, action: 'accept' | 'dismiss') =>
  instance.server.call('POST', `${instance.shop.path}/payments/${id}/resolve`, {
    bearer: instance.shop.owner.bearer,
    json: { action },
  })

/** What was processing of an invoice after each event. */
const processingOf = async ({ actor }: IssuedInvoice) => {
  const changes = await instance.server.sql<{ change: string }[]>`
    select concat(event, ' ', json_of(context)->>'amountProcessingMinor') as change from transitions
    where actor = ${actor} and event <> 'create' and event not like 'after%' order by rev`
  return changes.map(({ change }) => change)
}

describe('money of an invoice', () => {
  test.concurrent('arrives in several transfers, each of which counts once it is final', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice)
    await to.send(payment.address, 600)
    await to.shows(invoice, { state: 'open', paid: 600 })
    await to.send(payment.address, 400)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    expect(await to.eventsOf(invoice)).toEqual(['created', 'finalized', 'payment_received', 'payment_received', 'paid'])
    expect((await to.ask('GET', `/v1/invoices/${invoice.id}`)).json).toMatchObject({
      allocations: [{ paymentId: payment.id, amountMinor: 1000 }],
      ...{ amountDueMinor: 0, amountPaidMinor: 1000, amountOverpaidMinor: 0 },
    })
    const { number } = (await to.ask('GET', `/v1/invoices/${invoice.id}`)).json as { number: string }
    const itsInvoice = { invoiceId: invoice.id, invoiceNumber: number }
    expect(number).toStartWith('TEST-INV-')
    expect((await to.ask('GET', `/v1/payments/${payment.id}`)).json).toMatchObject(itsInvoice)
    expect((await to.ask('GET', `/v1/payments?limit=100`)).json).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: payment.id, ...itsInvoice })]),
    })
    // Only what is not final of the second transfer was processing.
    expect(await processingOf(invoice)).toEqual([
      ...['finalize 0', 'money_counted 0', 'payment_processing 400', 'money_counted 0'],
    ])
  }, 60_000)

  test.concurrent('of a payment that was too little fills the invoice with that of a new payment for the rest', async () => {
    const invoice = await to.issue(1000)
    const first = await to.open(invoice)
    await to.send(first.address, 400)
    await to.shows(invoice, { state: 'open', paid: 400 })
    await to.endWindow(first, 'failed')
    const rest = await to.open(invoice)
    expect(rest.amountMinor).toBe(600)
    await to.send(rest.address, 600)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
  }, 60_000)

  test.concurrent('sent by an exchange that keeps a fee leaves the fee due, and an open payment can still complete', async () => {
    const invoice = await to.issue(1000)
    const first = await to.open(invoice)
    await to.send(first.address, 950)
    await to.shows(invoice, { state: 'open', paid: 950 })
    const rest = await to.open(invoice)
    expect(rest.amountMinor).toBe(50)
    await to.send(rest.address, 50)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    // The missing part is sent after all.
    await to.send(first.address, 50)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 50 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 50 -> 50'])
  }, 60_000)

  test.concurrent('within the tolerance of the merchant counts as the whole amount', async () => {
    const invoice = await to.issue(1000)
    await to.send((await to.open(invoice)).address, 998)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
  }, 60_000)

  test.concurrent('paid in two tabs becomes credit the second time', async () => {
    const invoice = await to.issue(1000)
    const tabs = [await to.open(invoice), await to.open(invoice)]
    expect(tabs.map(({ amountMinor }) => amountMinor)).toEqual([1000, 1000])
    await Promise.all(tabs.map(({ address }) => to.send(address, 1000)))
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1000 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 1000 -> 1000'])
  }, 60_000)

  test.concurrent('is not waited for any more once nothing is due, and becomes credit if it arrives', async () => {
    const json = { reason: 'other', lines: [{ lineId: 'line_1', amountMinor: 1000 }] }
    for (const end of ['void', 'credit', 'payment'] as const) {
      const invoice = await to.issue(1000)
      const [open, underpaid] = [await to.open(invoice), await to.open(invoice)]
      const isPaid = end === 'payment'
      if (isPaid) {
        await to.send(underpaid.address, 1000)
        await to.shows(invoice, { state: 'paid', paid: 1000 })
      } else if (end === 'void') {
        expect((await to.ask('POST', `/v1/invoices/${invoice.id}/void`)).status).toBe(200)
      } else {
        expect((await to.ask('POST', '/v1/credit-notes', { invoiceId: invoice.id, ...json })).status).toBe(201)
      }
      await instance.becomes(open.id, { state: 'canceled' })
      await to.send(open.address, 1000)
      const state = end === 'void' ? 'void' : 'paid'
      await to.shows(invoice, { state, ...(isPaid && { paid: 1000 }), overpaid: 1000 })
      expect(await to.creditOf(invoice)).toEqual(['overpayment 1000 -> 1000'])
      await instance.becomes(open.id, { state: 'success', attention: end === 'void' })
    }
  }, 90_000)

  test.concurrent('that has arrived in part is still waited for when nothing is due any more', async () => {
    const invoice = await to.issue(1000)
    const [partly, other] = [await to.open(invoice), await to.open(invoice)]
    await to.send(partly.address, 300)
    await to.shows(invoice, { state: 'open', paid: 300 })
    await to.send(other.address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 300 })
    await to.send(partly.address, 700)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1000 })
    await instance.becomes(partly.id, { state: 'success' })
  }, 60_000)

  test.concurrent('above the amount becomes credit of each payment that it was sent for', async () => {
    const invoice = await to.issue(1000)
    const tabs = [await to.open(invoice), await to.open(invoice)] as const
    await to.send(tabs[0].address, 1100)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 100 })
    await to.send(tabs[1].address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1100 })
    await to.send(tabs[0].address, 30)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 1130 })
    expect(await to.creditOf(invoice)).toEqual([
      ...['overpayment 100 -> 100', 'overpayment 1000 -> 1100', 'overpayment 30 -> 1130'],
    ])
  }, 60_000)

  test.concurrent('above the amount becomes credit, also when it arrives after the rest', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice)
    await to.send(payment.address, 1200)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200 })
    await to.send(payment.address, 50)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 250 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 200 -> 200', 'overpayment 50 -> 250'])
    await instance.becomes(payment.id, { state: 'success', exception: 'overpaid', attention: true })
  }, 60_000)

  test.concurrent('belongs to the customer that has taken the place of a merged one', async () => {
    const { server, shop } = instance
    const [invoice, other] = [await to.issue(1000), await to.issue(1000)]
    const customerOf = async ({ id }: { id: string }) =>
      ((await to.ask('GET', `/v1/invoices/${id}`)).json as { customerId: string }).customerId
    const [merged, survivor] = [await customerOf(invoice), await customerOf(other)]
    const payment = await to.open(invoice)
    const path = `${shop.path}/customers/${merged}/merge`
    const merge = await server.call('POST', path, { bearer: shop.owner.bearer, json: { intoId: survivor } })
    expect(merge.status).toBe(200)
    await to.send(payment.address, 1100)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 100 })
    expect((await to.ask('GET', `/v1/customers/${survivor}/credit`)).json).toMatchObject({
      data: [{ type: 'overpayment', amountMinor: 100, paymentId: payment.id, invoiceId: invoice.id }],
    })
  }, 60_000)

  test.concurrent('in an asset whose price has run out counts only when the payment is accepted', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice, 'ETH')
    await rewrite(instance.server.sql, 'payments', [payment.payment], {
      quote_expires_at: new Date(Date.now() - 60_000),
    })
    await to.sendEther(payment.address, payment.amountExpected)
    await instance.becomes(payment.id, { state: 'expired', exception: 'late', attention: true })
    await to.shows(invoice, { state: 'open' })
    expect((await resolve(payment.id, 'accept')).status).toBe(200)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
  }, 60_000)

  test.concurrent('that is late counts when the payment succeeds by the policy for stablecoins', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice)
    await to.endWindow(payment, 'expired')
    await to.send(payment.address, 300)
    await instance.becomes(payment.id, { state: 'expired', exception: 'late', attention: true })
    await to.shows(invoice, { state: 'open' })
    await to.send(payment.address, 700)
    await instance.becomes(payment.id, { state: 'success' })
    await to.shows(invoice, { state: 'paid', paid: 1000 })
  }, 60_000)

  test.concurrent('that is late after a part in time adds nothing until the payment is accepted', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice)
    await to.send(payment.address, 300)
    await to.shows(invoice, { state: 'open', paid: 300 })
    await to.endWindow(payment, 'failed')
    await to.send(payment.address, 200)
    await instance.becomes(payment.id, { exception: 'late' })
    await to.shows(invoice, { state: 'open', paid: 300 })
    expect((await resolve(payment.id, 'accept')).status).toBe(200)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
  }, 60_000)

  test.concurrent('in another asset counts nothing until the payment is accepted, and then its amount', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice)
    await to.sendEther(payment.address, 10n ** 15n)
    await instance.becomes(payment.id, { exception: 'wrong_asset', attention: true })
    await to.shows(invoice, { state: 'open' })
    await until(
      async () =>
        (
          await instance.server.sql`
      select from payments where id = ${payment.payment} and final_strays > 0`
        ).length === 1,
    )
    expect((await resolve(payment.id, 'accept')).status).toBe(200)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
  }, 60_000)

  test.concurrent('for an invoice that was voided becomes credit, and the payment needs attention', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice)
    const reason = 'Ordered twice'
    expect((await to.ask('POST', `/v1/invoices/${invoice.id}/void`, { reason })).json).toMatchObject({ status: 'void' })
    await to.send(payment.address, 1000)
    await to.shows(invoice, { state: 'void', overpaid: 1000 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 1000 -> 1000'])
    await instance.becomes(payment.id, { state: 'success', attention: true })
  }, 60_000)

  test.concurrent('that cannot be collected any more pays it', async () => {
    const invoice = await to.issue(1000)
    expect((await to.ask('POST', `/v1/invoices/${invoice.id}/uncollectible`)).status).toBe(200)
    const payment = await to.open(invoice)
    await to.send(payment.address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
  }, 60_000)

  // Not beside the others, whose money a reorganization would remove too.
  test('is processing as long as it is not final, and is not when a reorganization removes it', async () => {
    const invoice = await to.issue(1000)
    const payment = await to.open(invoice)
    expect((await instance.simulate(payment.id, 'reorged')).status).toBe(200)
    await to.shows(invoice, { state: 'open' })
    await to.send(payment.address, 1000)
    await to.shows(invoice, { state: 'paid', paid: 1000 })
    expect(await processingOf(invoice)).toEqual([
      'finalize 0',
      ...['payment_processing 1000', 'payment_reverted 0', 'payment_processing 1000', 'money_counted 0'],
    ])
  }, 60_000)
})
