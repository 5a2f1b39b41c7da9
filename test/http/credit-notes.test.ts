import { describe, expect, test } from 'bun:test'
import { creditNoteRoutes } from '../../src/http/credit-notes.ts'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { invoiceActionRoutes } from '../../src/http/invoice-actions.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { paymentLinkRoutes } from '../../src/http/payment-links.ts'
import { makeInvoice } from './invoices.ts'
import { twoShops } from './two-shops.ts'

const { server, lamps, ask } = await twoShops({
  routes: [
    ...creditNoteRoutes,
    ...customerCreditRoutes,
    ...invoiceRoutes,
    ...invoiceActionRoutes,
    ...paymentLinkRoutes,
  ],
})
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }
const year = new Date().getUTCFullYear()

type Shown = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly number: string
  readonly creditNoteIds: readonly string[]
  readonly lines: readonly { readonly lineId: string }[]
}

const lines = [
  { description: 'A lamp', quantity: '3', unitAmountMinor: 1_000, taxRateBps: 1_900 },
  { description: 'A bulb', quantity: '10', unitAmountMinor: 33, taxRateBps: 700 },
]
/** 30.00 at 19 % and 3.30 at 7 %: 39.23. */
const issued = async (more: object = {}) => (await makeInvoice(api, mode, { lines, finalize: true, ...more })).id
const credit = (invoiceId: string, json: object, asked: object = {}) =>
  ask('POST', '/credit-notes', { json: { invoiceId, reason: 'order_change', ...json }, ...asked })
const credited = async (invoiceId: string, json: object): Promise<Shown> => {
  const answer = await credit(invoiceId, json)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.json as Shown
}
const invoice = async (id: string) => (await ask('GET', `/invoices/${id}`)).json as Shown
const events = (id: string) => sql<{ type: string; object: Shown }[]>`
  select type, object from events where object ->> 'id' = ${id} order by seq`

describe('POST /v1/credit-notes', () => {
  test('201: lowers what is due by lines, and the notes of the whole invoice add up to it', async () => {
    const id = await issued()
    expect(await invoice(id)).toMatchObject({ totalMinor: 3_923, amountDueMinor: 3_923, creditNoteIds: [] })
    const first = await credited(id, { lines: [{ lineId: 'line_1', quantity: '1' }], note: 'One was broken' })
    expect(first).toMatchObject({
      ...{ object: 'credit_note', invoiceId: id, reason: 'order_change', currency: 'EUR', note: 'One was broken' },
      lines: [{ lineId: 'line_1', description: 'A lamp', quantity: '1', unitAmountMinor: 1_000, amountMinor: 1_000 }],
      taxes: [{ taxCategory: 'standard', taxRateBps: 1_900, netMinor: 1_000, taxMinor: 190 }],
      ...{ subtotalMinor: 1_000, taxMinor: 190, totalMinor: 1_190, dueReducedMinor: 1_190 },
      ...{ creditMinor: 0, refundsMinor: 0, refundIds: [], livemode: false },
    })
    expect(first.number).toMatch(new RegExp(`^TEST-CN-${year}-\\d{4}$`))
    expect(await invoice(id)).toMatchObject({
      ...{ status: 'open', creditNotesMinor: 1_190, amountDueMinor: 2_733, creditNoteIds: [first.id] },
    })
    const second = await credited(id, { lines: [{ lineId: 'line_2', amountMinor: 100 }] })
    expect(second).toMatchObject({
      lines: [{ lineId: 'line_2', quantity: null, unitAmountMinor: null, amountMinor: 100 }],
      totalMinor: 107,
    })
    const last = await credited(id, { whole: true })
    expect(last).toMatchObject({ totalMinor: 3_923 - 1_190 - 107, dueReducedMinor: 2_626 })
    const after = await invoice(id)
    expect(after).toMatchObject({ status: 'paid', creditNotesMinor: 3_923, amountDueMinor: 0, amountPaidMinor: 0 })
    expect(after.creditNoteIds).toEqual([first.id, second.id, last.id])
    expect((await events(id)).map(({ type }) => type)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid'])
    expect((await credit(id, { whole: true })).error?.code).toBe('credit_note_exceeds_invoice')
  })

  test('the event has the record without lines and taxes', async () => {
    const { lines: _, taxes: __, ...record } = await credited(await issued(), { whole: true })
    expect([...(await events(record.id))]).toEqual([{ type: 'credit_note.issued', object: record as unknown as Shown }])
  })
})
