import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerShare } from './share.ts'

export type Checks = { stop(): Promise<void> }

type CheckOptions = {
  readonly share: WorkerShare
  readonly everyMs: number
  readonly check: (signal: AbortSignal) => Promise<void>
  /** Called for the first of several failures in a row. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Repeats a check in one of the workers, until it is stopped. Running in two at the same time, while workers start and end,
 * must be harmless.
 */
export const runChecks = ({ share, everyMs, check, onFailure }: CheckOptions): Checks => {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      // First, because the start of a process is no time for a check.
      await sleep(everyMs, undefined, { signal }).catch(() => {})
      try {
        if (share().position === 0 && !signal.aborted) await check(signal)
        failures = 0
      } catch (err) {
        if (failures++ === 0) onFailure(err)
      }
    }
  }
  const looping = loop()
  return {
    stop: async () => {
      stopping.abort()
      await looping
    },
  }
}
