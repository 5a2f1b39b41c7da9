import type { Outside } from '../world.ts'
import type { Command } from './command.ts'
import type { Registry } from './registry.ts'

/** Long enough for a read and a commit, short enough that a killed holder is no outage. */
const LEASE_MS = 2_000

/**
 * Takes actors for the commands of one batch, as far as nobody else has them. While the lease lasts
 * no other commit passes on them, so a bundle that lost to a hot actor again and again gets through.
 * Who does not get all of its actors gives them back and tries again, so nobody waits holding some.
 */
export const leaseActors = async (
  { sql, clock }: Outside,
  registry: Registry,
  commands: readonly Command[],
  holder: string,
): Promise<void> => {
  const at = clock.now()
  const until = new Date(at.getTime() + LEASE_MS)
  for (const [table, ids] of actorsByTable(registry, commands)) {
    await sql`select ${sql(`lease_${table}`)}(${ids}::text::uuid[], ${holder}, ${at}, ${until})`
  }
}

/** Gives back what no commit has given back already. */
export const releaseActors = async (
  { sql }: Outside,
  registry: Registry,
  commands: readonly Command[],
  holder: string,
): Promise<void> => {
  for (const [table, ids] of actorsByTable(registry, commands)) {
    await sql`update ${sql(table)} set lease = null, leased_until = null
      where id = any(${ids}::text::uuid[]) and lease = ${holder}`
  }
}

const actorsByTable = (registry: Registry, commands: readonly Command[]): [table: string, ids: string][] => {
  const tables = new Map<string, Set<string>>()
  for (const { kind, actor } of commands) {
    const { table } = registry.get(kind).kind
    tables.set(table, (tables.get(table) ?? new Set()).add(actor))
  }
  return [...tables].sort(([a], [b]) => (a < b ? -1 : 1)).map(([table, ids]) => [table, `{${[...ids].join(',')}}`])
}
