import { setTimeout as sleep } from 'node:timers/promises'
import type { Outside } from '../outside.ts'
import { noteKeyUses } from '../queries/key-access.ts'

/** When each key was used last, kept in memory and written every ten seconds: a request writes nothing. */
export type LastUses = {
  note(id: string): void
  /** Writes what is left. */
  stop(): Promise<void>
}

export const openLastUses = (
  { sql, log }: Pick<Outside, 'sql' | 'log'>,
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
      await noteKeyUses(
        sql,
        [...uses.keys()],
        Array.from(uses.values(), at => now - at),
      )
    } catch (err) {
      log.warn({ err }, 'API key last-use times not written, retrying')
      // What has been used since then stays newer.
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
    note: id => {
      usedAt.set(id, performance.now())
      arm()
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      // Nobody's stop waits for long for a database that has fallen silent.
      await Promise.race([writing.then(write), sleep(2_000, undefined, { ref: false })])
    },
  }
}
