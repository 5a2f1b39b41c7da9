import { setTimeout as sleep } from 'node:timers/promises'
import type { Dependencies } from '../dependencies.ts'
import { recordKeyUses } from '../queries/key-access.ts'

/** Collects when each key was last used, and writes it every ten seconds, so that requests write nothing. */
export type LastUses = {
  record(id: string): void
  /** Writes the remaining times. */
  stop(): Promise<void>
}

export const openLastUses = (
  { sql, log }: Pick<Dependencies, 'sql' | 'log'>,
  { everyMs = 10_000 }: { readonly everyMs?: number } = {},
): LastUses => {
  let usedAt = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> = Promise.resolve()
  let stopped = false

  const write = async () => {
    const uses = usedAt
    usedAt = new Map()
    if (uses.size === 0) return
    const now = performance.now()
    try {
      await recordKeyUses(
        sql,
        [...uses.keys()],
        Array.from(uses.values(), at => now - at),
      )
    } catch (err) {
      log.warn({ err }, 'API key last-use times not written, retrying')
      // Newer uses overwrite the ones that could not be written.
      usedAt = new Map([...uses, ...usedAt])
      arm()
    }
  }

  const arm = () => {
    if (stopped) return
    timer ??= setTimeout(() => {
      timer = undefined
      writing = write()
    }, everyMs)
  }

  return {
    record: id => {
      usedAt.set(id, performance.now())
      arm()
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      // With a time limit, in case the database does not answer.
      await Promise.race([writing.then(write), sleep(2_000, undefined, { ref: false })])
    },
  }
}
