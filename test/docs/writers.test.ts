import { expect, test } from 'bun:test'
import { kinds } from '../../src/kinds/all.ts'
import { sealedColumns } from '../../src/sealed-columns.ts'
import { readText, tableRows } from './tables.ts'
import { actorTables, triggersOnActors, writersInDatabase, writersInSource } from './writers.ts'

const document = readText('docs/ARCHITECTURE.md')
/** test/schema.test.ts compares it with what the migrations make. */
const schema = readText('test/schema.sql')

/** Every name in backticks of the first column. */
const listed = (heading: string): readonly string[] =>
  tableRows(document, heading)
    .flatMap(([cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .sort()

test('docs/ARCHITECTURE.md lists every database function that writes the row of an actor', () => {
  expect(listed('Functions in the database')).toEqual(writersInDatabase(schema))
})

test('it lists every statement of the program that writes the row of an actor', async () => {
  const { known, any } = await writersInSource()
  expect(known).toEqual([])
  expect(any).toEqual(['src/actors/lease.ts', 'src/rekey/rekey.ts'])
  const sealed = sealedColumns.filter(({ table }) => actorTables.includes(table))
  expect(sealed.map(({ table, column }) => `${table}.${column}`)).toEqual([
    'invoices.sealed_token',
    'subscriptions.sealed_token',
  ])
  expect(listed('Statements in the source')).toEqual(any)
})

test('it lists every function that a transition calls in its commit', () => {
  const sources = kinds.map(({ name }) => readText(`src/kinds/${name.replaceAll('_', '-')}.ts`))
  const called = sources.flatMap(source => [...source.matchAll(/\bfunction: '(\w+)'/g)].map(([, name = '']) => name))
  expect(called.length).toBeGreaterThan(5)
  expect(listed('What a transition writes in addition to its row')).toEqual([...new Set(called)].sort())
})

test('it lists every trigger on the table of an actor', () => {
  expect(listed('Triggers on these tables')).toEqual(triggersOnActors(schema))
})

const other = (name: string, body: string): string =>
  `CREATE OR REPLACE FUNCTION public.${name}(a integer)\n RETURNS void\n LANGUAGE sql\nAS $function$ ${body} $function$;\n`

test.each<[string, string, readonly string[]]>([
  ['an insert', other('f', 'insert into refunds values (1)'), ['f']],
  ['an update in two lines', other('f', 'with x as (update\n  payments p set a = 1)'), ['f']],
  ['a delete', other('f', 'delete from only deliveries'), ['f']],
  ['a lock, which writes nothing', other('f', 'select 1 from refunds for update'), []],
  ['an update of another table', other('f', 'update refunds_by_hand set a = 1; update refund_looks set a = 1'), []],
  ['a comment', other('f', '-- update refunds\n select 1'), []],
  ['a generated function', other('update_payments_v2', 'update payments set a = 1'), ['update_*_v2']],
])('finds in the database %s', (_, functions, names) => {
  expect(writersInDatabase(functions)).toEqual(names)
})
