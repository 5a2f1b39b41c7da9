import { expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import { manualClock } from '../../src/clock.ts'
import { authRoutes } from '../../src/http/auth.ts'
import { apiServer } from '../harness/api.ts'
import { password, signedUp, visitor } from './visitor.ts'

const email = 'anna@lamps.example'

const start = async () => {
  const clock = manualClock(new Date())
  const server = await apiServer({ routes: authRoutes, outside: { clock } })
  const browser = await signedUp(server)
  return { ...server, clock, browser }
}

type Server = Awaited<ReturnType<typeof start>>

/** The code that an authenticator shows, `steps` time steps from now. */
const codeOf = (server: Server, secret: string, steps = 0) =>
  new TOTP({ secret }).generate({ timestamp: server.clock.now().getTime() + steps * 30_000 })

const wrongCode = (server: Server, secret: string) => {
  const validCodes = [-2, -1, 0, 1, 2].map(steps => codeOf(server, secret, steps))
  return ['000000', '000001', '000002', '000003', '000004', '000005'].find(code => !validCodes.includes(code)) ?? ''
}

/** MFA is enabled and the clock is a minute later, so that no time window contains the code that confirmed it. */
const serverWithMfa = async () => {
  const server = await start()
  const { secret = '' } = (await server.browser.post('mfa/setup')).body
  const { status, body } = await server.browser.post('mfa/confirm', { code: codeOf(server, secret) })
  if (status !== 200) throw new Error(`the confirmation was answered ${status}`)
  server.clock.advance(60_000)
  return { ...server, secret, recoveryCodes: body.recoveryCodes ?? [] }
}

const signIn = (server: Server, code?: string, address?: string) =>
  visitor(server, address).post('sign-in', { email, password, ...(code !== undefined && { code }) })

test('MFA is enabled by its first valid code, and ten recovery codes are shown once', async () => {
  await using server = await start()
  const { browser } = server
  expect((await browser.post('mfa/confirm', { code: '000000' })).code).toBe('state_conflict')
  const setup = await browser.post('mfa/setup')
  const secret = setup.body.secret ?? ''
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  const url = new URL(setup.body.otpauthUrl ?? '')
  expect([url.protocol, url.searchParams.get('secret'), url.searchParams.get('issuer')]).toEqual([
    'otpauth:',
    secret,
    'paymachine',
  ])
  expect((await browser.get('me')).body.user?.mfaEnabled).toBe(false)
  expect((await signIn(server)).status).toBe(200)
  expect((await browser.post('mfa/confirm', { code: wrongCode(server, secret) })).code).toBe('invalid_mfa_code')
  const { status, body } = await browser.post('mfa/confirm', { code: codeOf(server, secret) })
  expect(status).toBe(200)
  expect(new Set(body.recoveryCodes).size).toBe(10)
  expect((await browser.get('me')).body.user?.mfaEnabled).toBe(true)
  expect((await browser.post('mfa/setup')).code).toBe('state_conflict')
  expect((await browser.post('mfa/confirm', { code: codeOf(server, secret, 1) })).code).toBe('state_conflict')
})

test('a replaced secret confirms nothing', async () => {
  await using server = await start()
  const [first, second] = [await server.browser.post('mfa/setup'), await server.browser.post('mfa/setup')]
  const confirm = (secret = '') => server.browser.post('mfa/confirm', { code: codeOf(server, secret) })
  expect((await confirm(first.body.secret)).code).toBe('invalid_mfa_code')
  expect((await confirm(second.body.secret)).status).toBe(200)
})

test('with MFA the password alone is not enough, and only the right password reveals that MFA is enabled', async () => {
  await using server = await serverWithMfa()
  const required = await signIn(server)
  expect([required.status, required.code]).toEqual([401, 'mfa_required'])
  expect(required.headers.get('set-cookie')).toBeNull()
  const guess = await visitor(server).post('sign-in', { email, password: 'a wrong one' })
  expect(guess.code).toBe('invalid_credentials')
  expect((await signIn(server, wrongCode(server, server.secret))).code).toBe('invalid_mfa_code')
  expect((await signIn(server, codeOf(server, server.secret))).status).toBe(200)
})

test('a code is valid one time step early or late, and not further away', async () => {
  await using server = await serverWithMfa()
  // Oldest first: a code is invalid once a later one was used.
  for (const [steps, status] of [
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ] as const)
    expect([steps, (await signIn(server, codeOf(server, server.secret, steps))).status]).toEqual([steps, status])
})

test('a code is accepted once, also when five requests use it at the same time', async () => {
  await using server = await serverWithMfa()
  const code = codeOf(server, server.secret)
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(server, code)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
  // So that the limit does not refuse the others.
  await server.sql`delete from attempts`
  expect((await signIn(server, code)).code).toBe('invalid_mfa_code')
  // The code of an earlier step is invalid as well, once a later one was used.
  expect((await signIn(server, codeOf(server, server.secret, -1))).code).toBe('invalid_mfa_code')
  expect((await server.browser.post('step-up', { code })).code).toBe('invalid_mfa_code')
  expect((await server.browser.post('mfa/disable', { code })).code).toBe('invalid_mfa_code')
  expect((await signIn(server, codeOf(server, server.secret, 1))).status).toBe(200)
})

test('five wrong codes are allowed in five minutes, over all routes, and valid codes do not count', async () => {
  await using server = await serverWithMfa()
  const { browser, secret } = server
  const wrong = wrongCode(server, secret)
  expect((await browser.post('step-up', { code: codeOf(server, secret) })).status).toBe(204)
  expect((await signIn(server, wrong)).code).toBe('invalid_mfa_code')
  expect((await browser.post('step-up', { code: wrong })).code).toBe('invalid_mfa_code')
  expect((await browser.post('mfa/disable', { code: wrong })).code).toBe('invalid_mfa_code')
  expect((await browser.post('step-up', { code: 'not even one' })).code).toBe('invalid_mfa_code')
  expect((await browser.post('step-up', { code: '0000-0000-0000-0000' })).code).toBe('invalid_mfa_code')
  const right = codeOf(server, secret, 1)
  const limited = [
    await signIn(server, right),
    await browser.post('step-up', { code: right }),
    await browser.post('step-up', { code: server.recoveryCodes[0] }),
    await browser.post('mfa/disable', { code: right }),
  ]
  for (const { status, code, headers } of limited) {
    expect([status, code]).toEqual([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).toBeWithin(200, 301)
    expect(headers.get('ratelimit-policy')).toBe('"attempts";q=5;w=300')
  }
  await server.sql`update attempts set at = at - interval '301 seconds'`
  expect((await signIn(server, right)).status).toBe(200)
})

test('of forty simultaneous wrong codes five are checked', async () => {
  await using server = await serverWithMfa()
  const wrong = wrongCode(server, server.secret)
  const answers = await Promise.all(Array.from({ length: 40 }, () => server.browser.post('step-up', { code: wrong })))
  expect(answers.filter(({ code }) => code === 'invalid_mfa_code')).toHaveLength(5)
  expect(answers.filter(({ code }) => code === 'rate_limited')).toHaveLength(35)
})

test('a recovery code replaces a code, in any spelling, and is accepted once, also with simultaneous requests', async () => {
  await using server = await serverWithMfa()
  const [first = '', second = '', third = '', fourth = ''] = server.recoveryCodes
  const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(server, first)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  await server.sql`delete from attempts`
  expect((await server.browser.post('step-up', { code: second.toUpperCase().replaceAll('-', ' ') })).status).toBe(204)
  expect((await server.browser.post('step-up', { code: second })).code).toBe('invalid_mfa_code')
  expect((await signIn(server, third)).status).toBe(200)
  const used = await server.sql`select actor, address from security_events where action = 'mfa.recovery_code_used'`
  expect(used).toHaveLength(3)
  expect((await server.browser.post('mfa/disable', { code: fourth })).status).toBe(204)
  expect((await signIn(server)).status).toBe(200)
  expect(await server.sql`select from recovery_codes`).toHaveLength(0)
})

test('a code replaces the recovery codes: the old ones are no longer accepted, and one of the new ones is accepted once', async () => {
  await using server = await serverWithMfa()
  const [old = '', given = ''] = server.recoveryCodes
  const renew = (code: string) => server.browser.post('mfa/recovery-codes', { code })
  expect((await renew(wrongCode(server, server.secret))).code).toBe('invalid_mfa_code')
  const renewed = await renew(given)
  expect([renewed.status, new Set(renewed.body.recoveryCodes).size]).toEqual([200, 10])
  const [first = ''] = renewed.body.recoveryCodes ?? []
  expect((await signIn(server, old)).code).toBe('invalid_mfa_code')
  expect((await signIn(server, first)).status).toBe(200)
  expect((await signIn(server, first)).code).toBe('invalid_mfa_code')
  expect((await renew(codeOf(server, server.secret))).status).toBe(200)
  expect(await server.sql`select from recovery_codes where used_at is null`).toHaveLength(10)
  const logged = await server.sql`select from security_events where action = 'mfa.recovery_codes_replaced'`
  expect(logged).toHaveLength(2)
})

test('without MFA there are no recovery codes to replace', async () => {
  await using server = await start()
  expect((await server.browser.post('mfa/recovery-codes', { code: '000000' })).code).toBe('state_conflict')
})

test('the code sent within a minute after a right password does not count as another sign-in', async () => {
  await using server = await serverWithMfa()
  const address = '192.0.2.7'
  for (let i = 0; i < 2; i++) {
    expect((await signIn(server, undefined, address)).code).toBe('mfa_required')
    expect((await signIn(server, wrongCode(server, server.secret), address)).code).toBe('invalid_mfa_code')
    expect((await signIn(server, codeOf(server, server.secret), address)).status).toBe(200)
    server.clock.advance(30_000)
  }
  const subjects = await server.sql`select from attempts where subject = ${`password:${address}`}`
  expect(subjects).toHaveLength(2)
  for (let i = 0; i < 3; i++) expect((await signIn(server, undefined, address)).code).toBe('mfa_required')
  expect((await signIn(server, undefined, address)).code).toBe('rate_limited')
})

test('the allowance after a right password is used up by one wrong password, and that wrong password counts', async () => {
  await using server = await serverWithMfa()
  const address = '192.0.2.7'
  const guess = () => visitor(server, address).post('sign-in', { email, password: 'a wrong one', code: '000000' })
  expect((await signIn(server, undefined, address)).code).toBe('mfa_required')
  const guesses = await Promise.all(Array.from({ length: 20 }, guess))
  // One counted, one on the allowance, four more counted before the fifth.
  expect(guesses.filter(({ code }) => code === 'invalid_credentials').length).toBeWithin(4, 6)
  expect(guesses.filter(({ code }) => code === 'rate_limited').length).toBeWithin(15, 17)
  expect((await guess()).code).toBe('rate_limited')
})

test('disabling MFA needs a code, and then the password is enough', async () => {
  await using server = await serverWithMfa()
  expect((await server.browser.post('mfa/disable', { code: codeOf(server, server.secret) })).status).toBe(204)
  expect((await server.browser.get('me')).body.user?.mfaEnabled).toBe(false)
  expect((await server.browser.post('mfa/disable', { code: '000000' })).code).toBe('state_conflict')
  expect((await signIn(server)).status).toBe(200)
  const [account] = await server.sql`select mfa_secret from accounts`
  expect(account).toEqual({ mfa_secret: null })
})
