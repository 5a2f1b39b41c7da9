import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { creditNoteRoutes } from '../../src/http/credit-notes.ts'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { invoiceActionRoutes } from '../../src/http/invoice-actions.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { paymentLinkRoutes } from '../../src/http/payment-links.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { readPdf } from '../billing/pdf-text.ts'
import { makeCreditNote } from './credit-notes.ts'
import { makeCustomer } from './customers.ts'
import { makeInvoice, setSeller } from './invoices.ts'
import { expectNoCursors, expectPages, idsOf, testRefusedQueries } from './lists.ts'
import { member, shop } from './people.ts'
import { newKey, twoShops } from './two-shops.ts'

const { server, lamps, ask, page, chairsKey } = await twoShops({
  routes: [
    ...[...creditNoteRoutes, ...customerRoutes, ...customerCreditRoutes],
    ...[...invoiceActionRoutes, ...invoiceRoutes, ...paymentLinkRoutes],
  ],
})
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }
const year = new Date().getUTCFullYear()

type Shown = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly number: string
  readonly creditNoteIds: readonly string[]
  readonly documentHash: string
  readonly previousDocumentHash: string | null
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
const owner = { path: lamps.path, bearer: lamps.owner.bearer }
const invoice = async (id: string) => (await ask('GET', `/invoices/${id}`)).json as Shown
const events = (id: string) => sql<{ type: string; object: Shown }[]>`
  select type, json_of(object) as object from events where json_of(object) ->> 'id' = ${id} order by seq`

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

  test.each([
    [{ invoiceId: undefined }, 'parameter_missing', 'invoiceId'],
    [{ invoiceId: 'inv_1' }, 'parameter_invalid', 'invoiceId'],
    [{ reason: undefined }, 'parameter_missing', 'reason'],
    [{ reason: 'mood' }, 'parameter_invalid', 'reason'],
    [{ whole: undefined }, 'parameter_missing', 'lines'],
    [{ whole: false }, 'parameter_invalid', 'whole'],
    [{ lines: [{ lineId: 'line_1', quantity: '1' }] }, 'parameter_invalid', 'whole'],
    [{ whole: undefined, lines: [] }, 'parameter_invalid', 'lines'],
    [{ whole: undefined, lines: Array(101).fill({ lineId: 'line_1', quantity: '1' }) }, 'parameter_invalid', 'lines'],
    [{ whole: undefined, lines: [{ quantity: '1' }] }, 'parameter_missing', 'lines.0.lineId'],
    [{ whole: undefined, lines: [{ lineId: 'line_9', quantity: '1' }] }, 'parameter_invalid', 'lines.0.lineId'],
    [{ whole: undefined, lines: [{ lineId: 'line_1' }] }, 'parameter_invalid', 'lines.0'],
    [
      { whole: undefined, lines: [{ lineId: 'line_1', quantity: '1', amountMinor: 1 }] },
      ...(['parameter_invalid', 'lines.0'] as const),
    ],
    [
      { whole: undefined, lines: ['1', '1'].map(quantity => ({ lineId: 'line_1', quantity })) },
      ...(['parameter_invalid', 'lines.1.lineId'] as const),
    ],
    ...['0', '-1', '1.1234567', '1e3', ''].map(
      quantity =>
        [
          { whole: undefined, lines: [{ lineId: 'line_1', quantity }] },
          ...(['parameter_invalid', 'lines.0.quantity'] as const),
        ] as const,
    ),
    ...[0, 1.5, 2 ** 53, '1'].map(
      amountMinor =>
        [
          { whole: undefined, lines: [{ lineId: 'line_1', amountMinor }] },
          ...(['parameter_invalid', 'lines.0.amountMinor'] as const),
        ] as const,
    ),
    [{ creditMinor: -1 }, 'parameter_invalid', 'creditMinor'],
    [{ creditMinor: 1.5 }, 'parameter_invalid', 'creditMinor'],
    [{ note: '' }, 'parameter_invalid', 'note'],
    [{ note: 'x'.repeat(2_001) }, 'parameter_invalid', 'note'],
    [{ note: '\u202e' }, 'parameter_invalid', 'note'],
    [{ refunds: [{ amountMinor: 1 }] }, 'parameter_missing', 'refunds.0.paymentId'],
    [{ refunds: [{ paymentId: 'pay_1', amountMinor: 1 }] }, 'parameter_invalid', 'refunds.0.paymentId'],
    [{ refunds: [{ paymentId: somePayment }] }, 'parameter_missing', 'refunds.0.amountMinor'],
    [{ refunds: [{ paymentId: somePayment, amountMinor: 0 }] }, 'parameter_invalid', 'refunds.0.amountMinor'],
    [
      { refunds: Array(2).fill({ paymentId: somePayment, amountMinor: 1 }) },
      ...(['parameter_invalid', 'refunds.1.paymentId'] as const),
    ],
    [{ refunds: Array(21).fill({ paymentId: somePayment, amountMinor: 1 }) }, 'parameter_invalid', 'refunds'],
    [{ total: 1 }, 'parameter_unknown', 'total'],
  ])('400: %j', async (change, code, param) => {
    const id = await issued()
    const answer = await credit(id, { whole: true, ...change }, { headers: newKey() })
    expect([answer.status, answer.error]).toMatchObject([400, { code, param }])
    expect(await invoice(id)).toMatchObject({ amountDueMinor: 3_923, creditNoteIds: [] })
  })

  test('422: more than was invoiced of a line, in quantity or amount, names the line', async () => {
    const id = await issued()
    await credited(id, { lines: [{ lineId: 'line_1', quantity: '2' }] })
    for (const [line, param] of [
      [{ lineId: 'line_1', quantity: '1.000001' }, 'lines.1.quantity'],
      [{ lineId: 'line_1', amountMinor: 1_001 }, 'lines.1.amountMinor'],
      [{ lineId: 'line_1', amountMinor: -1 }, 'lines.1.amountMinor'],
    ] as const) {
      const { status, error } = await credit(id, { lines: [{ lineId: 'line_2', quantity: '10' }, line] })
      expect([status, error]).toMatchObject([422, { code: 'credit_note_exceeds_invoice', param }])
    }
    expect(await credited(id, { lines: [{ lineId: 'line_1', quantity: '1' }] })).toMatchObject({ totalMinor: 1_190 })
  })

  test('422: credit and refunds must be the rest, which is named', async () => {
    const id = await issued()
    expect(await credit(id, { whole: true, creditMinor: 1 })).toMatchObject({
      status: 422,
      error: {
        code: 'credit_note_not_settled',
        details: { totalMinor: 3_923, dueReducedMinor: 3_923, restMinor: 0 },
      },
    })
    await credited(id, { whole: true })
    const paid = await paidByCredit(1_000)
    expect((await credit(paid.id, { whole: true })).error?.details).toEqual({
      ...{ totalMinor: 1_000, dueReducedMinor: 0, restMinor: 1_000 },
    })
    expect((await credit(paid.id, { whole: true, creditMinor: 1_001 })).status).toBe(422)
    const note = await credited(paid.id, { whole: true, creditMinor: 1_000 })
    expect(note).toMatchObject({ totalMinor: 1_000, dueReducedMinor: 0, creditMinor: 1_000 })
    const { data } = await page<Record<string, unknown>>(`/customers/${paid.customerId}/credit`)
    expect(data[0]).toMatchObject({
      ...{ type: 'credit_note', amountMinor: 1_000, balanceMinor: 1_000, invoiceId: paid.id, creditNoteId: note.id },
    })
  })

  test('409: of a draft and of a void invoice; 404: of an invoice of another merchant or mode', async () => {
    const draft = await makeInvoice(api, mode)
    const conflict = (status: string, ...some: string[]) => {
      const details = { status, possible: expect.arrayContaining(some) }
      return { status: 409, error: { code: 'state_conflict', details } }
    }
    expect(await credit(draft.id, { whole: true })).toMatchObject(conflict('draft', 'update', 'delete', 'finalize'))
    const id = await issued()
    expect((await ask('POST', `/invoices/${id}/void`)).status).toBe(200)
    expect(await credit(id, { whole: true })).toMatchObject(conflict('void'))
    const missing = { status: 404, error: { code: 'resource_not_found', param: 'invoiceId' } }
    const other = await issued()
    expect(await credit(other, { whole: true }, { bearer: chairsKey })).toMatchObject(missing)
    expect(await credit(other, { whole: true }, { path: `${lamps.path}`, bearer: owner.bearer })).toMatchObject({
      status: 201,
    })
    expect(await ask('POST', `/credit-notes?livemode=true`, { ...owner, json: { ...body(other) } })).toMatchObject(
      missing,
    )
    expect(await credit(encodeId('inv', crypto.randomUUID()), { whole: true })).toMatchObject(missing)
  })

  test('is for billing:write; with refunds also for refunds:write and with an Idempotency-Key', async () => {
    const id = await issued()
    const withScopes = async (...scopes: string[]) => (await insertKey(sql, { ...lamps, scopes } as never)).secret
    const insufficient = { status: 403, error: { code: 'insufficient_scope' } }
    const refunds = [{ paymentId: somePayment, amountMinor: 1 }]
    const writer = await withScopes('billing:write')
    expect(await credit(id, { whole: true }, { bearer: await withScopes('billing:read') })).toMatchObject(insufficient)
    expect(await credit(id, { whole: true, refunds }, { bearer: writer, headers: newKey() })).toMatchObject(
      insufficient,
    )
    const both = await withScopes('billing:write', 'refunds:write')
    expect(await credit(id, { whole: true, refunds }, { bearer: both })).toMatchObject({
      ...{ status: 400, error: { code: 'idempotency_key_required' } },
    })
    expect(await credit(id, { whole: true, refunds }, { bearer: both, headers: newKey() })).toMatchObject({
      status: 422,
    })
    const viewer = await member(api, lamps, 'viewer')
    const asViewer = { path: lamps.path, bearer: viewer.bearer }
    expect((await credit(id, { whole: true }, asViewer)).error?.code).toBe('insufficient_role')
    const developer = await member(api, lamps, 'developer')
    expect((await credit(id, { whole: true }, { path: lamps.path, bearer: developer.bearer })).status).toBe(201)
    expect((await credit(await issued(), { whole: true }, { bearer: writer })).status).toBe(201)
  })

  test('with an Idempotency-Key is issued once, however often it is sent at the same time', async () => {
    const id = await issued()
    const headers = newKey()
    const json = { lines: [{ lineId: 'line_1', quantity: '1' }] }
    const answers = await Promise.all(Array.from({ length: 8 }, () => credit(id, json, { headers })))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await invoice(id)).creditNoteIds).toHaveLength(1)
    expect((await credit(id, { whole: true }, { headers })).error?.code).toBe('idempotency_key_reused')
  })

  test('of many at the same time as many are issued as the invoice has, with numbers without a gap', async () => {
    const here = await shop(api)
    const bearer = (await insertKey(sql, here)).secret
    const of = { merchantId: here.merchantId, livemode: false }
    const two = await Promise.all([0, 1].map(() => makeInvoice(api, of, { lines, finalize: true })))
    const requests = two.flatMap(({ id }) =>
      Array.from({ length: 7 }, () => credit(id, { lines: [{ lineId: 'line_1', quantity: '1' }] }, { bearer })),
    )
    const codes = (await Promise.all(requests)).map(({ status, error }) => error?.code ?? status)
    expect(codes.filter(code => code === 201)).toHaveLength(6)
    expect(codes.filter(code => code === 'credit_note_exceeds_invoice')).toHaveLength(8)
    for (const { id } of two) {
      const { json } = await ask('GET', `/invoices/${id}`, { bearer })
      expect(json).toMatchObject({ creditNotesMinor: 3_570, amountDueMinor: 353, status: 'open' })
    }
    const numbers = await sql<{ number: string }[]>`
      select number from credit_notes where merchant_id = ${here.merchantId} order by sequence`
    expect(numbers.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6].map(n => `TEST-CN-${year}-000${n}`))
  })

  test('an invoice has at most 50, and the one that voids it', async () => {
    const id = await issued({ lines: [{ description: 'Sand', quantity: '60', unitAmountMinor: 1 }] })
    for (let n = 0; n < 50; n++) await credited(id, { lines: [{ lineId: 'line_1', quantity: '1' }] })
    expect((await credit(id, { whole: true })).error?.code).toBe('credit_note_exceeds_invoice')
    expect((await ask('POST', `/invoices/${id}/void`)).status).toBe(200)
    expect((await invoice(id)).creditNoteIds).toHaveLength(51)
  })

  test('of an erased customer: no credit', async () => {
    const { id, customerId } = await paidByCredit(500)
    expect((await ask('POST', `/customers/${customerId}/erase`, owner)).status).toBe(200)
    const refused = { status: 409, error: { code: 'customer_erased', param: 'creditMinor' } }
    expect(await credit(id, { whole: true, creditMinor: 500 })).toMatchObject(refused)
    expect((await credit(id, { whole: true })).error?.code).toBe('credit_note_not_settled')
  })
})

const somePayment = encodeId('pay', crypto.randomUUID())
const body = (invoiceId: string) => ({ invoiceId, reason: 'order_change', whole: true })

/** An invoice that was paid from the credit of its customer. */
const paidByCredit = async (amountMinor: number) => {
  const { id: customerId, customer } = await makeCustomer(api, mode)
  const json = { currency: 'EUR', amountMinor, note: 'Goodwill' }
  expect((await ask('POST', `/customers/${customerId}/credit`, { ...owner, json })).status).toBe(201)
  const more = { customerId: customer.id, lines: [{ description: 'A lamp', unitAmountMinor: amountMinor }] }
  return { id: await issued(more), customerId }
}

describe('POST /v1/invoices/:id/void', () => {
  const voided = (id: string, json?: object, asked: object = {}) =>
    ask('POST', `/invoices/${id}/void`, { ...(json && { json }), ...asked })

  test('200: with a credit note over the rest; the applied credit is released and the link closed', async () => {
    const { id: customerId, customer } = await makeCustomer(api, mode)
    const json = { currency: 'EUR', amountMinor: 700, note: 'Goodwill' }
    await ask('POST', `/customers/${customerId}/credit`, { ...owner, json })
    const id = await issued({ customerId: customer.id })
    expect(await invoice(id)).toMatchObject({ creditAppliedMinor: 700, amountDueMinor: 3_223 })
    const first = await credited(id, { lines: [{ lineId: 'line_1', quantity: '1' }] })
    const answer = await voided(id, { reason: 'Ordered twice' })
    const [, noteId = ''] = (answer.json as Shown).creditNoteIds
    expect(answer).toMatchObject({
      status: 200,
      json: {
        ...{ status: 'void', overdue: false, creditAppliedMinor: 0, creditNotesMinor: 3_923, amountDueMinor: 0 },
        ...{ amountPaidMinor: 0, creditNoteIds: [first.id, noteId], voidedAt: expect.any(String), paidAt: null },
      },
    })
    expect((await ask('GET', `/credit-notes/${noteId}`)).json).toMatchObject({
      ...{ invoiceId: id, reason: 'cancellation', note: 'Ordered twice', totalMinor: 2_733, dueReducedMinor: 2_733 },
      ...{ creditMinor: 0, refundsMinor: 0 },
    })
    const { data } = await page<Record<string, unknown>>(`/customers/${customerId}/credit`)
    expect(data.map(({ type, balanceMinor }) => `${type} -> ${balanceMinor}`)).toEqual([
      ...['released -> 700', 'applied -> 0', 'adjustment -> 700'],
    ])
    expect(data[0]).toMatchObject({ invoiceId: id, creditNoteId: noteId })
    const [link] = (await page<Record<string, unknown>>('/payment-links?hidden=true&limit=1')).data
    expect(link).toMatchObject({ status: 'deactivated', hidden: true })
    const types = [...(await events(id)), ...(await events(noteId))].map(({ type }) => type)
    expect(types).toEqual(['invoice.created', 'invoice.finalized', 'invoice.voided', 'credit_note.issued'])
  })

  test('of an invoice that was given up; a viewer may not', async () => {
    const id = await issued()
    const viewer = await member(api, lamps, 'viewer')
    const asViewer = { path: lamps.path, bearer: viewer.bearer }
    expect((await voided(id, undefined, asViewer)).error?.code).toBe('insufficient_role')
    await ask('POST', `/invoices/${id}/uncollectible`)
    expect((await voided(id)).json).toMatchObject({ status: 'void' })
  })

  test('409: of a draft, of a paid invoice, and a second time; the key replays the first answer', async () => {
    const id = await issued()
    const headers = newKey()
    const first = await voided(id, {}, { headers })
    expect(first.status).toBe(200)
    expect((await voided(id, {}, { headers })).text).toBe(first.text)
    for (const [other, status] of [
      [id, 'void'],
      [(await makeInvoice(api, mode)).id, 'draft'],
      [(await paidByCredit(100)).id, 'paid'],
    ] as const)
      expect((await voided(other)).error).toMatchObject({ code: 'state_conflict', details: { status } })
    expect((await voided(await issued(), { reason: 'x'.repeat(1_001) })).error?.param).toBe('reason')
    expect((await voided(await issued(), {}, { bearer: chairsKey })).status).toBe(404)
  })

  test('409: while money is processing', async () => {
    const { id, invoice: made } = await makeInvoice(api, mode, { finalize: true })
    const send = async (type: string) =>
      expect(
        (await api.actors.dispatch({ kind: 'invoice', actor: made.id, event: { type, amountMinor: 100 } })).ok,
      ).toBe(true)
    await send('payment_processing')
    expect(await voided(id)).toMatchObject({ status: 409, error: { code: 'invoice_has_payments' } })
    await send('payment_reverted')
    expect((await voided(id)).status).toBe(200)
  })

  test('of twenty at the same time, and as many credit notes, one takes place', async () => {
    const id = await issued()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => [voided(id), credit(id, { whole: true })]).flat(),
    )
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    const after = await invoice(id)
    expect(after).toMatchObject({ creditNotesMinor: 3_923, amountDueMinor: 0 })
    expect(after.creditNoteIds).toHaveLength(1)
  })
})

describe('the chain of hashes', () => {
  const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
  const canonical = (value: object) => canonicalize(value) ?? ''

  test('of credit notes is that of the documents, calculated by another program', async () => {
    const here = await shop(api)
    const bearer = (await insertKey(sql, here)).secret
    const of = { merchantId: here.merchantId, livemode: false }
    await setSeller(sql, here.merchantId)
    const made = [await makeInvoice(api, of, { lines, finalize: true }), await makeInvoice(api, of, { finalize: true })]
    for (const json of [{ lines: [{ lineId: 'line_2', amountMinor: 5 }] }, { whole: true }])
      expect((await credit(made[0]?.id ?? '', { ...json, note: 'Ø “x”' }, { bearer })).status).toBe(201)
    expect((await ask('POST', `/invoices/${made[1]?.id}/void`, { bearer })).status).toBe(200)
    const { data: chain } = await page<Shown>(`/invoices/chain?kind=credit_note&year=${year}`, { bearer })
    expect(chain.map(({ number }) => number)).toEqual([1, 2, 3].map(n => `TEST-CN-${year}-000${n}`))
    let before = ''
    for (const { id, number, documentHash, previousDocumentHash } of chain) {
      expect(previousDocumentHash ?? '').toBe(before)
      const note = (await ask('GET', `/credit-notes/${id}`, { bearer })).json as Shown
      expect(note).toMatchObject({ number, documentHash, previousDocumentHash })
      const ofInvoice = (await ask('GET', `/invoices/${note.invoiceId}`, { bearer })).json as Shown
      const [row] = await sql<{ salt: string }[]>`
        select party_salt as salt from invoices where id = ${decodeId('inv', ofInvoice.id) ?? ''}`
      const said = {
        ...{ number, kind: 'credit_note', currency: note.currency, lines: note.lines, taxes: note.taxes },
        ...{ subtotalMinor: note.subtotalMinor, taxMinor: note.taxMinor, totalMinor: note.totalMinor },
        ...{ issueDate: note.issueDate, dueDate: null, sellerHash: sha256(canonical(ofInvoice.seller as object)) },
        partyHash: sha256(
          Buffer.concat([Buffer.from(row?.salt ?? '', 'hex'), Buffer.from(canonical(ofInvoice.customer as object))]),
        ),
      }
      expect(documentHash).toBe(sha256(`${before}.${sha256(canonical(said))}`))
      before = documentHash
    }
    // Invoices have their own series and chain, and pages go by the kind.
    const first = await page<Shown>('/invoices/chain?kind=credit_note&limit=1', { bearer })
    const rest = await page<Shown>(`/invoices/chain?kind=credit_note&startingAfter=${first.data[0]?.id}`, { bearer })
    expect(rest.data).toEqual(chain.slice(1))
    expect((await page<Shown>('/invoices/chain', { bearer })).data).toHaveLength(2)
    const refused = await ask('GET', `/invoices/chain?startingAfter=${chain[0]?.id}`, { bearer })
    expect(refused.error?.code).toBe('invalid_cursor')
  })
})

describe('lists', () => {
  test('are paged in both orders, and filtered by invoice and customer', async () => {
    const bearer = (await insertKey(sql, { ...lamps, livemode: true })).secret
    const live = { ...mode, livemode: true }
    await setSeller(sql, lamps.merchantId)
    const ids: string[] = []
    const { customer, id: customerId } = await makeCustomer(api, live)
    const of = await makeInvoice(api, live, { customerId: customer.id, lines, finalize: true })
    for (const credited of [{ lines: [{ lineId: 'line_1', quantity: '1' }] }, { whole: true as const }])
      ids.push((await makeCreditNote(api, live, { invoiceId: of.invoice.id, credited })).id)
    for (let n = 0; n < 3; n++) ids.push((await makeCreditNote(api, live)).id)
    const list = (query: string) => page<Shown>(`/credit-notes${query}`, { bearer })
    await expectPages(list, ids)
    expect((await list('')).data[0]?.number).toBe(`CN-${year}-0005`)
    expect(idsOf(await list(`?invoiceId=${of.id}&order=asc`))).toEqual(ids.slice(0, 2))
    expect(idsOf(await list(`?customerId=${customerId}`))).toEqual(ids.slice(0, 2).reverse())
    expect(idsOf(await list(`?customerId=${customerId}&limit=1`))).toEqual(ids.slice(1, 2))
    expect(idsOf(await list(`?invoiceId=${encodeId('inv', crypto.randomUUID())}`))).toEqual([])
    const into = await makeCustomer(api, live)
    await ask('POST', `/customers/${customerId}/merge`, { ...owner, json: { intoId: into.id } })
    const merged = await list(`?customerId=${into.id}`)
    expect(merged.data.map(({ id, customerId }) => [id, customerId])).toEqual(
      ids
        .slice(0, 2)
        .reverse()
        .map(id => [id, into.id]),
    )
    await expectNoCursors(
      query => ask('GET', `/credit-notes${query}`),
      [ids[0] ?? '', encodeId('cn', crypto.randomUUID()), of.id],
    )
  })

  testRefusedQueries(
    query => ask('GET', `/credit-notes${query}`),
    [
      ['invoiceId=inv_1', 'parameter_invalid', 'invoiceId'],
      ['customerId=x', 'parameter_invalid', 'customerId'],
      ['status=issued', 'parameter_unknown', 'status'],
    ],
  )
})

describe('the document', () => {
  const pdf = async (id: string, { path = '/v1', bearer = '' } = owner) => {
    const answer = await fetch(`${server.url}${path}/credit-notes/${id}/document`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const texts = (await readPdf(bytes)).flat().map(({ text }) => text)
    return { text: texts.join(' '), bytes: Buffer.from(bytes).toString('hex'), answer }
  }
  const noteFor = async (locale: string) => {
    const { customer, id: customerId } = await makeCustomer(api, mode, { name: 'Ada Example', locale })
    const { invoice: of } = await makeInvoice(api, mode, { lines, customerId: customer.id, finalize: true })
    const { note, id } = await makeCreditNote(api, mode, { invoiceId: of.id, note: 'Sorry' })
    return { note, id, of, customerId }
  }

  test('names the invoice, what it credits and why, in the language of the customer', async () => {
    const { note, id, of } = await noteFor('en')
    const { text, answer } = await pdf(id)
    for (const shown of [
      'Credit note',
      note.context.number,
      of.context.number,
      'Ada Example',
      'Sorry',
      'Order changed',
    ])
      expect(text).toContain(String(shown))
    expect(text).toContain('€39.23')
    expect(answer.headers.get('content-type')).toBe('application/pdf')
    expect(answer.headers.get('content-disposition')).toBe(`inline; filename="${note.context.number}.pdf"`)
    expect((await pdf((await noteFor('de')).id)).text).toContain('Rechnungskorrektur')
    expect((await ask('GET', `/credit-notes/${id}/document?format=json`)).json).toEqual(
      (await ask('GET', `/credit-notes/${id}`)).json,
    )
    expect((await ask('GET', `/credit-notes/${id}/document?format=xml`)).error?.param).toBe('format')
  })

  test('is rendered once; of an erased customer only owners see whose it is, and the party is deleted in time', async () => {
    const { note, id, of, customerId } = await noteFor('en')
    const first = await pdf(id)
    await sql`update credit_notes set note = 'Changed' where id = ${note.id}`
    expect((await pdf(id)).bytes).toBe(first.bytes)
    await sql`update credit_notes set note = 'Sorry' where id = ${note.id}`
    expect((await ask('POST', `/customers/${customerId}/erase`, owner)).status).toBe(200)
    expect((await pdf(id)).text).toContain('Ada Example')
    const developer = await member(api, lamps, 'developer')
    expect((await pdf(id, { path: lamps.path, bearer: developer.bearer })).text).not.toContain('Ada Example')
    await sql`update invoices set retained_until = now() - interval '1 hour' where id = ${of.id}`
    await sql`select remove_expired_parties(250)`
    expect(await sql`select from invoice_documents where invoice_id = ${of.id}`).toHaveLength(0)
    expect((await pdf(id)).text).not.toContain('Ada Example')
    expect((await pdf(id)).text).toContain(note.context.number)
  })

  test('a note in a later year extends the time for which the party is kept', async () => {
    const id = await issued()
    const actor = decodeId('inv', id) ?? ''
    await sql`update invoices set retained_until = '2030-12-31T23:59:59.999Z' where id = ${actor}`
    await credited(id, { whole: true })
    expect((await invoice(id)).retainedUntil).toBe(`${year + 10}-12-31T23:59:59.999Z`)
  })
})
