import { describe, expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import { eraseCustomer } from '../../src/commands/customer-erasures.ts'
import { mergeCustomer } from '../../src/commands/customer-merges.ts'
import { createInvoice } from '../../src/commands/invoices.ts'
import { Refusal } from '../../src/errors.ts'
import { checkoutRoutes } from '../../src/http/checkout.ts'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { decodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from './customers.ts'
import { aLamp } from './invoices.ts'
import { makeLink } from './links.ts'
import { twoShops } from './two-shops.ts'

const { server, lamps, ask } = await twoShops({
  routes: [...checkoutRoutes, ...customerRoutes, ...customerCreditRoutes, ...invoiceRoutes],
  env: { CHECKOUT_RATE_LIMIT: '0', API_RATE_LIMIT_TEST: '0' },
})
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }
const owner = { path: lamps.path, bearer: lamps.owner.bearer }

/** Does the work in a transaction that stays open until `commit` or `rollback` is called. */
const inTransaction = async (work: (services: typeof api) => Promise<unknown>) => {
  const alone: Sql = connect(server.databaseUrl, { max: 1 })
  const actors = await openActors({ ...api, sql: alone }, kinds)
  await alone`begin`
  await work({ ...api, sql: alone, actors })
  const end = async (how: 'commit' | 'rollback') => {
    await actors.idle()
    await alone.unsafe(how)
  }
  return { end, [Symbol.asyncDispose]: () => alone.end() }
}
const erasing = (id: string) =>
  inTransaction(services => eraseCustomer(services, { ...mode, id }, lamps.owner.accountId))

/** The services, and how many bundles were dispatched with them. */
const counted = () => {
  const rounds = { count: 0 }
  const dispatchBundle: typeof api.actors.dispatchBundle = commands => {
    rounds.count++
    return api.actors.dispatchBundle(commands)
  }
  return { rounds, services: { ...api, actors: { ...api.actors, dispatchBundle } } }
}
const draft = (services: typeof api, id: string) =>
  createInvoice(
    services,
    { owner: mode, customer: { id }, fields: { currency: 'EUR', lines: [aLamp] }, finalize: false },
    { cause: 'test', responseRows: () => [] },
  ).catch((error: unknown) => error)
const waitsForLock = () =>
  until(async () => {
    const waiting = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length > 0
  })
const isErased = { code: 'customer_erased' }

describe('while the commit that erases a customer is under way', () => {
  test('a new draft waits for it and is refused, also when it takes a second', async () => {
    const { customer } = await makeCustomer(api, mode)
    await using erasure = await erasing(customer.id)
    const { rounds, services } = counted()
    const made = draft(services, customer.id)
    // As many attempts as fit into a second without pauses would be hundreds.
    const ended = await Promise.race([made, sql`select pg_sleep(1)`.then(() => 'waiting')])
    expect(ended).toBe('waiting')
    await erasure.end('commit')
    expect(await made).toBeInstanceOf(Refusal)
    expect(await made).toMatchObject(isErased)
    expect(rounds.count).toBeLessThan(100)
    expect(await sql`select from invoices where customer_id = ${customer.id}`).toHaveLength(0)
  })

  test('a new draft is created if the customer was not erased after all', async () => {
    const { customer } = await makeCustomer(api, mode)
    await using erasure = await erasing(customer.id)
    const { rounds, services } = counted()
    const made = draft(services, customer.id)
    await until(async () => rounds.count > 2)
    await erasure.end('rollback')
    expect(await made).toMatchObject({ state: 'draft', context: { customerId: customer.id } })
  })

  test('a new payment waits for it, and belongs to another customer of the same e-mail address', async () => {
    const { customer } = await makeCustomer(api, mode)
    const { id: linkId } = await makeLink(api, mode)
    await using erasure = await erasing(customer.id)
    const json = { customerEmail: customer.context.email }
    const opening = server.call('POST', `/v1/checkout/links/${linkId}/payments`, { json })
    const ended = await Promise.race([opening, sql`select pg_sleep(0.3)`.then(() => 'waiting')])
    expect(ended).toBe('waiting')
    await erasure.end('commit')
    const { status, json: opened } = await opening
    expect(status).toBe(201)
    const { id } = (opened as { payment: { id: string } }).payment
    const [row] = await sql`
      select p.customer_id <> ${customer.id} as is_other, c.erased_at as erased, p.customer_email as email
      from payments p join customers c on c.id = p.customer_id where p.id = ${decodeId('pay', id) ?? ''}`
    expect(row).toEqual({ is_other: true, erased: null, email: customer.context.email })
  })

  test('a merge into it and a merge of it wait, and are refused', async () => {
    const [of, into] = [await makeCustomer(api, mode), await makeCustomer(api, mode)]
    const { customer } = await makeCustomer(api, mode)
    await using erasure = await erasing(customer.id)
    const merge = (id: string, intoId: string) =>
      mergeCustomer(api, { ...mode, id }, intoId, 'test').catch((error: unknown) => error)
    const merges = [merge(of.customer.id, customer.id), merge(customer.id, into.customer.id)]
    await waitsForLock()
    await erasure.end('commit')
    expect(await Promise.all(merges)).toMatchObject([isErased, isErased])
    const rows = await sql`
      select from merged_customers where customer_id = any(${[of.customer.id, customer.id]}::uuid[])`
    expect(rows).toHaveLength(0)
    for (const { customer } of [of, into])
      expect(await sql`select from customers where id = ${customer.id} and state = 'active'`).toHaveLength(1)
  })
})

describe('an erasure waits', () => {
  test('for a merge: the customer that was merged is erased with the survivor', async () => {
    const [of, into] = [await makeCustomer(api, mode), await makeCustomer(api, mode)]
    const erase = (id: string) => ask('POST', `/customers/${id}/erase`, owner)
    await using merging = await inTransaction(services =>
      mergeCustomer(services, { ...mode, id: of.customer.id }, into.customer.id, 'test'),
    )
    const erasures = [erase(of.id), erase(into.id)]
    await waitsForLock()
    await merging.end('commit')
    const [ofMerged, ofSurvivor] = await Promise.all(erasures)
    expect(ofSurvivor?.status).toBe(200)
    // Unless the survivor was erased before the refusal.
    expect([200, 409]).toContain(ofMerged?.status ?? 0)
    const rows = await sql`
      select from customers where id = any(${[of.customer.id, into.customer.id]}::uuid[])
        and erased_at is not null and email like '%@erased.invalid' and name is null`
    expect(rows).toHaveLength(2)
  })

  test('for a new draft, which then keeps the customer', async () => {
    const { customer, id } = await makeCustomer(api, mode)
    await using drafting = await inTransaction(services => draft(services, customer.id))
    const erasure = ask('POST', `/customers/${id}/erase`, owner)
    await waitsForLock()
    await drafting.end('commit')
    expect(await erasure).toMatchObject({ status: 409, error: { code: 'customer_in_use' } })
    expect(await sql`select from customers where id = ${customer.id} and erased_at is null`).toHaveLength(1)
  })
})
