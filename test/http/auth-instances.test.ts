import { afterAll, expect, test } from 'bun:test'
import { SECRET_KEY } from '../harness/api.ts'
import { database } from '../harness/database.ts'
import { startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { password, signedUp, type Visitor, visitor } from './visitor.ts'

// Two processes on one database, as behind a load balancer.
const opened = new AsyncDisposableStack()
const db = opened.use(await database())
const env = { DATABASE_URL: db.url, SECRET_KEY, ROLE: 'api', SIGN_UP: 'open', TRUSTED_PROXIES: '127.0.0.1' }
const [one, other] = await Promise.all([startMain(env), startMain(env)])
opened.use(one)
opened.use(other)
afterAll(() => opened.disposeAsync())

/** The same browser, whose next requests reach another server. */
const at = (server: { url: string }, { bearer, cookie, address }: Visitor): Visitor =>
  Object.assign(visitor(server, address), { bearer, cookie })

test('two servers count sign-ins together, and a session is valid on both', async () => {
  const here = await signedUp(one, 'anna@lamps.example')
  const there = at(other, here)
  expect((await there.get('me')).status).toBe(200)

  const guesses = Array.from({ length: 30 }, (_, i) =>
    visitor(i % 2 ? one : other).post('sign-in', { email: 'anna@lamps.example', password: 'a wrong one' }),
  )
  const codes = (await Promise.all(guesses)).map(({ code }) => code)
  expect(codes.filter(code => code === 'invalid_credentials')).toHaveLength(5)
  expect(codes.filter(code => code === 'rate_limited')).toHaveLength(25)

  const tabs = await Promise.all(Array.from({ length: 10 }, (_, i) => at(i % 2 ? one : other, here).post('refresh')))
  expect(new Set(tabs.map(({ headers }) => headers.get('set-cookie'))).size).toBe(1)
  expect(new Set(tabs.map(({ status }) => status))).toEqual(new Set([200]))

  expect((await here.post('sign-out')).status).toBe(204)
  const ended = performance.now()
  expect((await here.get('me')).code).toBe('invalid_token')
  await until(async () => (await there.get('me')).code === 'invalid_token', { timeoutMs: 3_000 })
  expect(performance.now() - ended).toBeLessThan(1_250)
})

test('an account created on one server can sign in on the other immediately', async () => {
  await signedUp(one, 'ben@lamps.example')
  const browser = visitor(other)
  expect((await browser.post('sign-in', { email: 'ben@lamps.example', password })).status).toBe(200)
  expect((await at(one, browser).get('me')).status).toBe(200)
})

test('a step-up on one server is valid on the other immediately', async () => {
  const here = await signedUp(one, 'carla@lamps.example')
  const there = at(other, here)
  await db.sql`update sessions set proven_at = proven_at - interval '1 hour'`
  // Until the proof from the sign-up has expired on both.
  await until(async () => (await there.post('mfa/setup')).code === 'step_up_required')
  expect((await here.post('step-up', { password })).status).toBe(204)
  expect((await there.post('mfa/setup')).status).toBe(200)
})

test('a proof of identity with a time in the future, as after the clock was set back, is not valid', async () => {
  const here = await signedUp(one, 'dora@lamps.example')
  await db.sql`update sessions set proven_at = proven_at + interval '1 hour'`
  await until(async () => (await here.post('mfa/setup')).code === 'step_up_required')
})

test('a person who was signed out everywhere a moment ago cannot create a key on another server', async () => {
  const here = await signedUp(one, 'emil@lamps.example')
  const there = at(other, here)
  const [merchant] = (await there.get('me')).body.merchants ?? []
  const makeKey = () =>
    fetch(`${other.url}/v1/merchants/${merchant?.id}/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${here.bearer}`, 'content-type': 'application/json' },
      body: '{"name":"mine","access":"full"}',
    })
  expect((await makeKey()).status).toBe(201)
  expect((await here.post('sign-out', { everywhere: true })).status).toBe(204)
  expect((await makeKey()).status).toBe(401)
})
