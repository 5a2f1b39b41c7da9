import { afterAll, expect, test } from 'bun:test'
import { openKeyCache } from '../../src/access/key-cache.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { list, make, post, startServer, use } from './api-keys.ts'
import { forgetProof, member, shop } from './people.ts'

const server = await startServer()
afterAll(() => server[Symbol.asyncDispose]())

test('a new key is shown with its secret once, is valid, and is listed without its secret', async () => {
  const lamps = await shop(server.api)
  const { secret, ...made } = await make(server, lamps, { name: ' Web shop ' })
  expect(made).toMatchObject({
    name: 'Web shop',
    livemode: false,
    scopes: ['*'],
    last4: secret.slice(-4),
    revokedAt: null,
  })
  expect(secret).toStartWith(`sk_test_${made.tag}`)
  expect(await use(server, secret)).toBe(200)
  expect((await list(server, lamps)).data).toEqual([made])
  expect((await list(server, lamps, '?livemode=true')).data).toEqual([])
  expect(JSON.stringify(await server.sql`select * from api_keys, security_events`)).not.toContain(secret.slice(14, 66))
})

test.each([
  ['full', ['*']],
  ['store_plugin', ['payments:read', 'payment_links:write']],
  ['read_only', ['payments:read']],
] as const)('access %s stands for its scopes', async (access, scopes) => {
  expect((await make(server, await shop(server.api), { access })).scopes).toEqual([...scopes])
})

test('a key can have its own scopes, mode and expiry', async () => {
  const lamps = await shop(server.api)
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const scopes = ['refunds:write', 'refunds:write', 'disputes:write']
  const { secret, ...key } = await make(server, lamps, { access: undefined, scopes, livemode: true, expiresAt })
  expect(key).toMatchObject({ scopes: ['refunds:write', 'disputes:write'], livemode: true, expiresAt })
  expect(secret).toStartWith('sk_live_')
  expect(await use(server, secret)).toBe(403)
})

test.each<[string, object, string, string]>([
  ['no name', { name: undefined }, 'parameter_missing', 'name'],
  ['an empty name', { name: ' ' }, 'parameter_invalid', 'name'],
  ['a name too long', { name: 'x'.repeat(201) }, 'parameter_invalid', 'name'],
  ['neither access nor scopes', { access: undefined }, 'parameter_missing', 'access'],
  ['both', { scopes: ['*'] }, 'parameter_invalid', 'scopes'],
  ['an unknown access', { access: 'root' }, 'parameter_invalid', 'access'],
  ['no scopes', { access: undefined, scopes: [] }, 'parameter_invalid', 'scopes'],
  ['an unknown scope', { access: undefined, scopes: ['payments:write'] }, 'parameter_invalid', 'scopes.0'],
  ['a mode as text', { livemode: 'true' }, 'parameter_invalid', 'livemode'],
  ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00.000Z' }, 'parameter_invalid', 'expiresAt'],
  ['an expiry without a time zone', { expiresAt: '2099-01-01T00:00:00' }, 'parameter_invalid', 'expiresAt'],
  ['an expiry that is no valid time', { expiresAt: '2099-13-41T00:00:00Z' }, 'parameter_invalid', 'expiresAt'],
  ['an unknown field', { secret: 'sk_test_mine' }, 'parameter_unknown', 'secret'],
])('%s creates no key', async (_, json, code, param) => {
  const lamps = await shop(server.api)
  const answer = await post(server, lamps, lamps.owner, { name: 'Shop', access: 'full', ...json })
  expect(answer).toMatchObject({ status: 400, error: { code, param } })
  expect((await list(server, lamps)).data).toEqual([])
})

test('developers create keys, viewers list them, and both must first prove their identity', async () => {
  const lamps = await shop(server.api)
  const developer = await member(server.api, lamps, 'developer')
  const viewer = await member(server.api, lamps, 'viewer')
  const json = { name: 'Shop', access: 'full' }
  expect((await post(server, lamps, developer, json)).status).toBe(201)
  expect((await post(server, lamps, viewer, json)).error?.code).toBe('insufficient_role')
  expect((await list(server, { ...lamps, owner: viewer })).data).toHaveLength(1)
  await forgetProof(server.api, developer)
  expect((await post(server, lamps, developer, json)).error?.code).toBe('step_up_required')
})

test('paging through the list includes every key created meanwhile', async () => {
  const lamps = await shop(server.api)
  const making = Promise.all(Array.from({ length: 40 }, (_, n) => make(server, lamps, { name: String(n) })))
  const seen: string[] = []
  await until(async () => {
    const after = seen.length > 0 ? `&startingAfter=${seen.at(-1)}` : ''
    for (const { id } of (await list(server, lamps, `?order=asc&limit=3${after}`)).data) seen.push(id)
    return seen.length >= 40
  })
  expect(seen.toSorted()).toEqual((await making).map(({ id }) => id).toSorted())
  const newest = await list(server, lamps, '?limit=2')
  expect(newest).toMatchObject({ has_more: true, data: [{ id: seen.at(-1) }, { id: seen.at(-2) }] })
})

test("a key gets its position in the list under the merchant's lock, so that none appears before an earlier one", async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const other = connect(server.databaseUrl, { max: 1 })
  await other`begin`
  await other`select from merchants where id = ${lamps.merchantId} for no key update`
  const making = make(server, lamps)
  await until(async () => (await server.sql`select from pg_locks where not granted`).length > 0)
  const [place] =
    await server.sql`select pg_sequence_last_value(pg_get_serial_sequence('api_keys', 'seq')::regclass) as last`
  expect(place?.last).toBeNull()
  await other`commit`
  await other.end()
  expect((await making).id).toStartWith('key_')
})

test('a key created in one process is valid in another immediately, and its use there is shown here', async () => {
  const lamps = await shop(server.api)
  const elsewhere = openKeyCache({ sql: server.sql, log: openLog('silent') })
  const { secret } = await make(server, lamps)
  expect(await elsewhere.find(secret)).toBeDefined()
  await elsewhere.stop()
  expect((await list(server, lamps)).data[0]?.lastUsedAt).toBeString()
})
