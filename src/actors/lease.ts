import type { Dependencies } from '../dependencies.ts'
import type { Command } from './command.ts'
import { actorsByTable } from './find-locked.ts'
import type { Registry } from './registry.ts'

type Unit = { readonly commands: readonly Command[] }

/** Long enough for a read and a commit. Short enough that a killed process delays other commands only briefly. */
const LEASE_MS = 2_000

/**
 * Leases the actors of a batch that are not leased by others. No other commit on them succeeds during the lease, so a
 * bundle that has repeatedly lost to other writers of a busy actor succeeds. A batch that does not get all of its
 * actors releases them and retries: no process waits while it holds a lease, so there is no deadlock.
 */
export const leaseActors = async (
  { sql, clock }: Dependencies,
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

/** Ends leases that no commit has ended. Skips locked rows, because a lease expires by itself. */
export const releaseActors = async (
  { sql }: Dependencies,
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
