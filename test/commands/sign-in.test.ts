import { expect, test } from 'bun:test'
import { changePassword } from '../../src/commands/passwords.ts'
import { signIn } from '../../src/commands/sign-in.ts'
import type { Api } from '../../src/http/api.ts'
import { setUpMfa } from '../../src/queries/mfa.ts'
import { apiServer } from '../harness/api.ts'

const email = 'anna@lamps.example'
const password = 'correct horse battery'
const from = { address: '192.0.2.1', network: '192.0.2.1', site: '192.0.2.1', userAgent: null }

const start = async () => {
  const server = await apiServer({ routes: [] })
  const accountId = crypto.randomUUID()
  await server.sql`select create_account(${accountId}, ${email}, ${await server.api.passwords.hash('tests', password)})`
  return { ...server, accountId }
}

/** The same server, on which something else happens after the password was verified. */
const afterCheck = (api: Api, happens: () => Promise<unknown>): Api => ({
  ...api,
  passwords: {
    ...api.passwords,
    verify: async (...given) => {
      const right = await api.passwords.verify(...given)
      await happens()
      return right
    },
  },
})

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fine',
    error => error.code,
  )

test('a sign-in whose password is changed while it is checked opens no session', async () => {
  await using server = await start()
  const { api, accountId } = server
  const { tokens } = await signIn(api, { email, password }, from)
  const found = await api.sessions.find(tokens.accessToken)
  const session = found?.session ?? expect.unreachable()
  const change = () =>
    changePassword(api, session, { currentPassword: password, newPassword: 'another horse battery' }, from)
  expect(await code(signIn(afterCheck(api, change), { email, password }, from))).toBe('invalid_credentials')
  const live = await server.sql`select id from sessions where account_id = ${accountId} and ended_at is null`
  expect([...live]).toEqual([{ id: session.sessionId }])
})

test('a sign-in whose account enables MFA while its password is checked needs a code', async () => {
  await using server = await start()
  const { api, sql, accountId } = server
  const enable = async () => {
    await setUpMfa(sql, accountId, api.keyring.seal('mfa', accountId, 'A'.repeat(32)))
    await sql`update accounts set mfa_enabled_at = now() where id = ${accountId}`
  }
  expect(await code(signIn(afterCheck(api, enable), { email, password }, from))).toBe('mfa_required')
})

test('security events record who did what from where, and no secrets', async () => {
  await using server = await start()
  const { api, sql, accountId } = server
  await signIn(api, { email, password: 'a wrong one' }, from).catch(() => {})
  await signIn(api, { email: 'nobody@lamps.example', password }, from).catch(() => {})
  await signIn(api, { email, password }, from)
  const events = await sql`select account_id, address, action, details from security_events order by seq`
  const { address } = from
  expect([...events]).toEqual([
    { account_id: accountId, address, action: 'sign_in.failed', details: { reason: 'password' } },
    { account_id: null, address, action: 'sign_in.failed', details: { reason: 'password' } },
    { account_id: accountId, address, action: 'session.signed_in', details: {} },
  ])
})
