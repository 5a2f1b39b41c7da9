import { setTimeout as sleep } from 'node:timers/promises'

/** The shortest pause, however often it is interrupted: anyone can submit a transaction hash. */
const MIN_MS = 250

export type InterruptiblePause = {
  /** Waits so long, until interrupted, or until stopped. */
  wait(ms: number): Promise<void>
  /** Ends the current pause, or the next one. */
  interrupt(): void
}

export const openPause = (stopping: AbortSignal): InterruptiblePause => {
  let isInterrupted = false
  let ending = new AbortController()
  const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {})
  return {
    wait: async ms => {
      await wait(Math.min(ms, MIN_MS), stopping)
      if (!isInterrupted && ms > MIN_MS) {
        ending = new AbortController()
        await wait(ms - MIN_MS, AbortSignal.any([stopping, ending.signal]))
      }
      isInterrupted = false
    },
    interrupt: () => {
      isInterrupted = true
      ending.abort()
    },
  }
}
