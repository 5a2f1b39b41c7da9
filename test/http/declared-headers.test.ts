import { afterAll, beforeAll, expect, test } from 'bun:test'
import { documentOf } from '../../src/http/openapi/document.ts'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { encodeId } from '../../src/ids.ts'
import { pageRoutes } from '../../src/server/page-routes.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, apiServer, type CallOptions } from '../harness/api.ts'
import { makeLink } from './links.ts'
import { type Shop, shop } from './people.ts'
import { fixtureOf } from './records.ts'

const served: readonly Route[] = [...routes, ...pageRoutes(routes)]
const document = documentOf(served, 'https://pay.lamps.shop')
/** The headers that the document describes; it leaves out others, such as content-type. */
const explained = Object.entries<{ required?: boolean }>(Object(document.components.headers))

let server: ApiServer
let lamps: Shop
let key: string

beforeAll(async () => {
  server = await apiServer({ routes: served, env: { CHECKOUT_RATE_LIMIT: '500' } })
  lamps = await shop(server.api)
  key = (await insertKey(server.sql, lamps)).secret
})
afterAll(() => server[Symbol.asyncDispose]())

/** The described headers of a response, after checking that all of them are declared for it and none is missing. */
const headersOf = async (route: string, path: string, status: number, options: CallOptions = {}) => {
  const [method = '', pattern = ''] = route.split(' ')
  const answer = await server.call(method, path, options)
  expect([path, answer.status]).toEqual([path, status])
  const declared = Object.keys(document.paths[pattern]?.[method.toLowerCase()]?.responses[status]?.headers ?? {})
  const sent = explained.map(([name]) => name).filter(name => answer.headers.has(name))
  const required = explained.filter(([, { required }]) => required).map(([name]) => name)
  expect([path, sent.filter(name => !declared.includes(name))]).toEqual([path, []])
  expect([path, required.filter(name => !sent.includes(name))]).toEqual([path, []])
  return sent
}

const LIMITS = ['RateLimit', 'RateLimit-Policy']

test('every response to a customer has the rate limit headers', async () => {
  const { id } = await makeLink(server.api, { merchantId: lamps.merchantId, livemode: false })
  const closed = await makeLink(server.api, { merchantId: lamps.merchantId, livemode: false })
  await server.sql`update payment_links set state = 'deactivated', deactivated_at = now() where id = ${closed.link.id}`
  const fixture = fixtureOf({ method: 'GET', path: '/v1/checkout/payments/:id' })
  const payment = (await fixture?.make(server.api, lamps, false)) ?? ''
  const headers = fixture?.headers?.(payment) ?? {}
  const asked: readonly [route: string, path: string, status: number, options?: CallOptions][] = [
    ['GET /v1/checkout/links/{linkId}', `/v1/checkout/links/${id}`, 200],
    ['GET /v1/checkout/links/{linkId}', `/v1/checkout/links/${id}?x=1`, 400],
    ['GET /v1/checkout/links/{linkId}', `/v1/checkout/links/${encodeId('plink', crypto.randomUUID())}`, 404],
    ['POST /v1/checkout/links/{linkId}/payments', `/v1/checkout/links/${id}/payments`, 400, { json: {} }],
    ['GET /v1/checkout/payments/{id}', `/v1/checkout/payments/${payment}`, 200, { headers }],
    ['GET /v1/checkout/payments/{id}', `/v1/checkout/payments/${payment}`, 404],
    ['GET /pay/{linkId}', `/pay/${id}`, 200],
    ['GET /pay/{linkId}', '/pay/none', 404],
    ['GET /pay/{linkId}', `/pay/${closed.id}`, 410],
    ['GET /claims/{secret}', '/claims/none', 404],
    ['POST /claims/{secret}', '/claims/none', 415, { json: {} }],
  ]
  for (const [route, path, status, options] of asked)
    expect([path, status, await headersOf(route, path, status, options)]).toEqual([
      path,
      status,
      ['Request-Id', ...LIMITS],
    ])
})

test('every response to an API key has the rate limit headers, and the version unless the key is unknown', async () => {
  const ask = (status: number, query = '', options: CallOptions = {}) =>
    headersOf('GET /v1/payments', `/v1/payments${query}`, status, { bearer: key, ...options })
  const whole = ['Request-Id', ...LIMITS, 'Service-Version']
  expect(await ask(200)).toEqual(whole)
  expect(await ask(400, '?limit=0')).toEqual(whole)
  expect(await ask(400, '', { headers: { 'service-version': '2020-01-01' } })).toEqual(['Request-Id', ...LIMITS])
  expect(await ask(401, '', { bearer: 'sk_test_x' })).toEqual(['Request-Id', 'WWW-Authenticate'])
})

test('every response to a session has the rate limit headers', async () => {
  const { path, owner } = lamps
  const ask = (status: number, more = '', bearer = owner.bearer) =>
    headersOf('GET /v1/merchants/{merchantId}/payments', `${path}/payments${more}`, status, { bearer })
  expect(await ask(200)).toEqual(['Request-Id', ...LIMITS])
  expect(await ask(400, '?limit=0')).toEqual(['Request-Id', ...LIMITS])
  expect(await ask(401, '', 'x')).toEqual(['Request-Id', 'WWW-Authenticate'])
})

test('every caller above the limit gets the rate limit headers', async () => {
  await using server = await apiServer({ routes: served, env: { CHECKOUT_RATE_LIMIT: '1' } })
  const from = { headers: { 'x-forwarded-for': '198.51.100.1' } }
  for (let n = 0; n < 30; n++) await server.call('GET', '/v1/auth/me', from)
  const refused = await server.call('GET', '/v1/auth/me', from)
  expect(refused.status).toBe(429)
  for (const name of [...LIMITS, 'Retry-After']) {
    expect(refused.headers.has(name)).toBe(true)
    expect(document.paths['/v1/auth/me']?.get?.responses[429]?.headers).toHaveProperty(name)
  }
})
