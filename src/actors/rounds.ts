import { setTimeout as sleep } from 'node:timers/promises'

type RoundsOptions = {
  readonly pollMs: number
  /** Returns whether the next round begins at once. */
  readonly round: () => Promise<boolean>
  /** Called with the first failure in a row. */
  readonly failed: (error: unknown) => void
}

export type Rounds = {
  /** Aborted by `stop`, for rounds that take long. */
  readonly stopping: AbortSignal
  start(): void
  /** Stops, after the round under way. */
  stop(): Promise<void>
}

/** Runs one round after the other, with a pause when one has left nothing to do at once, or has failed. */
export const openRounds = ({ pollMs, round, failed }: RoundsOptions): Rounds => {
  const aborting = new AbortController()
  const { signal } = aborting
  const loop = async (): Promise<void> => {
    for (let hasFailed = false; !signal.aborted; ) {
      let more = false
      try {
        more = await round()
        hasFailed = false
      } catch (error) {
        if (!hasFailed) failed(error)
        hasFailed = true
      }
      if (!more) await sleep(pollMs, undefined, { signal }).catch(() => {})
    }
  }
  let running: Promise<void> | undefined
  return {
    stopping: signal,
    start: () => {
      running ??= loop()
    },
    stop: async () => {
      aborting.abort()
      await running
    },
  }
}
