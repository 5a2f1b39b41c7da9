import { afterAll, expect, test } from 'bun:test'
import { authRoutes } from '../../src/http/auth.ts'
import { inviteRoutes } from '../../src/http/invites.ts'
import { memberRoutes } from '../../src/http/members.ts'
import { encodeId } from '../../src/ids.ts'
import { apiServer } from '../harness/api.ts'
import { readableLog } from '../harness/lines.ts'
import { contentsOf } from './contents.ts'
import { expectNoCursors } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { forgetProof, member, type Person, person, type Shop, shop } from './people.ts'

const routes = [...inviteRoutes, ...memberRoutes, ...authRoutes]
const server = (env: Record<string, string> = {}) => apiServer({ routes, env })
type Server = Awaited<ReturnType<typeof server>>
type Invite = { id: string; token: string; url: string }

const make = (to: Server, { path }: Shop, by: Person, json: unknown) =>
  to.call('POST', `${path}/invites`, { bearer: by.bearer, json })
const invite = async (to: Server, lamps: Shop, json: unknown = { role: 'developer' }): Promise<Invite> =>
  (await make(to, lamps, lamps.owner, json)).json as Invite
const open = (to: Server, { path, owner }: Shop, query = '') =>
  to.call('GET', `${path}/invites${query}`, { bearer: owner.bearer })
const revoke = (to: Server, { path }: Shop, by: Person, id: string) =>
  to.call('DELETE', `${path}/invites/${id}`, { bearer: by.bearer })
const accept = (to: Server, json: unknown, by?: Person) =>
  to.call('POST', '/v1/auth/invites/accept', { json, ...(by && { bearer: by.bearer }) })
const fresh = { email: 'new@lamps.example', password: 'a long password' }

test('an invite shows its link once, and only a hash of it is kept', async () => {
  await using to = await server({ PUBLIC_URL: 'https://pay.example' })
  const lamps = await shop(to.api)
  const answer = await make(to, lamps, lamps.owner, { role: 'developer', email: ' New@Lamps.example ' })
  expect(answer.status).toBe(201)
  const { token, url, ...record } = answer.json as Invite
  expect(url).toBe(`https://pay.example/invite#${token}`)
  expect(record).toMatchObject({ object: 'invite', role: 'developer', email: 'new@lamps.example', status: 'pending' })
  expect((await open(to, lamps)).json).toEqual({ object: 'list', data: [record], has_more: false })
  const [kept] = await to.sql`select i::text as row from invites i`
  expect(kept?.row).not.toContain(token)
  expect(kept?.row).toContain(new Bun.CryptoHasher('sha256').update(token).digest('hex'))
})

test('whoever holds the link makes an account with it, also while sign-up is closed', async () => {
  await using to = await server({ SIGN_UP: 'closed' })
  const lamps = await shop(to.api)
  const { token } = await invite(to, lamps)
  const answer = await accept(to, { token, ...fresh, email: 'New@Lamps.example' })
  expect(answer.status).toBe(201)
  expect(answer.json).toEqual({
    accessToken: expect.any(String),
    expiresIn: 900,
    user: { id: expect.stringMatching(/^usr_/), email: fresh.email, mfaEnabled: false },
    merchants: [{ id: encodeId('mer', lamps.merchantId), name: 'Lamps', role: 'developer' }],
  })
  expect(answer.headers.get('set-cookie')).toContain('paymachine_refresh=')
  const { accessToken, user } = answer.json as { accessToken: string; user: { id: string } }
  expect((await to.call('GET', `${lamps.path}/members`, { bearer: accessToken })).status).toBe(200)
  expect((await to.call('POST', '/v1/auth/sign-in', { json: fresh })).status).toBe(200)
  expect((await open(to, lamps)).json).toMatchObject({ data: [] })
  const [entry] = await to.sql`select actor, merchant_id from security_events where action = 'invite.accepted'`
  expect(entry).toEqual({ actor: user.id, merchant_id: lamps.merchantId })
})

test('whoever has an account adds the merchant to it', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const chairs = await shop(to.api, 'Chairs')
  // This process remembers that they are no member.
  expect((await to.call('GET', `${lamps.path}/members`, { bearer: chairs.owner.bearer })).status).toBe(404)
  const { token } = await invite(to, lamps)
  const answer = await accept(to, { token }, chairs.owner)
  expect(answer.status).toBe(200)
  expect(answer.json).toMatchObject({
    user: { id: chairs.owner.id },
    merchants: [
      { name: 'Chairs', role: 'owner' },
      { name: 'Lamps', role: 'developer' },
    ],
  })
  expect((await to.call('GET', `${lamps.path}/members`, { bearer: chairs.owner.bearer })).status).toBe(200)
})

test('an invite lets in one, however many come at once', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const { token } = await invite(to, lamps)
  const others = await Promise.all([1, 2, 3, 4].map(n => person(to.api, `${n}@example.com`)))
  const answers = await Promise.all([
    ...others.map(other => accept(to, { token }, other)),
    ...[5, 6, 7, 8].map(n => accept(to, { token, ...fresh, email: `${n}@example.com` })),
  ])
  expect(answers.map(({ status }) => (status < 300 ? 'in' : status)).sort()).toEqual([...Array(7).fill(404), 'in'])
  expect(await to.sql`select from members`).toHaveLength(2)
  // Nobody is left with an account that they were told does not exist.
  const [accounts] = await to.sql`select count(*)::int as made from accounts where email ~ '^[5-8]@'`
  expect(accounts).toEqual({ made: answers.slice(4).filter(({ status }) => status === 201).length })
})

test('unknown, used, revoked, expired: no such invite', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const used = await invite(to, lamps)
  await accept(to, { token: used.token, ...fresh })
  const revoked = await invite(to, lamps)
  expect((await revoke(to, lamps, lamps.owner, revoked.id)).status).toBe(204)
  const expired = await invite(to, lamps)
  await to.sql`update invites set expires_at = now() where id = (select id from invites order by seq desc limit 1)`
  expect((await open(to, lamps)).json).toMatchObject({ data: [{ id: expired.id, status: 'expired' }] })
  const someone = await person(to.api, 'someone@example.com')
  for (const token of [used.token, revoked.token, expired.token, 'x', `${used.token}x`])
    for (const answer of [
      await accept(to, { token, ...fresh, email: 'late@example.com' }),
      await accept(to, { token }, someone),
    ])
      expect([answer.status, answer.json]).toMatchObject([404, { error: { code: 'resource_not_found' } }])
  expect(await to.sql`select from accounts where email = 'late@example.com'`).toHaveLength(0)
})

test('an invite that could not be used stays good', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const { token } = await invite(to, lamps)
  const taken = await accept(to, { token, ...fresh, email: lamps.owner.email })
  expect([taken.status, taken.json]).toMatchObject([409, { error: { code: 'email_taken' } }])
  const already = await accept(to, { token }, lamps.owner)
  expect([already.status, already.json]).toMatchObject([409, { error: { code: 'state_conflict' } }])
  expect((await accept(to, { token, ...fresh })).status).toBe(201)
})

test('an invite for one address lets no other in', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const { token } = await invite(to, lamps, { role: 'owner', email: fresh.email })
  const other = await person(to.api, 'other@example.com')
  for (const answer of [
    await accept(to, { token, ...fresh, email: 'other2@example.com' }),
    await accept(to, { token }, other),
  ])
    expect([answer.status, answer.json]).toMatchObject([409, { error: { code: 'state_conflict' } }])
  expect((await accept(to, { token, ...fresh })).status).toBe(201)
})

test('invites of an owner end with their ownership', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const second = await member(to.api, lamps, 'owner', 'second@lamps.example')
  const kept = await invite(to, lamps)
  const back = (await make(to, lamps, second, { role: 'owner' })).json as Invite
  await to.call('DELETE', `${lamps.path}/members/${second.id}`, { bearer: lamps.owner.bearer })
  expect((await accept(to, { token: back.token }, second)).status).toBe(404)
  expect((await accept(to, { token: kept.token }, second)).status).toBe(200)
  const [entry] = await to.sql`select details from security_events where action = 'member.removed'`
  expect(entry).toMatchObject({ details: { memberId: second.id, invitesRevoked: 1 } })
})

test('of an acceptance and a revocation at once, one happens', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  for (let round = 0; round < 10; round++) {
    const { id, token } = await invite(to, lamps)
    const who = await person(to.api, `${round}@example.com`)
    const [accepted, revoked] = await Promise.all([accept(to, { token }, who), revoke(to, lamps, lamps.owner, id)])
    expect([`${accepted.status} ${revoked.status}`]).toContainAnyValues(['200 404', '404 204'])
    expect(await to.sql`select from members where account_id = ${who.accountId}`).toHaveLength(
      accepted.status === 200 ? 1 : 0,
    )
  }
})

test('only owners who have proven it invite and revoke, and only their own merchant’s', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const chairs = await shop(to.api, 'Chairs')
  const { id } = await invite(to, lamps)
  const developer = await member(to.api, lamps, 'developer')
  for (const answer of [await make(to, lamps, developer, { role: 'owner' }), await revoke(to, lamps, developer, id)])
    expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'insufficient_role' } }])
  // Everybody reads who is to come; the list has no tokens.
  expect((await to.call('GET', `${lamps.path}/invites`, { bearer: developer.bearer })).status).toBe(200)
  await expectMissing(missing => revoke(to, chairs, chairs.owner, missing), [...namesNothing(id), lamps.owner.id, id])
  await forgetProof(to.api, lamps.owner)
  for (const answer of [
    await make(to, lamps, lamps.owner, { role: 'owner' }),
    await revoke(to, lamps, lamps.owner, id),
  ])
    expect(answer.json).toMatchObject({ error: { code: 'step_up_required' } })
  expect((await open(to, lamps)).json).toMatchObject({ data: [{ id }] })
})

test('an owner who was demoted in another process a moment ago invites nobody', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const { id } = await invite(to, lamps)
  await to.sql`update members set role = 'viewer'`
  expect((await make(to, lamps, lamps.owner, { role: 'owner' })).status).toBe(403)
  expect((await revoke(to, lamps, lamps.owner, id)).status).toBe(403)
  expect(await to.sql`select from invites where revoked_at is null`).toHaveLength(1)
})

test('open invites come in pages, and a cursor outlives its invite', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const ids = [(await invite(to, lamps)).id, (await invite(to, lamps)).id, (await invite(to, lamps)).id]
  expect((await open(to, lamps, '?limit=2')).json).toMatchObject({
    data: [{ id: ids[2] }, { id: ids[1] }],
    has_more: true,
  })
  await revoke(to, lamps, lamps.owner, ids[1] ?? '')
  expect((await open(to, lamps, `?startingAfter=${ids[1]}`)).json).toMatchObject({
    data: [{ id: ids[0] }],
    has_more: false,
  })
  const asc = await open(to, lamps, `?order=asc&startingAfter=${ids[0]}`)
  expect(asc.json).toMatchObject({ data: [{ id: ids[2] }], has_more: false })
  const chairs = await shop(to.api, 'Chairs')
  await expectNoCursors(query => open(to, lamps, query), [(await invite(to, chairs)).id, 'invite_x'])
})

const shared = await server()
afterAll(() => shared[Symbol.asyncDispose]())

test.each([
  ['nothing but a token', 400, { token: 'x' }, 'email'],
  ['no password', 400, { token: 'x', email: 'a@b.example' }, 'password'],
  ['a common password', 400, { token: 'x', email: 'a@b.example', password: 'Password123' }, 'password'],
  ['a short password', 400, { token: 'x', email: 'a@b.example', password: 'short' }, 'password'],
  ['no address', 400, { token: 'x', email: 'nobody', password: 'a long password' }, 'email'],
  ['no token', 400, { email: 'a@b.example', password: 'a long password' }, 'token'],
])('%s accepts nothing', async (_, status, json, param) => {
  const answer = await accept(shared, json)
  expect([answer.status, answer.json]).toMatchObject([status, { error: { param } }])
})

test('a session that has ended, or an API key, accepts nothing, and neither does a session with a new address', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const { token } = await invite(to, lamps)
  for (const bearer of ['x', 'sk_test_x']) {
    const answer = await to.call('POST', '/v1/auth/invites/accept', { json: { token }, bearer })
    expect([answer.status, answer.json]).toMatchObject([401, { error: { code: 'invalid_token' } }])
  }
  const someone = await person(to.api, 'someone@example.com')
  expect((await accept(to, { token, ...fresh }, someone)).json).toMatchObject({ error: { code: 'parameter_invalid' } })
  expect(await to.sql`select from members`).toHaveLength(1)
})

test('whoever guesses addresses with a link they hold is stopped', async () => {
  await using to = await server()
  const lamps = await shop(to.api)
  const { token } = await invite(to, lamps)
  await to.sql`insert into attempts select 'sign-up:127.0.0.1', clock_timestamp() from generate_series(1, 30)`
  const answer = await accept(to, { token, ...fresh })
  expect([answer.status, answer.json]).toMatchObject([429, { error: { code: 'rate_limited' } }])
})

test('neither a token nor a password is in the log, in the database or in an answer after the first', async () => {
  const { log, text } = readableLog()
  await using to = await apiServer({ routes, outside: { log } })
  const lamps = await shop(to.api)
  const { token } = await invite(to, lamps)
  const wrong = 'a token that nobody has ever made'
  const answers = [
    await accept(to, { token: wrong, ...fresh }),
    await accept(to, { token, ...fresh, email: lamps.owner.email }),
    await accept(to, { token, password: fresh.password, email: fresh.password }),
    await open(to, lamps),
    await accept(to, { token, ...fresh }),
    await accept(to, { token, ...fresh }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 409, 400, 200, 201, 404])
  const contents = await contentsOf(to.sql)
  expect(contents['public.invites']).toContain(new Bun.CryptoHasher('sha256').update(token).digest('hex'))
  const everything = text() + Object.values(contents).join('') + answers.map(answer => answer.text).join('')
  expect(text()).toContain('/v1/auth/invites/accept')
  for (const secret of [token, wrong, fresh.password]) expect(everything).not.toContain(secret)
})
