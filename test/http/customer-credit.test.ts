import { describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { encodeId } from '../../src/ids.ts'
import { makeCustomer } from './customers.ts'
import { expectNoCursors, expectPages, testRefusedQueries } from './lists.ts'
import { member } from './people.ts'
import { newKey, twoShops } from './two-shops.ts'

const { server, lamps, chairs, ask, page } = await twoShops({ routes: [...customerRoutes, ...customerCreditRoutes] })

const entry = type({
  '+': 'reject',
  object: "'credit_entry'",
  id: '/^ce_[0-9a-z]{26}$/',
  customerId: '/^cus_[0-9a-z]{26}$/',
  currency: 'string',
  type: "'overpayment' | 'credit_note' | 'applied' | 'released' | 'refunded' | 'adjustment'",
  amountMinor: 'number.integer',
  balanceMinor: 'number.integer',
  invoiceId: 'string | null',
  paymentId: 'string | null',
  creditNoteId: 'string | null',
  note: 'string | null',
  createdAt: 'string',
})
type Entry = typeof entry.infer

const owner = { bearer: lamps.owner.bearer, path: lamps.path }
const newCustomer = async () => (await makeCustomer(server.api, { merchantId: lamps.merchantId, livemode: false })).id

const unused = await newCustomer()

const adjust = (id: string, amountMinor: number, currency = 'EUR') =>
  ask('POST', `/customers/${id}/credit`, { json: { currency, amountMinor, note: 'Goodwill' }, ...owner })
const ledger = (id: string, query = '') => page<Entry>(`/customers/${id}/credit${query}`)
const merge = (id: string, intoId: string) => ask('POST', `/customers/${id}/merge`, { json: { intoId }, ...owner })
const read = async (id: string) => (await ask('GET', `/customers/${id}`)).json as Record<string, unknown>
const creditOf = async (id: string) =>
  ((await read(id)).totals as { currency: string; creditMinor: number }[]).map(each => [
    each.currency,
    each.creditMinor,
  ])

describe('POST /v1/merchants/:merchantId/customers/:id/credit', () => {
  test('201: entries add up to the balance of their currency', async () => {
    const id = await newCustomer()
    const { status, json } = await adjust(id, 1_500)
    expect(status).toBe(201)
    expect(entry.assert(json)).toMatchObject({
      customerId: id,
      type: 'adjustment',
      amountMinor: 1_500,
      balanceMinor: 1_500,
    })
    expect((await adjust(id, -500)).json).toMatchObject({ amountMinor: -500, balanceMinor: 1_000, note: 'Goodwill' })
    expect((await adjust(id, 70, 'USD')).json).toMatchObject({ currency: 'USD', balanceMinor: 70 })
    expect(await creditOf(id)).toEqual([
      ['EUR', 1_000],
      ['USD', 70],
    ])
  })

  test('422: the balance is never negative, and a refused entry is not written', async () => {
    const id = await newCustomer()
    await adjust(id, 100)
    for (const [amount, currency] of [
      [-101, 'EUR'],
      [-1, 'USD'],
    ] as const)
      expect(await adjust(id, amount, currency)).toMatchObject({
        status: 422,
        error: { code: 'credit_exceeds_balance' },
      })
    expect((await ledger(id)).data.map(({ amountMinor }) => amountMinor)).toEqual([100])
    expect(await creditOf(id)).toEqual([['EUR', 100]])
  })

  test('of many requests that spend the same credit, as many succeed as it covers', async () => {
    const id = await newCustomer()
    await adjust(id, 1_000)
    const answers = await Promise.all(Array.from({ length: 25 }, () => adjust(id, -100)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array<number>(10).fill(201), ...Array<number>(15).fill(422)])
    const { data } = await ledger(id, '?limit=100')
    expect(data.map(({ balanceMinor }) => balanceMinor)).toEqual(Array.from({ length: 11 }, (_, at) => at * 100))
    expect(await creditOf(id)).toEqual([['EUR', 0]])
  })

  test('entries never change, not even by a statement of an operator', async () => {
    const id = await newCustomer()
    await adjust(id, 100)
    for (const attempt of [
      () => server.sql`update credit_entries set note = 'x'`.execute(),
      () => server.sql`delete from credit_entries`.execute(),
    ])
      expect(await attempt().then(String, String)).toContain('entries of the credit ledger never change')
  })

  test('the same Idempotency-Key adds an entry once, however often and concurrently it is sent', async () => {
    const id = await newCustomer()
    const headers = newKey()
    const json = { currency: 'EUR', amountMinor: 1_500, note: 'Goodwill' }
    const send = (more: object = {}) => ask('POST', `/customers/${id}/credit`, { json, headers, ...owner, ...more })
    const answers = await Promise.all(Array.from({ length: 6 }, () => send()))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(6).fill(201))
    await adjust(id, 70)
    const again = await send()
    expect(new Set([...answers, again].map(({ text }) => text))).toEqual(new Set([again.text]))
    expect(entry.assert(again.json)).toMatchObject({ customerId: id, amountMinor: 1_500, balanceMinor: 1_500 })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
    expect(await creditOf(id)).toEqual([['EUR', 1_570]])

    const other = await newCustomer()
    for (const changed of [
      send({ json: { ...json, amountMinor: 1_501 } }),
      ask('POST', `/customers/${other}/credit`, { json, headers, ...owner }),
    ])
      expect(await changed).toMatchObject({ status: 422, error: { code: 'idempotency_key_reused' } })
    expect(await send({ headers: { 'idempotency-key': 'ä' } })).toMatchObject({
      status: 400,
      error: { code: 'idempotency_key_invalid' },
    })
  })

  test('a refusal leaves the Idempotency-Key free, and a merge does not change the stored response', async () => {
    const [id, survivor] = [await newCustomer(), await newCustomer()]
    const headers = newKey()
    const take = { currency: 'EUR', amountMinor: -100, note: 'Goodwill' }
    const send = () => ask('POST', `/customers/${id}/credit`, { json: take, headers, ...owner })
    expect((await send()).status).toBe(422)
    await adjust(id, 100)
    const taken = await send()
    expect(taken.json).toMatchObject({ amountMinor: -100, balanceMinor: 0 })
    await merge(id, survivor)
    expect((await send()).text).toBe(taken.text)
  })

  test('refuses other roles, other currencies, and amounts that are not whole', async () => {
    const id = await newCustomer()
    const json = { currency: 'EUR', amountMinor: 100, note: 'Goodwill' }
    const asked = (more: object, as: object = owner) =>
      ask('POST', `/customers/${id}/credit`, { json: { ...json, ...more }, ...as })
    const { bearer } = await member(server.api, lamps, 'developer')
    expect(await asked({}, { ...owner, bearer })).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    expect(await asked({ currency: 'CHF' })).toMatchObject({ status: 422, error: { code: 'unsupported_currency' } })
    for (const amountMinor of [0, 1.5, 2 ** 53, '100', null])
      expect(await asked({ amountMinor })).toMatchObject({ status: 400, error: { param: 'amountMinor' } })
    expect(await asked({ note: '' })).toMatchObject({ status: 400, error: { param: 'note' } })
  })
})

describe('GET /v1/customers/:id/credit', () => {
  test('200: the ledger is listed in pages', async () => {
    const id = await newCustomer()
    const ids: string[] = []
    for (let at = 1; at <= 5; at++) ids.push(((await adjust(id, at)).json as Entry).id)
    await expectPages(query => ledger(id, query), ids)
  })

  testRefusedQueries(query => ask('GET', `/customers/${unused}/credit${query}`), [])

  test('400: an entry of another customer is no cursor', async () => {
    const other = ((await adjust(await newCustomer(), 1)).json as Entry).id
    await expectNoCursors(query => ask('GET', `/customers/${unused}/credit${query}`), [other])
  })
})

describe('POST /v1/merchants/:merchantId/customers/:id/merge', () => {
  test('200: e-mail addresses and credit of the first customer are those of the other one, whose fields stay', async () => {
    const [first, second] = [await newCustomer(), await newCustomer()]
    const [ada, bob] = [await read(first), await read(second)]
    await adjust(first, 1_000)
    await adjust(second, 500)
    await adjust(second, 70, 'USD')
    const { status, json } = await merge(first, second)
    expect(status).toBe(200)
    expect(json).toMatchObject({ id: second, email: bob.email, aliases: [ada.email] })
    expect(await creditOf(second)).toEqual([
      ['EUR', 1_500],
      ['USD', 70],
    ])
    expect((await ledger(second)).data[0]).toMatchObject({
      type: 'adjustment',
      amountMinor: 1_000,
      balanceMinor: 1_500,
    })
    expect((await ledger(first)).data.map(({ balanceMinor }) => balanceMinor)).toEqual([0, 1_000])
    expect(await read(first)).toMatchObject({ id: first, mergedIntoId: second, totals: [], aliases: [] })
    const found = await page<{ id: string }>(`/customers?email=${encodeURIComponent(String(ada.email))}`)
    expect(found.data.map(({ id }) => id)).toEqual([second])
    const all = await page<{ id: string }>('/customers?limit=100')
    expect(all.data.filter(({ id }) => id === first)).toEqual([])
  })

  test('repeating it is 200, also after the other one was merged again', async () => {
    const [a, b, c] = [await newCustomer(), await newCustomer(), await newCustomer()]
    await adjust(a, 100)
    await merge(a, b)
    expect(await merge(a, b)).toMatchObject({ status: 200, json: { id: b } })
    await merge(b, c)
    expect(await merge(a, b)).toMatchObject({ status: 200, json: { id: c } })
    expect(await read(a)).toMatchObject({ mergedIntoId: c })
    expect(await creditOf(c)).toEqual([['EUR', 100]])
    const [created, merged] = await server.sql`
      select type, json_of(object)->>'mergedIntoId' as into from events where json_of(object)->>'id' = ${a} order by seq`
    expect([created, merged]).toMatchObject([
      { type: 'customer.created', into: null },
      { type: 'customer.merged', into: b },
    ])
  })

  test('409: with itself, into a merged customer, and into another one after the first merge', async () => {
    const [a, b, c] = [await newCustomer(), await newCustomer(), await newCustomer()]
    const conflict = { status: 409, error: { code: 'state_conflict' } }
    expect(await merge(a, a)).toMatchObject(conflict)
    await merge(a, b)
    expect(await merge(c, a)).toMatchObject(conflict)
    expect(await merge(a, c)).toMatchObject({ ...conflict, error: { details: { status: 'merged', possible: [] } } })
    expect(await ask('PATCH', `/customers/${a}`, { json: { name: 'Ada' } })).toMatchObject(conflict)
    expect(await read(c)).toMatchObject({ mergedIntoId: null, aliases: [] })
  })

  test('404: into a customer of another merchant or mode, or one that does not exist', async () => {
    const a = await newCustomer()
    const foreign = await makeCustomer(server.api, { merchantId: chairs.merchantId, livemode: false })
    const live = await makeCustomer(server.api, { merchantId: lamps.merchantId, livemode: true })
    for (const intoId of [foreign.id, live.id, encodeId('cus', crypto.randomUUID())])
      expect(await merge(a, intoId)).toMatchObject({
        status: 404,
        error: { code: 'resource_not_found', param: 'intoId' },
      })
  })

  test('403: only owners merge', async () => {
    const [a, b] = [await newCustomer(), await newCustomer()]
    const { bearer } = await member(server.api, lamps, 'developer')
    const json = { intoId: b }
    expect(await ask('POST', `/customers/${a}/merge`, { json, ...owner, bearer })).toMatchObject({ status: 403 })
  })

  test('of two merges in opposite directions at the same time, one is carried out', async () => {
    const [a, b] = [await newCustomer(), await newCustomer()]
    const statuses = (await Promise.all([merge(a, b), merge(b, a)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409])
  })

  test('an e-mail address that the customer gets while it is merged is one of the other customer', async () => {
    for (let round = 0; round < 60; round++) {
      const [a, b] = [await newCustomer(), await newCustomer()]
      const email = `${crypto.randomUUID()}@example.com`
      const [, changed] = await Promise.all([merge(a, b), ask('PATCH', `/customers/${a}`, { json: { email } })])
      expect([200, 409]).toContain(changed.status)
      const { data } = await page<{ id: string }>(`/customers?email=${encodeURIComponent(email)}`)
      expect(data.map(({ id }) => id)).toEqual(changed.status === 200 ? [b] : [])
    }
  })

  test('credit that is given while its customer is merged is not lost', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await newCustomer(), await newCustomer()]
      await adjust(a, 100)
      const [, ...given] = await Promise.all([merge(a, b), adjust(a, 10), adjust(b, 1), adjust(a, 20)])
      for (const { status } of given) expect([201, 409]).toContain(status)
      const expected = given.reduce(
        (sum, { status, json }) => (status === 201 ? sum + (json as Entry).amountMinor : sum),
        100,
      )
      expect(await creditOf(b)).toEqual([['EUR', expected]])
      expect(await creditOf(a)).toEqual([])
    }
  })
})
