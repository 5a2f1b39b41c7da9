import { describe, expect, test } from 'bun:test'
import { hashPageToken } from '../../src/access/page-token.ts'
import { voidInvoice } from '../../src/commands/credit-notes.ts'
import { openInvoicePayment } from '../../src/commands/invoice-payments.ts'
import { checkoutInvoiceRoutes } from '../../src/http/checkout-invoices.ts'
import { encodeId } from '../../src/ids.ts'
import { findVisitedInvoice } from '../../src/queries/invoice-pages.ts'
import { INVOICE_PURPOSE } from '../../src/sealed-columns.ts'
import { readPdf } from '../billing/pdf-text.ts'
import { apiServer } from '../harness/api.ts'
import { events } from '../harness/events.ts'
import { until } from '../harness/until.ts'
import { checkoutServer } from './checkouts.ts'
import { makeCreditNote } from './credit-notes.ts'
import { makeCustomer } from './customers.ts'
import { makeInvoice } from './invoices.ts'
import { shop } from './people.ts'

const { server, lamps } = await checkoutServer()
const { api, sql } = server
const owner = { merchantId: lamps.merchantId, livemode: false }
const line = { description: 'A lamp', unitAmountMinor: 1000 }

const issue = async (more: object = {}) => {
  const customer = await makeCustomer(api, owner, { name: 'Ada Example' })
  const made = await makeInvoice(api, owner, {
    ...{ currency: 'USD', lines: [line], finalize: true, customerId: customer.customer.id, ...more },
  })
  const { id, context } = made.invoice
  const token = api.keyring.open(INVOICE_PURPOSE, id, context.sealedToken ?? '')
  return { ...made, actor: id, token, path: `/v1/checkout/invoices/${token}`, customer }
}
type Opened = { readonly payment: { readonly id: string; readonly amountMinor: number }; readonly clientSecret: string }
type Invoice = Awaited<ReturnType<typeof issue>>
const send = async ({ actor }: Invoice, event: { readonly type: string } & Readonly<Record<string, unknown>>) =>
  expect((await api.actors.dispatch({ kind: 'invoice', actor, event })).ok).toBe(true)

describe('GET /v1/checkout/invoices/:token', () => {
  test('200: what a customer may see, and the amount in every asset', async () => {
    const metadata = { shelf: 'B' }
    const invoice = await issue({ reference: 'order 7', metadata, notes: 'Thank you' })
    const answer = await server.call('GET', invoice.path)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...{ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' },
    })
    expect(answer.json).toMatchObject({
      invoice: {
        ...{ object: 'invoice', id: invoice.id, status: 'open', number: invoice.invoice.context.number },
        ...{ merchantName: 'Lamps', totalMinor: 1000, amountDueMinor: 1000, notes: 'Thank you' },
        lines: [{ description: 'A lamp', amountMinor: 1000 }],
        customer: { name: 'Ada Example' },
      },
      options: expect.arrayContaining([expect.objectContaining({ chainId: 31337, asset: 'TUSD', amount: '10000000' })]),
    })
    for (const hidden of ['order 7', 'shelf', 'plink_', 'cus_', 'mer_', invoice.token])
      expect([hidden, answer.text.includes(hidden)]).toEqual([hidden, false])
  })

  test('404: a token that is malformed, unknown, or was replaced; 410: a void invoice', async () => {
    const invoice = await issue()
    for (const token of ['x', 'A'.repeat(22), invoice.id, `${invoice.token}x`])
      expect(await server.call('GET', `/v1/checkout/invoices/${token}`)).toMatchObject({
        ...{ status: 404, json: { error: { code: 'resource_not_found' } } },
      })
    const { token, path } = await issue()
    const [{ hash } = { hash: '' }] = await sql<{ hash: string }[]>`
      select encode(sha256(${'B'.repeat(22)}::bytea), 'hex') as hash`
    await send(invoice, { type: 'rotate_url', tokenHash: hash, sealedToken: 'sealed' })
    expect((await server.call('GET', invoice.path)).status).toBe(404)
    expect((await server.call('GET', `/v1/checkout/invoices/${'B'.repeat(22)}`)).status).toBe(200)
    expect((await server.call('GET', path)).status).toBe(200)

    const voided = await issue()
    await voidInvoice(api, { id: voided.actor, ...owner }, null, { cause: 'test', responseRows: () => [] })
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/payments'],
      ['GET', '/stream'],
    ] as const)
      expect(await server.call(method, voided.path + rest)).toMatchObject({
        ...{ status: 410, json: { error: { code: 'invoice_void' } } },
      })
    expect(token).toHaveLength(22)
  })
})

describe('POST /v1/checkout/invoices/:token/payments', () => {
  test("201: a payment of the invoice's customer for what is due, with the merchant's own fields", async () => {
    const invoice = await issue({ reference: 'order 7', metadata: { shelf: 'B' } })
    const { status, json } = await server.call('POST', `${invoice.path}/payments`, {
      json: { chainId: 31337, asset: 'TUSD' },
    })
    const { payment, clientSecret } = json as Opened
    expect([status, payment]).toMatchObject([
      201,
      { amountMinor: 1000, customerName: 'Ada Example', crypto: { amountExpected: '10000000' } },
    ])
    const headers = { 'client-secret': clientSecret }
    expect((await server.call('GET', `/v1/checkout/payments/${payment.id}`, { headers })).status).toBe(200)
    const [row] = await sql`
      select invoice_id, customer_id, reference, metadata from payments where invoice_id = ${invoice.actor}`
    expect(row).toEqual({
      ...{ invoice_id: invoice.actor, customer_id: invoice.customer.customer.id },
      ...{ reference: 'order 7', metadata: { shelf: 'B' } },
    })
    const [link] =
      await sql`select hidden, payments_opened from payment_links where id = ${invoice.invoice.context.paymentLinkId}`
    expect(link).toEqual({ hidden: true, payments_opened: 1 })
  })

  test('201: for what is due and not processing; 409: when that is 0', async () => {
    const invoice = await issue()
    const open = async () => {
      const { status, json } = await server.call('POST', `${invoice.path}/payments`)
      return { status, ...(json as Opened & { readonly error?: object }) }
    }
    await send(invoice, { type: 'payment_processing', amountMinor: 400 })
    expect(await open()).toMatchObject({ status: 201, payment: { amountMinor: 600, crypto: null } })
    await send(invoice, { type: 'payment_processing', amountMinor: 600 })
    expect(await open()).toMatchObject({ status: 409, error: { code: 'state_conflict', details: { status: 'open' } } })
    expect((await server.call('GET', invoice.path)).json).toMatchObject({
      ...{ options: [], invoice: { amountProcessingMinor: 1000 } },
    })
    // Paid in two tabs: more is processing than is due.
    await send(invoice, { type: 'payment_processing', amountMinor: 400 })
    expect(await open()).toMatchObject({ status: 409, error: { code: 'state_conflict' } })
    expect((await server.call('GET', invoice.path)).json).toMatchObject({ options: [] })
    await send(invoice, { type: 'payment_reverted', amountMinor: 1400 })
    expect(await open()).toMatchObject({ status: 201, payment: { amountMinor: 1000 } })
  })

  test.each([
    [{ chainId: 31337 }, 400, 'parameter_missing', 'asset'],
    [{ asset: 'TUSD' }, 400, 'parameter_missing', 'chainId'],
    [{ chainId: 0, asset: 'TUSD' }, 400, 'parameter_invalid', 'chainId'],
    [{ chainId: 31337, asset: 'NONE' }, 422, 'unsupported_asset', 'asset'],
    [{ customerEmail: 'eve@example.com' }, 400, 'parameter_unknown', 'customerEmail'],
  ])('%j: %i %s', async (json, status, code, param) => {
    const invoice = await issue({ assets: [{ chainId: 31337, asset: 'TUSD' }] })
    expect(await server.call('POST', `${invoice.path}/payments`, { json })).toMatchObject({
      ...{ status, json: { error: { code, param } } },
    })
    expect(await sql`select from payments where invoice_id = ${invoice.actor}`).toHaveLength(0)
  })

  test('410: the invoice is voided after the request has read it', async () => {
    const invoice = await issue()
    const visited = await findVisitedInvoice(sql, hashPageToken(invoice.token) ?? '')
    if (!visited) throw new Error('the invoice is missing')
    await voidInvoice(api, { id: invoice.actor, ...owner }, null, { cause: 'test', responseRows: () => [] })
    const opening = openInvoicePayment(api, visited, { asset: undefined, cause: 'test' })
    expect(await opening.catch(error => error)).toMatchObject({ code: 'invoice_void' })
    expect(await sql`select from payments where invoice_id = ${invoice.actor}`).toHaveLength(0)
  })

  test('409: the invoice is paid after the request has read it', async () => {
    const invoice = await issue()
    const visited = await findVisitedInvoice(sql, hashPageToken(invoice.token) ?? '')
    if (!visited) throw new Error('the invoice is missing')
    await makeCreditNote(api, owner, { invoiceId: invoice.actor })
    const opening = openInvoicePayment(api, visited, { asset: undefined, cause: 'test' })
    expect(await opening.catch(error => error)).toMatchObject({ code: 'state_conflict' })
    expect(await sql`select from payments where invoice_id = ${invoice.actor}`).toHaveLength(0)
  })

  test('201: planned again while another commit is changing the invoice', async () => {
    const invoice = await issue()
    const visited = await findVisitedInvoice(sql, hashPageToken(invoice.token) ?? '')
    if (!visited) throw new Error('the invoice is missing')
    let tries = 0
    const dispatchBundle: typeof api.actors.dispatchBundle = commands => {
      tries++
      return api.actors.dispatchBundle(commands)
    }
    let opening: ReturnType<typeof openInvoicePayment> | undefined
    await sql.begin(async tx => {
      await tx`select from invoices where id = ${invoice.actor} for no key update`
      const services = { ...api, actors: { ...api.actors, dispatchBundle } }
      opening = openInvoicePayment(services, visited, { asset: undefined, cause: 'test' })
      await Promise.race([opening, until(async () => tries > 1)])
    })
    expect(await opening).toMatchObject({ payment: { state: 'pending', context: { amountMinor: 1000 } } })
    expect(tries).toBeGreaterThan(1)
  })
})

test('GET …/document is the document of the merchant, and the invoice of the customer as JSON', async () => {
  const invoice = await issue({ reference: 'order 7' })
  const pdf = await server.call('GET', `${invoice.path}/document`)
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(pdf.headers.get('referrer-policy')).toBe('no-referrer')
  const [{ stored } = { stored: null }] = await sql<{ stored: Buffer | null }[]>`
    select pdf as stored from invoice_documents where invoice_id = ${invoice.actor}`
  expect(pdf.text.length).toBeGreaterThan(1_000)
  expect(pdf.text).toBe(new TextDecoder().decode(stored ?? new Uint8Array()))
  const json = await server.call('GET', `${invoice.path}/document?format=json`)
  expect(json.json).toEqual(((await server.call('GET', invoice.path)).json as { invoice: object }).invoice)
  expect((await server.call('GET', `${invoice.path}/document?format=xml`)).status).toBe(400)
})

describe('GET …/credit-notes/:id/document', () => {
  const credit = async (of: Invoice) => await makeCreditNote(api, owner, { invoiceId: of.actor, note: 'Sorry' })

  test('200: the document of the merchant, and the credit note without the private fields as JSON', async () => {
    const invoice = await issue()
    const { id, note } = await credit(invoice)
    const path = `${invoice.path}/credit-notes/${id}/document`
    const pdf = await server.call('GET', path)
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(pdf.headers.get('content-disposition')).toBe(`inline; filename="${note.context.number}.pdf"`)
    const json = await server.call('GET', `${path}?format=json`)
    for (const { headers } of [pdf, json])
      expect(Object.fromEntries(headers)).toMatchObject({
        ...{ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' },
      })
    expect(json.json).toMatchObject({
      ...{
        object: 'credit_note',
        id,
        invoiceId: invoice.id,
        number: note.context.number,
        totalMinor: 1000,
        note: 'Sorry',
      },
    })
    for (const hidden of ['cus_', 'mer_', 'refundIds', 'Hash', invoice.token])
      expect([hidden, json.text.includes(hidden)]).toEqual([hidden, false])
    expect((await server.call('GET', invoice.path)).json).toMatchObject({ invoice: { creditNoteIds: [id] } })
    expect((await server.call('GET', `${path}?format=xml`)).status).toBe(400)
  })

  test('404: a note of another invoice, an unknown one, another token', async () => {
    const [invoice, other] = [await issue(), await issue()]
    const [{ id }, { id: foreign }] = [await credit(invoice), await credit(other)]
    for (const path of [
      `${invoice.path}/credit-notes/${foreign}`,
      `${other.path}/credit-notes/${id}`,
      `${invoice.path}/credit-notes/x`,
      `${invoice.path}/credit-notes/${encodeId('cn', crypto.randomUUID())}`,
      `/v1/checkout/invoices/${'A'.repeat(22)}/credit-notes/${id}`,
    ])
      expect(await server.call('GET', `${path}/document`)).toMatchObject({
        ...{ status: 404, json: { error: { code: 'resource_not_found' } } },
      })
  })

  test('200: of a void invoice both documents, until its address is replaced', async () => {
    const invoice = await issue()
    await voidInvoice(api, { id: invoice.actor, ...owner }, null, { cause: 'test', responseRows: () => [] })
    const json = await server.call('GET', `${invoice.path}/document?format=json`)
    const { creditNoteIds: [id] = [], status } = json.json as { creditNoteIds?: string[]; status: string }
    expect([json.status, status]).toEqual([200, 'void'])
    const documents = [`${invoice.path}/document`, `${invoice.path}/credit-notes/${id}/document`]
    for (const path of documents) expect((await server.call('GET', path)).status).toBe(200)
    await sql`update invoices set token_hash = ${'d'.repeat(64)} where id = ${invoice.actor}`
    for (const path of documents) expect((await server.call('GET', path)).status).toBe(404)
  })

  test('200: without the party of an erased customer', async () => {
    const invoice = await issue()
    const { id } = await credit(invoice)
    const path = `${invoice.path}/credit-notes/${id}/document`
    const textOf = async () => {
      const bytes = new Uint8Array(await (await fetch(server.url + path)).arrayBuffer())
      return (await readPdf(bytes))
        .flat()
        .map(({ text }) => text)
        .join(' ')
    }
    expect(await textOf()).toContain('Ada Example')
    await sql`update invoices set customer_erased = true where id = ${invoice.actor}`
    expect(await textOf()).not.toContain('Ada Example')
  })
})

test('GET …/stream sends the invoice on connecting and after each change', async () => {
  const invoice = await issue()
  const stream = await events(`${server.url}${invoice.path}/stream`, {})
  expect(await stream.next()).toMatchObject({ event: 'invoice', data: { id: invoice.id, status: 'open' } })
  await send(invoice, { type: 'mark_uncollectible' })
  expect(await stream.next()).toMatchObject({ event: 'invoice', data: { status: 'uncollectible' } })
  stream.leave()
})

test('the stream of a payment reports a change of its invoice, and Last-Event-ID tells the states apart', async () => {
  const invoice = await issue()
  const other = await issue()
  const open = async (of: Invoice) => (await server.call('POST', `${of.path}/payments`)).json as Opened
  const [{ payment, clientSecret }] = [await open(invoice), await open(other)]
  const url = `${server.url}/v1/checkout/payments/${payment.id}/stream`
  const stream = await events(url, { 'client-secret': clientSecret })
  const before = await stream.next()
  await voidInvoice(api, { id: other.actor, ...owner }, null, { cause: 'test', responseRows: () => [] })
  await voidInvoice(api, { id: invoice.actor, ...owner }, null, { cause: 'test', responseRows: () => [] })
  const after = await stream.next()
  expect(after?.data).toEqual(before?.data as never)
  expect(after?.id).not.toBe(before?.id)
  stream.leave()
  const late = await events(url, { 'client-secret': clientSecret, 'last-event-id': before?.id ?? '' })
  expect((await late.next())?.id).toBe(after?.id)
  late.leave()
})

test('GET …/stream ends when the invoice gets another address, and says nothing more', async () => {
  const invoice = await issue()
  const { body } = await fetch(`${server.url}${invoice.path}/stream`)
  await send(invoice, { type: 'rotate_url', tokenHash: 'e'.repeat(64), sealedToken: 'sealed' })
  const text = await new Response(body).text()
  expect(text.match(/^id: /gm)).toHaveLength(1)
})

test('the token is stored hashed and encrypted only, and is in no event, history or audit entry', async () => {
  const invoice = await issue()
  await server.call('POST', `${invoice.path}/payments`)
  const [found] = await sql<{ texts: string }[]>`
    select concat(
      (select json_agg(e) from events e), (select json_agg(t) from transitions t), (select json_agg(i) from invoices i),
      (select json_agg(p) from payments p), (select json_agg(s) from security_events s)) as texts`
  expect(found?.texts).toContain(invoice.actor)
  expect(found?.texts).not.toContain(invoice.token)
})

test('429: above CHECKOUT_RATE_LIMIT per address', async () => {
  await using limited = await apiServer({ routes: checkoutInvoiceRoutes, env: { CHECKOUT_RATE_LIMIT: '1' } })
  await shop(limited.api)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => limited.call('GET', `/v1/checkout/invoices/${'A'.repeat(22)}`)),
  )
  expect(answers.map(({ status }) => status).toSorted()).toContain(429)
})
