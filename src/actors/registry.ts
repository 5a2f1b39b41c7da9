import type { Sql } from '../postgres/connect.ts'
import type { Kind } from './kind.ts'
import { rowCodec } from './rows.ts'
import { stepper } from './step.ts'

/** The registered kinds, with their machines checked and compiled. */
export type Registry = Awaited<ReturnType<typeof openRegistry>>

export const openRegistry = async (sql: Sql, kinds: readonly Kind[]) => {
  const writers = await readWriters(sql)
  const writerOf = (table: string): Writer => {
    const writer = writers.get(table)
    if (!writer) throw new Error(`cannot write ${table}: no migration has called define_commit_rows for it`)
    return writer
  }
  const registered = new Map(
    kinds.map(kind => [kind.name, { kind, ...rowCodec(kind, writerOf(kind.table).columns), ...stepper(kind) }]),
  )
  const refusals = new Map(kinds.flatMap(kind => Object.entries(kind.refusals ?? {})))
  await checkVersions(sql, kinds)
  return {
    writerOf,
    get: (name: string) => {
      const found = registered.get(name)
      if (!found) throw new Error(`no machine is registered as ${name}`)
      return found
    },
    /** The refusal for the violation of a constraint, or undefined if the violation is not expected. */
    refusalOf: (constraint: string): string | undefined => refusals.get(constraint),
  }
}

/** How commits write to a table: the newest writer function that migrations have defined, and its columns in order. */
export type Writer = { readonly name: string; readonly columns: readonly string[] }

/**
 * Materialized: otherwise `latest_writer` is called once per column, which took half of the time to open the actors.
 */
const readWriters = async (sql: Sql): Promise<Map<string, Writer>> => {
  const rows = await sql<{ table: string; name: string; columns: string[] }[]>`
    with writers as materialized (
      select c.table, latest_writer(c.table) as name
      from (
        select distinct regexp_replace(typname, '_v\\d+_entry$', '') as table
        from pg_type
        where typtype = 'c' and typname ~ '_v\\d+_entry$' and typnamespace = current_schema()::regnamespace
      ) c
    )
    select w.table, w.name, array_agg(a.attname::text order by a.attnum) as columns
    from writers w
    join pg_attribute a on a.attrelid = (w.name || '_entry')::regclass and a.attnum > 0 and not a.attisdropped
    group by w.table, w.name`
  // Every entry starts with the group, the rev and the transaction.
  return new Map(rows.map(({ table, name, columns }) => [table, { name, columns: columns.slice(3) }]))
}

/** Throws if there are rows of a version that this code cannot read. Records the versions that it writes. */
const checkVersions = async (sql: Sql, kinds: readonly Kind[]): Promise<void> => {
  const seen = await sql<{ kind: string; version: number }[]>`select kind, version from machine_versions`
  for (const kind of kinds) {
    const unreadable = seen.find(row => row.kind === kind.name && !isReadable(kind, row.version))
    if (!unreadable) continue
    const [row] = await sql`select 1 from ${sql(kind.table)} where version = ${unreadable.version} limit 1`
    if (row)
      throw new Error(`cannot start: ${kind.table} has rows of version ${unreadable.version}, which cannot be migrated`)
  }
  const written = JSON.stringify(kinds.map(({ name, version }) => ({ kind: name, version })))
  await sql`
    insert into machine_versions
    select kind, version from json_to_recordset(${written}::text::json) as r(kind text, version integer)
    on conflict do nothing`
}

const isReadable = (kind: Kind, version: number): boolean => {
  for (let at = version; at < kind.version; at++) if (!kind.migrations?.[at]) return false
  // In a rolling restart, rows of a newer version are read by the newer processes only.
  return version <= kind.version
}
