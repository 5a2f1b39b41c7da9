import { afterAll, describe, expect, test } from 'bun:test'
import type { JSONValue } from 'postgres'
import { type Actor, type Kind, snakeCase } from '../../src/actors/kind.ts'
import { openRegistry } from '../../src/actors/registry.ts'
import type { ActorRow } from '../../src/actors/rows.ts'
import { kinds } from '../../src/kinds/all.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'
import { actorIn, everyActor, subjects } from './subjects.ts'

const open = async () => {
  const db = await database()
  return { db, sql: db.sql, registry: await openRegistry(db.sql, kinds) }
}
// Opened while the tests are collected, since a hook has a shorter timeout than a test.
const opened = open()
afterAll(async () => (await opened).db[Symbol.asyncDispose]())

const rowOf = (sql: Sql, { columns, version }: Kind, actor: Actor): Record<string, unknown> => {
  const { id, state, rev, createdAt, updatedAt, context } = actor
  const row: Record<string, unknown> = { id, state, rev, version, created_at: createdAt, updated_at: updatedAt }
  for (const [field, type] of Object.entries(columns)) {
    const value = context[field]
    row[snakeCase(field)] = type === 'json' && value !== null ? sql.json(value as JSONValue) : value
  }
  return row
}

for (const { kind, subject } of subjects) {
  describe(kind.table, () => {
    test('stores and returns every state of the machine', async () => {
      const { sql, registry } = await opened
      const actors = everyActor(kind, subject).map((actor, index) => ({ ...actor, rev: index + 1 }))
      // The same columns and checks, without unique keys: all rows are the same record.
      const table = sql(`${kind.table}_of_all`)
      await sql`create table ${table} (like ${sql(kind.table)} including constraints including defaults including identity)`
      await sql`insert into ${table} ${sql(actors.map(actor => rowOf(sql, kind, actor)))}`
      const rows = await sql<ActorRow[]>`select * from ${table} order by rev`
      expect(rows.map(row => registry.get(kind.name).decode(row))).toEqual(actors)
    })

    test('refuses states that the machine never has', async () => {
      const { sql } = await opened
      const lines = linesOf(subject.invalidRows)
      for (const [situation = '', change = '', constraint = ''] of lines) {
        await sql`delete from ${sql(kind.table)}`
        await sql`insert into ${sql(kind.table)} ${sql(rowOf(sql, kind, actorIn(kind, subject, situation)))}`
        const violated = await violationOf(sql.unsafe(`update ${kind.table} set ${change}`))
        expect([situation, change, violated]).toEqual([situation, change, constraint])
      }
      const rules = await sql<{ conname: string }[]>`
        select conname from pg_constraint
        where conrelid = ${kind.table}::text::regclass and contype = 'c' order by conname`
      const tried = new Set(lines.map(([, , constraint]) => constraint))
      expect(rules.map(({ conname }) => conname).filter(name => !tried.has(name))).toEqual([])
    })

    test('refuses a second row where only one may exist', async () => {
      const { sql } = await opened
      const table = sql(kind.table)
      const lines = linesOf(subject.duplicates)
      for (const [situation = '', same = '', other = '', index = ''] of lines) {
        const actor = actorIn(kind, subject, situation)
        for (const [change, expected] of [
          [same, index],
          [other, 'nothing'],
        ]) {
          await sql`delete from ${table}`
          await sql`insert into ${table} ${sql(rowOf(sql, kind, { ...actor, id: TWIN }))}`
          await sql.unsafe(`update ${kind.table} set ${change}`)
          const violated = await violationOf(sql`insert into ${table} ${sql(rowOf(sql, kind, actor))}`)
          expect([situation, change, violated]).toEqual([situation, change, expected])
        }
      }
      const rules = await sql<{ name: string }[]>`
        select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = ${kind.table}::text::regclass and i.indisunique and not i.indisprimary order by c.relname`
      const tried = new Set(lines.map(line => line.at(-1)))
      expect(rules.map(({ name }) => name).filter(name => !tried.has(name))).toEqual([])
    })
  })
}

test('every constraint that a kind maps to a refusal exists: a unique index, a check, or a function that raises it', async () => {
  const { sql } = await opened
  for (const name of kinds.flatMap(({ refusals }) => Object.keys(refusals ?? {}))) {
    const [found] = await sql`
      select exists (select from pg_index where indexrelid = to_regclass(${name}) and indisunique)
        or exists (select from pg_constraint where conname = ${name} and contype = 'c')
        or exists (
          select from pg_proc
          where pronamespace = current_schema()::regnamespace and prosrc like ${`%constraint = '${name}'%`}) as is_there`
    expect([name, found?.is_there]).toEqual([name, true])
  }
})

const TWIN = '0193a000-0000-7000-8000-0000000000ff'

const violationOf = (statement: Promise<unknown>): Promise<string> =>
  statement.then(
    () => 'nothing',
    error => error.constraint_name,
  )

const linesOf = (text: string): string[][] =>
  text
    .split('\n')
    .map(line => line.split(' | ').map(cell => cell.trim()))
    .filter(line => line.length > 1)
