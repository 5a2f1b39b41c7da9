import { describe, expect, test } from 'bun:test'
import { checkoutRoutes } from '../../src/http/checkout.ts'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { decodeId } from '../../src/ids.ts'
import { makeCustomer } from './customers.ts'
import { makeLink } from './links.ts'
import { idsOf } from './lists.ts'
import { twoShops } from './two-shops.ts'

const { server, lamps, ask, page } = await twoShops({
  routes: [...checkoutRoutes, ...customerRoutes, ...customerCreditRoutes, ...paymentRoutes],
  env: { CHECKOUT_RATE_LIMIT: '0', API_RATE_LIMIT_TEST: '0' },
})

const mode = { merchantId: lamps.merchantId, livemode: false }
const { id: linkId } = await makeLink(server.api, mode)
const newEmail = () => `${crypto.randomUUID()}@example.com`

const pay = async (customerEmail: string, more: object = {}): Promise<string> => {
  const { status, json } = await server.call('POST', `/v1/checkout/links/${linkId}/payments`, {
    json: { customerEmail, ...more },
  })
  expect(status).toBe(201)
  return (json as { payment: { id: string } }).payment.id
}
type Read = { readonly id: string; readonly customerId: string | null; readonly invoiceId: null }
const payment = async (id: string) => (await ask('GET', `/payments/${id}`)).json as Read
const customer = async (id: string | null) => (await ask('GET', `/customers/${id}`)).json as Record<string, unknown>
const merge = (id: string, intoId: string) =>
  ask('POST', `/customers/${id}/merge`, { json: { intoId }, path: lamps.path, bearer: lamps.owner.bearer })

describe('a payment of a checkout', () => {
  test('creates the customer of a new e-mail address, in its own commit', async () => {
    const email = newEmail()
    const id = await pay(email, { customerName: 'Ada Example' })
    const { customerId, invoiceId } = await payment(id)
    expect(await customer(customerId)).toMatchObject({ email, name: 'Ada Example', source: 'checkout', totals: [] })
    expect(invoiceId).toBeNull()
    const [both] = await server.sql`
      select count(distinct xid)::int as commits, count(*)::int as many from transitions
      where rev = 1 and actor in (${decodeId('pay', id) ?? ''}, ${decodeId('cus', String(customerId)) ?? ''})`
    expect(both).toEqual({ commits: 1, many: 2 })
  })

  test('belongs to the customer of its e-mail address, also by an alias, and changes no field of it', async () => {
    const [email, former] = [newEmail(), newEmail()]
    const made = await makeCustomer(server.api, mode, { email: former, name: 'Ada Example' })
    await ask('PATCH', `/customers/${made.id}`, { json: { email } })
    const before = await customer(made.id)
    for (const each of [email, former, email.toUpperCase(), `  ${former}  `])
      expect((await payment(await pay(each, { customerName: 'Another' }))).customerId).toBe(made.id)
    expect(await customer(made.id)).toEqual(before)
  })

  test('of many at the same time with one new e-mail address, all belong to one customer', async () => {
    const email = newEmail()
    const ids = await Promise.all(Array.from({ length: 30 }, () => pay(email)))
    const customers = await Promise.all(ids.map(async id => (await payment(id)).customerId))
    expect(new Set(customers).size).toBe(1)
    const { data } = await page<{ id: string }>(`/customers?email=${email}`)
    expect(idsOf({ data })).toEqual([String(customers[0])])
    const [{ events } = { events: 0 }] = await server.sql<{ events: number }[]>`
      select count(*)::int as events from events where type = 'customer.created' and json_of(object)->>'email' = ${email}`
    expect(events).toBe(1)
  })

  test('changes and locks no row of its customer, so payments of one e-mail address do not wait for each other', async () => {
    const { id, customer: made } = await makeCustomer(server.api, mode, { email: newEmail() })
    const rowOf = () => server.sql`select xmin::text, rev from customers where id = ${made.id}`
    const before = await rowOf()
    // Another transaction changes the customer at the same time.
    const held = await server.sql.reserve()
    await held`begin`
    await held`select from customers where id = ${made.id} for update`
    const paid = await pay(made.context.email)
    await held`rollback`
    held.release()
    expect((await payment(paid)).customerId).toBe(id)
    expect(await rowOf()).toEqual(before)
  })

  test('of a merged customer counts as the one that has taken its place, whenever it was opened', async () => {
    const [a, b] = [await makeCustomer(server.api, mode), await makeCustomer(server.api, mode)]
    const before = await pay(a.customer.context.email)
    expect((await merge(a.id, b.id)).status).toBe(200)
    const after = await pay(a.customer.context.email)
    for (const each of [before, after]) expect((await payment(each)).customerId).toBe(b.id)
    const listed = await page<Read>(`/payments?customerId=${b.id}`)
    expect(idsOf(listed)).toEqual([after, before])
    expect(listed.data.map(({ customerId }) => customerId)).toEqual([b.id, b.id])
    expect(idsOf(await page<Read>(`/payments?customerId=${b.id}&status=success`))).toEqual([])
    expect(idsOf(await page<Read>(`/payments?customerId=${b.id}&status=pending&limit=1`))).toEqual([after])
  })

  test('shows no customer to the person who pays', async () => {
    const { json } = await server.call('POST', `/v1/checkout/links/${linkId}/payments`, {
      json: { customerEmail: newEmail() },
    })
    const { payment } = json as { payment: object }
    expect(Object.keys(payment)).not.toContain('customerId')
    expect(Object.keys(payment)).not.toContain('invoiceId')
  })
})
