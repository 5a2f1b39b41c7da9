import { describe, expect, test } from 'bun:test'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { factory } from '../../src/chain/forwarder.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { issueAddress } from '../chain/watch/ledger.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { final, happen, openPayment, paid, seen, windowOver } from './payments.ts'
import { customerAddress, refund, refundCalls } from './refunds.ts'
import { type Refused, refusedAmounts } from './refused.ts'
import { newKey, twoShops } from './two-shops.ts'

const otherToken = `0x${'c'.repeat(40)}`
const shops = await twoShops({
  routes: [...paymentRoutes, ...refundRoutes],
  chains: outside =>
    connectChains([sandboxChain({ token: otherToken, feed: otherToken, euroFeed: otherToken })], () => [], outside),
})
const { server, lamps, chairs, liveKey, chairsKey, ask } = shops
const { start, made, read, booksOf, ofLamps, paidHere } = refundCalls(shops)

/** The address of a payment. */
const depositOf = async (shop: typeof lamps) => {
  const opened = await openPayment(server.api, { merchantId: shop.merchantId, livemode: false })
  await issueAddress(server.sql, opened)
  return opened.address
}
const [deposit, foreignDeposit] = [await depositOf(lamps), await depositOf(chairs)]

describe('POST /v1/payments/:id/refunds', () => {
  test('201: the full amount, to an address that the customer gives', async () => {
    const { actor, id: paymentId } = await paidHere()
    const whole = await made(paymentId)
    expect(whole).toMatchObject({
      paymentId,
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
    expect(await booksOf(actor)).toEqual({ reserved: 1000, refunds: 1 })
    expect(JSON.parse((await read(whole.id)).text)).toEqual(whole)
  })

  test('201: a part, with all optional fields, waits for its signature', async () => {
    const { actor, id: paymentId } = await paidHere()
    const said = { amountMinor: 300, reason: 'late_payment', destination: customerAddress, metadata: { order: '7' } }
    const part = await made(paymentId, said)
    expect(part).toMatchObject({ ...said, status: 'requires_signature', crypto: { amount: '300' } })
    expect(JSON.parse((await read(part.id)).text)).toEqual(part)
    expect(await booksOf(actor)).toEqual({ reserved: 300, refunds: 1 })
    // Refunds the rest; afterwards nothing is left.
    expect(await made(paymentId)).toMatchObject({ amountMinor: 700 })
    const steps = await server.sql`
      select kind, event, split_part(cause, ' ', 1) as cause from transitions where actor in (${actor}, ${decodeId('re', part.id) ?? ''})
        and json_of(context)->>'refundsReservedMinor' = '300' or actor = ${decodeId('re', part.id) ?? ''}
      order by kind, rev`
    expect(steps.map(({ kind, event }) => `${kind} ${event}`)).toEqual([
      'payment reserve_refund',
      'refund create',
      'refund destination_named',
    ])
    const [{ id: keyId } = { id: '' }] = await server.sql<{ id: string }[]>`
      select id from api_keys where merchant_id = ${lamps.merchantId} and not livemode`
    expect(new Set(steps.map(({ cause }) => cause))).toEqual(new Set([encodeId('key', keyId)]))
  })

  test('201: without a body the full amount', async () => {
    const { id: paymentId } = await paidHere()
    const answer = await ask('POST', `/payments/${paymentId}/refunds`, { headers: newKey() })
    expect(refund.assert(answer.json).amountMinor).toBe(1000)
  })

  test('201: null means not given, also for the amount', async () => {
    const { id: paymentId } = await paidHere()
    expect(await made(paymentId, { amountMinor: 1, reason: null, destination: null })).toMatchObject({
      ...{ reason: null, destination: null, status: 'requires_destination' },
    })
  })

  test('201: an address in lower case is returned with its checksum', async () => {
    const { id: paymentId } = await paidHere()
    expect(await made(paymentId, { destination: customerAddress.toLowerCase() })).toMatchObject({
      destination: customerAddress,
    })
  })

  test('201: the token address has its checksum, as in payments, and in events too', async () => {
    const { id: paymentId } = await paidHere()
    const { id, crypto } = await made(paymentId)
    const { crypto: paidBy } = (await ask('GET', `/payments/${paymentId}`)).json as { crypto: typeof crypto }
    expect(paidBy.tokenAddress).toMatch(/[A-F]/)
    expect(crypto.tokenAddress).toBe(paidBy.tokenAddress)
    await ask('POST', `/refunds/${id}/cancel`, { path: lamps.path, bearer: lamps.owner.bearer })
    const events = await server.sql`
      select type, json_of(object)->'crypto'->>'tokenAddress' as token from events where actor = ${decodeId('re', id) ?? ''}`
    expect([...events]).toEqual([{ type: 'refund.canceled', token: paidBy.tokenAddress }])
  })

  test("201: the amount on the chain uses the payment's own quote, and all parts together do not exceed what was received", async () => {
    const { id: paymentId } = await paidHere(400_000_000_000_000_003n, {
      pick: { amountExpected: 400_000_000_000_000_003n, decimals: 18 },
    })
    const parts = [
      await made(paymentId, { amountMinor: 333 }),
      await made(paymentId, { amountMinor: 334 }),
      await made(paymentId),
    ]
    expect(parts.map(({ crypto }) => crypto.amount)).toEqual([
      '133200000000000000',
      '133600000000000001',
      '133200000000000000',
    ])
  })

  test.each<[string, bigint, () => Promise<string>]>([
    ['paid too much', 1200n, async () => (await paidHere(1200n)).id],
    [
      'underpaid and closed',
      400n,
      async () => {
        const { actor, id: paymentId } = await openPayment(server.api, ofLamps)
        await happen(server.api, actor, seen('too_little_seen', 400n))
        await happen(server.api, actor, final('amount_finalized', 400n))
        expect((await happen(server.api, actor, windowOver())).state).toBe('failed')
        return paymentId
      },
    ],
    [
      'expired and paid late',
      1000n,
      async () => {
        const { actor, id: paymentId } = await openPayment(server.api, ofLamps, {
          opening: { latePolicy: 'needs_attention' },
        })
        await happen(server.api, actor, windowOver())
        await happen(server.api, actor, seen('amount_seen', 1000n))
        expect((await happen(server.api, actor, final('late_finalized', 1000n))).state).toBe('expired')
        return paymentId
      },
    ],
    [
      'canceled and paid late',
      999n,
      async () => {
        const { actor, id: paymentId } = await openPayment(server.api, ofLamps)
        await happen(server.api, actor, { type: 'cancel' })
        await happen(server.api, actor, seen('amount_seen', 999n))
        expect((await happen(server.api, actor, final('late_finalized', 999n))).state).toBe('canceled')
        return paymentId
      },
    ],
  ])('201: everything received by a payment that was %s', async (_, received, make) => {
    const paymentId = await make()
    expect(await made(paymentId)).toMatchObject({ amountMinor: Number(received) })
    expect(await start(paymentId)).toMatchObject({ status: 422, error: { code: 'refund_exceeds_remaining' } })
  })

  test.each<Refused>([
    ...refusedAmounts,
    ['an unknown reason', { reason: 'because' }, 'parameter_invalid', 'reason'],
    ['an empty reason', { reason: '' }, 'parameter_invalid', 'reason'],
    ['a destination that is a number', { destination: 1 }, 'parameter_invalid', 'destination'],
    ['metadata that is a list', { metadata: [] }, 'parameter_invalid', 'metadata'],
    ['metadata of numbers', { metadata: { a: 1 } }, 'parameter_invalid', 'metadata.a'],
    ['another name for the amount', { amount: 1 }, 'parameter_unknown', 'amount'],
    ['a currency', { currency: 'USD' }, 'parameter_unknown', 'currency'],
    ['a payment', { paymentId: 'pay_1' }, 'parameter_unknown', 'paymentId'],
  ])('400: %s', async (_, json, code, param) => {
    // Before the key or the payment is looked up.
    expect(await start('pay_1', json, { headers: {} })).toMatchObject({ status: 400, error: { code, param } })
  })

  test('400: no idempotency key, or an invalid one', async () => {
    const { actor, id: paymentId } = await paidHere()
    for (const payment of [paymentId, 'pay_1']) {
      expect(await start(payment, {}, { headers: {} })).toMatchObject({
        ...{ status: 400, error: { code: 'idempotency_key_required', param: 'Idempotency-Key' } },
      })
      for (const text of ['', 'é', 'x'.repeat(256)])
        expect(await start(payment, {}, { headers: { 'idempotency-key': text } })).toMatchObject({
          ...{ status: 400, error: { code: 'idempotency_key_invalid' } },
        })
    }
    expect(await booksOf(actor)).toEqual({ reserved: 0, refunds: 0 })
  })

  test('400: a query parameter', async () => {
    const { id: paymentId } = await paidHere()
    const answer = await ask('POST', `/payments/${paymentId}/refunds?livemode=false`, { json: {}, headers: newKey() })
    expect(answer).toMatchObject({ status: 400, error: { code: 'parameter_unknown', param: 'livemode' } })
  })

  test('403: keys that may not refund', async () => {
    const { id: paymentId } = await paidHere()
    for (const scopes of [['payments:read'], ['payment_links:write'], ['disputes:write']]) {
      const bearer = (await insertKey(server.sql, { ...lamps, scopes })).secret
      expect(await start(paymentId, {}, { bearer })).toMatchObject({
        status: 403,
        error: { code: 'insufficient_scope' },
      })
    }
    const bearer = (await insertKey(server.sql, { ...lamps, scopes: ['refunds:write'] })).secret
    expect((await start(paymentId, {}, { bearer })).status).toBe(201)
  })

  test('404: a payment of another merchant or mode, and an id of nothing', async () => {
    const { id: paymentId } = await paidHere()
    const { id: live } = await paid(server.api, { ...lamps, livemode: true })
    const { id: foreign } = await paid(server.api, { ...chairs, livemode: false })
    await expectMissing(payment => start(payment), [live, foreign, ...namesNothing(paymentId)])
    for (const bearer of [chairsKey, liveKey])
      expect(await start(paymentId, {}, { bearer })).toMatchObject({
        status: 404,
        error: { code: 'resource_not_found' },
      })
    expect((await made(live, {}, { bearer: liveKey })).livemode).toBe(true)
  })

  test.each<[string, () => Promise<{ id: string }>]>([
    ['that is open', () => openPayment(server.api, ofLamps)],
    [
      'that is not final',
      async () => {
        const opened = await openPayment(server.api, ofLamps)
        await happen(server.api, opened.actor, seen('enough_seen', 1000n))
        return opened
      },
    ],
    [
      'that is partly final and open',
      async () => {
        const opened = await openPayment(server.api, ofLamps)
        await happen(server.api, opened.actor, seen('too_little_seen', 400n))
        await happen(server.api, opened.actor, final('amount_finalized', 400n))
        return opened
      },
    ],
    [
      'without money',
      async () => {
        const opened = await openPayment(server.api, ofLamps)
        await happen(server.api, opened.actor, windowOver())
        return opened
      },
    ],
    [
      'that received nothing',
      async () => {
        const opened = await openPayment(server.api, ofLamps, { pick: { amountExpected: 100_000n } })
        await happen(server.api, opened.actor, { type: 'cancel' })
        await happen(server.api, opened.actor, seen('amount_seen', 99n))
        await happen(server.api, opened.actor, final('late_finalized', 99n))
        return opened
      },
    ],
  ])('422: a payment %s has nothing to refund', async (_, make) => {
    const { id: paymentId } = await make()
    for (const json of [{}, { amountMinor: 1 }, { amountMinor: 1, destination: 'x' }])
      expect(await start(paymentId, json)).toMatchObject({ status: 422, error: { code: 'payment_not_refundable' } })
  })

  test('422: more than is left, with the amount left', async () => {
    const { actor, id: paymentId } = await paidHere()
    const tooMuch = async (amountMinor: number, remainingMinor: number) =>
      expect(await start(paymentId, { amountMinor })).toMatchObject({
        ...{
          status: 422,
          error: { code: 'refund_exceeds_remaining', param: 'amountMinor', details: { remainingMinor } },
        },
      })
    await tooMuch(1001, 1000)
    await tooMuch(Number.MAX_SAFE_INTEGER, 1000)
    await made(paymentId, { amountMinor: 600 })
    await tooMuch(401, 400)
    await made(paymentId, { amountMinor: 400 })
    await tooMuch(1, 0)
    expect(await start(paymentId)).toMatchObject({ status: 422, error: { code: 'refund_exceeds_remaining' } })
    expect(await booksOf(actor)).toEqual({ reserved: 1000, refunds: 2 })
  })

  test.each<[string, string | ((of: { address: string }) => string)]>([
    ['nothing', ''],
    ['a name', 'vitalik.eth'],
    ['a short one', customerAddress.slice(0, -1)],
    ['a long one', `${customerAddress}0`],
    ['one followed by a line break', `${customerAddress}\n`],
    ['one without 0x', customerAddress.slice(2)],
    ['one with a wrong checksum', customerAddress.replace('5aA', '5AA')],
    ['one in upper case', `0x${customerAddress.slice(2).toUpperCase()}`],
    ['the zero address', `0x${'0'.repeat(40)}`],
    ["the payment's own address", ({ address }) => address],
    ['the address of another payment', () => deposit],
    ['the address of a payment of another merchant, in small letters', () => foreignDeposit.toLowerCase()],
    ['another token of the chain', () => otherToken],
    ['the contract that collects deposits', () => factory],
    ['the token contract', `0x${'a'.repeat(40)}`],
    ['a very long one', '0'.repeat(60_000)],
  ])('422: %s is no destination', async (_, destination) => {
    const opened = await paidHere()
    const text = typeof destination === 'string' ? destination : destination(opened)
    const answer = await start(opened.id, { destination: text })
    expect(answer).toMatchObject({ status: 422, error: { code: 'invalid_destination', param: 'destination' } })
    expect(answer.text).not.toContain(customerAddress.slice(4, -1))
    expect(await booksOf(opened.actor)).toEqual({ reserved: 0, refunds: 0 })
  })

  test('idempotency key: the same request gets the same response; any other is refused before other checks', async () => {
    const { id: paymentId } = await paidHere()
    const { id: other } = await paidHere()
    const headers = newKey()
    const first = await start(paymentId, { amountMinor: 10 }, { headers })
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    const again = await start(paymentId, { amountMinor: 10 }, { headers })
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    const reused = { status: 422, error: { code: 'idempotency_key_reused' } }
    expect(await start(paymentId, { amountMinor: 11 }, { headers })).toMatchObject(reused)
    expect(await start(paymentId, {}, { headers })).toMatchObject(reused)
    expect(await start(other, { amountMinor: 10 }, { headers })).toMatchObject(reused)
    expect(await start(encodeId('pay', crypto.randomUUID()), {}, { headers })).toMatchObject(reused)
    expect(await start('pay_1', {}, { headers })).toMatchObject(reused)
    expect(await start(paymentId, { amountMinor: 5000 }, { headers })).toMatchObject(reused)
    const [kept] = await server.sql`select is_refund from idempotency_keys where key = ${headers['idempotency-key']}`
    expect(kept).toEqual({ is_refund: true })
  })

  test('idempotency key: it is free again after a refusal', async () => {
    const { id: paymentId } = await paidHere()
    const headers = newKey()
    expect((await start('pay_1', {}, { headers })).status).toBe(404)
    expect((await start(paymentId, { amountMinor: 2000 }, { headers })).status).toBe(422)
    expect((await start(paymentId, { destination: 'x' }, { headers })).status).toBe(422)
    expect((await start(paymentId, { amountMinor: 20 }, { headers })).status).toBe(201)
  })

  test('idempotency key: each mode and each merchant has its own keys', async () => {
    const headers = newKey()
    const { id: live } = await paid(server.api, { ...lamps, livemode: true })
    const { id: foreign } = await paid(server.api, { ...chairs, livemode: false })
    await made((await paidHere()).id, {}, { headers })
    await made(live, {}, { headers, bearer: liveKey })
    await made(foreign, {}, { headers, bearer: chairsKey })
  })
})
