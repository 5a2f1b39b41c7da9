import { expect, test } from 'bun:test'
import { SignJWT } from 'jose'
import { authRoutes } from '../../src/http/auth.ts'
import { type ApiServer, type ApiServerOptions, apiServer } from '../harness/api.ts'
import { password, signedUp, type Visitor, visitor } from './visitor.ts'

const open = (options: Partial<ApiServerOptions> = {}) => apiServer({ routes: authRoutes, ...options })

const email = 'anna@lamps.example'

const signedIn = async (server: ApiServer, headers?: Readonly<Record<string, string>>): Promise<Visitor> => {
  const browser = visitor(server)
  await browser.post('sign-in', { email, password }, headers)
  return browser
}

test('a refresh needs the cookie and replaces it', async () => {
  await using server = await open()
  const browser = await signedUp(server)
  const first = browser.cookie
  const { status, body } = await browser.post('refresh')
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['accessToken', 'expiresIn', 'merchants', 'user'])
  expect(browser.cookie).not.toBe(first)
  const me = await browser.get('me')
  expect(me.status).toBe(200)
  expect(body).toMatchObject(me.body)
  browser.cookie = undefined
  expect((await browser.post('refresh')).code).toBe('invalid_token')
})

test('a browser can ask whether it is signed in without using its refresh cookie', async () => {
  await using server = await open()
  const browser = await signedUp(server)
  browser.bearer = undefined
  const signedIn = async (headers?: Record<string, string>) => {
    const { status, body } = await visitorWith(browser.cookie).get('session', headers)
    return [status, body]
  }
  const visitorWith = (cookie: string | undefined) => Object.assign(visitor(server), { cookie })
  for (let n = 0; n < 2; n++) expect(await signedIn()).toEqual([200, { signedIn: true }])
  expect(await signedIn({ 'sec-fetch-site': 'cross-site' })).toEqual([200, { signedIn: false }])
  expect((await visitorWith(undefined).get('session')).body).toEqual({ signedIn: false } as never)
  expect((await visitorWith('paymachine_refresh=x').get('session')).body).toEqual({ signedIn: false } as never)
  expect((await browser.post('refresh')).status).toBe(200)
  await browser.post('sign-out')
  expect(await signedIn()).toEqual([200, { signedIn: false }])
})

test('a request with two refresh cookies is answered 401, in any order, and ends no session', async () => {
  await using server = await open()
  const browser = await signedUp(server)
  const own = browser.cookie ?? ''
  const [name = ''] = own.split('=')
  // A page on another subdomain can write a cookie of the same name for the whole domain.
  const otherAccount = await signedIn(server)
  for (const other of [otherAccount.cookie ?? '', `${name}=x`, `${name}=`, own]) {
    for (const cookie of [`${own}; ${other}`, `${other}; ${own}`, `a=1; ${other};${own}; b=2`]) {
      const bearer = undefined
      for (const path of ['refresh', 'sign-out'])
        expect([cookie, (await Object.assign(visitor(server), { cookie, bearer }).post(path)).code]).toEqual([
          cookie,
          'invalid_token',
        ])
    }
  }
  expect((await browser.post('refresh')).status).toBe(200)
  expect((await otherAccount.post('refresh')).status).toBe(200)
})

test('a page of another origin cannot refresh or sign out with the cookie', async () => {
  await using server = await open({ env: { PUBLIC_URL: 'http://pay.example' } })
  const browser = await signedUp(server)
  browser.bearer = undefined
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'https://pay.example.evil.example' },
    { origin: 'http://pay.example:81' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://pay.example', 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of foreign)
    for (const path of ['refresh', 'sign-out']) {
      const { code, headers: answered } = await browser.post(path, undefined, headers)
      expect(code).toBe('invalid_token')
      expect([...answered.keys()].filter(name => name.startsWith('access-control-'))).toEqual([])
    }
  const own = [{}, { origin: 'http://pay.example', 'sec-fetch-site': 'same-origin' }, { origin: server.url }]
  for (const headers of own) expect((await browser.post('refresh', undefined, headers)).status).toBe(200)
})

test('over https the cookie is Secure and has a name that only https can write', async () => {
  await using server = await open({ env: { PUBLIC_URL: 'https://pay.example' } })
  const browser = visitor(server)
  const { headers } = await browser.post('sign-up', { email, password, merchantName: 'Lamps' })
  expect(headers.get('set-cookie')).toMatch(
    /^__Secure-paymachine_refresh=[\w-]{64}; Path=\/v1\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
  )
  expect((await browser.post('refresh')).status).toBe(200)
  browser.cookie = browser.cookie?.replace('__Secure-', '')
  expect((await browser.post('refresh')).code).toBe('invalid_token')
})

test('signing out ends only its own session, immediately', async () => {
  await using server = await open()
  const here = await signedUp(server)
  const there = await signedIn(server)
  expect((await here.get('me')).status).toBe(200)
  const { bearer, cookie } = here
  const { status, headers } = await here.post('sign-out')
  expect(status).toBe(204)
  expect(headers.get('set-cookie')).toStartWith('paymachine_refresh=; Path=/v1/auth; Max-Age=0;')
  expect((await here.get('me')).code).toBe('invalid_token')
  here.cookie = cookie
  expect((await here.post('refresh')).code).toBe('invalid_token')
  expect((await here.post('sign-out')).code).toBe('invalid_token')
  expect(here.bearer).toBe(bearer)
  expect((await there.get('me')).status).toBe(200)
})

test('signing out with an expired access token works by the cookie', async () => {
  await using server = await open()
  const browser = await signedUp(server)
  const { bearer } = browser
  browser.bearer = 'over'
  expect((await browser.post('sign-out', { everywhere: false })).status).toBe(204)
  browser.bearer = bearer
  expect((await browser.get('me')).code).toBe('invalid_token')
})

test('signing out everywhere ends all sessions of the account and no other', async () => {
  await using server = await open({ env: { SIGN_UP: 'open' } })
  const ben = await signedUp(server, 'ben@lamps.example')
  const here = await signedUp(server)
  const there = await signedIn(server)
  expect((await there.get('me')).status).toBe(200)
  expect((await here.post('sign-out', { everywhere: true })).status).toBe(204)
  for (const browser of [here, there]) {
    expect((await browser.get('me')).code).toBe('invalid_token')
    expect((await browser.post('refresh')).code).toBe('invalid_token')
  }
  expect((await ben.get('me')).status).toBe(200)
})

test('people see their sessions and can end any of them, and only their own', async () => {
  await using server = await open({ env: { SIGN_UP: 'open' } })
  const ben = await signedUp(server, 'ben@lamps.example')
  const here = await signedUp(server)
  const there = await signedIn(server, { 'user-agent': 'x'.repeat(400) })
  const { data = [] } = (await here.get('sessions')).body
  expect(data.map(({ current }) => current)).toEqual([false, true])
  expect(data[0]?.userAgent).toBe('x'.repeat(300))
  const [id] = data.map(each => each.id)
  expect((await ben.delete(`sessions/${id}`)).code).toBe('resource_not_found')
  expect((await here.delete('sessions/session_0')).code).toBe('resource_not_found')
  expect((await there.get('me')).status).toBe(200)
  expect((await here.delete(`sessions/${id}`)).status).toBe(204)
  expect((await there.get('me')).code).toBe('invalid_token')
  expect((await here.delete(`sessions/${id}`)).code).toBe('resource_not_found')
  expect((await here.get('sessions')).body.data).toHaveLength(1)
})

test('only tokens that this service has signed are accepted', async () => {
  await using server = await open()
  const browser = await signedUp(server)
  const token = browser.bearer ?? ''
  const [head = '', claims = '', signature = ''] = token.split('.')
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString())
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const signed = (key: Uint8Array, header: object, body: object = payload) =>
    new SignJWT({ ...body }).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid, ...header }).sign(key)
  const { key } = server.api.keyring.signing('access').current
  const forged = [
    '',
    'x',
    'a.b.c',
    `${part({ alg: 'none', typ: 'JWT', kid })}.${claims}.`,
    `${part({ alg: 'none', typ: 'JWT', kid })}.${claims}.${signature}`,
    `${head}.${part({ ...payload, exp: payload.exp + 9 })}.${signature}`,
    `${head}.${claims}.${signature.slice(0, -2)}AA`,
    await signed(new Uint8Array(32), {}),
    await signed(server.api.keyring.signing('refresh').current.key, {}),
    await signed(key, { kid: 'other' }),
    await signed(key, { kid: undefined }),
    await signed(key, { alg: 'HS512' }).catch(() => ''),
    await signed(key, {}, { ...payload, aud: 'another service' }),
    await signed(key, {}, { ...payload, iss: 'another service' }),
    await signed(key, {}, { ...payload, exp: undefined }),
    await signed(key, {}, { ...payload, exp: payload.iat }),
    await signed(key, {}, { ...payload, sub: crypto.randomUUID() }),
    await signed(key, {}, { ...payload, sid: crypto.randomUUID() }),
    browser.cookie?.split('=')[1] ?? '',
  ]
  for (const bearer of forged) {
    browser.bearer = bearer
    const { status, code } = await browser.get('me')
    expect([bearer, status, code]).toEqual([bearer, 401, 'invalid_token'])
  }
  browser.bearer = await signed(key, {})
  expect((await browser.get('me')).status).toBe(200)
})
