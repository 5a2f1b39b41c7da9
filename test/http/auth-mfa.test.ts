import { expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import { manualClock } from '../../src/clock.ts'
import { authRoutes } from '../../src/http/auth.ts'
import { apiServer } from '../harness/api.ts'
import { password, signedUp, visitor } from './visitor.ts'

const email = 'anna@lamps.example'

const start = async () => {
  const clock = manualClock(new Date())
  const house = await apiServer({ routes: authRoutes, outside: { clock } })
  const browser = await signedUp(house)
  return { ...house, clock, browser }
}

type House = Awaited<ReturnType<typeof start>>

/** The code that an authenticator shows, so many steps from now. */
const codeOf = (house: House, secret: string, steps = 0) =>
  new TOTP({ secret }).generate({ timestamp: house.clock.now().getTime() + steps * 30_000 })

const wrongCode = (house: House, secret: string) => {
  const near = [-2, -1, 0, 1, 2].map(steps => codeOf(house, secret, steps))
  return ['000000', '000001', '000002', '000003', '000004', '000005'].find(code => !near.includes(code)) ?? ''
}

/** Turned on, with the clock a minute later, so that the code that confirmed it is in no window. */
const protectedHouse = async () => {
  const house = await start()
  const { secret = '' } = (await house.browser.post('mfa/setup')).body
  const { status, body } = await house.browser.post('mfa/confirm', { code: codeOf(house, secret) })
  if (status !== 200) throw new Error(`confirming answered ${status}`)
  house.clock.advance(60_000)
  return { ...house, secret, recoveryCodes: body.recoveryCodes ?? [] }
}

const signIn = (house: House, code?: string, address?: string) =>
  visitor(house, address).post('sign-in', { email, password, ...(code !== undefined && { code }) })

test('MFA is on from its first right code, and shows ten recovery codes once', async () => {
  await using house = await start()
  const { browser } = house
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
  expect((await signIn(house)).status).toBe(200)
  expect((await browser.post('mfa/confirm', { code: wrongCode(house, secret) })).code).toBe('invalid_mfa_code')
  const { status, body } = await browser.post('mfa/confirm', { code: codeOf(house, secret) })
  expect(status).toBe(200)
  expect(new Set(body.recoveryCodes).size).toBe(10)
  expect((await browser.get('me')).body.user?.mfaEnabled).toBe(true)
  expect((await browser.post('mfa/setup')).code).toBe('state_conflict')
  expect((await browser.post('mfa/confirm', { code: codeOf(house, secret, 1) })).code).toBe('state_conflict')
})

test('a secret that has been replaced confirms nothing', async () => {
  await using house = await start()
  const [first, second] = [await house.browser.post('mfa/setup'), await house.browser.post('mfa/setup')]
  const confirm = (secret = '') => house.browser.post('mfa/confirm', { code: codeOf(house, secret) })
  expect((await confirm(first.body.secret)).code).toBe('invalid_mfa_code')
  expect((await confirm(second.body.secret)).status).toBe(200)
})

test('with MFA on, the password alone is not enough, and says so to nobody without it', async () => {
  await using house = await protectedHouse()
  const required = await signIn(house)
  expect([required.status, required.code]).toEqual([401, 'mfa_required'])
  expect(required.headers.get('set-cookie')).toBeNull()
  const guess = await visitor(house).post('sign-in', { email, password: 'a wrong one' })
  expect(guess.code).toBe('invalid_credentials')
  expect((await signIn(house, wrongCode(house, house.secret))).code).toBe('invalid_mfa_code')
  expect((await signIn(house, codeOf(house, house.secret))).status).toBe(200)
})

test('a code of the step before or after is right, of one further away it is not', async () => {
  await using house = await protectedHouse()
  // From the oldest on, since none is right after a later one.
  for (const [steps, status] of [
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ] as const)
    expect([steps, (await signIn(house, codeOf(house, house.secret, steps))).status]).toEqual([steps, status])
})

test('each code is right once, also when five bring it at once', async () => {
  await using house = await protectedHouse()
  const code = codeOf(house, house.secret)
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(house, code)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
  // Not the limit is to refuse the rest.
  await house.sql`delete from attempts`
  expect((await signIn(house, code)).code).toBe('invalid_mfa_code')
  // Nor is one of an earlier step, once a later one has been used.
  expect((await signIn(house, codeOf(house, house.secret, -1))).code).toBe('invalid_mfa_code')
  expect((await house.browser.post('step-up', { code })).code).toBe('invalid_mfa_code')
  expect((await house.browser.post('mfa/disable', { code })).code).toBe('invalid_mfa_code')
  expect((await signIn(house, codeOf(house, house.secret, 1))).status).toBe(200)
})

test('five wrong codes in five minutes, wherever they are given, and right ones do not count', async () => {
  await using house = await protectedHouse()
  const { browser, secret } = house
  const wrong = wrongCode(house, secret)
  expect((await browser.post('step-up', { code: codeOf(house, secret) })).status).toBe(204)
  expect((await signIn(house, wrong)).code).toBe('invalid_mfa_code')
  expect((await browser.post('step-up', { code: wrong })).code).toBe('invalid_mfa_code')
  expect((await browser.post('mfa/disable', { code: wrong })).code).toBe('invalid_mfa_code')
  expect((await browser.post('step-up', { code: 'not even one' })).code).toBe('invalid_mfa_code')
  expect((await browser.post('step-up', { code: '0000-0000-0000-0000' })).code).toBe('invalid_mfa_code')
  const right = codeOf(house, secret, 1)
  const limited = [
    await signIn(house, right),
    await browser.post('step-up', { code: right }),
    await browser.post('step-up', { code: house.recoveryCodes[0] }),
    await browser.post('mfa/disable', { code: right }),
  ]
  for (const { status, code, headers } of limited) {
    expect([status, code]).toEqual([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).toBeWithin(200, 301)
    expect(headers.get('ratelimit-policy')).toBe('"attempts";q=5;w=300')
  }
  await house.sql`update attempts set at = at - interval '301 seconds'`
  expect((await signIn(house, right)).status).toBe(200)
})

test('of forty wrong codes at once, five are looked at', async () => {
  await using house = await protectedHouse()
  const wrong = wrongCode(house, house.secret)
  const answers = await Promise.all(Array.from({ length: 40 }, () => house.browser.post('step-up', { code: wrong })))
  expect(answers.filter(({ code }) => code === 'invalid_mfa_code')).toHaveLength(5)
  expect(answers.filter(({ code }) => code === 'rate_limited')).toHaveLength(35)
})

test('a recovery code is right wherever a code is, however it is written, once, also in parallel', async () => {
  await using house = await protectedHouse()
  const [first = '', second = '', third = '', fourth = ''] = house.recoveryCodes
  const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(house, first)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  await house.sql`delete from attempts`
  expect((await house.browser.post('step-up', { code: second.toUpperCase().replaceAll('-', ' ') })).status).toBe(204)
  expect((await house.browser.post('step-up', { code: second })).code).toBe('invalid_mfa_code')
  expect((await signIn(house, third)).status).toBe(200)
  const used = await house.sql`select actor, address from security_events where action = 'mfa.recovery_code_used'`
  expect(used).toHaveLength(3)
  expect((await house.browser.post('mfa/disable', { code: fourth })).status).toBe(204)
  expect((await signIn(house)).status).toBe(200)
  expect(await house.sql`select from recovery_codes`).toHaveLength(0)
})

test('the code that follows a right password within its minute is not counted as another try', async () => {
  await using house = await protectedHouse()
  const address = '192.0.2.7'
  for (let i = 0; i < 2; i++) {
    expect((await signIn(house, undefined, address)).code).toBe('mfa_required')
    expect((await signIn(house, wrongCode(house, house.secret), address)).code).toBe('invalid_mfa_code')
    expect((await signIn(house, codeOf(house, house.secret), address)).status).toBe(200)
    house.clock.advance(30_000)
  }
  const subjects = await house.sql`select from attempts where subject = ${`password:${address}`}`
  expect(subjects).toHaveLength(2)
  for (let i = 0; i < 3; i++) expect((await signIn(house, undefined, address)).code).toBe('mfa_required')
  expect((await signIn(house, undefined, address)).code).toBe('rate_limited')
})

test('a pass is worth no guess: with it a wrong password is counted, and it is gone', async () => {
  await using house = await protectedHouse()
  const address = '192.0.2.7'
  const guess = () => visitor(house, address).post('sign-in', { email, password: 'a wrong one', code: '000000' })
  expect((await signIn(house, undefined, address)).code).toBe('mfa_required')
  const guesses = await Promise.all(Array.from({ length: 20 }, guess))
  // One that is counted, one pass, four more that are counted before the fifth.
  expect(guesses.filter(({ code }) => code === 'invalid_credentials').length).toBeWithin(4, 6)
  expect(guesses.filter(({ code }) => code === 'rate_limited').length).toBeWithin(15, 17)
  expect((await guess()).code).toBe('rate_limited')
})

test('turning MFA off takes a code, and then a password is enough', async () => {
  await using house = await protectedHouse()
  expect((await house.browser.post('mfa/disable', { code: codeOf(house, house.secret) })).status).toBe(204)
  expect((await house.browser.get('me')).body.user?.mfaEnabled).toBe(false)
  expect((await house.browser.post('mfa/disable', { code: '000000' })).code).toBe('state_conflict')
  expect((await signIn(house)).status).toBe(200)
  const [account] = await house.sql`select mfa_secret from accounts`
  expect(account).toEqual({ mfa_secret: null })
})
