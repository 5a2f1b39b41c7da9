import { connect, type Sql } from '../../src/postgres/connect.ts'
import { readSchema } from '../harness/schema.ts'
import type { Store } from './year-store.ts'

/**
 * Brings the databases of a store to the schema of this version, if their tables are the same: until the first release the
 * files in sql/ are edited, and loading takes twenty minutes. Throws what differs besides functions, triggers, unique keys,
 * indexes and storage options.
 */
export const adoptSchema = async (store: Store, databases: readonly string[]): Promise<void> => {
  await store.drop('fresh')
  const fresh = connect(await store.migrated('fresh'), { max: 1 })
  try {
    for (const database of databases) {
      const sql = connect(store.url(database), { max: 1 })
      await adoptDatabase(sql, fresh).finally(() => sql.end({ timeout: 1 }))
    }
  } finally {
    await fresh.end({ timeout: 1 })
    await store.drop('fresh')
  }
}

const adoptDatabase = async (sql: Sql, fresh: Sql): Promise<void> => {
  const wanted = await readSchema(fresh)
  const present = new Set(partsOf(await readSchema(sql)).map(nameOfTable))
  // New tables are empty.
  for (const part of partsOf(wanted)) if (nameOfTable(part) && !present.has(nameOfTable(part))) await sql.unsafe(part)
  requireSame(tablesOf(await readSchema(sql)), tablesOf(wanted))
  // A function may call one that is made after it.
  await sql`set check_function_bodies = off`
  for (const objects of [functions, triggers, uniqueKeys, indexes, options]) {
    const [made, given] = [await sql.unsafe<Made[]>(objects), await fresh.unsafe<Made[]>(objects)]
    const isIn = (some: readonly Made[]) => (one: Made) => some.some(other => other.create === one.create)
    const isNamedIn = (some: readonly Made[]) => (one: Made) => some.some(other => other.drop === one.drop)
    // Functions are replaced: indexes and triggers use them.
    const isDropped = (one: Made) => !isIn(given)(one) && !(objects === functions && isNamedIn(given)(one))
    for (const { drop } of made.filter(isDropped)) await sql.unsafe(drop)
    for (const one of given) if (!isIn(made)(one)) await sql.unsafe(one.create)
  }
  const migrations = await fresh<{ name: string; checksum: string }[]>`select name, checksum from migrations`
  await sql`delete from migrations`
  for (const { name, checksum } of migrations)
    await sql`insert into migrations (name, checksum) values (${name}, ${checksum})`
  // New indexes on expressions have no statistics.
  await sql`analyze`
  requireSame(partsOf(await readSchema(sql)), partsOf(wanted))
}

const nameOfTable = (part: string) => /^create (?:unlogged )?table (\w+)/.exec(part)?.[1]
const partsOf = (schema: string): readonly string[] => schema.split('\n\n')
/** Without unique keys and storage options, which are adopted too. */
const tablesOf = (schema: string): readonly string[] =>
  partsOf(schema)
    .filter(part => /^create (table|type|sequence)/.test(part))
    .map(part =>
      part
        .split('\n')
        .filter(line => !/^ {2}constraint \w+ UNIQUE /.test(line))
        .map(line => line.replace(/,$/, '').replace(/^\) with .*/, ');'))
        .join('\n'),
    )

const requireSame = (made: readonly string[], wanted: readonly string[]): void => {
  const other = wanted.find(part => !made.includes(part)) ?? made.find(part => !wanted.includes(part))
  if (other !== undefined) throw new Error(`the schema differs at: ${other.split('\n')[0]}`)
}

type Made = { readonly drop: string; readonly create: string }

const functions = `
  select format('drop function %s', p.oid::regprocedure) as drop, pg_get_functiondef(p.oid) as create
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
    and not exists (select from pg_depend x where x.classid = 'pg_proc'::regclass and x.objid = p.oid and x.deptype = 'e')
  order by 1`

const triggers = `
  select format('drop trigger %I on %I', g.tgname, t.relname) as drop, pg_get_triggerdef(g.oid) as create
  from pg_trigger g join pg_class t on t.oid = g.tgrelid
  where t.relnamespace = 'public'::regnamespace and not g.tgisinternal order by 1`

const uniqueKeys = `
  select format('alter table %I drop constraint %I', t.relname, k.conname) as drop,
    format('alter table %I add constraint %I %s', t.relname, k.conname, pg_get_constraintdef(k.oid)) as create
  from pg_constraint k join pg_class t on t.oid = k.conrelid
  where t.relnamespace = 'public'::regnamespace and k.contype = 'u' order by 1`

const options = `
  select format('alter table %I reset (%s)', relname,
      (select string_agg(split_part(o, '=', 1), ', ') from unnest(reloptions) o)) as drop,
    format('alter table %I set (%s)', relname, array_to_string(reloptions, ', ')) as create
  from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reloptions is not null order by 1`

const indexes = `
  select format('drop index %I', c.relname) as drop, pg_get_indexdef(i.indexrelid) as create
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where t.relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
  order by 1`
