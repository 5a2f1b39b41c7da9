import { afterAll, expect, test } from 'bun:test'
import { auditLogRoutes } from '../../src/http/audit-log.ts'
import { settingsRoutes } from '../../src/http/settings.ts'
import { encodeId } from '../../src/ids.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { apiServer } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { expectNoCursors } from './lists.ts'
import { member, type Person, type Shop, shop } from './people.ts'

const server = await apiServer({ routes: [...auditLogRoutes, ...settingsRoutes] })
afterAll(() => server[Symbol.asyncDispose]())

type Page = { data: { id: string; action: string; details: unknown }[]; has_more: boolean }

const read = ({ path }: Shop, by: Person, query = '') =>
  server.call('GET', `${path}/audit-log${query}`, { bearer: by.bearer })
const page = async (lamps: Shop, query = '') => (await read(lamps, lamps.owner, query)).json as Page
const record = (sql: Sql, { merchantId }: Shop, action: string, n = 0) =>
  sql`select record_security_event(${merchantId}, null, 'operator', null, ${action}, json_build_object('n', ${n}::int))`

test('owners read who did what, from which address and when', async () => {
  const lamps = await shop(server.api)
  await server.call('PATCH', `${lamps.path}/settings`, {
    bearer: lamps.owner.bearer,
    json: { name: 'Lights' },
    // The test client is a trusted proxy.
    headers: { 'x-forwarded-for': '203.0.113.7' },
  })
  const answer = await read(lamps, lamps.owner)
  expect(answer.status).toBe(200)
  const at = expect.stringMatching(/^20\d\d-.*\.\d{3}Z$/)
  expect(answer.json).toEqual({
    object: 'list',
    data: [
      {
        object: 'security_event',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        merchantId: encodeId('mer', lamps.merchantId),
        actor: lamps.owner.id,
        email: lamps.owner.email,
        address: '203.0.113.7',
        action: 'settings.changed',
        details: { livemode: false, changed: { name: { from: 'Lamps', to: 'Lights' } } },
        createdAt: at,
        updatedAt: at,
      },
    ],
    has_more: false,
  })
})

test('what members do with their own account is in the audit log of each of their merchants, and of no other', async () => {
  const [lamps, second, other] = [
    await shop(server.api),
    await shop(server.api, 'Bulbs'),
    await shop(server.api, 'Candles'),
  ]
  const { accountId } = lamps.owner
  await server.sql`insert into members (merchant_id, account_id, role) values (${second.merchantId}, ${accountId}, 'viewer')`
  const signedIn = () =>
    server.sql`select record_security_event(null, ${accountId}, ${lamps.owner.id}, '127.0.0.1', 'session.signed_in')`
  await Promise.all(Array.from({ length: 10 }, signedIn))
  const seen = async (of: Shop) => (await page(of)).data.filter(({ action }) => action === 'session.signed_in').length
  expect([await seen(lamps), await seen(second), await seen(other)]).toEqual([10, 10, 0])
})

test.each(['developer', 'viewer'] as const)('a %s cannot read the audit log', async role => {
  const lamps = await shop(server.api)
  const answer = await read(lamps, await member(server.api, lamps, role))
  expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'insufficient_role' } }])
})

test('the audit log of a merchant contains nothing of other merchants or of no merchant', async () => {
  const lamps = await shop(server.api)
  const chairs = await shop(server.api, 'Chairs')
  await record(server.sql, chairs, 'settings.changed')
  expect((await page(lamps)).data).toEqual([])
  const [theirs] = (await page(chairs)).data
  const cursors = [theirs?.id ?? '', crypto.randomUUID(), 'x', lamps.owner.id]
  await expectNoCursors(query => read(lamps, lamps.owner, query), cursors)
})

test('pages follow one another in both orders, with and without a filter by action', async () => {
  const lamps = await shop(server.api)
  for (let n = 0; n < 7; n++) await record(server.sql, lamps, n % 2 === 0 ? 'even.number' : 'odd.number', n)
  const walk = async (query: string) => {
    const seen: unknown[] = []
    for (let cursor = ''; ; ) {
      const { data, has_more } = await page(lamps, `?limit=2${query}${cursor}`)
      seen.push(...data.map(({ details }) => details))
      if (!has_more) return seen
      cursor = `&startingAfter=${data.at(-1)?.id}`
    }
  }
  const numbers = (...ns: number[]) => ns.map(n => ({ n }))
  expect(await walk('')).toEqual(numbers(6, 5, 4, 3, 2, 1, 0))
  expect(await walk('&order=asc')).toEqual(numbers(0, 1, 2, 3, 4, 5, 6))
  expect(await walk('&action=odd.number')).toEqual(numbers(5, 3, 1))
  expect(await walk('&action=even.number&order=asc')).toEqual(numbers(0, 2, 4, 6))
  expect(await walk('&action=no.number')).toEqual([])
})

test('paging forward skips no entry while many are written at the same time', async () => {
  const lamps = await shop(server.api)
  const count = 300
  let writing = true
  const write = Promise.all(Array.from({ length: count }, (_, n) => record(server.sql, lamps, 'some.thing', n))).then(
    () => {
      writing = false
    },
  )
  const seen: string[] = []
  const step = async () => {
    const ended = !writing
    const cursor = seen.length > 0 ? `&startingAfter=${seen.at(-1)}` : ''
    const { data } = await page(lamps, `?order=asc&limit=100${cursor}`)
    seen.push(...data.map(({ id }) => id))
    return ended && data.length === 0
  }
  await until(step)
  await write
  expect(seen).toHaveLength(count)
  expect(new Set(seen).size).toBe(count)
})

test('an entry waits for earlier entries that are not committed yet, so entries appear in order', async () => {
  const lamps = await shop(server.api)
  const slow = connect(server.databaseUrl, { max: 1 })
  await slow`begin`
  await record(slow, lamps, 'some.thing', 1)
  const second = record(server.sql, lamps, 'some.thing', 2).then(() => 'written')
  await until(
    async () => (await server.sql`select from pg_locks where locktype = 'advisory' and not granted`).length === 1,
  )
  expect((await page(lamps)).data).toEqual([])
  await slow`commit`
  await second
  expect((await page(lamps, '?order=asc')).data).toMatchObject([{ details: { n: 1 } }, { details: { n: 2 } }])
  await slow.end()
})

test('invalid queries are refused', async () => {
  const lamps = await shop(server.api)
  for (const [query, code, param] of [
    ['?limit=0', 'parameter_invalid', 'limit'],
    ['?limit=101', 'parameter_invalid', 'limit'],
    ['?order=up', 'parameter_invalid', 'order'],
    ['?actor=operator', 'parameter_unknown', 'actor'],
    [`?action=${'x'.repeat(101)}`, 'parameter_invalid', 'action'],
  ]) {
    const answer = await read(lamps, lamps.owner, query)
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code, param } }])
  }
})
