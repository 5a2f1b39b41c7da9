import type { Command } from './command.ts'
import type { Head } from './decide.ts'
import type { Pending } from './dispatcher.ts'
import type { Known, Memory, Written } from './memory.ts'
import type { Asking } from './read.ts'

/** What a batch need not read, by their key, and the era it is of; none where everything is read. */
export type Recalled = { readonly actors: ReadonlyMap<string, Known>; readonly era: number | null }

export const NOTHING: Recalled = { actors: new Map(), era: null }

/**
 * Each actor of a batch is remembered for all of its commands or read for all: a read that was not asked whether it
 * has taken one of them before knows nothing of that.
 */
export const recall = (memory: Memory, units: readonly Pending[]): Recalled => {
  const actors = new Map<string, Known>()
  const asked = new Set<string>()
  for (const unit of units) {
    for (const command of unit.commands) {
      const { key } = command
      const known = mayRecall(unit, command) ? memory.recall(command.kind, key) : undefined
      if (known) actors.set(key, known)
      else asked.add(key)
    }
  }
  for (const key of asked) actors.delete(key)
  return actors.size === 0 ? NOTHING : { actors, era: memory.era() }
}

/** A timer is asked for with its actor. That a command was taken before need not: history takes none twice. */
const mayRecall = ({ unsure, doubted }: Pending, command: Command): boolean => !unsure && !doubted && 'event' in command

export const askingOf = ({ commands, keyed, unsure }: Pending, { actors }: Recalled): Asking => ({
  commands: actors.size === 0 ? commands : commands.filter(command => !actors.has(command.key)),
  seek: unsure ? 'all' : keyed ? 'keyed' : 'none',
})

/** Those of its actors that were not read. */
export const recalledOf = ({ actors }: Recalled, { commands }: Pending) => commands.filter(({ key }) => actors.has(key))

type Left = {
  readonly heads: ReadonlyMap<string, Head>
  readonly conflicted: ReadonlySet<Pending>
  readonly written: Written
}

/** What a commit has left, but for those that were not as they were decided on. */
export const remember = (memory: Memory, recalled: Recalled, { heads, conflicted, written }: Left): void => {
  const moved = new Set<string>()
  for (const unit of conflicted) {
    for (const command of unit.commands) moved.add(command.key)
    for (const { kind, key } of recalledOf(recalled, unit)) memory.wasWrong(kind, key)
  }
  memory.wrote(written)
  for (const [key, { kind, actor }] of heads) {
    const rests = kind.restsWhenNew && actor.rev === 1
    if (!rests && !moved.has(key)) memory.keep(key, actor, written)
  }
}

/** Whether any of those whose ids were chosen has not been asked for yet. One look finds all that was taken before. */
export const doubtKeyed = (units: readonly Pending[]): boolean => {
  const keyed = units.filter(unit => unit.keyed && !unit.doubted)
  for (const unit of keyed) unit.doubted = true
  return keyed.length > 0
}
