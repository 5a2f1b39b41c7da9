import type { Outside } from '../outside.ts'
import type { Command } from './command.ts'
import { actorsByTable } from './locked.ts'
import type { Registry } from './registry.ts'

type Unit = { readonly commands: readonly Command[] }

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
  units: readonly Unit[],
  holder: string,
): Promise<void> => {
  const at = clock.now()
  const until = new Date(at.getTime() + LEASE_MS)
  for (const [table, ids] of actorsByTable(registry, units)) {
    await sql`select ${sql(`lease_${table}`)}(${ids}::text::uuid[], ${holder}, ${at}, ${until})`
  }
}

/** Gives back what no commit has given back already, as far as nothing else has it locked: a lease ends by itself. */
export const releaseActors = async (
  { sql }: Outside,
  registry: Registry,
  units: readonly Unit[],
  holder: string,
): Promise<void> => {
  for (const [table, ids] of actorsByTable(registry, units)) {
    await sql`update ${sql(table)} set lease = null, leased_until = null
      where lease = ${holder} and id in (
        select id from ${sql(table)} where id = any(${ids}::text::uuid[]) order by id for update skip locked)`
  }
}
