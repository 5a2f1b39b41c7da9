import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Glob } from 'bun'
import { type Keyring, openKeyring } from '../../src/keyring.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { rekey } from '../../src/rekey/rekey.ts'
import { sealedColumns } from '../../src/sealed-columns.ts'
import { database } from '../harness/database.ts'

const oldKey = 'the previous secret key, which is long enough'
const newKey = 'the new secret key, which is long enough'
const before = openKeyring(oldKey)
const during = openKeyring(newKey, oldKey)
const after = openKeyring(newKey)
const root = fileURLToPath(new URL('../../', import.meta.url))
const mfa = { table: 'accounts', column: 'mfa_secret', purpose: 'mfa' }

const insertAccounts = async (sql: Sql, n: number, sealed: (id: string) => string | null) => {
  const ids: string[] = Array.from({ length: n }, () => randomUUID())
  await sql`
    insert into accounts (id, email, password_hash, mfa_secret)
    select id, id || '@example.com', '', secret
    from unnest(${ids}::uuid[], ${ids.map(sealed)}::text[]) as a (id, secret)`
  return ids
}

const readSecrets = async (sql: Sql, ring: Keyring) =>
  (
    await sql<{ id: string; sealed: string }[]>`
    select id, mfa_secret as sealed from accounts where mfa_secret is not null`
  ).map(({ id, sealed }) => [id, ring.open('mfa', id, sealed)] as const)

test('everything encrypted with the previous key can be decrypted with the new one alone, and all else is unchanged', async () => {
  await using db = await database()
  const ids = await insertAccounts(db.sql, 25, id => before.seal('mfa', id, `secret of ${id}`))
  const [already = ''] = await insertAccounts(db.sql, 1, id => after.seal('mfa', id, 'newer'))
  const [none = ''] = await insertAccounts(db.sql, 1, () => null)
  expect(await rekey(db.sql, during, mfa, { batch: 10 })).toMatchObject({ resealed: 25, unreadable: [] })
  const secrets = new Map(await readSecrets(db.sql, after))
  expect(secrets.size).toBe(26)
  for (const id of ids) expect(secrets.get(id)).toBe(`secret of ${id}`)
  expect(secrets.get(already)).toBe('newer')
  expect(secrets.has(none)).toBe(false)
  expect(await rekey(db.sql, during, mfa)).toMatchObject({ resealed: 0, unreadable: [] })
})

test('an endpoint keeps both of its secrets, or its single one', async () => {
  await using db = await database()
  const merchant = randomUUID()
  await db.sql`insert into merchants (id, name) values (${merchant}, 'Lamps')`
  const make = (id: string, sealed: string) => db.sql`
    select create_webhook_endpoint(${id}, ${merchant}, false, 'https://x/', null, '{payment.late}', ${sealed}, 50, null,
      'operator', null, '{}')`
  const [both, one] = [randomUUID(), randomUUID()]
  for (const id of [both, one]) await make(id, before.seal('webhook secret', id, 'old'))
  await db.sql`
    select rotate_webhook_secret(${both}, ${merchant}, '1 h', ${before.seal('webhook secret', both, 'new')}, null,
      'operator', null, '{}')`
  const columns = sealedColumns.filter(({ table }) => table === 'webhook_endpoints')
  for (const column of columns) await rekey(db.sql, during, column)
  const rows = await db.sql<{ id: string; sealed_secret: string; previous_sealed_secret: string | null }[]>`
    select id, sealed_secret, previous_sealed_secret from webhook_endpoints order by (id = ${both})`
  const open = (id: string, sealed: string | null) => sealed && after.open('webhook secret', id, sealed)
  expect(rows.map(row => [open(row.id, row.sealed_secret), open(row.id, row.previous_sealed_secret)])).toEqual([
    ['old', null],
    ['new', 'old'],
  ])
})

test('what neither key decrypts is reported and left, and does not block the rest', async () => {
  await using db = await database()
  const [lost = ''] = await insertAccounts(db.sql, 1, id =>
    openKeyring('a third one'.repeat(4)).seal('mfa', id, 'lost'),
  )
  const [moved = ''] = await insertAccounts(db.sql, 1, () => before.seal('mfa', 'another account', 'moved'))
  await insertAccounts(db.sql, 3, id => before.seal('mfa', id, 'fine'))
  const { resealed, unreadable } = await rekey(db.sql, during, mfa, { batch: 2 })
  expect(resealed).toBe(3)
  expect([...unreadable].sort()).toEqual([lost, moved].sort())
})

test('a key id with a wildcard character of SQL is matched literally', async () => {
  await using db = await database()
  // Two keys whose ids differ only where the new one has an underscore.
  await insertAccounts(db.sql, 1, id => before.seal('mfa', id, 'text'))
  const id = before.id.replace(/.$/, '_')
  const alike: Keyring = { ...during, id }
  expect(await rekey(db.sql, { ...alike, seal: () => `v1.${id}.AAAA` }, mfa)).toMatchObject({ resealed: 1 })
})

test('a value written between reading and encrypting is kept, and is encrypted again too', async () => {
  await using db = await database()
  const [id = ''] = await insertAccounts(db.sql, 1, each => before.seal('mfa', each, 'older'))
  let questions = 0
  const racing = new Proxy(db.sql, {
    apply: (target, self, args) => {
      const answer = Reflect.apply(target, self, args)
      if (!Array.isArray(args[0]) || ++questions > 1) return answer
      return answer.then(async (rows: unknown) => {
        await db.sql`update accounts set mfa_secret = ${before.seal('mfa', id, 'newer')} where id = ${id}`
        return rows
      })
    },
  })
  expect(await rekey(racing, during, mfa)).toMatchObject({ resealed: 1 })
  expect(await readSecrets(db.sql, after)).toEqual([[id, 'newer']])
})

test('two runs at the same time as an instance that knows both keys and writes lose nothing', async () => {
  await using db = await database()
  const ids = await insertAccounts(db.sql, 300, id => before.seal('mfa', id, '0'))
  const latest = new Map(ids.map(id => [id, '0']))
  let done = false
  const instance = async () => {
    for (let n = 1; !done; n++) {
      const id = ids[n % ids.length] ?? ''
      const text = String(n)
      // Every second time like an older process that knows the new key but encrypts with its own.
      const ring = n % 2 ? during : openKeyring(oldKey, newKey)
      await db.sql`update accounts set mfa_secret = ${ring.seal('mfa', id, text)} where id = ${id}`
      latest.set(id, text)
    }
  }
  const writing = instance()
  await Promise.all([rekey(db.sql, during, mfa, { batch: 7 }), rekey(db.sql, during, mfa, { batch: 11 })])
  // Both keys decrypt everything at any moment.
  expect((await readSecrets(db.sql, during)).length).toBe(300)
  done = true
  await writing
  await rekey(db.sql, during, mfa)
  expect(new Map(await readSecrets(db.sql, after))).toEqual(latest)
})

test('the list of encrypted columns is complete, and all of them exist', async () => {
  await using db = await database()
  for (const { table, column } of sealedColumns)
    expect(
      await db.sql`
      select from information_schema.columns where table_name = ${table} and column_name = ${column}`,
    ).toHaveLength(1)
  // New encrypted columns must be added to this list; otherwise their key would be removed one day.
  const sealing: string[] = []
  for await (const path of new Glob('src/**/*.ts').scan(root))
    if (/\.seal\(/.test(await Bun.file(root + path).text())) sealing.push(path)
  expect(sealing.sort()).toEqual([
    'src/admin/signers.ts',
    'src/commands/deposits.ts',
    'src/commands/mfa.ts',
    'src/commands/page-tokens.ts',
    'src/commands/refund-claims.ts',
    'src/commands/webhook-endpoints.ts',
    'src/rekey/rekey.ts',
  ])
})
