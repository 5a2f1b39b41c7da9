import type { Outside } from '../outside.ts'
import type { BundleOutcome, Command, Done, Outcome } from './command.ts'
import { type DispatcherOptions, openDispatcher } from './dispatcher.ts'
import type { Kind } from './kind.ts'
import type { LockWait } from './lockouts.ts'
import { openRegistry } from './registry.ts'

export type Actors = {
  /** The names of the machines that are registered. */
  readonly kinds: readonly string[]
  /** Resolves once the command is committed, or refused; rejects when neither is known. */
  dispatch(command: Command): Promise<Outcome>
  /** Commits all of the commands, or none. */
  dispatchBundle(commands: readonly Command[]): Promise<BundleOutcome>
  /** Resolves when nothing is queued or under way. */
  idle(): Promise<void>
}

export type OpenActors = Actors & {
  /** For callers that come again by themselves: a command whose row is locked fails as LockedOut instead of waiting. */
  readonly withoutLockWaits: Actors
  /** Of the commands that wait because another transaction has locked a row, the longest wait. */
  longestLockWait(): LockWait | undefined
}

/** The door to every actor: machines registered, commands in, outcomes out. */
export const openActors = async (
  outside: Outside,
  kinds: readonly Kind[],
  options: DispatcherOptions = {},
): Promise<OpenActors> => {
  const asked = performance.now()
  const [database] = await outside.sql<{ now: Date }[]>`select now()`
  // The local clock may be an hour off, and the first commit writes a time already.
  if (database) outside.clock.learn(database.now, performance.now() - asked)
  const registry = await openRegistry(outside.sql, kinds)
  const { enqueue, idle, longestLockWait } = openDispatcher(outside, registry, options)
  const actorsThat = (waitsForLocks: boolean): Actors => ({
    kinds: kinds.map(({ name }) => name),
    // One promise per command, whatever it waits for: half of a busy dispatcher's time goes into such things.
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
  if (!done) throw new Error('cannot tell what became of the command')
  return done
}
