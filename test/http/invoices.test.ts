import { describe, expect, test } from 'bun:test'
import { customerRoutes } from '../../src/http/customers.ts'
import { eventRoutes } from '../../src/http/events.ts'
import { invoiceActionRoutes } from '../../src/http/invoice-actions.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { encodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { makeCustomer } from './customers.ts'
import { aLamp, makeInvoice, setSeller } from './invoices.ts'
import { expectNoCursors, expectPages, idsOf, testRefusedQueries } from './lists.ts'
import { member } from './people.ts'
import { makeSubscription } from './subscriptions.ts'
import { newKey, twoShops } from './two-shops.ts'

const { server, lamps, key, liveKey, chairsKey, ask, page } = await twoShops({
  routes: [...invoiceActionRoutes, ...invoiceRoutes, ...customerRoutes, ...eventRoutes],
})
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }
const own = await makeCustomer(api, mode, { name: 'Ada Example' })
const customerId = own.id

type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string }

const create = (json: object) => ask('POST', '/invoices', { json: { customerId, currency: 'EUR', ...json } })
const created = async (json: object = {}): Promise<Shown> => {
  const { status, json: body } = await create({ lines: [aLamp], ...json })
  expect(status).toBe(201)
  return body as Shown
}

describe('a draft', () => {
  test('has its lines with their amounts and sums, and neither a number nor a page', async () => {
    const lines = [
      { description: 'A lamp', quantity: '1.5', unitAmountMinor: 4_900, taxRateBps: 1_900 },
      {
        description: 'Manual',
        unitAmountMinor: 1_000,
        taxRateBps: 700,
        periodStart: '2026-11-01',
        periodEnd: '2026-11-30',
      },
      { description: 'Consulting', unitAmountMinor: 10_000, taxCategory: 'reverse_charge', taxNote: 'Article 196' },
      { description: 'Discount', unitAmountMinor: -333, taxRateBps: 1_900 },
    ]
    const json = {
      lines,
      reference: 'order 7',
      orderNumber: 'B 1',
      daysUntilDue: 30,
      reminders: [0, 7],
      metadata: { a: 'b' },
    }
    const { id, createdAt, updatedAt, ...draft } = await created(json)
    expect([id, createdAt, updatedAt]).toEqual([expect.stringMatching(/^inv_/), expect.any(String), createdAt])
    expect(draft).toEqual({
      ...{
        object: 'invoice',
        merchantId: encodeId('mer', lamps.merchantId),
        customerId,
        number: null,
        status: 'draft',
        overdue: false,
      },
      ...{ currency: 'EUR', taxBehavior: 'exclusive' },
      lines: lines.map((line, at) => ({
        ...{ id: `line_${at + 1}`, quantity: '1', taxRateBps: 0, taxCategory: 'standard', taxNote: null },
        ...{ periodStart: null, periodEnd: null, amountMinor: [7_350, 1_000, 10_000, -333][at], ...line },
      })),
      taxes: [
        { taxCategory: 'standard', taxRateBps: 1_900, netMinor: 7_017, taxMinor: 1_333 },
        { taxCategory: 'standard', taxRateBps: 700, netMinor: 1_000, taxMinor: 70 },
        { taxCategory: 'reverse_charge', taxRateBps: 0, netMinor: 10_000, taxMinor: 0 },
      ],
      ...{ subtotalMinor: 18_017, taxMinor: 1_403, totalMinor: 19_420, creditAppliedMinor: 0, creditNotesMinor: 0 },
      ...{ amountPaidMinor: 0, amountProcessingMinor: 0, amountDueMinor: 19_420, amountOverpaidMinor: 0 },
      ...{ amountRefundedMinor: 0, uncreditedRefundsMinor: 0, allocations: [], seller: null, customer: null },
      ...{ reference: 'order 7', orderNumber: 'B 1', notes: null, issuedAt: null, issueDate: null, dueDate: null },
      ...{ dueAt: null, paidAt: null, voidedAt: null, url: null, paymentLinkId: null, assets: null },
      ...{ subscription: null, creditNoteIds: [], reminders: [], documentHash: null, previousDocumentHash: null },
      ...{ daysUntilDue: 30, reminderOffsets: [0, 7] },
      ...{ retainedUntil: null, metadata: { a: 'b' }, livemode: false },
    })
  })

  test('takes tax rate, tax behavior and notes from the settings if it has none of its own', async () => {
    await sql`update billing_settings set tax_rate_bps = 1900, tax_behavior = 'inclusive', notes = 'Thank you.'
      where merchant_id = ${lamps.merchantId}`
    const draft = await created({ lines: [aLamp, { ...aLamp, taxCategory: 'export' }] })
    expect(draft).toMatchObject({
      taxBehavior: 'inclusive',
      notes: 'Thank you.',
      totalMinor: 9_800,
      subtotalMinor: 9_018,
    })
    expect(draft).toMatchObject({ lines: [{ taxRateBps: 1_900 }, { taxRateBps: 0 }] })
    expect(await created({ notes: null })).toMatchObject({ notes: null })
    await sql`update billing_settings set tax_rate_bps = 0, tax_behavior = 'exclusive', notes = null
      where merchant_id = ${lamps.merchantId}`
  })

  test('finds or creates the customer of an e-mail address, and changes no existing one', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const first = await ask('POST', '/invoices', {
      json: { customer: { email, name: 'Ada' }, currency: 'EUR', lines: [aLamp] },
    })
    expect(first.status).toBe(201)
    const made = (first.json as { customerId: string }).customerId
    expect((await ask('GET', `/customers/${made}`)).json).toMatchObject({ email, name: 'Ada', source: 'merchant' })
    const again = { customer: { email: email.toUpperCase(), name: 'Eve' }, currency: 'EUR', lines: [aLamp] }
    expect((await ask('POST', '/invoices', { json: again })).json).toMatchObject({ customerId: made })
    expect((await ask('GET', `/customers/${made}`)).json).toMatchObject({ name: 'Ada' })
  })

  test('of 20 drafts for one new e-mail address all have the same customer', async () => {
    const json = { customer: { email: `${crypto.randomUUID()}@example.com` }, currency: 'EUR', lines: [aLamp] }
    const drafts = await Promise.all(Array.from({ length: 20 }, () => ask('POST', '/invoices', { json })))
    expect(new Set(drafts.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(drafts.map(({ json }) => (json as Shown).customerId)).size).toBe(1)
  })

  test('of a merged customer belongs to the one that has taken its place', async () => {
    const [a, b] = [await makeCustomer(api, mode), await makeCustomer(api, mode)]
    const before = await created({ customerId: a.id })
    await api.actors.dispatchBundle([
      { kind: 'customer', actor: a.customer.id, event: { type: 'merge', intoId: b.customer.id } },
      { kind: 'customer', actor: b.customer.id, event: { type: 'absorb' } },
    ])
    const after = await created({ customerId: a.id })
    expect(after.customerId).toBe(b.id)
    expect((await ask('GET', `/invoices/${before.id}`)).json).toMatchObject({ customerId: b.id })
    expect(idsOf(await page<Shown>(`/invoices?customerId=${b.id}`))).toEqual([after.id, before.id])
  })

  test('is changed field by field, and the sums with it', async () => {
    const { id } = await created({ reference: 'a', daysUntilDue: 3, metadata: { a: 'b' } })
    const change = async (json: object) => {
      const answer = await ask('PATCH', `/invoices/${id}`, { json })
      expect(answer.status).toBe(200)
      return answer.json as Shown
    }
    expect(await change({ orderNumber: 'B 2' })).toMatchObject({
      reference: 'a',
      orderNumber: 'B 2',
      metadata: { a: 'b' },
    })
    expect(await change({ lines: [aLamp, aLamp], reference: null })).toMatchObject({
      totalMinor: 9_800,
      reference: null,
    })
    expect(await change({ dueDate: '2031-01-31' })).toMatchObject({ dueDate: '2031-01-31', totalMinor: 9_800 })
    expect(await change({ daysUntilDue: 5 })).toMatchObject({ dueDate: null })
    expect(await change({ currency: 'USD' })).toMatchObject({ currency: 'USD' })
    const other = await makeCustomer(api, mode)
    expect(await change({ customerId: other.id })).toMatchObject({ customerId: other.id })
  })

  test('two changes of different fields at the same time are both made', async () => {
    const { id } = await created()
    const fields = [{ reference: 'r' }, { orderNumber: 'o' }, { notes: 'n' }, { lines: [aLamp, aLamp] }]
    await Promise.all(fields.map(json => ask('PATCH', `/invoices/${id}`, { json })))
    const { json } = await ask('GET', `/invoices/${id}`)
    expect(json).toMatchObject({ reference: 'r', orderNumber: 'o', notes: 'n', totalMinor: 9_800 })
  })

  test('is deleted with everything that it said, and is then missing', async () => {
    const { id } = await created({ reference: 'deleted' })
    expect((await ask('DELETE', `/invoices/${id}`)).status).toBe(204)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/finalize'],
      ['POST', '/duplicate'],
    ] as const)
      expect([method, (await ask(method, `/invoices/${id}${path}`)).status]).toEqual([method, 404])
    expect((await page<Shown>('/invoices?reference=deleted')).data).toEqual([])
  })

  test('that was finalized can neither be changed nor deleted', async () => {
    const { id } = await makeInvoice(api, mode, { finalize: true })
    for (const method of ['PATCH', 'DELETE']) {
      const { status, error } = await ask(method, `/invoices/${id}`, {
        json: method === 'PATCH' ? { notes: 'n' } : undefined,
      })
      expect([status, error]).toMatchObject([409, { code: 'state_conflict', details: { status: 'open' } }])
      expect(error?.details).toMatchObject({ possible: expect.arrayContaining(['void', 'remind']) })
    }
  })

  test('is created once for an Idempotency-Key, and another request with it is refused', async () => {
    const headers = newKey()
    const json = { customerId, currency: 'EUR', lines: [aLamp] }
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('POST', '/invoices', { json, headers })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const { status, error } = await ask('POST', '/invoices', { json: { ...json, currency: 'USD' }, headers })
    expect([status, error?.code]).toEqual([422, 'idempotency_key_reused'])
  })
})

const long = (length: number) => 'x'.repeat(length)
const withLine = (line: object) => ({ lines: [{ ...aLamp, ...line }] })

test.each<[string, object, number, string, string | undefined]>([
  ['no lines', { lines: [] }, 400, 'parameter_invalid', 'lines'],
  ['101 lines', { lines: Array(101).fill(aLamp) }, 400, 'parameter_invalid', 'lines'],
  ['missing lines', { lines: undefined }, 400, 'parameter_missing', 'lines'],
  ['no customer', { customerId: undefined }, 400, 'parameter_missing', 'customerId'],
  ['two customers', { customer: { email: 'a@example.com' } }, 400, 'parameter_invalid', 'customer'],
  ['a malformed customer', { customerId: 'cus_1' }, 400, 'parameter_invalid', 'customerId'],
  [
    'an unknown customer',
    { customerId: encodeId('cus', crypto.randomUUID()) },
    404,
    'resource_not_found',
    'customerId',
  ],
  ['no e-mail', { customerId: undefined, customer: { name: 'A' } }, 400, 'parameter_missing', 'customer.email'],
  ['a wrong e-mail', { customerId: undefined, customer: { email: 'a' } }, 400, 'parameter_invalid', 'customer.email'],
  ['a malformed currency', { currency: 'eur' }, 400, 'parameter_invalid', 'currency'],
  ['another currency', { currency: 'CHF' }, 422, 'unsupported_currency', 'currency'],
  ['a long description', withLine({ description: long(301) }), 400, 'parameter_invalid', 'lines.0.description'],
  ['no description', withLine({ description: '' }), 400, 'parameter_invalid', 'lines.0.description'],
  ['quantity 0', withLine({ quantity: '0' }), 400, 'parameter_invalid', 'lines.0.quantity'],
  ['a negative quantity', withLine({ quantity: '-1' }), 400, 'parameter_invalid', 'lines.0.quantity'],
  ['seven decimal places', withLine({ quantity: '0.0000001' }), 400, 'parameter_invalid', 'lines.0.quantity'],
  ['a quantity in words', withLine({ quantity: '1e3' }), 400, 'parameter_invalid', 'lines.0.quantity'],
  ['a number as quantity', withLine({ quantity: 2 }), 400, 'parameter_invalid', 'lines.0.quantity'],
  ['half a cent', withLine({ unitAmountMinor: 0.5 }), 400, 'parameter_invalid', 'lines.0.unitAmountMinor'],
  ['an unsafe amount', withLine({ unitAmountMinor: 2 ** 53 }), 400, 'parameter_invalid', 'lines.0.unitAmountMinor'],
  ['a negative rate', withLine({ taxRateBps: -1 }), 400, 'parameter_invalid', 'lines.0.taxRateBps'],
  ['a rate above 100 %', withLine({ taxRateBps: 10_001 }), 400, 'parameter_invalid', 'lines.0.taxRateBps'],
  ['an unknown category', withLine({ taxCategory: 'none' }), 400, 'parameter_invalid', 'lines.0.taxCategory'],
  [
    'a rate of an export',
    withLine({ taxCategory: 'export', taxRateBps: 1 }),
    400,
    'parameter_invalid',
    'lines.0.taxRateBps',
  ],
  ['an exemption without note', withLine({ taxCategory: 'exempt' }), 400, 'parameter_missing', 'lines.0.taxNote'],
  [
    'a reverse charge without note',
    withLine({ taxCategory: 'reverse_charge' }),
    400,
    'parameter_missing',
    'lines.0.taxNote',
  ],
  ['a long tax note', withLine({ taxNote: long(201) }), 400, 'parameter_invalid', 'lines.0.taxNote'],
  ['30 February', withLine({ periodStart: '2026-02-30' }), 400, 'parameter_invalid', 'lines.0.periodStart'],
  [
    'a period that ends first',
    withLine({ periodStart: '2026-02-02', periodEnd: '2026-02-01' }),
    400,
    'parameter_invalid',
    'lines.0.periodEnd',
  ],
  ['an unknown field of a line', withLine({ amountMinor: 1 }), 400, 'parameter_unknown', 'lines.0.amountMinor'],
  ['366 days', { daysUntilDue: 366 }, 400, 'parameter_invalid', 'daysUntilDue'],
  ['half a day', { daysUntilDue: 0.5 }, 400, 'parameter_invalid', 'daysUntilDue'],
  ['two due dates', { daysUntilDue: 1, dueDate: '2031-01-01' }, 400, 'parameter_invalid', 'dueDate'],
  ['a past due date', { dueDate: '2026-01-01' }, 400, 'parameter_invalid', 'dueDate'],
  ['no day', { dueDate: '2031-02-30' }, 400, 'parameter_invalid', 'dueDate'],
  ['long notes', { notes: long(2_001) }, 400, 'parameter_invalid', 'notes'],
  ['notes of control characters', { notes: '\u0001'.repeat(1_366) }, 400, 'parameter_invalid', 'notes'],
  ['a long reference', { reference: long(201) }, 400, 'parameter_invalid', 'reference'],
  ['a long order number', { orderNumber: long(201) }, 400, 'parameter_invalid', 'orderNumber'],
  ['nine reminders', { reminders: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, 400, 'parameter_invalid', 'reminders'],
  ['a reminder after 91 days', { reminders: [91] }, 400, 'parameter_invalid', 'reminders.0'],
  ['a reminder 31 days before', { reminders: [-31] }, 400, 'parameter_invalid', 'reminders.0'],
  ['21 assets', { assets: Array(21).fill({ chainId: 31_337, asset: 'TUSD' }) }, 400, 'parameter_invalid', 'assets'],
  ['an unknown chain', { assets: [{ chainId: 1, asset: 'USDC' }] }, 422, 'unsupported_asset', 'assets.0.chainId'],
  [
    '21 keys',
    { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [n, ''])) },
    400,
    'parameter_invalid',
    'metadata',
  ],
  ['a negative total', withLine({ unitAmountMinor: -1 }), 422, 'invoice_total_out_of_range', 'lines'],
  [
    'a total above 2^53',
    { lines: [{ ...aLamp, unitAmountMinor: 2 ** 53 - 1 }, aLamp] },
    422,
    'invoice_total_out_of_range',
    'lines',
  ],
  ['an unknown field', { dueAt: '2031-01-01' }, 400, 'parameter_unknown', 'dueAt'],
])('%s: refused with the field', async (_, more, status, code, param) => {
  const answer = await create({ lines: [aLamp], ...more })
  expect([answer.status, answer.error?.code, answer.error?.param]).toEqual([status, code, param])
  const {
    currency,
    finalize: __,
    ...change
  } = { currency: 'EUR', ...more } as { currency?: string; finalize?: boolean }
  if (status === 404 || code === 'parameter_missing' || 'customer' in more) return
  const draft = await created()
  const changed = await ask('PATCH', `/invoices/${draft.id}`, {
    json: { ...change, ...('currency' in more && { currency }) },
  })
  expect([changed.status, changed.error?.code, changed.error?.param]).toEqual([status, code, param])
})

test('the largest values are accepted: 100 lines, and a total of 2^53 − 1', async () => {
  const most = 2 ** 53 - 1
  expect(await created({ lines: [{ ...aLamp, unitAmountMinor: most }] })).toMatchObject({ totalMinor: most })
  const lines = Array(100).fill({ description: long(300), unitAmountMinor: 1 })
  const { id } = await created({ lines, notes: long(2_000), reminders: [-30, 90] })
  expect((await ask('POST', `/invoices/${id}/finalize`)).json).toMatchObject({ status: 'open', totalMinor: 100 })
})

describe('lists', () => {
  const ids: string[] = []
  const listed = `${crypto.randomUUID()}`
  test('are paged in both orders', async () => {
    const shop = await insertKey(sql, { ...lamps, livemode: true })
    await setSeller(sql, lamps.merchantId)
    for (let n = 0; n < 5; n++)
      ids.push((await makeInvoice(api, { ...mode, livemode: true }, { reference: listed })).id)
    await expectPages(query => page<Shown>(`/invoices${query}`, { bearer: shop.secret }), ids)
    await expectNoCursors(
      query => ask('GET', `/invoices${query}`),
      [ids[0] ?? '', encodeId('inv', crypto.randomUUID())],
    )
  })

  test('are filtered by status, customer, number, reference, due date and overdue', async () => {
    const { customer, id } = await makeCustomer(api, mode)
    const of = (more: object) => makeInvoice(api, mode, { customerId: customer.id, ...more })
    const draft = await of({ reference: 'filtered' })
    const open = await of({ finalize: true, dueDate: '2031-05-05' })
    const late = await of({ finalize: true, dueDate: '2031-06-05', reference: 'filtered' })
    await api.actors.dispatch({
      ...{ kind: 'invoice', actor: late.invoice.id },
      event: { type: 'due_date_passed', scannedTo: new Date('2031-07-01') },
    })
    const found = async (query: string) => idsOf(await page<Shown>(`/invoices?customerId=${id}${query}`))
    expect(await found('')).toEqual([late.id, open.id, draft.id])
    expect(await found('&status=draft')).toEqual([draft.id])
    expect(await found('&status=open&status=draft&order=asc')).toEqual([draft.id, open.id, late.id])
    expect(await found('&reference=filtered')).toEqual([late.id, draft.id])
    expect(await found(`&number=${open.invoice.context.number}`)).toEqual([open.id])
    expect(await found('&overdue=true')).toEqual([late.id])
    expect(await found('&overdue=true&status=paid')).toEqual([])
    for (const before of ['2031-06-05', '2031-06-05T00:00:00.000Z', '2031-06-05T23:59:59.999Z'])
      expect([before, await found(`&dueBefore=${before}`)]).toEqual([before, [open.id]])
    expect(await found('&dueBefore=2031-06-06')).toEqual([late.id, open.id])
    expect(await found('&dueBefore=2031-06-06&status=draft')).toEqual([])
    expect(await found(`&subscriptionId=sub_${'0'.repeat(26)}`)).toEqual([])
    const { id: subscriptionId } = await makeSubscription(api, mode, { customerId: customer.id })
    const cancel = { type: 'cancel', reason: 'requested', voided: [] }
    await api.actors.dispatch({ kind: 'subscription', actor: subscriptionId, event: cancel })
    const periods = [crypto.randomUUID(), crypto.randomUUID()] as const
    for (const [periodIndex, actor] of periods.entries()) {
      const period = { periodStart: new Date('2031-01-31'), periodEnd: new Date('2031-02-28') }
      const create = { ...draft.invoice.context, ...period, subscriptionId, periodIndex }
      expect(await api.actors.dispatch({ kind: 'invoice', actor, create })).toMatchObject({ ok: true })
    }
    const twin = { ...draft.invoice.context, subscriptionId, periodIndex: 1 }
    expect(await api.actors.dispatch({ kind: 'invoice', actor: crypto.randomUUID(), create: twin })).toMatchObject({
      refusal: 'period_invoiced',
    })
    const [first = '', second = ''] = periods.map(period => encodeId('inv', period))
    const ofSubscription = `&subscriptionId=${encodeId('sub', subscriptionId)}`
    expect(await found(ofSubscription)).toEqual([second, first])
    expect(await found(`${ofSubscription}&status=open`)).toEqual([])
    expect((await ask('GET', `/invoices/${second}`)).json).toHaveProperty('subscription', {
      ...{ id: encodeId('sub', subscriptionId), periodIndex: 1 },
      ...{ periodStart: '2031-01-31T00:00:00.000Z', periodEnd: '2031-02-28T00:00:00.000Z' },
    })
    const without = (query: string) => page<Shown>(`/invoices?${query}`).then(idsOf)
    expect(await without('overdue=true')).toEqual([late.id])
    expect(await without(`number=${late.invoice.context.number}`)).toEqual([late.id])
    expect(await without('dueBefore=2031-06-06&status=open')).toEqual(expect.arrayContaining([late.id, open.id]))
    expect(await without('reference=filtered&status=open')).toEqual([late.id])
    expect((await ask('GET', `/customers/${id}`)).json).toMatchObject({
      totals: [{ currency: 'EUR', openMinor: 9_800, overdueMinor: 4_900 }],
    })
  })

  testRefusedQueries(
    query => ask('GET', `/invoices${query}`),
    [
      ['status=deleted', 'parameter_invalid', 'status'],
      ['overdue=false', 'parameter_invalid', 'overdue'],
      ['dueBefore=yesterday', 'parameter_invalid', 'dueBefore'],
      ['dueBefore=0000-01-01', 'parameter_invalid', 'dueBefore'],
      ['customerId=1', 'parameter_invalid', 'customerId'],
      ['subscriptionId=1', 'parameter_invalid', 'subscriptionId'],
      ['q=a', 'parameter_unknown', 'q'],
    ],
  )
})

test('another merchant, the other mode and callers without permission find nothing', async () => {
  const { id } = await makeInvoice(api, mode, { finalize: true })
  for (const bearer of [chairsKey, liveKey])
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/remind'],
      ['GET', '/document'],
    ] as const)
      expect(
        (await ask(method, `/invoices/${id}${path}`, { bearer, ...(method === 'PATCH' && { json: {} }) })).status,
      ).toBe(404)
  const reader = (await insertKey(sql, { ...lamps, scopes: ['billing:read'] })).secret
  expect((await ask('POST', `/invoices/${id}/remind`, { bearer: reader })).error?.code).toBe('insufficient_scope')
  const other = (await insertKey(sql, { ...lamps, scopes: ['payments:read'] })).secret
  expect((await ask('GET', `/invoices/${id}`, { bearer: other })).error?.code).toBe('insufficient_scope')
})

test('the address of the page is shown to those who may change invoices, and is in no event', async () => {
  const { id } = await makeInvoice(api, mode, { finalize: true })
  const seen = async (bearer: string, path = '/v1') =>
    ((await ask('GET', `/invoices/${id}`, { bearer, path })).json as { url: string | null }).url
  const url = await seen(key)
  expect(url).toMatch(/^http.*\/invoices\/[\w-]{22}$/)
  expect(await seen((await insertKey(sql, { ...lamps, scopes: ['billing:read'] })).secret)).toBeNull()
  expect(await seen(lamps.owner.bearer, lamps.path)).toBe(url)
  const viewer = await member(api, lamps, 'viewer', `${crypto.randomUUID()}@lamps.example`)
  expect(await seen(viewer.bearer, lamps.path)).toBeNull()
  const stored = JSON.stringify([
    await sql`select json_of(object) as object from events where kind = 'invoice'`,
    await sql`select * from transitions where kind = 'invoice'`,
    await sql`select body from idempotency_keys`,
    await sql`select * from invoices`,
  ])
  expect(stored).not.toContain(url?.split('/').at(-1) ?? 'url')
})
