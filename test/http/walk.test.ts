import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { type Cast, castOf } from './cast.ts'
import { contentsOf } from './contents.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { fixtureOf } from './records.ts'

const nameOf = ({ method, path }: Route) => `${method} ${path}`
const open = routes.filter(({ access }) => access.by === 'anybody')
const guarded = routes.filter(({ access }) => access.by !== 'anybody')
const customers = open.filter(({ access }) => access.by === 'anybody' && access.checkout)
const withId = guarded.filter(({ path }) => path.replace(':merchantId', '').includes(':'))

let server: ApiServer
let cast: Cast
let before: Readonly<Record<string, string>>

beforeAll(async () => {
  server = await apiServer({
    routes,
    env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' },
  })
  cast = await castOf(server)
  before = await contentsOf(server.sql)
})
afterAll(() => server[Symbol.asyncDispose]())

type WrongCaller = { name: string; authorization?: string; merchant?: string; status: number; code: string }

const pathOf = ({ path }: Route, merchant: string, id = 'x') =>
  path.replace(':merchantId', merchant).replace(/:\w+/, id)

/** Callers that must be refused, and the response they get. */
const wrongCallers = ({ access }: Route): readonly WrongCaller[] => {
  const token = (name: string, bearer: string, status: number, code: string) => ({
    name,
    authorization: `Bearer ${bearer}`,
    status,
    code,
  })
  const { badKeys, badTokens, keys, shop, otherShop } = cast
  const none = access.by === 'key' ? 'missing_api_key' : 'invalid_token'
  const nobody: WrongCaller[] = [
    { name: 'nobody', status: 401, code: none },
    ...['', 'Bearer', 'Bearer ', 'Basic c2s6', keys.full, shop.owner.bearer, `Token ${keys.full}`].map(
      authorization => ({
        name: `a caller that sends ${JSON.stringify(authorization)}`,
        authorization,
        status: 401,
        code: none,
      }),
    ),
  ]
  if (access.by === 'key')
    return [
      ...nobody,
      ...Object.entries(badKeys).map(([name, key]) => token(`a key ${name}`, key, 401, 'invalid_api_key')),
      ...Object.entries(badTokens).map(([name, text]) => token(`a token ${name}`, text, 401, 'missing_api_key')),
      token('a signed-in owner', shop.owner.bearer, 401, 'missing_api_key'),
      token('a key without the scope', keys.without(access.scope), 403, 'insufficient_scope'),
      ...(access.testOnly ? [token('a live key', keys.live, 403, 'sandbox_only')] : []),
    ]
  const outsiders: WrongCaller[] = [
    ...nobody,
    ...Object.entries(badTokens).map(([name, text]) => token(`a token ${name}`, text, 401, 'invalid_token')),
    ...Object.entries({ ...badKeys, 'that is valid': keys.full }).map(([name, key]) =>
      token(`a key ${name}`, key, 401, 'invalid_token'),
    ),
  ]
  if (access.by === 'ticket')
    return [...outsiders, token('an operator without a ticket', cast.operator.bearer, 401, 'invalid_token')]
  if (access.by === 'operator')
    return [
      ...outsiders,
      token('a developer who is no operator', cast.developer.bearer, 403, 'insufficient_role'),
      token('an operator without a second factor', cast.weakOperator.bearer, 403, 'second_factor_required'),
      ...(access.stepUp
        ? [token('an operator without a recent proof', cast.staleOperator.bearer, 403, 'step_up_required')]
        : []),
    ]
  if (access.by !== 'member') return outsiders
  const low = [...(access.role === 'viewer' ? [] : [cast.viewer]), ...(access.role === 'owner' ? [cast.developer] : [])]
  return [
    ...outsiders,
    token('an owner of another merchant', otherShop.owner.bearer, 404, 'resource_not_found'),
    token('a former member', cast.removed.bearer, 404, 'resource_not_found'),
    ...low.map(person => token(person.email, person.bearer, 403, 'insufficient_role')),
    ...(access.stepUp
      ? [token('an owner without a recent proof', cast.staleOwner.bearer, 403, 'step_up_required')]
      : []),
  ]
}

const merchantId = () => cast.shop.path.split('/').at(-1) ?? ''

test('only signing in and what customers do needs no authentication', () => {
  expect(open.map(nameOf).sort()).toEqual([
    // Reports whether the caller's own cookie is valid.
    'GET /v1/auth/session',
    // For customers with the token of the invoice; rate limited by address.
    'GET /v1/checkout/invoices/:token',
    'GET /v1/checkout/invoices/:token/credit-notes/:id/document',
    'GET /v1/checkout/invoices/:token/document',
    'GET /v1/checkout/invoices/:token/stream',
    // For customers with the link; rate limited by address.
    'GET /v1/checkout/links/:linkId',
    // For customers with the client secret of the payment.
    'GET /v1/checkout/payments/:id',
    'GET /v1/checkout/payments/:id/stream',
    // For customers with the token of the subscription; rate limited by address.
    'GET /v1/checkout/subscriptions/:token',
    'GET /v1/checkout/subscriptions/:token/stream',
    // For browsers with the address of a download, which works once; rate limited by address.
    'GET /v1/exports/:token',
    // For callers with the URL of an inbox; rate limited by address.
    'POST /sandbox/inbox/:token',
    'POST /v1/auth/invites/accept',
    // For holders of the link; rate limited by address.
    'POST /v1/auth/invites/preview',
    'POST /v1/auth/refresh',
    'POST /v1/auth/sign-in',
    'POST /v1/auth/sign-out',
    'POST /v1/auth/sign-up',
    'POST /v1/checkout/invoices/:token/payments',
    'POST /v1/checkout/links/:linkId/payments',
    'POST /v1/checkout/payments/:id/asset',
    'POST /v1/checkout/payments/:id/simulate',
    'POST /v1/checkout/payments/:id/transaction',
    // For visitors of the page of the plan; rate limited by address.
    'POST /v1/checkout/plans/:planId/subscriptions',
  ])
  const limited = /^\/(v1\/checkout|v1\/exports|sandbox\/inbox)\//
  expect(customers.map(({ path }) => limited.test(path))).toEqual(customers.map(() => true))
})

test.each<[string, (access: Route['access']) => boolean]>([
  ['reads with a key', access => access.by === 'key' && access.scope.endsWith(':read')],
  ['changes something with a key', access => access.by === 'key' && !access.scope.endsWith(':read')],
  ['belongs to the sandbox', access => access.by === 'key' && access.testOnly === true],
  ['is for owners', access => access.by === 'member' && access.role === 'owner'],
  ['is for developers', access => access.by === 'member' && access.role === 'developer'],
  ['is for viewers', access => access.by === 'member' && access.role === 'viewer'],
  ['is for operators', access => access.by === 'operator'],
  ['needs a recent proof of identity', access => access.by === 'member' && access.stepUp === true],
])('there is a route that %s, so its refusals are tested below', (_, is) => {
  expect(guarded.some(({ access }) => is(access))).toBe(true)
})

test.each(guarded.map((route, index) => [nameOf(route), route, index] as const))(
  '%s refuses every wrong caller before it reads the request',
  async (_, route, index) => {
    const answers = []
    const wanted = []
    for (const { name, authorization, status, code } of wrongCallers(route)) {
      const answer = await server.call(route.method, `${pathOf(route, merchantId())}?undeclared=1`, {
        ...(route.method !== 'GET' && { body: '{"broken":' }),
        headers: {
          'content-type': 'application/json',
          // An own address for each request, because of the rate limits.
          'x-forwarded-for': `10.0.${index}.${name.length}`,
          ...(authorization !== undefined && { authorization }),
        },
      })
      answers.push(`${name}: ${answer.status} ${(answer.json as { error?: { code?: string } }).error?.code}`)
      wanted.push(`${name}: ${status} ${code}`)
    }
    expect(answers).toEqual(wanted)
  },
)

test.each(guarded.filter(({ access }) => access.by === 'member').map(route => [nameOf(route), route] as const))(
  '%s answers the member of another merchant as if the merchant did not exist',
  async (_, route) => {
    const { shop, otherShop, removed } = cast
    const ask = (bearer: string) => (merchant: string) =>
      server.call(route.method, pathOf(route, merchant), { bearer, ...(route.method !== 'GET' && { json: {} }) })
    const own = merchantId()
    const other = otherShop.path.split('/').at(-1) ?? ''
    const absent = await expectMissing(ask(shop.owner.bearer), [...namesNothing(own), other])
    for (const { bearer } of [otherShop.owner, removed]) expect(await expectMissing(ask(bearer), [own])).toBe(absent)
  },
)

test.each(withId.filter(({ access }) => access.by === 'operator').map(route => [nameOf(route), route] as const))(
  '%s answers 404 for an ID that does not exist',
  async (_, route) => {
    const json = route.method === 'GET' ? undefined : (fixtureOf(route)?.body ?? {})
    const ask = (id: string) =>
      server.call(route.method, pathOf(route, merchantId(), id), { bearer: cast.operator.bearer, json })
    await expectMissing(ask, namesNothing(`pay_${'0'.repeat(26)}`))
  },
)

test('refused callers have changed nothing', async () => {
  expect(await contentsOf(server.sql)).toEqual(before)
})

test.each(withId.filter(({ access }) => access.by !== 'operator').map(route => [nameOf(route), route] as const))(
  '%s answers 404 for the object of another merchant or mode',
  async (name, route) => {
    const fixture = fixtureOf(route)
    if (!fixture) throw new Error(`${name} has an id and no fixture in test/http/records.ts`)
    const byKey = route.access.by === 'key'
    const bearer = byKey ? cast.keys.full : cast.shop.owner.bearer
    const ask = (id: string) => {
      const json = route.method === 'GET' ? undefined : (fixture.body ?? {})
      // Refunds need an idempotency key. A refusal must leave it free, and it must be the first request with it.
      const headers = { 'idempotency-key': crypto.randomUUID() }
      return server.call(route.method, pathOf(route, merchantId(), id), { bearer, json, headers })
    }
    const make = (of = cast.shop, livemode = false) => fixture.make(server.api, of, livemode)

    const foreign = [await make(cast.otherShop), ...(byKey ? [await make(cast.shop, true)] : [])]
    const own = await make()
    const unchanged = await contentsOf(server.sql)
    await expectMissing(ask, [...namesNothing(own), ...foreign])
    expect(await contentsOf(server.sql)).toEqual(unchanged)
    // Otherwise the fixture would prove nothing.
    const { status } = await ask(own)
    expect(fixture.status ?? (status < 300 ? status : 'a success')).toBe(status)
  },
)
