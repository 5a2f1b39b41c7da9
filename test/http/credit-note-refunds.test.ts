import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { decodeId } from '../../src/ids.ts'
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
const refund = async ({ id }: PayingCustomer, json: object) => {
  const headers = newKey()
  const answer = await instance.server.call('POST', `/v1/payments/${id}/refunds`, {
    bearer: instance.key,
    headers,
    json,
  })
  return { ...(answer.json as Note), status: answer.status }
}
const asOwner = (path: string, json: object = {}) =>
  instance.server.call('POST', `${instance.shop.path}/${path}`, { bearer: instance.shop.owner.bearer, json })
const cancel = ({ refundIds }: Note) => asOwner(`refunds/${refundIds[0]}/cancel`)
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
  test.concurrent('becomes credit and refunds, in one commit', async () => {
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
      ...{ paymentId: payment.id, creditNoteId: note.id, amountMinor: 400, reason: 'other', destination },
    })
    expect(await to.creditOf(invoice)).toEqual(['credit_note 200 -> 200'])
    await processed(1, payment)
    await to.shows(invoice, { state: 'paid', paid: 1000, refunded: 400 })
    const { customerId } = (await to.ask('GET', `/v1/invoices/${invoice.id}`)).json as { customerId: string }
    expect((await to.ask('GET', `/v1/customers/${customerId}/credit`)).json).toMatchObject({
      data: [{ type: 'credit_note', amountMinor: 200, creditNoteId: note.id, invoiceId: invoice.id, paymentId: null }],
    })
  }, 60_000)

  test.concurrent('lowers what is due first, and the rest pays back: the invoice is paid', async () => {
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

  test.concurrent('its refunds take back no credit that the payment gave, and later ones do', async () => {
    const [invoice, payment] = await paidWith(1200)
    const refunds = [{ paymentId: payment.id, amountMinor: 700, destination }]
    expect(await credit(invoice, { ...part(700), refunds })).toMatchObject({ status: 201 })
    expect(await to.creditOf(invoice)).toEqual(['overpayment 200 -> 200'])
    await processed(1, payment)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200, refunded: 700 })
    expect((await refund(payment, { amountMinor: 250, destination })).status).toBe(201)
    expect((await to.creditOf(invoice)).at(-1)).toBe('refunded -200 -> 0')
    await processed(2, payment)
    await to.shows(invoice, { state: 'paid', paid: 1000, overpaid: 200, refunded: 950, uncredited: 50 })
  }, 60_000)

  test.concurrent('covers refunds that were made before it: fewer are uncredited', async () => {
    const [invoice, payment] = await paidWith()
    expect((await refund(payment, { amountMinor: 300, destination })).status).toBe(201)
    await processed(1, payment)
    await to.shows(invoice, { state: 'paid', paid: 1000, refunded: 300, uncredited: 300 })
    const refunds = [{ paymentId: payment.id, amountMinor: 200 }]
    const note = await credit(invoice, { ...part(200), refunds })
    await to.shows(invoice, { state: 'paid', paid: 1000, refunded: 300, uncredited: 100 })
    expect((await cancel(note)).status).toBe(200)
    await to.shows(invoice, { state: 'paid', paid: 1000, refunded: 300, uncredited: 300 })
    // What became credit instead is taken back by a later refund.
    expect((await refund(payment, { amountMinor: 700, destination })).status).toBe(201)
    expect(await to.creditOf(invoice)).toEqual(['credit_note 200 -> 200', 'refunded -200 -> 0'])
    await processed(2, payment)
    await to.shows(invoice, { state: 'paid', paid: 1000, refunded: 1000, uncredited: 800 })
  }, 60_000)

  test.concurrent('its refund that is canceled becomes credit, once, of the customer that it was merged into', async () => {
    const [invoice, payment] = await paidWith()
    const refunds = [{ paymentId: payment.id, amountMinor: 400 }]
    const note = await credit(invoice, { ...part(600), creditMinor: 200, refunds })
    const before = (await to.ask('GET', `/v1/credit-notes/${note.id}`)).json
    const { customerId } = before as { customerId: string }
    const survivor = (await to.ask('POST', '/v1/customers', { email: `${crypto.randomUUID()}@example.com` }))
      .json as Note
    expect((await asOwner(`customers/${customerId}/merge`, { intoId: survivor.id })).status).toBe(200)
    const answers = await Promise.all([1, 2, 3].map(() => cancel(note)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await to.creditOf(invoice)).toEqual(['credit_note 200 -> 200', 'credit_note 400 -> 600'])
    expect((await to.ask('GET', `/v1/customers/${survivor.id}/credit`)).json).toMatchObject({
      data: [
        {
          ...{ type: 'credit_note', amountMinor: 400, creditNoteId: note.id, invoiceId: invoice.id },
          ...{ paymentId: payment.id, customerId: survivor.id },
        },
        { type: 'adjustment', amountMinor: 200 },
      ],
    })
    const kept = { ...(before as object), customerId: survivor.id }
    expect((await to.ask('GET', `/v1/credit-notes/${note.id}`)).json).toEqual(kept)
    // The payment keeps 600 that are no credit.
    const spend = { currency: 'USD', amountMinor: -600, note: 'Spent' }
    expect((await asOwner(`customers/${survivor.id}/credit`, spend)).status).toBe(201)
    const tooMuch = await refund(payment, { amountMinor: 601, destination })
    expect([tooMuch.status, tooMuch.error]).toMatchObject([
      422,
      { code: 'credit_exceeds_balance', details: { remainingMinor: 600 } },
    ])
    const again = await credit(invoice, { ...part(400), refunds: [{ paymentId: payment.id, amountMinor: 400 }] })
    expect(again.status).toBe(201)
    expect((await refund(payment, { amountMinor: 201, destination })).status).toBe(422)
    expect((await refund(payment, { amountMinor: 200, destination })).status).toBe(201)
  }, 60_000)

  test.concurrent('422: its refund is not canceled when the balance cannot hold the amount', async () => {
    const [invoice, payment] = await paidWith()
    const note = await credit(invoice, { ...part(600), refunds: [{ paymentId: payment.id, amountMinor: 600 }] })
    const { customerId } = (await to.ask('GET', `/v1/invoices/${invoice.id}`)).json as { customerId: string }
    const most = { currency: 'USD', amountMinor: Number.MAX_SAFE_INTEGER - 599, note: 'A gift' }
    expect((await asOwner(`customers/${customerId}/credit`, most)).status).toBe(201)
    const answer = await cancel(note)
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { error: { code: 'credit_exceeds_balance', message: expect.stringContaining('above 9007199254740991') } },
    ])
    expect((await to.ask('GET', `/v1/refunds/${note.refundIds[0]}`)).json).toMatchObject({
      status: 'requires_destination',
    })
    expect((await asOwner(`customers/${customerId}/credit`, { ...most, amountMinor: -1 })).status).toBe(201)
    expect((await cancel(note)).status).toBe(200)
    expect(await to.creditOf(invoice)).toEqual([`credit_note 600 -> ${Number.MAX_SAFE_INTEGER}`])
  }, 60_000)

  test.concurrent('422: a refund of more than the payment has paid of the invoice refuses the note', async () => {
    const [invoice, payment] = await paidWith(1200)
    const refuse = async (more: object, status: number, error: object) => {
      const refunds = [{ paymentId: payment.id, amountMinor: 800, ...more }]
      const answer = await credit(invoice, { ...part(800), refunds })
      expect([answer.status, answer.error]).toMatchObject([status, error])
    }
    expect(
      await credit(invoice, { ...part(300), refunds: [{ paymentId: payment.id, amountMinor: 300 }] }),
    ).toMatchObject({
      status: 201,
    })
    const param = 'refunds.0.amountMinor'
    // Of the 1,200 that it received, 700 are left of what it paid.
    const lines = part(700)
    const tooMuch = await credit(invoice, { ...lines, refunds: [{ paymentId: payment.id, amountMinor: 701 }] })
    expect([tooMuch.status, tooMuch.error]).toMatchObject([422, { code: 'credit_note_not_settled' }])
    await refuse({}, 422, { code: 'credit_note_exceeds_invoice', param: 'lines.0.amountMinor' })
    const other = await paidWith(1000)
    const foreign = await credit(other[0], { ...part(100), refunds: [{ paymentId: payment.id, amountMinor: 100 }] })
    expect([foreign.status, foreign.error]).toMatchObject([
      400,
      { code: 'parameter_invalid', param: 'refunds.0.paymentId' },
    ])
    expect((await refund(other[1], { amountMinor: 950, destination })).status).toBe(201)
    const spent = await credit(other[0], { ...part(51), refunds: [{ paymentId: other[1].id, amountMinor: 51 }] })
    expect([spent.status, spent.error]).toMatchObject([
      422,
      { code: 'refund_exceeds_remaining', param, details: { remainingMinor: 50 } },
    ])
    const bad = { paymentId: other[1].id, amountMinor: 50, destination: '0x1' }
    const nowhere = await credit(other[0], { ...part(50), refunds: [bad] })
    expect([nowhere.status, nowhere.error]).toMatchObject([
      422,
      { code: 'invalid_destination', param: 'refunds.0.destination' },
    ])
    expect(await credit(other[0], { ...part(50), creditMinor: 50 })).toMatchObject({ status: 201 })
    expect(await to.creditOf(other[0])).toEqual(['credit_note 50 -> 50'])
  }, 60_000)

  test('of many at the same time, with refunds, no more is refunded than was paid', async () => {
    const [invoice, payment] = await paidWith()
    const refunds = [{ paymentId: payment.id, amountMinor: 300 }]
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => credit(invoice, { ...part(300), refunds })),
      ...Array.from({ length: 2 }, () => refund(payment, { amountMinor: 300 })),
    ])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5)
    const { sql } = instance.server
    const [sum] = await sql`select sum(amount_minor)::int as minor from refunds where payment_id = ${payment.payment}`
    expect(sum?.minor).toBe(900)
  }, 60_000)
})

describe('a credit note beside money that arrives', () => {
  test('is exact, whichever comes first: total = credit notes + paid + due, and the rest is credit', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const invoice = await to.issue(1000)
      const payment = await to.open(invoice)
      const [note] = await Promise.all([
        (async () => {
          const states = ['pending', 'processing', 'success']
          await until(async () => states.indexOf((await instance.look(payment.id)).state) >= turn)
          // What is due is lowered by 600 at most; what the payment has paid meanwhile becomes credit.
          for (let creditMinor = 0; ; creditMinor = creditMinor === 0 ? 600 : 0) {
            const answer = await credit(invoice, { ...part(600), creditMinor })
            if (answer.status === 201) return answer as unknown as { dueReducedMinor: number; creditMinor: number }
            expect(answer.error).toMatchObject({ code: 'credit_note_not_settled' })
          }
        })(),
        to.send(payment.address, 1000),
      ])
      const { dueReducedMinor, creditMinor } = note
      expect(dueReducedMinor + creditMinor).toBe(600)
      const paid = 1000 - dueReducedMinor
      const overpaid = 1000 - paid
      await to.shows(invoice, { state: 'paid', paid, ...(overpaid > 0 && { overpaid }) })
      expect((await to.ask('GET', `/v1/invoices/${invoice.id}`)).json).toMatchObject({
        ...{ creditNotesMinor: dueReducedMinor, amountPaidMinor: paid, amountDueMinor: 0, status: 'paid' },
      })
      // Either way the customer has 600.
      expect((await to.creditOf(invoice)).at(-1)).toEndWith('-> 600')
    }
  }, 90_000)
})

describe('POST /v1/invoices/:id/void', () => {
  test('409: after some money has arrived', async () => {
    const [invoice] = await paidWith(400)
    const answer = await to.ask('POST', `/v1/invoices/${invoice.id}/void`)
    expect(answer).toMatchObject({ status: 409, json: { error: { code: 'invoice_has_payments' } } })
  }, 60_000)

  test('at the same time as money arrives: it is paid, or the money is credit and needs attention', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const invoice = await to.issue(1000)
      const payment = await to.open(invoice)
      const [answer] = await Promise.all([
        (async () => {
          await until(async () => {
            const { state } = await instance.look(payment.id)
            return turn === 0 || state !== 'pending'
          })
          return to.ask('POST', `/v1/invoices/${invoice.id}/void`)
        })(),
        to.send(payment.address, 1000),
      ])
      if (answer.status === 200) {
        await to.shows(invoice, { state: 'void', overpaid: 1000 })
        expect(await to.creditOf(invoice)).toEqual(['overpayment 1000 -> 1000'])
        await instance.becomes(payment.id, { state: 'success', attention: true })
      } else {
        expect(answer.json).toMatchObject({ error: { code: 'invoice_has_payments' } })
        await to.shows(invoice, { state: 'paid', paid: 1000 })
      }
    }
  }, 90_000)
})

test('the audit finds credit notes that differ from their invoice, their series, the credit or the refunds', async () => {
  const [invoice, payment] = await paidWith()
  const refunds = [{ paymentId: payment.id, amountMinor: 400 }]
  const note = await credit(invoice, { ...part(600), creditMinor: 200, refunds })
  expect(note.status).toBe(201)
  const canceled = await credit(invoice, { ...part(100), refunds: [{ paymentId: payment.id, amountMinor: 100 }] })
  expect((await cancel(canceled)).status).toBe(200)
  const { sql } = instance.server
  await until(async () => (await sql`select from unsettled_payments where reported_rev is null`).length === 0)
  const id = decodeId('cn', note.id)
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
  const notes = (set: string) => `update credit_notes set ${set} where id = '${id}'`
  const invoices = (set: string) => `update invoices set ${set} where id = '${invoice.actor}'`
  const line = (field: string, value: string) => notes(`lines = jsonb_set(lines, '{0,${field}}', '${value}')`)
  const unchecked = 'alter table credit_notes drop constraint credit_notes_settled;'
  const numbers = expect.stringMatching(/^a series of document numbers with a gap/)
  const chain = expect.stringMatching(/^a document that breaks the chain/)
  const ofInvoice = expect.stringMatching(/^an invoice whose credit notes differ/)
  const settlement = expect.stringMatching(/^a credit note that differs from its taxes, its credit or its refunds/)
  const returned = expect.stringMatching(/^an invoice whose payments return another amount by credit notes/)
  for (const [change, what] of [
    [notes('sequence = sequence + 100'), numbers],
    [notes("issued_at = issued_at + interval '1 day'"), numbers],
    [`update document_series set last_number = last_number + 1 where document_kind = 'credit_note'`, numbers],
    [`update document_series set document_kind = 'invoice', year = 2000 where document_kind = 'credit_note'`, numbers],
    [line('description', '"Another lamp"'), chain],
    [notes(`document_hash = repeat('0', 64)`), chain],
    [invoices(`party_hash = repeat('0', 64)`), chain],
    [invoices('credit_notes_minor = 1, amount_paid_minor = 999'), ofInvoice],
    [invoices(`credit_note_ids = '[]'`), ofInvoice],
    [notes('invoice_id = gen_random_uuid()'), ofInvoice],
    [line('amountMinor', '1001'), ofInvoice],
    [line('amountMinor', '-600'), ofInvoice],
    [line('lineId', '"line_2"'), ofInvoice],
    [`${unchecked} ${notes('credit_minor = 201, refunds_minor = 399')}`, settlement],
    [`${unchecked} ${notes('due_reduced_minor = 1')}`, settlement],
    [notes(`taxes = jsonb_set(taxes, '{0,taxMinor}', '1')`), settlement],
    [notes(`currency = 'EUR'`), settlement],
    [
      `alter table credit_entries disable trigger credit_entries_never_change;
       update credit_entries set amount_minor = 201 where credit_note_id = '${id}'`,
      settlement,
    ],
    [`update refunds set amount_minor = 399 where payment_id = '${payment.payment}'`, settlement],
    [notes(`refund_ids = refund_ids || refund_ids`), settlement],
    [invoices(`allocations = jsonb_set(allocations, '{0,creditedMinor}', '399')`), returned],
    [invoices(`allocations = jsonb_set(allocations, '{0,amountMinor}', '399')`), returned],
    [invoices(`allocations = jsonb_set(allocations, '{0,noteRefundsMinor}', '399')`), returned],
    // The refund that was canceled, and what became credit instead.
    [invoices(`allocations = jsonb_set(allocations, '{0,noteCreditMinor}', '99')`), returned],
    [
      invoices(
        `allocations = jsonb_set(jsonb_set(allocations, '{0,noteCreditMinor}', '0'), '{0,creditedMinor}', '500')`,
      ),
      returned,
    ],
    [
      `alter table credit_entries disable trigger credit_entries_never_change;
       delete from credit_entries where credit_note_id = '${decodeId('cn', canceled.id)}'`,
      returned,
    ],
    [
      `update refunds set state = 'requires_destination' where credit_note_id = '${decodeId('cn', canceled.id)}'`,
      returned,
    ],
    [`update refunds set credit_note_id = null where payment_id = '${payment.payment}'`, returned],
    [`delete from idempotency_keys where record_id = '${id}'`, 'a refund whose idempotency key is missing'],
  ] as const)
    expect([change, await found(change)]).toEqual([change, expect.arrayContaining([what])])
}, 90_000)
