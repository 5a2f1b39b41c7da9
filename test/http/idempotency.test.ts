import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { answerIdempotently } from '../../src/http/idempotency.ts'
import { insertKey } from '../access/keys.ts'
import type { Called } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { type IdempotencyServer, idempotencyServer, idOf, isReplay, newKey, type Sent, ten } from './idempotency.ts'
import { shop } from './people.ts'

let server: IdempotencyServer
beforeAll(async () => {
  server = await idempotencyServer()
})
afterAll(async () => expect(await server.close()).toEqual([]))

const send: IdempotencyServer['send'] = (key, sent) => server.send(key, sent)
const codeOf = ({ json }: Called) => (json as { error?: { code: string } }).error?.code

describe('an identical request', () => {
  test('gets the same bytes and a header that marks a replay', async () => {
    const key = newKey()
    const first = await send(key, { json: { ...ten, title: 'Ü "quoted" \\ 💡', metadata: { b: '1', a: '{}' } } })
    const again = await send(key, { json: { metadata: { a: '{}', b: '1' }, title: 'Ü "quoted" \\ 💡', ...ten } })
    expect([first.status, isReplay(first)]).toEqual([201, false])
    expect([again.status, isReplay(again), again.text]).toEqual([201, true, first.text])
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
  })

  test('gets the first response, however the record has changed since', async () => {
    const key = newKey()
    const first = await send(key)
    const path = `/v1/payment-links/${idOf(first)}/deactivate`
    const closing = await send('close it', { path, json: {} })
    expect(closing.json).toMatchObject({ status: 'deactivated' })
    expect((await send(key)).text).toBe(first.text)
    expect(await send('close it', { path, json: {} })).toMatchObject({ status: 200, text: closing.text })
  })

  test('is a replay also when its expiry date has passed in the meantime', async () => {
    const key = newKey()
    const json = { ...ten, expiresAt: new Date(Date.now() + 700).toISOString() }
    const first = await send(key, { json })
    expect(first.status).toBe(201)
    await until(async () => (await send(undefined, { json })).status === 400)
    expect(await send(key, { json })).toMatchObject({ status: 201, text: first.text })
  })

  test('without a key is a new request', async () => {
    expect(idOf(await send(undefined))).not.toBe(idOf(await send(undefined)))
  })

  test('is stored also when it changed nothing', async () => {
    const path = `/v1/payment-links/${idOf(await send(undefined))}/deactivate`
    const closed = await send(undefined, { path, json: {} })
    const key = newKey()
    const answers = [await send(key, { path, json: {} }), await send(key, { path, json: {} })]
    expect(answers.map(isReplay)).toEqual([false, true])
    for (const { status, json, text } of answers)
      expect([status, json, text]).toEqual([200, closed.json, answers[0]?.text])
    expect(codeOf(await send(key))).toBe('idempotency_key_reused')
  })
})

describe('422: the same key with a different request', () => {
  test.each<[string, Sent]>([
    ['another amount', { json: { ...ten, amountMinor: 1001 } }],
    ['one more field', { json: { ...ten, title: 'x' } }],
    ['the default given explicitly', { json: { ...ten, windowMinutes: 30 } }],
    ['null given explicitly', { json: { ...ten, title: null } }],
    ['a currency that would be refused', { json: { ...ten, currency: 'JPY' } }],
    ['an expiry in the past', { json: { ...ten, expiresAt: '2020-01-01T00:00:00Z' } }],
  ])('%s', async (_, sent) => {
    const key = newKey()
    expect((await send(key)).status).toBe(201)
    const answer = await send(key, sent)
    expect([answer.status, codeOf(answer), isReplay(answer)]).toEqual([422, 'idempotency_key_reused', false])
    expect(answer.json).toMatchObject({ error: { type: 'idempotency_error', param: 'Idempotency-Key' } })
  })

  test('another path, before the record is looked up', async () => {
    const key = newKey()
    expect((await send(key)).status).toBe(201)
    expect(codeOf(await send(key, { path: '/v1/payment-links/plink_1/deactivate', json: {} }))).toBe(
      'idempotency_key_reused',
    )
  })

  test('the same action on another record', async () => {
    const [one, other] = [idOf(await send(undefined)), idOf(await send(undefined))]
    const key = newKey()
    expect((await send(key, { path: `/v1/payment-links/${one}/deactivate`, json: {} })).status).toBe(200)
    expect((await send(key, { path: `/v1/payment-links/${other}/deactivate`, json: {} })).status).toBe(422)
  })

  test('but an unreadable request is 400 first', async () => {
    const key = newKey()
    expect((await send(key)).status).toBe(201)
    expect(codeOf(await send(key, { json: { ...ten, amountMinor: '1' } }))).toBe('parameter_invalid')
  })
})

describe('400: an invalid key', () => {
  test.each([
    ['nothing', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a letter beyond ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ])('%s', async (_, key) => {
    const before = await server.server.sql`select count(*) from payment_links`
    const answer = await send(key)
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { type: 'idempotency_error', code: 'idempotency_key_invalid', param: 'Idempotency-Key' } },
    })
    expect(await server.server.sql`select count(*) from payment_links`).toEqual(before)
  })

  test.each([
    ['one character', '!'],
    ['255 characters', `~ "'\\{},()${'k'.repeat(245)}`],
  ])('%s are a valid key', async (_, key) => {
    const first = await send(key)
    expect(first.status).toBe(201)
    expect((await send(key)).text).toBe(first.text)
  })

  test('an invalid key does not matter without an API key', async () => {
    expect((await send('', { bearer: 'sk_test_x' })).status).toBe(401)
  })
})

describe('a key', () => {
  test('is free again after a refusal', async () => {
    const key = newKey()
    const reference = 'taken'
    await send(undefined, { json: { ...ten, reference } })
    expect((await send(key, { json: { ...ten, currency: 'JPY' } })).status).toBe(422)
    expect((await send(key, { json: { ...ten, reference } })).status).toBe(409)
    expect((await send(key, { path: '/v1/payment-links/plink_1/deactivate', json: {} })).status).toBe(404)
    const answer = await send(key)
    expect([answer.status, isReplay(answer)]).toEqual([201, false])
  })

  test('belongs to one merchant and mode', async () => {
    const key = newKey()
    const chairs = await shop(server.server.api, 'Chairs')
    const others = [
      await insertKey(server.server.sql, { ...server.lamps, livemode: true }),
      await insertKey(server.server.sql, chairs),
    ]
    const answers = [await send(key)]
    for (const { secret } of others) answers.push(await send(key, { bearer: secret, json: { ...ten, amountMinor: 7 } }))
    expect(answers.map(answer => [answer.status, isReplay(answer)])).toEqual(Array(3).fill([201, false]))
    // Another API key of the same merchant and mode is the same client retrying.
    const second = await insertKey(server.server.sql, server.lamps)
    expect((await send(key, { bearer: second.secret })).text).toBe(answers[0]?.text ?? '')
  })

  test('of a member works where the mode is known', async () => {
    const key = newKey()
    const path = `${server.lamps.path}/payment-links`
    const first = await send(key, { path, bearer: server.lamps.owner.bearer })
    expect((await send(key, { path, bearer: server.lamps.owner.bearer })).text).toBe(first.text)
    expect((await send(key)).status).toBe(422)
    const live = await send(key, { path: `${path}?livemode=true`, bearer: server.lamps.owner.bearer })
    expect([live.status, isReplay(live)]).toEqual([201, false])
  })

  test('is deleted after 30 days, that of a refund never', async () => {
    const [old, young, refund] = [newKey(), newKey(), newKey()]
    const [first] = [await send(old), await send(young), await send(refund)]
    await server.server.sql`
      update idempotency_keys set is_refund = key = ${refund},
        created_at = now() - interval '30 days' + case when key = ${young} then interval '1 minute' else -interval '1 minute' end
      where key = any(${[old, young, refund]})`
    const again = await send(old)
    expect([again.status, isReplay(again), idOf(again) === idOf(first)]).toEqual([201, false, false])
    expect([await send(young), await send(refund)].map(isReplay)).toEqual([true, true])
  })

  test('is over after 30 days also while many older ones wait to be deleted', async () => {
    const keys = Array.from({ length: 12 }, newKey)
    const first: string[] = []
    for (const key of keys) first.push((await send(key)).text)
    await server.server.sql`
      update idempotency_keys set created_at = now() - interval '30 days 1 minute' - array_position(${keys}, key) * interval '1 hour'
      where key = any(${keys})`
    const [youngest = '', ...others] = keys
    const again = await send(youngest)
    expect([again.status, isReplay(again), again.text === first[0]]).toEqual([201, false, false])
    expect(isReplay(await send(youngest))).toBe(true)
    // The same key with another request is a new one too.
    const different = await send(others[0], { json: { ...ten, amountMinor: 7 } })
    expect([different.status, isReplay(different)]).toEqual([201, false])
    const [left] = await server.server.sql<{ count: number }[]>`
      select count(*)::integer as count from idempotency_keys where key = any(${keys})`
    expect(left?.count).toBe(2)
  })

  test('is stored with its response only', async () => {
    const key = newKey()
    await send(key, { json: { ...ten, currency: 'JPY' } })
    const { text } = await send(key)
    expect([
      ...(await server.server
        .sql`select status, body, is_refund, length(fingerprint) as bytes from idempotency_keys where key = ${key}`),
    ]).toEqual([{ status: 201, body: text, is_refund: false, bytes: 32 }])
  })
})

describe('internal misuse', () => {
  const call = { headers: new Headers(), pattern: '/v1/x', params: {}, body: {} }

  test('a refund without its mode throws', async () => {
    const owner = { merchantId: server.lamps.merchantId, livemode: undefined }
    const headers = new Headers({ 'idempotency-key': 'k' })
    const work = answerIdempotently(
      server.server.api,
      { ...call, headers, owner },
      { isRefund: true, work: never, answer: () => ({ status: 200, body: {} }) },
    )
    await expect(work).rejects.toThrow(TypeError)
  })

  test('a refund without a key is refused', async () => {
    const owner = { merchantId: server.lamps.merchantId, livemode: false }
    const work = answerIdempotently(
      server.server.api,
      { ...call, owner },
      { isRefund: true, work: never, answer: () => ({ status: 200, body: {} }) },
    )
    await expect(work).rejects.toMatchObject({ code: 'idempotency_key_required' })
  })

  const never = () => Promise.reject(new Error('must not run'))
})
