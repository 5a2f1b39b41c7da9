import { expect, test } from 'bun:test'
import { type } from 'arktype'
import { openKeyBook } from '../../src/access/key-book.ts'
import { apiKeyRoutes } from '../../src/http/api-keys.ts'
import { forKeys } from '../../src/http/route.ts'
import { openLog } from '../../src/log.ts'
import { type ApiHouse, apiHouse } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { forgetProof, member, type Person, type Shop, shop } from './people.ts'

/** Says who calls, for any key that may read. */
const whoami = forKeys(
  'GET',
  { scope: 'payments:read' },
  { path: '/whoami', handle: (_, { key }) => ({ status: 200, body: key }) },
)

const house = () => apiHouse({ routes: [...apiKeyRoutes, whoami], env: { API_RATE_LIMIT_TEST: '0' } })

const apiKey = type({
  '+': 'reject',
  object: "'api_key'",
  id: 'string',
  merchantId: 'string',
  name: 'string',
  scopes: 'string[]',
  tag: 'string',
  last4: 'string',
  'secret?': 'string',
  livemode: 'boolean',
  lastUsedAt: 'string | null',
  expiresAt: 'string | null',
  revokedAt: 'string | null',
  createdAt: 'string',
  updatedAt: 'string',
})

const post = async (to: ApiHouse, { path }: Shop, by: Person, json: unknown = {}, item = '') => {
  const answer = await to.call('POST', `${path}/api-keys${item}`, { bearer: by.bearer, json })
  return {
    status: answer.status,
    error: errorOf(answer.json),
    key: answer.status < 300 ? apiKey.assert(answer.json) : undefined,
  }
}

const errorOf = (json: unknown) => (json as { error?: { code: string; param?: string } }).error

const make = async (to: ApiHouse, at: Shop, json: object = {}) => {
  const { key } = await post(to, at, at.owner, { name: 'Shop', access: 'full', ...json })
  if (!key?.secret) throw new Error('no key was made')
  return { ...key, secret: key.secret }
}

const use = async (to: ApiHouse, secret: string) => (await to.call('GET', '/whoami', { bearer: secret })).status

const list = async (to: ApiHouse, { path, owner }: Shop, query = '') => {
  const answer = await to.call('GET', `${path}/api-keys${query}`, { bearer: owner.bearer })
  return answer.json as { data: (typeof apiKey.infer)[]; has_more: boolean; error?: { code: string } }
}

const events = (to: ApiHouse, { merchantId }: Shop) => to.sql<{ action: string; actor: string; details: object }[]>`
  select action, actor, details from security_events where merchant_id = ${merchantId} order by seq`

test('a key is shown with its secret once, works, and is listed without it', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const { secret, ...made } = await make(to, lamps, { name: ' Web shop ' })
  expect(made).toMatchObject({
    name: 'Web shop',
    livemode: false,
    scopes: ['*'],
    last4: secret.slice(-4),
    revokedAt: null,
  })
  expect(secret).toStartWith(`sk_test_${made.tag}`)
  expect(await use(to, secret)).toBe(200)
  expect((await list(to, lamps)).data).toEqual([made])
  expect((await list(to, lamps, '?livemode=true')).data).toEqual([])
  expect(JSON.stringify(await to.sql`select * from api_keys, security_events`)).not.toContain(secret.slice(14, 66))
})

test.each([
  ['full', ['*']],
  ['store_plugin', ['payments:read', 'payment_links:write']],
  ['read_only', ['payments:read']],
] as const)('access %s stands for its scopes', async (access, scopes) => {
  await using to = await house()
  expect((await make(to, await shop(to.api), { access })).scopes).toEqual([...scopes])
})

test('a key may have scopes of its own, a mode and an end', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const scopes = ['refunds:write', 'refunds:write', 'disputes:write']
  const { secret, ...key } = await make(to, lamps, { access: undefined, scopes, livemode: true, expiresAt })
  expect(key).toMatchObject({ scopes: ['refunds:write', 'disputes:write'], livemode: true, expiresAt })
  expect(secret).toStartWith('sk_live_')
  expect(await use(to, secret)).toBe(403)
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
  ['a mode in words', { livemode: 'true' }, 'parameter_invalid', 'livemode'],
  ['an end in the past', { expiresAt: '2020-01-01T00:00:00.000Z' }, 'parameter_invalid', 'expiresAt'],
  ['an end without a zone', { expiresAt: '2099-01-01T00:00:00' }, 'parameter_invalid', 'expiresAt'],
  ['an end that is no time', { expiresAt: '2099-13-41T00:00:00Z' }, 'parameter_invalid', 'expiresAt'],
  ['an unknown field', { secret: 'sk_test_mine' }, 'parameter_unknown', 'secret'],
])('%s makes no key', async (_, json, code, param) => {
  await using to = await house()
  const lamps = await shop(to.api)
  const answer = await post(to, lamps, lamps.owner, { name: 'Shop', access: 'full', ...json })
  expect(answer).toMatchObject({ status: 400, error: { code, param } })
  expect((await list(to, lamps)).data).toEqual([])
})

test('rotating gives another secret to the same key, and the one before is dead at once', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const { secret: first, ...made } = await make(to, lamps, { access: 'read_only' })
  expect(await use(to, first)).toBe(200)
  const { status, key } = await post(to, lamps, lamps.owner, {}, `/${made.id}/rotate`)
  expect(status).toBe(200)
  expect(key).toMatchObject({ id: made.id, scopes: made.scopes, name: made.name, createdAt: made.createdAt })
  expect(key?.last4).toBe(key?.secret?.slice(-4) ?? '')
  expect([await use(to, first), await use(to, key?.secret ?? '')]).toEqual([401, 200])
})

test('rotating with an overlap leaves the one before alive for that long, and ends the one before that', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const { secret: first, id } = await make(to, lamps)
  const second = (await post(to, lamps, lamps.owner, { overlapHours: 72 }, `/${id}/rotate`)).key?.secret ?? ''
  expect([await use(to, first), await use(to, second)]).toEqual([200, 200])
  const [row] = await to.sql<{ hours: number }[]>`
    select extract(epoch from previous_until - updated_at)::int / 3600 as hours from api_keys`
  expect(row?.hours).toBe(72)
  const third = (await post(to, lamps, lamps.owner, { overlapHours: 1 }, `/${id}/rotate`)).key?.secret ?? ''
  expect([await use(to, first), await use(to, second), await use(to, third)]).toEqual([401, 200, 200])
  await to.sql`update api_keys set previous_until = now()`
  to.api.keys.forget()
  expect([await use(to, second), await use(to, third)]).toEqual([401, 200])
})

test.each([73, -1, 1.5, '1', null])('an overlap of %p is refused', async overlapHours => {
  await using to = await house()
  const lamps = await shop(to.api)
  const { id, secret } = await make(to, lamps)
  const answer = await post(to, lamps, lamps.owner, { overlapHours }, `/${id}/rotate`)
  expect(answer).toMatchObject({ status: 400, error: { code: 'parameter_invalid', param: 'overlapHours' } })
  expect(await use(to, secret)).toBe(200)
})

test('a revoked key is dead at once, with the secret that overlapped, and stays so', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const { secret: first, id } = await make(to, lamps)
  const second = (await post(to, lamps, lamps.owner, { overlapHours: 1 }, `/${id}/rotate`)).key?.secret ?? ''
  expect([await use(to, first), await use(to, second)]).toEqual([200, 200])
  const revoked = await post(to, lamps, lamps.owner, {}, `/${id}/revoke`)
  expect([await use(to, first), await use(to, second)]).toEqual([401, 401])
  expect(revoked.key?.revokedAt).toBeString()
  expect(await post(to, lamps, lamps.owner, {}, `/${id}/revoke`)).toEqual(revoked)
  expect(await post(to, lamps, lamps.owner, {}, `/${id}/rotate`)).toMatchObject({
    ...{ status: 409, error: { code: 'state_conflict' } },
  })
  expect((await list(to, lamps)).data).toMatchObject([{ id, revokedAt: revoked.key?.revokedAt }])
  expect((await events(to, lamps)).filter(({ action }) => action === 'api_key.revoked')).toHaveLength(1)
})

test('an expired key does not come back by being rotated', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const { id } = await make(to, lamps, { expiresAt: '2099-01-01T00:00:00Z' })
  await to.sql`update api_keys set expires_at = now()`
  expect((await post(to, lamps, lamps.owner, {}, `/${id}/rotate`)).status).toBe(409)
  expect((await post(to, lamps, lamps.owner, {}, `/${id}/revoke`)).status).toBe(200)
})

test("another merchant's key is a missing one, whatever is asked of it", async () => {
  await using to = await house()
  const [lamps, chairs] = [await shop(to.api), await shop(to.api, 'Chairs')]
  const { id, secret } = await make(to, chairs)
  for (const foreign of [id, id.replace(/.{4}$/, '0000'), 'key_1', 'pay_01m7ygh5qmfvg9bxgmmwc0qqnf'])
    for (const verb of ['rotate', 'revoke'])
      expect(await post(to, lamps, lamps.owner, {}, `/${foreign}/${verb}`)).toMatchObject({
        ...{ status: 404, error: { code: 'resource_not_found' } },
      })
  expect((await list(to, lamps, `?startingAfter=${id}`)).error?.code).toBe('invalid_cursor')
  expect(await use(to, secret)).toBe(200)
})

test('developers make keys, viewers look at them, and both prove themselves first', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const developer = await member(to.api, lamps, 'developer')
  const viewer = await member(to.api, lamps, 'viewer')
  const json = { name: 'Shop', access: 'full' }
  expect((await post(to, lamps, developer, json)).status).toBe(201)
  expect((await post(to, lamps, viewer, json)).error?.code).toBe('insufficient_role')
  expect((await list(to, { ...lamps, owner: viewer })).data).toHaveLength(1)
  await forgetProof(to.api, developer)
  expect((await post(to, lamps, developer, json)).error?.code).toBe('step_up_required')
})

test('somebody removed elsewhere makes no key in the second in which that is not known here', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const developer = await member(to.api, lamps, 'developer')
  const { id, secret } = await make(to, lamps)
  expect((await list(to, { ...lamps, owner: developer })).data).toHaveLength(1)
  await to.sql`delete from members where account_id = ${developer.accountId}`
  const json = { name: 'Back door', access: 'full' }
  const answers = await Promise.all([
    post(to, lamps, developer, json),
    post(to, lamps, developer, {}, `/${id}/rotate`),
    post(to, lamps, developer, {}, `/${id}/revoke`),
  ])
  expect(answers.map(({ error }) => error?.code)).toEqual(Array(3).fill('insufficient_role'))
  expect(await use(to, secret)).toBe(200)
  expect((await list(to, lamps)).data).toHaveLength(1)
})

test('of rotations at once each gives a secret and the last one counts; a revocation among them wins', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const { id } = await make(to, lamps)
  const rotated = await Promise.all(Array.from({ length: 8 }, () => post(to, lamps, lamps.owner, {}, `/${id}/rotate`)))
  const secrets = rotated.map(({ key }) => key?.secret ?? '')
  expect(new Set(secrets).size).toBe(8)
  const statuses = await Promise.all(secrets.map(secret => use(to, secret)))
  expect(statuses.filter(status => status === 200)).toHaveLength(1)
  const mixed = await Promise.all(
    ['rotate', 'revoke', 'rotate', 'revoke', 'rotate'].map(verb => post(to, lamps, lamps.owner, {}, `/${id}/${verb}`)),
  )
  expect(mixed.filter(({ status }) => status !== 200).every(({ error }) => error?.code === 'state_conflict')).toBe(true)
  for (const { key } of mixed) if (key?.secret) expect(await use(to, key.secret)).toBe(401)
})

test('a walk through the list sees every key that is made meanwhile', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const making = Promise.all(Array.from({ length: 40 }, (_, n) => make(to, lamps, { name: String(n) })))
  const seen: string[] = []
  await until(async () => {
    const after = seen.length > 0 ? `&startingAfter=${seen.at(-1)}` : ''
    for (const { id } of (await list(to, lamps, `?order=asc&limit=3${after}`)).data) seen.push(id)
    return seen.length >= 40
  })
  expect(seen.toSorted()).toEqual((await making).map(({ id }) => id).toSorted())
  const newest = await list(to, lamps, '?limit=2')
  expect(newest).toMatchObject({ has_more: true, data: [{ id: seen.at(-1) }, { id: seen.at(-2) }] })
})

test("a key takes its place in the list under the merchant's lock, so that none appears before an earlier one", async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const other = await to.sql.reserve()
  await other`begin`
  await other`select from merchants where id = ${lamps.merchantId} for no key update`
  const making = make(to, lamps)
  await until(async () => (await to.sql`select from pg_locks where not granted`).length > 0)
  const [place] =
    await to.sql`select pg_sequence_last_value(pg_get_serial_sequence('api_keys', 'seq')::regclass) as last`
  expect(place?.last).toBeNull()
  await other`commit`
  other.release()
  expect((await making).id).toStartWith('key_')
})

test('every change is in the log with who did it and no secret', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const { id, secret, tag } = await make(to, lamps)
  const next = (await post(to, lamps, lamps.owner, { overlapHours: 2 }, `/${id}/rotate`)).key
  await post(to, lamps, lamps.owner, {}, `/${id}/revoke`)
  const log = await events(to, lamps)
  expect([...log]).toMatchObject([
    { action: 'api_key.created', details: { keyId: id, tag, livemode: false, name: 'Shop', scopes: ['*'] } },
    { action: 'api_key.rotated', details: { keyId: id, tag: next?.tag, overlapHours: 2 } },
    { action: 'api_key.revoked', details: { keyId: id } },
  ])
  expect(log.every(({ actor }) => actor === lamps.owner.id)).toBe(true)
  for (const text of [secret, next?.secret ?? '']) expect(JSON.stringify(log)).not.toContain(text.slice(14))
})

test('a key made here is good in another process at once, and its use there is seen here', async () => {
  await using to = await house()
  const lamps = await shop(to.api)
  const elsewhere = openKeyBook({ sql: to.sql, log: openLog('silent') })
  const { secret } = await make(to, lamps)
  expect(await elsewhere.find(secret)).toBeDefined()
  await elsewhere.stop()
  expect((await list(to, lamps)).data[0]?.lastUsedAt).toBeString()
})
