import { setTimeout as sleep } from 'node:timers/promises'

/** However often somebody rings, this long is rested: anybody who names a transaction does. */
const SHORTEST_MS = 250

export type Rest = {
  /** Ends after so long, when somebody rings, or at once when all is to end. */
  take(ms: number): Promise<void>
  /** Ends the rest that is taken, or the next one. */
  ring(): void
}

export const openRest = (stopping: AbortSignal): Rest => {
  let rung = false
  let ending = new AbortController()
  const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {})
  return {
    take: async ms => {
      await wait(Math.min(ms, SHORTEST_MS), stopping)
      if (!rung && ms > SHORTEST_MS) {
        ending = new AbortController()
        await wait(ms - SHORTEST_MS, AbortSignal.any([stopping, ending.signal]))
      }
      rung = false
    },
    ring: () => {
      rung = true
      ending.abort()
    },
  }
}
