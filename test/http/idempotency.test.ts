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

describe('the same request', () => {
  test('is answered with the same bytes and says that it is a replay', async () => {
    const key = newKey()
    const first = await send(key, { json: { ...ten, title: 'Ü "quoted" \\ 💡', metadata: { b: '1', a: '{}' } } })
    const again = await send(key, { json: { metadata: { a: '{}', b: '1' }, title: 'Ü "quoted" \\ 💡', ...ten } })
    expect([first.status, isReplay(first)]).toEqual([201, false])
    expect([again.status, isReplay(again), again.text]).toEqual([201, true, first.text])
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
  })

  test('is answered as it was then, whatever has become of the record', async () => {
    const key = newKey()
    const first = await send(key)
    const path = `/v1/payment-links/${idOf(first)}/deactivate`
    const closing = await send('close it', { path, json: {} })
    expect(closing.json).toMatchObject({ status: 'deactivated' })
    expect((await send(key)).text).toBe(first.text)
    expect(await send('close it', { path, json: {} })).toMatchObject({ status: 200, text: closing.text })
  })

  test('is a replay after its time, too: an end that was to come may have passed', async () => {
    const key = newKey()
    const json = { ...ten, expiresAt: new Date(Date.now() + 700).toISOString() }
    const first = await send(key, { json })
    expect(first.status).toBe(201)
    await until(async () => (await send(undefined, { json })).status === 400)
    expect(await send(key, { json })).toMatchObject({ status: 201, text: first.text })
  })

  test('without a key is another request', async () => {
    expect(idOf(await send(undefined))).not.toBe(idOf(await send(undefined)))
  })

  test('that had nothing to write is kept as well', async () => {
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

describe('422: the same key with anything else', () => {
  test.each<[string, Sent]>([
    ['another amount', { json: { ...ten, amountMinor: 1001 } }],
    ['one field more', { json: { ...ten, title: 'x' } }],
    ['the default spelled out', { json: { ...ten, windowMinutes: 30 } }],
    ['null spelled out', { json: { ...ten, title: null } }],
    ['a currency that would be refused', { json: { ...ten, currency: 'JPY' } }],
    ['an end in the past', { json: { ...ten, expiresAt: '2020-01-01T00:00:00Z' } }],
  ])('%s', async (_, sent) => {
    const key = newKey()
    expect((await send(key)).status).toBe(201)
    const answer = await send(key, sent)
    expect([answer.status, codeOf(answer), isReplay(answer)]).toEqual([422, 'idempotency_key_reused', false])
    expect(answer.json).toMatchObject({ error: { type: 'idempotency_error', param: 'Idempotency-Key' } })
  })

  test('another path, before it is asked whether there is such a record', async () => {
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

  test('but what cannot be read is 400 first', async () => {
    const key = newKey()
    expect((await send(key)).status).toBe(201)
    expect(codeOf(await send(key, { json: { ...ten, amountMinor: '1' } }))).toBe('parameter_invalid')
  })
})

describe('400: what is no key', () => {
  test.each([
    ['nothing', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a letter beyond ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ])('%s', async (_, key) => {
    const before = await server.to.sql`select count(*) from payment_links`
    const answer = await send(key)
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { type: 'idempotency_error', code: 'idempotency_key_invalid', param: 'Idempotency-Key' } },
    })
    expect(await server.to.sql`select count(*) from payment_links`).toEqual(before)
  })

  test.each([
    ['one character', '!'],
    ['255 characters', `~ "'\\{},()${'k'.repeat(245)}`],
  ])('%s make one', async (_, key) => {
    const first = await send(key)
    expect(first.status).toBe(201)
    expect((await send(key)).text).toBe(first.text)
  })

  test('and a bad one is no matter to whoever has no API key', async () => {
    expect((await send('', { bearer: 'sk_test_x' })).status).toBe(401)
  })
})

describe('a key', () => {
  test('is left free by a refusal', async () => {
    const key = newKey()
    const reference = 'taken'
    await send(undefined, { json: { ...ten, reference } })
    expect((await send(key, { json: { ...ten, currency: 'JPY' } })).status).toBe(422)
    expect((await send(key, { json: { ...ten, reference } })).status).toBe(409)
    expect((await send(key, { path: '/v1/payment-links/plink_1/deactivate', json: {} })).status).toBe(404)
    const answer = await send(key)
    expect([answer.status, isReplay(answer)]).toEqual([201, false])
  })

  test('is of one merchant and mode', async () => {
    const key = newKey()
    const chairs = await shop(server.to.api, 'Chairs')
    const others = [
      await insertKey(server.to.sql, { ...server.lamps, livemode: true }),
      await insertKey(server.to.sql, chairs),
    ]
    const answers = [await send(key)]
    for (const { secret } of others) answers.push(await send(key, { bearer: secret, json: { ...ten, amountMinor: 7 } }))
    expect(answers.map(answer => [answer.status, isReplay(answer)])).toEqual(Array(3).fill([201, false]))
    // Another API key of the same merchant and mode is the same shop trying again.
    const second = await insertKey(server.to.sql, server.lamps)
    expect((await send(key, { bearer: second.secret })).text).toBe(answers[0]?.text ?? '')
  })

  test('of a member counts where the mode is known', async () => {
    const key = newKey()
    const path = `${server.lamps.path}/payment-links`
    const first = await send(key, { path, bearer: server.lamps.owner.bearer })
    expect((await send(key, { path, bearer: server.lamps.owner.bearer })).text).toBe(first.text)
    expect((await send(key)).status).toBe(422)
    const live = await send(key, { path: `${path}?livemode=true`, bearer: server.lamps.owner.bearer })
    expect([live.status, isReplay(live)]).toEqual([201, false])
  })

  test('is forgotten after 30 days, one of a refund never', async () => {
    const [old, young, refund] = [newKey(), newKey(), newKey()]
    const [first] = [await send(old), await send(young), await send(refund)]
    await server.to.sql`
      update idempotency_keys set is_refund = key = ${refund},
        created_at = now() - interval '30 days' + case when key = ${young} then interval '1 minute' else -interval '1 minute' end
      where key = any(${[old, young, refund]})`
    const again = await send(old)
    expect([again.status, isReplay(again), idOf(again) === idOf(first)]).toEqual([201, false, false])
    expect([await send(young), await send(refund)].map(isReplay)).toEqual([true, true])
  })

  test('is kept with its answer and no other', async () => {
    const key = newKey()
    await send(key, { json: { ...ten, currency: 'JPY' } })
    const { text } = await send(key)
    expect([
      ...(await server.to
        .sql`select status, body, is_refund, length(fingerprint) as bytes from idempotency_keys where key = ${key}`),
    ]).toEqual([{ status: 201, body: text, is_refund: false, bytes: 32 }])
  })
})

describe('who misuses it', () => {
  const call = { headers: new Headers(), pattern: '/v1/x', params: {}, body: {} }

  test('is told when a refund comes without its mode', async () => {
    const owner = { merchantId: server.lamps.merchantId, livemode: undefined }
    const headers = new Headers({ 'idempotency-key': 'k' })
    const work = answerIdempotently(
      server.to.api,
      { ...call, headers, owner },
      { isRefund: true, work: never, answer: () => ({ status: 200, body: {} }) },
    )
    await expect(work).rejects.toThrow(TypeError)
  })

  test('a refund without a key is refused', async () => {
    const owner = { merchantId: server.lamps.merchantId, livemode: false }
    const work = answerIdempotently(
      server.to.api,
      { ...call, owner },
      { isRefund: true, work: never, answer: () => ({ status: 200, body: {} }) },
    )
    await expect(work).rejects.toMatchObject({ code: 'idempotency_key_required' })
  })

  const never = () => Promise.reject(new Error('must not run'))
})
