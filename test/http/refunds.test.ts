import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { insertKey } from '../access/keys.ts'
import type { ApiHouse } from '../harness/api.ts'
import { final, happen, openPayment, paid, seen, windowOver } from './paid.ts'
import type { Shop } from './people.ts'
import { newKey, type RefundHouse, refund, refundCalls, refundHouse, somebody } from './refund-calls.ts'

let house: RefundHouse
let to: ApiHouse
let lamps: Shop
let chairs: Shop
let liveKey: string
let chairsKey: string

beforeAll(async () => {
  house = await refundHouse()
  ;({ to, lamps, chairs, liveKey, chairsKey } = house)
})
afterAll(async () => {
  expect(await audit(to.sql, kinds)).toEqual([])
  await to[Symbol.asyncDispose]()
})

const { ask, start, made, read, booksOf } = refundCalls(() => house)
const ofLamps = () => ({ ...lamps, livemode: false })
const paidHere = async (received = 1000n, more = {}) => paid(to.api, ofLamps(), received, more)

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

  test('201: no body at all is everything too', async () => {
    const { wireId } = await paidHere()
    const answer = await ask('POST', `/payments/${wireId}/refunds`, { headers: newKey() })
    expect(refund.assert(answer.json).amountMinor).toBe(1000)
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
