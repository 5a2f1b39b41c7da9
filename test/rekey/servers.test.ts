import { expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { openSession } from '../../src/commands/sessions.ts'
import { parseEnv } from '../../src/env.ts'
import { type Api, openApi } from '../../src/http/api.ts'
import { openKeyring } from '../../src/keyring.ts'
import { openLog } from '../../src/log.ts'
import { rekey } from '../../src/rekey/rekey.ts'
import { sealedColumns } from '../../src/sealed-columns.ts'
import { random } from '../access/keys.ts'
import { type Database, database } from '../harness/database.ts'
import { noChainOptions } from '../harness/no-chains.ts'

const oldKey = 'the previous secret key, which is long enough'
const newKey = 'the new secret key, which is long enough'

/** An instance on the database with these keys. */
const instance = async ({ sql, url }: Database, secretKey: string, previous?: string): Promise<Api> => {
  const outside = { sql, clock: databaseClock(), random, log: openLog('silent') }
  const env = parseEnv({ DATABASE_URL: url, SECRET_KEY: secretKey })
  const actors = await openActors(outside, [])
  return openApi({ ...outside, actors }, { env, keyring: openKeyring(secretKey, previous), ...noChainOptions(outside) })
}

/** A session of any instance is valid on every other one, and each decrypts what any has stored. */
const expectAgreement = async (instances: readonly Api[], accountId: string) => {
  for (const from of instances) {
    const { accessToken } = await openSession(from, accountId, {
      address: '127.0.0.1',
      network: '127.0.0.1',
      userAgent: null,
    })
    const sealed = from.keyring.seal('mfa', accountId, 'JBSWY3DPEHPK3PXP')
    for (const to of instances) {
      expect((await to.sessions.find(accessToken))?.session.accountId).toBe(accountId)
      expect(to.keyring.open('mfa', accountId, sealed)).toBe('JBSWY3DPEHPK3PXP')
    }
  }
}

test("instances change the key one by one, and at every step all running ones accept each other's sessions and secrets", async () => {
  await using db = await database()
  const before = await instance(db, oldKey)
  const accountId = crypto.randomUUID()
  await db.sql`select create_account(${accountId}, 'owner@lamps.example', 'no hash')`
  await db.sql`
    update accounts set mfa_secret = ${before.keyring.seal('mfa', accountId, 'JBSWY3DPEHPK3PXP')}, mfa_enabled_at = now()`
  const { accessToken } = await openSession(before, accountId, {
    address: '127.0.0.1',
    network: '127.0.0.1',
    userAgent: null,
  })

  const told = await instance(db, oldKey, newKey)
  await expectAgreement([before, told], accountId)
  const changed = await instance(db, newKey, oldKey)
  await expectAgreement([told, changed], accountId)
  for (const column of sealedColumns) await rekey(db.sql, changed.keyring, column)
  await expectAgreement([told, changed], accountId)
  expect((await changed.sessions.find(accessToken))?.session.accountId).toBe(accountId)

  const after = await instance(db, newKey)
  await expectAgreement([changed, after], accountId)
  const [row] = await db.sql<{ sealed: string }[]>`select mfa_secret as sealed from accounts`
  expect(after.keyring.open('mfa', accountId, row?.sealed ?? '')).toBe('JBSWY3DPEHPK3PXP')
  // The old key is no longer accepted.
  expect(await after.sessions.find(accessToken)).toBeUndefined()
})
