import { expect, test } from 'bun:test'
import { type } from 'arktype'
import { makeApiKey } from '../../src/access/api-key.ts'
import { openSession } from '../../src/commands/sessions.ts'
import { forAnybody, forKeys, forMembers, type Route } from '../../src/http/route.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, apiServer, type CallOptions } from '../harness/api.ts'
import { shop } from './people.ts'

const routes: readonly Route[] = [
  forAnybody('GET', { path: '/v1/door', handle: () => ({ status: 200, body: {} }) }),
  forKeys(
    'GET',
    { scope: 'payments:read' },
    { path: '/v1/lamps', handle: (_, { key }) => ({ status: 200, body: key }) },
  ),
  forKeys(
    'POST',
    { scope: 'refunds:write', testOnly: true },
    {
      path: '/v1/lamps',
      body: () => type({ room: 'string' }),
      query: () => type({ 'q?': 'string' }),
      handle: () => ({ status: 201, body: {} }),
    },
  ),
  forMembers(
    'GET',
    { role: 'viewer' },
    { path: '/v1/merchants/:merchantId/lamps', handle: () => ({ status: 200, body: {} }) },
  ),
]

const codeOf = ({ json }: { readonly json: unknown }) => (json as { error?: { code?: string } }).error?.code

/** A server whose rate limits use a clock set by the test, and its response to a valid request with the given changes. */
const start = async (env: Readonly<Record<string, string>> = {}) => {
  let second = 0
  const server = await apiServer({ routes, env, now: () => second * 1000 })
  const wait = (seconds: number) => {
    second += seconds
  }
  const post = (bearer: string, options: CallOptions = {}) =>
    server.call('POST', '/v1/lamps', { json: { room: 'attic' }, bearer, ...options })
  return { server, post, wait, sql: server.sql, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('checks are made in the documented order', async () => {
  await using at = await start({ API_RATE_LIMIT_TEST: '1' })
  const { secret } = await insertKey(at.sql)
  const read = await insertKey(at.sql, { scopes: ['payments:read'] })
  const live = await insertKey(at.sql, { livemode: true })
  const spent = await insertKey(at.sql)
  for (const _ of [1, 2]) await at.post(spent.secret)

  // The mistakes are removed one by one, in the order of the checks.
  const wrong = {
    headers: { 'service-version': '1999-01-01', 'content-type': 'text/plain' },
    body: 'x'.repeat(70_000),
    json: undefined,
  }
  const known = { ...wrong, headers: { 'content-type': 'text/plain' } }
  const json = { 'content-type': 'application/json' }
  const answers = [
    await at.server.call('PUT', '/v1/lamps', wrong),
    await at.server.call('POST', '/v1/lamps', wrong),
    await at.post('sk_test_wrong', wrong),
    await at.post(spent.secret, wrong),
    await at.post(spent.secret, known),
    await at.post(read.secret, known),
    await at.post(live.secret, known),
  ]
  expect(answers.map(answer => [answer.status, codeOf(answer)])).toEqual([
    [405, 'method_not_allowed'],
    [401, 'missing_api_key'],
    [401, 'invalid_api_key'],
    [400, 'invalid_api_version'],
    [429, 'rate_limited'],
    [403, 'insufficient_scope'],
    [403, 'sandbox_only'],
  ])

  await using calm = await start({ API_RATE_LIMIT_TEST: '0' })
  const full = await insertKey(calm.sql)
  const rest = [
    await calm.post(full.secret, known),
    await calm.post(full.secret, { ...known, body: 'x' }),
    await calm.post(full.secret, { headers: json, body: '{"room":', json: undefined }),
    await calm.post(full.secret, { headers: json, body: '{"rooom":1}', json: undefined }),
    await calm.post(full.secret),
  ]
  expect(rest.map(answer => [answer.status, codeOf(answer)])).toEqual([
    [413, 'body_too_large'],
    [415, 'unsupported_media_type'],
    [400, 'invalid_json'],
    [400, 'parameter_unknown'],
    [201, undefined],
  ])
  expect(secret).toStartWith('sk_test_')
})

test('an Authorization header that does not look like a key counts as no key; one that does is checked', async () => {
  await using at = await start()
  const { secret } = await insertKey(at.sql)
  const ask = async (authorization: string) =>
    codeOf(await at.server.call('GET', '/v1/lamps', { headers: { authorization } }))
  for (const none of [
    '',
    'Bearer',
    'Bearer  ',
    `Basic ${btoa(`${secret}:`)}`,
    secret,
    `bearer ${secret}`,
    `Bearer  ${secret}`,
    'Bearer pk_test_1',
  ])
    expect([none, await ask(none)]).toEqual([none, 'missing_api_key'])
  for (const bad of [
    'Bearer sk_',
    'Bearer sk_test_',
    `Bearer ${secret}x`,
    `Bearer ${secret} x`,
    `Bearer ${secret}, Bearer ${secret}`,
    `Bearer ${secret.toUpperCase().replace('SK_TEST', 'sk_test')}`,
  ])
    expect([bad, await ask(bad)]).toEqual([bad, 'invalid_api_key'])
  expect(await ask(`Bearer ${secret}`)).toBeUndefined()
})

test('the response to an unauthenticated request says how to authenticate', async () => {
  await using at = await start()
  expect((await at.server.call('GET', '/v1/lamps')).headers.get('www-authenticate')).toBe('Bearer')
  expect((await at.server.call('GET', '/v1/door')).headers.get('www-authenticate')).toBeNull()
})

test('a response names the API version of its key, and a request may choose a known one', async () => {
  await using at = await start()
  const { secret } = await insertKey(at.sql)
  const versions = async (headers: Record<string, string>) => {
    const answer = await at.server.call('GET', '/v1/lamps', { bearer: secret, headers })
    return [answer.status, answer.headers.get('service-version'), (answer.json as { apiVersion?: string }).apiVersion]
  }
  expect(await versions({})).toEqual([200, '2026-11-20', '2026-11-20'])
  expect(await versions({ 'service-version': '2026-11-20' })).toEqual([200, '2026-11-20', '2026-11-20'])
  for (const unknown of ['2026-11-21', '', 'latest', '2026-11-20, 2026-11-20'])
    expect(await versions({ 'service-version': unknown })).toEqual([400, null, undefined])
  const refused = await at.post(secret, { json: {} })
  expect([refused.status, refused.headers.get('service-version')]).toEqual([400, '2026-11-20'])
})

test('a key above its rate limit must wait, and every response says how many requests remain', async () => {
  await using at = await start({ API_RATE_LIMIT_TEST: '1', API_RATE_LIMIT_LIVE: '50' })
  const test = await insertKey(at.sql)
  const other = await insertKey(at.sql)
  const live = await insertKey(at.sql, { livemode: true })
  const ask = async ({ secret }: { secret: string }, options: CallOptions = {}) => {
    const { status, headers } = await at.server.call('GET', '/v1/lamps', { bearer: secret, ...options })
    return [status, headers.get('ratelimit'), headers.get('ratelimit-policy'), headers.get('retry-after')]
  }
  expect(await ask(test)).toEqual([200, '"test";r=1;t=1', '"test";q=2;w=2', null])
  // Refused requests count too, except those refused earlier.
  expect(await ask(test, { headers: { 'service-version': '1' } })).toEqual([
    400,
    '"test";r=1;t=1',
    '"test";q=2;w=2',
    null,
  ])
  const refused = await at.post(test.secret, { json: {} })
  expect([refused.status, refused.headers.get('ratelimit')]).toEqual([400, '"test";r=0;t=1'])
  expect(await ask(test)).toEqual([429, '"test";r=0;t=1', '"test";q=2;w=2', '1'])
  expect((await ask(other))[0]).toBe(200)
  at.wait(1)
  expect(await ask(test)).toEqual([200, '"test";r=0;t=1', '"test";q=2;w=2', null])
  expect((await ask(test))[0]).toBe(429)
  expect(await ask(live)).toEqual([200, '"live";r=99;t=1', '"live";q=100;w=2', null])
})

test('a limit of 0 means no limit', async () => {
  await using at = await start({ API_RATE_LIMIT_TEST: '0' })
  const { secret } = await insertKey(at.sql)
  const answers = await Promise.all(
    Array.from({ length: 300 }, () => at.server.call('GET', '/v1/lamps', { bearer: secret })),
  )
  expect(new Set(answers.map(({ status, headers }) => [status, headers.get('ratelimit')].join()))).toEqual(
    new Set(['200,']),
  )
})

const requestFrom = (server: ApiServer, address: string, bearer: string, path = '/v1/lamps') =>
  server.call('GET', path, { bearer, headers: { 'x-forwarded-for': address } })

const sendKey = async (server: ApiServer, address: string, times: number, path?: string) => {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push((await requestFrom(server, address, 'sk_test_wrong', path)).status)
  return statuses
}

test('an address that sends thirty invalid keys is refused for a while, also with a valid key', async () => {
  await using at = await start()
  const { secret } = await insertKey(at.sql)
  expect(await sendKey(at.server, '198.51.100.1', 31)).toEqual([...Array.from({ length: 30 }, () => 401), 429])
  const answer = await requestFrom(at.server, '198.51.100.1', secret)
  expect([answer.status, codeOf(answer), answer.headers.get('retry-after')]).toEqual([429, 'rate_limited', '2'])
  expect(answer.headers.get('ratelimit')).toBe('"unauthenticated";r=0;t=2')
  expect((await requestFrom(at.server, '198.51.100.2', secret)).status).toBe(200)
  at.wait(2)
  expect((await requestFrom(at.server, '198.51.100.1', secret)).status).toBe(200)
  expect(await sendKey(at.server, '198.51.100.1', 2)).toEqual([401, 429])
  // Routes without authentication are not affected.
  expect((await requestFrom(at.server, '198.51.100.1', '', '/v1/door')).status).toBe(200)
})

test('two hundred simultaneous requests from one address get at most thirty answers about their keys', async () => {
  await using at = await start()
  // Well-formed keys, so that each has to be looked up.
  const keys = Array.from({ length: 200 }, () => makeApiKey(false, at.server.api.random).secret)
  const answers = await Promise.all(keys.map(key => requestFrom(at.server, '198.51.100.9', key)))
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(30)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(170)
})

test('invalid session tokens count together with invalid keys', async () => {
  await using at = await start()
  const { path } = await shop(at.server.api)
  await sendKey(at.server, '198.51.100.1', 15)
  expect(await sendKey(at.server, '198.51.100.1', 16, `${path}/lamps`)).toEqual([
    ...Array.from({ length: 15 }, () => 401),
    429,
  ])
})

test('an IPv6 /64 counts as one address, and valid keys do not count', async () => {
  await using at = await start({ API_RATE_LIMIT_TEST: '0' })
  const { secret } = await insertKey(at.sql)
  for (let i = 0; i < 40; i++) expect((await requestFrom(at.server, '2001:db8:0:2::1', secret)).status).toBe(200)
  for (let i = 0; i < 30; i++) await sendKey(at.server, `2001:db8:0:1::${i}`, 1)
  expect((await requestFrom(at.server, '2001:db8:0:1:ffff::', secret)).status).toBe(429)
  expect((await requestFrom(at.server, '2001:db8:0:2::', secret)).status).toBe(200)
})

test('clients behind an undeclared proxy on this machine do not lock each other out so soon', async () => {
  await using at = await start({ TRUSTED_PROXIES: '' })
  expect(new Set(await sendKey(at.server, '198.51.100.1', 200))).toEqual(new Set([401]))
})

test('all sessions of an account share a rate limit, and every response says how many requests remain', async () => {
  await using at = await start({ API_RATE_LIMIT_LIVE: '2' })
  const lamps = await shop(at.server.api)
  const { accountId } = lamps.owner
  const network = { address: '10.0.0.1', network: '10.0.0.1', userAgent: null }
  const { accessToken } = await openSession(at.server.api, accountId, network)
  const ask = (bearer: string, path = lamps.path) => at.server.call('GET', `${path}/lamps`, { bearer })
  const first = await ask(lamps.owner.bearer)
  expect([first.status, first.headers.get('ratelimit'), first.headers.get('ratelimit-policy')]).toEqual([
    ...[200, '"session";r=3;t=1', '"session";q=4;w=2'],
  ])
  // Requests for what the account may not see count too.
  const other = await shop(at.server.api)
  expect((await ask(accessToken, other.path)).status).toBe(404)
  for (const bearer of [accessToken, lamps.owner.bearer]) expect((await ask(bearer)).status).toBe(200)
  const refused = await ask(accessToken)
  expect([refused.status, codeOf(refused), refused.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1'])
  expect((await ask(other.owner.bearer, other.path)).status).toBe(200)
  at.wait(1)
  expect((await ask(accessToken)).status).toBe(200)
})

test('with API_RATE_LIMIT_LIVE=0 sessions have no limit', async () => {
  await using at = await start({ API_RATE_LIMIT_LIVE: '0' })
  const { path, owner } = await shop(at.server.api)
  const { status, headers } = await at.server.call('GET', `${path}/lamps`, { bearer: owner.bearer })
  expect([status, headers.get('ratelimit')]).toEqual([200, null])
})
