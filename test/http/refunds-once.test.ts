import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import type { Api } from '../../src/http/api.ts'
import { disputeRoutes } from '../../src/http/disputes.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { type Database, database } from '../harness/database.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'
import { paid } from './payments.ts'
import { type Shop, shop } from './people.ts'

// Two servers on one database, like two processes behind one address.
let db: Database
let servers: readonly [ApiServer, ApiServer]
let lamps: Shop
let key: string
const opened = new AsyncDisposableStack()

const openServer = async (sql: Sql) =>
  opened.use(await apiServer({ routes: [...refundRoutes, ...disputeRoutes], env, outside: { sql } }))
const env = { API_RATE_LIMIT_TEST: '0' }

beforeAll(async () => {
  db = opened.use(await database())
  servers = [await openServer(db.sql), await openServer(db.sql)]
  lamps = await shop(api())
  key = (await insertKey(db.sql, lamps)).secret
})
afterAll(async () => {
  expect(await audit(db.sql, kinds)).toEqual([])
  await opened.disposeAsync()
})

const api = (): Api => servers[0].api

type Started = { readonly status: number; readonly text: string; readonly replayed: boolean; readonly code?: string }

const start = async (
  at: ApiServer,
  paymentId: string,
  { json = {}, idempotencyKey = crypto.randomUUID() }: { json?: object; idempotencyKey?: string } = {},
): Promise<Started> => {
  const headers = { 'idempotency-key': idempotencyKey }
  const answer = await at.call('POST', `/v1/payments/${paymentId}/refunds`, { json, bearer: key, headers })
  const { error } = answer.json as { error?: { code: string } }
  const replayed = answer.headers.get('idempotent-replayed') === 'true'
  return { status: answer.status, text: answer.text, replayed, ...(error && { code: error.code }) }
}

const count = (answers: readonly Started[]) => {
  const counts: Record<string, number> = {}
  for (const { status, code } of answers) {
    const name = `${status}${code ? ` ${code}` : ''}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const booksOf = async (payment: string) => {
  const [row] = await db.sql<{ received: number; reserved: number; refunds: number; sum: number }[]>`
    select received_minor::int as received, refunds_reserved_minor::int as reserved, r.*
    from payments p, lateral (
      select count(*)::int as refunds, coalesce(sum(amount_minor), 0)::int as sum from refunds where payment_id = p.id
    ) r
    where id = ${payment}`
  return row
}

const here = () => paid(api(), { ...lamps, livemode: false })
const anyServer = (n: number) => servers[n % 2 === 0 ? 0 : 1]

test.each<[string, object]>([
  ['of a part', { amountMinor: 30 }],
  ['of all that is left', {}],
  ['to an address', { amountMinor: 30, destination: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
])('a hundred identical refunds %s on two servers create one, and all get the same response', async (_, json) => {
  const { actor, id: paymentId } = await here()
  const idempotencyKey = crypto.randomUUID()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => start(anyServer(n), paymentId, { json, idempotencyKey })),
  )
  expect(count(answers)).toEqual({ '201': 100 })
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
  const sum = 'amountMinor' in json ? 30 : 1000
  expect(await booksOf(actor)).toEqual({ received: 1000, reserved: sum, refunds: 1, sum })
})

test('of a hundred different requests with one idempotency key on two servers one succeeds', async () => {
  const { actor, id: paymentId } = await here()
  const idempotencyKey = crypto.randomUUID()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      start(anyServer(n), paymentId, { json: { amountMinor: n + 1 }, idempotencyKey }),
    ),
  )
  expect(count(answers)).toEqual({ '201': 1, '422 idempotency_key_reused': 99 })
  expect(await booksOf(actor)).toMatchObject({ refunds: 1 })
})

test('a hundred different simultaneous refunds on two servers refund at most what was received', async () => {
  const { actor, id: paymentId } = await here()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => start(anyServer(n), paymentId, { json: { amountMinor: 30 } })),
  )
  expect(count(answers)).toEqual({ '201': 33, '422 refund_exceeds_remaining': 67 })
  expect(await booksOf(actor)).toEqual({ received: 1000, reserved: 990, refunds: 33, sum: 990 })
})

test('among simultaneous partial refunds, refunds of the rest take exactly what is left', async () => {
  for (let round = 0; round < 10; round++) {
    const { actor, id: paymentId } = await here()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        start(anyServer(n + (n >> 1)), paymentId, { json: n % 10 === 7 ? {} : { amountMinor: 17 } }),
      ),
    )
    const counts = count(answers)
    expect(counts['201']).toBeGreaterThan(0)
    expect((counts['201'] ?? 0) + (counts['422 refund_exceeds_remaining'] ?? 0)).toBe(30)
    expect(await booksOf(actor)).toMatchObject({ reserved: 1000, sum: 1000 })
  }
})

test('the amount of a canceled refund is refunded once, whichever request is first', async () => {
  const { actor, id: paymentId } = await here()
  const { text } = await start(servers[0], paymentId)
  const cancel = (at: ApiServer) =>
    at.call('POST', `${lamps.path}/refunds/${(JSON.parse(text) as { id: string }).id}/cancel`, {
      bearer: lamps.owner.bearer,
    })
  const parts = () =>
    Array.from({ length: 40 }, (_, n) => start(anyServer(n), paymentId, { json: { amountMinor: 100 } }))
  const [canceled, again] = await Promise.all([cancel(servers[0]), cancel(servers[1]), ...parts()])
  expect([canceled.status, again.status].sort()).toEqual([200, 409])
  const later = await Promise.all(parts())
  expect(later.every(({ status, code }) => status === 201 || code === 'refund_exceeds_remaining')).toBe(true)
  const [live] = await db.sql`
    select sum(amount_minor)::int as sum from refunds where payment_id = ${actor} and state <> 'canceled'`
  expect([live?.sum, (await booksOf(actor))?.reserved]).toEqual([1000, 1000])
})

test('when any database response is lost, the same request on another server returns what was done', async () => {
  const proxy = opened.use(await databaseProxy(db.url))
  const sql = opened.adopt(connect(proxy.url, { max: 1 }), pool => pool.end({ timeout: 1 }))
  const server = await openServer(sql)
  const moments = new Set<string>()
  const wanted = ['not done, 503', 'done, no response', 'done, and found by a query']
  // A refund reads five or six database responses. Which moment a loss hits depends on the other tests running.
  for (let heard = 0; heard < 8 || (heard < 40 && !wanted.every(moment => moments.has(moment))); heard++) {
    const { actor, id: paymentId } = await here()
    const request = { json: { amountMinor: 300 }, idempotencyKey: crypto.randomUUID() }
    const isDone = async () => (await booksOf(actor))?.refunds === 1
    await until(async () => (await server.call('GET', '/v1/refunds', { bearer: key })).status === 200)
    proxy.cutInsteadOfAnswer((heard % 8) + 1)
    let response: Started | undefined
    const first = start(server, paymentId, request).then(answer => {
      response = answer
    })
    // For a moment this server does not know the result of its commit; for other servers it seems dead.
    await until(async () => response || (await isDone()), { everyMs: 1 })
    const wasDone = await isDone()
    moments.add(`${wasDone ? 'done' : 'not done'}, ${response ? `${response.status}` : 'no response'}`)
    const second = await start(servers[1], paymentId, request)
    expect(second.status).toBe(201)
    if (wasDone) expect(second.replayed).toBe(true)
    await first
    if (wasDone && response?.replayed) moments.add('done, and found by a query')
    if (response?.status !== 503) expect([response?.status, response?.text]).toEqual([201, second.text])
    // When the response of a read is lost, the caller repeats the request.
    const third = await until(async () => {
      const answer = await start(server, paymentId, request)
      return answer.status === 201 && answer
    })
    expect([third.text, third.replayed]).toEqual([second.text, true])
    expect(await booksOf(actor)).toEqual({ received: 1000, reserved: 300, refunds: 1, sum: 300 })
  }
  for (const moment of wanted) expect(moments).toContain(moment)
})
