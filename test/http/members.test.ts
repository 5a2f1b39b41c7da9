import { afterAll, expect, test } from 'bun:test'
import { openSessionCache } from '../../src/access/session-cache.ts'
import { memberRoutes } from '../../src/http/members.ts'
import { settingsRoutes } from '../../src/http/settings.ts'
import { encodeId } from '../../src/ids.ts'
import { apiServer } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { expectNoCursors } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { forgetProof, member, type Person, person, type Shop, shop } from './people.ts'

const server = await apiServer({ routes: [...memberRoutes, ...settingsRoutes] })
afterAll(() => server[Symbol.asyncDispose]())

const list = ({ path }: Shop, by: Person, query = '') =>
  server.call('GET', `${path}/members${query}`, { bearer: by.bearer })
const setRole = ({ path }: Shop, by: Person, whom: string, role: string) =>
  server.call('PATCH', `${path}/members/${whom}`, { bearer: by.bearer, json: { role } })
const remove = ({ path }: Shop, by: Person, whom: string) =>
  server.call('DELETE', `${path}/members/${whom}`, { bearer: by.bearer })
const owners = async ({ merchantId }: Shop) =>
  (await server.sql`select from members where merchant_id = ${merchantId} and role = 'owner'`).length

test('every member can list the members, newest first', async () => {
  const lamps = await shop(server.api)
  const viewer = await member(server.api, lamps, 'viewer')
  const answer = await list(lamps, viewer)
  expect(answer.status).toBe(200)
  const at = expect.stringMatching(/^20.*Z$/)
  const rest = {
    object: 'member',
    merchantId: encodeId('mer', lamps.merchantId),
    mfaEnabled: false,
    createdAt: at,
    updatedAt: at,
  }
  expect(answer.json).toEqual({
    object: 'list',
    data: [
      { ...rest, id: viewer.id, email: viewer.email, role: 'viewer' },
      { ...rest, id: lamps.owner.id, email: lamps.owner.email, role: 'owner' },
    ],
    has_more: false,
  })
})

test('pages follow one another in both orders', async () => {
  const lamps = await shop(server.api)
  const ids = [lamps.owner.id]
  for (let i = 0; i < 4; i++) ids.push((await member(server.api, lamps, 'viewer', `${i}@lamps.example`)).id)
  for (const [order, wanted] of [
    ['asc', ids],
    ['desc', ids.toReversed()],
  ] as const) {
    const seen: string[] = []
    for (let more = true; more; ) {
      const cursor = seen.at(-1)
      const query = `?order=${order}&limit=2${cursor ? `&startingAfter=${cursor}` : ''}`
      const page = (await list(lamps, lamps.owner, query)).json as { data: { id: string }[]; has_more: boolean }
      seen.push(...page.data.map(({ id }) => id))
      more = page.has_more
    }
    expect(seen).toEqual([...wanted])
  }
})

test('a cursor that names no member is refused', async () => {
  const lamps = await shop(server.api)
  const chairs = await shop(server.api, 'Chairs')
  const cursors = [chairs.owner.id, encodeId('mer', lamps.merchantId), 'usr_', 'x', '']
  await expectNoCursors(query => list(lamps, lamps.owner, query), cursors)
})

test('a changed role is effective immediately and is in the audit log', async () => {
  const lamps = await shop(server.api)
  const viewer = await member(server.api, lamps, 'viewer')
  const settings = { bearer: viewer.bearer, json: { toleranceBps: 1 } }
  expect((await server.call('PATCH', `${lamps.path}/settings`, settings)).status).toBe(403)
  const answer = await setRole(lamps, lamps.owner, viewer.id, 'developer')
  expect([answer.status, answer.json]).toMatchObject([200, { object: 'member', id: viewer.id, role: 'developer' }])
  expect((await server.call('PATCH', `${lamps.path}/settings`, settings)).status).toBe(200)
  const [entry] =
    await server.sql`select * from security_events where action = 'member.role_changed' and merchant_id = ${lamps.merchantId}`
  expect(entry).toMatchObject({
    merchant_id: lamps.merchantId,
    account_id: lamps.owner.accountId,
    actor: lamps.owner.id,
    address: '127.0.0.1',
    details: { memberId: viewer.id, from: 'viewer', to: 'developer', invitesRevoked: 0 },
  })
})

test('a removed member loses access: on this server immediately, on others within a second', async () => {
  const lamps = await shop(server.api)
  const viewer = await member(server.api, lamps, 'viewer')
  const elsewhere = openSessionCache(server.api, server.api.keyring)
  expect(await elsewhere.roleIn(viewer.accountId, lamps.merchantId)).toBe('viewer')
  expect((await list(lamps, viewer)).status).toBe(200)

  const removed = performance.now()
  expect((await remove(lamps, lamps.owner, viewer.id)).status).toBe(204)
  expect((await list(lamps, viewer)).json).toMatchObject({ error: { code: 'resource_not_found' } })
  await until(async () => !(await elsewhere.roleIn(viewer.accountId, lamps.merchantId)))
  expect(performance.now() - removed).toBeLessThan(1_500)
  expect((await remove(lamps, lamps.owner, viewer.id)).status).toBe(404)
  const entries =
    await server.sql`select details from security_events where action = 'member.removed' and merchant_id = ${lamps.merchantId}`
  expect([...entries]).toEqual([{ details: { memberId: viewer.id, from: 'viewer', to: null, invitesRevoked: 0 } }])
})

test('the last owner can neither leave nor lose the role', async () => {
  const lamps = await shop(server.api)
  await member(server.api, lamps, 'developer')
  for (const answer of [
    await remove(lamps, lamps.owner, lamps.owner.id),
    await setRole(lamps, lamps.owner, lamps.owner.id, 'viewer'),
  ])
    expect([answer.status, answer.json]).toMatchObject([409, { error: { code: 'state_conflict' } }])
  expect((await setRole(lamps, lamps.owner, lamps.owner.id, 'owner')).status).toBe(200)
  expect(await owners(lamps)).toBe(1)
})

test.each(['PATCH', 'DELETE'] as const)(
  'of owners who end the ownership of all of them at the same time by %s, one stays owner',
  async method => {
    for (let round = 0; round < 10; round++) {
      const lamps = await shop(server.api, `Lamps${round}`)
      const second = await member(server.api, lamps, 'owner')
      const call = (by: Person, whom: Person) =>
        method === 'PATCH' ? setRole(lamps, by, whom.id, 'viewer') : remove(lamps, by, whom.id)
      const answers = await Promise.all([
        call(lamps.owner, second),
        call(second, lamps.owner),
        call(lamps.owner, lamps.owner),
        call(second, second),
      ])
      // The check of a request may run before or after its owner lost the role.
      for (const { status } of answers) expect([200, 204, 403, 404, 409]).toContain(status)
      expect(await server.sql`select from security_events where merchant_id = ${lamps.merchantId}`).toHaveLength(1)
      expect(await owners(lamps)).toBe(1)
    }
  },
)

test('an owner removed by another process a moment ago cannot remove members', async () => {
  const lamps = await shop(server.api)
  const second = await member(server.api, lamps, 'owner')
  const third = await member(server.api, lamps, 'owner')
  await list(lamps, second)
  // Without notifying this process.
  await server.sql`delete from members where account_id = ${second.accountId}`
  expect((await remove(lamps, second, third.id)).status).toBe(403)
  expect(await owners(lamps)).toBe(2)
})

test.each([
  ['developer', 'insufficient_role'],
  ['viewer', 'insufficient_role'],
] as const)('a %s cannot change members', async (role, code) => {
  const lamps = await shop(server.api)
  const who = await member(server.api, lamps, role)
  for (const answer of [await setRole(lamps, who, who.id, 'owner'), await remove(lamps, who, lamps.owner.id)])
    expect([answer.status, answer.json]).toMatchObject([403, { error: { code } }])
})

test('changing members needs a password entered within the last five minutes', async () => {
  const lamps = await shop(server.api)
  const viewer = await member(server.api, lamps, 'viewer')
  await forgetProof(server.api, lamps.owner)
  for (const answer of [
    await setRole(lamps, lamps.owner, viewer.id, 'owner'),
    await remove(lamps, lamps.owner, viewer.id),
  ])
    expect([answer.status, answer.json]).toMatchObject([403, { error: { code: 'step_up_required' } }])
  expect((await list(lamps, lamps.owner)).status).toBe(200)
})

test('a member of another merchant, an account without a merchant and an unknown account are answered 404 alike', async () => {
  const lamps = await shop(server.api)
  const chairs = await shop(server.api, 'Chairs')
  const stranger = await person(server.api, 'stranger@example.com')
  const ids = [...namesNothing(lamps.owner.id), chairs.owner.id, stranger.id, encodeId('mer', lamps.merchantId)]
  await expectMissing(whom => setRole(lamps, lamps.owner, whom, 'viewer'), ids)
  await expectMissing(whom => remove(lamps, lamps.owner, whom), ids)
  expect([await owners(lamps), await owners(chairs)]).toEqual([1, 1])
})

test('an unknown role is refused', async () => {
  const lamps = await shop(server.api)
  const answer = await setRole(lamps, lamps.owner, lamps.owner.id, 'admin')
  expect([answer.status, answer.json]).toMatchObject([400, { error: { code: 'parameter_invalid', param: 'role' } }])
})
