import { afterAll, beforeAll, expect, test } from 'bun:test'
import { decodeId } from '../src/ids.ts'
import { connect, type Sql } from '../src/postgres/connect.ts'
import { anvil } from './harness/anvil.ts'
import { type Database, database } from './harness/database.ts'
import { dataFolder } from './harness/embedded-parent.ts'
import { type Main, startMain } from './harness/main.ts'
import { until } from './harness/until.ts'
import { type Receiver, receiver } from './webhooks/receiver.ts'

// A whole process of the service, while another session has locked one row and does nothing.

const stack = new AsyncDisposableStack()
let db: Database
let main: Main
let hooks: Receiver
let lockingSession: Sql
let bearer: string
let of: string
let key: string

beforeAll(async () => {
  db = stack.use(await database())
  const chain = stack.use(await anvil({ mining: 'none' }))
  const folder = stack.use(dataFolder())
  hooks = stack.use(await receiver())
  lockingSession = stack.adopt(connect(db.url, { max: 1, name: 'psql' }), sql => sql.end({ timeout: 1 }))
  main = stack.use(
    await startMain({
      ...{ DATABASE_URL: db.url, DATA_DIR: folder.path, SECRET_KEY: 'a secret key for tests and for nothing else' },
      ...{ SANDBOX: 'on', SANDBOX_RPC_URL: chain.url, WEBHOOK_ALLOW: '127.0.0.0/8' },
      ...{ API_RATE_LIMIT_TEST: '0', CHECKOUT_RATE_LIMIT: '0' },
    }),
  )
  const signUp = { email: 'anna@lamps.shop', password: 'correct horse battery', merchantName: 'Lamps' }
  const anna = await post<{ accessToken: string; merchants: { id: string }[] }>('/v1/auth/sign-up', signUp)
  bearer = anna.accessToken
  of = `/v1/merchants/${anna.merchants[0]?.id}`
  key = (await post<{ secret: string }>(`${of}/api-keys`, { name: 'Shop', access: 'full' }, bearer)).secret
}, 60_000)
afterAll(() => stack.disposeAsync())

const ask = (method: string, path: string, token?: string, body?: object) =>
  fetch(main.url + path, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })

const post = async <T>(path: string, body: object, token?: string): Promise<T> => {
  const answer = await ask('POST', path, token, body)
  if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

const makeLink = async (fields: object = {}): Promise<string> =>
  (await post<{ id: string }>('/v1/payment-links', { amountMinor: 500, currency: 'USD', ...fields }, key)).id

const open = async (fields: object = {}): Promise<string> => openAt(await makeLink(fields))

const openAt = async (id: string): Promise<string> => {
  const customer = { customerEmail: 'ada@example.com', chainId: 31337, asset: 'TUSD' }
  return (await post<{ payment: { id: string } }>(`/v1/checkout/links/${id}/payments`, customer)).payment.id
}

const statusOf = async (id: string): Promise<unknown> =>
  ((await (await ask('GET', `/v1/payments/${id}`, key)).json()) as { status: unknown }).status

const become = (ids: readonly string[], status: string) =>
  until(async () => (await Promise.all(ids.map(statusOf))).every(each => each === status), {
    timeoutMs: 40_000,
    what: `${ids.length} payments with status ${status}`,
  })

/** Locks a row, does the work, and checks that the row was locked during all of it. */
const whileLocked = async (table: string, id: string, work: () => Promise<unknown>): Promise<void> => {
  const [held] = await lockingSession.unsafe(`begin; select id from ${table} where id = '${id}' for update`).values()
  expect(held).toBeDefined()
  try {
    await work()
    const free = await db.sql`select from ${db.sql(table)} where id = ${id} for update skip locked`
    expect(free).toHaveLength(0)
  } finally {
    await lockingSession.unsafe('rollback')
  }
}

const rowOf = (id: string): string => decodeId('pay', id) ?? ''

test.each([
  ['of links of their own', () => open],
  [
    'of the same link',
    async () =>
      (
        link => () =>
          openAt(link)
      )(await makeLink()),
  ],
])(
  'while one payment is locked, seven other paid payments succeed, %s',
  async (_, opener) => {
    const next = await opener()
    const ids: string[] = []
    for (let n = 0; n < 8; n++) ids.push(await next())
    const [locked = '', ...others] = ids
    await whileLocked('payments', rowOf(locked), async () => {
      for (const id of ids) await post(`/v1/sandbox/payments/${id}/simulate`, { scenario: 'paid' }, key)
      await become(others, 'success')
    })
    await become([locked], 'success')
  },
  120_000,
)

test('while one payment is locked, commands for others succeed, and those for the locked one get 503', async () => {
  const [locked, ...others] = [await open(), await open(), await open(), await open()]
  const cancel = async (id: string) => (await ask('POST', `${of}/payments/${id}/cancel`, bearer)).status
  await whileLocked('payments', rowOf(locked), async () => {
    const own = cancel(locked)
    const statuses = await Promise.all(others.map(cancel))
    expect(statuses).toEqual([200, 200, 200])
    expect(await own).toBe(503)
  })
  expect(await cancel(locked)).toBe(200)
}, 60_000)

test('while one payment is locked, the windows of eight others end', async () => {
  const ids = await Promise.all(Array.from({ length: 9 }, () => open({ windowMinutes: 5 })))
  const [locked = '', ...others] = ids
  await whileLocked('payments', rowOf(locked), async () => {
    // The row of the locked payment cannot be changed: its window has not ended.
    await db.sql`update payments set expires_at = now() - interval '1 second' where id = any(${others.map(rowOf)}::uuid[])`
    await become(others, 'expired')
  })
}, 60_000)

test('while one delivery is locked, the responses to others are recorded', async () => {
  hooks.answer('silence')
  await post(`${of}/webhook-endpoints`, { url: hooks.url, eventTypes: ['payment.canceled'], livemode: false }, bearer)
  const cancel = async (id: string) => post(`${of}/payments/${id}/cancel`, {}, bearer)
  await cancel(await open())
  await until(() => hooks.seen.length === 1, { what: 'the first request' })
  const [sending] = await db.sql<{ id: string }[]>`select id from deliveries where state = 'sending'`
  const delivered = async () => (await db.sql`select from deliveries where state = 'delivered'`).length
  await whileLocked('deliveries', sending?.id ?? '', async () => {
    hooks.answer(200)
    const others = await Promise.all(Array.from({ length: 5 }, () => open()))
    for (const id of others) await cancel(id)
    // The first request times out meanwhile, and its outcome is recorded with the others.
    await until(async () => (await delivered()) === 5, { timeoutMs: 40_000, what: 'five deliveries' })
    const attempt = async () =>
      (await db.sql`select from delivery_attempts where delivery_id = ${sending?.id ?? ''} and outcome is not null`)
        .length
    await until(async () => (await attempt()) === 1, { timeoutMs: 40_000, what: 'the recorded attempt' })
    for (const id of await Promise.all([open(), open()])) await cancel(id)
    await until(async () => (await delivered()) === 7, { timeoutMs: 40_000, what: 'seven deliveries' })
  })
  await until(async () => (await delivered()) === 8, { timeoutMs: 60_000, what: 'the delivery that was locked' })
}, 150_000)
