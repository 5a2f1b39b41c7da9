import type { Outside } from '../outside.ts'
import type { Command } from './command.ts'

/** The pause before the first retry of a command that met a locked row; each further one is twice as long. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

/** An actor for which no command came for so long is taken for free: the next command finds out. */
const FORGOTTEN_AFTER_MS = 30_000

/** A wait as long as this is logged: shorter ones are ordinary contention. */
const LOGGED_AFTER_MS = 1_000

/** The longest that an actor's commands have been waiting for a lock that another transaction holds. */
export type LockWait = { readonly kind: string; readonly actor: string; readonly ms: number }

export type Lockouts = ReturnType<typeof openLockouts>

type Entry = { readonly kind: string; readonly since: number; tries: number; triedAt: number; logged: boolean }

type Unit = { readonly commands: readonly Command[] }

/**
 * Actors whose rows another transaction has locked, as far as commands have met them. Their commands are kept out of
 * the batches of others: a batch that meets a locked row is rolled back after `lock_timeout`, and would be again.
 */
export const openLockouts = ({ log }: Pick<Outside, 'log'>, now: () => number = () => performance.now()) => {
  const entries = new Map<string, Entry>()

  const entryOf = (actor: string): Entry | undefined => {
    const entry = entries.get(actor)
    if (entry && now() - entry.triedAt > FORGOTTEN_AFTER_MS) entries.delete(actor)
    return entries.get(actor)
  }

  /** When it may be tried next. */
  const pauseOf = ({ tries }: Entry): number => Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS)

  return {
    has: ({ commands }: Unit): boolean => commands.some(({ actor }) => entryOf(actor) !== undefined),
    /** How long until the unit is worth another try. */
    waitMs: ({ commands }: Unit): number =>
      commands.reduce((longest, { actor }) => {
        const entry = entries.get(actor)
        return entry ? Math.max(longest, entry.triedAt + pauseOf(entry) - now()) : longest
      }, 0),
    /** A try of the units together met a locked row of each of these actors. */
    met: (units: readonly Unit[], actors: ReadonlySet<string>): void => {
      const kinds = new Map(units.flatMap(({ commands }) => commands.map(({ kind, actor }) => [actor, kind])))
      for (const [actor, kind] of kinds) {
        if (!actors.has(actor)) continue
        const entry = entryOf(actor) ?? { kind, since: now(), tries: 0, triedAt: now(), logged: false }
        entries.set(actor, entry)
        entry.tries++
        entry.triedAt = now()
        if (entry.logged || now() - entry.since < LOGGED_AFTER_MS) continue
        entry.logged = true
        log.warn({ kind, actor }, 'row locked by another transaction, its commands wait')
      }
    },
    /** The unit was not settled for another reason: it waits as long as before. */
    tried: ({ commands }: Unit): void => {
      for (const { actor } of commands) {
        const entry = entries.get(actor)
        if (entry) entry.triedAt = now()
      }
    },
    /** The unit got through. */
    passed: ({ commands }: Unit): void => {
      for (const { kind, actor } of commands) {
        if (entries.get(actor)?.logged) log.info({ kind, actor }, 'row no longer locked, its commands continue')
        entries.delete(actor)
      }
    },
    longest: (): LockWait | undefined => {
      let longest: LockWait | undefined
      for (const actor of [...entries.keys()]) {
        const entry = entryOf(actor)
        const ms = entry ? now() - entry.since : 0
        // Where nothing is tried any more, nothing waits.
        const isWaitedFor = entry !== undefined && now() - entry.triedAt <= 2 * LONGEST_PAUSE_MS
        if (entry && isWaitedFor && ms > (longest?.ms ?? -1)) longest = { kind: entry.kind, actor, ms }
      }
      return longest
    },
  }
}
