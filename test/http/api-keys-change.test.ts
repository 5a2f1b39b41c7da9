import { afterAll, expect, test } from 'bun:test'
import pino from 'pino'
import { events, list, make, post, server, use } from './api-keys.ts'
import { contentsOf } from './contents.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { member, shop } from './people.ts'

const to = await server()
afterAll(() => to[Symbol.asyncDispose]())

test('rotating gives another secret to the same key, and the one before is dead at once', async () => {
  const lamps = await shop(to.api)
  const { secret: first, ...made } = await make(to, lamps, { access: 'read_only' })
  expect(await use(to, first)).toBe(200)
  const { status, key } = await post(to, lamps, lamps.owner, {}, `/${made.id}/rotate`)
  expect(status).toBe(200)
  expect(key).toMatchObject({ id: made.id, scopes: made.scopes, name: made.name, createdAt: made.createdAt })
  expect(key?.last4).toBe(key?.secret?.slice(-4) ?? '')
  expect([await use(to, first), await use(to, key?.secret ?? '')]).toEqual([401, 200])
})

test('rotating with an overlap leaves the one before alive for that long', async () => {
  const lamps = await shop(to.api)
  const { secret: first, id } = await make(to, lamps)
  const second = (await post(to, lamps, lamps.owner, { overlapHours: 72 }, `/${id}/rotate`)).key?.secret ?? ''
  expect([await use(to, first), await use(to, second)]).toEqual([200, 200])
  const [row] = await to.sql<{ hours: number }[]>`
    select extract(epoch from previous_until - updated_at)::int / 3600 as hours from api_keys
    where merchant_id = ${lamps.merchantId}`
  expect(row?.hours).toBe(72)
  await to.sql`update api_keys set previous_until = now() where merchant_id = ${lamps.merchantId}`
  to.api.keys.forget()
  expect([await use(to, first), await use(to, second)]).toEqual([401, 200])
})

test('of two rotations with an overlap at once one is done, and the secret in use stays good', async () => {
  const lamps = await shop(to.api)
  const { secret: first, id } = await make(to, lamps)
  const rotate = (json: object) => post(to, lamps, lamps.owner, json, `/${id}/rotate`)
  const answers = await Promise.all([rotate({ overlapHours: 72 }), rotate({ overlapHours: 72 })])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.error?.code).toBe('state_conflict')
  const second = answers.find(({ status }) => status === 200)?.key?.secret ?? ''
  expect([await use(to, first), await use(to, second)]).toEqual([200, 200])
  // Without an overlap both end, and the new one is the only one.
  const third = (await rotate({})).key?.secret ?? ''
  expect([await use(to, first), await use(to, second), await use(to, third)]).toEqual([401, 401, 200])
})

test.each([73, -1, 1.5, '1', null])('an overlap of %p is refused', async overlapHours => {
  const lamps = await shop(to.api)
  const { id, secret } = await make(to, lamps)
  const answer = await post(to, lamps, lamps.owner, { overlapHours }, `/${id}/rotate`)
  expect(answer).toMatchObject({ status: 400, error: { code: 'parameter_invalid', param: 'overlapHours' } })
  expect(await use(to, secret)).toBe(200)
})

test('a revoked key is dead at once, with the secret that overlapped, and stays so', async () => {
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
  const lamps = await shop(to.api)
  const { id } = await make(to, lamps, { expiresAt: '2099-01-01T00:00:00Z' })
  await to.sql`update api_keys set expires_at = now() where merchant_id = ${lamps.merchantId}`
  expect((await post(to, lamps, lamps.owner, {}, `/${id}/rotate`)).status).toBe(409)
  expect((await post(to, lamps, lamps.owner, {}, `/${id}/revoke`)).status).toBe(200)
})

test("another merchant's key is a missing one, whatever is asked of it", async () => {
  const [lamps, chairs] = [await shop(to.api), await shop(to.api, 'Chairs')]
  const { id, secret } = await make(to, chairs)
  const { path, owner } = lamps
  for (const verb of ['rotate', 'revoke']) {
    const ask = (one: string) => to.call('POST', `${path}/api-keys/${one}/${verb}`, { bearer: owner.bearer, json: {} })
    await expectMissing(ask, [...namesNothing(id), id])
  }
  expect((await list(to, lamps, `?startingAfter=${id}`)).error?.code).toBe('invalid_cursor')
  expect(await use(to, secret)).toBe(200)
})

test('somebody removed elsewhere makes no key in the second in which that is not known here', async () => {
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

test('every change is in the log with who did it and no secret', async () => {
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

test('no log of any level has a secret in it, nor has the database', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  await using to = await server({ log })
  const lamps = await shop(to.api)
  const { id, secret } = await make(to, lamps)
  const next = (await post(to, lamps, lamps.owner, { overlapHours: 1 }, `/${id}/rotate`)).key?.secret ?? ''
  for (const text of [secret, next, `${next}x`]) await use(to, text)
  await to.sql`alter table api_keys rename to api_keys_away`
  to.api.keys.forget()
  expect(await use(to, secret)).toBe(500)
  await to.sql`alter table api_keys_away rename to api_keys`
  const rows = Object.values(await contentsOf(to.sql)).join('\n')
  expect(lines.length).toBeGreaterThan(5)
  for (const text of [secret, next]) {
    // Also the part of it that is no tag.
    expect(lines.join()).not.toContain(text.slice(14, 40))
    expect(rows).not.toContain(text.slice(14, 40))
  }
})
