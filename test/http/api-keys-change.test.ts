import { afterAll, expect, test } from 'bun:test'
import pino from 'pino'
import { events, list, make, post, startServer, use } from './api-keys.ts'
import { contentsOf } from './contents.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { member, shop } from './people.ts'

const server = await startServer()
afterAll(() => server[Symbol.asyncDispose]())

test('rotating a key gives it a new secret and invalidates the old one immediately', async () => {
  const lamps = await shop(server.api)
  const { secret: first, ...made } = await make(server, lamps, { access: 'read_only' })
  expect(await use(server, first)).toBe(200)
  const { status, key } = await post(server, lamps, lamps.owner, {}, `/${made.id}/rotate`)
  expect(status).toBe(200)
  expect(key).toMatchObject({ id: made.id, scopes: made.scopes, name: made.name, createdAt: made.createdAt })
  expect(key?.last4).toBe(key?.secret?.slice(-4) ?? '')
  expect([await use(server, first), await use(server, key?.secret ?? '')]).toEqual([401, 200])
})

test('rotating with an overlap keeps the old secret valid for that time', async () => {
  const lamps = await shop(server.api)
  const { secret: first, id } = await make(server, lamps)
  const second = (await post(server, lamps, lamps.owner, { overlapHours: 72 }, `/${id}/rotate`)).key?.secret ?? ''
  expect([await use(server, first), await use(server, second)]).toEqual([200, 200])
  const [row] = await server.sql<{ hours: number }[]>`
    select extract(epoch from previous_until - updated_at)::int / 3600 as hours from api_keys
    where merchant_id = ${lamps.merchantId}`
  expect(row?.hours).toBe(72)
  await server.sql`update api_keys set previous_until = now() where merchant_id = ${lamps.merchantId}`
  server.api.keys.forget()
  expect([await use(server, first), await use(server, second)]).toEqual([401, 200])
})

test('of two simultaneous rotations with an overlap one succeeds, and the secret in use stays valid', async () => {
  const lamps = await shop(server.api)
  const { secret: first, id } = await make(server, lamps)
  const rotate = (json: object) => post(server, lamps, lamps.owner, json, `/${id}/rotate`)
  const answers = await Promise.all([rotate({ overlapHours: 72 }), rotate({ overlapHours: 72 })])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.error?.code).toBe('state_conflict')
  const second = answers.find(({ status }) => status === 200)?.key?.secret ?? ''
  expect([await use(server, first), await use(server, second)]).toEqual([200, 200])
  // Without an overlap both old secrets end; only the new one is valid.
  const third = (await rotate({})).key?.secret ?? ''
  expect([await use(server, first), await use(server, second), await use(server, third)]).toEqual([401, 401, 200])
})

test.each([73, -1, 1.5, '1', null])('an overlap of %p is refused', async overlapHours => {
  const lamps = await shop(server.api)
  const { id, secret } = await make(server, lamps)
  const answer = await post(server, lamps, lamps.owner, { overlapHours }, `/${id}/rotate`)
  expect(answer).toMatchObject({ status: 400, error: { code: 'parameter_invalid', param: 'overlapHours' } })
  expect(await use(server, secret)).toBe(200)
})

test('revoking a key invalidates its secret and its overlapping secret immediately and permanently', async () => {
  const lamps = await shop(server.api)
  const { secret: first, id } = await make(server, lamps)
  const second = (await post(server, lamps, lamps.owner, { overlapHours: 1 }, `/${id}/rotate`)).key?.secret ?? ''
  expect([await use(server, first), await use(server, second)]).toEqual([200, 200])
  const revoked = await post(server, lamps, lamps.owner, {}, `/${id}/revoke`)
  expect([await use(server, first), await use(server, second)]).toEqual([401, 401])
  expect(revoked.key?.revokedAt).toBeString()
  expect(await post(server, lamps, lamps.owner, {}, `/${id}/revoke`)).toEqual(revoked)
  expect(await post(server, lamps, lamps.owner, {}, `/${id}/rotate`)).toMatchObject({
    ...{ status: 409, error: { code: 'state_conflict' } },
  })
  expect((await list(server, lamps)).data).toMatchObject([{ id, revokedAt: revoked.key?.revokedAt }])
  expect((await events(server, lamps)).filter(({ action }) => action === 'api_key.revoked')).toHaveLength(1)
})

test('rotating an expired key does not make it valid again', async () => {
  const lamps = await shop(server.api)
  const { id } = await make(server, lamps, { expiresAt: '2099-01-01T00:00:00Z' })
  await server.sql`update api_keys set expires_at = now() where merchant_id = ${lamps.merchantId}`
  expect((await post(server, lamps, lamps.owner, {}, `/${id}/rotate`)).status).toBe(409)
  expect((await post(server, lamps, lamps.owner, {}, `/${id}/revoke`)).status).toBe(200)
})

test('the key of another merchant is answered 404 to every request', async () => {
  const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
  const { id, secret } = await make(server, chairs)
  const { path, owner } = lamps
  for (const verb of ['rotate', 'revoke']) {
    const ask = (one: string) =>
      server.call('POST', `${path}/api-keys/${one}/${verb}`, { bearer: owner.bearer, json: {} })
    await expectMissing(ask, [...namesNothing(id), id])
  }
  expect((await list(server, lamps, `?startingAfter=${id}`)).error?.code).toBe('invalid_cursor')
  expect(await use(server, secret)).toBe(200)
})

test('a member removed by another process cannot create, rotate or revoke keys, although this process has cached the membership', async () => {
  const lamps = await shop(server.api)
  const developer = await member(server.api, lamps, 'developer')
  const { id, secret } = await make(server, lamps)
  expect((await list(server, { ...lamps, owner: developer })).data).toHaveLength(1)
  await server.sql`delete from members where account_id = ${developer.accountId}`
  const json = { name: 'Back door', access: 'full' }
  const answers = await Promise.all([
    post(server, lamps, developer, json),
    post(server, lamps, developer, {}, `/${id}/rotate`),
    post(server, lamps, developer, {}, `/${id}/revoke`),
  ])
  expect(answers.map(({ error }) => error?.code)).toEqual(Array(3).fill('insufficient_role'))
  expect(await use(server, secret)).toBe(200)
  expect((await list(server, lamps)).data).toHaveLength(1)
})

test('of simultaneous rotations each returns a secret and the last one is valid; a simultaneous revocation wins', async () => {
  const lamps = await shop(server.api)
  const { id } = await make(server, lamps)
  const rotated = await Promise.all(
    Array.from({ length: 8 }, () => post(server, lamps, lamps.owner, {}, `/${id}/rotate`)),
  )
  const secrets = rotated.map(({ key }) => key?.secret ?? '')
  expect(new Set(secrets).size).toBe(8)
  const statuses = await Promise.all(secrets.map(secret => use(server, secret)))
  expect(statuses.filter(status => status === 200)).toHaveLength(1)
  const mixed = await Promise.all(
    ['rotate', 'revoke', 'rotate', 'revoke', 'rotate'].map(verb =>
      post(server, lamps, lamps.owner, {}, `/${id}/${verb}`),
    ),
  )
  expect(mixed.filter(({ status }) => status !== 200).every(({ error }) => error?.code === 'state_conflict')).toBe(true)
  for (const { key } of mixed) if (key?.secret) expect(await use(server, key.secret)).toBe(401)
})

test('every change of a key is in the audit log with its author and without a secret', async () => {
  const lamps = await shop(server.api)
  const { id, secret, tag } = await make(server, lamps)
  const next = (await post(server, lamps, lamps.owner, { overlapHours: 2 }, `/${id}/rotate`)).key
  await post(server, lamps, lamps.owner, {}, `/${id}/revoke`)
  const log = await events(server, lamps)
  expect([...log]).toMatchObject([
    { action: 'api_key.created', details: { keyId: id, tag, livemode: false, name: 'Shop', scopes: ['*'] } },
    { action: 'api_key.rotated', details: { keyId: id, tag: next?.tag, overlapHours: 2 } },
    { action: 'api_key.revoked', details: { keyId: id } },
  ])
  expect(log.every(({ actor }) => actor === lamps.owner.id)).toBe(true)
  for (const text of [secret, next?.secret ?? '']) expect(JSON.stringify(log)).not.toContain(text.slice(14))
})

test('no log level and no table contains a secret', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  await using server = await startServer({ log })
  const lamps = await shop(server.api)
  const { id, secret } = await make(server, lamps)
  const next = (await post(server, lamps, lamps.owner, { overlapHours: 1 }, `/${id}/rotate`)).key?.secret ?? ''
  for (const text of [secret, next, `${next}x`]) await use(server, text)
  await server.sql`alter table api_keys rename to api_keys_away`
  server.api.keys.forget()
  expect(await use(server, secret)).toBe(500)
  await server.sql`alter table api_keys_away rename to api_keys`
  const rows = Object.values(await contentsOf(server.sql)).join('\n')
  expect(lines.length).toBeGreaterThan(5)
  for (const text of [secret, next]) {
    // Neither the part after the tag.
    expect(lines.join()).not.toContain(text.slice(14, 40))
    expect(rows).not.toContain(text.slice(14, 40))
  }
})
