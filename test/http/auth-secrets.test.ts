import { expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import { SECRET_KEY } from '../harness/api.ts'
import { database } from '../harness/database.ts'
import { startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { contentsOf } from './contents.ts'
import { signedUp, password as signUpPassword, visitor } from './visitor.ts'

const email = 'anna@lamps.example'
const newPassword = 'another horse battery'
const wrongPassword = 'a wrong horse battery'

/** All the forms in which it could have been written. */
const spellings = (secret: string): string[] => [
  secret,
  secret.replaceAll('-', ''),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
]

test('no password, token, secret or code is in the logs, in an error response or in the database', async () => {
  await using db = await database()
  await using main = await startMain({
    ...{ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'api', LOG_LEVEL: 'trace', TRUSTED_PROXIES: '127.0.0.1' },
  })
  const secrets = new Set([SECRET_KEY, signUpPassword, newPassword, wrongPassword])
  const refusals: string[] = []
  const browser = await signedUp(main)
  const keep = () => {
    for (const secret of [browser.bearer, browser.cookie?.split('=')[1]]) if (secret) secrets.add(secret)
  }
  const post = async (path: string, json?: unknown) => {
    const said = await browser.post(path, json)
    keep()
    if (said.status >= 400) refusals.push(said.text)
    return said
  }
  keep()

  const { secret = '' } = (await post('mfa/setup')).body
  secrets.add(secret)
  const code = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })
  const { recoveryCodes = [] } = (await post('mfa/confirm', { code: code(-1) })).body
  expect(recoveryCodes).toHaveLength(10)
  for (const each of recoveryCodes) secrets.add(each)
  expect((await post('sign-in', { email, password: wrongPassword })).code).toBe('invalid_credentials')
  expect((await post('sign-in', { email, password: signUpPassword, code: recoveryCodes[0] })).status).toBe(200)
  expect((await post('sign-in', { email, password: signUpPassword, code: recoveryCodes[0] })).code).toBe(
    'invalid_mfa_code',
  )
  expect((await post('refresh')).status).toBe(200)
  expect((await post('step-up', { password: wrongPassword, code: recoveryCodes[1] })).status).toBe(400)
  expect((await post('password', { currentPassword: signUpPassword, newPassword, [wrongPassword]: 1 })).status).toBe(
    400,
  )
  expect((await post('password', { currentPassword: signUpPassword, newPassword })).status).toBe(204)

  // Errors log the most.
  await db.sql`alter table sessions rename to gone`
  expect((await visitor(main).post('sign-in', { email, password: newPassword, code: recoveryCodes[2] })).status).toBe(
    500,
  )
  expect((await post('refresh')).status).toBe(500)
  await db.sql`alter table accounts rename to missing`
  expect((await visitor(main).post('sign-in', { email: 'ben@lamps.example', password: newPassword })).status).toBe(500)
  await until(() => main.lines.filter(line => line.includes('request failed')).length === 3)

  const everything = [...Object.values(await contentsOf(db.sql)), ...main.lines, ...refusals].join('\n')
  expect(everything).toContain(email)
  expect(secrets.size).toBeGreaterThan(18)
  for (const each of secrets)
    for (const spelling of spellings(each)) if (everything.includes(spelling)) expect.unreachable(`${each} was written`)
})
