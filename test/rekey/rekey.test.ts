import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Glob } from 'bun'
import { type Keyring, openKeyring } from '../../src/keyring.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { rekey } from '../../src/rekey/rekey.ts'
import { sealedColumns } from '../../src/sealed-columns.ts'
import { database } from '../harness/database.ts'

const oldKey = 'the secret key that was there before, long enough'
const newKey = 'the secret key that comes after it, long enough'
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

test('everything sealed under the previous key opens with the new one alone, and the rest is as it was', async () => {
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

test('an endpoint keeps both of its secrets, and one that has a single one keeps that', async () => {
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

test('what neither key opens is named and left alone, and keeps nothing else waiting', async () => {
  await using db = await database()
  const [lost = ''] = await insertAccounts(db.sql, 1, id =>
    openKeyring('a third one'.repeat(4)).seal('mfa', id, 'lost'),
  )
  const [moved = ''] = await insertAccounts(db.sql, 1, () => before.seal('mfa', 'somebody else', 'moved'))
  await insertAccounts(db.sql, 3, id => before.seal('mfa', id, 'fine'))
  const { resealed, unreadable } = await rekey(db.sql, during, mfa, { batch: 2 })
  expect(resealed).toBe(3)
  expect([...unreadable].sort()).toEqual([lost, moved].sort())
})

test('a key id with a character that is a pattern elsewhere is taken as it is', async () => {
  await using db = await database()
  // Two keys whose ids differ in one place only, where the new one has an underscore.
  await insertAccounts(db.sql, 1, id => before.seal('mfa', id, 'text'))
  const id = before.id.replace(/.$/, '_')
  const alike: Keyring = { ...during, id }
  expect(await rekey(db.sql, { ...alike, seal: () => `v1.${id}.AAAA` }, mfa)).toMatchObject({ resealed: 1 })
})

test('what is written between the reading and the sealing stays, and is sealed anew too', async () => {
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

test('two at once, beside an instance that knows both keys and writes, lose nothing', async () => {
  await using db = await database()
  const ids = await insertAccounts(db.sql, 300, id => before.seal('mfa', id, '0'))
  const latest = new Map(ids.map(id => [id, '0']))
  let done = false
  const instance = async () => {
    for (let n = 1; !done; n++) {
      const id = ids[n % ids.length] ?? ''
      const text = String(n)
      // Every other time as an older process would that knows the new key but seals under its own.
      const ring = n % 2 ? during : openKeyring(oldKey, newKey)
      await db.sql`update accounts set mfa_secret = ${ring.seal('mfa', id, text)} where id = ${id}`
      latest.set(id, text)
    }
  }
  const writing = instance()
  await Promise.all([rekey(db.sql, during, mfa, { batch: 7 }), rekey(db.sql, during, mfa, { batch: 11 })])
  // Both keys open everything at any moment.
  expect((await readSecrets(db.sql, during)).length).toBe(300)
  done = true
  await writing
  await rekey(db.sql, during, mfa)
  expect(new Map(await readSecrets(db.sql, after))).toEqual(latest)
})

test('every column that is sealed is known, and is there', async () => {
  await using db = await database()
  for (const { table, column } of sealedColumns)
    expect(
      await db.sql`
      select from information_schema.columns where table_name = ${table} and column_name = ${column}`,
    ).toHaveLength(1)
  // Whatever else seals something must come to this list, or the key that it needs is taken away one day.
  const sealing: string[] = []
  for await (const path of new Glob('src/**/*.ts').scan(root))
    if (/\.seal\(/.test(await Bun.file(root + path).text())) sealing.push(path)
  expect(sealing.sort()).toEqual([
    'src/admin/signers.ts',
    'src/commands/deposits.ts',
    'src/commands/mfa.ts',
    'src/commands/refund-claims.ts',
    'src/commands/webhook-endpoints.ts',
    'src/rekey/rekey.ts',
  ])
})
