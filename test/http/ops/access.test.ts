import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { TOTP } from 'otpauth'
import { manualClock } from '../../../src/clock.ts'
import { openSession } from '../../../src/commands/sessions.ts'
import { authRoutes } from '../../../src/http/auth.ts'
import { forOperators, type Route } from '../../../src/http/route.ts'
import { routes as allRoutes } from '../../../src/http/routes.ts'
import { insertKey } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { operator, person } from '../people.ts'
import { password, signedUp, visitor } from '../visitor.ts'

const routes: readonly Route[] = [
  ...authRoutes,
  forOperators('GET', {}, { path: '/v1/ops/lamps', handle: () => ({ status: 200, body: {} }) }),
  forOperators('POST', { stepUp: true }, { path: '/v1/ops/lamps', handle: () => ({ status: 201, body: {} }) }),
]

/** With any Host header, which `fetch` does not allow. */
const ask = async ({ url }: ApiServer, bearer: string, headers: Readonly<Record<string, string>> = {}) => {
  const asked = get(`${url}/v1/ops/lamps`, { headers: { authorization: `Bearer ${bearer}`, ...headers } })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const code = /"code":"(\w+)"/.exec(await text(answer))?.[1]
  return code === undefined ? String(answer.statusCode) : `${answer.statusCode} ${code}`
}

describe('on a server that only this machine can reach', () => {
  let server: ApiServer
  let weak: string
  let strong: string

  beforeAll(async () => {
    server = await apiServer({ routes, env: { TRUSTED_PROXIES: '' } })
    weak = (await operator(server.api, { secondFactor: false })).bearer
    strong = (await operator(server.api)).bearer
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('a session without a second factor is enough, if nothing forwarded the request', async () => {
    expect(await ask(server, weak)).toBe('200')
    expect(await ask(server, weak, { host: 'localhost:3000' })).toBe('200')
    expect(await ask(server, weak, { host: '[::1]' })).toBe('200')
  })

  test.each([
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', 'localhost'],
    ['x-forwarded-proto', 'http'],
    ['forwarded', 'for=127.0.0.1'],
    ['via', '1.1 proxy'],
    ['x-real-ip', '127.0.0.1'],
    ['cf-connecting-ip', '127.0.0.1'],
    ['x-original-forwarded-for', '127.0.0.1'],
    ['host', 'pay.lamps.shop'],
    ['host', 'localhost.lamps.shop'],
    ['host', '127.0.0.1.lamps.shop'],
    ['host', '192.0.2.1'],
  ])('with the header %s: %s it needs a second factor', async (name, value) => {
    expect(await ask(server, weak, { [name]: value })).toBe('403 second_factor_required')
    expect(await ask(server, strong, { [name]: value })).toBe('200')
  })

  test('the session must be that of an operator', async () => {
    const other = await person(server.api, 'olga@lamps.example')
    expect(await ask(server, other.bearer)).toBe('403 insufficient_role')
    await server.sql`update accounts set mfa_secret = 'x', mfa_enabled_at = now() where id = ${other.accountId}`
    await server.sql`update sessions set second_factor_at = now() + interval '1 s' where account_id = ${other.accountId}`
    server.api.sessions.forgetAccount(other.accountId)
    expect(await ask(server, other.bearer)).toBe('403 insufficient_role')
  })

  test('an API key is no session', async () => {
    for (const livemode of [false, true])
      expect(await ask(server, (await insertKey(server.sql, { livemode })).secret)).toBe('401 invalid_token')
  })
})

test.each([
  ['HOST', '0.0.0.0', 'http://localhost:3000'],
  ['HOST', '::', 'http://localhost:3000'],
  ['HOST', '192.0.2.1', 'http://localhost:3000'],
  ['HOST', 'lamps.shop', 'http://localhost:3000'],
  ['PUBLIC_URL', '127.0.0.1', 'https://pay.lamps.shop'],
  ['PUBLIC_URL', '127.0.0.1', 'http://192.0.2.1:3000'],
])('a %s that is not loopback requires a second factor (%s, %s)', async (_, HOST, PUBLIC_URL) => {
  await using server = await apiServer({ routes, env: { HOST, PUBLIC_URL } })
  const weak = await operator(server.api, { secondFactor: false })
  expect(await ask(server, weak.bearer)).toBe('403 second_factor_required')
  expect(await ask(server, (await operator(server.api)).bearer)).toBe('200')
})

test.each(['::1', 'localhost'])('HOST=%s is loopback', async HOST => {
  await using server = await apiServer({ routes, env: { HOST } })
  expect(await ask(server, (await operator(server.api, { secondFactor: false })).bearer)).toBe('200')
})

describe('a second factor', () => {
  const start = async () => {
    const clock = manualClock(new Date())
    const server = await apiServer({ routes, outside: { clock }, env: { HOST: '0.0.0.0' } })
    // The first account is an operator.
    const browser = await signedUp(server)
    const { secret = '' } = (await browser.post('mfa/setup')).body
    const code = () => new TOTP({ secret }).generate({ timestamp: clock.now().getTime() })
    const { body } = await browser.post('mfa/confirm', { code: code() })
    clock.advance(60_000)
    return { server, clock, browser, code, recovery: body.recoveryCodes ?? [] }
  }

  test('is given by a sign-in with a code, and by a step-up with a code, and not by a password', async () => {
    const { server, clock, browser, code, recovery } = await start()
    await using _ = server
    expect(await ask(server, browser.bearer ?? '')).toBe('403 second_factor_required')
    await browser.post('step-up', { password })
    expect(await ask(server, browser.bearer ?? '')).toBe('403 second_factor_required')
    await browser.post('step-up', { code: code() })
    expect(await ask(server, browser.bearer ?? '')).toBe('200')
    clock.advance(60_000)
    const other = visitor(server)
    const { body } = await other.post('sign-in', { email: 'anna@lamps.example', password, code: recovery[0] ?? '' })
    expect(await ask(server, body.accessToken ?? '')).toBe('200')
  })

  test('ends when it is turned off, and one that is set up later does not count for earlier sessions', async () => {
    const { server, clock, browser, code } = await start()
    await using _ = server
    await browser.post('step-up', { code: code() })
    expect(await ask(server, browser.bearer ?? '')).toBe('200')
    clock.advance(60_000)
    await browser.post('mfa/disable', { code: code() })
    server.api.sessions.forgetAccount('')
    expect(await ask(server, browser.bearer ?? '')).toBe('403 second_factor_required')
    const [{ id } = { id: '' }] = await server.sql<{ id: string }[]>`select id from accounts`
    await server.sql`update accounts set mfa_secret = 'x', mfa_enabled_at = clock_timestamp() where id = ${id}`
    server.api.sessions.forgetAccount('')
    expect(await ask(server, browser.bearer ?? '')).toBe('403 second_factor_required')
  })

  test('does not replace the step-up that a change requires', async () => {
    const { server, browser, code } = await start()
    await using _ = server
    await browser.post('step-up', { code: code() })
    const post = () => server.call('POST', '/v1/ops/lamps', { json: {}, bearer: browser.bearer ?? '' })
    expect((await post()).status).toBe(201)
    await server.sql`update sessions set proven_at = now() - interval '301 s'`
    expect((await post()).text).toContain('"step_up_required"')
  })
})

test('the right to operate ends within a second, also in other processes', async () => {
  await using server = await apiServer({ routes })
  const made = await operator(server.api)
  expect(await ask(server, made.bearer)).toBe('200')
  await server.sql`select set_operator(${made.accountId}, false, 'operator', null)`
  const until = performance.now() + 1_500
  while ((await ask(server, made.bearer)) === '200' && performance.now() < until) await Bun.sleep(50)
  expect(await ask(server, made.bearer)).toBe('403 insufficient_role')
})

test('a session that was opened in another way has no second factor', async () => {
  await using server = await apiServer({ routes, env: { HOST: '0.0.0.0' } })
  const made = await operator(server.api)
  const from = { address: '127.0.0.1', network: '127.0.0.1', userAgent: null }
  const { accessToken } = await openSession(server.api, made.accountId, from)
  expect(await ask(server, accessToken)).toBe('403 second_factor_required')
})

test('every route below /v1/ops is for operators, and no other route is', () => {
  const guarded = allRoutes
    .filter(({ access }) => access.by === 'operator' || access.by === 'ticket')
    .map(({ path }) => path)
  expect(guarded).toEqual(allRoutes.map(({ path }) => path).filter(path => path.startsWith('/v1/ops/')))
  expect(guarded.length).toBeGreaterThan(0)
})
