import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { removeExpiredParties } from '../../src/queries/expired-parties.ts'
import { eventTypes } from '../../src/resources.ts'
import { events } from '../harness/events.ts'
import { findTablesWith } from '../harness/marks.ts'
import { until } from '../harness/until.ts'
import { makeLink } from './links.ts'
import { type SimulationServer, simulationServer } from './simulations.ts'
import { newKey } from './two-shops.ts'

/** In every value about the customer that is sent to the service. */
const MARK = 'zqmark7'
const email = `ada@${MARK}.example`
const name = `Ada ${MARK}`

let instance: SimulationServer
beforeAll(async () => {
  instance = await simulationServer()
}, 120_000)
afterAll(() => instance?.[Symbol.asyncDispose]())

/** With a key by default; of the owner with `as: 'owner'`. The status must be 2xx or 303. */
const ask = async (method: string, path: string, json?: object, as: 'key' | 'owner' | 'customer' = 'key') => {
  const { server, shop, key } = instance
  const bearer = { key, owner: shop.owner.bearer, customer: undefined }[as]
  const answer = await server.call(method, `${as === 'owner' ? shop.path : '/v1'}${path}`, {
    ...(json && { json }),
    ...(bearer && { bearer }),
    ...(as === 'key' && method === 'POST' && { headers: newKey() }),
  })
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.text}`)
  return answer.json as Record<string, never> & { readonly id: string; readonly payment: { readonly id: string } }
}

const marked = { name, company: `${MARK} Ltd`, taxId: `GB ${MARK}`, reference: `account ${MARK}` }
const address = { line1: `1 ${MARK} Road`, city: MARK, postalCode: 'N1', country: 'GB' }

/** Everything that the API, the checkout and its page take about a customer. */
const plant = async (): Promise<string> => {
  const { server, shop } = instance
  await ask('POST', '/webhook-endpoints?livemode=false', { inbox: true, eventTypes: [...eventTypes] }, 'owner')
  const { id } = await ask('POST', '/customers', { email, ...marked, address, metadata: { note: MARK } })
  await ask('PATCH', `/customers/${id}`, { email: `ada.two@${MARK}.example`, address: { ...address, line2: MARK } })
  const { id: linkId } = await makeLink(server.api, { merchantId: shop.merchantId, livemode: false }, { assets: null })
  const checkout = (more: object) => ask('POST', `/checkout/links/${linkId}/payments`, more, 'customer')
  const asset = { chainId: 31337, asset: 'TUSD' }

  const paid = (await checkout({ customerEmail: email, customerName: name, ...asset })).payment.id
  await instance.simulate(paid, 'paid')
  await instance.becomes(paid, { state: 'success' })
  await ask('POST', `/payments/${paid}/refunds`, { amountMinor: 100, destination: `0x${'5f'.repeat(20)}` })
  const texts = { uncategorizedText: `of ${MARK}`, customerCommunication: MARK, refundPolicy: MARK }
  const dispute = await ask('POST', `/payments/${paid}/disputes`, { reason: 'general', description: `By ${MARK}` })
  await ask('POST', `/disputes/${dispute.id}/evidence`, { ...texts, submit: true })
  await ask('POST', `/disputes/${dispute.id}/resolve`, { outcome: 'won' })

  // Another address, whose customer is merged.
  const again = (await checkout({ customerEmail: `bob@${MARK}.example`, customerName: name, ...asset })).payment.id
  const { customerId } = await ask('GET', `/payments/${again}`)
  await ask('POST', `/payments/${again}/cancel`, {}, 'owner')
  await ask('POST', `/customers/${customerId}/merge`, { intoId: id }, 'owner')
  const credit = { currency: 'EUR', note: 'Goodwill' }
  for (const amountMinor of [100, -100])
    await ask('POST', `/customers/${id}/credit`, { ...credit, amountMinor }, 'owner')

  // A draft that was deleted keeps nothing.
  const lines = [{ description: 'A lamp', unitAmountMinor: 100 }]
  const draft = await ask('POST', '/invoices', {
    customer: { email, name },
    currency: 'USD',
    lines,
  })
  await ask('DELETE', `/invoices/${draft.id}`)

  await until(async () => (await server.sql`select from refunds where state = 'processed'`).length === 1)
  await until(async () => (await server.sql`select from deliveries where state in ('pending', 'sending')`).length === 0)
  // A receiver that repeats the request in its response. Events of refunds contain nothing about the customer.
  await server.sql`
    update delivery_attempts set response_snippet = ${`got ${email}`}, response_headers = ${`{"x-for":"${MARK}"}`}::text::json
    where delivery_id in (select d.id from deliveries d join events e on e.id = d.event_id where e.kind <> 'refund')`
  return id
}

test('after a customer was erased, no table contains what was sent about it, in any form', async () => {
  const { server, shop } = instance
  const { sql } = server
  const id = await plant()
  const before = (await findTablesWith(sql, [MARK])).map(found => found.split(':')[0])
  // All places that are known. Another one needs a statement in erase_customer() or erase_copies().
  const tables = ['customer_emails', 'customers', 'delivery_attempts', 'disputes', 'events', 'idempotency_keys']
  expect(before).toEqual([...tables, 'inbox_requests', 'payments'].map(table => `public.${table}`))

  const stream = await events(`${server.url}${shop.path}/stream?livemode=false`, {
    authorization: `Bearer ${shop.owner.bearer}`,
  })
  await ask('POST', `/customers/${id}/erase`, undefined, 'owner')
  await until(async () => (await sql`select from customers where state = 'erased'`).length === 1, { timeoutMs: 60_000 })
  expect(await findTablesWith(sql, [MARK])).toEqual([])

  const changes: unknown[] = []
  for (let next = await stream.next(); next; next = await stream.next()) {
    const change = next.data as { object: string; event: string | null }
    if (change.object === 'customer') changes.push(change)
    if (change.event === 'customer.erased') break
  }
  stream.leave()
  expect(changes).toEqual([
    { object: 'customer', id, status: 'erasing', event: null },
    { object: 'customer', id, status: 'erased', event: 'customer.erased' },
  ])

  // What was stored is what the API returns.
  const { data } = (await ask('GET', '/events?limit=100')) as unknown as { data: { type: string; data: object }[] }
  expect(JSON.stringify(data)).not.toContain(MARK)
  expect(data.map(({ type }) => type)).toContain('payment.succeeded')
  const bodies = await sql<{ body: string; object: string }[]>`
    select r.body, json_of(e.object)::text as object from inbox_requests r join events e on e.id::text = r.body::json->>'id'`
  expect(bodies.length).toBeGreaterThan(5)
  for (const { body, object } of bodies) expect(body).toEndWith(`"data":{"object":${object}}}`)
  expect(await audit(sql, kinds)).toEqual([])
}, 180_000)

test('of a finalized invoice only the party remains, until its time is over', async () => {
  const { sql } = instance.server
  const { id: customerId } = await ask('POST', '/customers', { email: `eve@${MARK}.example`, ...marked, address })
  const lines = [{ description: 'A gift', unitAmountMinor: 0 }]
  const { id } = await ask('POST', '/invoices', { customerId, currency: 'USD', lines, finalize: true })
  await ask('GET', `/invoices/${id}/document`)
  await ask('POST', `/invoices/${id}/rotate-url`, {})
  const draft = await ask('POST', `/invoices/${id}/duplicate`, {})
  await ask('DELETE', `/invoices/${draft.id}`)
  await ask('POST', `/customers/${customerId}/erase`, undefined, 'owner')
  await until(async () => (await sql`select from customers where state = 'erasing'`).length === 0, {
    timeoutMs: 60_000,
  })
  const places = (await findTablesWith(sql, [MARK])).map(found => found.split(':')[0])
  expect(places).toEqual(['public.invoices'])
  expect(await sql`select from invoice_documents`).toHaveLength(1)

  await sql`update invoices set retained_until = now() - interval '1 hour' where customer_erased`
  expect(await removeExpiredParties(sql)).toEqual({ invoices: 1, documents: 1 })
  expect(await findTablesWith(sql, [MARK])).toEqual([])
  expect(await sql`select from invoice_documents`).toHaveLength(0)
  expect(await audit(sql, kinds)).toEqual([])
}, 120_000)
