import type { Dependencies } from '../dependencies.ts'
import type { Command } from './command.ts'

/** The pause before the first retry of a command whose row is locked. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 2_000

/** After this long without an attempt the row is assumed to be free. The next command shows whether it is. */
const FORGET_AFTER_MS = 30_000

/** A wait of this length is logged. Shorter ones are ordinary contention. */
const LOG_AFTER_MS = 1_000

/** How long an actor's commands have waited for a lock that another transaction holds. */
export type LockWait = { readonly kind: string; readonly actor: string; readonly ms: number }

export type LockedActors = ReturnType<typeof openLockedActors>

type Entry = { readonly kind: string; readonly since: number; tries: number; triedAt: number; logged: boolean }

type Unit = { readonly commands: readonly Command[] }

/**
 * Actors whose rows are known to be locked by another transaction. Their commands are kept out of shared batches: a
 * batch with a locked row is rolled back after `lock_timeout`, and would be again at every retry.
 */
export const openLockedActors = ({ log }: Pick<Dependencies, 'log'>, now: () => number = () => performance.now()) => {
  const entries = new Map<string, Entry>()

  const entryOf = (actor: string): Entry | undefined => {
    const entry = entries.get(actor)
    if (entry && now() - entry.triedAt > FORGET_AFTER_MS) entries.delete(actor)
    return entries.get(actor)
  }

  const pauseOf = ({ tries }: Entry): number => Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS)

  return {
    has: ({ commands }: Unit): boolean => commands.some(({ actor }) => entryOf(actor) !== undefined),
    /** How long until the unit should be retried. */
    waitMs: ({ commands }: Unit): number =>
      commands.reduce((longest, { actor }) => {
        const entry = entries.get(actor)
        return entry ? Math.max(longest, entry.triedAt + pauseOf(entry) - now()) : longest
      }, 0),
    /** An attempt to execute the units found a locked row of each of these actors. */
    recordLocked: (units: readonly Unit[], actors: ReadonlySet<string>): void => {
      const kinds = new Map(units.flatMap(({ commands }) => commands.map(({ kind, actor }) => [actor, kind])))
      for (const [actor, kind] of kinds) {
        if (!actors.has(actor)) continue
        const entry = entryOf(actor) ?? { kind, since: now(), tries: 0, triedAt: now(), logged: false }
        entries.set(actor, entry)
        entry.tries++
        entry.triedAt = now()
        if (entry.logged || now() - entry.since < LOG_AFTER_MS) continue
        entry.logged = true
        log.warn({ kind, actor }, 'row locked by another transaction, its commands wait')
      }
    },
    /** An attempt failed for another reason than a lock. The pause stays the same. */
    recordAttempt: ({ commands }: Unit): void => {
      for (const { actor } of commands) {
        const entry = entries.get(actor)
        if (entry) entry.triedAt = now()
      }
    },
    /** The unit is settled, so its rows are free. */
    recordSettled: ({ commands }: Unit): void => {
      for (const { kind, actor } of commands) {
        if (entries.get(actor)?.logged) log.info({ kind, actor }, 'row no longer locked, its commands continue')
        entries.delete(actor)
      }
    },
    longestWait: (): LockWait | undefined => {
      let longest: LockWait | undefined
      for (const actor of [...entries.keys()]) {
        const entry = entryOf(actor)
        const ms = entry ? now() - entry.since : 0
        // Without recent attempts there is no command that waits.
        const isWaitedFor = entry !== undefined && now() - entry.triedAt <= 2 * MAX_PAUSE_MS
        if (entry && isWaitedFor && ms > (longest?.ms ?? -1)) longest = { kind: entry.kind, actor, ms }
      }
      return longest
    },
  }
}
