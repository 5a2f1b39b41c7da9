import { describe, expect, test } from 'bun:test'
import { checkoutInvoiceRoutes } from '../../src/http/checkout-invoices.ts'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { invoiceActionRoutes } from '../../src/http/invoice-actions.ts'
import { invoicePageRoutes } from '../../src/http/invoice-pages.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { encodeId } from '../../src/ids.ts'
import { connect } from '../../src/postgres/connect.ts'
import { INVOICES_AT_ONCE, removeExpiredParties } from '../../src/queries/expired-parties.ts'
import { keepInvoiceDocument } from '../../src/queries/invoices.ts'
import { removeDueParties } from '../../src/server/party-removal.ts'
import { readPdf } from '../billing/pdf-text.ts'
import { blockStatement } from '../chain/watch/block-statement.ts'
import { endSessions, startProgram } from '../commands/killed-program.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from './customers.ts'
import { makeInvoice } from './invoices.ts'
import { member } from './people.ts'
import { newKey, twoShops } from './two-shops.ts'

const { server, lamps, key, ask, page } = await twoShops({
  routes: [
    ...invoicePageRoutes,
    ...invoiceRoutes,
    ...invoiceActionRoutes,
    ...customerCreditRoutes,
    ...checkoutInvoiceRoutes,
  ],
  env: { CHECKOUT_RATE_LIMIT: '0' },
})
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }
const owner = { path: lamps.path, bearer: lamps.owner.bearer }
const [developer, viewer] = [await member(api, lamps, 'developer'), await member(api, lamps, 'viewer')]
const others = [{}, { ...owner, bearer: developer.bearer }, { ...owner, bearer: viewer.bearer }]

const NAME = 'Ada Zqmark'
type Made = { readonly id: string; readonly actor: string; readonly customerId: string }
/** A paid invoice with nothing due. */
const paidInvoice = async (customerId?: string): Promise<Made> => {
  const { id } =
    customerId === undefined ? (await makeCustomer(api, mode, { name: NAME })).customer : { id: customerId }
  const lines = [{ description: 'A gift', unitAmountMinor: 0 }]
  const made = await makeInvoice(api, mode, { customerId: id, lines, finalize: true })
  return { id: made.id, actor: made.invoice.id, customerId: id }
}
const erase = async ({ customerId }: Made) => {
  expect((await ask('POST', `/customers/${encodeId('cus', customerId)}/erase`, owner)).status).toBe(200)
}
const expire = (...invoices: readonly Made[]) =>
  sql`update invoices set retained_until = now() - interval '1 hour' where id = any(${invoices.map(({ actor }) => actor)}::uuid[])`
const partyOf = async ({ actor }: Made) => {
  const [row] = await sql<{ customer: object | null; salt: string | null; hash: string; documents: number }[]>`
    select customer, party_salt as salt, party_hash as hash,
      (select count(*)::int from invoice_documents where invoice_id = id) as documents
    from invoices where id = ${actor}`
  return row
}
const customerIn = async ({ id }: Made, as: object) =>
  ((await ask('GET', `/invoices/${id}`, as)).json as { customer: unknown }).customer
const pdfTextAt = async (path: string, bearer?: string) => {
  const answer = await fetch(`${server.url}${path}`, {
    ...(bearer && { headers: { authorization: `Bearer ${bearer}` } }),
  })
  expect(answer.status).toBe(200)
  const pages = readPdf(new Uint8Array(await answer.arrayBuffer()))
  return pages.flatMap(texts => texts.map(({ text }) => text)).join('\n')
}
const textOf = ({ id }: Made, { path = '/v1', bearer = key }: { path?: string; bearer?: string }) =>
  pdfTextAt(`${path}/invoices/${id}/document`, bearer)
const keyOf = ({ actor }: Made) => ({ invoiceId: actor, creditNoteId: null, isVoid: false })
const tokenOf = async ({ id }: Made) =>
  ((await ask('GET', `/invoices/${id}`)).json as { url: string }).url.split('/').at(-1) ?? ''

describe('the party of an invoice whose customer was erased', () => {
  test('is shown to owners only, in the record, in the list, in the document and on the page', async () => {
    const invoice = await paidInvoice()
    expect(await textOf(invoice, {})).toContain(NAME)
    const token = await tokenOf(invoice)
    await erase(invoice)
    expect(await customerIn(invoice, owner)).toMatchObject({ name: NAME })
    expect(await textOf(invoice, owner)).toContain(NAME)
    expect((await ask('GET', `/invoices/${invoice.id}/document?format=json`, owner)).json).toMatchObject({
      customer: { name: NAME },
    })
    for (const as of others) {
      expect(await customerIn(invoice, as)).toBeNull()
      expect(await textOf(invoice, as)).not.toContain(NAME)
      const list = await page<{ id: string; customer: unknown }>('/invoices?limit=100', as)
      expect(list.data.find(({ id }) => id === invoice.id)?.customer).toBeNull()
      expect((await ask('GET', `/invoices/${invoice.id}/document?format=json`, as)).text).not.toContain(NAME)
    }
    for (const at of ['', '/document?format=json'])
      expect((await server.call('GET', `/v1/checkout/invoices/${token}${at}`)).text).not.toContain(NAME)
    expect(await pdfTextAt(`/v1/checkout/invoices/${token}/document`)).not.toContain(NAME)
    expect((await server.call('GET', `/invoices/${token}`)).text).not.toContain(NAME)
  })

  test('is not on the page of a void invoice, nor why it was voided', async () => {
    const { customer } = await makeCustomer(api, mode, { name: NAME })
    const made = await makeInvoice(api, mode, { customerId: customer.id, finalize: true })
    const invoice = { id: made.id, actor: made.invoice.id, customerId: customer.id }
    const token = await tokenOf(invoice)
    const reason = 'Ordered by the wrong Zqmark'
    const voided = await ask('POST', `/invoices/${invoice.id}/void`, { json: { reason } })
    const { creditNoteIds } = voided.json as { creditNoteIds: readonly string[] }
    const note = `/v1/checkout/invoices/${token}/credit-notes/${creditNoteIds[0]}/document`
    const shown = async () => [
      (await server.call('GET', `/invoices/${token}`)).text,
      (await server.call('GET', `${note}?format=json`)).text,
      await pdfTextAt(note),
      await pdfTextAt(`/v1/checkout/invoices/${token}/document`),
    ]
    const marksIn = (texts: readonly string[]) => texts.map(text => [text.includes(NAME), text.includes(reason)])
    expect(marksIn(await shown())).toEqual([
      [false, true],
      [false, true],
      [true, true],
      [true, false],
    ])
    await erase(invoice)
    expect((await shown()).filter(text => text.includes('Zqmark'))).toEqual([])
  })

  test('cannot get another invoice: a duplicate is refused without the name of a parameter', async () => {
    const invoice = await paidInvoice()
    await erase(invoice)
    const { status, error } = await ask('POST', `/invoices/${invoice.id}/duplicate`)
    expect([status, error?.code, error?.param]).toEqual([409, 'customer_erased', undefined])
    const json = {
      customerId: encodeId('cus', invoice.customerId),
      currency: 'USD',
      lines: [{ description: 'A gift', unitAmountMinor: 0 }],
    }
    const named = await ask('POST', '/invoices', { json })
    expect(named.error).toMatchObject({ code: 'customer_erased', param: 'customerId' })
  })

  test('is in no response that is stored afterwards', async () => {
    const invoice = await paidInvoice()
    await erase(invoice)
    const headers = newKey()
    const rotated = await ask('POST', `/invoices/${invoice.id}/rotate-url`, { headers })
    expect(rotated.json).toMatchObject({ customer: null })
    const rows = await sql<{ body: string }[]>`select body from idempotency_keys where record_id = ${invoice.actor}`
    expect(rows).toHaveLength(1)
    expect(rows[0]?.body).not.toContain('Zqmark')
  })

  test('is deleted after retainedUntil, with its salt and the document; its hash stays', async () => {
    const [invoice, kept, ofOther] = [await paidInvoice(), await paidInvoice(), await paidInvoice()]
    for (const each of [invoice, kept, ofOther]) await textOf(each, owner)
    const before = await partyOf(invoice)
    expect(before).toMatchObject({ customer: { name: NAME }, documents: 1 })
    await erase(invoice)
    await erase(kept)
    // The time of the third is over too, but its customer was not erased.
    await expire(invoice, ofOther)
    expect((await removeExpiredParties(sql)).invoices).toBe(1)
    expect((await removeExpiredParties(sql)).invoices).toBe(0)
    expect(await partyOf(invoice)).toEqual({ customer: null, salt: null, hash: before?.hash ?? '', documents: 0 })
    for (const each of [kept, ofOther])
      expect(await partyOf(each)).toMatchObject({ customer: { name: NAME }, documents: 1 })
    expect(await customerIn(invoice, owner)).toBeNull()
    expect(await textOf(invoice, owner)).not.toContain(NAME)
    expect((await partyOf(invoice))?.documents).toBe(0)
    expect(await keepInvoiceDocument(sql, keyOf(invoice), new Uint8Array([1]))).toEqual(new Uint8Array([1]))
    expect((await partyOf(invoice))?.documents).toBe(0)
  })

  test('is deleted although a document of it is being stored at the same time', async () => {
    const invoice = await paidInvoice()
    await erase(invoice)
    await expire(invoice)
    const alone = connect(server.databaseUrl, { max: 1 })
    try {
      // The document comes first: its invoice is left for the next turn.
      await alone`begin`
      await keepInvoiceDocument(alone, keyOf(invoice), new Uint8Array([1]))
      expect((await removeExpiredParties(sql)).invoices).toBe(0)
      await alone`commit`
      expect((await removeExpiredParties(sql)).invoices).toBe(1)
      expect(await partyOf(invoice)).toMatchObject({ customer: null, documents: 0 })

      // The removal comes first: the document is not stored.
      const next = await paidInvoice()
      await erase(next)
      await expire(next)
      await alone`begin`
      expect((await removeExpiredParties(alone)).invoices).toBe(1)
      const storing = keepInvoiceDocument(sql, keyOf(next), new Uint8Array([1]))
      await until(async () => (await sql`select from pg_locks where not granted`).length > 0)
      await alone`commit`
      await storing
      expect(await partyOf(next)).toMatchObject({ customer: null, documents: 0 })
    } finally {
      await alone.end()
    }
  })

  test.each(['before delete on invoice_documents for each statement', 'before update on invoices for each statement'])(
    'is deleted with its document or not at all: a worker killed %s, and an invoice that another session has locked',
    async where => {
      const invoices = [await paidInvoice(), await paidInvoice(), await paidInvoice()] as const
      for (const each of invoices) {
        await textOf(each, owner)
        await erase(each)
      }
      await expire(...invoices)
      const start = () => startProgram('./party-removal-program.ts', [server.databaseUrl])
      {
        await using block = await blockStatement(server.databaseUrl, where)
        const worker = start()
        await block.isBlocking()
        await worker.kill()
        await endSessions(server, 'party removal')
      }
      const isKept = { customer: { name: NAME }, salt: expect.any(String), documents: 1 }
      for (const each of invoices) expect(await partyOf(each)).toMatchObject(isKept)

      const [locked, ...others] = invoices
      const isRemoved = async (each: Made) => (await partyOf(each))?.customer === null
      const alone = connect(server.databaseUrl, { max: 1 })
      await alone`begin`
      await alone`select from invoices where id = ${locked.actor} for update`
      const worker = start()
      try {
        await until(async () => (await Promise.all(others.map(isRemoved))).every(Boolean))
        expect(await partyOf(locked)).toMatchObject(isKept)
        await alone`commit`
        await until(() => isRemoved(locked))
      } finally {
        await worker.kill()
        await alone.end()
      }
      for (const each of invoices)
        expect(await partyOf(each)).toMatchObject({ customer: null, salt: null, documents: 0 })
    },
    60_000,
  )

  test('is deleted in statements of 250 invoices, and a worker that dies leaves the rest to the next one', async () => {
    const first = await paidInvoice()
    const invoices = [first]
    while (invoices.length < INVOICES_AT_ONCE + 20)
      invoices.push(...(await Promise.all(Array.from({ length: 27 }, () => paidInvoice(first.customerId)))))
    await erase(first)
    await expire(...invoices)
    const remaining = async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int from invoices where customer_id = ${first.customerId} and customer is not null`
      return row?.count
    }
    const dying = connect(server.databaseUrl, { max: 1 })
    const [backend] = await dying<{ pid: number }[]>`select pg_backend_pid() as pid`
    await dying`begin`
    expect((await removeExpiredParties(dying)).invoices).toBe(INVOICES_AT_ONCE)
    await sql`select pg_terminate_backend(${backend?.pid ?? 0})`
    await dying.end()
    await until(async () => (await sql`select from pg_stat_activity where pid = ${backend?.pid ?? 0}`).length === 0)
    expect(await remaining()).toBe(invoices.length)

    const counts: number[] = []
    const { log } = api
    const idle = removeDueParties({ sql, log }, { share: () => ({ position: 1, count: 2 }), everyMs: 5 })
    const active = removeDueParties(
      { sql, log: { ...log, info: (fields: { invoices: number }) => counts.push(fields.invoices) } as typeof log },
      { share: () => ({ position: 0, count: 2 }), everyMs: 5 },
    )
    await until(async () => (await remaining()) === 0 && counts.length > 0)
    await Promise.all([active.stop(), idle.stop()])
    expect(counts).toEqual([invoices.length])
  }, 60_000)
})
