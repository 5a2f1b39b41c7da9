import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { openActors } from '../../src/actors/actors.ts'
import { manualClock } from '../../src/clock.ts'
import { voidInvoice } from '../../src/commands/credit-notes.ts'
import { finalizeInvoice } from '../../src/commands/invoices.ts'
import { createPaymentLink } from '../../src/commands/payment-links.ts'
import type { Api } from '../../src/http/api.ts'
import { eventRoutes } from '../../src/http/events.ts'
import { invoiceActionRoutes } from '../../src/http/invoice-actions.ts'
import { renderInvoicePdf } from '../../src/http/invoice-document.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { uuidv7 } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { creditEntryRow } from '../../src/queries/credit-entries.ts'
import { ensureSeries, seriesIdOf } from '../../src/queries/document-series.ts'
import { insertKey } from '../access/keys.ts'
import { readPdf } from '../billing/pdf-text.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import { makeCustomer } from './customers.ts'
import { aLamp, makeInvoice, sellerAddress, setSeller } from './invoices.ts'
import { shop } from './people.ts'
import { newKey, twoShops } from './two-shops.ts'

const { server, lamps, ask } = await twoShops({ routes: [...invoiceActionRoutes, ...invoiceRoutes, ...eventRoutes] })
const { api, sql } = server

type Shown = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly status: string
  readonly number: string
  readonly issuedAt: string
  readonly documentHash: string
}

/** A shop of its own, so that its numbers begin with 1. */
const newShop = async (timeZone = 'UTC') => {
  const { merchantId } = await shop(api, 'Lamps')
  await setSeller(sql, merchantId, timeZone)
  const [key, liveKey] = await Promise.all(
    [false, true].map(async livemode => (await insertKey(sql, { merchantId, livemode })).secret),
  )
  return { merchantId, key: key ?? '', liveKey: liveKey ?? '', mode: { merchantId, livemode: false } }
}

const year = new Date().getUTCFullYear()
const requester = { cause: 'test', responseRows: () => [] }
const finalizeBy = (of: Api, merchantId: string, id: string) =>
  finalizeInvoice(of, { id, merchantId, livemode: false }, requester)

const sequences = async (merchantId: string) =>
  await sql<{ sequence: number; number: string; issued_at: Date }[]>`
    select sequence, number, issued_at from invoices where merchant_id = ${merchantId} and sequence is not null
    order by sequence`

/** Each number once, and none before an earlier time. */
const expectNumbers = async (merchantId: string, count: number) => {
  const rows = await sequences(merchantId)
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, n) => n + 1))
  const times = rows.map(({ issued_at }) => issued_at.getTime())
  expect(times).toEqual(times.toSorted((a, b) => a - b))
}

describe('finalization', () => {
  test('gives a number, dates, the parties, a page, a hidden link and reminders, in one commit', async () => {
    const { merchantId, key, mode } = await newShop()
    const customer = await makeCustomer(api, mode, { name: 'Ada', locale: 'de', taxId: 'T 1' })
    const { id, invoice } = await makeInvoice(api, mode, { customerId: customer.customer.id, daysUntilDue: 10 })
    const { status, json } = await ask('POST', `/invoices/${id}/finalize`, { bearer: key })
    expect(status).toBe(200)
    const { issuedAt, dueDate, ...open } = json as Shown & { dueDate: string }
    expect(open).toMatchObject({
      ...{ status: 'open', number: `TEST-INV-${year}-0001`, issueDate: issuedAt.slice(0, 10), amountDueMinor: 4_900 },
      ...{
        dueAt: `${dueDate}T23:59:59.999Z`,
        previousDocumentHash: null,
        retainedUntil: `${year + 10}-12-31T23:59:59.999Z`,
      },
      seller: { legalName: 'Lampen Köln GmbH', address: sellerAddress, taxId: 'DE123456789' },
      customer: { email: customer.customer.context.email, name: 'Ada', taxId: 'T 1', locale: 'de' },
      paymentLinkId: expect.stringMatching(/^plink_/),
    })
    expect(Date.parse(dueDate) - Date.parse(issuedAt.slice(0, 10))).toBe(10 * 86_400_000)
    expect(
      (open as unknown as { reminders: { offsetDays: number }[] }).reminders.map(({ offsetDays }) => offsetDays),
    ).toEqual([-3, 0, 7, 14])
    const [counts] = await sql`
      select count(distinct xid) as commits, count(*) as changes from transitions where merchant_id = ${merchantId}
        and at = (select at from transitions where actor = ${invoice.id} and event = 'finalize')
        and event in ('create', 'finalize', 'issue') and kind in ('payment_link', 'invoice', 'document_series')
        and xid = (select xid from transitions where actor = ${invoice.id} and event = 'finalize')`
    expect(counts).toEqual({ commits: '1', changes: '3' })
    const links =
      await sql`select amount_minor::int as amount, currency, max_payments from payment_links where merchant_id = ${merchantId}`
    expect([...links]).toEqual([{ amount: 4_900, currency: 'EUR', max_payments: null }])
    const events = await sql<{ type: string; object: Record<string, unknown> }[]>`
      select type, json_of(object) as object from events where merchant_id = ${merchantId} and kind = 'invoice' order by seq`
    expect(events.map(({ type }) => type)).toEqual(['invoice.created', 'invoice.finalized'])
    const left = ['lines', 'taxes', 'allocations', 'reminders', 'seller', 'customer', 'totals']
    for (const { object } of events) expect([left.filter(field => field in object), object.url]).toEqual([[], null])
  })

  test('with `finalize: true` is part of the creation', async () => {
    const { key, mode } = await newShop()
    const { id: customerId } = await makeCustomer(api, mode)
    const json = { customerId, currency: 'EUR', lines: [aLamp], finalize: true }
    const headers = newKey()
    const answers = await Promise.all([1, 2, 3].map(() => ask('POST', '/invoices', { json, bearer: key, headers })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.json).toMatchObject({ status: 'open', number: `TEST-INV-${year}-0001`, url: expect.any(String) })
    const [stored] = await sql`select body from idempotency_keys where key = ${headers['idempotency-key']}`
    expect(JSON.parse(stored?.body).url).toBeNull()
  })

  test('without anything due pays the invoice', async () => {
    const { key, mode } = await newShop()
    const { id } = await makeInvoice(api, mode, { lines: [{ description: 'A gift', unitAmountMinor: 0 }] })
    const { json } = await ask('POST', `/invoices/${id}/finalize`, { bearer: key })
    expect(json).toMatchObject({ status: 'paid', totalMinor: 0, paymentLinkId: null, paidAt: (json as Shown).issuedAt })
  })

  test('twice is refused, and with the same key answered with the first response', async () => {
    const { key, mode } = await newShop()
    const { id } = await makeInvoice(api, mode)
    const headers = newKey()
    const first = await ask('POST', `/invoices/${id}/finalize`, { bearer: key, headers })
    const again = await ask('POST', `/invoices/${id}/finalize`, { bearer: key, headers })
    expect([again.status, again.text]).toEqual([200, first.text])
    const [stored] = await sql`select body from idempotency_keys where key = ${headers['idempotency-key']}`
    expect([JSON.parse(stored?.body).url, (first.json as Shown).url]).toEqual([null, expect.any(String)])
    const { status, error } = await ask('POST', `/invoices/${id}/finalize`, { bearer: key })
    expect([status, error]).toMatchObject([409, { code: 'state_conflict', details: { status: 'open' } }])
    expect(error?.details).toMatchObject({ possible: expect.arrayContaining(['void', 'remind']) })
    expect(error?.details).toMatchObject({ possible: expect.not.arrayContaining(['finalize', 'after.dueDate']) })
  })

  test('in live mode needs the name and the address of the seller, in test mode does not', async () => {
    const { merchantId, key, liveKey, mode } = await newShop()
    await sql`update billing_settings set legal_name = null, address = null where merchant_id = ${merchantId}`
    const live = { merchantId, livemode: true }
    const { id } = await makeInvoice(api, live)
    const refused = await ask('POST', `/invoices/${id}/finalize`, { bearer: liveKey })
    expect([refused.status, refused.error]).toMatchObject([
      422,
      { code: 'invoice_incomplete', details: { missing: ['legalName', 'address'] } },
    ])
    const { id: customerId } = await makeCustomer(api, live)
    const json = { customerId, currency: 'EUR', lines: [aLamp], finalize: true }
    expect((await ask('POST', '/invoices', { json, bearer: liveKey })).error?.code).toBe('invoice_incomplete')
    expect(await sequences(merchantId)).toHaveLength(0)
    const draft = await makeInvoice(api, mode)
    expect((await ask('POST', `/invoices/${draft.id}/finalize`, { bearer: key })).status).toBe(200)
    await setSeller(sql, merchantId)
    const { json: open } = await ask('POST', `/invoices/${id}/finalize`, { bearer: liveKey })
    expect(open).toMatchObject({ status: 'open', number: `INV-${year}-0001` })
  })

  test('a fixed due date that has passed in the meantime is refused, and gives no number', async () => {
    const { merchantId, key, mode } = await newShop()
    const { id, invoice } = await makeInvoice(api, mode)
    await sql`update invoices set due_date = '2026-01-01' where id = ${invoice.id}`
    const { status, error } = await ask('POST', `/invoices/${id}/finalize`, { bearer: key })
    expect([status, error]).toMatchObject([400, { code: 'parameter_invalid', param: 'dueDate' }])
    expect(await sequences(merchantId)).toHaveLength(0)
    await sql`update invoices set due_date = null where id = ${invoice.id}`
  })

  test('applies credit up to the total, as an entry of the ledger in the same commit', async () => {
    const { merchantId, key, mode } = await newShop()
    const { customer } = await makeCustomer(api, mode)
    await addCredit(merchantId, customer.id, 6_000)
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map(() => makeInvoice(api, mode, { customerId: customer.id })),
    )
    const finalized = async (id = '') => (await ask('POST', `/invoices/${id}/finalize`, { bearer: key })).json
    expect(await finalized(first?.id)).toMatchObject({ status: 'paid', creditAppliedMinor: 4_900, amountDueMinor: 0 })
    expect(await finalized(second?.id)).toMatchObject({
      status: 'open',
      creditAppliedMinor: 1_100,
      amountDueMinor: 3_800,
    })
    expect(await finalized(third?.id)).toMatchObject({ status: 'open', creditAppliedMinor: 0, amountDueMinor: 4_900 })
    const entries = await sql`
      select type, amount_minor::int as amount, balance_minor::int as balance, invoice_id from credit_entries
      where customer_id = ${customer.id} order by seq`
    expect(entries.slice(1)).toEqual([
      { type: 'applied', amount: -4_900, balance: 1_100, invoice_id: first?.invoice.id },
      { type: 'applied', amount: -1_100, balance: 0, invoice_id: second?.invoice.id },
    ])
    const [link] =
      await sql`select amount_minor::int as amount from payment_links where merchant_id = ${merchantId} order by seq limit 1`
    expect(link?.amount).toBe(3_800)
  })

  test('of 12 invoices at the same time spends the credit of their customer once', async () => {
    const { merchantId, mode } = await newShop()
    const { customer } = await makeCustomer(api, mode)
    await addCredit(merchantId, customer.id, 10_000)
    const drafts = await Promise.all(
      Array.from({ length: 12 }, () => makeInvoice(api, mode, { customerId: customer.id })),
    )
    const done = await Promise.all(drafts.map(({ invoice }) => finalizeBy(api, merchantId, invoice.id)))
    expect(done.reduce((sum, { context }) => sum + context.creditAppliedMinor, 0)).toBe(10_000)
    expect(done.filter(({ state }) => state === 'paid')).toHaveLength(2)
    await expectNumbers(merchantId, 12)
  })

  test('uses the draft as it is in the commit, if it is changed at the same time', async () => {
    const { merchantId, key, mode } = await newShop()
    const drafts = await Promise.all(Array.from({ length: 10 }, () => makeInvoice(api, mode)))
    await Promise.all(
      drafts.flatMap(({ id }) => [
        ask('PATCH', `/invoices/${id}`, { bearer: key, json: { lines: [aLamp, aLamp] } }),
        ask('POST', `/invoices/${id}/finalize`, { bearer: key }),
      ]),
    )
    const rows = await sql`
      select i.total_minor = l.amount_minor as is_same from invoices i join payment_links l on l.id = i.payment_link_id
      where i.merchant_id = ${merchantId}`
    expect(rows.map(({ is_same }) => is_same)).toEqual(Array(10).fill(true))
  })
})

const addCredit = (merchantId: string, customerId: string, amountMinor: number) =>
  api.actors.dispatch({
    ...{ kind: 'customer', actor: customerId, event: { type: 'adjust_credit' } },
    rows: [
      creditEntryRow({
        ...{ id: uuidv7(api.clock.now(), api.random), customerId, merchantId, livemode: false, currency: 'EUR' },
        ...{ type: 'adjustment', amountMinor },
      }),
    ],
  })

describe('numbers', () => {
  test('of 64 callers in two processes are 1, 2, 3 … without a gap, in the order of time, and no caller is refused', async () => {
    const { merchantId, key, mode } = await newShop()
    const there = connect(server.databaseUrl, { byKey: true })
    const other = { ...api, sql: there, actors: await openActors({ ...api, sql: there }, kinds) }
    const drafts = await Promise.all(Array.from({ length: 192 }, () => makeInvoice(api, mode)))
    const waiting = drafts.values()
    const statuses: unknown[] = []
    await Promise.all(
      Array.from({ length: 64 }, async (_, caller) => {
        for (const { id, invoice } of waiting) {
          const done =
            caller % 2 === 0
              ? (await ask('POST', `/invoices/${id}/finalize`, { bearer: key })).status
              : (await finalizeBy(other, merchantId, invoice.id)).state
          statuses.push(done)
        }
      }),
    )
    await there.end({ timeout: 1 })
    expect(statuses.filter(status => status !== 200 && status !== 'open')).toEqual([])
    await expectNumbers(merchantId, 192)
  })

  test('of the two modes, and of two merchants, are separate', async () => {
    const [one, two] = [await newShop(), await newShop()]
    const made = []
    for (const { merchantId } of [one, two])
      for (const livemode of [true, false, true])
        made.push((await makeInvoice(api, { merchantId, livemode }, { finalize: true })).invoice)
    const [a, b, c] = [`INV-${year}-0001`, `TEST-INV-${year}-0001`, `INV-${year}-0002`]
    expect(made.map(({ context }) => context.number)).toEqual([a, b, c, a, b, c])
  })

  test('begin again when the year turns in the time zone of the merchant', async () => {
    const { merchantId } = await newShop('Pacific/Auckland')
    // Midnight in Auckland is 11:00 UTC.
    const clock = manualClock(new Date('2027-12-31T10:59:59.990Z'))
    const there = { ...api, clock, actors: await openActors({ ...api, clock }, kinds) }
    clock.set(new Date('2027-12-31T10:59:59.990Z'))
    const drafts = await Promise.all(
      Array.from({ length: 6 }, () => makeInvoice(there, { merchantId, livemode: false })),
    )
    for (const { invoice } of drafts.slice(0, 3)) await finalizeBy(there, merchantId, invoice.id)
    clock.set(new Date('2027-12-31T11:00:00.000Z'))
    await Promise.all(drafts.slice(3).map(({ invoice }) => finalizeBy(there, merchantId, invoice.id)))
    const rows = await sql<{ number: string; issue_date: string }[]>`
      select number, issue_date from invoices where merchant_id = ${merchantId} order by number`
    expect([...rows]).toEqual([
      ...[1, 2, 3].map(n => ({ number: `TEST-INV-2027-000${n}`, issue_date: '2027-12-31' })),
      ...[1, 2, 3].map(n => ({ number: `TEST-INV-2028-000${n}`, issue_date: '2028-01-01' })),
    ])
  })

  test('are those of the year of the commit, if the year turns while the request is handled', async () => {
    const { merchantId } = await newShop()
    const { invoice } = await makeInvoice(api, { merchantId, livemode: false })
    // Otherwise the series of the old year would have to be created, and the request would read the clock again.
    const old = { merchantId, livemode: false, documentKind: 'invoice', year: 2027, testClockId: null } as const
    await ensureSeries(api, old, 'test')
    const after = manualClock(new Date('2028-01-01T00:00:00.000Z'))
    let reads = 0
    const turning = { ...after, now: () => (reads++ === 0 ? new Date('2027-12-31T23:59:59.999Z') : after.now()) }
    const there = { ...api, clock: turning, actors: await openActors({ ...api, clock: after }, kinds) }
    expect((await finalizeBy(there, merchantId, invoice.id)).context.number).toBe('TEST-INV-2028-0001')
    expect(reads).toBeGreaterThan(1)
  })

  test('that never restart go on over the year, and the time of a document is not before that of the one before it', async () => {
    const { merchantId } = await newShop()
    await sql`update billing_settings set restart = 'never', number_pattern = '{prefix}{number}' where merchant_id = ${merchantId}`
    const clock = manualClock(new Date('2027-12-31T23:59:59.000Z'))
    const there = { ...api, clock, actors: await openActors({ ...api, clock }, kinds) }
    clock.set(new Date('2027-12-31T23:59:59.000Z'))
    const make = () => makeInvoice(there, { merchantId, livemode: false }, { finalize: true })
    await make()
    clock.set(new Date('2028-01-01T00:00:00.000Z'))
    await make()
    // The clock of another process is behind.
    clock.set(new Date('2027-12-31T23:59:58.000Z'))
    await make()
    const rows = await sequences(merchantId)
    expect(rows.map(({ number, issued_at }) => [number, issued_at.toISOString()])).toEqual([
      ['TEST-INV1', '2027-12-31T23:59:59.000Z'],
      ['TEST-INV2', '2028-01-01T00:00:00.000Z'],
      ['TEST-INV3', '2028-01-01T00:00:00.000Z'],
    ])
  })

  test('a counter that another transaction has locked delays neither payment links nor other merchants', async () => {
    const [busy, other] = [await newShop(), await newShop()]
    await makeInvoice(api, busy.mode, { finalize: true })
    const { id } = await makeInvoice(api, busy.mode)
    const locking = connect(server.databaseUrl, { max: 1 })
    const series = seriesIdOf({
      ...{ merchantId: busy.merchantId, livemode: false, documentKind: 'invoice', year, testClockId: null },
    })
    await locking`begin`
    await locking`select from document_series where id = ${series} for update`
    const waiting = ask('POST', `/invoices/${id}/finalize`, { bearer: busy.key })
    const opening = { ...paymentLinkOpening, ...busy.mode, reference: null, expiresAt: null }
    const free: unknown[] = []
    for (let n = 0; n < 10; n++) {
      free.push((await createPaymentLink(api, opening, requester)).state)
      free.push((await makeInvoice(api, other.mode, { finalize: true })).invoice.state)
      free.push((await makeInvoice(api, busy.mode)).invoice.state)
    }
    expect(free).toEqual(Array(10).fill(['active', 'open', 'draft']).flat())
    const still = await Promise.race([waiting.then(() => 'done'), Promise.resolve('waiting')])
    await locking`commit`
    await locking.end({ timeout: 1 })
    expect([still, (await waiting).status]).toEqual(['waiting', 200])
    await expectNumbers(busy.merchantId, 2)
  })
})

describe('the chain of hashes', () => {
  const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
  /** RFC 8785, written again: sorted keys, no spaces. The texts and numbers here have the same form in JSON.stringify. */
  const canonical = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`
  }

  test('is that of the documents, calculated by another program', async () => {
    const { merchantId, key, mode } = await newShop()
    const lines = [
      { description: 'Lämpchen “x” \u2028', quantity: '1.250', unitAmountMinor: 999, taxRateBps: 1_900 },
      aLamp,
    ]
    for (let n = 0; n < 5; n++) await makeInvoice(api, mode, { lines, finalize: true, reference: `r${n}` })
    const { json } = await ask('GET', `/invoices/chain?year=${year}`, { bearer: key })
    const chain = (json as { data: Shown[] }).data
    expect(chain.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5].map(n => `TEST-INV-${year}-000${n}`))
    const salts = await sql<{ number: string; party_salt: string }[]>`
      select number, party_salt from invoices where merchant_id = ${merchantId}`
    let before = ''
    for (const { id, documentHash, previousDocumentHash, number } of chain) {
      expect(previousDocumentHash ?? '').toBe(before)
      const invoice = (await ask('GET', `/invoices/${id}`, { bearer: key })).json as Shown
      const salt = Buffer.from(salts.find(each => each.number === number)?.party_salt ?? '', 'hex')
      expect(salt.length).toBe(16)
      const { currency, taxes, subtotalMinor, taxMinor, totalMinor, issueDate, dueDate } = invoice
      const said = {
        ...{ number, kind: 'invoice', currency, lines: invoice.lines, taxes, subtotalMinor, taxMinor, totalMinor },
        ...{ issueDate, dueDate, sellerHash: sha256(canonical(invoice.seller)) },
        partyHash: sha256(Buffer.concat([salt, Buffer.from(canonical(invoice.customer))])),
      }
      expect(documentHash).toBe(sha256(`${before}.${sha256(canonical(said))}`))
      before = documentHash
    }
  })

  test('is listed in pages, by year and kind', async () => {
    const { key, mode } = await newShop()
    for (let n = 0; n < 3; n++) await makeInvoice(api, mode, { finalize: true })
    const list = async (query: string) => {
      const { json } = await ask('GET', `/invoices/chain?${query}`, { bearer: key })
      const { data, has_more } = json as { data: Shown[]; has_more: boolean }
      return { numbers: data.map(({ number }) => Number(number.slice(-4))), has_more, last: data.at(-1)?.id }
    }
    const first = await list('limit=2')
    expect(first).toMatchObject({ numbers: [1, 2], has_more: true })
    expect(await list(`limit=2&startingAfter=${first.last}`)).toMatchObject({ numbers: [3], has_more: false })
    expect(await list('order=desc&limit=2')).toMatchObject({ numbers: [3, 2], has_more: true })
    expect(await list(`year=${year - 1}`)).toMatchObject({ numbers: [], has_more: false })
    expect(await list('kind=credit_note')).toMatchObject({ numbers: [] })
    for (const [query, param] of [
      ['year=26', 'year'],
      ['kind=quote', 'kind'],
      ['startingAfter=inv_1', 'startingAfter'],
    ])
      expect((await ask('GET', `/invoices/chain?${query}`, { bearer: key })).error?.param).toBe(param)
  })
})

describe('an open invoice', () => {
  test('is reminded of once in an hour', async () => {
    const { key, mode } = await newShop()
    const { id, invoice } = await makeInvoice(api, mode, { finalize: true })
    const remind = () => ask('POST', `/invoices/${id}/remind`, { bearer: key })
    const answers = await Promise.all(Array.from({ length: 5 }, remind))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429, 429])
    const late = answers.find(({ status }) => status === 429)
    expect(late?.error?.code).toBe('rate_limited')
    expect(Number(late?.headers.get('retry-after'))).toBeGreaterThan(3_500)
    const events =
      await sql`select json_of(object) -> 'reminder' as reminder from events where actor = ${invoice.id} and type = 'invoice.reminder'`
    expect([...events]).toEqual([{ reminder: { offsetDays: null } }])
    const draft = await makeInvoice(api, mode)
    expect((await ask('POST', `/invoices/${draft.id}/remind`, { bearer: key })).status).toBe(409)
  })

  test('can be given up, and then neither be reminded of nor given up again', async () => {
    const { key, mode } = await newShop()
    const { id } = await makeInvoice(api, mode, { finalize: true })
    const act = (action: string) => ask('POST', `/invoices/${id}/${action}`, { bearer: key })
    expect((await act('uncollectible')).json).toMatchObject({ status: 'uncollectible', overdue: false })
    for (const action of ['uncollectible', 'remind', 'finalize'])
      expect((await act(action)).error).toMatchObject({ code: 'state_conflict', details: { status: 'uncollectible' } })
  })

  test('gets a new address for its page', async () => {
    const { key, mode } = await newShop()
    const { id } = await makeInvoice(api, mode, { finalize: true })
    const url = async (method: string, path: string) =>
      ((await ask(method, `/invoices/${id}${path}`, { bearer: key })).json as { url: string }).url
    const before = await url('GET', '')
    const after = await url('POST', '/rotate-url')
    expect(after).not.toBe(before)
    expect(await url('GET', '')).toBe(after)
    const draft = await makeInvoice(api, mode)
    expect((await ask('POST', `/invoices/${draft.id}/rotate-url`, { bearer: key })).status).toBe(409)
  })

  test.each([false, true])('is duplicated once for each Idempotency-Key of a member, live: %p', async livemode => {
    const owner = { merchantId: lamps.merchantId, livemode }
    await setSeller(sql, lamps.merchantId)
    const { id } = await makeInvoice(api, owner, { finalize: true })
    const duplicate = (idempotencyKey: string) =>
      ask('POST', `/invoices/${id}/duplicate`, {
        ...{ path: lamps.path, bearer: lamps.owner.bearer, headers: { 'idempotency-key': idempotencyKey } },
      })
    const first = await duplicate('one')
    expect([first.status, (await duplicate('one')).json]).toEqual([201, first.json])
    expect((await duplicate('two')).json).not.toEqual(first.json)
  })

  test('is duplicated as a draft without a number', async () => {
    const { key, mode } = await newShop()
    const more = { reference: 'r', notes: 'n', metadata: { a: 'b' }, reminders: [1], daysUntilDue: 4 }
    const { id } = await makeInvoice(api, mode, { ...more, lines: [aLamp, aLamp], finalize: true })
    const { status, json } = await ask('POST', `/invoices/${id}/duplicate`, { bearer: key })
    expect([status, json]).toMatchObject([
      201,
      {
        status: 'draft',
        number: null,
        totalMinor: 9_800,
        reference: 'r',
        notes: 'n',
        metadata: { a: 'b' },
        dueDate: null,
      },
    ])
    expect((json as Shown).id).not.toBe(id)
  })
})

describe('the document', () => {
  const textOf = async (id: string, bearer: string) => {
    const answer = await fetch(`${server.url}/v1/invoices/${id}/document`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(answer.headers.get('content-type')).toBe('application/pdf')
    const pages = await readPdf(bytes)
    return {
      bytes: Buffer.from(bytes).toString('hex'),
      text: pages
        .flat()
        .map(({ text }) => text)
        .join(' '),
      answer,
    }
  }

  test('of a draft says so; of an invoice is rendered once and never changes', async () => {
    const { merchantId, key, mode } = await newShop()
    const { customer } = await makeCustomer(api, mode, { name: 'Ada Example', locale: 'de-AT' })
    const { id, invoice } = await makeInvoice(api, mode, { customerId: customer.id })
    expect((await textOf(id, key)).text).toContain('ENTWURF')
    await ask('POST', `/invoices/${id}/finalize`, { bearer: key })
    expect(await sql`select from invoice_documents where invoice_id = ${invoice.id}`).toHaveLength(0)
    await sql`update billing_settings set legal_name = 'Another name' where merchant_id = ${merchantId}`
    const first = await textOf(id, key)
    expect(first.answer.headers.get('content-disposition')).toBe(`inline; filename="TEST-INV-${year}-0001.pdf"`)
    for (const shown of ['Rechnung', `TEST-INV-${year}-0001`, 'Ada Example', 'Lampen Köln GmbH'])
      expect(first.text).toContain(shown)
    expect(first.text).not.toContain('ENTWURF')
    // What is stored is sent, whatever a later version would render.
    await sql`update invoices set currency = 'USD' where id = ${invoice.id}`
    expect((await textOf(id, key)).bytes).toBe(first.bytes)
    await sql`update invoices set currency = 'EUR' where id = ${invoice.id}`
    const json = await ask('GET', `/invoices/${id}/document?format=json`, { bearer: key })
    expect(json.json).toMatchObject({ id, number: `TEST-INV-${year}-0001`, seller: { legalName: 'Lampen Köln GmbH' } })
    expect((await ask('GET', `/invoices/${id}/document?format=xml`, { bearer: key })).error?.param).toBe('format')
  })

  test('in test mode says so, and names the merchant if there is no legal name', async () => {
    const { merchantId } = await shop(api, 'Lamps & Shades')
    const mode = { merchantId, livemode: false }
    const { secret: key } = await insertKey(sql, mode)
    const draft = await makeInvoice(api, mode)
    const issued = await makeInvoice(api, mode, { finalize: true })
    for (const { id } of [draft, issued]) expect((await textOf(id, key)).text).toContain('Lamps & Shades')
    expect((await textOf(issued.id, key)).text).toContain('Made in test mode')
    expect(issued.invoice.context.seller).toMatchObject({ legalName: null })
    const live = { merchantId, livemode: true }
    const { secret: liveKey } = await insertKey(sql, live)
    const { text } = await textOf((await makeInvoice(api, live)).id, liveKey)
    expect([text.includes('Lamps & Shades'), /test mode/i.test(text)]).toEqual([false, false])
  })

  test('of a void invoice: one that was rendered before stays, one that was not asks for no money', async () => {
    const { key, mode } = await newShop()
    const [before, after] = [
      await makeInvoice(api, mode, { finalize: true }),
      await makeInvoice(api, mode, { finalize: true }),
    ]
    const first = await textOf(before.id, key)
    expect(first.text).toContain('due by')
    for (const { id } of [before, after])
      expect((await ask('POST', `/invoices/${id}/void`, { bearer: key })).status).toBe(200)
    expect((await textOf(before.id, key)).bytes).toBe(first.bytes)
    const { text } = await textOf(after.id, key)
    expect(text.replaceAll('\u00a0', ' ')).toContain(`canceled by credit note TEST-CN-${year}-0002`)
    expect(text).not.toContain('due by')
  })

  test('that was rendered while the invoice was voided is not stored', async () => {
    const { mode } = await newShop()
    const { invoice } = await makeInvoice(api, mode, { finalize: true })
    await voidInvoice(api, { id: invoice.id, ...mode }, null, requester)
    // As a request that has read the invoice before.
    const stale = await renderInvoicePdf(api, invoice)
    expect((await readPdf(stale)).flat().some(({ text }) => text.includes('due by'))).toBe(true)
    expect(await sql`select from invoice_documents where invoice_id = ${invoice.id}`).toHaveLength(0)
  })
})
