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
  expect(await audit(sql, kinds)).toEqual([])
  await instance[Symbol.asyncDispose]()
})

const destination = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** An invoice over 1,000, and a payment of it that received this. */
const paidWith = async (cents = 1000): Promise<readonly [IssuedInvoice, PayingCustomer]> => {
  const invoice = await to.issue(1000)
  const payment = await to.open(invoice)
  await to.send(payment.address, cents)
  await until(async () => {
    const { paid = 0, overpaid = 0 } = await to.look(invoice)
    return Number(paid) + Number(overpaid) === cents
  })
  return [invoice, payment]
}

type Note = { readonly id: string; readonly refundIds: readonly string[]; readonly error?: object }

const credit = async ({ id }: IssuedInvoice, json: object, headers = newKey()) => {
  const body = { invoiceId: id, reason: 'product_unsatisfactory', ...json }
  const answer = await instance.server.call('POST', '/v1/credit-notes', { bearer: instance.key, headers, json: body })
  return { ...(answer.json as Note), status: answer.status, text: answer.text }
}
const processed = (count: number, { payment }: PayingCustomer) =>
  until(
    async () => {
      const { sql } = instance.server
      const found = await sql`select from refunds where payment_id = ${payment} and state = 'processed'`
      return found.length === count
    },
    { timeoutMs: 30_000 },
  )
const part = (amountMinor: number) => ({ lines: [{ lineId: 'line_1', amountMinor }] })

describe('a credit note of a paid invoice', () => {
  test('becomes credit and refunds, in one commit', async () => {
    const [invoice, payment] = await paidWith()
    const refunds = [{ paymentId: payment.id, amountMinor: 400, destination }]
    const note = await credit(invoice, { ...part(600), creditMinor: 200, refunds })
    expect(note).toMatchObject({
      status: 201,
      totalMinor: 600,
      dueReducedMinor: 0,
      creditMinor: 200,
      refundsMinor: 400,
    })
    expect(note.refundIds).toHaveLength(1)
    expect((await to.ask('GET', `/v1/refunds/${note.refundIds[0]}`)).json).toMatchObject({
      ...{ paymentId: payment.id, amountMinor: 400, reason: 'other', destination },
    })
    expect(await to.creditOf(invoice)).toEqual(['credit_note 200 -> 200'])
    await processed(1, payment)
    await to.shows(invoice, { state: 'paid', paid: 1000, refunded: 400 })
    const { customerId } = (await to.ask('GET', `/v1/invoices/${invoice.id}`)).json as { customerId: string }
    expect((await to.ask('GET', `/v1/customers/${customerId}/credit`)).json).toMatchObject({
      data: [{ type: 'credit_note', amountMinor: 200, creditNoteId: note.id, invoiceId: invoice.id, paymentId: null }],
    })
  }, 60_000)

  test('lowers what is due first, and the rest pays back: the invoice is paid', async () => {
    const [invoice, payment] = await paidWith(400)
    await to.endWindow(payment, 'failed')
    const refunds = [{ paymentId: payment.id, amountMinor: 250 }]
    const note = await credit(invoice, { ...part(850), refunds })
    expect(note).toMatchObject({ status: 201, dueReducedMinor: 600, creditMinor: 0, refundsMinor: 250 })
    await to.shows(invoice, { state: 'paid', paid: 400 })
    expect((await to.ask('GET', `/v1/invoices/${invoice.id}`)).json).toMatchObject({
      ...{ status: 'paid', creditNotesMinor: 600, amountPaidMinor: 400, amountDueMinor: 0, creditNoteIds: [note.id] },
    })
    expect((await to.ask('GET', `/v1/refunds/${note.refundIds[0]}`)).json).toMatchObject({
      ...{ status: 'requires_destination', claimUrl: expect.stringContaining('/claims/') },
    })
  }, 60_000)
})
