import { expect, test } from 'bun:test'
import { authRoutes } from '../../src/http/auth.ts'
import { type ApiServerOptions, apiServer } from '../harness/api.ts'
import { hasId, password, signedUp, visitor } from './visitor.ts'

const openServer = (options: Partial<ApiServerOptions> = {}) =>
  apiServer({ routes: authRoutes, ...options, env: { SIGN_UP: 'open', ...options.env } })
const serverOpenForFirst = (options: Partial<ApiServerOptions> = {}) => apiServer({ routes: authRoutes, ...options })

const anna = { email: 'anna@lamps.example', password, merchantName: 'Lamps' }

test('signing up creates an account, its merchant and a session', async () => {
  await using server = await serverOpenForFirst()
  const browser = visitor(server)
  const { status, body, headers } = await browser.post('sign-up', { ...anna, email: ' Anna@Lamps.example ' })
  expect(status).toBe(201)
  expect(body).toEqual({
    accessToken: expect.any(String),
    expiresIn: 900,
    user: { id: expect.any(String), email: 'anna@lamps.example', mfaEnabled: false, operator: true },
    merchants: [{ id: expect.any(String), name: 'Lamps', role: 'owner' }],
  } as never)
  expect(hasId('usr', body.user?.id)).toBe(true)
  expect(hasId('mer', body.merchants?.[0]?.id)).toBe(true)
  expect(headers.get('set-cookie')).toMatch(
    /^paymachine_refresh=[\w-]{64}; Path=\/v1\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
  )
  const me = await browser.get('me')
  expect(me.body).toEqual({ user: body.user, merchants: body.merchants } as never)
})

test('the first account is an operator, and no other is', async () => {
  await using server = await openServer()
  // Each hashes a password: ten of them were too slow for a busy machine.
  const tries = Array.from({ length: 4 }, (_, i) =>
    visitor(server).post('sign-up', { ...anna, email: `anna${i}@lamps.example` }),
  )
  const answers = await Promise.all(tries)
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(201))
  expect(answers.map(({ body }) => body.user?.operator).toSorted()).toEqual([...Array(3).fill(false), true])
  const late = visitor(server)
  await late.post('sign-up', { ...anna, email: 'late@lamps.example' })
  const signedIn = await late.post('sign-in', { email: 'late@lamps.example', password })
  expect([signedIn.body.user?.operator, (await late.get('me')).body.user?.operator]).toEqual([false, false])
})

test('by default sign-up is open until the first account exists', async () => {
  await using server = await serverOpenForFirst()
  await signedUp(server)
  const second = await visitor(server).post('sign-up', { ...anna, email: 'ben@lamps.example' })
  expect([second.status, second.code]).toEqual([403, 'sign_up_closed'])
  // And no response reveals which accounts exist.
  expect((await visitor(server).post('sign-up', anna)).code).toBe('sign_up_closed')
})

test('of ten simultaneous first sign-ups one succeeds', async () => {
  await using server = await serverOpenForFirst()
  const tries = Array.from({ length: 10 }, (_, i) =>
    visitor(server).post('sign-up', { ...anna, email: `anna${i}@lamps.example` }),
  )
  const codes = (await Promise.all(tries)).map(({ code }) => code ?? 'signed up').sort()
  expect(codes).toEqual(['sign_up_closed', 'signed up'].flatMap((code, i) => Array(i ? 1 : 9).fill(code)))
  expect(await server.sql`select from accounts`).toHaveLength(1)
  expect(await server.sql`select from merchants`).toHaveLength(1)
})

test('with closed sign-up not even the first account can be created', async () => {
  await using server = await serverOpenForFirst({ env: { SIGN_UP: 'closed' } })
  expect((await visitor(server).post('sign-up', anna)).code).toBe('sign_up_closed')
})

test('the code printed at the start is required for the first account and for no other', async () => {
  await using server = await openServer({ signUpCode: 'k3v9-right' })
  const stranger = visitor(server)
  for (const wrong of [{}, { signUpCode: '' }, { signUpCode: 'k3v9-wrong' }])
    expect((await stranger.post('sign-up', { ...anna, ...wrong })).code).toBe('sign_up_closed')
  expect((await stranger.post('sign-up', { ...anna, signUpCode: 'k3v9-right' })).status).toBe(201)
  expect((await visitor(server).post('sign-up', { ...anna, email: 'ben@lamps.example' })).status).toBe(201)
})

test('one e-mail address in any spelling has one account, also with two simultaneous sign-ups', async () => {
  await using server = await openServer()
  const spellings = ['anna@lamps.example', 'ANNA@lamps.example ', 'Anna@LAMPS.example']
  const answers = await Promise.all(spellings.map(email => visitor(server).post('sign-up', { ...anna, email })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.code).toBe('email_taken')
  expect(await server.sql`select from merchants`).toHaveLength(1)
})

test('the rules for e-mail addresses, passwords and names', async () => {
  await using server = await openServer()
  const browser = visitor(server)
  const refused = [
    { email: 'anna' },
    { email: 'anna@' },
    { email: 'an na@lamps.example' },
    { email: 'a@b@c' },
    { email: `${'a'.repeat(250)}@b.cd` },
    { email: 'anna\u0000@lamps.example' },
    { email: 'anna\u200b\u0007@lamps.example' },
    { email: 7 },
    { password: 'nine char' },
    { password: '😀'.repeat(9) },
    { password: 'x'.repeat(1_001) },
    { password: 1234567890 },
    { merchantName: '   ' },
    { merchantName: 'x'.repeat(201) },
    { merchantName: '😀'.repeat(201) },
  ]
  for (const wrong of refused) {
    const { status, body } = await browser.post('sign-up', { ...anna, ...wrong })
    expect([status, body.error?.code, body.error?.param]).toEqual([400, 'parameter_invalid', ...Object.keys(wrong)])
  }
  expect((await browser.post('sign-up', { ...anna, admin: true })).code).toBe('parameter_unknown')
  expect((await browser.post('sign-up', { email: anna.email })).code).toBe('parameter_missing')
})

test('sign-ups are limited to thirty a minute per address', async () => {
  await using server = await openServer()
  await signedUp(server)
  const existing = visitor(server)
  await server.sql`insert into attempts select ${`sign-up:${existing.address}`}, now() from generate_series(1, 29)`
  expect((await existing.post('sign-up', anna)).code).toBe('email_taken')
  const { status, code, headers } = await existing.post('sign-up', anna)
  expect([status, code]).toEqual([429, 'rate_limited'])
  expect(Number(headers.get('retry-after'))).toBeWithin(1, 61)
  expect((await visitor(server).post('sign-up', anna)).code).toBe('email_taken')
})

test('sign-ins are limited to five a minute per account, also with the right password', async () => {
  await using server = await openServer()
  await signedUp(server)
  const { email } = anna
  for (let i = 0; i < 5; i++)
    expect((await visitor(server).post('sign-in', { email, password: i % 2 ? password : 'a wrong one' })).status).toBe(
      i % 2 ? 200 : 401,
    )
  const { status, code, headers } = await visitor(server).post('sign-in', { email: ' ANNA@lamps.example', password })
  expect([status, code]).toEqual([429, 'rate_limited'])
  expect(Number(headers.get('retry-after'))).toBeWithin(1, 61)
})

test('sign-ins are limited to five a minute per client address or IPv6 /64, over all accounts', async () => {
  await using server = await openServer()
  for (let i = 0; i < 5; i++) {
    const guess = { email: `nobody${i}@lamps.example`, password: 'a wrong one' }
    expect((await visitor(server, `2001:db8:1:2::${i}`).post('sign-in', guess)).code).toBe('invalid_credentials')
  }
  const guess = { email: 'nobody@lamps.example', password: 'a wrong one' }
  expect((await visitor(server, '2001:db8:1:2:ffff::1').post('sign-in', guess)).code).toBe('rate_limited')
  expect((await visitor(server, '2001:db8:1:3::1').post('sign-in', guess)).code).toBe('invalid_credentials')
})

test('an unknown account is answered and limited like a wrong password', async () => {
  await using server = await openServer()
  await signedUp(server)
  const answersFor = async (email: string) => {
    const answers = []
    for (let i = 0; i < 6; i++) {
      const { status, text, headers } = await visitor(server).post('sign-in', { email, password: 'a wrong one' })
      const named = [...headers].map(([name]) => name).sort()
      answers.push([status, text.replace(/"requestId":"[^"]*"/, ''), named])
    }
    return answers
  }
  expect(await answersFor('nobody@lamps.example')).toEqual(await answersFor(anna.email))
})

test('a new password ends every other session, and the old one is invalid', async () => {
  await using server = await openServer()
  const here = await signedUp(server)
  const there = visitor(server)
  await there.post('sign-in', anna.email ? { email: anna.email, password } : {})
  const change = { currentPassword: password, newPassword: 'another horse battery' }
  expect((await here.post('password', { ...change, currentPassword: 'a wrong one' })).code).toBe('invalid_credentials')
  expect((await here.post('password', { ...change, newPassword: 'short' })).code).toBe('parameter_invalid')
  expect((await here.post('password', change)).status).toBe(204)
  expect((await here.get('me')).status).toBe(200)
  expect((await here.post('refresh')).status).toBe(200)
  expect((await there.get('me')).code).toBe('invalid_token')
  expect((await there.post('refresh')).code).toBe('invalid_token')
  await server.sql`delete from attempts`
  const again = visitor(server)
  expect((await again.post('sign-in', { email: anna.email, password })).code).toBe('invalid_credentials')
  expect((await again.post('sign-in', { email: anna.email, password: change.newPassword })).status).toBe(200)
})

test('of two simultaneous password changes one succeeds', async () => {
  await using server = await openServer()
  const here = await signedUp(server)
  const change = (newPassword: string) => here.post('password', { currentPassword: password, newPassword })
  const answers = await Promise.all([change('another horse battery'), change('yet another battery')])
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 401])
})

test('five wrong passwords a minute from other networks do not lock the owner of the account out', async () => {
  await using server = await openServer()
  const home = await signedUp(server)
  const office = visitor(server, '2001:db8:0:7::1')
  expect((await office.post('sign-in', { email: anna.email, password })).status).toBe(200)
  await server.sql`delete from attempts`
  const guess = { email: anna.email, password: 'a wrong one' }
  for (let n = 0; n < 5; n++) expect((await visitor(server).post('sign-in', guess)).code).toBe('invalid_credentials')
  // All networks from which the account has not signed in share one limit.
  expect((await visitor(server).post('sign-in', guess)).code).toBe('rate_limited')

  const right = { email: anna.email, password }
  const sameNetwork = visitor(server, '2001:db8:0:7:ffff::2')
  for (let n = 0; n < 5; n++) expect((await visitor(server, home.address).post('sign-in', right)).status).toBe(200)
  for (let n = 0; n < 5; n++) expect((await sameNetwork.post('sign-in', right)).status).toBe(200)
  // Each known network has five checks as well.
  for (const each of [visitor(server, home.address), sameNetwork])
    expect((await each.post('sign-in', right)).code).toBe('rate_limited')
})

test('after 30 days a network no longer has its own limit', async () => {
  await using server = await openServer()
  const home = await signedUp(server)
  await server.sql`update sessions set created_at = now() - interval '30 days', last_used_at = now()`
  const guess = { email: anna.email, password: 'a wrong one' }
  for (let n = 0; n < 5; n++) await visitor(server).post('sign-in', guess)
  const again = visitor(server, home.address)
  expect((await again.post('sign-in', { email: anna.email, password })).code).toBe('rate_limited')
})

test('a refresh from another network does not count as a sign-in from there', async () => {
  await using server = await openServer()
  const home = await signedUp(server)
  const guess = { email: anna.email, password: 'a wrong one' }
  for (let n = 0; n < 5; n++) await visitor(server).post('sign-in', guess)
  const cafe = '198.51.100.7'
  expect((await home.post('refresh', undefined, { 'x-forwarded-for': cafe })).status).toBe(200)
  const right = { email: anna.email, password }
  expect((await visitor(server, cafe).post('sign-in', right)).code).toBe('rate_limited')
  expect((await visitor(server, home.address).post('sign-in', right)).status).toBe(200)
})

test('all kinds of password checks count together', async () => {
  await using server = await openServer()
  const here = await signedUp(server)
  const wrong = 'a wrong one'
  await visitor(server, here.address).post('sign-in', { email: anna.email, password: wrong })
  await visitor(server, here.address).post('sign-in', { email: anna.email, password: wrong })
  expect((await here.post('step-up', { password: wrong })).code).toBe('invalid_credentials')
  expect((await here.post('step-up', { password })).status).toBe(204)
  expect((await here.post('password', { currentPassword: wrong, newPassword: password })).code).toBe(
    'invalid_credentials',
  )
  expect((await here.post('step-up', { password })).code).toBe('rate_limited')
  expect((await here.post('password', { currentPassword: password, newPassword: password })).code).toBe('rate_limited')
  expect((await visitor(server, here.address).post('sign-in', { email: anna.email, password })).code).toBe(
    'rate_limited',
  )
})

test('a step-up proves the session for a while, and takes either a password or a code', async () => {
  await using server = await openServer()
  const here = await signedUp(server)
  await server.sql`update sessions set proven_at = now() - interval '6 minutes'`
  server.api.sessions.forgetAccount('')
  expect((await here.post('mfa/setup')).code).toBe('step_up_required')
  expect((await here.post('refresh')).status).toBe(200)
  expect((await here.post('mfa/setup')).code).toBe('step_up_required')
  expect((await here.post('step-up', {})).code).toBe('parameter_missing')
  expect((await here.post('step-up', { password, code: '123456' })).code).toBe('parameter_invalid')
  expect((await here.post('step-up', { code: '123456' })).code).toBe('invalid_mfa_code')
  expect((await here.post('step-up', { password })).status).toBe(204)
  expect((await here.post('mfa/setup')).status).toBe(200)
})

const guessable = [
  ...['1234567890', 'Qwertyuiop', 'Password123', 'p@ssw0rd2026!', '!!Welcome2026', 'aaaaaaaaaaaa', 'qwerty 12345'],
  ...['anna@lamps.example', 'ANNA@lamps.example', 'anna1234567', 'lamps.example', 'Lamps-2026-!', 'annalampsexample1'],
]

test('a common password, or one made from the e-mail address, is refused everywhere', async () => {
  await using server = await openServer()
  for (const wrong of guessable) {
    const { status, body } = await visitor(server).post('sign-up', { ...anna, password: wrong })
    expect([wrong, status, body.error?.code, body.error?.param]).toEqual([wrong, 400, 'parameter_invalid', 'password'])
  }
  const here = await signedUp(server)
  for (const newPassword of ['Password123', 'anna1234567']) {
    const { status, body } = await here.post('password', { currentPassword: password, newPassword })
    expect([status, body.error?.code, body.error?.param]).toEqual([400, 'parameter_invalid', 'newPassword'])
  }
  // None of these requests checked the current password.
  for (let n = 0; n < 5; n++) expect((await here.post('step-up', { password })).status).toBe(204)
})

test.each([
  'correct horse battery',
  'anna likes lamps',
  'k3v9-right-x',
  'Password of a lamp',
  '日本語のパスワードです',
])('the password %s is accepted', async text => {
  await using server = await openServer()
  expect((await visitor(server).post('sign-up', { ...anna, password: text })).status).toBe(201)
})
