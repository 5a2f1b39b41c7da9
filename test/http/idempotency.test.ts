import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Actors, openActors } from '../../src/actors/actors.ts'
import { Unavailable } from '../../src/actors/command.ts'
import { audit } from '../../src/audit/audit.ts'
import type { Api } from '../../src/http/api.ts'
import { app } from '../../src/http/app.ts'
import { once } from '../../src/http/idempotency.ts'
import { paymentLinkRoutes } from '../../src/http/payment-links.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiHouse, apiHouse, type Called, SECRET_KEY } from '../harness/api.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'
import { type Shop, shop } from './people.ts'

let to: ApiHouse
let lamps: Shop
let bearer: string

beforeAll(async () => {
  to = await apiHouse({ routes: paymentLinkRoutes, env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' } })
  lamps = await shop(to.api)
  bearer = (await insertKey(to.sql, lamps)).secret
})
afterAll(async () => {
  expect(await audit(to.sql, kinds)).toEqual([])
  await to[Symbol.asyncDispose]()
})

const ten = { amountMinor: 1000, currency: 'USD' }
let keys = 0
const newKey = () => `key ${++keys}`

type Sent = { readonly json?: object; readonly bearer?: string; readonly path?: string }

const send = (key: string | undefined, { json = ten, path = '/v1/payment-links', ...sent }: Sent = {}) =>
  to.call('POST', path, { bearer, ...sent, json, headers: key === undefined ? {} : { 'idempotency-key': key } })

const isReplay = ({ headers }: Pick<Called, 'headers'>) => headers.get('idempotent-replayed') === 'true'
const codeOf = ({ json }: Called) => (json as { error?: { code: string } }).error?.code
const idOf = ({ json }: Pick<Called, 'json'>) => (json as { id: string }).id
const linksOf = async (reference: string) =>
  Number((await to.sql<{ n: string }[]>`select count(*) as n from payment_links where reference = ${reference}`)[0]?.n)

/** Another process before the same database: what it is given of its own is given as `changes`. */
const elsewhere = async (changes: (actors: Actors) => Partial<Api> = () => ({})) => {
  const actors = await openActors(to.api, kinds)
  const server = app(paymentLinkRoutes, { ...to.api, actors, ...changes(actors) })
  return async (key: string, json: object = ten) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'idempotency-key': key }
    const request = new Request(`${to.url}/v1/payment-links`, { method: 'POST', headers, body: JSON.stringify(json) })
    const answer = await server.handle(request)
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as unknown }
  }
}

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
    const before = await to.sql`select count(*) from payment_links`
    const answer = await send(key)
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { type: 'idempotency_error', code: 'idempotency_key_invalid', param: 'Idempotency-Key' } },
    })
    expect(await to.sql`select count(*) from payment_links`).toEqual(before)
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
    const chairs = await shop(to.api, 'Chairs')
    const others = [await insertKey(to.sql, { ...lamps, livemode: true }), await insertKey(to.sql, chairs)]
    const answers = [await send(key)]
    for (const { secret } of others) answers.push(await send(key, { bearer: secret, json: { ...ten, amountMinor: 7 } }))
    expect(answers.map(answer => [answer.status, isReplay(answer)])).toEqual(Array(3).fill([201, false]))
    // Another API key of the same merchant and mode is the same shop trying again.
    const second = await insertKey(to.sql, lamps)
    expect((await send(key, { bearer: second.secret })).text).toBe(answers[0]?.text ?? '')
  })

  test('of a member counts where the mode is known', async () => {
    const key = newKey()
    const path = `${lamps.path}/payment-links`
    const first = await send(key, { path, bearer: lamps.owner.bearer })
    expect((await send(key, { path, bearer: lamps.owner.bearer })).text).toBe(first.text)
    expect((await send(key)).status).toBe(422)
    const live = await send(key, { path: `${path}?livemode=true`, bearer: lamps.owner.bearer })
    expect([live.status, isReplay(live)]).toEqual([201, false])
  })

  test('is forgotten after 30 days, one of a refund never', async () => {
    const [old, young, refund] = [newKey(), newKey(), newKey()]
    const [first] = [await send(old), await send(young), await send(refund)]
    await to.sql`
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
      ...(await to.sql`select status, body, is_refund, length(fingerprint) as bytes from idempotency_keys where key = ${key}`),
    ]).toEqual([{ status: 201, body: text, is_refund: false, bytes: 32 }])
  })
})

describe('at once', () => {
  test('a hundred of the same make one link and are answered with the same bytes', async () => {
    const key = newKey()
    const json = { ...ten, reference: 'a hundred' }
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(key, { json })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter(isReplay)).toHaveLength(99)
    expect(await linksOf(json.reference)).toBe(1)
  })

  test('a hundred without a reference, in two processes, and strangers among them', async () => {
    const key = newKey()
    const there = await elsewhere()
    const [before] = await to.sql<{ n: string }[]>`select count(*) as n from payment_links`
    const twins = Array.from({ length: 100 }, (_, n) => (n % 2 ? send(key) : there(key)))
    const others = Array.from({ length: 20 }, (_, n) => (n % 2 ? send(newKey()) : there(newKey())))
    const answers = await Promise.all(twins)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers.filter(isReplay)).toHaveLength(99)
    expect(new Set((await Promise.all(others)).map(idOf)).size).toBe(20)
    const [after] = await to.sql<{ n: string }[]>`select count(*) as n from payment_links`
    expect(Number(after?.n) - Number(before?.n)).toBe(21)
  })

  test('one key with fifty bodies does one of them and refuses the others', async () => {
    const key = newKey()
    const there = await elsewhere()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? send : (k: string, { json }: { json: object }) => there(k, json))(key, {
          json: { ...ten, amountMinor: n + 1 },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(49).fill(422)])
  })

  test('fifty deactivations under one key are one, and under fifty keys too', async () => {
    const path = `/v1/payment-links/${idOf(await send(undefined))}/deactivate`
    const key = newKey()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => send(n % 2 ? key : newKey(), { path, json: {} })),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(
      await to.sql`select from transitions where event = 'deactivate' and actor = (select actor from transitions t join payment_links l on l.id = t.actor where l.state = 'deactivated' order by at desc limit 1)`,
    ).toHaveLength(1)
  })
})

describe('a crash', () => {
  const dying = (how: (actors: Actors) => Actors['dispatch']) =>
    elsewhere(actors => ({ actors: { ...actors, dispatch: how(actors) } }))

  test('between the commit and the answer leaves what the next try is answered with', async () => {
    const key = newKey()
    const json = { ...ten, reference: 'crashed after' }
    const dies = await dying(actors => async command => {
      await actors.dispatch(command)
      throw new Error('killed')
    })
    expect((await dies(key, json)).status).toBe(500)
    expect(await linksOf(json.reference)).toBe(1)
    const answers = [await send(key, { json }), await send(key, { json })]
    expect(answers.map(answer => [answer.status, isReplay(answer)])).toEqual(Array(2).fill([201, true]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]?.json).toMatchObject(json)
  })

  test('before the commit leaves nothing, and the key free', async () => {
    const key = newKey()
    const json = { ...ten, reference: 'crashed before' }
    const dies = await dying(() => async () => {
      throw new Unavailable(new Error('killed'))
    })
    expect((await dies(key, json)).status).toBe(503)
    expect(await linksOf(json.reference)).toBe(0)
    const answer = await send(key, { json })
    expect([answer.status, isReplay(answer)]).toEqual([201, false])
  })

  test.each(['before', 'after'])('of the whole process %s the commit is made good by the next try', async when => {
    const key = newKey()
    const json = { ...ten, reference: `killed ${when}` }
    const program = new URL('dying-program.ts', import.meta.url).pathname
    const house = Bun.spawn([process.execPath, program, when], {
      env: { ...process.env, DATABASE_URL: databaseUrl(), SECRET_KEY },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const { value: said } = await house.stdout.getReader().read()
    const lost = fetch(`${new TextDecoder().decode(said).trim()}/v1/payment-links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(json),
    })
    expect(lost).rejects.toThrow()
    await house.exited
    expect(house.signalCode).toBe('SIGKILL')
    expect(await linksOf(json.reference)).toBe(when === 'after' ? 1 : 0)
    const answer = await send(key, { json })
    expect([answer.status, isReplay(answer)]).toEqual([201, when === 'after'])
    expect(await linksOf(json.reference)).toBe(1)
  })

  test('of the path to the database while it commits is told as what was done, once', async () => {
    // Whichever answer is lost: of the reads, of the commit, of the look that finds what it has done.
    let replays = 0
    for (let lost = 1; lost <= 4; lost++) {
      await using path = await databaseProxy(databaseUrl())
      const sql = connect(path.url, { max: 1 })
      const actors = await openActors({ ...to.api, sql }, kinds)
      const there = await elsewhere(() => ({ actors }))
      const key = newKey()
      const json = { ...ten, reference: `lost ${lost}` }
      await sql`select 1`
      path.cutInsteadOfAnswer(lost)
      const answer = await there(key, json)
      const again = await send(key, { json })
      expect([lost, answer.status, again.status, again.text]).toEqual([lost, 201, 201, answer.text])
      replays += isReplay(answer) ? 1 : 0
      expect(await linksOf(json.reference)).toBe(1)
      await sql.end({ timeout: 1 })
    }
    // One of them was the commit's, and what it had done was found.
    expect(replays).toBe(1)
  })
})

describe('who misuses it', () => {
  const call = { headers: new Headers(), pattern: '/v1/x', params: {}, body: {} }

  test('is told when a refund comes without its mode', async () => {
    const whose = { merchantId: lamps.merchantId, livemode: undefined }
    const headers = new Headers({ 'idempotency-key': 'k' })
    const work = once(
      to.api,
      { ...call, headers, whose },
      { isRefund: true, work: never, answer: () => ({ status: 200, body: {} }) },
    )
    expect(work).rejects.toThrow(TypeError)
  })

  test('a refund without a key is refused', async () => {
    const whose = { merchantId: lamps.merchantId, livemode: false }
    const work = once(
      to.api,
      { ...call, whose },
      { isRefund: true, work: never, answer: () => ({ status: 200, body: {} }) },
    )
    expect(work).rejects.toMatchObject({ code: 'idempotency_key_required' })
  })

  const never = () => Promise.reject(new Error('must not run'))
})

/** The harness tells nobody. */
const databaseUrl = () => {
  const { host, port, database, user, pass } = to.sql.options
  return `postgres://${user}:${encodeURIComponent(String(pass ?? ''))}@${host[0]}:${port[0]}/${database}`
}
