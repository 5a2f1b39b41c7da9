import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect as dial } from 'node:net'
import { type } from 'arktype'
import { refuse } from '../../src/errors.ts'
import { forAnybody, type Route } from '../../src/http/route.ts'
import { connect } from '../../src/postgres/connect.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { readableLog } from '../harness/lines.ts'
import { until } from '../harness/until.ts'

const nowhere = connect('postgres://nobody@127.0.0.1:1/nowhere')

const fails = (name: string, fail: () => unknown): Route =>
  forAnybody('POST', {
    path: `/v1/fails/${name}`,
    body: () => type({ 'note?': 'string' }),
    handle: async () => fail() as never,
  })

const routes: readonly Route[] = [
  forAnybody('GET', {
    path: '/v1/lamps',
    query: () => type({ 'room?': 'string' }),
    handle: (_, { query, address }) => ({ status: 200, body: { object: 'list', ...query, address } }),
  }),
  forAnybody('POST', {
    path: '/v1/lamps',
    body: () => type({ room: 'string <= 9', 'watts?': 'number.integer', 'shade?': { 'colour?': 'string' } }),
    handle: (_, { body }) => ({ status: 201, body }),
  }),
  forAnybody('GET', { path: '/v1/lamps/:id', handle: (_, { params }) => ({ status: 200, body: params }) }),
  forAnybody('POST', { path: '/v1/lamps/:id/on', handle: () => ({ status: 204, headers: { 'x-lamp': 'on' } }) }),
  forAnybody('GET', {
    path: '/v1/endless',
    handle: () => ({ status: 200, text: new ReadableStream({ cancel: () => ended.resolve() }), headers: {} }),
  }),
  forAnybody('GET', {
    path: '/v1/text',
    handle: () => ({ status: 202, text: 'hello', headers: { 'x-a': 'b' } }),
  }),
  fails('withCause', () => {
    throw new Error('the lamp fell', { cause: new TypeError('the shelf broke') })
  }),
  fails('reading', () => JSON.parse('hunter2 is no JSON')),
  fails('casting', () => server.sql`select ${'hunter2'}::text::integer`),
  fails(
    'inserting',
    () => server.sql`insert into members (merchant_id, account_id, role) values (${nil}, ${nil}, 'hunter2')`,
  ),
  fails('connecting', () => nowhere`select 1`),
  fails('limited', () => refuse('rate_limited', { retryAfter: 7.2, quota: { allowed: 5, seconds: 60 } })),
]
const nil = '00000000-0000-0000-0000-000000000000'

const ended = Promise.withResolvers<void>()
const { log, lines, text } = readableLog()
let server: ApiServer

beforeAll(async () => {
  server = await apiServer({ routes, outside: { log } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await nowhere.end()
})

/** Sends a raw request that no HTTP client would send; returns status and body of the response. */
const sendRaw = async (head: string) => {
  const socket = dial(Number(new URL(server.url).port), '127.0.0.1')
  let answer = ''
  socket.on('data', bytes => {
    answer += bytes
  })
  socket.write(`${head}\r\n\r\n`)
  await until(() => answer.includes('\r\n\r\n'))
  socket.destroy()
  const [status = ''] = answer.split('\r\n')
  return `${status.split(' ')[1]} ${answer.slice(answer.indexOf('\r\n\r\n') + 4)}`
}

const refusal = (status: number, type: string, code: string, message: string, param?: string) => ({
  status,
  json: {
    error: { type, code, message, ...(param && { param }), requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  },
})

test('the body is parsed and passed to the route', async () => {
  const answer = await server.call('POST', '/v1/lamps', { json: { room: 'attic', shade: { colour: 'red' } } })
  expect(answer).toMatchObject({ status: 201, json: { room: 'attic', shade: { colour: 'red' } } })
  expect(await server.call('GET', '/v1/lamps?room=a%20b')).toMatchObject({ status: 200, json: { room: 'a b' } })
})

test('every response has its own request id and headers against caching and content sniffing', async () => {
  const asked = [
    ['GET', '/v1/lamps', 200],
    ['POST', '/v1/lamps/1/on', 204],
    ['GET', '/v1/text', 202],
    ['HEAD', '/v1/lamps', 200],
    ['POST', '/v1/lamps', 400],
    ['GET', '/nowhere', 404],
    ['OPTIONS', '/nowhere', 404],
    ['OPTIONS', '/v1/lamps', 405],
    ['POST', '/v1/fails/withCause', 500],
    ['POST', '/v1/fails/connecting', 503],
  ] as const
  const ids = new Set<string>()
  for (const [method, path, status] of asked) {
    const headers = { origin: 'https://evil.example', 'request-id': 'mine', 'x-request-id': 'mine' }
    const answer = await server.call(method, path, { headers })
    const rawAnswer = Object.fromEntries(answer.headers)
    expect([method, path, answer.status]).toEqual([method, path, status])
    expect(rawAnswer).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    expect(Object.keys(rawAnswer).filter(name => name.startsWith('access-control'))).toEqual([])
    const id = answer.headers.get('request-id') ?? ''
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    if (answer.json) expect(answer.text.includes('"error"') ? answer.text : id).toContain(id)
    ids.add(id)
  }
  expect(ids.size).toBe(asked.length)
})

test.each([
  ...['/v1/docs/../lamps', '/v1/%2e%2e/v1/lamps', '/v1/.%2E/v1/lamps', '/./v1/lamps', '/v1/lamps/.', '/v1/lamps/x/..'],
  ...[
    '/v1/x\\..\\lamps',
    '/v1\\lamps',
    'http://lamps.shop/x/../v1/lamps',
    '/v1/lamps#x',
    '/a/b/c/d/e/f/g/h/i/../../../../../../../../../v1/lamps',
  ],
])('the path %s matches no route', async path => {
  const rawAnswer = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: lamps.shop`)
  expect(rawAnswer).toStartWith('404 ')
  expect(rawAnswer).toContain('"code":"route_not_found"')
})

test.each(['::0:0:0:0:1.2.3.4', '::0:0:0:0:0.0.0.0%eth0', '[::0:0:0:0:1.2.3.4]:443', '1:2:3:4:5:6:7::', '::1%', 'x'])(
  'a request with X-Forwarded-For: %s gets a response',
  async hop => {
    const answer = await server.call('GET', '/v1/lamps', { headers: { 'x-forwarded-for': hop } })
    expect(answer).toMatchObject({ status: 200, json: { address: expect.any(String) } })
  },
)

test('dots in a name or a query are not treated as dot segments', async () => {
  expect(await sendRaw('GET /v1/lamps?room=/../x HTTP/1.1\r\nHost: lamps.shop')).toStartWith('200 ')
  expect(await sendRaw('POST /v1/lamps/..1/on HTTP/1.1\r\nHost: lamps.shop\r\nContent-Length: 0')).toStartWith('204 ')
})

test.each([
  ['https://pay.lamps.shop', 'max-age=31536000'],
  ['http://pay.lamps.shop', null],
])('with the PUBLIC_URL %s every answer has the Strict-Transport-Security %p', async (PUBLIC_URL, value) => {
  await using at = await apiServer({ routes, env: { PUBLIC_URL } })
  for (const path of ['/v1/lamps', '/v1/text', '/nowhere', '/v1/fails/withCause'])
    expect([path, (await at.call('GET', path)).headers.get('strict-transport-security')]).toEqual([path, value])
})

test('a response made by a route keeps its headers and body', async () => {
  const answer = await server.call('GET', '/v1/text')
  expect(answer).toMatchObject({ status: 202, text: 'hello' })
  expect(answer.headers.get('x-a')).toBe('b')
  expect((await server.call('POST', '/v1/lamps/1/on')).headers.get('x-lamp')).toBe('on')
})

test('HEAD responds like GET, without the body', async () => {
  const get = await server.call('GET', '/v1/lamps')
  const head = await server.call('HEAD', '/v1/lamps')
  expect(head).toMatchObject({ status: 200, text: '' })
  expect(head.headers.get('content-length')).toBe(String(get.text.length))
  expect((await server.call('HEAD', '/v1/lamps?x=1')).status).toBe(400)
  expect((await server.call('HEAD', '/v1/lamps/1')).status).toBe(200)
  expect((await server.call('HEAD', '/v1/lamps/1/on')).status).toBe(405)
})

test('HEAD gives the length of the GET response, whatever the path contains', async () => {
  const { text } = await server.call('GET', '/v1/lamps/1')
  const { headers } = await server.call('HEAD', '/v1/lamps/1')
  expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
})

test('HEAD of a stream ends the stream', async () => {
  expect((await server.call('HEAD', '/v1/endless')).status).toBe(200)
  await ended.promise
})

test('an unsupported method is answered 405 with the methods that the path supports', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const answer = await server.call(method, '/v1/lamps', { body: '{' })
    expect(answer).toMatchObject(
      refusal(405, 'invalid_request_error', 'method_not_allowed', 'The path does not support this method.'),
    )
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
  }
  expect((await server.call('GET', '/v1/lamps/1/on')).headers.get('allow')).toBe('POST')
  expect(await sendRaw('TRACE /v1/lamps HTTP/1.1\r\nHost: localhost')).toStartWith('405 ')
})

const paths: readonly [path: string, answer: number | object][] = [
  ['/v1/lamps/1', { id: '1' }],
  ['/v1/lamps/a%2Fb', { id: 'a/b' }],
  ['/v1/lamps/%41', { id: 'A' }],
  // Empty and unknown ids are answered like ids that do not exist.
  ['/v1/lamps/%00', { id: '' }],
  ['/v1/lamps/a%00b', { id: '' }],
  ['/v1/lamps/%ZZ', { id: '' }],
  ['/v1/lamps/%', { id: '' }],
  ['/v1/lamps/%ff', { id: '' }],
  ['/v1/lamps/%ed%a0%80', { id: '' }],
  ['/v1/lamps/', 404],
  ['//v1/lamps', 404],
  ['/v1//lamps', 404],
  ['/v1/lamps//on', 404],
  ['/v1%2Flamps', 404],
  ['/V1/lamps', 404],
  ['/v1/lamps;x', 404],
  ['/v1/lamps#x', 404],
  ['/v1/lamps/1/on/off', 404],
  ['/', 404],
  ['/__proto__', 404],
  ['/constructor', 404],
]

test.each(paths)('the path %s', async (path, answer) => {
  const rawAnswer = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: localhost`)
  if (typeof answer === 'number') expect(rawAnswer).toMatch(new RegExp(`^${answer} .*"route_not_found"`))
  else expect(rawAnswer).toBe(`200 ${JSON.stringify(answer)}`)
})

test('a path is found with any host', async () => {
  for (const host of ['a', 'ab', 'localhost:3000', 'a.very.long.name.example.com', '[::1]:3000', '[::'])
    expect(await sendRaw(`GET /v1/lamps/1 HTTP/1.1\r\nHost: ${host}`)).toBe('200 {"id":"1"}')
})

test('an invalid host is answered 400, not 500', async () => {
  for (const head of ['HTTP/1.1\r\nHost: a/b?c', 'HTTP/1.1\r\nHost: a#b', 'HTTP/1.0'])
    expect(await sendRaw(`GET /v1/lamps ${head}`)).toMatch(/^400 .*"parameter_invalid".*"param":"Host"/)
})

const wrongBodies: readonly [json: unknown, code: string, param: string | undefined][] = [
  [undefined, 'parameter_missing', 'room'],
  [{}, 'parameter_missing', 'room'],
  [{ rooom: 'hunter2' }, 'parameter_unknown', 'rooom'],
  [{ room: 'attic', shade: { color: 'hunter2' } }, 'parameter_unknown', 'shade.color'],
  [{ room: 'attic', 'hunter2 <b>': 1 }, 'parameter_unknown', undefined],
  [{ room: 'hunter2 hunter2' }, 'parameter_invalid', 'room'],
  [{ room: null }, 'parameter_invalid', 'room'],
  [{ room: 'attic', watts: '1' }, 'parameter_invalid', 'watts'],
  [{ room: 'attic', watts: 1.5 }, 'parameter_invalid', 'watts'],
  [{ room: 'attic', watts: 2 ** 53 }, 'parameter_invalid', 'watts'],
  [{ room: 'attic', constructor: 1 }, 'parameter_unknown', 'constructor'],
  [[], 'parameter_invalid', undefined],
  [null, 'parameter_invalid', undefined],
  ['hunter2', 'parameter_invalid', undefined],
]

test.each(wrongBodies.map(([json, ...rest]) => [JSON.stringify(json) ?? 'nothing', json, ...rest] as const))(
  'the body %s is refused with the name of the wrong parameter, and its value is not repeated',
  async (_, json, code, param) => {
    const answer = await server.call('POST', '/v1/lamps', json === undefined ? {} : { json })
    expect(answer.json).toMatchObject({ error: { code } })
    expect((answer.json as { error: { param?: string } }).error.param).toBe(param as string)
    expect([answer.status, answer.text.includes('hunter2')]).toEqual([400, false])
  },
)

const queries: readonly [query: string, code: string, param: string | undefined][] = [
  ['?color=hunter2', 'parameter_unknown', 'color'],
  ['?room=a&room=b', 'parameter_invalid', 'room'],
  ['?room=%00', 'parameter_invalid', 'room'],
  ['?__proto__=1', 'parameter_unknown', '__proto__'],
  ['?constructor=1', 'parameter_unknown', 'constructor'],
  ['?%00=1', 'parameter_unknown', undefined],
  ['?=1', 'parameter_unknown', undefined],
  ['?room[]=1', 'parameter_unknown', undefined],
]

test.each(queries)('the query %s is refused', async (query, code, param) => {
  const answer = await server.call('GET', `/v1/lamps${query}`)
  expect(answer).toMatchObject({ status: 400, json: { error: { code } } })
  expect((answer.json as { error: { param?: string } }).error.param).toBe(param as string)
})

test('a body announced as too large for the HTTP server is refused with our own error', async () => {
  const rawAnswer = await sendRaw('POST /v1/lamps HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000000')
  expect(rawAnswer).toMatch(/^413 .*"body_too_large"/)
})

test('a route without a declared body accepts none, or an empty one', async () => {
  const on = (options: object) => server.call('POST', '/v1/lamps/1/on', options)
  expect((await on({})).status).toBe(204)
  expect((await on({ json: {} })).status).toBe(204)
  expect(await on({ json: { watts: 1 } })).toMatchObject({
    status: 400,
    json: { error: { code: 'parameter_unknown' } },
  })
  expect(await on({ body: 'on' })).toMatchObject({ status: 415 })
  expect(await on({ json: 'a'.repeat(70_000) })).toMatchObject({ status: 413 })
})

test('an internal error is answered with a request id and logged with its causes', async () => {
  const answer = await server.call('POST', '/v1/fails/withCause', { json: { note: 'hunter2' } })
  expect(answer).toMatchObject({ status: 500, json: { error: { type: 'api_error', code: 'internal_error' } } })
  expect(answer.text).not.toContain('lamp')
  const requestId = answer.headers.get('request-id')
  const line = lines().find(one => one.requestId === requestId && one.level === 50)
  expect(line?.fault).toMatchObject({
    name: 'Error',
    message: 'the lamp fell',
    stack: expect.stringContaining('app.test.ts'),
    cause: { name: 'TypeError', message: 'the shelf broke' },
  })
})

test('a logged error contains nothing that the client sent', async () => {
  for (const name of ['reading', 'casting', 'inserting'])
    expect((await server.call('POST', `/v1/fails/${name}`)).status).toBe(500)
  expect(lines().filter(({ msg }) => msg === 'request failed').length).toBeGreaterThanOrEqual(3)
  expect(text()).toContain('members')
  expect(text()).not.toContain('hunter2')
})

test('an unreachable database is answered 503, with Retry-After', async () => {
  const answer = await server.call('POST', '/v1/fails/connecting')
  expect(answer).toMatchObject({ status: 503, json: { error: { type: 'api_error', code: 'service_unavailable' } } })
  expect(answer.headers.get('retry-after')).toBe('1')
})

test('Retry-After of a refusal is in whole seconds, rounded up', async () => {
  const answer = await server.call('POST', '/v1/fails/limited')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '8'])
  expect(answer.headers.get('ratelimit')).toBe('"attempts";r=0;t=8')
  expect(answer.headers.get('ratelimit-policy')).toBe('"attempts";q=5;w=60')
})

test('the log has one line per request, with the pattern of its path and nothing that the client sent', async () => {
  const query = await server.call('GET', '/v1/lamps?room=hunter2', {
    headers: { cookie: 'hunter2' },
    bearer: 'hunter2',
  })
  const path = await server.call('GET', '/v1/lamps/hunter2')
  const none = await server.call('GET', '/hunter2')
  const logLineOf = (id: string | null) =>
    lines().find(line => line.requestId === id && line.msg === 'request answered')
  expect(logLineOf(query.headers.get('request-id'))).toMatchObject({
    level: 20,
    method: 'GET',
    route: '/v1/lamps',
    status: 200,
  })
  expect(logLineOf(path.headers.get('request-id'))).toMatchObject({ route: '/v1/lamps/:id' })
  expect(logLineOf(none.headers.get('request-id'))).toMatchObject({ status: 404 })
  expect(text()).not.toContain('hunter2')
})

test('the client address is that of the connection, or what a trusted proxy reports', async () => {
  const address = async (headers: Record<string, string>) => (await server.call('GET', '/v1/lamps', { headers })).json
  expect(await address({})).toMatchObject({ address: '127.0.0.1' })
  expect(await address({ 'x-forwarded-for': '1.1.1.1, 198.51.100.1' })).toMatchObject({ address: '198.51.100.1' })
  expect(await address({ forwarded: 'for=1.1.1.1', 'x-real-ip': '1.1.1.1' })).toMatchObject({ address: '127.0.0.1' })
  await using withoutProxies = await apiServer({ routes, env: { TRUSTED_PROXIES: '' } })
  const answer = await withoutProxies.call('GET', '/v1/lamps', { headers: { 'x-forwarded-for': '198.51.100.1' } })
  expect(answer.json).toMatchObject({ address: '127.0.0.1' })
})
