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
const startServer = (env: Record<string, string> = {}) => apiServer({ routes, env })
type Server = Awaited<ReturnType<typeof startServer>>
type Invite = { id: string; token: string; url: string }

const make = (server: Server, { path }: Shop, by: Person, json: unknown) =>
  server.call('POST', `${path}/invites`, { bearer: by.bearer, json })
const invite = async (server: Server, lamps: Shop, json: unknown = { role: 'developer' }): Promise<Invite> =>
  (await make(server, lamps, lamps.owner, json)).json as Invite
const open = (server: Server, { path, owner }: Shop, query = '') =>
  server.call('GET', `${path}/invites${query}`, { bearer: owner.bearer })
const revoke = (server: Server, { path }: Shop, by: Person, id: string) =>
  server.call('DELETE', `${path}/invites/${id}`, { bearer: by.bearer })
const accept = (server: Server, json: unknown, by?: Person) =>
  server.call('POST', '/v1/auth/invites/accept', { json, ...(by && { bearer: by.bearer }) })
const preview = (server: Server, token: string) => server.call('POST', '/v1/auth/invites/preview', { json: { token } })
const fresh = { email: 'new@lamps.example', password: 'a long password' }

test('an invite shows its link once, and only the hash of its token is stored', async () => {
  await using server = await startServer({ PUBLIC_URL: 'https://pay.example' })
  const lamps = await shop(server.api)
  const answer = await make(server, lamps, lamps.owner, { role: 'developer', email: ' New@Lamps.example ' })
  expect(answer.status).toBe(201)
  const { token, url, ...record } = answer.json as Invite
  expect(url).toBe(`https://pay.example/dashboard/invite#${token}`)
  expect(record).toMatchObject({ object: 'invite', role: 'developer', email: 'new@lamps.example', status: 'pending' })
  expect((await open(server, lamps)).json).toEqual({ object: 'list', data: [record], has_more: false })
  const [kept] = await server.sql`select i::text as row from invites i`
  expect(kept?.row).not.toContain(token)
  expect(kept?.row).toContain(new Bun.CryptoHasher('sha256').update(token).digest('hex'))
})

test('the holder of a link sees the merchant and the role, and not the e-mail address', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const forOne = await make(server, lamps, lamps.owner, { role: 'viewer', email: fresh.email })
  const { token, expiresAt } = forOne.json as Invite & { expiresAt: string }
  const answer = await preview(server, token)
  expect([answer.status, answer.json]).toEqual([
    200,
    { merchantName: 'Lamps', role: 'viewer', hasEmail: true, expiresAt },
  ])
  const forAnyone = await invite(server, lamps)
  expect((await preview(server, forAnyone.token)).json).toMatchObject({ role: 'developer', hasEmail: false })
  // A preview uses nothing up.
  expect((await accept(server, { token, ...fresh })).status).toBe(201)
})

test('the link of an invite creates an account, also while sign-up is closed', async () => {
  await using server = await startServer({ SIGN_UP: 'closed' })
  const lamps = await shop(server.api)
  const { token } = await invite(server, lamps)
  const answer = await accept(server, { token, ...fresh, email: 'New@Lamps.example' })
  expect(answer.status).toBe(201)
  expect(answer.json).toEqual({
    accessToken: expect.any(String),
    expiresIn: 900,
    user: { id: expect.stringMatching(/^usr_/), email: fresh.email, mfaEnabled: false, operator: false },
    merchants: [{ id: encodeId('mer', lamps.merchantId), name: 'Lamps', role: 'developer' }],
  })
  expect(answer.headers.get('set-cookie')).toContain('paymachine_refresh=')
  const { accessToken, user } = answer.json as { accessToken: string; user: { id: string } }
  expect((await server.call('GET', `${lamps.path}/members`, { bearer: accessToken })).status).toBe(200)
  expect((await server.call('POST', '/v1/auth/sign-in', { json: fresh })).status).toBe(200)
  expect((await open(server, lamps)).json).toMatchObject({ data: [] })
  const [entry] = await server.sql`select actor, merchant_id from security_events where action = 'invite.accepted'`
  expect(entry).toEqual({ actor: user.id, merchant_id: lamps.merchantId })
})

test('an existing account can accept an invite and becomes a member', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const chairs = await shop(server.api, 'Chairs')
  // This process has cached that the account is no member.
  expect((await server.call('GET', `${lamps.path}/members`, { bearer: chairs.owner.bearer })).status).toBe(404)
  const { token } = await invite(server, lamps)
  const answer = await accept(server, { token }, chairs.owner)
  expect(answer.status).toBe(200)
  expect(answer.json).toMatchObject({
    user: { id: chairs.owner.id },
    merchants: [
      { name: 'Chairs', role: 'owner' },
      { name: 'Lamps', role: 'developer' },
    ],
  })
  expect((await server.call('GET', `${lamps.path}/members`, { bearer: chairs.owner.bearer })).status).toBe(200)
})

test('an invite is accepted once, however many requests arrive at the same time', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const { token } = await invite(server, lamps)
  const others = await Promise.all([1, 2, 3, 4].map(n => person(server.api, `${n}@example.com`)))
  const answers = await Promise.all([
    ...others.map(other => accept(server, { token }, other)),
    ...[5, 6, 7, 8].map(n => accept(server, { token, ...fresh, email: `${n}@example.com` })),
  ])
  expect(answers.map(({ status }) => (status < 300 ? 'in' : status)).sort()).toEqual([...Array(7).fill(404), 'in'])
  expect(await server.sql`select from members`).toHaveLength(2)
  // No account was created for the requests that were refused.
  const [accounts] = await server.sql`select count(*)::int as made from accounts where email ~ '^[5-8]@'`
  expect(accounts).toEqual({ made: answers.slice(4).filter(({ status }) => status === 201).length })
})

test('unknown, used, revoked and expired invites are answered alike', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const used = await invite(server, lamps)
  await accept(server, { token: used.token, ...fresh })
  const revoked = await invite(server, lamps)
  expect((await revoke(server, lamps, lamps.owner, revoked.id)).status).toBe(204)
  const expired = await invite(server, lamps)
  await server.sql`update invites set expires_at = now() where id = (select id from invites order by seq desc limit 1)`
  expect((await open(server, lamps)).json).toMatchObject({ data: [{ id: expired.id, status: 'expired' }] })
  const someone = await person(server.api, 'someone@example.com')
  for (const token of [used.token, revoked.token, expired.token, 'x', `${used.token}x`])
    for (const answer of [
      await preview(server, token),
      await accept(server, { token, ...fresh, email: 'late@example.com' }),
      await accept(server, { token }, someone),
    ])
      expect([answer.status, answer.json]).toMatchObject([404, { error: { code: 'resource_not_found' } }])
  expect(await server.sql`select from accounts where email = 'late@example.com'`).toHaveLength(0)
})

test('an invite stays valid after a failed acceptance', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const { token } = await invite(server, lamps)
  const taken = await accept(server, { token, ...fresh, email: lamps.owner.email })
  expect([taken.status, taken.json]).toMatchObject([409, { error: { code: 'email_taken' } }])
  const already = await accept(server, { token }, lamps.owner)
  expect([already.status, already.json]).toMatchObject([409, { error: { code: 'state_conflict' } }])
  expect((await accept(server, { token, ...fresh })).status).toBe(201)
})

test('an invite for one e-mail address is refused for another', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const { token } = await invite(server, lamps, { role: 'owner', email: fresh.email })
  const other = await person(server.api, 'other@example.com')
  for (const answer of [
    await accept(server, { token, ...fresh, email: 'other2@example.com' }),
    await accept(server, { token }, other),
  ])
    expect([answer.status, answer.json]).toMatchObject([409, { error: { code: 'state_conflict' } }])
  expect((await accept(server, { token, ...fresh })).status).toBe(201)
})

test('the invites of an owner end when the owner loses that role', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const second = await member(server.api, lamps, 'owner', 'second@lamps.example')
  const kept = await invite(server, lamps)
  const back = (await make(server, lamps, second, { role: 'owner' })).json as Invite
  await server.call('DELETE', `${lamps.path}/members/${second.id}`, { bearer: lamps.owner.bearer })
  expect((await accept(server, { token: back.token }, second)).status).toBe(404)
  expect((await accept(server, { token: kept.token }, second)).status).toBe(200)
  const [entry] = await server.sql`select details from security_events where action = 'member.removed'`
  expect(entry).toMatchObject({ details: { memberId: second.id, invitesRevoked: 1 } })
})

test('of a simultaneous acceptance and revocation one succeeds', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  for (let round = 0; round < 10; round++) {
    const { id, token } = await invite(server, lamps)
    const who = await person(server.api, `${round}@example.com`)
    const [accepted, revoked] = await Promise.all([
      accept(server, { token }, who),
      revoke(server, lamps, lamps.owner, id),
    ])
    expect([`${accepted.status} ${revoked.status}`]).toContainAnyValues(['200 404', '404 204'])
    expect(await server.sql`select from members where account_id = ${who.accountId}`).toHaveLength(
      accepted.status === 200 ? 1 : 0,
    )
  }
})

test('only owners with a recent proof of identity invite and revoke, and only for their own merchant', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const chairs = await shop(server.api, 'Chairs')
  const { id } = await invite(server, lamps)
  const developer = await member(server.api, lamps, 'developer')
  for (const answer of [
    await make(server, lamps, developer, { role: 'owner' }),
    await revoke(server, lamps, developer, id),
  ])
    expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'insufficient_role' } }])
  // All members see the open invites; the list has no tokens.
  expect((await server.call('GET', `${lamps.path}/invites`, { bearer: developer.bearer })).status).toBe(200)
  await expectMissing(
    missing => revoke(server, chairs, chairs.owner, missing),
    [...namesNothing(id), lamps.owner.id, id],
  )
  await forgetProof(server.api, lamps.owner)
  for (const answer of [
    await make(server, lamps, lamps.owner, { role: 'owner' }),
    await revoke(server, lamps, lamps.owner, id),
  ])
    expect(answer.json).toMatchObject({ error: { code: 'step_up_required' } })
  expect((await open(server, lamps)).json).toMatchObject({ data: [{ id }] })
})

test('an owner who was demoted by another process a moment ago cannot invite', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const { id } = await invite(server, lamps)
  await server.sql`update members set role = 'viewer'`
  expect((await make(server, lamps, lamps.owner, { role: 'owner' })).status).toBe(403)
  expect((await revoke(server, lamps, lamps.owner, id)).status).toBe(403)
  expect(await server.sql`select from invites where revoked_at is null`).toHaveLength(1)
})

test('open invites are listed in pages, and a cursor stays valid after its invite was used', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const ids = [(await invite(server, lamps)).id, (await invite(server, lamps)).id, (await invite(server, lamps)).id]
  expect((await open(server, lamps, '?limit=2')).json).toMatchObject({
    data: [{ id: ids[2] }, { id: ids[1] }],
    has_more: true,
  })
  await revoke(server, lamps, lamps.owner, ids[1] ?? '')
  expect((await open(server, lamps, `?startingAfter=${ids[1]}`)).json).toMatchObject({
    data: [{ id: ids[0] }],
    has_more: false,
  })
  const asc = await open(server, lamps, `?order=asc&startingAfter=${ids[0]}`)
  expect(asc.json).toMatchObject({ data: [{ id: ids[2] }], has_more: false })
  const chairs = await shop(server.api, 'Chairs')
  await expectNoCursors(query => open(server, lamps, query), [(await invite(server, chairs)).id, 'invite_x'])
})

const shared = await startServer()
afterAll(() => shared[Symbol.asyncDispose]())

test.each([
  ['only a token', 400, { token: 'x' }, 'email'],
  ['no password', 400, { token: 'x', email: 'a@b.example' }, 'password'],
  ['a common password', 400, { token: 'x', email: 'a@b.example', password: 'Password123' }, 'password'],
  ['a short password', 400, { token: 'x', email: 'a@b.example', password: 'short' }, 'password'],
  ['no address', 400, { token: 'x', email: 'nobody', password: 'a long password' }, 'email'],
  ['no token', 400, { email: 'a@b.example', password: 'a long password' }, 'token'],
])('accepting with %s is refused', async (_, status, json, param) => {
  const answer = await accept(shared, json)
  expect([answer.status, answer.json]).toMatchObject([status, { error: { param } }])
})

test('an ended session, an API key, and a session with a new e-mail address cannot accept an invite', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const { token } = await invite(server, lamps)
  for (const bearer of ['x', 'sk_test_x']) {
    const answer = await server.call('POST', '/v1/auth/invites/accept', { json: { token }, bearer })
    expect([answer.status, answer.json]).toMatchObject([401, { error: { code: 'invalid_token' } }])
  }
  const someone = await person(server.api, 'someone@example.com')
  expect((await accept(server, { token, ...fresh }, someone)).json).toMatchObject({
    error: { code: 'parameter_invalid' },
  })
  expect(await server.sql`select from members`).toHaveLength(1)
})

test('guessing the e-mail address of an invite is rate limited', async () => {
  await using server = await startServer()
  const lamps = await shop(server.api)
  const { token } = await invite(server, lamps)
  await server.sql`insert into attempts select 'sign-up:127.0.0.1', clock_timestamp() from generate_series(1, 30)`
  const answer = await accept(server, { token, ...fresh })
  expect([answer.status, answer.json]).toMatchObject([429, { error: { code: 'rate_limited' } }])
})

test('previews of one network are rate limited', async () => {
  await using server = await startServer()
  const { token } = await invite(server, await shop(server.api))
  for (let n = 0; n < 30; n++) expect((await preview(server, token)).status).toBe(200)
  const answer = await preview(server, token)
  expect([answer.status, answer.json]).toMatchObject([429, { error: { code: 'rate_limited' } }])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  // Accepting counts for itself.
  expect((await accept(server, { token, ...fresh })).status).toBe(201)
})

test('neither a token nor a password is in the log, in the database or in a later response', async () => {
  const { log, text } = readableLog()
  await using server = await apiServer({ routes, outside: { log } })
  const lamps = await shop(server.api)
  const { token } = await invite(server, lamps)
  const wrong = 'a token that was never created'
  const answers = [
    await preview(server, wrong),
    await preview(server, token),
    await accept(server, { token: wrong, ...fresh }),
    await accept(server, { token, ...fresh, email: lamps.owner.email }),
    await accept(server, { token, password: fresh.password, email: fresh.password }),
    await open(server, lamps),
    await accept(server, { token, ...fresh }),
    await accept(server, { token, ...fresh }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 200, 404, 409, 400, 200, 201, 404])
  const contents = await contentsOf(server.sql)
  expect(contents['public.invites']).toContain(new Bun.CryptoHasher('sha256').update(token).digest('hex'))
  const everything = text() + Object.values(contents).join('') + answers.map(answer => answer.text).join('')
  expect(text()).toContain('/v1/auth/invites/accept')
  for (const secret of [token, wrong, fresh.password]) expect(everything).not.toContain(secret)
})
