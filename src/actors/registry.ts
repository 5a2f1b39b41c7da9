import type { Sql } from '../postgres/connect.ts'
import type { Kind } from './kind.ts'
import { rowCodec } from './rows.ts'
import { stepper } from './step.ts'

/** Every machine that has been put on the core, checked and ready to step. */
export type Registry = Awaited<ReturnType<typeof openRegistry>>

export const openRegistry = async (sql: Sql, kinds: readonly Kind[]) => {
  const tables = await readTables(sql)
  const columnsOf = (table: string): readonly string[] => {
    const columns = tables.get(table)
    if (!columns) throw new Error(`cannot write ${table}: no migration has called define_commit_rows for it`)
    return columns
  }
  const registered = new Map(
    kinds.map(kind => [kind.name, { kind, ...rowCodec(kind, columnsOf(kind.table)), ...stepper(kind) }]),
  )
  const refusals = new Map(kinds.flatMap(kind => Object.entries(kind.refusals ?? {})))
  await checkVersions(sql, kinds)
  return {
    kinds,
    columnsOf,
    get: (name: string) => {
      const found = registered.get(name)
      if (!found) throw new Error(`no machine is registered as ${name}`)
      return found
    },
    /** What the violation of an expected constraint is answered with. */
    refusalOf: (constraint: string): string | undefined => refusals.get(constraint),
  }
}

/** The columns of every table that commits may write to, in the order commit_actors() wants them. */
const readTables = async (sql: Sql): Promise<Map<string, readonly string[]>> => {
  const rows = await sql<{ entry: string; columns: string[] }[]>`
    select t.typname as entry, array_agg(a.attname::text order by a.attnum) as columns
    from pg_type t
    join pg_attribute a on a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
    where t.typname like '%\\_entry' and t.typnamespace = 'public'::regnamespace
    group by t.typname`
  const suffix = '_entry'
  // After the group and the rev that every entry starts with.
  return new Map(rows.map(({ entry, columns }) => [entry.slice(0, -suffix.length), columns.slice(2)]))
}

/** Refuses to start where rows may lie that this code cannot read, and notes which versions it writes. */
const checkVersions = async (sql: Sql, kinds: readonly Kind[]): Promise<void> => {
  const seen = await sql<{ kind: string; version: number }[]>`select kind, version from machine_versions`
  for (const kind of kinds) {
    const unreadable = seen.find(row => row.kind === kind.name && !isReadable(kind, row.version))
    if (!unreadable) continue
    const [row] = await sql`select 1 from ${sql(kind.table)} where version = ${unreadable.version} limit 1`
    if (row)
      throw new Error(`cannot start: there are ${kind.table} of version ${unreadable.version}, and no way from there`)
  }
  const written = JSON.stringify(kinds.map(({ name, version }) => ({ kind: name, version })))
  await sql`
    insert into machine_versions
    select kind, version from json_to_recordset(${written}::text::json) as r(kind text, version integer)
    on conflict do nothing`
}

const isReadable = (kind: Kind, version: number): boolean => {
  for (let at = version; at < kind.version; at++) if (!kind.migrations?.[at]) return false
  // A newer version's rows are read by the newer processes of a rolling restart, not by this one.
  return version <= kind.version
}
