import type { Pending } from './dispatcher.ts'
import type { Actor } from './kind.ts'
import { headKey } from './read.ts'

/** How many actors are remembered at most. */
const MOST = 32_768

type Kept = { readonly actor: Actor; readonly until: number }

export type Memory = ReturnType<typeof openMemory>

/**
 * The actors this process has written last, as it left them, so that a command that follows soon need
 * not read what was just written. A guess and no truth: the commit compares revs, a row has one content
 * per rev, and nobody is refused on the strength of it.
 *
 * That a rev has one content holds as long as no acknowledged commit is lost. A server that was restored
 * or took over may give the same rev out again, so what is remembered belongs to one start of one server.
 */
export const openMemory = (forMs: number) => {
  const kept = new Map<string, Kept>()
  let server: string | undefined

  /** When the server started that what is remembered was written to. */
  const startOf = () => server

  const keep = (actors: Iterable<readonly [key: string, actor: Actor]>, startedAt: string | undefined): void => {
    if (startedAt === undefined) return
    if (server !== startedAt) kept.clear()
    server = startedAt
    const now = performance.now()
    for (const [key, actor] of actors) {
      kept.delete(key)
      kept.set(key, { actor, until: now + forMs })
    }
    for (const [key, { until }] of kept) {
      if (kept.size <= MOST && until > now) break
      kept.delete(key)
    }
  }

  const recall = (key: string): Actor | undefined => {
    const found = kept.get(key)
    return found && found.until > performance.now() ? found.actor : undefined
  }

  const forget = (units: readonly Pending[]): void => {
    for (const { commands } of units) for (const command of commands) kept.delete(headKey(command))
  }

  return { startOf, keep, recall, forget }
}

/**
 * Which units can do without reading, and the actors remembered for them. What must be looked up
 * with the row (a caller's id, a timer's generation) cannot be remembered, and who lost once reads.
 */
export const recallFor = (memory: Memory, units: readonly Pending[]) => {
  const recalled = new Map<string, Actor>()
  const reading: Pending[] = []
  for (const unit of units) {
    const { commands, keyed, unsure, conflicts, fresh } = unit
    const found: [string, Actor][] = []
    const known =
      !(keyed || unsure || fresh || conflicts > 0) &&
      commands.every(command => {
        if ('create' in command) return true
        const actor = 'timer' in command ? undefined : memory.recall(headKey(command))
        if (actor) found.push([headKey(command), actor])
        return actor !== undefined
      })
    if (known) for (const [key, actor] of found) recalled.set(key, actor)
    else reading.push(unit)
  }
  return { recalled, reading }
}
