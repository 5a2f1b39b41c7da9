import { describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import { customerRoutes } from '../../src/http/customers.ts'
import { eventRoutes } from '../../src/http/events.ts'
import { encodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { makeCustomer } from './customers.ts'
import { expectNoCursors, expectPages, idsOf, testRefusedQueries } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { member, shop } from './people.ts'
import { type Asked, newKey, twoShops } from './two-shops.ts'

const { server, lamps, chairs, liveKey, chairsKey, ask, page } = await twoShops({
  routes: [...customerRoutes, ...eventRoutes],
})

const customer = type({
  '+': 'reject',
  object: "'customer'",
  id: '/^cus_[0-9a-z]{26}$/',
  merchantId: '/^mer_[0-9a-z]{26}$/',
  email: 'string',
  aliases: 'string[]',
  name: 'string | null',
  company: 'string | null',
  taxId: 'string | null',
  address: type({
    '+': 'reject',
    line1: 'string',
    line2: 'string | null',
    city: 'string',
    postalCode: 'string',
    state: 'string | null',
    country: 'string',
  }).or('null'),
  locale: 'string | null',
  reference: 'string | null',
  source: "'merchant' | 'checkout'",
  totals: type({
    '+': 'reject',
    currency: 'string',
    paymentsCount: 'number.integer',
    volumeMinor: 'number.integer',
    refundedMinor: 'number.integer',
    openMinor: 'number.integer',
    overdueMinor: 'number.integer',
    creditMinor: 'number.integer',
    firstPaymentAt: 'string | null',
    lastPaymentAt: 'string | null',
  }).array(),
  mergedIntoId: 'string | null',
  erasedAt: 'string | null',
  testClockId: 'string | null',
  metadata: { '[string]': 'string' },
  livemode: 'boolean',
  createdAt: 'string',
  updatedAt: 'string',
})
type Customer = typeof customer.infer

const newEmail = () => `${crypto.randomUUID()}@example.com`

const create = async (json: object = {}, asked?: Asked): Promise<Customer> => {
  const answer = await ask('POST', '/customers', { json: { email: newEmail(), ...json }, ...asked })
  expect([answer.status, answer.error]).toEqual([201, undefined])
  return customer.assert(answer.json)
}
const change = (id: string, json: object, asked?: Asked) => ask('PATCH', `/customers/${id}`, { json, ...asked })
const read = (id: string, asked?: Asked) => ask('GET', `/customers/${id}`, asked)
const list = (query: string, asked?: Asked) => page<Customer>(`/customers${query}`, asked)

const everything = {
  name: 'Ada Lovelace',
  company: 'Engines Ltd',
  taxId: 'GB999999973',
  address: { line1: '12 Byron Street', city: 'London', postalCode: 'N1 7AA', country: 'GB' },
  locale: 'en-GB',
  reference: 'account 7',
  metadata: { tier: 'gold' },
}

/** A merchant of its own, since lists contain everything of a merchant. */
const newShop = async (name: string) => {
  const here = await shop(server.api, name)
  return { here, bearer: (await insertKey(server.sql, here)).secret }
}

describe('POST /v1/customers', () => {
  test('201: a customer has what was sent, and null for the rest', async () => {
    const full = await create({ ...everything, email: ' Ada@Example.com ' })
    expect(full).toMatchObject({
      ...everything,
      ...{ email: 'Ada@Example.com', address: { ...everything.address, line2: null, state: null } },
      ...{ source: 'merchant', aliases: [], totals: [], mergedIntoId: null, livemode: false },
      merchantId: encodeId('mer', lamps.merchantId),
    })
    expect((await read(full.id)).json).toEqual(full)
    const { name, company, taxId, address, locale, reference, metadata } = await create()
    expect([name, company, taxId, address, locale, reference, metadata]).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
      {},
    ])
  })

  test('409: an e-mail address has one customer per merchant and mode, however it is written', async () => {
    const { id } = await create({ email: 'zoé@bücher.example' })
    for (const email of ['zoé@bücher.example', ' ZOÉ@Bücher.Example ', 'zoe\u0301@xn--bcher-kva.example'])
      expect([email, await ask('POST', '/customers', { json: { email } })]).toMatchObject([
        email,
        { status: 409, error: { code: 'duplicate_customer', param: 'email', details: { customerId: id } } },
      ])
    await create({ email: 'zoé@bücher.example' }, { bearer: liveKey })
    await create({ email: 'zoé@bücher.example' }, { bearer: chairsKey })
    await create({ email: 'zoe@bücher.example' })
  })

  test('409: a reference has one customer per merchant and mode', async () => {
    const { id } = await create({ reference: 'account 8' })
    const refused = {
      status: 409,
      error: { code: 'duplicate_reference', param: 'reference', details: { customerId: id } },
    }
    expect(await ask('POST', '/customers', { json: { email: newEmail(), reference: 'account 8' } })).toMatchObject(
      refused,
    )
    const other = await create()
    expect(await change(other.id, { reference: 'account 8' })).toMatchObject(refused)
    await create({ reference: 'account 8' }, { bearer: liveKey })
  })

  test('of many requests at the same time with one e-mail address, one creates the customer', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('POST', '/customers', { json: { email } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)])
    const [row] = await server.sql`select count(*)::int as many from customers where email = ${email}`
    expect(row).toEqual({ many: 1 })
  })

  test('a repeated request with its idempotency key returns the first answer', async () => {
    const asked = { json: { email: newEmail() }, headers: newKey() }
    const [first, again] = [await ask('POST', '/customers', asked), await ask('POST', '/customers', asked)]
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  const tooLong = 'x'.repeat(201)
  test.each<[object, string, string]>([
    [{}, 'parameter_missing', 'email'],
    [{ email: null }, 'parameter_invalid', 'email'],
    [{ email: 'ada' }, 'parameter_invalid', 'email'],
    [{ email: 'a b@example.com' }, 'parameter_invalid', 'email'],
    [{ email: `${'x'.repeat(243)}@example.com` }, 'parameter_invalid', 'email'],
    [{ email: 'a@b.example', name: '' }, 'parameter_invalid', 'name'],
    [{ email: 'a@b.example', name: tooLong }, 'parameter_invalid', 'name'],
    [{ email: 'a@b.example', company: tooLong }, 'parameter_invalid', 'company'],
    [{ email: 'a@b.example', taxId: tooLong }, 'parameter_invalid', 'taxId'],
    [{ email: 'a@b.example', reference: tooLong }, 'parameter_invalid', 'reference'],
    [{ email: 'a@b.example', locale: 'english please' }, 'parameter_invalid', 'locale'],
    [{ email: 'a@b.example', address: { line1: 'x' } }, 'parameter_missing', 'address.city'],
    [
      { email: 'a@b.example', address: { ...everything.address, country: 'uk' } },
      'parameter_invalid',
      'address.country',
    ],
    [{ email: 'a@b.example', address: { ...everything.address, zip: '1' } }, 'parameter_unknown', 'address.zip'],
    [{ email: 'a@b.example', metadata: { x: tooLong } }, 'parameter_invalid', 'metadata.x'],
    [{ email: 'a@b.example', source: 'checkout' }, 'parameter_unknown', 'source'],
  ])('400: %j', async (json, code, param) => {
    expect(await ask('POST', '/customers', { json })).toMatchObject({ status: 400, error: { code, param } })
  })

  test('404: a test clock that does not exist', async () => {
    const json = { email: newEmail(), testClockId: 'clk_1' }
    expect(await ask('POST', '/customers', { json })).toMatchObject({ status: 404, error: { param: 'testClockId' } })
  })

  test('403: a key needs billing:write, which includes billing:read', async () => {
    const keyWith = async (...scopes: string[]) => (await insertKey(server.sql, { ...lamps, scopes })).secret
    const [reader, writer, cashier] = await Promise.all([
      keyWith('billing:read'),
      keyWith('billing:write'),
      keyWith('payments:read', 'payment_links:write'),
    ])
    const { id } = await create({}, { bearer: writer })
    expect([(await read(id, { bearer: writer })).status, (await read(id, { bearer: reader })).status]).toEqual([
      200, 200,
    ])
    for (const refused of [
      await read(id, { bearer: cashier }),
      await change(id, {}, { bearer: reader }),
      await ask('POST', '/customers', { json: { email: newEmail() }, bearer: reader }),
    ])
      expect(refused).toMatchObject({ status: 403, error: { code: 'insufficient_scope' } })
  })
})

describe('PATCH /v1/customers/:id', () => {
  test('200: only the sent fields change, and null removes a value', async () => {
    const made = await create({ ...everything, reference: 'account 9' })
    const { json } = await change(made.id, { name: 'Ada King', company: null, metadata: { tier: 'silver' } })
    expect(json).toEqual({
      ...made,
      ...{ name: 'Ada King', company: null, metadata: { tier: 'silver' } },
      updatedAt: expect.any(String),
    })
    expect((await read(made.id)).json).toEqual(json)
  })

  test('a changed e-mail address turns the old one into an alias, by which the customer is found', async () => {
    const [first, second] = [newEmail(), newEmail()]
    const { id } = await create({ email: first })
    expect((await change(id, { email: second })).json).toMatchObject({ email: second, aliases: [first] })
    for (const email of [first, second, first.toUpperCase()])
      expect(idsOf(await list(`?email=${encodeURIComponent(email)}`))).toEqual([id])
    const taken = { status: 409, error: { code: 'duplicate_customer', details: { customerId: id } } }
    expect(await ask('POST', '/customers', { json: { email: first } })).toMatchObject(taken)
    const other = await create()
    expect(await change(other.id, { email: first })).toMatchObject(taken)
    expect((await change(id, { email: first })).json).toMatchObject({ email: first, aliases: [second] })
    const inCapitals = first.toUpperCase()
    expect((await change(id, { email: inCapitals })).json).toMatchObject({ email: inCapitals, aliases: [second] })
  })

  test('400: a customer keeps an e-mail address, and other fields are unknown', async () => {
    const { id } = await create()
    for (const [json, code, param] of [
      [{ email: null }, 'parameter_invalid', 'email'],
      [{ testClockId: null }, 'parameter_unknown', 'testClockId'],
      [{ name: 7 }, 'parameter_invalid', 'name'],
    ] as const)
      expect(await change(id, json)).toMatchObject({ status: 400, error: { code, param } })
  })
})

describe('GET /v1/customers', () => {
  test('200: customers are listed in pages', async () => {
    const { bearer } = await newShop('Rugs')
    const ids: string[] = []
    for (let at = 0; at < 5; at++) ids.push((await create({}, { bearer })).id)
    await expectPages(query => list(query, { bearer }), ids)
  })

  test('200: filters combine', async () => {
    const { bearer } = await newShop('Clocks')
    const asked = { bearer }
    const ada = await create({ email: 'ada@clocks.example', name: 'Ada', company: 'Engines', reference: 'a' }, asked)
    const bob = await create({ email: 'bob@clocks.example', name: 'bob', company: 'Engine oil', reference: 'b' }, asked)
    for (const [query, found] of [
      ['?q=AD', [ada]],
      ['?q=engine', [bob, ada]],
      ['?q=Engines', [ada]],
      ['?q=bob%40clocks', [bob]],
      ['?q=ngine', []],
      ['?q=%25', []],
      ['?reference=b', [bob]],
      ['?reference=b&q=bo', [bob]],
      ['?reference=b&q=ad', []],
      ['?email=ADA%40clocks.example', [ada]],
      ['?email=ada%40clocks.example&reference=b', []],
      ['?email=ada%40clocks.example&q=engines', [ada]],
      ['?email=ada%40clocks.example&q=oil', []],
      [`?q=engine&startingAfter=${bob.id}`, [ada]],
    ] as const)
      expect([query, idsOf(await list(query, asked))]).toEqual([query, found.map(({ id }) => id)])
    await change(bob.id, { email: 'robert@clocks.example' }, asked)
    expect(idsOf(await list('?q=bob%40', asked))).toEqual([bob.id])
    expect(idsOf(await list('?q=rob', asked))).toEqual([bob.id])
  })

  testRefusedQueries(
    query => ask('GET', `/customers${query}`),
    [
      ['q=', 'parameter_invalid', 'q'],
      ['email=', 'parameter_invalid', 'email'],
      ['reference=', 'parameter_invalid', 'reference'],
      ['status=active', 'parameter_unknown', 'status'],
    ],
  )

  test('400: a cursor of another merchant, another mode or another list', async () => {
    const foreign = await makeCustomer(server.api, { merchantId: chairs.merchantId, livemode: false })
    const live = await create({}, { bearer: liveKey })
    await expectNoCursors(query => list(query), [foreign.id, live.id, encodeId('pay', crypto.randomUUID())])
  })
})

describe('GET /v1/customers/:id', () => {
  test('404: a customer of another merchant or mode is missing, like an id that names nothing', async () => {
    const foreign = await makeCustomer(server.api, { merchantId: chairs.merchantId, livemode: false })
    const live = await create({}, { bearer: liveKey })
    await expectMissing(id => read(id), [foreign.id, live.id, ...namesNothing(live.id)])
  })

  test('members read as viewers and write as developers, in either mode', async () => {
    const asked = async (role: 'viewer' | 'developer') => ({
      bearer: (await member(server.api, lamps, role)).bearer,
      path: lamps.path,
    })
    const [viewer, developer] = [await asked('viewer'), await asked('developer')]
    const { json } = await ask('POST', '/customers?livemode=true', { json: { email: newEmail() }, ...developer })
    const made = customer.assert(json)
    expect(made.livemode).toBe(true)
    expect((await read(made.id, viewer)).json).toEqual(made)
    expect(await change(made.id, {}, viewer)).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    expect((await change(made.id, { name: 'Ada' }, developer)).json).toMatchObject({ name: 'Ada' })
    expect(idsOf(await list('?livemode=true', viewer))).toContain(made.id)
    expect(idsOf(await list('', viewer))).not.toContain(made.id)
  })
})

describe('events of customers', () => {
  type Event = { readonly id: string; readonly type: string; readonly data: { readonly object: Partial<Customer> } }
  const events = (query: string, asked?: Asked) => page<Event>(`/events${query}`, asked)

  test('are read by keys with billing:read; for others they are missing, and valid as cursors', async () => {
    const { here, bearer } = await newShop('Vases')
    const cashier = { bearer: (await insertKey(server.sql, { ...here, scopes: ['payments:read'] })).secret }
    const accountant = {
      bearer: (await insertKey(server.sql, { ...here, scopes: ['payments:read', 'billing:read'] })).secret,
    }
    const made = await create(everything, { bearer })
    const [created] = (await events('', accountant)).data
    const { aliases: _, totals: __, ...published } = made
    expect(created).toMatchObject({ type: 'customer.created', data: { object: published } })
    expect(Object.keys(created?.data.object ?? {}).sort()).toEqual(Object.keys(published).sort())
    const id = created?.id
    expect((await ask('GET', `/events/${id}`, accountant)).status).toBe(200)
    expect(await ask('GET', `/events/${id}`, cashier)).toMatchObject({
      status: 404,
      error: { code: 'resource_not_found' },
    })
    for (const query of ['', '?type=customer.created', `?objectId=${made.id}`])
      expect([query, (await events(query, cashier)).data, (await events(query, accountant)).data.length]).toEqual([
        query,
        [],
        1,
      ])
    const after = await events(`?order=asc&startingAfter=${id}`, cashier)
    expect([after.status, after.data]).toEqual([200, []])
  })
})
