import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDeploymentKeyring } from '../../src/deployment/keyring.ts'
import { openKeyring } from '../../src/keyring.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'

const oldKey = 'the previous secret key, which is long enough'
const newKey = 'the new secret key, which is long enough'
const otherKey = 'an unrelated secret key, which is long enough'

const insertSecret = (sql: Sql, key: string) => {
  const id = randomUUID()
  const sealed = openKeyring(key).seal('mfa', id, 'JBSWY3DPEHPK3PXP')
  return sql`
    insert into accounts (id, email, password_hash, mfa_secret) values (${id}, ${`${id}@example.com`}, '', ${sealed})`
}

test('a key that decrypts nothing in the database is refused', async () => {
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
  // What is encrypted with an older key is reported by `rekey`.
  await insertSecret(db.sql, newKey)
  expect(await open(newKey)).toBe(openKeyring(newKey).id)
})

test('an instance whose key was lost fails to start and gets no new key', async () => {
  await using db = await database()
  await insertSecret(db.sql, oldKey)
  const dataDir = await mkdtemp(join(tmpdir(), 'paymachine-key-'))
  const env = { secretKey: undefined, previousSecretKey: undefined, dataDir }
  const message = `with another key than ${dataDir}/secret-key: restore the key from a backup`
  await expect(openDeploymentKeyring(db.sql, env)).rejects.toThrow(message)
  expect(await readdir(dataDir)).toEqual([])
  await writeFile(join(dataDir, 'secret-key'), otherKey)
  await expect(openDeploymentKeyring(db.sql, env)).rejects.toThrow(message)
  await writeFile(join(dataDir, 'secret-key'), oldKey)
  expect((await openDeploymentKeyring(db.sql, env)).id).toBe(openKeyring(oldKey).id)
  await rm(dataDir, { recursive: true })
})
