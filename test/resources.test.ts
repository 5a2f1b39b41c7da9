import { afterAll, expect, test } from 'bun:test'
import { kinds } from '../src/kinds/all.ts'
import { resourceRows, resources, scopes } from '../src/resources.ts'
import { insertKey } from './access/keys.ts'
import { database } from './harness/database.ts'

const opened = database()
afterAll(async () => (await opened)[Symbol.asyncDispose]())

test('a prefix, an example, a path and a table belong to one resource', () => {
  const facts = resourceRows.flatMap(({ prefix, example, path, table }) =>
    Object.entries({ prefix, example, path, table }).flatMap(([name, fact]) => (fact ? [`${name} ${fact}`] : [])),
  )
  expect(facts.filter((fact, at) => facts.indexOf(fact) !== at)).toEqual([])
})

test('a resource that is a machine has a kind of its name', () => {
  const machines = Object.entries(resources).flatMap(([name, row]) => ('isMachine' in row ? [name] : []))
  expect(kinds.map(({ name }) => name).sort()).toEqual(machines.sort())
})

test('the type of an event begins with the name of its resource', () => {
  for (const [name, row] of Object.entries(resources))
    for (const type of 'events' in row ? row.events : []) expect(type.split('.')[0]).toBe(name)
})

test('a table that is listed has the columns that lists need', async () => {
  const { sql } = await opened
  for (const { table } of resourceRows) {
    if (table === undefined) continue
    const columns = await sql<{ name: string }[]>`
      select attname as name from pg_attribute where attrelid = ${table}::text::regclass`
    expect([table, columns.map(({ name }) => name)]).toEqual([
      table,
      expect.arrayContaining(['id', 'merchant_id', 'livemode', 'seq']),
    ])
  }
})

test('the database takes every scope, alone and with others, and nothing that is none', async () => {
  const { sql } = await opened
  const { id } = await insertKey(sql, { scopes: [...scopes] })
  for (const taken of [['*'], ...scopes.map(scope => [scope])])
    await sql`update api_keys set scopes = ${taken} where id = ${id}`
  for (const refused of [[], [''], ['payments'], ['payments:write '], ['*', null], ['Payments:read']])
    expect(sql`update api_keys set scopes = ${refused} where id = ${id}`).rejects.toThrow('api_keys_scopes')
})
