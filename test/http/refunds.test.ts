import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type } from 'arktype'
import { audit } from '../../src/audit/audit.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiHouse, apiHouse } from '../harness/api.ts'
import { final, happen, openPayment, paid, seen, windowOver } from './paid.ts'
import { member, type Shop, shop } from './people.ts'

let to: ApiHouse
let lamps: Shop
let chairs: Shop
/** Of the lamps in test mode, in live mode, and of the chairs. */
let key: string
let liveKey: string
let chairsKey: string

beforeAll(async () => {
  to = await apiHouse({ routes: refundRoutes, env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' } })
  lamps = await shop(to.api)
  chairs = await shop(to.api, 'Chairs')
  key = (await insertKey(to.sql, lamps)).secret
  liveKey = (await insertKey(to.sql, { ...lamps, livemode: true })).secret
  chairsKey = (await insertKey(to.sql, chairs)).secret
})
afterAll(async () => {
  expect(await audit(to.sql, kinds)).toEqual([])
  await to[Symbol.asyncDispose]()
})

const refund = type({
  '+': 'reject',
  object: "'refund'",
  id: '/^re_[0-9a-z]{26}$/',
  paymentId: '/^pay_[0-9a-z]{26}$/',
  merchantId: '/^mer_[0-9a-z]{26}$/',
  amountMinor: 'number.integer',
  currency: "'USD'",
  status: "'requires_destination' | 'requires_signature' | 'processing' | 'processed' | 'failed' | 'canceled'",
  reason: 'string | null',
  failureReason: 'string | null',
  destination: '/^0x[0-9a-fA-F]{40}$/ | null',
  claimUrl: 'null',
  crypto: type({
    '+': 'reject',
    chainId: 'number.integer',
    asset: 'string',
    tokenAddress: 'string | null',
    amount: '/^\\d+$/',
    txHash: 'string | null',
    confirmations: 'number.integer',
  }),
  unsignedTransaction: 'null',
  metadata: { '[string]': 'string' },
  livemode: 'boolean',
  createdAt: 'string',
  updatedAt: 'string',
})

type Asked = {
  readonly json?: object
  readonly bearer?: string
  readonly path?: string
  readonly headers?: Record<string, string>
}

const ask = async (
  method: string,
  path: string,
  { json, bearer = key, path: at = '/v1', headers = {} }: Asked = {},
) => {
  const answer = await to.call(method, `${at}${path}`, { json, bearer, headers })
  const { error } = answer.json as { error?: { code: string; param?: string; details?: object } }
  return { status: answer.status, error, text: answer.text, json: answer.json, headers: answer.headers }
}

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })
const start = (paymentId: string, json: object = {}, asked: Asked = {}) =>
  ask('POST', `/payments/${paymentId}/refunds`, { headers: newKey(), ...asked, json })
const made = async (paymentId: string, json: object = {}, asked: Asked = {}) => {
  const answer = await start(paymentId, json, asked)
  expect(answer).toMatchObject({ status: 201, error: undefined })
  return refund.assert(answer.json)
}
const read = (id: string, asked: Asked = {}) => ask('GET', `/refunds/${id}`, asked)
const list = async (query = '', asked: Asked = {}) => {
  const { json, ...answer } = await ask('GET', `/refunds${query}`, asked)
  return { ...answer, ...(json as { data: (typeof refund.infer)[]; has_more: boolean }) }
}
const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id)
const ofLamps = () => ({ ...lamps, livemode: false })
const paidHere = async (received = 1000n, more = {}) => paid(to.api, ofLamps(), received, more)
const booksOf = async (id: string) => {
  const [row] = await to.sql`
    select refunds_reserved_minor::int as reserved, (select count(*)::int from refunds where payment_id = p.id) as refunds
    from payments p where id = ${id}`
  return row
}

const somebody = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

describe('POST /v1/payments/:id/refunds', () => {
  test('201: everything, and the customer says where to', async () => {
    const { id, wireId } = await paidHere()
    const whole = await made(wireId)
    expect(whole).toMatchObject({
      paymentId: wireId,
      merchantId: encodeId('mer', lamps.merchantId),
      amountMinor: 1000,
      status: 'requires_destination',
      reason: null,
      failureReason: null,
      destination: null,
      crypto: { chainId: 31337, asset: 'TUSD', amount: '1000', txHash: null, confirmations: 0 },
      metadata: {},
      livemode: false,
    })
    expect(await booksOf(id)).toEqual({ reserved: 1000, refunds: 1 })
    expect(JSON.parse((await read(whole.id)).text)).toEqual(whole)
  })

  test('201: a part, with all that can be said of it, waits for its signature', async () => {
    const { id, wireId } = await paidHere()
    const said = { amountMinor: 300, reason: 'late_payment', destination: somebody, metadata: { order: '7' } }
    const part = await made(wireId, said)
    expect(part).toMatchObject({ ...said, status: 'requires_signature', crypto: { amount: '300' } })
    expect(JSON.parse((await read(part.id)).text)).toEqual(part)
    expect(await booksOf(id)).toEqual({ reserved: 300, refunds: 1 })
    // What is left, and then nothing is.
    expect(await made(wireId)).toMatchObject({ amountMinor: 700 })
    const steps = await to.sql`
      select kind, event, cause from transitions where actor in (${id}, ${decodeId('re', part.id) ?? ''})
        and context->>'refundsReservedMinor' = '300' or actor = ${decodeId('re', part.id) ?? ''}
      order by kind, rev`
    expect(steps.map(({ kind, event }) => `${kind} ${event}`)).toEqual([
      'payment reserve_refund',
      'refund create',
      'refund destination_named',
    ])
    const [{ id: keyId } = { id: '' }] = await to.sql<{ id: string }[]>`
      select id from api_keys where merchant_id = ${lamps.merchantId} and not livemode`
    expect(new Set(steps.map(({ cause }) => cause))).toEqual(new Set([encodeId('key', keyId)]))
  })

  test('201: null is the same as nothing, but for the amount', async () => {
    const { wireId } = await paidHere()
    expect(await made(wireId, { amountMinor: 1, reason: null, destination: null })).toMatchObject({
      ...{ reason: null, destination: null, status: 'requires_destination' },
    })
  })

  test('201: an address in small letters comes back with its checksum', async () => {
    const { wireId } = await paidHere()
    expect(await made(wireId, { destination: somebody.toLowerCase() })).toMatchObject({ destination: somebody })
  })

  test('201: on the chain it is at the own quote of the payment, and all parts together are no more than came', async () => {
    const { wireId } = await paidHere(400_000_000_000_000_003n, {
      pick: { amountExpected: 400_000_000_000_000_003n, decimals: 18 },
    })
    const parts = [
      await made(wireId, { amountMinor: 333 }),
      await made(wireId, { amountMinor: 334 }),
      await made(wireId),
    ]
    expect(parts.map(({ crypto }) => crypto.amount)).toEqual([
      '133200000000000000',
      '133600000000000001',
      '133200000000000000',
    ])
  })

  test.each<[string, bigint, () => Promise<string>]>([
    ['paid too much', 1200n, async () => (await paidHere(1200n)).wireId],
    [
      'underpaid and over',
      400n,
      async () => {
        const { id, wireId } = await openPayment(to.api, ofLamps())
        await happen(to.api, id, seen('too_little_seen', 400n))
        await happen(to.api, id, final('amount_finalized', 400n))
        expect((await happen(to.api, id, windowOver())).state).toBe('failed')
        return wireId
      },
    ],
    [
      'expired and paid late',
      1000n,
      async () => {
        const { id, wireId } = await openPayment(to.api, ofLamps(), { opening: { latePolicy: 'needs_attention' } })
        await happen(to.api, id, windowOver())
        await happen(to.api, id, seen('amount_seen', 1000n))
        expect((await happen(to.api, id, final('late_finalized', 1000n))).state).toBe('expired')
        return wireId
      },
    ],
    [
      'canceled and paid late',
      999n,
      async () => {
        const { id, wireId } = await openPayment(to.api, ofLamps())
        await happen(to.api, id, { type: 'cancel' })
        await happen(to.api, id, seen('amount_seen', 999n))
        expect((await happen(to.api, id, final('late_finalized', 999n))).state).toBe('canceled')
        return wireId
      },
    ],
  ])('201: all that was received of a payment that was %s', async (_, received, make) => {
    const wireId = await make()
    expect(await made(wireId)).toMatchObject({ amountMinor: Number(received) })
    expect(await start(wireId)).toMatchObject({ status: 422, error: { code: 'refund_exceeds_remaining' } })
  })

  test.each<[string, object, string, string]>([
    ['an amount of 0', { amountMinor: 0 }, 'parameter_invalid', 'amountMinor'],
    ['an amount of -1', { amountMinor: -1 }, 'parameter_invalid', 'amountMinor'],
    ['an amount of 1.5', { amountMinor: 1.5 }, 'parameter_invalid', 'amountMinor'],
    ['an amount as text', { amountMinor: '1' }, 'parameter_invalid', 'amountMinor'],
    ['an amount of 2^53', { amountMinor: 2 ** 53 }, 'parameter_invalid', 'amountMinor'],
    ['an amount of null', { amountMinor: null }, 'parameter_invalid', 'amountMinor'],
    ['a reason of its own', { reason: 'because' }, 'parameter_invalid', 'reason'],
    ['an empty reason', { reason: '' }, 'parameter_invalid', 'reason'],
    ['a destination that is a number', { destination: 1 }, 'parameter_invalid', 'destination'],
    ['metadata that is a list', { metadata: [] }, 'parameter_invalid', 'metadata'],
    ['metadata of numbers', { metadata: { a: 1 } }, 'parameter_invalid', 'metadata.a'],
    ['another name for the amount', { amount: 1 }, 'parameter_unknown', 'amount'],
    ['a currency', { currency: 'USD' }, 'parameter_unknown', 'currency'],
    ['a payment', { paymentId: 'pay_1' }, 'parameter_unknown', 'paymentId'],
  ])('400: %s', async (_, json, code, param) => {
    // Before anything is known of key or payment.
    expect(await start('pay_1', json, { headers: {} })).toMatchObject({ status: 400, error: { code, param } })
  })

  test('400: no key, or none that could be one', async () => {
    const { id, wireId } = await paidHere()
    for (const payment of [wireId, 'pay_1']) {
      expect(await start(payment, {}, { headers: {} })).toMatchObject({
        ...{ status: 400, error: { code: 'idempotency_key_required', param: 'Idempotency-Key' } },
      })
      for (const text of ['', 'é', 'x'.repeat(256)])
        expect(await start(payment, {}, { headers: { 'idempotency-key': text } })).toMatchObject({
          ...{ status: 400, error: { code: 'idempotency_key_invalid' } },
        })
    }
    expect(await booksOf(id)).toEqual({ reserved: 0, refunds: 0 })
  })

  test('400: a query parameter', async () => {
    const { wireId } = await paidHere()
    const answer = await ask('POST', `/payments/${wireId}/refunds?livemode=false`, { json: {}, headers: newKey() })
    expect(answer).toMatchObject({ status: 400, error: { code: 'parameter_unknown', param: 'livemode' } })
  })

  test('403: keys that may not refund', async () => {
    const { wireId } = await paidHere()
    for (const scopes of [['payments:read'], ['payment_links:write'], ['disputes:write']]) {
      const bearer = (await insertKey(to.sql, { ...lamps, scopes })).secret
      expect(await start(wireId, {}, { bearer })).toMatchObject({ status: 403, error: { code: 'insufficient_scope' } })
    }
    const bearer = (await insertKey(to.sql, { ...lamps, scopes: ['refunds:write'] })).secret
    expect((await start(wireId, {}, { bearer })).status).toBe(201)
  })

  test('404: the payment of another merchant or of the other mode, and one that is none', async () => {
    const { wireId } = await paidHere()
    const { wireId: live } = await paid(to.api, { ...lamps, livemode: true })
    for (const payment of [
      live,
      'pay_1',
      wireId.toUpperCase(),
      wireId.replace('pay_', 're_'),
      encodeId('pay', crypto.randomUUID()),
    ])
      expect(await start(payment)).toMatchObject({ status: 404, error: { code: 'resource_not_found' } })
    for (const bearer of [chairsKey, liveKey])
      expect(await start(wireId, {}, { bearer })).toMatchObject({ status: 404, error: { code: 'resource_not_found' } })
    expect((await made(live, {}, { bearer: liveKey })).livemode).toBe(true)
  })

  test.each<[string, () => Promise<{ wireId: string }>]>([
    ['that is open', () => openPayment(to.api, ofLamps())],
    [
      'that is not final',
      async () => {
        const opened = await openPayment(to.api, ofLamps())
        await happen(to.api, opened.id, seen('enough_seen', 1000n))
        return opened
      },
    ],
    [
      'that is partly final and open',
      async () => {
        const opened = await openPayment(to.api, ofLamps())
        await happen(to.api, opened.id, seen('too_little_seen', 400n))
        await happen(to.api, opened.id, final('amount_finalized', 400n))
        return opened
      },
    ],
    [
      'that nobody has paid',
      async () => {
        const opened = await openPayment(to.api, ofLamps())
        await happen(to.api, opened.id, windowOver())
        return opened
      },
    ],
    [
      'that nobody has paid a cent of',
      async () => {
        const opened = await openPayment(to.api, ofLamps(), { pick: { amountExpected: 100_000n } })
        await happen(to.api, opened.id, { type: 'cancel' })
        await happen(to.api, opened.id, seen('amount_seen', 99n))
        await happen(to.api, opened.id, final('late_finalized', 99n))
        return opened
      },
    ],
  ])('422: a payment %s has nothing to refund', async (_, make) => {
    const { wireId } = await make()
    for (const json of [{}, { amountMinor: 1 }, { amountMinor: 1, destination: 'x' }])
      expect(await start(wireId, json)).toMatchObject({ status: 422, error: { code: 'payment_not_refundable' } })
  })

  test('422: more than is left, which is told', async () => {
    const { id, wireId } = await paidHere()
    const tooMuch = async (amountMinor: number, remainingMinor: number) =>
      expect(await start(wireId, { amountMinor })).toMatchObject({
        ...{
          status: 422,
          error: { code: 'refund_exceeds_remaining', param: 'amountMinor', details: { remainingMinor } },
        },
      })
    await tooMuch(1001, 1000)
    await tooMuch(Number.MAX_SAFE_INTEGER, 1000)
    await made(wireId, { amountMinor: 600 })
    await tooMuch(401, 400)
    await made(wireId, { amountMinor: 400 })
    await tooMuch(1, 0)
    expect(await start(wireId)).toMatchObject({ status: 422, error: { code: 'refund_exceeds_remaining' } })
    expect(await booksOf(id)).toEqual({ reserved: 1000, refunds: 2 })
  })

  test.each<[string, string | ((of: { address: string }) => string)]>([
    ['nothing', ''],
    ['a name', 'vitalik.eth'],
    ['a short one', somebody.slice(0, -1)],
    ['a long one', `${somebody}0`],
    ['one and a line end', `${somebody}\n`],
    ['one without its beginning', somebody.slice(2)],
    ['one with a typing error', somebody.replace('5aA', '5AA')],
    ['all large letters', `0x${somebody.slice(2).toUpperCase()}`],
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['the own address of the payment', ({ address }) => address],
    ['the coin itself', `0x${'a'.repeat(40)}`],
    ['a very long one', '0'.repeat(60_000)],
  ])('422: %s is no destination', async (_, destination) => {
    const opened = await paidHere()
    const text = typeof destination === 'string' ? destination : destination(opened)
    const answer = await start(opened.wireId, { destination: text })
    expect(answer).toMatchObject({ status: 422, error: { code: 'invalid_destination', param: 'destination' } })
    expect(answer.text).not.toContain(somebody.slice(4, -1))
    expect(await booksOf(opened.id)).toEqual({ reserved: 0, refunds: 0 })
  })

  test('its key: the same request gets the same answer, any other is refused, before anything else is looked at', async () => {
    const { wireId } = await paidHere()
    const { wireId: other } = await paidHere()
    const headers = newKey()
    const first = await start(wireId, { amountMinor: 10 }, { headers })
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    const again = await start(wireId, { amountMinor: 10 }, { headers })
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    const reused = { status: 422, error: { code: 'idempotency_key_reused' } }
    expect(await start(wireId, { amountMinor: 11 }, { headers })).toMatchObject(reused)
    expect(await start(wireId, {}, { headers })).toMatchObject(reused)
    expect(await start(other, { amountMinor: 10 }, { headers })).toMatchObject(reused)
    expect(await start(encodeId('pay', crypto.randomUUID()), {}, { headers })).toMatchObject(reused)
    expect(await start('pay_1', {}, { headers })).toMatchObject(reused)
    expect(await start(wireId, { amountMinor: 5000 }, { headers })).toMatchObject(reused)
    const [kept] = await to.sql`select is_refund from idempotency_keys where key = ${headers['idempotency-key']}`
    expect(kept).toEqual({ is_refund: true })
  })

  test('its key: a refusal leaves it free', async () => {
    const { wireId } = await paidHere()
    const headers = newKey()
    expect((await start('pay_1', {}, { headers })).status).toBe(404)
    expect((await start(wireId, { amountMinor: 2000 }, { headers })).status).toBe(422)
    expect((await start(wireId, { destination: 'x' }, { headers })).status).toBe(422)
    expect((await start(wireId, { amountMinor: 20 }, { headers })).status).toBe(201)
  })

  test('its key: each mode and each merchant has its own', async () => {
    const headers = newKey()
    const { wireId: live } = await paid(to.api, { ...lamps, livemode: true })
    const { wireId: foreign } = await paid(to.api, { ...chairs, livemode: false })
    await made((await paidHere()).wireId, {}, { headers })
    await made(live, {}, { headers, bearer: liveKey })
    await made(foreign, {}, { headers, bearer: chairsKey })
  })
})

describe('GET /v1/refunds/:id', () => {
  test('200 for whoever has it, 404 with the same words for all others', async () => {
    const { id } = await made((await paidHere()).wireId)
    const { wireId: live } = await paid(to.api, { ...lamps, livemode: true })
    const { id: liveId } = await made(live, {}, { bearer: liveKey })
    expect((await read(id)).status).toBe(200)
    for (const one of [liveId, 're_1', id.toUpperCase(), id.replace('re_', 'pay_')])
      expect(await read(one)).toMatchObject({ status: 404, error: { code: 'resource_not_found' } })
    expect((await read(id, { bearer: chairsKey })).status).toBe(404)
    expect((await read(id, { bearer: liveKey })).status).toBe(404)
  })
})

describe('GET /v1/refunds', () => {
  test('200: newest first by pages, oldest first, by state and by payment, and each mode its own', async () => {
    const here = await shop(to.api, 'Rugs')
    const bearer = (await insertKey(to.sql, here)).secret
    const [one, two] = [
      await paid(to.api, { ...here, livemode: false }),
      await paid(to.api, { ...here, livemode: false }),
    ]
    const ids: string[] = []
    for (const { wireId } of [one, two, one, two, one]) {
      const destination = ids.length === 1 ? { destination: somebody } : {}
      ids.push((await made(wireId, { amountMinor: 10, ...destination }, { bearer })).id)
    }
    const newest = ids.toReversed()
    const all = await list('', { bearer })
    expect([all.has_more, idsOf(all)]).toEqual([false, newest])
    for (const each of all.data) refund.assert(each)
    const first = await list('?limit=2', { bearer })
    expect([first.has_more, idsOf(first)]).toEqual([true, newest.slice(0, 2)])
    const second = await list(`?limit=3&startingAfter=${newest[1]}`, { bearer })
    expect([second.has_more, idsOf(second)]).toEqual([false, newest.slice(2)])
    expect(idsOf(await list(`?order=asc&startingAfter=${ids[2]}`, { bearer }))).toEqual(ids.slice(3))
    expect(idsOf(await list('?status=requires_signature', { bearer }))).toEqual([ids[1] ?? ''])
    expect(idsOf(await list(`?paymentId=${two.wireId}`, { bearer }))).toEqual([ids[3] ?? '', ids[1] ?? ''])
    expect(idsOf(await list(`?paymentId=${one.wireId}&order=asc&limit=1`, { bearer }))).toEqual([ids[0] ?? ''])
    const { wireId: foreign } = await paidHere()
    await made(foreign)
    for (const none of [foreign, encodeId('pay', crypto.randomUUID())])
      expect((await list(`?paymentId=${none}`, { bearer })).data).toEqual([])
    const live = (await insertKey(to.sql, { ...here, livemode: true })).secret
    expect((await list('', { bearer: live })).data).toEqual([])
  })

  test('200: who has just started a refund sees it first', async () => {
    const { wireId } = await paidHere()
    for (let n = 0; n < 20; n++) {
      const { id } = await made(wireId, { amountMinor: 1 })
      expect(idsOf(await list('?limit=1'))).toEqual([id])
    }
  })

  test.each([
    ['status=done', 'parameter_invalid', 'status'],
    ['paymentId=', 'parameter_invalid', 'paymentId'],
    ['paymentId=re_1', 'parameter_invalid', 'paymentId'],
    ['livemode=true', 'parameter_unknown', 'livemode'],
    ['reference=1', 'parameter_unknown', 'reference'],
    ['limit=101', 'parameter_invalid', 'limit'],
    ['startingAfter=re_1', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=re_01m7ygh5qmfvg9bxgmmwc0qqnf', 'invalid_cursor', 'startingAfter'],
  ])('400: %s', async (query, code, param) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, error: { code, param } })
  })

  test('400: a cursor of another merchant or of the other mode is none', async () => {
    const { id } = await made((await paidHere()).wireId)
    for (const bearer of [chairsKey, liveKey])
      expect(await list(`?startingAfter=${id}`, { bearer })).toMatchObject({
        status: 400,
        error: { code: 'invalid_cursor' },
      })
  })
})

describe('/v1/merchants/:merchantId/refunds', () => {
  const as = ({ bearer }: { bearer: string }): Asked => ({ path: lamps.path, bearer })

  test('members start refunds of either mode under keys of that mode; viewers read', async () => {
    const developer = await member(to.api, lamps, 'developer')
    const viewer = await member(to.api, lamps, 'viewer')
    const { wireId } = await paidHere()
    const { wireId: live } = await paid(to.api, { ...lamps, livemode: true })
    const headers = newKey()
    const inTest = await made(wireId, { amountMinor: 10 }, { ...as(lamps.owner), headers })
    const inLive = await made(live, { amountMinor: 10 }, { ...as(developer), headers })
    expect([inTest.livemode, inLive.livemode]).toEqual([false, true])
    const again = await start(wireId, { amountMinor: 10 }, { ...as(developer), headers })
    expect([again.headers.get('idempotent-replayed'), JSON.parse(again.text)]).toEqual(['true', inTest])
    // At the other surface it is another request.
    expect(await start(wireId, { amountMinor: 10 }, { headers })).toMatchObject({
      error: { code: 'idempotency_key_reused' },
    })
    expect(await start('pay_1', {}, { ...as(developer), headers })).toMatchObject({
      error: { code: 'idempotency_key_reused' },
    })

    expect(await start(wireId, {}, { ...as(developer), headers: {} })).toMatchObject({
      ...{ status: 400, error: { code: 'idempotency_key_required' } },
    })
    expect(await start(wireId, {}, as(viewer))).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    const { wireId: foreign } = await paid(to.api, { ...chairs, livemode: false })
    expect(await start(foreign, {}, as(developer))).toMatchObject({ status: 404 })
    for (const { id } of [inTest, inLive]) expect((await read(id, as(viewer))).status).toBe(200)
    expect(idsOf(await list(`?paymentId=${wireId}`, as(viewer)))).toEqual([inTest.id])
    expect(idsOf(await list(`?paymentId=${live}&livemode=true`, as(viewer)))).toEqual([inLive.id])
    expect((await list(`?paymentId=${live}`, as(viewer))).data).toEqual([])
  })

  const cancel = (id: string, asked: Asked = as(lamps.owner)) => ask('POST', `/refunds/${id}/cancel`, asked)
  const refundIs = async (id: string, event: { type: string } & Record<string, unknown>) => {
    const outcome = await to.api.actors.dispatch({ kind: 'refund', actor: decodeId('re', id) ?? '', event })
    expect(outcome.ok).toBe(true)
  }
  const txHash = `0x${'1'.repeat(64)}`

  test('POST /:id/cancel, 200: its part can be refunded again, and refund.canceled tells so', async () => {
    const { id, wireId } = await paidHere()
    for (const said of [{}, { destination: somebody }]) {
      const { id: refundId, ...before } = await made(wireId, said)
      const canceled = refund.assert((await cancel(refundId)).json)
      expect(canceled).toEqual({ ...before, id: refundId, status: 'canceled', updatedAt: canceled.updatedAt })
      expect(JSON.parse((await read(refundId)).text)).toEqual(canceled)
      expect(await booksOf(id)).toMatchObject({ reserved: 0 })
      const events = await to.sql`select type, object from events where actor = ${decodeId('re', refundId) ?? ''}`
      expect([...events]).toEqual([{ type: 'refund.canceled', object: canceled }])
    }
    expect((await made(wireId)).amountMinor).toBe(1000)
  })

  test('POST /:id/cancel, 409: not once it is processing, nor twice', async () => {
    const { id, wireId } = await paidHere()
    const { id: sent } = await made(wireId, { amountMinor: 100, destination: somebody })
    await refundIs(sent, { type: 'transaction_sent', txHash })
    const conflict = (status: string) => ({ status: 409, error: { code: 'state_conflict', details: { status } } })
    expect(await cancel(sent)).toMatchObject(conflict('processing'))
    const { id: twice } = await made(wireId, { amountMinor: 100 })
    expect((await cancel(twice)).status).toBe(200)
    expect(await cancel(twice)).toMatchObject(conflict('canceled'))
    expect(await booksOf(id)).toMatchObject({ reserved: 100 })
  })

  test('POST /:id/cancel: of twenty at once one is done, and its part comes back once', async () => {
    const { id, wireId } = await paidHere()
    await made(wireId, { amountMinor: 500 })
    const { id: refundId } = await made(wireId, { amountMinor: 100 })
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => cancel(refundId)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, ...Array(19).fill(409)])
    expect(await booksOf(id)).toMatchObject({ reserved: 500 })
  })

  test('POST /:id/cancel: for developers and owners of its merchant alone, and not for keys', async () => {
    const { id } = await made((await paidHere()).wireId)
    const viewer = await member(to.api, lamps, 'viewer', 'viewer2@lamps.example')
    expect(await cancel(id, as(viewer))).toMatchObject({ status: 403, error: { code: 'insufficient_role' } })
    expect(await cancel(id, { path: chairs.path, bearer: chairs.owner.bearer })).toMatchObject({ status: 404 })
    expect(await ask('POST', `/refunds/${id}/cancel`)).toMatchObject({
      status: 404,
      error: { code: 'route_not_found' },
    })
    expect(await cancel(id, { ...as(lamps.owner), json: { reason: 'x' } })).toMatchObject({ status: 400 })
    expect(JSON.parse((await read(id)).text)).toMatchObject({ status: 'requires_destination' })
  })
})
