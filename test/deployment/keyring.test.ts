import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDeploymentKeyring } from '../../src/deployment/keyring.ts'
import { openKeyring } from '../../src/keyring.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'

const oldKey = 'the secret key that was there before, long enough'
const newKey = 'the secret key that comes after it, long enough'
const otherKey = 'the secret key of somebody else, long enough'

const insertSecret = (sql: Sql, key: string) => {
  const id = randomUUID()
  const sealed = openKeyring(key).seal('mfa', id, 'JBSWY3DPEHPK3PXP')
  return sql`
    insert into accounts (id, email, password_hash, mfa_secret) values (${id}, ${`${id}@example.com`}, '', ${sealed})`
}

test('a key that opens nothing of what is in the database is none of it', async () => {
  await using db = await database()
  const open = async (secretKey: string, previousSecretKey?: string) =>
    (await openDeploymentKeyring(db.sql, { secretKey, previousSecretKey, dataDir: '' })).id
  const wrong =
    'The secrets in this database were encrypted with another key than SECRET_KEY: set the previous value again'
  expect(await open(otherKey)).toBe(openKeyring(otherKey).id)
  await insertSecret(db.sql, oldKey)
  await expect(open(otherKey)).rejects.toThrow(wrong)
  await expect(open(newKey, otherKey)).rejects.toThrow(wrong)
  expect(await open(oldKey)).toBe(openKeyring(oldKey).id)
  expect(await open(newKey, oldKey)).toBe(openKeyring(newKey).id)
  // What is still under the one before is for `rekey`, which says so.
  await insertSecret(db.sql, newKey)
  expect(await open(newKey)).toBe(openKeyring(newKey).id)
})

test('an instance whose key was lost is told so, and not given another one', async () => {
  await using db = await database()
  await insertSecret(db.sql, oldKey)
  const dataDir = await mkdtemp(join(tmpdir(), 'paymachine-key-'))
  const env = { secretKey: undefined, previousSecretKey: undefined, dataDir }
  const told = `with another key than ${dataDir}/secret-key: restore the key from a backup`
  await expect(openDeploymentKeyring(db.sql, env)).rejects.toThrow(told)
  expect(await readdir(dataDir)).toEqual([])
  await writeFile(join(dataDir, 'secret-key'), otherKey)
  await expect(openDeploymentKeyring(db.sql, env)).rejects.toThrow(told)
  await writeFile(join(dataDir, 'secret-key'), oldKey)
  expect((await openDeploymentKeyring(db.sql, env)).id).toBe(openKeyring(oldKey).id)
  await rm(dataDir, { recursive: true })
})
