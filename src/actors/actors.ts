import type { Dependencies } from '../dependencies.ts'
import type { BundleOutcome, Command, Done, Outcome } from './command.ts'
import { type DispatcherOptions, openDispatcher } from './dispatcher.ts'
import type { Kind } from './kind.ts'
import type { LockWait } from './locked-actors.ts'
import { openRegistry } from './registry.ts'

export type Actors = {
  /** The names of the machines that are registered. */
  readonly kinds: readonly string[]
  /** Resolves when the command is committed or refused. Rejects if the outcome is unknown or the command is faulty. */
  dispatch(command: Command): Promise<Outcome>
  /** Commits all of the commands, or none. */
  dispatchBundle(commands: readonly Command[]): Promise<BundleOutcome>
  /** Resolves when nothing is queued or under way. */
  idle(): Promise<void>
}

export type OpenActors = Actors & {
  /** For callers that retry anyway: a command whose row is locked fails with LockedOut instead of waiting. */
  readonly withoutLockWaits: Actors
  /** The longest wait of a command for a row that another transaction has locked. */
  longestLockWait(): LockWait | undefined
}

/** Registers the machines and returns the functions that dispatch commands to actors. */
export const openActors = async (
  deps: Dependencies,
  kinds: readonly Kind[],
  options: DispatcherOptions = {},
): Promise<OpenActors> => {
  const sentAt = performance.now()
  const [database] = await deps.sql<{ now: Date }[]>`select now()`
  // The local clock may be wrong by an hour, and the first commit already writes a time.
  if (database) deps.clock.learn(database.now, performance.now() - sentAt)
  const registry = await openRegistry(deps.sql, kinds)
  const { enqueue, idle, longestLockWait } = openDispatcher(deps, registry, options)
  const actorsThat = (waitsForLocks: boolean): Actors => ({
    kinds: kinds.map(({ name }) => name),
    // Only one promise per command: promises are half of a busy dispatcher's time.
    dispatch: command =>
      new Promise((resolve, fail) => {
        const settle = (outcome: BundleOutcome) => resolve(outcome.ok ? only(outcome.done) : outcome)
        enqueue([command], { settle, fail, waitsForLocks })
      }),
    dispatchBundle: commands => new Promise((settle, fail) => enqueue(commands, { settle, fail, waitsForLocks })),
    idle,
  })
  return { ...actorsThat(true), withoutLockWaits: actorsThat(false), longestLockWait }
}

const only = ([done]: readonly Done[]): Done => {
  if (!done) throw new Error('cannot report the outcome of the command: it is missing')
  return done
}
