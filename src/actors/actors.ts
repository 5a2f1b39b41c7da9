import type { World } from '../world.ts'
import type { BundleOutcome, Command, Outcome } from './command.ts'
import { type DispatcherOptions, openDispatcher } from './dispatcher.ts'
import type { Kind } from './kind.ts'
import { openRegistry } from './registry.ts'

export type Actors = {
  /** Resolves once the command is committed, or refused; rejects when neither is known. */
  dispatch(command: Command): Promise<Outcome>
  /** Commits all of the commands, or none. */
  dispatchBundle(commands: readonly Command[]): Promise<BundleOutcome>
  /** Resolves when nothing is queued or under way. */
  idle(): Promise<void>
}

/** The door to every actor: machines registered, commands in, outcomes out. */
export const openActors = async (
  world: World,
  kinds: readonly Kind[],
  options: DispatcherOptions = {},
): Promise<Actors> => {
  const registry = await openRegistry(world.sql, kinds)
  const dispatcher = openDispatcher(world, registry, options)
  return {
    dispatch: async command => {
      const outcome = await dispatcher.enqueue([command])
      if (!outcome.ok) return outcome
      const [done] = outcome.done
      if (!done) throw new Error('cannot tell what became of the command')
      return done
    },
    dispatchBundle: commands => dispatcher.enqueue(commands),
    idle: dispatcher.idle,
  }
}
