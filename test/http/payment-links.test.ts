import { describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { baseMainnet, baseSepolia } from '../../src/chain/known/base.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { paymentLinkRoutes } from '../../src/http/payment-links.ts'
import { encodeId } from '../../src/ids.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { insertKey } from '../access/keys.ts'
import { until } from '../harness/until.ts'
import { makeLink } from './links.ts'
import { expectNoCursors, expectPages, idsOf, refusedSearches, testRefusedQueries } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { member, shop } from './people.ts'
import { type Refused, refusedAmounts } from './refused.ts'
import { type Asked, twoShops } from './two-shops.ts'

const { server, lamps, key, liveKey, chairsKey, ask, page } = await twoShops({
  routes: paymentLinkRoutes,
  chains: outside => connectChains([sandboxChain(sandboxContracts), baseMainnet, baseSepolia], () => [], outside),
})

const paymentLink = type({
  '+': 'reject',
  object: "'payment_link'",
  id: '/^plink_[0-9a-z]{26}$/',
  merchantId: '/^mer_[0-9a-z]{26}$/',
  url: 'string.url',
  status: "'active' | 'deactivated' | 'completed' | 'expired'",
  amountMinor: 'number.integer',
  currency: 'string',
  title: 'string | null',
  description: 'string | null',
  reference: 'string | null',
  assets: type({ '+': 'reject', chainId: 'number.integer', asset: 'string' }).array().or('null'),
  maxPayments: 'number.integer | null',
  paymentsCount: 'number.integer',
  windowMinutes: 'number.integer',
  expiresAt: 'string | null',
  successUrl: 'string | null',
  metadata: { '[string]': 'string' },
  hidden: 'boolean',
  livemode: 'boolean',
  createdAt: 'string',
  updatedAt: 'string',
  deactivatedAt: 'string | null',
})

const ten = { amountMinor: 1000, currency: 'USD' }
const create = (json: object = {}, asked: Asked = {}) =>
  ask('POST', '/payment-links', { ...asked, json: { ...ten, ...json } })
const made = async (json: object = {}, asked: Asked = {}) => paymentLink.assert((await create(json, asked)).json)
const read = (id: string, asked: Asked = {}) => ask('GET', `/payment-links/${id}`, asked)
const deactivate = (id: string, asked: Asked = {}) => ask('POST', `/payment-links/${id}/deactivate`, asked)
const list = (query = '', asked?: Asked) => page<typeof paymentLink.infer>(`/payment-links${query}`, asked)
const soon = () => new Date(Date.now() + 86_400_000).toISOString()
const text = (length: number) => 'x'.repeat(length)
const pairs = (count: number, value = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]))

describe('POST /v1/payment-links', () => {
  test('201: a link with the given fields and defaults for the others', async () => {
    const link = await made()
    expect(link).toMatchObject({
      ...ten,
      merchantId: encodeId('mer', lamps.merchantId),
      url: `${server.api.settings.publicUrl}/pay/${link.id}`,
      status: 'active',
      title: null,
      assets: null,
      maxPayments: null,
      paymentsCount: 0,
      windowMinutes: 30,
      expiresAt: null,
      metadata: {},
      hidden: false,
      livemode: false,
      deactivatedAt: null,
    })
    expect(JSON.parse((await read(link.id)).text)).toEqual(link)
  })

  test('201: every field at its limit is returned as it was sent', async () => {
    const most = {
      amountMinor: Number.MAX_SAFE_INTEGER,
      currency: 'EUR',
      title: text(200),
      description: text(1000),
      reference: text(200),
      assets: [{ chainId: 31337, asset: 'TUSD' }],
      maxPayments: 1,
      windowMinutes: 7 * 24 * 60,
      expiresAt: soon(),
      successUrl: `https://lamps.example/${text(2048 - 22)}`,
      metadata: { ...pairs(19), [text(40)]: text(200), 'a "quoted" \\ key {}': '{1,2} (3) \'"\\ 💡 ﷽' },
    }
    const { [text(40)]: _, ...metadata } = most.metadata
    const link = await made({ ...most, metadata })
    expect(link).toMatchObject({ ...most, metadata })
    expect(JSON.parse((await read(link.id)).text)).toEqual(link)
  })

  test('201: the maximum number of characters, each of two UTF-16 units', async () => {
    const emoji = (count: number) => '😀'.repeat(count)
    const most = { title: emoji(200), description: emoji(1_000), reference: emoji(200) }
    const metadata = { [emoji(40)]: emoji(200) }
    const link = await made({ ...most, metadata })
    expect(link).toMatchObject({ ...most, metadata })
    expect((await list(`?reference=${encodeURIComponent(most.reference)}`)).data).toEqual([link])
  })

  test('201: every field at its minimum', async () => {
    const least = { amountMinor: 1, title: 'x', description: 'x', maxPayments: 1, windowMinutes: 5, metadata: {} }
    expect(await made(least)).toMatchObject(least)
  })

  test('201: null means not given', async () => {
    const nothing = {
      title: null,
      description: null,
      reference: null,
      assets: null,
      maxPayments: null,
      expiresAt: null,
    }
    expect(await made({ ...nothing, successUrl: null })).toMatchObject(nothing)
  })

  test('201: a live key creates a live link', async () => {
    expect((await made({}, { bearer: liveKey })).livemode).toBe(true)
  })

  test.each<Refused>([
    ['no amount', { amountMinor: undefined }, 'parameter_missing', 'amountMinor'],
    ['no currency', { currency: undefined }, 'parameter_missing', 'currency'],
    ...refusedAmounts,
    ['a currency in lower case', { currency: 'usd' }, 'parameter_invalid', 'currency'],
    ['a long currency', { currency: 'USDT' }, 'parameter_invalid', 'currency'],
    ['a currency followed by a line break', { currency: 'USD\n' }, 'parameter_invalid', 'currency'],
    ['an empty title', { title: '' }, 'parameter_invalid', 'title'],
    ['a long title', { title: text(201) }, 'parameter_invalid', 'title'],
    ['a long title of emoji', { title: '😀'.repeat(201) }, 'parameter_invalid', 'title'],
    ['a name with a NUL', { metadata: { 'a\0': 'v' } }, 'parameter_invalid', 'metadata'],
    ['a name with half a surrogate', { metadata: { 'a\ud800': 'v' } }, 'parameter_invalid', 'metadata'],
    ['a name of __proto__', { metadata: JSON.parse('{"__proto__":"v"}') }, 'parameter_invalid', 'metadata'],
    ['a long name of emoji', { metadata: { ['😀'.repeat(41)]: 'v' } }, 'parameter_invalid', 'metadata'],
    ['a long text of emoji', { metadata: { k: '😀'.repeat(201) } }, 'parameter_invalid', 'metadata.k'],
    ['a title with a NUL', { title: 'a\0' }, 'parameter_invalid', 'title'],
    ['a long description', { description: text(1001) }, 'parameter_invalid', 'description'],
    ['an empty reference', { reference: '' }, 'parameter_invalid', 'reference'],
    ['a long reference', { reference: text(201) }, 'parameter_invalid', 'reference'],
    ['a reference that is a number', { reference: 7 }, 'parameter_invalid', 'reference'],
    ['no assets at all', { assets: [] }, 'parameter_invalid', 'assets'],
    ['an asset without a chain', { assets: [{ asset: 'TUSD' }] }, 'parameter_missing', 'assets.0.chainId'],
    ['a chain as text', { assets: [{ chainId: '1', asset: 'TUSD' }] }, 'parameter_invalid', 'assets.0.chainId'],
    [
      'an asset with another field',
      { assets: [{ chainId: 1, asset: 'X', to: 1 }] },
      'parameter_unknown',
      'assets.0.to',
    ],
    ['0 payments', { maxPayments: 0 }, 'parameter_invalid', 'maxPayments'],
    ['2^31 payments', { maxPayments: 2 ** 31 }, 'parameter_invalid', 'maxPayments'],
    ['a window of 4 minutes', { windowMinutes: 4 }, 'parameter_invalid', 'windowMinutes'],
    ['a window over 7 days', { windowMinutes: 10_081 }, 'parameter_invalid', 'windowMinutes'],
    ['a window of null', { windowMinutes: null }, 'parameter_invalid', 'windowMinutes'],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00.000Z' }, 'parameter_invalid', 'expiresAt'],
    ['an expiry without a time zone', { expiresAt: '2099-01-01T00:00:00' }, 'parameter_invalid', 'expiresAt'],
    ['the 30th of February', { expiresAt: '2099-02-30T00:00:00Z' }, 'parameter_invalid', 'expiresAt'],
    ['an empty expiry', { expiresAt: '' }, 'parameter_invalid', 'expiresAt'],
    ['an expiry in seconds', { expiresAt: 4_000_000_000 }, 'parameter_invalid', 'expiresAt'],
    ['a script as success URL', { successUrl: 'javascript:alert(1)' }, 'parameter_invalid', 'successUrl'],
    [
      'a success URL with a user name',
      { successUrl: 'https://anna@lamps.example/thanks' },
      'parameter_invalid',
      'successUrl',
    ],
    [
      'a success URL with a password',
      { successUrl: 'https://:secret@lamps.example' },
      'parameter_invalid',
      'successUrl',
    ],
    [
      'a success URL with an empty user name',
      { successUrl: 'https://@lamps.example' },
      'parameter_invalid',
      'successUrl',
    ],
    ['a file as success URL', { successUrl: 'file:///etc/passwd' }, 'parameter_invalid', 'successUrl'],
    ['a path as success URL', { successUrl: '/thanks' }, 'parameter_invalid', 'successUrl'],
    ['a success URL without a host', { successUrl: 'https://' }, 'parameter_invalid', 'successUrl'],
    ['a success URL with a line break', { successUrl: 'https://a.example/\nb' }, 'parameter_invalid', 'successUrl'],
    ['a long success URL', { successUrl: `https://a.example/${text(2048)}` }, 'parameter_invalid', 'successUrl'],
    ['metadata of null', { metadata: null }, 'parameter_invalid', 'metadata'],
    ['a list as metadata', { metadata: [] }, 'parameter_invalid', 'metadata'],
    ['a list of texts as metadata', { metadata: ['a'] }, 'parameter_invalid', 'metadata'],
    ['21 names', { metadata: pairs(21) }, 'parameter_invalid', 'metadata'],
    ['a name of 41 characters', { metadata: { [text(41)]: 'v' } }, 'parameter_invalid', 'metadata'],
    ['an empty name', { metadata: { '': 'v' } }, 'parameter_invalid', 'metadata'],
    ['a value of 201 characters', { metadata: { k: text(201) } }, 'parameter_invalid', 'metadata.k'],
    ['a value that is a number', { metadata: { k: 1 } }, 'parameter_invalid', 'metadata.k'],
    ['a value that is a record', { metadata: { k: {} } }, 'parameter_invalid', 'metadata.k'],
    ['more than 4 KiB', { metadata: pairs(20, text(200)) }, 'parameter_invalid', 'metadata'],
    ['a field of another kind of object', { livemode: true }, 'parameter_unknown', 'livemode'],
    ['a field of the response', { status: 'active' }, 'parameter_unknown', 'status'],
  ])('400: %s', async (_, json, code, param) => {
    const { status, error } = await create(json)
    expect({ status, ...error }).toMatchObject({ status: 400, code, param })
  })

  test.each(['1e309', '-1e309', '9007199254740993', '1e999999', '0.1e-400'])('400: an amount of %s', async amount => {
    const body = `{"amountMinor":${amount},"currency":"USD"}`
    const answer = await server.call('POST', '/v1/payment-links', {
      bearer: key,
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('"amountMinor"')])
  })

  test.each(['JPY', 'GBP', 'XXX', 'BTC'])('422: %s is a currency that is not supported', async currency => {
    expect(await create({ currency })).toMatchObject({
      ...{ status: 422, error: { code: 'unsupported_currency', param: 'currency' } },
    })
  })

  test.each([
    ['a chain that is not enabled', false, { chainId: 1, asset: 'USDC' }, 'chainId'],
    ['a chain of the other mode', false, { chainId: baseMainnet.id, asset: 'USDC' }, 'chainId'],
    ['the sandbox in live mode', true, { chainId: 31337, asset: 'TUSD' }, 'chainId'],
    ['an asset that its chain does not have', false, { chainId: 31337, asset: 'USDC' }, 'asset'],
    ['another spelling', false, { chainId: 31337, asset: 'tusd' }, 'asset'],
  ] as const)('422: no customer could pay with %s', async (_, livemode, asset, field) => {
    const bearer = livemode ? liveKey : key
    const own = livemode ? { chainId: baseMainnet.id, asset: 'ETH' } : { chainId: 31337, asset: 'ETH' }
    expect(await create({ assets: [own, asset] }, { bearer })).toMatchObject({
      ...{ status: 422, error: { code: 'unsupported_asset', param: `assets.1.${field}` } },
    })
    expect((await create({ assets: [own] }, { bearer })).status).toBe(201)
  })

  test('422: no customer could pay with an asset without a price in the currency', async () => {
    const assets = [{ chainId: baseSepolia.id, asset: 'USDC' }]
    expect(await create({ currency: 'EUR', assets })).toMatchObject({
      ...{ status: 422, error: { code: 'unsupported_asset', param: 'assets.0.asset' } },
    })
    expect((await create({ currency: 'USD', assets })).status).toBe(201)
  })

  test('409: a used reference, with the link that has it', async () => {
    const { id } = await made({ reference: 'order 1' })
    expect(await create({ reference: 'order 1', amountMinor: 5 })).toMatchObject({
      ...{ status: 409, error: { code: 'duplicate_reference', param: 'reference', details: { paymentLinkId: id } } },
    })
    expect((await deactivate(id)).status).toBe(200)
    expect((await create({ reference: 'order 1' })).status).toBe(409)
    // Other merchants and the other mode can use it.
    expect((await create({ reference: 'order 1' }, { bearer: chairsKey })).status).toBe(201)
    expect((await create({ reference: 'order 1' }, { bearer: liveKey })).status).toBe(201)
  })

  test('409: of thirty simultaneous requests with one reference one succeeds and the others name its link', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => create({ reference: 'order 30' })))
    const [first, ...more] = answers.filter(({ status }) => status === 201)
    expect(more).toEqual([])
    const { id } = paymentLink.assert(first?.json)
    const others = answers.filter(({ status }) => status === 409)
    expect(others.map(({ error }) => error?.details)).toEqual(Array(29).fill({ paymentLinkId: id }))
  })
})

describe('GET /v1/payment-links/:id', () => {
  test('200 for the owner of the key, 404 with the same text for all others', async () => {
    const { id } = await made()
    const { id: live } = await made({}, { bearer: liveKey })
    const { id: foreign } = await made({}, { bearer: chairsKey })
    expect((await read(id)).status).toBe(200)
    await expectMissing(read, [live, foreign, ...namesNothing(id)])
  })
})

describe('POST /v1/payment-links/:id/deactivate', () => {
  test('200: the link is closed, and repeated requests return the same record', async () => {
    const { id, createdAt } = await made()
    const closed = await deactivate(id)
    const link = paymentLink.assert(closed.json)
    expect(link).toMatchObject({ status: 'deactivated', createdAt, updatedAt: link.deactivatedAt ?? '' })
    const again = await Promise.all(Array.from({ length: 10 }, () => deactivate(id)))
    for (const { status, text } of [...again, await read(id)]) expect([status, JSON.parse(text)]).toEqual([200, link])
    expect(
      await server.sql`select event, cause from transitions where event = 'deactivate' and json_of(context)->>'deactivatedAt' = ${link.deactivatedAt}`,
    ).toHaveLength(1)
  })

  test('409: a link that has ended', async () => {
    const { id, link } = await makeLink(
      server.api,
      { ...lamps, livemode: false },
      { expiresAt: new Date(Date.now() + 60_000) },
    )
    const [timer] = await server.sql<{ name: string; generation: number }[]>`
      select name, generation from timers where actor = ${link.id}`
    if (!timer) throw new Error('the link has no expiry')
    expect(await server.api.actors.dispatch({ kind: 'payment_link', actor: link.id, timer })).toMatchObject({
      ok: true,
    })
    expect(await deactivate(id)).toMatchObject({ status: 409, error: { code: 'payment_link_not_active' } })
    expect(JSON.parse((await read(id)).text)).toMatchObject({ status: 'expired', deactivatedAt: null })
  })

  test('400: with a field; 404: an unknown link', async () => {
    const { id } = await made()
    expect(await deactivate(id, { json: { reason: 'x' } })).toMatchObject({
      ...{ status: 400, error: { code: 'parameter_unknown', param: 'reason' } },
    })
    expect(await deactivate(id, { bearer: chairsKey })).toMatchObject({ status: 404 })
    expect(await deactivate(id, { bearer: liveKey })).toMatchObject({ status: 404 })
    expect(JSON.parse((await read(id)).text)).toMatchObject({ status: 'active' })
  })
})

describe('GET /v1/payment-links', () => {
  test('200: newest first by pages, oldest first, by state and by reference, and separated by mode', async () => {
    const here = await shop(server.api, 'Rugs')
    const bearer = (await insertKey(server.sql, here)).secret
    const ids: string[] = []
    for (const n of [1, 2, 3, 4, 5]) ids.push((await made({ reference: `rug ${n}` }, { bearer })).id)
    await deactivate(ids[1] ?? '', { bearer })
    await expectPages(query => list(query, { bearer }), ids)
    for (const link of (await list('', { bearer })).data) paymentLink.assert(link)
    expect(idsOf(await list('?status=deactivated', { bearer }))).toEqual([ids[1] ?? ''])
    expect(idsOf(await list('?status=active&limit=1', { bearer }))).toEqual(ids.slice(-1))
    expect(idsOf(await list('?reference=rug%203', { bearer }))).toEqual([ids[2] ?? ''])
    expect((await list('?reference=rug%209', { bearer })).data).toEqual([])
    const live = (await insertKey(server.sql, { ...here, livemode: true })).secret
    expect((await list('', { bearer: live })).data).toEqual([])
  })

  test('200: a new link is listed immediately for the caller that created it', async () => {
    for (let n = 0; n < 20; n++) {
      const { id } = await made()
      expect(idsOf(await list('?limit=1'))).toEqual([id])
    }
  })

  test('200: paging while twenty clients write lists every link once, in one order', async () => {
    const here = await shop(server.api, 'Beds')
    const bearer = (await insertKey(server.sql, here)).secret
    let writing = true
    const writer = async () => {
      const ids: string[] = []
      for (let n = 0; n < 5; n++) ids.push((await made({}, { bearer })).id)
      return ids
    }
    const written = Promise.all(Array.from({ length: 20 }, writer)).finally(() => {
      writing = false
    })
    const seen: string[] = []
    const step = async () => {
      const after = seen.length > 0 ? `&startingAfter=${seen.at(-1)}` : ''
      const page = idsOf(await list(`?order=asc&limit=7${after}`, { bearer }))
      seen.push(...page)
      return page.length
    }
    while (writing) await step()
    const ids = (await written).flat()
    await until(async () => (await step()) === 0 && seen.length >= ids.length)
    expect(seen.toSorted()).toEqual(ids.toSorted())
    expect(idsOf(await list('?limit=100', { bearer }))).toEqual(seen.toReversed())
  })

  testRefusedQueries(list, [
    ['status=open', 'parameter_invalid', 'status'],
    ...refusedSearches,
    ['reference=', 'parameter_invalid', 'reference'],
    ['startingAfter=plink_1', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=plink_01m7ygh5qmfvg9bxgmmwc0qqnf', 'invalid_cursor', 'startingAfter'],
  ])

  test('400: a cursor of another merchant or of the other mode', async () => {
    const { id: foreign } = await made({}, { bearer: chairsKey })
    const { id: live } = await made({}, { bearer: liveKey })
    await expectNoCursors(list, [foreign, live])
  })
})

describe('/v1/merchants/:merchantId/payment-links', () => {
  test('members create links in both modes, find them by id and close them; viewers read', async () => {
    const { path, owner } = lamps
    const developer = await member(server.api, lamps, 'developer')
    const viewer = await member(server.api, lamps, 'viewer')
    const as = ({ bearer }: { bearer: string }): Asked => ({ path, bearer })
    const reference = 'by hand'
    const atTest = await made({ reference }, as(owner))
    const live = paymentLink.assert(
      (await ask('POST', '/payment-links?livemode=true', { ...as(developer), json: { ...ten, reference } })).json,
    )
    expect([atTest.livemode, live.livemode]).toEqual([false, true])
    expect(JSON.parse((await read(atTest.id)).text)).toEqual(atTest)
    for (const { id } of [atTest, live]) {
      expect((await read(id, as(viewer))).status).toBe(200)
      expect(await deactivate(id, as(viewer))).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
      expect((await deactivate(id, as(developer))).status).toBe(200)
    }
    expect(await create({}, as(viewer))).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    expect(idsOf(await list(`?reference=${reference}`, as(viewer)))).toEqual([atTest.id])
    expect(idsOf(await list(`?reference=${reference}&livemode=true`, as(viewer)))).toEqual([live.id])
    expect(await read((await made({}, { bearer: chairsKey })).id, as(owner))).toMatchObject({ status: 404 })
    const causes = await server.sql<{ cause: string }[]>`
      select split_part(cause, ' ', 1) as cause from transitions t join payment_links l on l.id = t.actor where l.reference = ${reference} order by l.livemode, t.rev`
    expect(causes.map(({ cause }) => cause)).toEqual([owner.id, developer.id, developer.id, developer.id])
  })
})
