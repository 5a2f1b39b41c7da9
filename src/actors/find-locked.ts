import type { Sql } from '../postgres/connect.ts'
import type { Command } from './command.ts'
import type { Registry } from './registry.ts'

type Unit = { readonly commands: readonly Command[] }

/** Returns the actors of these units whose row or timer is locked by another transaction. Does not wait for locks. */
export const findLocked = async (
  sql: Sql,
  registry: Registry,
  units: readonly Unit[],
): Promise<ReadonlySet<string>> => {
  const locked = new Set<string>()
  for (const [table, ids] of actorsByTable(registry, units)) {
    // Locks the free rows for the duration of the statement. The rows that it skips are locked by others.
    const rows = await sql<{ id: string }[]>`
      with wanted as materialized (select unnest(${ids}::text::uuid[]) as id),
      free as materialized (
        select id from ${sql(table)} where id in (select id from wanted) order by id for update skip locked),
      free_timers as materialized (
        select actor, name from timers where actor in (select id from wanted) for update skip locked)
      select id from ${sql(table)} where id in (select id from wanted) and id not in (select id from free)
      union
      select actor from timers
      where actor in (select id from wanted) and (actor, name) not in (select actor, name from free_timers)`
    for (const { id } of rows) locked.add(id)
  }
  return locked
}

/** Groups the actors in the order in which locks are taken: by table, then by id. */
export const actorsByTable = (registry: Registry, units: readonly Unit[]): [table: string, ids: string][] => {
  const tables = new Map<string, Set<string>>()
  for (const { commands } of units) {
    for (const { kind, actor } of commands) {
      const { table } = registry.get(kind).kind
      tables.set(table, (tables.get(table) ?? new Set()).add(actor))
    }
  }
  return [...tables].sort(([a], [b]) => (a < b ? -1 : 1)).map(([table, ids]) => [table, `{${[...ids].join(',')}}`])
}
