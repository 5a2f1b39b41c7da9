import { expect, test } from 'bun:test'
import { openObjectWriter } from '../../src/actors/json-layouts.ts'
import { rowsLiteral } from '../../src/actors/literals.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'

const store = async (sql: Sql, objects: readonly (object | null)[]) => {
  const writer = openObjectWriter()
  const lines = writer.linesOf(objects)
  await sql`select add_json_layouts(${rowsLiteral(writer.layouts())}::text::json_layouts[])`
  return { lines: lines.split('\n'), layouts: writer.layouts() }
}

const objects = [
  { a: 1, b: 'two', c: null, d: false, e: 0 },
  { a: null, b: null, c: null, d: null, e: null },
  { tab: 'a\tb', line: 'a\nb', quote: '"\\', percent: '%s %1$s %%', empty: '', 'a % of "names"': '{' },
  { list: [1, null, { x: '\t' }], nested: { y: null, '10': 1, '9': 2 }, sum: 9_007_199_254_740_991, part: 0.1 },
  { at: new Date('2026-11-27T21:30:00.123Z'), missing: undefined, big: 1e21, less: -0, none: Number.NaN },
  { only: null },
]

test('a stored object is read as JSON.stringify writes it, to the byte', async () => {
  await using db = await database()
  const { lines } = await store(db.sql, objects)
  const rows = await db.sql<{ json: string }[]>`
    select json_of(line)::text as json from unnest(${lines}::text[]) with ordinality as l(line, n) order by n`
  expect(rows.map(({ json }) => json)).toEqual(objects.map(object => JSON.stringify(object)))
})

test('objects with the same fields in the same order share a layout, and others do not', async () => {
  await using db = await database()
  const { layouts } = await store(db.sql, [
    { a: 1, b: 2 },
    { a: 3, b: null },
    { b: 2, a: 1 },
    { a: 1, b: undefined },
  ])
  expect(layouts.map(([, template]) => template)).toEqual(['{"a":%s,"b":%s}', '{"b":%s,"a":%s}', '{"a":%s}'])
  expect(
    await db.sql`select id from json_layouts where id = any(${layouts.map(([id]) => Number(id))}::integer[])`,
  ).toHaveLength(3)
})

test('a stored JSON object means itself, and null is an empty line', async () => {
  await using db = await database()
  const [row] = await db.sql`select json_of('{"a": 1}')::text as json`
  expect(row?.json).toBe('{"a": 1}')
  expect((await store(db.sql, [null, null])).lines).toEqual(['', ''])
})

test('layouts that several commits add first are added once', async () => {
  await using db = await database()
  const added = Array.from({ length: 8 }, (_, n) => store(db.sql, [{ x: n }, { y: n }]))
  await Promise.all(added)
  expect(await db.sql`select from json_layouts where template in ('{"x":%s}', '{"y":%s}')`).toHaveLength(2)
})

test('two templates with the same id are refused', async () => {
  await using db = await database()
  const add = (template: string) =>
    db.sql`select add_json_layouts(${rowsLiteral([[1, template]])}::text::json_layouts[])`
  await add('{"a":%s}')
  expect(await add('{"b":%s}').then(() => 'added', String)).toMatch('two layouts of JSON objects have the same id')
})
