import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openKeyring } from '../../src/keyring.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { startEmbedded } from '../../src/postgres/embedded.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { findPreviousSecretKey, getSecretKey } from '../../src/process/secret-key.ts'
import { database } from '../harness/database.ts'

const oldKey = 'the previous secret key, which is long enough'
const newKey = 'the new secret key, which is long enough'

const runRekey = async (env: Readonly<Record<string, string>>) => {
  const child = Bun.spawn([process.execPath, fileURLToPath(new URL('../../src/rekey/main.ts', import.meta.url))], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, output: out + err }
}

const insertSecret = async (sql: Sql, key: string): Promise<string> => {
  const id = randomUUID()
  await sql`
    insert into accounts (id, email, password_hash, mfa_secret)
    values (${id}, ${`${id}@example.com`}, '', ${openKeyring(key).seal('mfa', id, 'JBSWY3DPEHPK3PXP')})`
  return id
}

const readSecret = async (sql: Sql, key: string, id: string): Promise<string> => {
  const [row] = await sql<{ sealed: string }[]>`select mfa_secret as sealed from accounts where id = ${id}`
  return openKeyring(key).open('mfa', id, row?.sealed ?? '')
}

/** The columns for which this file has no secrets. */
const others = [
  'recovery_secrets.sealed_secret',
  'refund_claims.sealed_secret',
  'refund_signers.sealed_key',
  'invoices.sealed_token',
  'subscriptions.sealed_token',
  'webhook_endpoints.sealed_secret',
  'webhook_endpoints.previous_sealed_secret',
]
  .map(column => `${column}: 0 encrypted with the current key\n`)
  .join('')

test.concurrent('with both keys everything is encrypted with the new one, however often the command runs', async () => {
  await using db = await database()
  const id = await insertSecret(db.sql, oldKey)
  const env = { DATABASE_URL: db.url, SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey }
  const first = await runRekey(env)
  expect(first).toEqual({ code: 0, output: `accounts.mfa_secret: 1 encrypted with the current key\n${others}` })
  expect(await readSecret(db.sql, newKey, id)).toBe('JBSWY3DPEHPK3PXP')
  expect(await runRekey(env)).toEqual({
    code: 0,
    output: `accounts.mfa_secret: 0 encrypted with the current key\n${others}`,
  })
})

test.concurrent('without the old key the exit code is 1, and the output names the rows but no secret', async () => {
  await using db = await database()
  const id = await insertSecret(db.sql, oldKey)
  const { code, output } = await runRekey({ DATABASE_URL: db.url, SECRET_KEY: newKey })
  expect(code).toBe(1)
  expect(output).toContain(`neither SECRET_KEY nor SECRET_KEY_PREVIOUS decrypts 1, in the rows ${id}`)
  for (const secret of [newKey, 'JBSWY3DPEHPK3PXP', 'v1.']) expect(output).not.toContain(secret)
})

/** A data folder with its own key and one secret. */
const dataFolder = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'paymachine-rekey-'))
  const use = async <T>(work: (sql: Sql, url: string) => Promise<T>): Promise<T> => {
    const server = await startEmbedded({ dataDir })
    const sql = connect(server.url, { max: 1 })
    try {
      return await work(sql, server.url)
    } finally {
      await sql.end({ timeout: 1 })
      await server.stop()
    }
  }
  const keys = () => {
    const given = { dataDir, secretKey: undefined, previousSecretKey: undefined }
    return { current: getSecretKey(given), previous: findPreviousSecretKey(given) }
  }
  const id = await use(async (sql, url) => {
    await migrate(url)
    return insertSecret(sql, keys().current)
  })
  return { dataDir, id, use, keys, [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }) }
}

test.concurrent('a data folder gets a new key, keeps the old one as the previous, and loses nothing however an earlier run ended', async () => {
  await using folder = await dataFolder()
  const { dataDir, id, use, keys } = folder
  const original = keys().current
  expect(keys().previous).toBeUndefined()

  expect(await runRekey({ DATA_DIR: dataDir })).toMatchObject({ code: 0 })
  const second = keys()
  expect(second.previous).toBe(original)
  expect(await use(sql => readSecret(sql, second.current, id))).toBe('JBSWY3DPEHPK3PXP')

  // As if an earlier run had been killed after writing the new key and before encrypting anything.
  await use(async sql => {
    const sealed = openKeyring(original).seal('mfa', id, 'JBSWY3DPEHPK3PXP')
    await sql`update accounts set mfa_secret = ${sealed} where id = ${id}`
  })
  expect((await runRekey({ DATA_DIR: dataDir })).code).toBe(0)
  const third = keys()
  expect(third.previous).toBe(second.current)
  expect(await use(sql => readSecret(sql, third.current, id))).toBe('JBSWY3DPEHPK3PXP')

  // As if it had been killed between the two files.
  await writeFile(join(dataDir, 'secret-key.previous'), third.current)
  // A variable left from an earlier change has no effect.
  expect((await runRekey({ DATA_DIR: dataDir, SECRET_KEY_PREVIOUS: oldKey })).code).toBe(0)
  const fourth = keys()
  expect(fourth.previous).toBe(third.current)
  expect(await use(sql => readSecret(sql, fourth.current, id))).toBe('JBSWY3DPEHPK3PXP')

  // The operator may move the key to an environment variable.
  const own = { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: fourth.current }
  expect((await runRekey({ DATA_DIR: dataDir, ...own })).code).toBe(0)
  expect(await use(sql => readSecret(sql, newKey, id))).toBe('JBSWY3DPEHPK3PXP')

  // A running server does not notice a new key.
  const during = await use(() => runRekey({ DATA_DIR: dataDir }))
  expect(during.code).toBe(1)
  expect(during.output).toContain('stop its server first')
  expect(await readFile(join(dataDir, 'secret-key'), 'utf8')).toBe(fourth.current)
})

test.concurrent('without a database the command creates none', async () => {
  const dataDir = join(tmpdir(), `paymachine-${randomUUID()}`)
  const { code, output } = await runRekey({ DATA_DIR: dataDir })
  expect(code).toBe(1)
  expect(output).toContain('has no database yet')
  expect(await Bun.file(dataDir).exists()).toBe(false)
})
