import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { database } from './harness/database.ts'
import { readSchema, readUnwritten } from './harness/schema.ts'

test('the migrations make exactly the schema in test/schema.sql, which `bun run schema` writes', async () => {
  await using db = await database()
  expect(await readSchema(db.sql)).toBe(await readFile(new URL('schema.sql', import.meta.url), 'utf8'))
})

test('the migrations use nothing that the golden schema would not show', async () => {
  await using db = await database()
  expect(await readUnwritten(db.sql)).toEqual([])
})

test('each function can be made again from what Postgres writes of it, as a restored dump does', async () => {
  await using db = await database()
  const functions = await db.sql<{ name: string; definition: string }[]>`
    select oid::regprocedure::text as name, pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = current_schema()::regnamespace and prokind = 'f'`
  expect(functions.length).toBeGreaterThan(100)
  const refused: string[] = []
  for (const { name, definition } of functions)
    await db.sql.unsafe(definition).catch((error: Error) => refused.push(`${name}: ${error.message}`))
  expect(refused).toEqual([])
})

const added = `
  create sequence numbers as smallint start 5 increment 5 maxvalue 500 cache 7 cycle;
  create table things (
    n integer generated always as identity (start 10 minvalue 10 cache 20),
    s serial,
    name text,
    constraint things_name unique (name) with (fillfactor = 50)
  ) with (fillfactor = 70, toast.autovacuum_enabled = off);
  alter table things alter name set storage external, alter n set statistics 500;
  alter table things enable row level security, replica identity full;
  create statistics things_many (dependencies) on n, name from things;
  create rule things_kept as on delete to things do instead nothing;
  create function nothing() returns trigger language plpgsql as 'begin return null; end';
  create trigger things_nothing after insert on things execute function nothing();
  alter table things disable trigger things_nothing;
  create view safe with (security_barrier) as select 1 as one;
  create aggregate total(integer) (sfunc = int4pl, stype = integer);
  create type span as range (subtype = integer);
  create domain little as integer default 1;
  create schema aside;
  create table children () inherits (things);
  create publication told for table things;
  grant select on things to public;
  grant select (name) on things to public;
  revoke execute on function nothing() from public;
  comment on function nothing() is 'none';
`

test('a sequence is shown with its options, and everything that would not be shown is listed', async () => {
  await using db = await database()
  await db.sql.unsafe(added)
  const schema = await readSchema(db.sql)
  expect(schema).toContain('create sequence numbers as smallint start 5 increment 5 maxvalue 500 cache 7 cycle;')
  expect(schema).toContain('n integer not null generated always as identity (start 10 minvalue 10 cache 20),')
  expect(await readUnwritten(db.sql)).toEqual([
    'cast to span_multirange',
    'column of things_s_seq',
    'comment on function nothing()',
    'default of little',
    'inheritance of children',
    'kind of span',
    'kind of span_multirange',
    'kind of total',
    'privileges of nothing',
    'privileges of things',
    'privileges of things.name',
    'publication of children',
    'publication of things',
    'replica identity of things',
    'row security of things',
    'rule of things',
    'schema aside',
    'settings of safe',
    'settings of the TOAST table of things',
    'settings of things_name',
    'state of a trigger of things',
    'statistics of things',
    'statistics of things.n',
    'storage of children.name',
    'storage of things.name',
  ])
})
