import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { connect } from '../../src/postgres/connect.ts'
import { type Migration, migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { emptyDatabase } from '../harness/database.ts'
import { until } from '../harness/until.ts'

const file = (name: string, text: string): Migration => ({
  name,
  text,
  checksum: createHash('sha256').update(text).digest('hex'),
})

const one = file('001-one.sql', 'create table one (id integer);')
const two = file('002-two.sql', 'create table two as select id from one;')

test('migrations run in order, once, and are recorded', async () => {
  await using db = await emptyDatabase()
  await migrate(db.url, [one])
  await migrate(db.url, [one, two])
  await migrate(db.url, [one, two])
  const rows = await db.sql`select name, checksum from migrations order by applied_at`
  expect([...rows]).toEqual([one, two].map(({ name, checksum }) => ({ name, checksum })))
})

test('without migrations of ours the job tables exist', async () => {
  await using db = await emptyDatabase()
  await migrate(db.url, [])
  expect(await db.sql`select from pg_tables where schemaname = 'graphile_worker'`).not.toHaveLength(0)
})

test('twenty simultaneous processes apply every migration once', async () => {
  await using db = await emptyDatabase()
  const migrateHere = `
    import { migrate } from ${JSON.stringify(import.meta.resolve('../../src/postgres/migrate.ts'))}
    await migrate(${JSON.stringify(db.url)})`
  const codes = await Promise.all(
    Array.from({ length: 20 }, () => {
      const child = spawn(process.execPath, ['-e', migrateHere], { stdio: 'inherit' })
      return new Promise(resolve => child.on('exit', resolve))
    }),
  )
  expect(codes).toEqual(codes.map(() => 0))
  const names = await db.sql`select name from migrations order by name`
  expect(names.map(row => row.name)).toEqual((await readMigrations()).map(migration => migration.name))
})

test('a failed migration leaves nothing, and the error names its line', async () => {
  await using db = await emptyDatabase()
  const bad = file('002-bad.sql', 'create table half (id integer);\nselect 1 / 0;\n\nselect oops;')
  await expect(migrate(db.url, [one, bad])).rejects.toThrow('sql/002-bad.sql failed: division by zero')
  const typo = file('002-typo.sql', 'create table half (id integer);\n\nselct 1;')
  await expect(migrate(db.url, [one, typo])).rejects.toThrow('sql/002-typo.sql:3 failed: syntax error')
  expect(await db.sql`select from pg_class where relname = 'half'`).toHaveLength(0)
  expect(await db.sql`select from migrations`).toHaveLength(1)
})

test('a database with another version of a migration is refused', async () => {
  await using db = await emptyDatabase()
  await migrate(db.url, [one])
  await expect(migrate(db.url, [file(one.name, `${one.text} `)])).rejects.toThrow(
    'The database was created by another version of this program (sql/001-one.sql differs): start that version, or set',
  )
})

test('a database that is newer than the program is refused', async () => {
  await using db = await emptyDatabase()
  await migrate(db.url, [one, two])
  await expect(migrate(db.url, [one])).rejects.toThrow(
    'The database is newer than this program: it has the migration 002-two.sql',
  )
})

test('a migration that another process applies without the lock is waited for, not repeated', async () => {
  await using db = await emptyDatabase()
  await migrate(db.url, [])
  const other = connect(db.url, { max: 1 })
  await other`begin`
  await other`insert into migrations (name, checksum) values (${one.name}, ${one.checksum})`
  await other.unsafe(one.text)
  const migrated = migrate(db.url, [one, two])
  await until(async () => (await db.sql`select from pg_locks where not granted`).length > 0)
  await other`commit`
  await other.end()
  await migrated
  expect(await db.sql`select from migrations`).toHaveLength(2)
})

test('migrations are ordered by number, and two with the same number are refused', async () => {
  const folder = await mkdtemp(`${tmpdir()}/paymachine-sql-`)
  const read = () => readMigrations(pathToFileURL(`${folder}/`))
  try {
    for (const name of ['010-c.sql', '002-b.sql', '001-a.sql', 'notes.txt']) await writeFile(`${folder}/${name}`, '')
    expect((await read()).map(({ name }) => name)).toEqual(['001-a.sql', '002-b.sql', '010-c.sql'])
    await writeFile(`${folder}/002-bb.sql`, '')
    await expect(read()).rejects.toThrow('sql/002-b.sql and sql/002-bb.sql have the same number')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the connection of the migrations is closed afterwards', async () => {
  await using db = await emptyDatabase()
  await migrate(db.url, [one])
  const sql = connect(db.url, { max: 1 })
  // The backend ends a moment after its client.
  await until(async () => {
    const others = await sql`
      select from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
    return others.length === 0
  })
  await sql.end()
})
