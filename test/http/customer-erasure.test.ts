import { describe, expect, test } from 'bun:test'
import { openCheckout } from '../../src/commands/checkouts.ts'
import { eraseCopies } from '../../src/commands/customer-erasures.ts'
import { checkoutRoutes } from '../../src/http/checkout.ts'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { disputeRoutes } from '../../src/http/disputes.ts'
import { invoiceActionRoutes } from '../../src/http/invoice-actions.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { connect } from '../../src/postgres/connect.ts'
import { findVisitedLink } from '../../src/queries/checkouts.ts'
import { until } from '../harness/until.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { makeCustomer } from './customers.ts'
import { makeInvoice } from './invoices.ts'
import { makeLink } from './links.ts'
import { final, happen, makePayment, openPayment, paid, seen, windowOver } from './payments.ts'
import { forgetProof, member } from './people.ts'
import { makeRefund } from './refunds.ts'
import { newKey, twoShops } from './two-shops.ts'

const { server, lamps, chairs, ask, page } = await twoShops({
  routes: [
    ...checkoutRoutes,
    ...customerRoutes,
    ...customerCreditRoutes,
    ...paymentRoutes,
    ...disputeRoutes,
    ...refundRoutes,
    ...invoiceRoutes,
    ...invoiceActionRoutes,
  ],
  env: { CHECKOUT_RATE_LIMIT: '0', API_RATE_LIMIT_TEST: '0' },
})
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }
const owner = { path: lamps.path, bearer: lamps.owner.bearer }

const erase = (id: string, as: object = owner) => ask('POST', `/customers/${id}/erase`, { ...owner, ...as })
const merge = (id: string, intoId: string) => ask('POST', `/customers/${id}/merge`, { json: { intoId }, ...owner })
const read = async (id: string) => (await ask('GET', `/customers/${id}`)).json as Record<string, unknown>
const stateOf = async (id: string) => {
  const [row] = await sql<{ state: string }[]>`select state from customers where id = ${decodeId('cus', id) ?? ''}`
  return row?.state
}
/** What the job does. */
const finish = (id: string) => eraseCopies(api, decodeId('cus', id) ?? '', new AbortController().signal)
const eventsOf = async (id: string) =>
  sql<{ type: string; object: Record<string, unknown> }[]>`
    select type, json_of(object) as object from events where actor = ${decodeId('cus', id) ?? ''} order by seq`

const ada = {
  ...{ name: 'Ada Example', company: 'Example Ltd', taxId: 'GB999999973', locale: 'en' },
  address: { line1: '1 Lamp Road', line2: null, city: 'London', postalCode: 'N1', state: null, country: 'GB' },
  metadata: { tier: 'gold' },
}
const someone = () => makeCustomer(api, mode, { ...ada, reference: crypto.randomUUID() })
const pays = (customerId: string, more: object = {}) =>
  paid(api, mode, 1000n, { opening: { customerId, customerEmail: 'ada@example.com', customerName: 'Ada', ...more } })

const inUse = (...records: string[]) => ({
  status: 409,
  error: { code: 'customer_in_use', details: { records } },
})
const isErased = { status: 409, error: { code: 'customer_erased' } }

describe('POST /v1/merchants/:merchantId/customers/:id/erase', () => {
  test('200: the first commit erases the customer, its e-mail addresses, payments and disputes', async () => {
    const { id, customer } = await someone()
    await ask('PATCH', `/customers/${id}`, { json: { email: `${crypto.randomUUID()}@example.com` } })
    const payment = await pays(customer.id)
    const description = 'Ada has no lamp'
    const json = { reason: 'general', description }
    const dispute = (await ask('POST', `/payments/${payment.id}/disputes`, { json })).json as { id: string }
    await ask('POST', `/disputes/${dispute.id}/evidence`, {
      json: { refundPolicy: 'None', customerCommunication: 'Ada' },
    })
    const before = await read(id)
    const { status, json: erased } = await erase(id)
    expect(status).toBe(200)
    const email = `${id}@erased.invalid`
    expect(erased).toEqual({
      ...before,
      ...{ email, aliases: [], name: null, company: null, taxId: null, address: null, locale: null, reference: null },
      ...{
        metadata: {},
        erasedAt: (erased as typeof before).updatedAt,
        updatedAt: (erased as typeof before).updatedAt,
      },
    })
    const now = (await ask('GET', `/payments/${payment.id}`)).json as Record<string, unknown>
    expect(now).toMatchObject({ customerId: id, customerEmail: email, customerName: null, amountMinor: 1_000 })
    expect(now).toMatchObject({ reference: 'order 7', metadata: { shelf: 'B' } })
    expect(now.updatedAt).toBe((erased as typeof before).updatedAt)
    const evidence = { uncategorizedText: null, customerCommunication: null, shippingTrackingNumber: null }
    expect((await ask('GET', `/disputes/${dispute.id}`)).json).toMatchObject({
      evidence: { ...evidence, refundPolicy: null },
    })
    expect(
      await sql`select from disputes where id = ${decodeId('dp', dispute.id) ?? ''} and description is not null`,
    ).toHaveLength(0)
    expect(await stateOf(id)).toBe('erasing')
  })

  test('the audit log says who has erased which customer, once, and nothing about the customer', async () => {
    const { id } = await someone()
    await Promise.all(Array.from({ length: 4 }, () => erase(id)))
    const rows = await sql<{ actor: string; account_id: string; details: object }[]>`
      select actor, account_id, details from security_events
      where merchant_id = ${lamps.merchantId} and action = 'customer.erased' and details->>'customer' = ${id}`
    const { accountId } = lamps.owner
    expect([...rows]).toEqual([
      { actor: encodeId('usr', accountId), account_id: accountId, details: { customer: id, livemode: false } },
    ])
    const refused = await someone()
    await openPayment(api, mode, { opening: { customerId: refused.customer.id } })
    expect((await erase(refused.id)).status).toBe(409)
    expect(await sql`select from security_events where details->>'customer' = ${refused.id}`).toHaveLength(0)
  })

  test('the job erases the copies and then sends customer.erased, once', async () => {
    const { id, customer } = await someone()
    const payment = await pays(customer.id)
    await erase(id)
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['customer.created'])
    await Promise.all([finish(id), finish(id)])
    await finish(id)
    const events = await eventsOf(id)
    expect(events.map(({ type }) => type)).toEqual(['customer.created', 'customer.erased'])
    const email = `${id}@erased.invalid`
    for (const { object } of events) expect(object).toMatchObject({ email, name: null, address: null, metadata: {} })
    expect(Object.keys(events[0]?.object ?? {})).toEqual(Object.keys(events[1]?.object ?? {}))
    const paidEvents = await sql<
      { object: object }[]
    >`select json_of(object) as object from events where actor = ${payment.actor}`
    expect(paidEvents.length).toBeGreaterThan(1)
    for (const { object } of paidEvents)
      expect(object).toMatchObject({ customerEmail: email, customerName: null, reference: 'order 7' })
    expect(await stateOf(id)).toBe('erased')
  })

  test('repeating it is 200 and changes nothing, also at the same time', async () => {
    const { id } = await someone()
    const answers = await Promise.all(Array.from({ length: 6 }, () => erase(id)))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(6).fill(200))
    const before = await read(id)
    await finish(id)
    expect(await erase(id)).toMatchObject({ status: 200, json: { erasedAt: before.erasedAt } })
    expect((await eventsOf(id)).filter(({ type }) => type === 'customer.erased')).toHaveLength(1)
  })

  test('409: while a payment is pending or processing', async () => {
    const { id, customer } = await someone()
    const { id: payment, actor } = await openPayment(api, mode, { opening: { customerId: customer.id } })
    expect(await erase(id)).toMatchObject(inUse(payment))
    await happen(api, actor, seen('enough_seen', 1000n))
    expect(await erase(id)).toMatchObject(inUse(payment))
    expect(await read(id)).toMatchObject({ name: ada.name, erasedAt: null })
    await happen(api, actor, final('finalized', 1000n))
    expect((await erase(id)).status).toBe(200)
  })

  test('409: while a refund is neither processed nor canceled', async () => {
    const { id, customer } = await someone()
    const refund = await makeRefund(api, mode, null, { customerId: customer.id })
    expect(await erase(id)).toMatchObject(inUse(refund))
    expect((await ask('POST', `/refunds/${refund}/cancel`, owner)).status).toBe(200)
    expect((await erase(id)).status).toBe(200)
  })

  test('409: while it has credit', async () => {
    const { id } = await someone()
    const adjust = (amountMinor: number) =>
      ask('POST', `/customers/${id}/credit`, { json: { currency: 'EUR', amountMinor, note: 'Goodwill' }, ...owner })
    await adjust(100)
    expect(await erase(id)).toMatchObject(inUse(id))
    await adjust(-100)
    expect((await erase(id)).status).toBe(200)
  })

  test('409: while an invoice is a draft, open or uncollectible', async () => {
    const { id, customer } = await someone()
    const { id: invoice } = await makeInvoice(api, mode, { customerId: customer.id, finalize: true })
    const draft = await makeInvoice(api, mode, { customerId: customer.id })
    expect((await erase(id)).error?.details).toEqual({ records: [draft.id, invoice].sort() })
    expect((await ask('DELETE', `/invoices/${draft.id}`)).status).toBe(204)
    expect(await erase(id)).toMatchObject(inUse(invoice))
    expect((await ask('POST', `/invoices/${invoice}/uncollectible`)).status).toBe(200)
    expect(await erase(id)).toMatchObject(inUse(invoice))
  })

  test('an invoice with nothing due keeps its party, and its stored response does not', async () => {
    const { id } = await someone()
    const headers = newKey()
    const lines = [{ description: 'A gift', unitAmountMinor: 0 }]
    const json = { customerId: id, currency: 'EUR', lines, finalize: true }
    const made = (await ask('POST', '/invoices', { json, headers })).json as {
      id: string
      status: string
      customer: object
    }
    expect(made).toMatchObject({ status: 'paid', customer: { name: ada.name } })
    expect((await erase(id)).status).toBe(200)
    await finish(id)
    expect((await ask('GET', `/invoices/${made.id}`, owner)).json).toMatchObject({ customer: { name: ada.name } })
    expect((await ask('POST', '/invoices', { json, headers })).json).toMatchObject({ id: made.id, customer: null })
    const next = await ask('POST', '/invoices', { json })
    expect(next).toMatchObject({ ...isErased, error: { param: 'customerId' } })
  })

  test('409: names at most 10 records', async () => {
    const { id, customer } = await someone()
    for (let n = 0; n < 12; n++) await openPayment(api, mode, { opening: { customerId: customer.id } })
    const { error } = await erase(id)
    expect(Object(error?.details).records).toHaveLength(10)
  })

  test('customers that were merged into it are erased with it, and their payments', async () => {
    const [first, second] = [await someone(), await someone()]
    const payment = await pays(first.customer.id)
    await merge(first.id, second.id)
    expect(await erase(first.id)).toMatchObject({ status: 409, error: { code: 'state_conflict' } })
    expect((await erase(second.id)).status).toBe(200)
    await finish(second.id)
    const email = `${second.id}@erased.invalid`
    for (const id of [first.id, second.id]) {
      expect(await read(id)).toMatchObject({ email, name: null, address: null, aliases: [], metadata: {} })
      expect((await read(id)).erasedAt).not.toBeNull()
      for (const { object } of await eventsOf(id)) expect(object).toMatchObject({ email, company: null })
    }
    expect((await ask('GET', `/payments/${payment.id}`)).json).toMatchObject({
      customerEmail: email,
      customerId: second.id,
    })
    expect((await erase(first.id)).status).toBe(200)
  })

  test('403: only owners erase, after a step-up', async () => {
    const { id } = await someone()
    const developer = await member(api, lamps, 'developer')
    expect(await erase(id, { bearer: developer.bearer })).toMatchObject({ error: { code: 'insufficient_role' } })
    const other = await member(api, lamps, 'owner')
    await forgetProof(api, other)
    expect(await erase(id, { bearer: other.bearer })).toMatchObject({
      status: 403,
      error: { code: 'step_up_required' },
    })
    expect(await read(id)).toMatchObject({ erasedAt: null })
  })

  test('404: a customer of another merchant', async () => {
    const { id } = await makeCustomer(api, { ...mode, merchantId: chairs.merchantId })
    expect(await erase(id)).toMatchObject({ status: 404 })
  })
})

describe('an erased customer', () => {
  test('409: is not changed, merged or credited', async () => {
    const [{ id }, other] = [await someone(), await someone()]
    await erase(id)
    expect(await ask('PATCH', `/customers/${id}`, { json: { name: 'Ada' } })).toMatchObject(isErased)
    expect(await merge(other.id, id)).toMatchObject({ ...isErased, error: { param: 'intoId' } })
    expect(await merge(id, other.id)).toMatchObject(isErased)
    const json = { currency: 'EUR', amountMinor: 1, note: 'Late' }
    expect(await ask('POST', `/customers/${id}/credit`, { json, ...owner })).toMatchObject(isErased)
    expect(await read(other.id)).toMatchObject({ name: ada.name })
  })

  test('a checkout with its e-mail address afterwards creates another customer, and its reference is free', async () => {
    const { id, customer } = await someone()
    const { email, reference } = customer.context
    await erase(id)
    const { id: linkId } = await makeLink(api, mode)
    const opened = await server.call('POST', `/v1/checkout/links/${linkId}/payments`, {
      json: { customerEmail: email },
    })
    expect(opened.status).toBe(201)
    const found = await page<{ id: string; name: null }>(`/customers?email=${encodeURIComponent(email)}`)
    expect(found.data).toHaveLength(1)
    expect(found.data[0]?.id).not.toBe(id)
    const json = { email: `${crypto.randomUUID()}@example.com`, reference }
    expect((await ask('POST', '/customers', { json })).status).toBe(201)
  })

  test('409: its address is not the e-mail address of a checkout or of another customer', async () => {
    const { id } = await someone()
    await erase(id)
    const email = `${id}@erased.invalid`
    const { id: linkId } = await makeLink(api, mode)
    const opened = await server.call('POST', `/v1/checkout/links/${linkId}/payments`, {
      json: { customerEmail: email },
    })
    expect(opened).toMatchObject({ status: 409, json: { error: { ...isErased.error, param: 'customerEmail' } } })
    expect(await ask('POST', '/customers', { json: { email } })).toMatchObject({
      ...isErased,
      error: { param: 'email' },
    })
    const other = await someone()
    expect(await ask('PATCH', `/customers/${other.id}`, { json: { email } })).toMatchObject(isErased)
  })

  test('money that arrives later needs attention, although the merchant accepts late stablecoins', async () => {
    const { id, customer } = await someone()
    const { actor } = await openPayment(api, mode, { opening: { customerId: customer.id } })
    await happen(api, actor, windowOver())
    await erase(id)
    const late = await api.actors.dispatch({ kind: 'payment', actor, event: final('late_accepted', 1000n) })
    expect(late.ok).toBe(false)
    await happen(api, actor, { ...seen('amount_seen', 1000n) })
    await happen(api, actor, final('late_finalized', 1000n))
    expect((await ask('GET', `/payments/${encodeId('pay', actor)}`)).json).toMatchObject({
      ...{ status: 'expired', attention: true, customerEmail: `${id}@erased.invalid` },
    })
    expect(await sql`select from credit_entries where customer_id = ${customer.id}`).toHaveLength(0)
  })

  test('the answer that is stored for an idempotency key has no personal data, and is replayed', async () => {
    const json = { ...ada, email: `${crypto.randomUUID()}@example.com` }
    const headers = newKey()
    const { id } = (await ask('POST', '/customers', { json, headers })).json as { id: string }
    await erase(id)
    await finish(id)
    const replayed = await ask('POST', '/customers', { json, headers })
    expect(replayed).toMatchObject({
      status: 201,
      json: { id, email: `${id}@erased.invalid`, name: null, metadata: {} },
    })
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  })
})

describe('while a customer is erased', () => {
  test('a checkout that has found the customer before creates another one', async () => {
    const { id, customer } = await someone()
    const { link } = await makeLink(api, mode)
    const { email } = customer.context
    const visited = await findVisitedLink(sql, link.id, email)
    if (!visited) throw new Error('the link is missing')
    expect(visited.customerId).toBe(customer.id)
    expect((await erase(id)).status).toBe(200)
    const payer = { customerEmail: email, customerName: null }
    const { payment } = await openCheckout(api, visited, payer, { asset: undefined })
    expect(payment.context.customerId).not.toBe(customer.id)
    expect(
      (await page<{ id: string }>(`/customers?email=${encodeURIComponent(email)}`)).data.map(each => each.id),
    ).toEqual([encodeId('cus', payment.context.customerId ?? '')])
  })

  test('no payment is committed for it between the check of its uses and the end of the commit', async () => {
    const { customer } = await someone()
    const { link } = await makeLink(api, mode)
    const alone = connect(server.databaseUrl, { max: 1 })
    try {
      await alone`begin`
      await alone`select pg_advisory_xact_lock(hashtext('customers'), customer_lock(${customer.id}))`
      const create = { ...paymentOpening, ...mode, paymentLinkId: link.id, customerId: customer.id, windowMinutes: 30 }
      const actor = crypto.randomUUID()
      const open = () =>
        api.actors.dispatchBundle([
          { kind: 'payment_link', actor: link.id, event: { type: 'open_payment' } },
          { kind: 'payment', actor, create },
        ])
      const outcome = await open()
      expect(outcome).toMatchObject({ ok: false, refusal: 'customer_erased' })
      await alone`commit`
      expect((await open()).ok).toBe(true)
    } finally {
      await alone.end()
    }
  })

  test('checkouts of its e-mail address belong to another customer, or keep it from being erased', async () => {
    const { id: linkId } = await makeLink(api, mode)
    for (let round = 0; round < 8; round++) {
      const { id, customer } = await someone()
      const { email } = customer.context
      for (let n = 0; n < 3; n++) await pays(customer.id)
      const open = () =>
        server.call('POST', `/v1/checkout/links/${linkId}/payments`, { json: { customerEmail: email } })
      const [erased, ...opened] = await Promise.all([erase(id), ...Array.from({ length: 6 }, open)])
      expect(opened.map(({ status }) => status)).toEqual(Array<number>(6).fill(201))
      const owners = await sql<{ erased: boolean; named: boolean }[]>`
        select c.erased_at is not null as erased, p.customer_email = ${email} as named
        from payments p join customers c on c.id = p.customer_id
        where p.id = any(${opened.map(({ json }) => decodeId('pay', (json as { payment: { id: string } }).payment.id) ?? '')}::uuid[])`
      expect(owners.every(owner => owner.named && !owner.erased)).toBe(true)
      expect(erased.status === 200 || erased.error?.code === 'customer_in_use').toBe(true)
    }
  })

  test('refunds of its payments are either in its way or made afterwards', async () => {
    for (let round = 0; round < 6; round++) {
      const { id, customer } = await someone()
      const payments = await Promise.all(Array.from({ length: 4 }, () => pays(customer.id)))
      const change = ({ actor }: { actor: string }) =>
        api.actors.dispatch({ kind: 'payment', actor, event: { type: 'reserve_refund', amountMinor: 100 } })
      const [erased] = await Promise.all([erase(id), ...payments.map(change)])
      expect(erased.status).toBe(200)
      const rows = await sql`
        select from payments where customer_id = ${customer.id}
          and (customer_email <> ${`${id}@erased.invalid`} or refunds_reserved_minor <> 100)`
      expect(rows).toHaveLength(0)
      for (const { actor } of payments)
        await api.actors.dispatch({ kind: 'payment', actor, event: { type: 'release_refund', amountMinor: 100 } })
      await finish(id)
    }
  })

  test('a change of the customer is refused or comes before', async () => {
    for (let round = 0; round < 60; round++) {
      const { id } = await someone()
      const json = { email: `${crypto.randomUUID()}@example.com` }
      const [erased, changed] = await Promise.all([erase(id), ask('PATCH', `/customers/${id}`, { json })])
      expect(erased.status).toBe(200)
      expect([200, 409]).toContain(changed.status)
      expect(await read(id)).toMatchObject({ email: `${id}@erased.invalid`, aliases: [] })
      await until(async () => (await page(`/customers?email=${encodeURIComponent(json.email)}`)).data.length === 0)
    }
  })

  test('another payment of 10 customers at once does not deadlock', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, someone))
    for (const { customer } of made)
      await Promise.all(Array.from({ length: 3 }, () => makePayment(api, mode, 'success', { customerId: customer.id })))
    const answers = await Promise.all(made.map(({ id }) => erase(id)))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200))
  })
})
